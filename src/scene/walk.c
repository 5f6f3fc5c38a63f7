// The walk over a scene.
#include "scene/walk.h"

static BwResult walk_shape(BwWalk *walk, const BwShape *shape, const BwPlace *place, BwError *err);

static BwResult walk_parts(BwWalk *walk, const BwShape *shape, const BwPlace *place, BwError *err)
{
    if (shape->part_count < 0 || (shape->part_count > 0 && shape->parts == NULL))
        return bw_fail_at(err, place, NULL, "has a list of %d parts that is not there", shape->part_count);
    for (int n = 0; n < shape->part_count; n++)
        BW_TRY(walk_shape(walk, &shape->parts[n], place, err));
    return BW_OK;
}

static BwResult walk_field(BwWalk *walk, const BwSceneField *field, const void *def, const BwPlace *place,
                           BwError *err)
{
    const void *at = (const char *)def + field->offset;
    if (field->kind == BW_FIELD_OWNED_GROUP)
        at = *(const void *const *)at;
    if (field->kind == BW_FIELD_GROUP || (field->kind == BW_FIELD_OWNED_GROUP && at != NULL)) {
        BwPlace inside = bw_place_inside(place, field->name);
        return bw_walk_def(walk, field->group, at, &inside, err);
    }
    if (field->kind == BW_FIELD_OWNED_GROUP)
        return BW_OK;
    if (walk->visit_field != NULL)
        BW_TRY(walk->visit_field(walk, field, at, place, err));
    if (field->kind == BW_FIELD_PARTS)
        return walk_parts(walk, def, place, err);
    if (field->kind == BW_FIELD_SHAPE) {
        walk->nodes = 0;
        return walk_shape(walk, at, place, err);
    }
    return BW_OK;
}

BwResult bw_walk_def(BwWalk *walk, const BwConstructor *constructor, const void *def, const BwPlace *place,
                     BwError *err)
{
    if (walk->visit_def != NULL)
        BW_TRY(walk->visit_def(walk, constructor, def, place, err));
    for (int n = 0; n < constructor->field_count; n++)
        BW_TRY(walk_field(walk, &constructor->fields[n], def, place, err));
    return BW_OK;
}

static BwResult walk_shape(BwWalk *walk, const BwShape *shape, const BwPlace *place, BwError *err)
{
    if (shape->kind == BW_SHAPE_NONE)
        return BW_OK;
    const BwConstructor *constructor = bw_constructor_of_shape(shape->kind);
    if (constructor == NULL)
        return bw_fail_at(err, place, NULL, "has a shape of unknown kind %d", (int)shape->kind);
    if (++walk->nodes > BW_SHAPE_NODES_MAX)
        return bw_fail_at(err, place, NULL, "has a shape of more than %d parts", BW_SHAPE_NODES_MAX);
    if (walk->depth >= BW_SHAPE_DEPTH_MAX)
        return bw_fail_at(err, place, NULL, "has shapes inside shapes, more than %d deep",
                          BW_SHAPE_DEPTH_MAX);
    BwPlace inside = bw_place(place->file, place->line, constructor->name);
    walk->depth++;
    BwResult result = bw_walk_def(walk, constructor, shape, &inside, err);
    walk->depth--;
    return result;
}

BwPlace bw_origin(const BwOrigins *origins, const BwConstructor *constructor, int index)
{
    if (origins == NULL || origins->file == NULL)
        return bw_place(NULL, 0, constructor->name);
    const int *lines = origins->lines[constructor - bw_constructors];
    // What the script left out is the scene's fault.
    return bw_place(origins->file, lines != NULL ? lines[index] : origins->lines[0][0], constructor->name);
}

BwResult bw_walk_scene(BwWalk *walk, const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *constructor = &bw_constructors[n];
        for (int index = 0; index < bw_instance_count(def, constructor); index++) {
            BwPlace place = bw_origin(origins, constructor, index);
            BW_TRY(bw_walk_def(walk, constructor, bw_instance_at(def, constructor, index), &place, err));
        }
    }
    return BW_OK;
}
