// From the cells of a frame to lamps: tiles first, then cubes of 2, 4, 8 ... tiles until there are few
// enough.
#include "render/fire_light.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = 512, RAYS = 96, RAYS_MIN = 6, RAYS_MAX = 32 }; // of all lamps together; of one lamp

#define GOLDEN_ANGLE 2.39996323f

// What a cube of tiles sends out, and the sum of places weighted by it.
typedef struct Glow {
    int32_t place[3];
    double light[3], weight, sum[3];
} Glow;

typedef struct Sources {
    const BwFrameField *density, *flame, *temperature;
    const BwFrameField *phi; // m, of a liquid that glows; NULL: a fire
    const BwGlowTable *table;
    float absorption;
} Sources;

static float value_of(const BwFrameField *field, size_t at)
{
    return field != NULL && field->values[at] > 0.0f && isfinite(field->values[at]) ? field->values[at]
                                                                                    : 0.0f;
}

// Soot, or liquid within two cells of its surface: what is deeper is hidden by it.
static float matter_at(const Sources *sources, size_t n, double h)
{
    if (sources->phi == NULL)
        return value_of(sources->density, n) + BW_FLAME_OPACITY * value_of(sources->flame, n);
    double phi = (double)sources->phi->values[n];
    return phi < 0.0 && phi > -2.0 * h ? 1.0f : 0.0f;
}

// Light that gets out of a tile of optical depth tau is (1 - exp(-tau)) / tau of what is sent.
static Glow glow_of_tile(const Sources *sources, const BwFrame *frame, int32_t tile)
{
    BwTileCoord at = frame->tiles[tile];
    Glow glow = {.place = {at.x, at.y, at.z}};
    double h = (double)frame->cell_size, soot = 0.0;
    for (int cell = 0; cell < TILE_CELLS; cell++) {
        size_t n = (size_t)tile * TILE_CELLS + (size_t)cell;
        float light[3], matter = matter_at(sources, n, h);
        soot += (double)matter;
        if (!(matter > 0.0f))
            continue;
        bw_glow_at(sources->table, sources->temperature->values[n], light);
        double bright = (double)(matter * (light[0] + light[1] + light[2]));
        const int place[3] = {8 * at.x + (cell & 7), 8 * at.y + (cell >> 3 & 7), 8 * at.z + (cell >> 6)};
        for (int c = 0; c < 3; c++) {
            glow.light[c] += (double)(matter * light[c]);
            glow.sum[c] += bright * ((double)place[c] + 0.5) * h;
        }
        glow.weight += bright;
    }
    double depth = (double)sources->absorption * soot / TILE_CELLS * 8.0 * h;
    double scale =
        (double)sources->absorption * h * h * h * (depth > 1e-6 ? -expm1(-depth) / depth : 1.0) / M_PI;
    for (int c = 0; c < 3; c++)
        glow.light[c] *= scale;
    return glow;
}

static void add_glow(Glow *to, const Glow *from)
{
    for (int c = 0; c < 3; c++) {
        to->light[c] += from->light[c];
        to->sum[c] += from->sum[c];
    }
    to->weight += from->weight;
}

// Adds a tile's glow to the cube it is in, of 2^level tiles; false when there is no room for another.
static bool add_to_cubes(Glow cubes[BW_FIRE_LAMPS_MAX], int *count, const Glow *tile, int level)
{
    int n = 0;
    for (; n < *count; n++)
        if (cubes[n].place[0] >> level == tile->place[0] >> level &&
            cubes[n].place[1] >> level == tile->place[1] >> level &&
            cubes[n].place[2] >> level == tile->place[2] >> level)
            break;
    if (n == BW_FIRE_LAMPS_MAX)
        return false;
    if (n == *count)
        cubes[(*count)++] = (Glow){.place = {tile->place[0], tile->place[1], tile->place[2]}};
    add_glow(&cubes[n], tile);
    return true;
}

static bool gather_level(const Sources *sources, const BwFrame *frame, int level,
                         Glow cubes[BW_FIRE_LAMPS_MAX], int *count)
{
    *count = 0;
    for (int32_t tile = 0; tile < frame->tile_count; tile++) {
        Glow glow = glow_of_tile(sources, frame, tile);
        if (glow.weight > 0.0 && !add_to_cubes(cubes, count, &glow, level))
            return false;
    }
    return true;
}

static void gather(BwFireLight *fire, const BwFrame *frame, const Sources *sources)
{
    Glow cubes[BW_FIRE_LAMPS_MAX];
    int count = 0, level = 0;
    fire->count = 0;
    while (!gather_level(sources, frame, level, cubes, &count))
        level++;
    for (int n = 0; n < count; n++) {
        BwFireLamp *lamp = &fire->lamps[fire->count++];
        lamp->size = 0.5f * (float)(BW_TILE << level) * frame->cell_size;
        for (int c = 0; c < 3; c++) {
            lamp->place[c] = cubes[n].sum[c] / cubes[n].weight;
            lamp->intensity[c] = (float)cubes[n].light[c];
        }
    }
}

// An angle for a place, as if by chance, and the same whenever it is asked for.
static float chance_angle(const double place[3])
{
    uint32_t hash = 2166136261u;
    for (int a = 0; a < 3; a++) {
        float at = (float)place[a];
        uint32_t bits;
        memcpy(&bits, &at, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return 6.2831853f * (float)(hash >> 8) * 0x1p-24f;
}

void bw_fire_light_gather(BwFireLight *fire, const BwFrame *frame, const BwGlowTable *table, float absorption)
{
    Sources sources = {.density = bw_frame_field(frame, "density"),
                       .flame = bw_frame_field(frame, "flame"),
                       .temperature = bw_frame_field(frame, "temperature"),
                       .table = table,
                       .absorption = absorption};
    fire->count = 0;
    if (sources.flame != NULL && sources.temperature != NULL && frame->dimension == 3)
        gather(fire, frame, &sources);
}

// Two cells of a sheet send out what a black one does to both of its sides.
void bw_liquid_light_gather(BwFireLight *fire, const BwFrame *frame, const BwGlowTable *table)
{
    Sources sources = {.temperature = bw_frame_field(frame, "temperature"),
                       .phi = bw_frame_field(frame, "phi"),
                       .table = table,
                       .absorption = 0.5f / frame->cell_size};
    fire->count = 0;
    if (sources.phi != NULL && sources.temperature != NULL && frame->dimension == 3)
        gather(fire, frame, &sources);
}

// The share of a lamp that is seen, by rays to places on its disc: a spiral by the golden angle, turned from
// lamp to lamp and from place to place, so that the steps which so few rays leave neither add up nor make
// rims.
static float seen_of_lamp(const BwSolids *solids, const double start[3], BwVec3 way, float distance,
                          float size, float turn, int count)
{
    BwVec3 direction = bw_mul(way, 1.0f / distance);
    if (solids->count == 0 || !bw_solids_may_hit(solids, start, direction, size / distance))
        return 1.0f;
    BwVec3 across = fabsf(direction.y) < 0.7f ? bw_vec3(0.0f, 1.0f, 0.0f) : bw_vec3(1.0f, 0.0f, 0.0f);
    BwVec3 u = bw_normalize(bw_cross(direction, across)), v = bw_cross(direction, u);
    int seen = 0;
    for (int n = 0; n < count; n++) {
        float radius = size * sqrtf(((float)n + 0.5f) / (float)count), angle = turn + GOLDEN_ANGLE * (float)n;
        BwVec3 to = bw_add(way, bw_add(bw_mul(u, radius * cosf(angle)), bw_mul(v, radius * sinf(angle))));
        float length = bw_length(to), reach = fmaxf(length - size, 0.0f);
        seen += bw_solids_trace(solids, start, bw_mul(to, 1.0f / length), &reach) < 0;
    }
    return (float)seen / (float)count;
}

// A lamp as large as this is no point: near it light does not grow without end.
void bw_fire_light_at(const BwFireLight *fire, const BwSolids *solids, const double place[3], BwVec3 normal,
                      float light[3])
{
    int rays = fire->count > 0 ? RAYS / fire->count : 0;
    rays = rays < RAYS_MIN ? RAYS_MIN : rays > RAYS_MAX ? RAYS_MAX : rays;
    float turn = chance_angle(place);
    light[0] = light[1] = light[2] = 0.0f;
    for (int n = 0; n < fire->count; n++) {
        const BwFireLamp *lamp = &fire->lamps[n];
        BwVec3 way = bw_vec3((float)(lamp->place[0] - place[0]), (float)(lamp->place[1] - place[1]),
                             (float)(lamp->place[2] - place[2]));
        float square = bw_dot(way, way) + 1e-12f, distance = sqrtf(square);
        BwVec3 direction = bw_mul(way, 1.0f / distance);
        float share = fmaxf(bw_dot(normal, direction), 0.0f) / (square + lamp->size * lamp->size);
        if (!(share > 0.0f))
            continue;
        double start[3];
        float touch = 2.0f * bw_solids_touch(solids);
        start[0] = place[0] + (double)(touch * normal.x);
        start[1] = place[1] + (double)(touch * normal.y);
        start[2] = place[2] + (double)(touch * normal.z);
        share *= seen_of_lamp(solids, start, way, distance, lamp->size,
                              turn + GOLDEN_ANGLE * (float)(rays * n), rays);
        for (int c = 0; c < 3; c++)
            light[c] += share * lamp->intensity[c];
    }
}
