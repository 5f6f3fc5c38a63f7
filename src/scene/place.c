// Places in scenes, and messages that start with them.
#include "scene/place.h"

#include "base/number_text.h"

#include <stdarg.h>
#include <stdio.h>

BwPlace bw_place(const char *file, int line, const char *name)
{
    BwPlace place = {.file = file, .line = line};
    snprintf(place.path, sizeof place.path, "%s", name);
    return place;
}

BwPlace bw_place_inside(const BwPlace *place, const char *name)
{
    BwPlace inside = {.file = place->file, .line = place->line};
    int length = snprintf(inside.path, sizeof inside.path, "%s", place->path);
    if (length >= 0 && (size_t)length < sizeof inside.path)
        snprintf(inside.path + length, sizeof inside.path - (size_t)length, ".%s", name);
    return inside;
}

BwResult bw_fail_at(BwError *err, const BwPlace *place, const char *field, const char *format, ...)
{
    char text[sizeof err->message], where[300] = "";
    va_list args;
    va_start(args, format);
    bw_text_print_list(text, sizeof text, format, args);
    va_end(args);
    if (place->file != NULL)
        snprintf(where, sizeof where, "%s:%d: ", place->file, place->line);
    return bw_fail(err, place->file != NULL ? BW_ERR_SCENE : BW_ERR_DEF, "%s%s%s%s %s", where, place->path,
                   field != NULL ? "." : "", field != NULL ? field : "", text);
}
