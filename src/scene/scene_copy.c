// The copy goes by the table of the scene's words, which lists every field that holds a pointer: a Def that
// gains a field is copied as soon as a scene can name it.
#include "scene/scene_copy.h"

#include "scene/script.h"

#include <string.h>

struct BwSharedFile {
    struct BwSharedFile *next;
    BwShapeFile *content;
};

struct BwSharedScript {
    struct BwSharedScript *next;
    BwScene *scene;
};

static void *copy_block(BwSceneCopy *copy, const void *block, size_t size)
{
    void *own = size > 0 ? bw_arena_alloc(&copy->arena, size, _Alignof(max_align_t)) : NULL;
    if (own != NULL)
        memcpy(own, block, size);
    return own;
}

static BwResult own_text(BwSceneCopy *copy, const char **text, BwError *err)
{
    if (*text == NULL)
        return BW_OK;
    *text = bw_arena_copy_text(&copy->arena, *text, strlen(*text));
    return *text != NULL ? BW_OK : bw_fail_memory(err);
}

static BwResult share_script(BwSceneCopy *copy, BwScene *scene, BwError *err)
{
    for (const struct BwSharedScript *known = copy->scripts; known != NULL; known = known->next)
        if (known->scene == scene)
            return BW_OK;
    struct BwSharedScript *script = bw_arena_alloc(&copy->arena, sizeof *script, _Alignof(max_align_t));
    if (script == NULL)
        return bw_fail_memory(err);
    bw_scene_share(scene);
    *script = (struct BwSharedScript){copy->scripts, scene};
    copy->scripts = script;
    return BW_OK;
}

static BwResult own_curve(BwSceneCopy *copy, BwCurve *curve, BwError *err)
{
    if (curve->kind == BW_CURVE_KEYS || curve->kind == BW_CURVE_STEPS) {
        curve->keys = copy_block(copy, curve->keys, (size_t)curve->key_count * sizeof *curve->keys);
        return curve->keys != NULL ? BW_OK : bw_fail_memory(err);
    }
    bool is_function = curve->kind == BW_CURVE_FUNCTION || curve->kind == BW_CURVE_PLACE;
    BwScene *script = is_function ? bw_curve_script(curve) : NULL;
    return script != NULL ? share_script(copy, script, err) : BW_OK;
}

static BwResult own_place(BwSceneCopy *copy, const BwPlaceCurve *curve, BwError *err)
{
    BwScene *script = bw_place_script(curve);
    return script != NULL ? share_script(copy, script, err) : BW_OK;
}

static BwResult own_def(BwSceneCopy *copy, const BwConstructor *constructor, void *def, BwError *err);

static BwResult share_file(BwSceneCopy *copy, const BwShapeFile *content, BwError *err)
{
    struct BwSharedFile *file = bw_arena_alloc(&copy->arena, sizeof *file, _Alignof(max_align_t));
    if (file == NULL)
        return bw_fail_memory(err);
    *file = (struct BwSharedFile){copy->files, bw_shape_file_share(content)};
    copy->files = file;
    return BW_OK;
}

static BwResult own_shape(BwSceneCopy *copy, BwShape *shape, BwError *err)
{
    const BwConstructor *constructor = bw_constructor_of_shape(shape->kind);
    if (shape->content != NULL)
        BW_TRY(share_file(copy, shape->content, err));
    return constructor != NULL ? own_def(copy, constructor, shape, err) : BW_OK;
}

static BwResult own_parts(BwSceneCopy *copy, BwShape *shape, BwError *err)
{
    if (shape->part_count <= 0)
        return BW_OK;
    BwShape *parts = copy_block(copy, shape->parts, (size_t)shape->part_count * sizeof *parts);
    if (parts == NULL)
        return bw_fail_memory(err);
    shape->parts = parts;
    for (int n = 0; n < shape->part_count; n++)
        BW_TRY(own_shape(copy, &parts[n], err));
    return BW_OK;
}

static BwResult own_group(BwSceneCopy *copy, const BwConstructor *group, void **pointer, BwError *err)
{
    if (*pointer == NULL)
        return BW_OK;
    *pointer = copy_block(copy, *pointer, group->size);
    return *pointer != NULL ? own_def(copy, group, *pointer, err) : bw_fail_memory(err);
}

static BwResult own_field(BwSceneCopy *copy, const BwSceneField *field, void *def, BwError *err)
{
    void *at = (char *)def + field->offset;
    switch (field->kind) {
    case BW_FIELD_TEXT:
        return own_text(copy, at, err);
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        return own_curve(copy, at, err);
    case BW_FIELD_CHOICE_CURVE:
        return own_curve(copy, (BwCurve *)(void *)((char *)def + field->curve_offset), err);
    case BW_FIELD_PLACE:
    case BW_FIELD_VECTOR_PLACE:
        return own_place(copy, at, err);
    case BW_FIELD_SHAPE:
        return own_shape(copy, at, err);
    case BW_FIELD_PARTS:
        return own_parts(copy, def, err);
    case BW_FIELD_GROUP:
        return own_def(copy, field->group, at, err);
    case BW_FIELD_OWNED_GROUP:
        return own_group(copy, field->group, at, err);
    default:
        return BW_OK; // plain numbers came along with their Def
    }
}

static BwResult own_def(BwSceneCopy *copy, const BwConstructor *constructor, void *def, BwError *err)
{
    for (int n = 0; n < constructor->field_count; n++)
        BW_TRY(own_field(copy, &constructor->fields[n], def, err));
    return BW_OK;
}

static BwResult own_list(BwSceneCopy *copy, const BwConstructor *constructor, BwError *err)
{
    int count = bw_instance_count(&copy->def, constructor);
    void *items = NULL;
    if (count > 0) {
        items =
            copy_block(copy, bw_instance_at(&copy->def, constructor, 0), (size_t)count * constructor->size);
        if (items == NULL)
            return bw_fail_memory(err);
    }
    memcpy((char *)&copy->def + constructor->offset, &items, sizeof items);
    for (int n = 0; n < count; n++)
        BW_TRY(own_def(copy, constructor, (char *)items + (size_t)n * constructor->size, err));
    return BW_OK;
}

BwResult bw_scene_copy(BwSceneCopy *copy, const BwSceneDef *def, BwError *err)
{
    copy->def = *def;
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *constructor = &bw_constructors[n];
        if (constructor->use == BW_USE_LIST)
            BW_TRY(own_list(copy, constructor, err));
        else if (constructor->use == BW_USE_SINGLE)
            BW_TRY(own_def(copy, constructor, (char *)&copy->def + constructor->offset, err));
    }
    return BW_OK;
}

void bw_scene_copy_destroy(BwSceneCopy *copy)
{
    for (const struct BwSharedFile *file = copy->files; file != NULL; file = file->next)
        bw_shape_file_destroy(file->content);
    for (const struct BwSharedScript *script = copy->scripts; script != NULL; script = script->next)
        bw_scene_destroy(script->scene);
    bw_arena_clear(&copy->arena);
    copy->files = NULL;
    copy->scripts = NULL;
}
