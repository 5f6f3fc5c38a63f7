// Checks of frames that a caller may have put together: pointers, counts, and the indices that readers
// follow. Values are not looked at.
#include "grid/frame_check.h"

#include "base/need.h"

#include <math.h>

static BwResult check_head(const BwFrame *frame, BwError *err)
{
    if (frame->layers != (frame->dimension == 2 ? 1 : BW_TILE))
        return bw_fail(err, BW_ERR_DEF, "the frame is of dimension %d and has tiles of %d layers",
                       frame->dimension, frame->layers);
    if (!(frame->cell_size > 0.0f) || isinf(frame->cell_size))
        return bw_fail(err, BW_ERR_DEF, "the frame's cell_size is %g m; it must be positive",
                       (double)frame->cell_size);
    if (!isfinite(frame->time))
        return bw_fail(err, BW_ERR_DEF, "the frame's time is %g s; it must be finite", frame->time);
    return BW_OK;
}

static BwResult check_fields(const BwFrame *frame, BwError *err)
{
    BW_TRY(bw_need_list(frame->tiles, frame->tile_count, "the frame's tiles", err));
    BW_TRY(bw_need_list(frame->live, frame->tile_count, "the frame's masks of live cells", err));
    BW_TRY(bw_need_list(frame->fields, frame->field_count, "the frame's fields", err));
    BW_TRY(bw_need_list(frame->solids, frame->solid_count, "the frame's solids", err));
    for (int n = 0; n < frame->field_count; n++) {
        BW_TRY(bw_need(frame->fields[n].name, "the name of a frame's field", err));
        BW_TRY(bw_need_list(frame->fields[n].values, frame->tile_count, "a field's tiles", err));
    }
    for (int n = 0; n < frame->solid_count; n++)
        BW_TRY(bw_need(frame->solids[n].shape, "the shape of a frame's solid", err));
    return BW_OK;
}

bool bw_frame_is_name(const char *name)
{
    int length = 0;
    for (; name[length] != '\0' && length < BW_FRAME_NAME_SIZE; length++) {
        char c = name[length];
        bool is_known =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!is_known)
            return false;
    }
    return length > 0 && length < BW_FRAME_NAME_SIZE;
}

static BwResult check_name(const char *name, const char *of, BwError *err)
{
    if (name == NULL)
        return bw_fail(err, BW_ERR_DEF, "the name of %s is NULL", of);
    if (!bw_frame_is_name(name))
        return bw_fail(err, BW_ERR_DEF,
                       "the name of %s is \"%.*s\"; it must be 1 to %d letters, digits and underscores", of,
                       2 * BW_FRAME_NAME_SIZE, name, BW_FRAME_NAME_SIZE - 1);
    return BW_OK;
}

static BwResult check_attributes(const BwFrameAttribute *attributes, int count, int64_t items,
                                 const char *set, BwError *err)
{
    BW_TRY(bw_need_list(attributes, count, "attributes", err));
    for (int n = 0; n < count; n++) {
        const BwFrameAttribute *attribute = &attributes[n];
        BW_TRY(check_name(attribute->name, "an attribute", err));
        BW_TRY(bw_need(attribute->unit, "the unit of an attribute", err));
        if (attribute->components != 1 && attribute->components != 3)
            return bw_fail(err, BW_ERR_DEF, "\"%s\" of \"%s\" has %d components; it must have 1 or 3",
                           attribute->name, set, attribute->components);
        bool has_both = attribute->values != NULL && attribute->integers != NULL;
        bool has_none = attribute->values == NULL && attribute->integers == NULL;
        if (has_both || (has_none && items > 0))
            return bw_fail(err, BW_ERR_DEF, "\"%s\" of \"%s\" has %s; it must have one of the two",
                           attribute->name, set,
                           has_both ? "values and integers" : "neither values nor integers");
    }
    return BW_OK;
}

BwResult bw_particles_check(const BwFrameParticles *set, BwError *err)
{
    BW_TRY(check_name(set->name, "a set of particles", err));
    BW_TRY(bw_need_list(set->tiles, set->tile_count, "the tiles of particles", err));
    BW_TRY(bw_need_list(set->tile, set->count, "the tile of each particle", err));
    BW_TRY(bw_need_list(set->positions, set->count, "positions of particles", err));
    if (!(set->radius >= 0.0f) || isinf(set->radius))
        return bw_fail(err, BW_ERR_DEF, "the radius of \"%s\" is %g m; it must not be negative", set->name,
                       (double)set->radius);
    for (int64_t n = 0; n < set->count; n++)
        if (set->tile[n] < 0 || set->tile[n] >= set->tile_count)
            return bw_fail(err, BW_ERR_DEF, "particle %lld of \"%s\" is in tile %d of %d", (long long)n,
                           set->name, set->tile[n], set->tile_count);
    return check_attributes(set->attributes, set->attribute_count, set->count, set->name, err);
}

BwResult bw_columns_check(const BwFrameColumns *set, BwError *err)
{
    BW_TRY(check_name(set->name, "a set of columns", err));
    if (set->count[0] < 0 || set->count[1] < 0)
        return bw_fail(err, BW_ERR_DEF, "\"%s\" has %d x %d columns; it must be 0 or more", set->name,
                       set->count[0], set->count[1]);
    if (!(set->cell_size > 0.0f) || isinf(set->cell_size))
        return bw_fail(err, BW_ERR_DEF, "the cell_size of \"%s\" is %g m; it must be positive", set->name,
                       (double)set->cell_size);
    int64_t count = (int64_t)set->count[0] * set->count[1];
    BW_TRY(bw_need_list(set->heights, count, "heights of columns", err));
    return check_attributes(set->attributes, set->attribute_count, count, set->name, err);
}

BwResult bw_mesh_check(const BwFrameMesh *mesh, BwError *err)
{
    BW_TRY(check_name(mesh->name, "a mesh", err));
    BW_TRY(bw_need_list(mesh->vertices, mesh->vertex_count, "vertices of a mesh", err));
    BW_TRY(bw_need_list(mesh->triangles, mesh->triangle_count, "triangles of a mesh", err));
    for (int32_t n = 0; n < mesh->triangle_count; n++)
        for (int c = 0; c < 3; c++)
            if (mesh->triangles[n][c] < 0 || mesh->triangles[n][c] >= mesh->vertex_count)
                return bw_fail(err, BW_ERR_DEF, "triangle %d of \"%s\" has vertex %d of %d", n, mesh->name,
                               mesh->triangles[n][c], mesh->vertex_count);
    return check_attributes(mesh->attributes, mesh->attribute_count, mesh->vertex_count, mesh->name, err);
}

BwResult bw_frame_check_fields(const BwFrame *frame, BwError *err)
{
    BW_TRY(bw_need(frame, "the frame", err));
    BW_TRY(check_head(frame, err));
    return check_fields(frame, err);
}

BwResult bw_frame_check(const BwFrame *frame, BwError *err)
{
    BW_TRY(bw_frame_check_fields(frame, err));
    BW_TRY(bw_need_list(frame->particles, frame->particle_set_count, "the frame's sets of particles", err));
    BW_TRY(bw_need_list(frame->columns, frame->column_set_count, "the frame's sets of columns", err));
    BW_TRY(bw_need_list(frame->meshes, frame->mesh_count, "the frame's meshes", err));
    for (int n = 0; n < frame->particle_set_count; n++)
        BW_TRY(bw_particles_check(&frame->particles[n], err));
    for (int n = 0; n < frame->column_set_count; n++)
        BW_TRY(bw_columns_check(&frame->columns[n], err));
    for (int n = 0; n < frame->mesh_count; n++)
        BW_TRY(bw_mesh_check(&frame->meshes[n], err));
    return BW_OK;
}
