// Grey PNG files through libpng. Greys are heights, not light: no gamma touches them.
#include "solid/heights.h"

#ifdef BW_HAVE_PNG

#include <png.h>
#include <stdio.h>
#include <string.h>

// What libpng's callbacks may touch.
typedef struct PngFile {
    const BwFileBytes *bytes;
    size_t at;
    char trouble[200];
} PngFile;

static void note_trouble(png_structp png, png_const_charp message)
{
    PngFile *file = png_get_error_ptr(png);
    snprintf(file->trouble, sizeof file->trouble, "%s", message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void give_bytes(png_structp png, png_bytep to, size_t count)
{
    PngFile *file = png_get_io_ptr(png);
    if (file->bytes->size - file->at < count)
        png_error(png, "the file ends early");
    memcpy(to, file->bytes->bytes + file->at, count);
    file->at += count;
}

// False when libpng has jumped out. Afterwards the picture's size is known.
static bool read_header(png_structp png, png_infop info, PngFile *file)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_read_fn(png, file, give_bytes);
    png_set_user_limits(png, BW_HEIGHTS_SIDE_MAX, BW_HEIGHTS_SIDE_MAX);
    png_read_info(png, info);
    return true;
}

static bool read_rows(png_structp png, png_infop info, png_bytepp rows)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_expand_16(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    png_read_image(png, rows);
    return true;
}

// All rows at once, as a picture stored in several passes needs them. Two bytes a pixel, the high one first.
static BwResult read_values(BwHeights *heights, png_structp png, png_infop info, const PngFile *file,
                            BwError *err)
{
    size_t columns = (size_t)heights->columns, rows = (size_t)heights->rows;
    unsigned char *bytes = bw_alloc(&heights->allocator, 2 * columns * rows, BW_ALIGN);
    png_bytepp list = bw_alloc(&heights->allocator, rows * sizeof *list, BW_ALIGN);
    BwResult result = bytes != NULL && list != NULL ? BW_OK : bw_fail_memory(err);
    for (size_t k = 0; k < rows && result == BW_OK; k++)
        list[k] = bytes + 2 * columns * k;
    if (result == BW_OK && !read_rows(png, info, list))
        result = bw_fail(err, BW_ERR_FORMAT, "%s: %s", file->bytes->name, file->trouble);
    for (size_t n = 0; n < columns * rows && result == BW_OK; n++)
        heights->values[n] = (float)(bytes[2 * n] << 8 | bytes[2 * n + 1]) / 65535.0f;
    bw_free(&heights->allocator, bytes, 2 * columns * rows, BW_ALIGN);
    bw_free(&heights->allocator, list, rows * sizeof *list, BW_ALIGN);
    return result;
}

static BwResult read_png(BwHeights *heights, png_structp png, png_infop info, PngFile *file, BwError *err)
{
    if (!read_header(png, info, file))
        return bw_fail(err, BW_ERR_FORMAT, "%s: %s", file->bytes->name, file->trouble);
    int color = png_get_color_type(png, info);
    if (color != PNG_COLOR_TYPE_GRAY && color != PNG_COLOR_TYPE_GRAY_ALPHA)
        return bw_fail(err, BW_ERR_FORMAT, "%s is a picture in colour; it must be grey", file->bytes->name);
    BW_TRY(bw_heights_create(heights, file->bytes, png_get_image_width(png, info),
                             png_get_image_height(png, info), err));
    return read_values(heights, png, info, file, err);
}

BwResult bw_heights_read_png(BwHeights *heights, const BwFileBytes *bytes, BwError *err)
{
    PngFile file = {.bytes = bytes};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &file, note_trouble, ignore_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    BwResult result = info != NULL ? read_png(heights, png, info, &file, err) : bw_fail_memory(err);
    png_destroy_read_struct(&png, &info, NULL);
    return result;
}

#else

BwResult bw_heights_read_png(BwHeights *heights, const BwFileBytes *bytes, BwError *err)
{
    (void)heights;
    return bw_fail(err, BW_ERR_BACKEND,
                   "%s: this build reads no PNG; install libpng-dev and build again, or give a PGM",
                   bytes->name);
}

#endif
