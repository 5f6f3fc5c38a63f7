// Pictures and movies on disk: what is read back is what was drawn, and what fails leaves nothing behind.
#include "base/file.h"
#include "scratch_folder.h"
#include <billow/render.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static BwImage make_image(int width, int height)
{
    BwImage image = {width, height, malloc(3 * (size_t)width * (size_t)height)};
    return image;
}

static void fill_with_noise(BwImage *image)
{
    uint32_t random = 1;
    for (int n = 0; n < 3 * image->width_px * image->height_px; n++) {
        random = random * 1664525u + 1013904223u;
        image->pixels[n] = (uint8_t)(random >> 24);
    }
}

#if defined(BW_HAVE_PNG) && defined(BW_HAVE_LIBAV)

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    BwImage image = make_image(4, 4);
    fill_with_noise(&image);
    BwError err;
    assert_int_equal(bw_image_save_png(&image, "none/a.png", &err), BW_ERR_FILE);
    assert_non_null(strstr(err.message, "none/a.png"));
    assert_non_null(strstr(err.message, "No such file"));
    BwMovie *movie;
    assert_int_equal(bw_movie_begin(&movie, "none/a.mp4", 64, 64, 24.0, &err), BW_ERR_FILE);
    assert_null(movie);
    assert_non_null(strstr(err.message, "none/a.mp4"));
    assert_non_null(strstr(err.message, "No such file"));
    free(image.pixels);
}

static void bad_sizes_and_rates_are_refused(void **state)
{
    (void)state;
    BwError err;
    BwImage image = {0, 5, NULL};
    assert_int_equal(bw_image_save_png(&image, "a.png", &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "0 x 5"));
    BwMovie *movie;
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 1, 64, 24.0, &err), BW_ERR_DEF);
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 64, 64, (double)NAN, &err), BW_ERR_DEF);
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 64, 64, 0.0, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "fps is 0"));
    assert_int_equal(files_in_folder(), 0);
}

static void an_unfinished_movie_leaves_no_file(void **state)
{
    (void)state;
    BwMovie *movie;
    BwError err;
    BwImage image = make_image(64, 48), other = make_image(32, 48);
    fill_with_noise(&image);
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 64, 48, 24.0, &err), BW_OK);
    assert_int_equal(bw_movie_add(movie, &image, &err), BW_OK);
    assert_int_equal(bw_movie_add(movie, &other, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "32 x 48 pixels in a movie of 64 x 48"));
    bw_movie_abandon(movie);
    assert_int_equal(files_in_folder(), 0);
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 64, 48, 24.0, &err), BW_OK);
    assert_int_equal(bw_movie_finish(movie, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "without pictures"));
    assert_int_equal(files_in_folder(), 0);
    bw_movie_abandon(NULL);
    free(image.pixels);
    free(other.pixels);
}

// A device that is always full: the message must say so, and the file must not stay.
static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    BwError err;
    BwImage image = make_image(256, 256);
    fill_with_noise(&image);
    assert_int_equal(symlink("/dev/full", "full.png.part"), 0);
    assert_int_equal(bw_image_save_png(&image, "full.png", &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not write full.png: No space left on device");
    assert_int_equal(files_in_folder(), 0);
    BwMovie *movie;
    assert_int_equal(symlink("/dev/full", "full.mp4.part"), 0);
    BwResult result = bw_movie_begin(&movie, "full.mp4", 256, 256, 24.0, &err);
    for (int n = 0; n < 30 && result == BW_OK; n++)
        result = bw_movie_add(movie, &image, &err);
    if (result == BW_OK)
        result = bw_movie_finish(movie, &err);
    else
        bw_movie_abandon(movie);
    assert_int_equal(result, BW_ERR_FILE);
    assert_non_null(strstr(err.message, "full.mp4"));
    assert_non_null(strstr(err.message, "No space left on device"));
    assert_int_equal(files_in_folder(), 0);
    free(image.pixels);
}

#endif

#ifdef BW_HAVE_PNG

#include <png.h>

// The text "Title" of a PNG; "" where it has none.
static void read_title(const char *path, char title[600])
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    FILE *stream = fopen(path, "rb");
    png_textp texts;
    int count = 0;
    png_init_io(png, stream);
    png_read_info(png, info);
    png_get_text(png, info, &texts, &count);
    title[0] = '\0';
    for (int n = 0; n < count; n++)
        if (strcmp(texts[n].key, "Title") == 0)
            snprintf(title, 600, "%s", texts[n].text);
    fclose(stream);
    png_destroy_read_struct(&png, &info, NULL);
}

static void a_png_has_its_title(void **state)
{
    (void)state;
    char title[600], lengthy[2000];
    BwError err;
    BwImage image = make_image(4, 4);
    fill_with_noise(&image);
    const char *const given[] = {"Smoke past a ball", "Gr\303\274\303\237e", "a\n\x1b[31m\xff", NULL, ""};
    const char *const kept[] = {"Smoke past a ball", "Gr\303\274\303\237e", "a  [31m?", "", ""};
    for (int n = 0; n < 5; n++) {
        assert_int_equal(bw_image_save_titled_png(&image, given[n], "a.png", &err), BW_OK);
        read_title("a.png", title);
        assert_string_equal(title, kept[n]);
    }
    for (size_t n = 0; n + 1 < sizeof lengthy; n++)
        lengthy[n] = n % 2 == 0 ? '\xc3' : '\xbc';
    lengthy[sizeof lengthy - 2] = '\0';
    assert_int_equal(bw_image_save_titled_png(&image, lengthy, "a.png", &err), BW_OK);
    read_title("a.png", title);
    assert_int_equal(strlen(title), 510); // whole characters
    free(image.pixels);
}

static void a_png_reads_back_as_the_same_pixels(void **state)
{
    (void)state;
    BwImage image = make_image(333, 77);
    fill_with_noise(&image);
    BwError err;
    assert_int_equal(bw_image_save_png(&image, "noise.png", &err), BW_OK);
    assert_int_equal(files_in_folder(), 1);
    png_image read = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&read, "noise.png"));
    assert_int_equal(read.width, 333);
    assert_int_equal(read.height, 77);
    assert_int_equal(read.format, PNG_FORMAT_RGB);
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(read));
    assert_true(png_image_finish_read(&read, NULL, pixels, 0, NULL));
    assert_memory_equal(pixels, image.pixels, 3 * 333 * 77);
    free(pixels);
    free(image.pixels);
}

#endif

#ifdef BW_HAVE_LIBAV

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// What a movie turned out to be when read back with FFmpeg's decoder.
typedef struct MovieRead {
    int width, height, frame_count;
    AVRational rate;
    enum AVCodecID codec;
    enum AVPixelFormat format;
    double mean[3]; // of all decoded pixels, 0 to 255
    double duration;
} MovieRead;

static void add_mean(MovieRead *read, const AVFrame *frame)
{
    struct SwsContext *convert =
        sws_getContext(frame->width, frame->height, frame->format, frame->width, frame->height,
                       AV_PIX_FMT_RGB24, SWS_BICUBIC, NULL, NULL, NULL);
    const int *matrix = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(convert, matrix, 0, matrix, 1, 0, 1 << 16, 1 << 16);
    int count = frame->width * frame->height;
    uint8_t *rgb = malloc(3 * (size_t)count + 64);
    uint8_t *rows[1] = {rgb};
    int stride[1] = {3 * frame->width};
    sws_scale(convert, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, rows, stride);
    for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            read->mean[c] += (double)rgb[3 * n + c] / count;
    free(rgb);
    sws_freeContext(convert);
}

static void drain(MovieRead *read, AVCodecContext *codec, AVFrame *frame)
{
    while (avcodec_receive_frame(codec, frame) >= 0) {
        read->width = frame->width;
        read->height = frame->height;
        read->format = frame->format;
        read->frame_count++;
        add_mean(read, frame);
    }
}

static MovieRead read_movie(const char *path)
{
    MovieRead read = {0};
    AVFormatContext *format = NULL;
    assert_int_equal(avformat_open_input(&format, path, NULL, NULL), 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    assert_int_equal(format->nb_streams, 1);
    AVStream *stream = format->streams[0];
    read.codec = stream->codecpar->codec_id;
    read.rate = stream->avg_frame_rate;
    read.duration = (double)stream->duration * av_q2d(stream->time_base);
    AVCodecContext *codec = avcodec_alloc_context3(avcodec_find_decoder(read.codec));
    assert_true(avcodec_parameters_to_context(codec, stream->codecpar) >= 0);
    assert_int_equal(avcodec_open2(codec, NULL, NULL), 0);
    AVFrame *frame = av_frame_alloc();
    AVPacket *packet = av_packet_alloc();
    while (av_read_frame(format, packet) >= 0) {
        assert_int_equal(avcodec_send_packet(codec, packet), 0);
        drain(&read, codec, frame);
        av_packet_unref(packet);
    }
    avcodec_send_packet(codec, NULL);
    drain(&read, codec, frame);
    av_packet_free(&packet);
    av_frame_free(&frame);
    avcodec_free_context(&codec);
    avformat_close_input(&format);
    for (int c = 0; c < 3; c++)
        read.mean[c] /= read.frame_count;
    return read;
}

static void save_plain_movie(const char *path, int width, int height, double fps, int frame_count)
{
    BwMovie *movie;
    BwError err;
    BwImage image = make_image(width, height);
    for (int n = 0; n < 3 * width * height; n++)
        image.pixels[n] = (uint8_t)(n % 3 == 0 ? 200 : n % 3 == 1 ? 120 : 40);
    assert_int_equal(bw_movie_begin(&movie, path, width, height, fps, &err), BW_OK);
    for (int n = 0; n < frame_count; n++)
        assert_int_equal(bw_movie_add(movie, &image, &err), BW_OK);
    assert_int_equal(bw_movie_finish(movie, &err), BW_OK);
    assert_int_equal(files_in_folder(), 1);
    free(image.pixels);
}

static void a_movie_reads_back_as_it_was_made(void **state)
{
    (void)state;
    save_plain_movie("a.mp4", 320, 180, 24.0, 30);
    MovieRead read = read_movie("a.mp4");
    assert_int_equal(read.codec, AV_CODEC_ID_H264);
    assert_int_equal(read.format, AV_PIX_FMT_YUV420P);
    assert_int_equal(read.width, 320);
    assert_int_equal(read.height, 180);
    assert_int_equal(read.frame_count, 30);
    assert_int_equal(read.rate.num, 24);
    assert_int_equal(read.rate.den, 1);
    const double wanted[3] = {200.0, 120.0, 40.0};
    double error = 0.0;
    for (int c = 0; c < 3; c++)
        error = fmax(error, fabs(read.mean[c] - wanted[c]));
    gate("movie mean colour error", error, GATE_BELOW, 3.0);
    gate("movie duration error", fabs(read.duration - 30.0 / 24.0), GATE_BELOW, 1e-6);
}

static void a_movie_has_its_title(void **state)
{
    (void)state;
    BwMovie *movie;
    BwError err;
    BwImage image = make_image(64, 48);
    fill_with_noise(&image);
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 64, 48, 24.0, &err), BW_OK);
    assert_int_equal(bw_movie_set_title(movie,
                                        "Gr\xc3\xbc\xc3\x9f"
                                        "e\n\xff",
                                        &err),
                     BW_OK);
    assert_int_equal(bw_movie_add(movie, &image, &err), BW_OK);
    assert_int_equal(bw_movie_finish(movie, &err), BW_OK);
    AVFormatContext *format = NULL;
    assert_int_equal(avformat_open_input(&format, "a.mp4", NULL, NULL), 0);
    AVDictionaryEntry *title = av_dict_get(format->metadata, "title", NULL, 0);
    assert_non_null(title);
    assert_string_equal(title->value, "Gr\xc3\xbc\xc3\x9f"
                                      "e ?");
    avformat_close_input(&format);
    free(image.pixels);
}

static void odd_sizes_and_television_rates_work(void **state)
{
    (void)state;
    save_plain_movie("a.mp4", 101, 67, 23.976, 5);
    MovieRead read = read_movie("a.mp4");
    assert_int_equal(read.width, 100);
    assert_int_equal(read.height, 66);
    assert_int_equal(read.frame_count, 5);
    assert_int_equal(read.rate.num, 24000);
    assert_int_equal(read.rate.den, 1001);
    empty_folder(NULL);
    save_plain_movie("a.mp4", 16, 16, 12.5, 1);
    read = read_movie("a.mp4");
    assert_int_equal(read.frame_count, 1);
    gate("movie rate error", fabs(av_q2d(read.rate) - 12.5), GATE_BELOW, 1e-9);
}

// A browser starts early only when the index (moov) lies before the pictures (mdat).
static void the_index_comes_first(void **state)
{
    (void)state;
    save_plain_movie("a.mp4", 64, 64, 24.0, 10);
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *content;
    size_t size;
    assert_int_equal(bw_file_read(&allocator, "a.mp4", 1 << 24, &content, &size, NULL), BW_OK);
    char *index = memmem(content, size, "moov", 4), *data = memmem(content, size, "mdat", 4);
    assert_true(index != NULL && data != NULL && index < data);
    bw_free(&allocator, content, size + 1, BW_ALIGN);
}

#endif

#if !defined(BW_HAVE_PNG) && !defined(BW_HAVE_LIBAV)

static void missing_libraries_are_named(void **state)
{
    (void)state;
    BwImage image = make_image(4, 4);
    BwMovie *movie;
    BwError err;
    fill_with_noise(&image);
    assert_int_equal(bw_image_save_png(&image, "a.png", &err), BW_ERR_BACKEND);
    assert_non_null(strstr(err.message, "libpng-dev"));
    assert_int_equal(bw_movie_begin(&movie, "a.mp4", 64, 64, 24.0, &err), BW_ERR_BACKEND);
    assert_non_null(strstr(err.message, "libavformat-dev"));
    assert_null(movie);
    bw_movie_abandon(movie);
    assert_int_equal(files_in_folder(), 0);
    free(image.pixels);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef BW_HAVE_PNG
        cmocka_unit_test_teardown(a_png_reads_back_as_the_same_pixels, empty_folder),
        cmocka_unit_test_teardown(a_png_has_its_title, empty_folder),
#endif
#ifdef BW_HAVE_LIBAV
        cmocka_unit_test_teardown(a_movie_reads_back_as_it_was_made, empty_folder),
        cmocka_unit_test_teardown(a_movie_has_its_title, empty_folder),
        cmocka_unit_test_teardown(odd_sizes_and_television_rates_work, empty_folder),
        cmocka_unit_test_teardown(the_index_comes_first, empty_folder),
#endif
#if defined(BW_HAVE_PNG) && defined(BW_HAVE_LIBAV)
        cmocka_unit_test_teardown(a_missing_folder_is_named, empty_folder),
        cmocka_unit_test_teardown(bad_sizes_and_rates_are_refused, empty_folder),
        cmocka_unit_test_teardown(an_unfinished_movie_leaves_no_file, empty_folder),
        cmocka_unit_test_teardown(a_full_disk_is_told, empty_folder),
#endif
#if !defined(BW_HAVE_PNG) && !defined(BW_HAVE_LIBAV)
        cmocka_unit_test_teardown(missing_libraries_are_named, empty_folder),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
