// Movies through FFmpeg's libraries: H.264 in MP4, laid out so that a browser can start before it has all of
// the file. The movie grows beside its final name and gets it when finished; every way out before that
// removes what was written.
#include "base/file.h"
#include "base/need.h"
#include "render/title.h"
#include <billow/render.h>

#ifdef BW_HAVE_LIBAV

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

// FFmpeg has one log for the whole process and prints it raw. While a thread is in a call of ours, what
// FFmpeg has to say of errors is kept for our own message; the log of other threads is left as it is.
typedef struct Listener {
    struct Listener *outer; // of the call that this one is in, or NULL
    char words[160];        // of the last error
} Listener;

static _Thread_local Listener *listener;

static void listen(void *context, int level, const char *format, va_list args)
{
    if (listener == NULL) {
        av_log_default_callback(context, level, format, args);
        return;
    }
    int begins_line = 0; // no "[mp4 @ 0x1234]" before the words
    if (level <= AV_LOG_ERROR)
        av_log_format_line2(NULL, level, format, args, listener->words, sizeof listener->words, &begins_line);
}

static void begin_listening(Listener *own)
{
    *own = (Listener){.outer = listener};
    listener = own;
    av_log_set_callback(listen);
}

static void end_listening(const Listener *own)
{
    listener = own->outer;
}

enum { ENCODER_THREADS = 4 };

struct BwMovie {
    BwAllocator allocator;
    char *path, *temporary;
    int width_px, height_px; // of the pictures that come in
    AVFormatContext *format;
    AVCodecContext *codec;
    AVStream *stream; // belongs to `format`
    AVFrame *frame;
    AVPacket *packet;
    struct SwsContext *convert;
    int64_t frame_count;
};

static BwResult fail_av(const BwMovie *movie, int status, const char *what, BwError *err)
{
    char text[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(status, text, sizeof text);
    const char *words = listener != NULL ? listener->words : "";
    int length = (int)strcspn(words, "\n");
    return bw_fail(err, status == AVERROR(ENOMEM) ? BW_ERR_MEMORY : BW_ERR_FILE, "could not %s %s: %s%s%.*s",
                   what, movie->path, text, length > 0 ? ": " : "", length, words);
}

// Rates of television (23.976, 29.97, 59.94) are whole numbers over 1.001 and are stored as such.
static AVRational rate_of(double fps)
{
    double whole = round(fps * 1.001);
    if (fabs(fps - round(fps)) > 1e-9 && fabs(fps * 1.001 - whole) < 1e-3 * fps / 24.0)
        return (AVRational){(int)whole * 1000, 1001};
    return av_d2q(fps, 1000000);
}

static void release(BwMovie *movie)
{
    BwAllocator allocator = movie->allocator;
    sws_freeContext(movie->convert);
    av_packet_free(&movie->packet);
    av_frame_free(&movie->frame);
    avcodec_free_context(&movie->codec);
    if (movie->format != NULL)
        avio_closep(&movie->format->pb);
    avformat_free_context(movie->format);
    bw_text_free(&allocator, movie->path);
    bw_text_free(&allocator, movie->temporary);
    bw_free(&allocator, movie, sizeof *movie, BW_ALIGN);
}

void bw_movie_abandon(BwMovie *movie)
{
    if (movie == NULL)
        return;
    Listener own;
    begin_listening(&own);
    bool has_file = movie->format != NULL && movie->format->pb != NULL;
    if (has_file) {
        avio_closep(&movie->format->pb);
        remove(movie->temporary);
    }
    release(movie);
    end_listening(&own);
}

// Settings for looks before size: smoke is all soft gradients, where a low rate shows as blocks. The same
// pictures give the same bytes on every machine, so that a run may go on elsewhere: encoders share the work
// among as many threads as there are processors, and x264 as it finds their instructions, unless told.
static void ask_for_quality(AVCodecContext *codec)
{
    codec->thread_count = ENCODER_THREADS;
    codec->flags |= AV_CODEC_FLAG_BITEXACT;
    if (strcmp(codec->codec->name, "libx264") == 0) {
        av_opt_set(codec->priv_data, "preset", "fast", 0);
        av_opt_set(codec->priv_data, "crf", "17", 0);
        av_opt_set(codec->priv_data, "aq-mode", "3", 0);
        av_opt_set(codec->priv_data, "x264-params", "cpu-independent=1", 0);
    } else {
        codec->bit_rate = 8000000;
    }
}

static void describe_picture(BwMovie *movie, AVRational rate)
{
    AVCodecContext *codec = movie->codec;
    codec->width = movie->width_px & ~1;
    codec->height = movie->height_px & ~1;
    codec->pix_fmt = AV_PIX_FMT_YUV420P;
    codec->time_base = av_inv_q(rate);
    codec->framerate = rate;
    codec->sample_aspect_ratio = (AVRational){1, 1};
    codec->color_range = AVCOL_RANGE_MPEG;
    codec->colorspace = AVCOL_SPC_BT709;
    codec->color_primaries = AVCOL_PRI_BT709;
    codec->color_trc = AVCOL_TRC_IEC61966_2_1;
    if (movie->format->oformat->flags & AVFMT_GLOBALHEADER)
        codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
}

static BwResult open_encoder(BwMovie *movie, const AVCodec *encoder, AVRational rate, BwError *err)
{
    avcodec_free_context(&movie->codec);
    movie->codec = avcodec_alloc_context3(encoder);
    if (movie->codec == NULL)
        return bw_fail_memory(err);
    movie->codec->log_level_offset = AV_LOG_INFO - AV_LOG_ERROR; // errors only: what goes well is not news
    describe_picture(movie, rate);
    ask_for_quality(movie->codec);
    int status = avcodec_open2(movie->codec, encoder, NULL);
    return status < 0 ? fail_av(movie, status, "start the encoder of", err) : BW_OK;
}

// Encoders from the best down. One that is listed may still not open: those of graphics cards, on a machine
// without one.
static BwResult choose_encoder(BwMovie *movie, AVRational rate, BwError *err)
{
    const AVCodec *candidates[] = {
        avcodec_find_encoder_by_name("libx264"), avcodec_find_encoder_by_name("libopenh264"),
        avcodec_find_encoder(AV_CODEC_ID_H264), avcodec_find_encoder(AV_CODEC_ID_MPEG4)};
    BwResult result = bw_fail(err, BW_ERR_BACKEND,
                              "could not make %s: FFmpeg has no H.264 or MPEG-4 encoder; install a full "
                              "build of libavcodec (Debian: libavcodec-extra)",
                              movie->path);
    for (size_t n = 0; n < sizeof candidates / sizeof *candidates; n++) {
        if (candidates[n] == NULL)
            continue;
        result = open_encoder(movie, candidates[n], rate, err);
        if (result == BW_OK)
            return BW_OK;
    }
    return result;
}

static BwResult open_file(BwMovie *movie, BwError *err)
{
    movie->stream = avformat_new_stream(movie->format, NULL);
    if (movie->stream == NULL)
        return bw_fail_memory(err);
    movie->stream->time_base = movie->codec->time_base;
    movie->stream->avg_frame_rate = movie->codec->framerate;
    int status = avcodec_parameters_from_context(movie->stream->codecpar, movie->codec);
    if (status >= 0)
        status = avio_open(&movie->format->pb, movie->temporary, AVIO_FLAG_WRITE);
    if (status < 0)
        return fail_av(movie, status, "create", err);
    AVDictionary *options = NULL;
    av_dict_set(&options, "movflags", "+faststart", 0);
    status = avformat_write_header(movie->format, &options);
    av_dict_free(&options);
    return status < 0 ? fail_av(movie, status, "write", err) : BW_OK;
}

// From full-range sRGB pictures to the limited range and the BT.709 matrix that players expect.
static BwResult make_converter(BwMovie *movie, BwError *err)
{
    int width = movie->codec->width, height = movie->codec->height;
    movie->frame = av_frame_alloc();
    movie->packet = av_packet_alloc();
    movie->convert =
        sws_getContext(width, height, AV_PIX_FMT_RGB24, width, height, AV_PIX_FMT_YUV420P,
                       SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_BITEXACT, NULL, NULL, NULL);
    if (movie->frame == NULL || movie->packet == NULL || movie->convert == NULL)
        return bw_fail_memory(err);
    const int *matrix = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(movie->convert, matrix, 1, matrix, 0, 0, 1 << 16, 1 << 16);
    movie->frame->format = AV_PIX_FMT_YUV420P;
    movie->frame->width = width;
    movie->frame->height = height;
    return av_frame_get_buffer(movie->frame, 0) < 0 ? bw_fail_memory(err) : BW_OK;
}

static BwResult start(BwMovie *movie, double fps, BwError *err)
{
    int status = avformat_alloc_output_context2(&movie->format, NULL, "mp4", movie->temporary);
    if (status < 0)
        return fail_av(movie, status, "create", err);
    BW_TRY(choose_encoder(movie, rate_of(fps), err));
    BW_TRY(make_converter(movie, err));
    return open_file(movie, err);
}

static BwResult check_arguments(const char *path, int width_px, int height_px, double fps, BwError *err)
{
    BW_TRY(bw_need(path, "the path of the movie", err));
    if (width_px < 2 || height_px < 2 || width_px > 16384 || height_px > 16384)
        return bw_fail(err, BW_ERR_DEF, "%s: a movie of %d x %d pixels; it must be 2 x 2 to 16384 x 16384",
                       path, width_px, height_px);
    if (!(fps >= 0.1 && fps <= 1000.0))
        return bw_fail(err, BW_ERR_DEF, "%s: fps is %g; it must be 0.1 to 1000", path, fps);
    return BW_OK;
}

BwResult bw_movie_begin(BwMovie **out, const char *path, int width_px, int height_px, double fps,
                        BwError *err)
{
    BW_TRY(bw_need(out, "the place for the movie", err));
    *out = NULL;
    BW_TRY(check_arguments(path, width_px, height_px, fps, err));
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwMovie *movie = bw_alloc_zeroed(&allocator, sizeof *movie, BW_ALIGN);
    if (movie == NULL)
        return bw_fail_memory(err);
    movie->allocator = allocator;
    movie->width_px = width_px;
    movie->height_px = height_px;
    movie->path = bw_text_join(&allocator, path, "");
    movie->temporary = bw_text_join(&allocator, path, ".part");
    Listener own;
    begin_listening(&own);
    BwResult result =
        movie->path == NULL || movie->temporary == NULL ? bw_fail_memory(err) : start(movie, fps, err);
    end_listening(&own);
    if (result == BW_OK)
        *out = movie;
    else
        bw_movie_abandon(movie);
    return result;
}

const char *bw_movie_codec(const BwMovie *movie)
{
    return movie != NULL ? avcodec_get_name(movie->codec->codec_id) : "none";
}

// The index, which holds it, is written last.
BwResult bw_movie_set_title(BwMovie *movie, const char *title, BwError *err)
{
    char shown[BW_TITLE_SIZE];
    BW_TRY(bw_need(movie, "the movie", err));
    bw_title_write(shown, title);
    int status = av_dict_set(&movie->format->metadata, "title", shown[0] != '\0' ? shown : NULL, 0);
    return status < 0 ? bw_fail_memory(err) : BW_OK;
}

// Hands a picture to the encoder (NULL: there are no more) and writes what comes out.
static BwResult encode(BwMovie *movie, const AVFrame *frame, BwError *err)
{
    int status = avcodec_send_frame(movie->codec, frame);
    while (status >= 0) {
        status = avcodec_receive_packet(movie->codec, movie->packet);
        if (status == AVERROR(EAGAIN) || status == AVERROR_EOF)
            return BW_OK;
        if (status < 0)
            break;
        av_packet_rescale_ts(movie->packet, movie->codec->time_base, movie->stream->time_base);
        movie->packet->stream_index = movie->stream->index;
        movie->packet->duration = av_rescale_q(1, movie->codec->time_base, movie->stream->time_base);
        status = av_interleaved_write_frame(movie->format, movie->packet);
        if (status >= 0 && movie->format->pb->error < 0)
            status = movie->format->pb->error;
    }
    return fail_av(movie, status, "write", err);
}

static BwResult add_picture(BwMovie *movie, const BwImage *image, BwError *err)
{
    BW_TRY(bw_need(movie, "the movie", err));
    BW_TRY(bw_need(image, "the image", err));
    BW_TRY(bw_need(image->pixels, "the list of the image's pixels", err));
    if (image->width_px != movie->width_px || image->height_px != movie->height_px)
        return bw_fail(err, BW_ERR_DEF, "%s: a picture of %d x %d pixels in a movie of %d x %d", movie->path,
                       image->width_px, image->height_px, movie->width_px, movie->height_px);
    int status = av_frame_make_writable(movie->frame);
    if (status < 0)
        return fail_av(movie, status, "write", err);
    const uint8_t *rows[1] = {image->pixels};
    int stride[1] = {3 * image->width_px};
    sws_scale(movie->convert, rows, stride, 0, movie->codec->height, movie->frame->data,
              movie->frame->linesize);
    movie->frame->pts = movie->frame_count++;
    return encode(movie, movie->frame, err);
}

BwResult bw_movie_add(BwMovie *movie, const BwImage *image, BwError *err)
{
    Listener own;
    begin_listening(&own);
    BwResult result = add_picture(movie, image, err);
    end_listening(&own);
    return result;
}

static BwResult write_end(BwMovie *movie, BwError *err)
{
    if (movie->frame_count == 0)
        return bw_fail(err, BW_ERR_DEF, "%s: a movie without pictures", movie->path);
    BW_TRY(encode(movie, NULL, err));
    int status = av_write_trailer(movie->format);
    if (status >= 0)
        status = avio_closep(&movie->format->pb);
    return status < 0 ? fail_av(movie, status, "finish", err) : BW_OK;
}

BwResult bw_movie_finish(BwMovie *movie, BwError *err)
{
    BW_TRY(bw_need(movie, "the movie", err));
    Listener own;
    begin_listening(&own);
    BwResult result = write_end(movie, err);
    if (result == BW_OK)
        result = bw_file_publish(movie->temporary, movie->path, err);
    else
        remove(movie->temporary);
    release(movie);
    end_listening(&own);
    return result;
}

#else

#include "base/error.h"

static BwResult fail_missing(const char *path, BwError *err)
{
    return bw_fail(err, BW_ERR_BACKEND,
                   "could not make %s: this build has no FFmpeg; install libavcodec-dev libavformat-dev "
                   "libavutil-dev libswscale-dev and build again",
                   path);
}

BwResult bw_movie_begin(BwMovie **movie, const char *path, int width_px, int height_px, double fps,
                        BwError *err)
{
    (void)width_px, (void)height_px, (void)fps;
    BW_TRY(bw_need(movie, "the place for the movie", err));
    *movie = NULL;
    return fail_missing(path, err);
}

const char *bw_movie_codec(const BwMovie *movie)
{
    (void)movie;
    return "none";
}

BwResult bw_movie_set_title(BwMovie *movie, const char *title, BwError *err)
{
    (void)movie, (void)title;
    return fail_missing("a movie", err);
}

BwResult bw_movie_add(BwMovie *movie, const BwImage *image, BwError *err)
{
    (void)movie, (void)image;
    return fail_missing("a movie", err);
}

BwResult bw_movie_finish(BwMovie *movie, BwError *err)
{
    (void)movie;
    return fail_missing("a movie", err);
}

void bw_movie_abandon(BwMovie *movie)
{
    (void)movie;
}

#endif
