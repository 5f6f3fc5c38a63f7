// Looking into frames: their parts by name, tiles by place, and one number that stands for all of it.
#include "base/checksum.h"
#include "grid/frame_check.h"

#include <math.h>
#include <string.h>

// A list that is not there holds nothing, nor do entries without a name.
static bool is_called(const char *own, const char *name)
{
    return own != NULL && strcmp(own, name) == 0;
}

const BwFrameField *bw_frame_field(const BwFrame *frame, const char *name)
{
    if (frame == NULL || frame->fields == NULL || name == NULL)
        return NULL;
    for (int n = 0; n < frame->field_count; n++)
        if (is_called(frame->fields[n].name, name))
            return &frame->fields[n];
    return NULL;
}

const BwFrameParticles *bw_frame_particles(const BwFrame *frame, const char *name)
{
    if (frame == NULL || frame->particles == NULL || name == NULL)
        return NULL;
    for (int n = 0; n < frame->particle_set_count; n++)
        if (is_called(frame->particles[n].name, name))
            return &frame->particles[n];
    return NULL;
}

const BwFrameColumns *bw_frame_columns(const BwFrame *frame, const char *name)
{
    if (frame == NULL || frame->columns == NULL || name == NULL)
        return NULL;
    for (int n = 0; n < frame->column_set_count; n++)
        if (is_called(frame->columns[n].name, name))
            return &frame->columns[n];
    return NULL;
}

const BwFrameMesh *bw_frame_mesh(const BwFrame *frame, const char *name)
{
    if (frame == NULL || frame->meshes == NULL || name == NULL)
        return NULL;
    for (int n = 0; n < frame->mesh_count; n++)
        if (is_called(frame->meshes[n].name, name))
            return &frame->meshes[n];
    return NULL;
}

const BwFrameAttribute *bw_frame_attribute(const BwFrameAttribute *attributes, int count, const char *name)
{
    for (int n = 0; attributes != NULL && name != NULL && n < count; n++)
        if (is_called(attributes[n].name, name))
            return &attributes[n];
    return NULL;
}

void bw_frame_particle_place(const BwFrame *frame, const BwFrameParticles *particles, int64_t n,
                             double place[3])
{
    place[0] = place[1] = place[2] = (double)NAN;
    if (frame == NULL || particles == NULL || n < 0 || n >= particles->count || particles->tile == NULL ||
        particles->tiles == NULL || particles->positions == NULL)
        return;
    if (particles->tile[n] < 0 || particles->tile[n] >= particles->tile_count)
        return;
    BwTileCoord tile = particles->tiles[particles->tile[n]];
    BwVec3 offset = particles->positions[n];
    double h = (double)frame->cell_size;
    place[0] = (double)BW_TILE * tile.x * h + (double)offset.x;
    place[1] = (double)BW_TILE * tile.y * h + (double)offset.y;
    place[2] = (double)frame->layers * tile.z * h + (double)offset.z;
}

int32_t bw_frame_find_tile(const BwFrame *frame, BwTileCoord coord)
{
    if (frame == NULL || frame->tiles == NULL)
        return -1;
    return bw_tiles_find(frame->tiles, frame->tile_count, coord);
}

static uint64_t mix_head(uint64_t hash, const BwFrame *frame)
{
    hash = bw_mix(hash, (uint64_t)frame->number);
    hash = bw_mix_bytes(hash, &frame->time, sizeof frame->time);
    hash = bw_mix(hash, (uint64_t)frame->dimension);
    hash = bw_mix(hash, (uint64_t)frame->layers);
    hash = bw_mix_bytes(hash, &frame->cell_size, sizeof frame->cell_size);
    hash = bw_mix(hash, frame->has_walls);
    return frame->has_walls ? bw_mix_bytes(hash, &frame->walls, sizeof frame->walls) : hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return bw_mix_bytes(hash, text, strlen(text));
}

static uint64_t mix_field(uint64_t hash, const BwFrame *frame, const BwFrameField *field)
{
    size_t count = (size_t)frame->tile_count * 64 * (size_t)frame->layers;
    hash = mix_text(hash, field->name);
    hash = mix_text(hash, field->unit != NULL ? field->unit : "1"); // as files keep it
    hash = bw_mix(hash, (uint64_t)field->location);
    hash = bw_mix_bytes(hash, &field->background, sizeof field->background);
    return bw_mix_bytes(hash, field->values, count * sizeof *field->values);
}

static uint64_t mix_solid(uint64_t hash, const BwFrameSolid *solid)
{
    hash = bw_mix_bytes(hash, &solid->pose, sizeof solid->pose);
    hash = bw_mix_bytes(hash, solid->color, sizeof solid->color);
    hash = solid->is_glass ? bw_mix(hash, 'g') : hash;
    return solid->shape->kind == BW_SHAPE_NONE ? bw_mix(hash, 'r') : hash; // removed
}

static uint64_t mix_attributes(uint64_t hash, const BwFrameAttribute *attributes, int count, int64_t items)
{
    for (int n = 0; n < count; n++) {
        const BwFrameAttribute *attribute = &attributes[n];
        bool is_float = attribute->values != NULL;
        hash = mix_text(mix_text(hash, attribute->name), attribute->unit);
        hash = bw_mix(hash, (uint64_t)attribute->components << 1 | is_float);
        hash = bw_mix_bytes(hash, is_float ? (const void *)attribute->values : attribute->integers,
                            (size_t)items * (size_t)attribute->components * 4);
    }
    return hash;
}

static uint64_t mix_particles(uint64_t hash, const BwFrameParticles *set)
{
    size_t count = (size_t)set->count;
    hash = mix_text(bw_mix(hash, 'p'), set->name);
    hash = bw_mix_bytes(hash, &set->radius, sizeof set->radius);
    hash = bw_mix_bytes(hash, set->tiles, (size_t)set->tile_count * sizeof *set->tiles);
    hash = bw_mix_bytes(hash, set->tile, count * sizeof *set->tile);
    hash = bw_mix_bytes(hash, set->positions, count * sizeof *set->positions);
    return mix_attributes(hash, set->attributes, set->attribute_count, set->count);
}

static uint64_t mix_columns(uint64_t hash, const BwFrameColumns *set)
{
    int64_t count = (int64_t)set->count[0] * set->count[1];
    hash = mix_text(bw_mix(hash, 'c'), set->name);
    hash = bw_mix_bytes(hash, &set->cell_size, sizeof set->cell_size);
    hash = bw_mix_bytes(hash, set->low, sizeof set->low);
    hash = bw_mix_bytes(hash, set->count, sizeof set->count);
    hash = bw_mix_bytes(hash, set->heights, (size_t)count * sizeof *set->heights);
    return mix_attributes(hash, set->attributes, set->attribute_count, count);
}

static uint64_t mix_mesh(uint64_t hash, const BwFrameMesh *mesh)
{
    hash = mix_text(bw_mix(hash, 'm'), mesh->name);
    hash = bw_mix_bytes(hash, mesh->origin, sizeof mesh->origin);
    hash = bw_mix_bytes(hash, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    hash = bw_mix_bytes(hash, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    return mix_attributes(hash, mesh->attributes, mesh->attribute_count, mesh->vertex_count);
}

uint64_t bw_frame_hash(const BwFrame *frame)
{
    if (bw_frame_check(frame, NULL) != BW_OK)
        return 0;
    size_t tile_count = (size_t)frame->tile_count;
    uint64_t hash = mix_head(0, frame);
    hash = bw_mix_bytes(hash, frame->tiles, tile_count * sizeof *frame->tiles);
    // Words of layers that a 2-D tile does not have are not part of the frame.
    for (size_t tile = 0; tile < tile_count; tile++)
        hash = bw_mix_bytes(hash, frame->live[tile], (size_t)frame->layers * sizeof frame->live[tile][0]);
    for (int n = 0; n < frame->field_count; n++)
        hash = mix_field(hash, frame, &frame->fields[n]);
    for (int n = 0; n < frame->solid_count; n++)
        hash = mix_solid(hash, &frame->solids[n]);
    for (int n = 0; n < frame->particle_set_count; n++)
        hash = mix_particles(hash, &frame->particles[n]);
    for (int n = 0; n < frame->column_set_count; n++)
        hash = mix_columns(hash, &frame->columns[n]);
    for (int n = 0; n < frame->mesh_count; n++)
        hash = mix_mesh(hash, &frame->meshes[n]);
    return hash;
}
