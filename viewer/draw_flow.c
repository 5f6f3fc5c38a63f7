// Arrows, streaks, cells.
#include "draw_flow.h"

// Along an axis, in 2-D and in 3-D; points of a streak, and how far one goes in spacings.
enum { ARROWS_FLAT = 40, ARROWS_DEEP = 14, STREAK_POINTS = 14, TILES_MOST = 20000 };
static const float streak_spacings = 9.0f;

static float sample_channel(const Snapshot *s, Channel channel, const int cell[3], const float part[3])
{
    const float *values = s->values[channel];
    float sum = 0.0f;
    if (!s->has[channel])
        return 0.0f;
    for (int corner = 0; corner < (s->dimension == 3 ? 8 : 4); corner++) {
        int64_t place = 0, step = 1;
        float weight = 1.0f;
        for (int a = 0; a < s->dimension; a++) {
            int high = corner >> a & 1, at = cell[a] + high;
            at = at < 0 ? 0 : at >= s->size[a] ? s->size[a] - 1 : at;
            weight *= high ? part[a] : 1.0f - part[a];
            place += step * at;
            step *= s->size[a];
        }
        sum += weight * values[place];
    }
    return sum;
}

static BwVec3 velocity_at(const Snapshot *s, BwVec3 point)
{
    BwVec3 from = bw_mul(bw_sub(point, s->origin), 1.0f / s->cell_size);
    const float at[3] = {from.x - 0.5f, from.y - 0.5f, from.z - 0.5f};
    int cell[3];
    float part[3];
    for (int a = 0; a < 3; a++) {
        cell[a] = (int)floorf(at[a]);
        part[a] = at[a] - (float)cell[a];
    }
    return bw_vec3(sample_channel(s, CHANNEL_U, cell, part), sample_channel(s, CHANNEL_V, cell, part),
                   s->dimension == 3 ? sample_channel(s, CHANNEL_W, cell, part) : 0.0f);
}

typedef struct Lattice {
    int count[3];
    float spacing; // m
    BwVec3 first;
} Lattice;

static Lattice lattice_of(const Snapshot *s)
{
    float h = s->cell_size;
    int longest = s->size[0] > s->size[1] ? s->size[0] : s->size[1];
    longest = s->dimension == 3 && s->size[2] > longest ? s->size[2] : longest;
    int most = s->dimension == 3 ? ARROWS_DEEP : ARROWS_FLAT;
    Lattice lattice = {.spacing = h * fmaxf((float)longest / (float)most, 1.0f)};
    for (int a = 0; a < 3; a++) {
        int count = (int)(h * (float)s->size[a] / lattice.spacing);
        lattice.count[a] = a < s->dimension && count > 0 ? count : 1;
    }
    lattice.first =
        bw_add(s->origin, bw_mul(bw_vec3(0.5f, 0.5f, s->dimension == 3 ? 0.5f : 0.0f), lattice.spacing));
    return lattice;
}

static BwVec3 place_of(const Lattice *lattice, int64_t n)
{
    int i = (int)(n % lattice->count[0]), j = (int)(n / lattice->count[0] % lattice->count[1]);
    int k = (int)(n / lattice->count[0] / lattice->count[1]);
    return bw_add(lattice->first, bw_mul(bw_vec3((float)i, (float)j, (float)k), lattice->spacing));
}

static int64_t count_of(const Lattice *lattice)
{
    return (int64_t)lattice->count[0] * lattice->count[1] * lattice->count[2];
}

static float fastest(const View *view)
{
    return fmaxf(view->snapshot->stats.max_speed, 1e-6f);
}

// Slow is blue, fast is yellow.
static void speed_color(float share, float alpha, float color[4])
{
    color[0] = fminf(0.25f + 1.1f * share, 1.0f);
    color[1] = fminf(0.55f + 0.4f * share, 1.0f);
    color[2] = fmaxf(1.0f - 0.8f * share, 0.0f);
    color[3] = alpha;
}

void flow_add_arrows(LineDraw *lines, const View *view)
{
    Lattice lattice = lattice_of(view->snapshot);
    float fast = fastest(view);
    BwVec3 forward = camera_forward(view->camera);
    for (int64_t n = 0; n < count_of(&lattice); n++) {
        BwVec3 from = place_of(&lattice, n), v = velocity_at(view->snapshot, from);
        float share = bw_length(v) / fast, color[4];
        if (share < 0.01f)
            continue;
        BwVec3 way = bw_mul(bw_normalize(v), lattice.spacing * (0.25f + 0.75f * sqrtf(fminf(share, 1.0f))));
        BwVec3 to = bw_add(from, way), side = bw_mul(bw_cross(forward, way), 0.18f);
        speed_color(share, 0.9f, color);
        lines_add(lines, from, to, color);
        lines_add(lines, to, bw_add(bw_sub(to, bw_mul(way, 0.35f)), side), color);
        lines_add(lines, to, bw_sub(bw_sub(to, bw_mul(way, 0.35f)), side), color);
    }
}

// A path of particles that were there a moment ago, fading at its tail.
static void add_streak(LineDraw *lines, const Snapshot *s, BwVec3 at, float seconds, float fast)
{
    float step = seconds / (float)STREAK_POINTS;
    for (int n = 0; n < STREAK_POINTS; n++) {
        BwVec3 v = velocity_at(s, at), middle = bw_add(at, bw_mul(v, 0.5f * step));
        BwVec3 next = bw_add(at, bw_mul(velocity_at(s, middle), step));
        float share = sqrtf(bw_length(v) / fast), color[4], later[4];
        speed_color(share, 0.9f * (float)n / (float)STREAK_POINTS, color);
        speed_color(share, 0.9f * (float)(n + 1) / (float)STREAK_POINTS, later);
        lines_add_faded(lines, at, next, color, later);
        at = next;
    }
}

// Steady noise in place of the lattice's order.
static float scatter(int64_t n, int axis)
{
    uint64_t bits = ((uint64_t)n * 3u + (uint64_t)axis + 1u) * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 29;
    bits *= 0xbf58476d1ce4e5b9u;
    return (float)(bits >> 40) / (float)(1 << 24) - 0.5f;
}

void flow_add_streaks(LineDraw *lines, const View *view)
{
    Lattice lattice = lattice_of(view->snapshot);
    float fast = fastest(view), seconds = streak_spacings * lattice.spacing / fast;
    bool is_deep = view->snapshot->dimension == 3;
    for (int64_t n = 0; n < count_of(&lattice); n++) {
        BwVec3 shift = bw_vec3(scatter(n, 0), scatter(n, 1), is_deep ? scatter(n, 2) : 0.0f);
        BwVec3 from = bw_add(place_of(&lattice, n), bw_mul(shift, lattice.spacing));
        if (bw_length(velocity_at(view->snapshot, from)) > 0.003f * fast)
            add_streak(lines, view->snapshot, from, seconds, fast);
    }
}

static BwBox box_of_tile(const Snapshot *s, int32_t n)
{
    float side = s->tile_size;
    const BwTileCoord *c = &s->tiles[n];
    BwBox box = {{side * (float)c->x, side * (float)c->y, side * (float)c->z},
                 {side * (float)(c->x + 1), side * (float)(c->y + 1), side * (float)(c->z + 1)}};
    if (s->dimension == 2)
        box.low.z = box.high.z = 0.0f;
    return box;
}

// Where the cells of a flat tile are wide enough on the screen.
static void add_cells_of(LineDraw *lines, BwBox box)
{
    static const float faint[4] = {0.5f, 0.6f, 0.7f, 0.13f};
    float h = (box.high.x - box.low.x) / (float)BW_TILE;
    for (int n = 1; n < BW_TILE; n++) {
        float way = h * (float)n;
        lines_add(lines, bw_vec3(box.low.x + way, box.low.y, 0.0f),
                  bw_vec3(box.low.x + way, box.high.y, 0.0f), faint);
        lines_add(lines, bw_vec3(box.low.x, box.low.y + way, 0.0f),
                  bw_vec3(box.high.x, box.low.y + way, 0.0f), faint);
    }
}

void flow_add_cells(LineDraw *lines, const View *view)
{
    static const float plain[4] = {0.45f, 0.75f, 0.55f, 0.35f};
    const Snapshot *s = view->snapshot;
    float px =
        s->tile_size / (float)BW_TILE * (float)view->camera->height_px / (2.0f * view->camera->distance);
    for (int32_t n = 0; n < s->tile_count && n < TILES_MOST; n++) {
        BwBox box = box_of_tile(s, n);
        lines_add_box(lines, box, plain);
        if (s->dimension == 2 && px > 4.0f)
            add_cells_of(lines, box);
    }
}
