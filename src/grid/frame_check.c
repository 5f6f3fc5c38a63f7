// Checks of frames that a caller may have put together: pointers, counts, and the indices that readers
// follow. Values are not looked at.
#include "grid/frame_check.h"

#include "base/need.h"
#include "grid/grid.h"

#include <math.h>
#include <string.h>

// Columns along an axis, and from the origin: both together are a number still.
enum { FRAMES_MAX = 1000000000, TILES_MAX = INT32_MAX / 512, COLUMNS_MAX = 1 << 30 };

static BwResult check_head(const BwFrame *frame, BwError *err)
{
    if (frame->dimension != 2 && frame->dimension != 3)
        return bw_fail(err, BW_ERR_DEF, "the frame is of dimension %d; it must be 2 or 3", frame->dimension);
    if (frame->number < 0 || frame->number >= FRAMES_MAX)
        return bw_fail(err, BW_ERR_DEF, "the frame's number is %d; it must be 0 to %d", frame->number,
                       FRAMES_MAX - 1);
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
        const BwFrameField *field = &frame->fields[n];
        BW_TRY(bw_need(field->name, "the name of a frame's field", err));
        BW_TRY(bw_need_list(field->values, frame->tile_count, "a field's tiles", err));
        if ((unsigned)field->location > BW_AT_NODE)
            return bw_fail(err, BW_ERR_DEF, "\"%s\" of the frame is at location %d", field->name,
                           (int)field->location);
    }
    for (int n = 0; n < frame->solid_count; n++)
        BW_TRY(bw_need(frame->solids[n].shape, "the shape of a frame's solid", err));
    return BW_OK;
}

bool bw_tile_is_before(BwTileCoord a, BwTileCoord b)
{
    if (a.z != b.z)
        return a.z < b.z;
    if (a.y != b.y)
        return a.y < b.y;
    return a.x < b.x;
}

int32_t bw_tiles_first_from(const BwTileCoord *tiles, int32_t count, BwTileCoord tile)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (bw_tile_is_before(tiles[middle], tile))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t bw_tiles_find(const BwTileCoord *tiles, int32_t count, BwTileCoord tile)
{
    int32_t n = bw_tiles_first_from(tiles, count, tile);
    return n < count && !bw_tile_is_before(tile, tiles[n]) ? n : -1;
}

BwResult bw_tiles_check(const BwTileCoord *tiles, int64_t count, BwError *err)
{
    if (count > TILES_MAX)
        return bw_fail(err, BW_ERR_DEF, "the frame has %lld tiles; it may have %d", (long long)count,
                       TILES_MAX);
    for (int64_t n = 1; n < count; n++)
        if (!bw_tile_is_before(tiles[n - 1], tiles[n]))
            return bw_fail(err, BW_ERR_DEF, "tile %lld of the frame is out of place", (long long)n);
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

bool bw_frame_is_unit(const char *unit)
{
    size_t length = 0;
    for (; length < BW_UNIT_SIZE && unit[length] != '\0'; length++)
        if (unit[length] < ' ' || unit[length] > '~')
            return false;
    return length < BW_UNIT_SIZE;
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
        if (bw_frame_attribute(attributes, n, attribute->name) != NULL)
            return bw_fail(err, BW_ERR_DEF, "there are two of \"%s\" of \"%s\"", attribute->name, set);
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

static BwResult check_places(const BwFrameParticles *set, BwError *err)
{
    for (int32_t n = 0; n < set->tile_count; n++) {
        const int32_t at[3] = {set->tiles[n].x, set->tiles[n].y, set->tiles[n].z};
        for (int a = 0; a < 3; a++)
            if (at[a] < -BW_TILE_COORD_MAX || at[a] > BW_TILE_COORD_MAX)
                return bw_fail(err, BW_ERR_DEF, "tile %d of \"%s\", at %d %d %d, is out of place", n,
                               set->name, at[0], at[1], at[2]);
    }
    for (int64_t n = 0; n < set->count; n++)
        if (set->tile[n] < 0 || set->tile[n] >= set->tile_count)
            return bw_fail(err, BW_ERR_DEF, "particle %lld of \"%s\" is in tile %d of %d", (long long)n,
                           set->name, set->tile[n], set->tile_count);
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
    BW_TRY(check_places(set, err));
    return check_attributes(set->attributes, set->attribute_count, set->count, set->name, err);
}

BwResult bw_columns_check(const BwFrameColumns *set, BwError *err)
{
    BW_TRY(check_name(set->name, "a set of columns", err));
    if (set->count[0] < 0 || set->count[1] < 0)
        return bw_fail(err, BW_ERR_DEF, "\"%s\" has %d x %d columns; it must be 0 or more", set->name,
                       set->count[0], set->count[1]);
    for (int a = 0; a < 2; a++)
        if (set->low[a] < -COLUMNS_MAX || set->low[a] > COLUMNS_MAX || set->count[a] > COLUMNS_MAX)
            return bw_fail(err, BW_ERR_DEF, "\"%s\", %d columns from %d on, is out of place", set->name,
                           set->count[a], set->low[a]);
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
    BW_TRY(bw_tiles_check(frame->tiles, frame->tile_count, err));
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
