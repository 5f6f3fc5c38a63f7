// Copying frames. Fields of more cells than a picture can use are copied at every second cell, or every
// fourth.
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

// Cells of a field that are copied at most.
static const int64_t cells_most = 6000000;

static const char *const names[CHANNEL_COUNT] = {
    "density", "temperature", "pressure", "phi", "color_r", "color_g", "color_b", "flame", "u", "v", "w"};

static BwResult out_of_memory(BwError *err)
{
    if (err != NULL)
        *err = (BwError){BW_ERR_MEMORY, "out of memory for a picture of the frame"};
    return BW_ERR_MEMORY;
}

// Grows a block to hold so many bytes; what was in it is lost.
static bool make_room(void *block, size_t *capacity, size_t bytes)
{
    void **place = block;
    if (bytes <= *capacity)
        return true;
    free(*place);
    *place = malloc(bytes + bytes / 4);
    *capacity = *place != NULL ? bytes + bytes / 4 : 0;
    return *place != NULL;
}

// The part of the grid that is copied: cells low to high, every `stride`-th of them.
typedef struct Part {
    int32_t low[3], high[3];
    int stride;
    int size[3];
} Part;

static void include_tiles(Part *part, const BwFrame *frame)
{
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const int32_t at[3] = {frame->tiles[n].x, frame->tiles[n].y, frame->tiles[n].z};
        for (int a = 0; a < 3; a++) {
            int32_t low = at[a] * BW_TILE, high = low + (a == 2 ? frame->layers : BW_TILE);
            part->low[a] = n == 0 || low < part->low[a] ? low : part->low[a];
            part->high[a] = n == 0 || high > part->high[a] ? high : part->high[a];
        }
    }
}

static void cut_to_walls(Part *part, const BwFrame *frame)
{
    if (!frame->has_walls)
        return;
    for (int a = 0; a < frame->dimension; a++) {
        float h = frame->cell_size, slack = 0.01f;
        int32_t low = (int32_t)floorf(bw_component(frame->walls.low, a) / h + slack);
        int32_t high = (int32_t)ceilf(bw_component(frame->walls.high, a) / h - slack);
        part->low[a] = part->low[a] > low ? part->low[a] : low;
        part->high[a] = part->high[a] < high ? part->high[a] : high;
    }
}

static Part part_of(const BwFrame *frame)
{
    Part part = {.stride = 1};
    include_tiles(&part, frame);
    cut_to_walls(&part, frame);
    int64_t cells = 1;
    for (int a = 0; a < 3; a++)
        cells *= part.high[a] - part.low[a];
    while (cells / ((int64_t)part.stride * part.stride * (frame->dimension == 3 ? part.stride : 1)) >
           cells_most)
        part.stride *= 2;
    for (int a = 0; a < 3; a++) {
        int stride = a < frame->dimension ? part.stride : 1;
        part.size[a] = (part.high[a] - part.low[a] + stride - 1) / stride;
    }
    return part;
}

static int64_t count_of(const Part *part)
{
    return (int64_t)part->size[0] * part->size[1] * part->size[2];
}

// One tile of a field, into its place of the dense one.
static void copy_tile(float *values, const Part *part, const BwFrame *frame, const BwFrameField *field,
                      int32_t tile)
{
    const float *cells = field->values + (size_t)tile * 64 * (size_t)frame->layers;
    const BwTileCoord *coord = &frame->tiles[tile];
    int stride = part->stride, deep = frame->dimension == 3 ? stride : 1;
    for (int k = 0; k < frame->layers; k++)
        for (int j = 0; j < BW_TILE; j++)
            for (int i = 0; i < BW_TILE; i++) {
                int32_t x = coord->x * BW_TILE + i, y = coord->y * BW_TILE + j, z = coord->z * BW_TILE + k;
                if (x < part->low[0] || x >= part->high[0] || y < part->low[1] || y >= part->high[1] ||
                    z < part->low[2] || z >= part->high[2])
                    continue;
                x -= part->low[0];
                y -= part->low[1];
                z -= part->low[2];
                if (x % stride == 0 && y % stride == 0 && z % deep == 0)
                    values[x / stride +
                           (int64_t)part->size[0] * (y / stride + (int64_t)part->size[1] * (z / deep))] =
                        cells[i + BW_TILE * (j + BW_TILE * k)];
            }
}

// Samples on low faces become those of centres, as the mean of both faces.
static void center_faces(float *values, const Part *part, int axis)
{
    int64_t step = axis == 0 ? 1 : axis == 1 ? part->size[0] : (int64_t)part->size[0] * part->size[1];
    int64_t count = count_of(part), length = part->size[axis];
    if (part->stride > 1)
        return; // half a cell is little there
    for (int64_t n = 0; n < count; n++) {
        bool is_last = n / step % length == length - 1;
        values[n] = is_last ? 0.5f * values[n] : 0.5f * (values[n] + values[n + step]);
    }
}

static bool copy_field(Snapshot *snapshot, const BwFrame *frame, const Part *part, Channel channel)
{
    const BwFrameField *field = bw_frame_field(frame, names[channel]);
    int64_t count = count_of(part);
    snapshot->has[channel] = field != NULL && count > 0;
    if (!snapshot->has[channel])
        return true;
    if (!make_room(&snapshot->values[channel], &snapshot->capacity[channel], (size_t)count * sizeof(float)))
        return false;
    for (int64_t n = 0; n < count; n++)
        snapshot->values[channel][n] = field->background;
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        copy_tile(snapshot->values[channel], part, frame, field, tile);
    if (field->location >= BW_AT_FACE_X && field->location <= BW_AT_FACE_Z)
        center_faces(snapshot->values[channel], part, (int)field->location - BW_AT_FACE_X);
    return true;
}

static bool copy_fields(Snapshot *snapshot, const BwFrame *frame, unsigned channels)
{
    Part part = part_of(frame);
    float h = frame->cell_size;
    snapshot->cell_size = h * (float)part.stride;
    snapshot->origin = bw_vec3((float)part.low[0] * h, (float)part.low[1] * h,
                               frame->dimension == 3 ? (float)part.low[2] * h : 0.0f);
    memcpy(snapshot->size, part.size, sizeof part.size);
    bool glows = (channels & CHANNEL_BIT(CHANNEL_FLAME)) != 0 && bw_frame_field(frame, "flame") != NULL;
    if (glows) // by its temperature
        channels |= CHANNEL_BIT(CHANNEL_TEMPERATURE);
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        snapshot->has[channel] = false;
        if ((channels & CHANNEL_BIT(channel)) != 0 && !copy_field(snapshot, frame, &part, (Channel)channel))
            return false;
    }
    return true;
}

static bool copy_tiles(Snapshot *snapshot, const BwFrame *frame)
{
    size_t bytes = (size_t)frame->tile_count * sizeof *snapshot->tiles;
    snapshot->tile_size = frame->cell_size * (float)BW_TILE;
    snapshot->tile_count = 0;
    if (!make_room(&snapshot->tiles, &snapshot->tile_capacity, bytes))
        return false;
    if (bytes > 0)
        memcpy(snapshot->tiles, frame->tiles, bytes);
    snapshot->tile_count = frame->tile_count;
    return true;
}

static void copy_particle(float to[4], const BwFrame *frame, const BwFrameParticles *set,
                          const BwFrameAttribute *velocity, int64_t n)
{
    double place[3];
    bw_frame_particle_place(frame, set, n, place);
    for (int a = 0; a < 3; a++)
        to[a] = (float)place[a];
    to[3] = 0.0f;
    if (velocity != NULL && velocity->values != NULL && velocity->components == 3) {
        const float *v = velocity->values + 3 * n;
        to[3] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

// All sets together, drawn as large as those of the first.
static bool copy_particles(Snapshot *snapshot, const BwFrame *frame)
{
    int64_t count = 0;
    for (int s = 0; s < frame->particle_set_count; s++)
        count += frame->particles[s].count;
    snapshot->particle_count = 0;
    if (!make_room(&snapshot->particles, &snapshot->particle_capacity, (size_t)count * 4 * sizeof(float)))
        return false;
    for (int s = 0; s < frame->particle_set_count; s++) {
        const BwFrameParticles *set = &frame->particles[s];
        const BwFrameAttribute *velocity =
            bw_frame_attribute(set->attributes, set->attribute_count, "velocity");
        snapshot->particle_radius = s == 0 ? set->radius : snapshot->particle_radius;
        for (int64_t n = 0; n < set->count; n++)
            copy_particle(&snapshot->particles[4 * snapshot->particle_count++], frame, set, velocity, n);
    }
    return true;
}

static bool copy_solids(Snapshot *snapshot, const BwFrame *frame)
{
    size_t count = (size_t)frame->solid_count;
    snapshot->solid_count = 0;
    if (!make_room(&snapshot->poses, &snapshot->pose_capacity, count * sizeof *snapshot->poses) ||
        !make_room(&snapshot->is_removed, &snapshot->removed_capacity, count * sizeof *snapshot->is_removed))
        return false;
    for (int n = 0; n < frame->solid_count; n++) {
        snapshot->poses[n] = frame->solids[n].pose;
        snapshot->is_removed[n] = frame->solids[n].shape->kind == BW_SHAPE_NONE;
    }
    snapshot->solid_count = frame->solid_count;
    return true;
}

BwResult snapshot_take(Snapshot *snapshot, Stage *stage, const BwFrame *frame, unsigned channels,
                       BwError *err)
{
    Stage *last = snapshot->stage;
    snapshot->stage = stage_share(stage);
    stage_release(last);
    snapshot->time = frame->time;
    snapshot->dimension = frame->dimension;
    bool is_whole = copy_fields(snapshot, frame, channels) && copy_tiles(snapshot, frame) &&
                    copy_particles(snapshot, frame) && copy_solids(snapshot, frame);
    return is_whole ? BW_OK : out_of_memory(err);
}

void snapshot_free(Snapshot *snapshot)
{
    for (int channel = 0; channel < CHANNEL_COUNT; channel++)
        free(snapshot->values[channel]);
    free(snapshot->tiles);
    free(snapshot->particles);
    free(snapshot->poses);
    free(snapshot->is_removed);
    stage_release(snapshot->stage);
    *snapshot = (Snapshot){0};
}
