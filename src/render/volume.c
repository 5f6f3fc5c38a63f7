// From a frame to bricks: clean the cells, find which bricks hold smoke, fill them side by side. Everything
// is done in the order of the frame's tiles, so bricks are numbered the same way on any number of threads.
#include "render/volume.h"

#include "base/extremes.h"
#include "render/fire_light.h"
#include "render/refine.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

// Less extinction per spacing than this is no smoke: a whole brick of it hides a ten-thousandth of what is
// behind.
#define EXTINCTION_MIN 1.5e-5f

#define SMOKE_MIN  1e-4f // less of anything is none, in the count of tiles
#define FRONT_SOOT 1e-3f // density that a flame's front counts as, so that it is looked at

// A flame's front is told by the share of fuel, which falls from 1 to 0 over so many cells, and drawn as a
// sheet so many lattice spacings thick to each side: a delta function of that width sums to 1 wherever it is.
#define SHARE_CELLS    5.0f
#define SHEET_SPACINGS 1.5f

int32_t bw_volume_brick(const BwVolume *volume, int32_t x, int32_t y, int32_t z)
{
    const BwRegion *region = bw_brick_map_region(&volume->map, x >> 3, y >> 3, z >> 3);
    return region != NULL ? region->bricks[bw_brick_slot((int32_t[3]){x, y, z})] : -1;
}

static BwResult make_brick(BwVolume *volume, const int32_t place[3], BwError *err)
{
    int32_t *index;
    BW_TRY(bw_brick_map_make(&volume->map, &volume->allocator, place, &index, err));
    if (*index >= 0)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->bricks, &volume->brick_capacity,
                      volume->brick_count + 1, sizeof *volume->bricks, err));
    *index = (int32_t)volume->brick_count++;
    memcpy(volume->bricks[*index].place, place, sizeof(int32_t[3]));
    return BW_OK;
}

static void find_bounds(BwVolume *volume)
{
    bw_brick_map_unbound(&volume->map);
    for (int64_t n = 0; n < volume->brick_count; n++)
        bw_brick_map_include(&volume->map, volume->bricks[n].place);
}

// A job over tiles or bricks.
typedef struct Build {
    BwVolume *volume;
    float *cells; // the frame's density, cleaned, tile after tile
    float *heats; // its temperature, the same
    const BwFrame *frame;
    const BwFrameField *density, *solid;
    float scale;                             // density to extinction per spacing
    const BwFrameField *color[3];            // NULL: it has none
    const BwFrameField *flame, *temperature; // NULL: nothing glows
    const BwFrameField *front;               // 1/m, of a thin flame, where it glows; NULL: there is none
    const BwFrameField *fuel;                // 1, with the front; NULL: its place is not told
} Build;

static bool is_live(const BwFrame *frame, int32_t tile, int cell)
{
    return frame->live[tile][cell >> 6] >> (cell & 63) & 1;
}

// Fills the cube from the tiles it meets; zero where there is none.
static void gather(BwCube *cube, const BwFrame *frame, const float *values)
{
    bw_cube_fill(cube, 0.0f);
    int32_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = cube->low[a] >> 3;
        high[a] = (cube->low[a] + cube->side - 1) >> 3;
    }
    BwTileCoord at;
    for (at.z = low[2]; at.z <= high[2]; at.z++)
        for (at.y = low[1]; at.y <= high[1]; at.y++)
            for (at.x = low[0]; at.x <= high[0]; at.x++) {
                int32_t tile = bw_frame_find_tile(frame, at);
                if (tile >= 0)
                    bw_cube_copy(cube, values + (size_t)tile * TILE_CELLS,
                                 (int32_t[3]){BW_TILE * at.x, BW_TILE * at.y, BW_TILE * at.z});
            }
}

static bool holds_solid(const Build *build, int32_t tile)
{
    if (build->solid == NULL)
        return false;
    const float *solid = build->solid->values + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        if (solid[cell] > 0.5f)
            return true;
    return false;
}

// The mean value of the fluid cells round a solid one, so that smoke and fire reach the surface of a solid
// instead of fading out half a cell before it. What is inside is hidden anyway.
static float mean_of_fluid_neighbours(const BwCube *values, const BwCube *solid, int i, int j, int k)
{
    float sum = 0.0f;
    int count = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                int n = ((k + dk) * values->side + (j + dj)) * values->side + (i + di);
                if (solid->values[n] <= 0.5f) {
                    sum += fmaxf(values->values[n], 0.0f);
                    count++;
                }
            }
    return count > 0 ? sum / (float)count : 0.0f;
}

static BwCube cube_around(BwTileCoord at)
{
    return (BwCube){.low = {BW_TILE * at.x - 1, BW_TILE * at.y - 1, BW_TILE * at.z - 1}, .side = BW_TILE + 2};
}

// Smoke, and soot that glows, around a tile.
static void gather_matter(const Build *build, BwCube *cube)
{
    gather(cube, build->frame, build->density->values);
    if (build->flame == NULL)
        return;
    BwCube flame = *cube;
    gather(&flame, build->frame, build->flame->values);
    for (int n = 0; n < cube->side * cube->side * cube->side; n++)
        cube->values[n] = fmaxf(cube->values[n], 0.0f) + BW_FLAME_OPACITY * fmaxf(flame.values[n], 0.0f);
}

static void fill_solid_cells(const Build *build, int32_t tile, const BwCube *around, float *cells)
{
    BwCube solid = cube_around(build->frame->tiles[tile]);
    gather(&solid, build->frame, build->solid->values);
    for (int cell = 0; cell < TILE_CELLS; cell++) {
        int i = (cell & 7) + 1, j = (cell >> 3 & 7) + 1, k = (cell >> 6) + 1;
        if (solid.values[(k * solid.side + j) * solid.side + i] > 0.5f)
            cells[cell] = mean_of_fluid_neighbours(around, &solid, i, j, k);
    }
}

// Glowing soot stops light as smoke does.
static void add_flame(const Build *build, int32_t tile, float *cells)
{
    const float *flame = build->flame->values + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        if (flame[cell] > 0.0f && isfinite(flame[cell]) && is_live(build->frame, tile, cell))
            cells[cell] += BW_FLAME_OPACITY * flame[cell];
}

// A front is next to nothing, but it is seen.
static void add_front(const Build *build, int32_t tile, float *cells)
{
    const float *front = build->front->values + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        if (front[cell] > 0.0f && isfinite(front[cell]) && is_live(build->frame, tile, cell))
            cells[cell] += FRONT_SOOT;
}

// Temperatures, never negative nor NaN.
static void clean_heat(const Build *build, int32_t tile, float *heats)
{
    const float *heat = build->temperature->values + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        heats[cell] = heat[cell] > 0.0f && isfinite(heat[cell]) ? heat[cell] : 0.0f;
    if (!holds_solid(build, tile))
        return;
    BwCube around = cube_around(build->frame->tiles[tile]);
    gather(&around, build->frame, build->temperature->values);
    fill_solid_cells(build, tile, &around, heats);
}

// Density of live cells, never negative nor NaN.
static void clean_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    for (int32_t tile = (int32_t)begin; tile < end; tile++) {
        const float *density = build->density->values + (size_t)tile * TILE_CELLS;
        float *cells = build->cells + (size_t)tile * TILE_CELLS;
        for (int cell = 0; cell < TILE_CELLS; cell++) {
            bool is_smoke =
                density[cell] > 0.0f && isfinite(density[cell]) && is_live(build->frame, tile, cell);
            cells[cell] = is_smoke ? density[cell] : 0.0f;
        }
        if (build->flame != NULL)
            add_flame(build, tile, cells);
        if (build->front != NULL)
            add_front(build, tile, cells);
        if (holds_solid(build, tile)) {
            BwCube around = cube_around(build->frame->tiles[tile]);
            gather_matter(build, &around);
            fill_solid_cells(build, tile, &around, cells);
        }
        if (build->flame != NULL)
            clean_heat(build, tile, build->heats + (size_t)tile * TILE_CELLS);
    }
}

// How much the cubic blurs: cells that are drawn larger need it more.
static float blur_for(const BwVolume *volume, int refine)
{
    return refine == 4 || volume->hides_cells ? 1.0f : 1.0f / 3.0f;
}

// The cube of cells that a brick's points are interpolated from.
static BwCube cube_of(const BwVolume *volume, const BwBrick *brick)
{
    int32_t low[3];
    for (int a = 0; a < 3; a++)
        low[a] = BW_BRICK / volume->refine * (brick->place[a] + volume->anchor[a]);
    BwCube cube = bw_cube_to_refine(low, volume->refine);
    if (volume->smoothed_as > 1) {
        cube.side = BW_CUBE_SIDE_MAX;
        for (int a = 0; a < 3; a++)
            cube.low[a] = low[a] - 1;
    }
    return cube;
}

static void interpolate(const BwVolume *volume, const BwCube *cube, float *points)
{
    if (volume->smoothed_as > 1)
        bw_cube_smooth(cube, blur_for(volume, volume->smoothed_as), points);
    else
        bw_cube_refine(cube, volume->refine, blur_for(volume, volume->refine), points);
}

// Smoke that has a colour, of the smoke around a brick: what was put into solids for looks has none.
static void gather_colored(const Build *build, BwCube *cube)
{
    BwCube smoke = *cube;
    gather(cube, build->frame, build->density->values);
    gather(&smoke, build->frame, build->cells);
    for (int n = 0; n < cube->side * cube->side * cube->side; n++)
        cube->values[n] = cube->values[n] > 0.0f ? smoke.values[n] : 0.0f;
}

// Colour times density is what can be interpolated; where there is nothing to divide by, the mean will do.
static void tint_points(const Build *build, const BwCube *colored, const float *density, int c, float *tint)
{
    BwCube cube = *colored;
    float all = 0.0f, sum = 0.0f;
    gather(&cube, build->frame, build->color[c]->values);
    for (int n = 0; n < cube.side * cube.side * cube.side; n++) {
        float share = isfinite(cube.values[n]) ? fminf(fmaxf(cube.values[n], 0.0f), 1.0f) : 1.0f;
        cube.values[n] = share * colored->values[n];
        all += colored->values[n];
        sum += cube.values[n];
    }
    interpolate(build->volume, &cube, tint);
    float mean = all > 0.0f ? sum / all : 1.0f, least = 1e-4f * all / (float)BW_BRICK_POINTS;
    for (int point = 0; point < BW_BRICK_POINTS; point++)
        tint[point] = density[point] > least ? fminf(fmaxf(tint[point] / density[point], 0.0f), 1.0f) : mean;
}

static void tint_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    for (int64_t n = begin; n < end; n++) {
        float density[BW_BRICK_POINTS];
        BwCube colored = cube_of(build->volume, &build->volume->bricks[n]);
        gather_colored(build, &colored);
        interpolate(build->volume, &colored, density);
        for (int c = 0; c < 3; c++)
            tint_points(build, &colored, density, c, build->volume->tints[n].tint[c]);
    }
}

static BwResult build_tints(Build *build, BwPool *pool, BwError *err)
{
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    BwVolume *volume = build->volume;
    volume->has_tint = true;
    for (int c = 0; c < 3; c++) {
        build->color[c] = bw_frame_field(build->frame, names[c]);
        volume->has_tint &= build->color[c] != NULL;
    }
    if (!volume->has_tint)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->tints, &volume->tint_capacity,
                      volume->brick_count, sizeof *volume->tints, err));
    bw_parallel_for(pool, volume->brick_count, 16, tint_bricks, build);
    return BW_OK;
}

// Area per volume, 1/m, of a sheet at a distance in cells: the smooth delta function of Osher and Fedkiw 2003
// over `width` cells to each side.
static float sheet_at(float cells, float width, float h)
{
    return fabsf(cells) < width ? 0.5f / (width * h) * (1.0f + cosf(3.14159265f * cells / width)) : 0.0f;
}

// The area of a front per volume at a brick's points. Where the share of fuel tells how far it is, it is
// drawn thinner than cells are; what frames hold of the area is three of them wide, and tells where it is
// alight.
static void find_front(const Build *build, BwBrick *brick, float front[BW_BRICK_POINTS])
{
    const BwVolume *volume = build->volume;
    float share[BW_BRICK_POINTS], h = build->frame->cell_size;
    float width = SHEET_SPACINGS / (float)volume->refine;
    BwCube cube = cube_of(volume, brick);
    gather(&cube, build->frame, build->front->values);
    interpolate(volume, &cube, front);
    if (build->fuel == NULL || volume->refine == 1)
        return;
    gather(&cube, build->frame, build->fuel->values);
    interpolate(volume, &cube, share);
    for (int point = 0; point < BW_BRICK_POINTS; point++) {
        float there = fminf(fmaxf(4.0f * h * front[point], 0.0f), 1.0f);
        front[point] = there * sheet_at(SHARE_CELLS * (0.5f - share[point]), width, h);
        brick->has_sheet |= front[point] > 0.0f;
    }
}

// What absorbs light sends as much of it as a black body does (Kirchhoff): extinction times Planck's law.
// Soot and temperature are interpolated, and what they glow with is found at each point: light that is
// interpolated between cells shows them, for it changes tenfold from one to the next. A thin flame's front
// sends out its own light by its area.
static void glow_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    float spacing = build->volume->spacing; // area per volume to that per spacing
    for (int64_t n = begin; n < end; n++) {
        BwBrick *brick = &build->volume->bricks[n];
        float heat[BW_BRICK_POINTS], front[BW_BRICK_POINTS] = {0.0f};
        BwCube cube = cube_of(build->volume, brick);
        gather(&cube, build->frame, build->heats);
        interpolate(build->volume, &cube, heat);
        if (build->front != NULL)
            find_front(build, brick, front);
        for (int point = 0; point < BW_BRICK_POINTS; point++) {
            float light[3], blue = spacing * fmaxf(front[point], 0.0f);
            bw_glow_at(build->volume->table, heat[point], light);
            for (int c = 0; c < 3; c++)
                build->volume->glows[n].light[c][point] =
                    brick->extinction[point] * light[c] + blue * build->volume->table->core[c];
        }
    }
}

static BwResult build_glow(Build *build, BwPool *pool, BwError *err)
{
    BwVolume *volume = build->volume;
    volume->has_glow = build->flame != NULL;
    if (!volume->has_glow)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->glows, &volume->glow_capacity,
                      volume->brick_count, sizeof *volume->glows, err));
    bw_parallel_for(pool, volume->brick_count, 16, glow_bricks, build);
    return BW_OK;
}

static void fill_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    BwVolume *volume = build->volume;
    for (int64_t n = begin; n < end; n++) {
        BwBrick *brick = &volume->bricks[n];
        BwCube cube = cube_of(volume, brick);
        gather(&cube, build->frame, build->cells);
        interpolate(volume, &cube, brick->extinction);
        float most = 0.0f;
        for (int point = 0; point < BW_BRICK_POINTS; point++) {
            brick->extinction[point] = bw_larger(brick->extinction[point] * build->scale, 0.0f);
            most = bw_larger(most, brick->extinction[point]);
        }
        brick->most = most;
        brick->has_sheet = false;
    }
}

// Takes bricks that turned out to hold nothing out of the list and out of their regions.
static void drop_empty_bricks(BwVolume *volume)
{
    int64_t kept = 0;
    for (int64_t n = 0; n < volume->brick_count; n++) {
        const int32_t *place = volume->bricks[n].place;
        bool is_kept = volume->bricks[n].most >= EXTINCTION_MIN;
        *bw_brick_map_at(&volume->map, place) = is_kept ? (int32_t)kept : -1;
        if (is_kept && kept < n)
            volume->bricks[kept] = volume->bricks[n];
        kept += is_kept;
    }
    volume->brick_count = kept;
    find_bounds(volume);
}

static bool has_smoke(const Build *build, int32_t tile)
{
    const float *cells = build->cells + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        if (cells[cell] * build->scale >= EXTINCTION_MIN)
            return true;
    return false;
}

int32_t bw_volume_count_tiles(const BwFrame *frame)
{
    const char *const names[] = {"density", "flame", "front"};
    int32_t count = 0;
    for (int32_t tile = 0; tile < frame->tile_count; tile++) {
        bool is_there = false;
        for (int n = 0; n < 3 && !is_there; n++) {
            const BwFrameField *field = bw_frame_field(frame, names[n]);
            for (int cell = 0; cell < TILE_CELLS && field != NULL && !is_there; cell++)
                is_there = field->values[(size_t)tile * TILE_CELLS + (size_t)cell] > SMOKE_MIN;
        }
        count += is_there;
    }
    return count;
}

// The bricks that hold points of a tile, and those one lower that hold them as their last points. A coarse
// volume has bricks on the other side as well: whoever interpolates between its points reaches there.
static BwResult make_bricks_of(BwVolume *volume, BwTileCoord tile, BwError *err)
{
    const int32_t at[3] = {tile.x, tile.y, tile.z};
    int32_t low[3], high[3], place[3];
    for (int a = 0; a < 3; a++) {
        low[a] = volume->refine * at[a] - volume->anchor[a] - 1;
        high[a] = low[a] + volume->refine + (volume->smoothed_as > 1);
    }
    for (place[2] = low[2]; place[2] <= high[2]; place[2]++)
        for (place[1] = low[1]; place[1] <= high[1]; place[1]++)
            for (place[0] = low[0]; place[0] <= high[0]; place[0]++)
                BW_TRY(make_brick(volume, place, err));
    return BW_OK;
}

static void set_anchor(BwVolume *volume, const BwFrame *frame)
{
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const int32_t at[3] = {frame->tiles[n].x, frame->tiles[n].y, frame->tiles[n].z};
        for (int a = 0; a < 3; a++)
            low[a] = at[a] < low[a] ? at[a] : low[a];
    }
    for (int a = 0; a < 3; a++) {
        volume->anchor[a] = volume->refine * low[a];
        volume->origin[a] = ((double)BW_BRICK * volume->anchor[a] + 0.5) * (double)volume->spacing;
    }
}

static void clear(BwVolume *volume, const BwFrame *frame, int refine, int smoothed_as)
{
    volume->brick_count = 0;
    bw_brick_map_clear(&volume->map);
    volume->has_tint = volume->has_glow = false;
    volume->refine = refine;
    volume->smoothed_as = smoothed_as;
    volume->spacing = frame->cell_size / (float)refine;
}

// Bricks where there is smoke, and the smoke in them. `build` has all but the scale.
static BwResult build_bricks(Build *build, BwPool *pool, float absorption, BwError *err)
{
    BwVolume *volume = build->volume;
    const BwFrame *frame = build->frame;
    build->scale = absorption * volume->spacing;
    set_anchor(volume, frame);
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        if (has_smoke(build, tile))
            BW_TRY(make_bricks_of(volume, frame->tiles[tile], err));
    bw_parallel_for(pool, volume->brick_count, 16, fill_bricks, build);
    return BW_OK;
}

BwResult bw_volume_build(BwVolume *volume, BwPool *pool, const BwFrame *frame, float absorption, int refine,
                         BwError *err)
{
    BW_ASSERT(frame->layers == BW_TILE && (refine == 1 || refine == 2 || refine == 4));
    clear(volume, frame, refine, 1);
    const BwFrameField *density = bw_frame_field(frame, "density");
    if (density == NULL || frame->tile_count == 0)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->cells, &volume->cell_capacity,
                      (int64_t)frame->tile_count * TILE_CELLS, sizeof *volume->cells, err));
    Build build = {.volume = volume,
                   .cells = volume->cells,
                   .frame = frame,
                   .density = density,
                   .solid = bw_frame_field(frame, "solid")};
    build.temperature = bw_frame_field(frame, "temperature");
    build.front = volume->table != NULL ? bw_frame_field(frame, "front") : NULL;
    build.fuel = build.front != NULL ? bw_frame_field(frame, "fuel") : NULL;
    build.flame = volume->table != NULL && build.temperature != NULL ? bw_frame_field(frame, "flame") : NULL;
    if (build.flame != NULL)
        BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->heats, &volume->heat_capacity,
                          (int64_t)frame->tile_count * TILE_CELLS, sizeof *volume->heats, err));
    build.heats = volume->heats;
    bw_parallel_for(pool, frame->tile_count, 16, clean_tiles, &build);
    BW_TRY(build_bricks(&build, pool, absorption, err));
    drop_empty_bricks(volume);
    BW_TRY(build_tints(&build, pool, err));
    BW_TRY(build_glow(&build, pool, err));
    return bw_reserve(&volume->allocator, (void **)&volume->lit, &volume->lit_capacity, volume->brick_count,
                      sizeof *volume->lit, err);
}

BwResult bw_volume_coarsen(BwVolume *coarse, BwPool *pool, const BwVolume *fine, const BwFrame *frame,
                           float absorption, BwError *err)
{
    clear(coarse, frame, 1, fine->refine);
    coarse->hides_cells = fine->hides_cells;
    if (fine->brick_count == 0)
        return BW_OK;
    Build build = {.volume = coarse, .cells = fine->cells, .frame = frame};
    BW_TRY(build_bricks(&build, pool, absorption, err));
    find_bounds(coarse);
    return BW_OK;
}

void bw_volume_free(BwVolume *volume)
{
    const BwAllocator *allocator = &volume->allocator;
    bw_free(allocator, volume->bricks, (size_t)volume->brick_capacity * sizeof *volume->bricks, BW_ALIGN);
    bw_free(allocator, volume->lit, (size_t)volume->lit_capacity * sizeof *volume->lit, BW_ALIGN);
    bw_free(allocator, volume->tints, (size_t)volume->tint_capacity * sizeof *volume->tints, BW_ALIGN);
    bw_free(allocator, volume->glows, (size_t)volume->glow_capacity * sizeof *volume->glows, BW_ALIGN);
    bw_brick_map_free(&volume->map, allocator);
    bw_free(allocator, volume->cells, (size_t)volume->cell_capacity * sizeof *volume->cells, BW_ALIGN);
    bw_free(allocator, volume->heats, (size_t)volume->heat_capacity * sizeof *volume->heats, BW_ALIGN);
    *volume = (BwVolume){.allocator = *allocator};
}
