// The files that shapes name. They are read after the script has run, so the script itself never touches one,
// and each is read once however many shapes share it.
#include "scene/script.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

typedef struct Reading {
    BwScene *scene;
    const BwShape **readers; // for each file, the shape that it was read for
    int64_t reader_capacity;
} Reading;

// Whether two shapes make the same of a file.
static bool read_alike(const BwShape *a, const BwShape *b)
{
    return a->kind == b->kind && strcmp(a->file, b->file) == 0 &&
           (a->thickness > 0.0f) == (b->thickness > 0.0f) && a->threshold == b->threshold &&
           (a->kind != BW_SHAPE_WRAPPED || (a->radius == b->radius && a->factor == b->factor)) &&
           a->height * b->factor == b->height * a->factor && a->detail * b->factor == b->detail * a->factor;
}

static BwResult find_path(char *path, size_t size, const BwScene *scene, const char *file,
                          const BwPlace *place, BwError *err)
{
    if (scene->folder == NULL)
        return bw_fail_at(err, place, "file",
                          "is \"%s\"; a scene that is no file itself has no folder to look in", file);
    int length = file[0] == '/' ? snprintf(path, size, "%s", file)
                                : snprintf(path, size, "%s/%s", scene->folder, file);
    if (length < 0 || (size_t)length >= size)
        return bw_fail_at(err, place, "file", "has a path of %d characters; that is too long", length);
    return BW_OK;
}

static BwResult read_file(BwShapeFile **content, const Reading *reading, const BwShape *shape,
                          const BwPlace *place, BwError *err)
{
    char path[4096];
    BwError own;
    const BwScene *scene = reading->scene;
    BW_TRY(find_path(path, sizeof path, scene, shape->file, place, err));
    BwResult result = bw_shape_file_load_watched(content, shape, path, &scene->host, &scene->watch, &own);
    if (result == BW_ERR_MEMORY)
        return bw_fail_memory(err);
    if (result == BW_ERR_INTERRUPTED)
        return bw_fail(err, result, "%s", own.message);
    if (result != BW_OK)
        return bw_fail_at(err, place, "file", "is of no use: %s", own.message);
    const char *warning = bw_shape_file_warning(*content);
    if (warning != NULL)
        bw_log(&scene->sandbox.log, BW_LOG_WARNING, "%s:%d: %s.file %s has %s", place->file, place->line,
               place->path, shape->file, warning);
    return BW_OK;
}

static BwResult remember(Reading *reading, const BwShape *shape, BwShapeFile *content, BwError *err)
{
    BwScene *scene = reading->scene;
    BW_TRY(bw_reserve(&scene->host, (void **)&reading->readers, &reading->reader_capacity,
                      scene->file_count + 1, sizeof *reading->readers, err));
    BW_TRY(bw_reserve(&scene->host, (void **)&scene->files, &scene->file_capacity, scene->file_count + 1,
                      sizeof *scene->files, err));
    reading->readers[scene->file_count] = shape;
    scene->files[scene->file_count++] = (BwSceneFile){shape->file, content};
    return BW_OK;
}

static BwResult read_shape_file(BwWalk *walk, const BwConstructor *constructor, const void *def,
                                const BwPlace *place, BwError *err)
{
    Reading *reading = walk->context;
    BwScene *scene = reading->scene;
    if (constructor->use != BW_USE_SHAPE || bw_field_find(constructor, "file") == NULL)
        return BW_OK;
    BwShape *shape = (BwShape *)(uintptr_t)def; // of the scene's own memory
    for (int n = 0; n < scene->file_count; n++)
        if (read_alike(shape, reading->readers[n])) {
            shape->content = scene->files[n].content;
            return BW_OK;
        }
    BwShapeFile *content;
    BW_TRY(read_file(&content, reading, shape, place, err));
    BwResult result = remember(reading, shape, content, err);
    if (result != BW_OK)
        bw_shape_file_destroy(content);
    else
        shape->content = content;
    return result;
}

BwResult bw_scene_read_files(BwScene *scene, BwError *err)
{
    Reading reading = {.scene = scene};
    BwOrigins origins = {scene->name, scene->lines};
    BwWalk walk = {.visit_def = read_shape_file, .context = &reading};
    BwResult result = bw_walk_scene(&walk, &scene->def, &origins, err);
    bw_free(&scene->host, reading.readers, (size_t)reading.reader_capacity * sizeof *reading.readers,
            BW_ALIGN);
    return result;
}

void bw_scene_free_files(BwScene *scene)
{
    for (int n = 0; n < scene->file_count; n++)
        bw_shape_file_destroy((BwShapeFile *)(uintptr_t)scene->files[n].content);
    bw_free(&scene->host, scene->files, (size_t)scene->file_capacity * sizeof *scene->files, BW_ALIGN);
}
