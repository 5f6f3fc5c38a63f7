// Reading pixels and writing files.
#include "capture.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double movie_fps = 60.0;

void capture_name(char *path, size_t size, const char *ending)
{
    for (int n = 1; n < 10000; n++) {
        snprintf(path, size, "billow_%03d.%s", n, ending);
        if (access(path, F_OK) != 0)
            return;
    }
}

static bool make_room(Capture *capture, size_t pixels)
{
    if (pixels <= capture->capacity)
        return true;
    free(capture->pixels);
    free(capture->rows);
    capture->pixels = malloc(4 * pixels);
    capture->rows = malloc(3 * pixels);
    bool is_there = capture->pixels != NULL && capture->rows != NULL;
    capture->capacity = is_there ? pixels : 0;
    return is_there;
}

// From RGBA, the lowest row first, to RGB from the top.
static bool read_pixels(Capture *capture, int width, int height)
{
    size_t w = (size_t)width, h = (size_t)height;
    if (!make_room(capture, w * h))
        return false;
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, capture->pixels);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            memcpy(&capture->rows[3 * (x + w * (h - 1 - y))], &capture->pixels[4 * (x + w * y)], 3);
    return true;
}

BwResult capture_toggle_movie(Capture *capture, int width, int height, BwError *err)
{
    if (capture->movie != NULL)
        return capture_end(capture, err);
    capture_name(capture->movie_path, sizeof capture->movie_path, "mp4");
    capture->width = width;
    capture->height = height;
    return bw_movie_begin(&capture->movie, capture->movie_path, width, height, movie_fps, err);
}

// A movie keeps its size: one whose window was resized ends.
static BwResult add_to_movie(Capture *capture, const BwImage *image, BwError *err)
{
    if (image->width_px != capture->width || image->height_px != capture->height)
        return capture_end(capture, err);
    return bw_movie_add(capture->movie, image, err);
}

BwResult capture_take(Capture *capture, int width, int height, bool is_new, BwError *err)
{
    bool wants_movie = capture->movie != NULL && is_new;
    BwResult result = BW_OK;
    if (capture->png[0] == '\0' && !wants_movie)
        return BW_OK;
    if (!read_pixels(capture, width, height)) {
        *err = (BwError){BW_ERR_MEMORY, "out of memory for a picture of the window"};
        return BW_ERR_MEMORY;
    }
    BwImage image = {width, height, capture->rows};
    if (wants_movie)
        result = add_to_movie(capture, &image, err);
    if (result == BW_OK && capture->png[0] != '\0') {
        result = bw_image_save_png(&image, capture->png, err);
        snprintf(capture->told, sizeof capture->told, "wrote %s", capture->png);
    }
    capture->png[0] = '\0';
    return result;
}

BwResult capture_end(Capture *capture, BwError *err)
{
    BwResult result = BW_OK;
    if (capture->movie != NULL) {
        result = bw_movie_finish(capture->movie, err);
        snprintf(capture->told, sizeof capture->told, "wrote %s", capture->movie_path);
    }
    capture->movie = NULL;
    return result;
}
