// Pictures as PNG files, through libpng. A file appears whole or not at all.
#include "base/file.h"
#include "base/need.h"
#include "render/title.h"
#include <billow/render.h>

#ifdef BW_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

// The dither of our pictures repeats itself, which the compressor sees in bytes that no filter has changed:
// pictures of smoke get a tenth smaller than with libpng's own choice, in a fifth of its time.
enum { COMPRESSION = 5 };

// Where libpng leaves its message before it jumps back.
typedef struct PngTrouble {
    char message[256];
} PngTrouble;

static void note_trouble(png_structp png, png_const_charp message)
{
    PngTrouble *trouble = png_get_error_ptr(png);
    snprintf(trouble->message, sizeof trouble->message, "%s", message);
    png_longjmp(png, 1);
}

// In place of libpng's own, whose message is "Write Error", whatever the reason.
static void write_bytes(png_structp png, png_bytep bytes, size_t size)
{
    FILE *stream = png_get_io_ptr(png);
    errno = 0;
    if (fwrite(bytes, 1, size, stream) != size)
        png_error(png, strerror(errno != 0 ? errno : EIO));
}

// The commit flushes the file.
static void flush_nothing(png_structp png)
{
    (void)png;
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

// As plain text where it is that, for every reader knows it; else as the kind that says it is UTF-8.
static void add_title(png_structp png, png_infop info, char *title)
{
    bool is_plain = true;
    for (const char *c = title; *c != '\0'; c++)
        is_plain &= (unsigned char)*c < 0x80;
    char key[] = "Title", none[] = "";
    png_text text = {.compression = is_plain ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE,
                     .key = key,
                     .text = title,
                     .lang = none,
                     .lang_key = none};
    if (title[0] != '\0')
        png_set_text(png, info, &text, 1);
}

// Everything between setjmp and its return; owns nothing, so that a jump out of libpng loses nothing.
static bool encode(png_structp png, png_infop info, const BwImage *image, char *title, FILE *stream)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_write_fn(png, stream, write_bytes, flush_nothing);
    png_set_IHDR(png, info, (png_uint_32)image->width_px, (png_uint_32)image->height_px, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    add_title(png, info, title);
    png_write_info(png, info);
    for (int row = 0; row < image->height_px; row++)
        png_write_row(png, image->pixels + (size_t)row * 3 * (size_t)image->width_px);
    png_write_end(png, info);
    return true;
}

static BwResult write_png(const BwImage *image, const char *title, BwFileWriter *writer, BwError *err)
{
    char shown[BW_TITLE_SIZE];
    bw_title_write(shown, title);
    PngTrouble trouble = {""};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &trouble, note_trouble, ignore_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    BwResult result = BW_OK;
    if (info == NULL)
        result = bw_fail_memory(err);
    else if (!encode(png, info, image, shown, writer->stream))
        result = bw_fail(err, BW_ERR_FILE, "could not write %s: %s", writer->path, trouble.message);
    png_destroy_write_struct(&png, &info);
    return result;
}

BwResult bw_image_save_titled_png(const BwImage *image, const char *title, const char *path, BwError *err)
{
    BW_TRY(bw_need(path, "the path of the picture", err));
    BW_TRY(bw_need(image, "the image", err));
    if (image->width_px < 1 || image->height_px < 1)
        return bw_fail(err, BW_ERR_DEF, "%s: the image is %d x %d pixels; it must be at least 1 x 1", path,
                       image->width_px, image->height_px);
    BW_TRY(bw_need(image->pixels, "the list of the image's pixels", err));
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, &allocator, path, err));
    BwResult result = write_png(image, title, &writer, err);
    if (result == BW_OK)
        return bw_file_commit(&writer, err);
    bw_file_abandon(&writer);
    return result;
}

BwResult bw_image_load_png(BwImage *image, const char *path, BwError *err)
{
    png_image file = {.version = PNG_IMAGE_VERSION};
    BW_TRY(bw_need(path, "the path of the picture", err));
    BW_TRY(bw_need(image, "the image", err));
    BW_TRY(bw_need(image->pixels, "the list of the image's pixels", err));
    if (!png_image_begin_read_from_file(&file, path))
        return bw_fail(err, BW_ERR_FILE, "could not read %s: %s", path, file.message);
    if (file.width != (png_uint_32)image->width_px || file.height != (png_uint_32)image->height_px) {
        png_image_free(&file);
        return bw_fail(err, BW_ERR_FORMAT, "%s is %u x %u pixels; it must be %d x %d", path, file.width,
                       file.height, image->width_px, image->height_px);
    }
    file.format = PNG_FORMAT_RGB;
    if (png_image_finish_read(&file, NULL, image->pixels, 0, NULL))
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "could not read %s: %s", path, file.message);
}

#else

static BwResult fail_missing(const char *verb, const char *path, BwError *err)
{
    return bw_fail(err, BW_ERR_BACKEND,
                   "could not %s %s: this build has no libpng; install libpng-dev and build again", verb,
                   path);
}

BwResult bw_image_load_png(BwImage *image, const char *path, BwError *err)
{
    (void)image;
    return fail_missing("read", path, err);
}

BwResult bw_image_save_titled_png(const BwImage *image, const char *title, const char *path, BwError *err)
{
    (void)image, (void)title;
    return fail_missing("write", path, err);
}

#endif

BwResult bw_image_save_png(const BwImage *image, const char *path, BwError *err)
{
    return bw_image_save_titled_png(image, NULL, path, err);
}
