// A box of Stam's fluid: its Def, its memory in one block, its walls, and which number type takes the step.
// Invariant: everything is laid out by one function, run once to measure and once to place, so that the size
// asked for is the size used.
#include "solvers/stable_box.h"

#include "base/memory.h"
#include "base/need.h"
#include <math.h>
#include <string.h>

enum { STABLE_COOKIE = 0x5ab1eb0c, CELLS_MAX = 1 << 30, SIZE_LIMIT = 16384 };

// Numbers in a cache line.
enum { CACHE_LINE = 16 };

BwStableBoxDef bw_stable_box_def_default(void)
{
    return (BwStableBoxDef){.cookie = STABLE_COOKIE,
                            .worker_count = 1,
                            .size = {0, 0, 1},
                            .sweeps = 20,
                            .tolerance = 1e-4f,
                            .iterations_max = 200,
                            .conserve_mass = true};
}

static BwResult check_size(const BwStableBoxDef *def, BwError *err)
{
    int64_t cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        int least = axis < 2 ? 2 : 1;
        if (def->size[axis] < least || def->size[axis] > SIZE_LIMIT)
            return bw_fail(err, BW_ERR_DEF, "size[%d] is %d cells; it must be %d to %d", axis,
                           def->size[axis], least, SIZE_LIMIT);
        cells *= def->size[axis];
    }
    if (cells > CELLS_MAX)
        return bw_fail(err, BW_ERR_DEF, "size is %d x %d x %d cells; together they must be at most 2^30",
                       def->size[0], def->size[1], def->size[2]);
    return BW_OK;
}

static BwResult check_number(const char *name, float value, float low, float high, BwError *err)
{
    if (value >= low && value <= high)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "%s is %g; it must be %g to %g", name, (double)value, (double)low,
                   (double)high);
}

// What both number types can hold.
static BwResult check_inflow(const BwStablePatch *patch, BwError *err)
{
    for (int d = 0; d < 3; d++)
        BW_TRY(check_number("a patch's velocity", patch->velocity[d], -8000.0f, 8000.0f, err));
    return check_number("a patch's density", patch->density, -8000.0f, 8000.0f, err);
}

static BwResult check_patch(const BwStableBoxDef *def, int n, BwError *err)
{
    const BwStablePatch *patch = &def->patches[n];
    int side_count = def->size[2] > 1 ? 6 : 4;
    if (patch->side < 0 || patch->side >= side_count)
        return bw_fail(err, BW_ERR_DEF, "patches[%d].side is %d; it must be 0 to %d", n, patch->side,
                       side_count - 1);
    int axis = patch->side / 2, across[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    if (def->periodic[axis])
        return bw_fail(err, BW_ERR_DEF, "patches[%d] is on side %d, whose axis is periodic", n, patch->side);
    for (int d = 0; d < 2; d++)
        if (patch->low[d] < 0 || patch->high[d] > def->size[across[d]] || patch->low[d] >= patch->high[d])
            return bw_fail(err, BW_ERR_DEF,
                           "patches[%d] goes from %d to %d along axis %d; it must lie in 0 to %d", n,
                           patch->low[d], patch->high[d], across[d], def->size[across[d]]);
    return check_inflow(patch, err);
}

static BwResult check_choices(const BwStableBoxDef *def, BwError *err)
{
    if (def->worker_count < 1 || def->worker_count > BW_WORKERS_MAX)
        return bw_fail(err, BW_ERR_DEF, "worker_count is %d; it must be 1 to %d", def->worker_count,
                       BW_WORKERS_MAX);
    if (def->sweeps < 1 || def->sweeps > 10000)
        return bw_fail(err, BW_ERR_DEF, "sweeps is %d; it must be 1 to 10000", def->sweeps);
    if (def->iterations_max < 1)
        return bw_fail(err, BW_ERR_DEF, "iterations_max is %d; it must be at least 1", def->iterations_max);
    if (def->number == BW_NUMBER_FIXED && def->solver != BW_STABLE_RELAXATION)
        return bw_fail(err, BW_ERR_DEF,
                       "number is fixed and solver is not relaxation; fixed point only relaxes");
    if (def->patch_count < 0 || def->patch_count > BW_STABLE_PATCHES_MAX)
        return bw_fail(err, BW_ERR_DEF, "patch_count is %d; it must be 0 to %d", def->patch_count,
                       BW_STABLE_PATCHES_MAX);
    for (int n = 0; n < def->patch_count; n++)
        BW_TRY(check_patch(def, n, err));
    return BW_OK;
}

static BwResult check_def(const BwStableBoxDef *def, BwError *err)
{
    BW_TRY(bw_need(def, "the BwStableBoxDef", err));
    if (def->cookie != STABLE_COOKIE)
        return bw_fail(err, BW_ERR_DEF, "the box's Def was not made by bw_stable_box_def_default");
    BW_TRY(check_size(def, err));
    BW_TRY(check_number("cell", def->cell, 0.0f, 1e6f, err));
    BW_TRY(check_number("viscosity", def->viscosity, 0.0f, 1e6f, err));
    BW_TRY(check_number("diffusion", def->diffusion, 0.0f, 1e6f, err));
    BW_TRY(check_number("confinement", def->confinement, 0.0f, 1e4f, err));
    BW_TRY(check_number("tolerance", def->tolerance, 0.0f, 1.0f, err));
    return check_choices(def, err);
}

// What a number of sweeps can make use of: with this bound they leave a thirtieth of every error that they
// reach, and as many plain Gauss-Seidel sweeps leave more of the rest.
static float useful_rho(int sweeps)
{
    return 1.0f / coshf(4.0f / (float)sweeps);
}

static int64_t to_fixed(double value, int bits)
{
    double scaled = ldexp(value, bits), limit = 9.0e18;
    return (int64_t)(scaled < limit ? scaled + 0.5 : limit);
}

BwResult bw_stable_try_inflow(BwStable *box, int patch, const float velocity[3], float density, BwError *err)
{
    BwStablePatch given = box->def.patches[patch];
    memcpy(given.velocity, velocity, sizeof given.velocity);
    given.density = density;
    BW_TRY(check_inflow(&given, err));
    box->def.patches[patch] = given;
    for (int d = 0; d < 3; d++)
        box->patches[patch].velocity[d] = (int32_t)lrintf(velocity[d] * 65536.0f);
    box->patches[patch].density = (int32_t)lrintf(density * 65536.0f);
    return BW_OK;
}

void bw_stable_set_inflow(BwStable *box, int patch, const float velocity[3], float density)
{
    if (box != NULL && velocity != NULL && patch >= 0 && patch < box->def.patch_count)
        bw_stable_try_inflow(box, patch, velocity, density, NULL);
}

static void set_fixed_rates(BwStable *box)
{
    double inv_cell = box->inv_cell, inv_area = inv_cell * inv_cell;
    box->rates =
        (FixedRates){to_fixed(box->def.viscosity * inv_area, 24), to_fixed(box->def.diffusion * inv_area, 24),
                     to_fixed(fmin(inv_cell, 1e8), 16), to_fixed(box->def.confinement, 16)};
    box->fixed_rho2 = (int32_t)to_fixed(box->chebyshev_rho * box->chebyshev_rho, 30);
    for (int n = 0; n < box->def.patch_count; n++)
        bw_stable_set_inflow(box, n, box->def.patches[n].velocity, box->def.patches[n].density);
}

void bw_stable_set_numbers(BwStable *box, float viscosity, float diffusion, float confinement)
{
    BwStableBoxDef *def = &box->def;
    if (def->viscosity == viscosity && def->diffusion == diffusion && def->confinement == confinement)
        return;
    def->viscosity = viscosity;
    def->diffusion = diffusion;
    def->confinement = confinement;
    box->has_confinement = confinement > 0.0f;
    set_fixed_rates(box);
}

static void set_sides(BwStable *box)
{
    bool is_all_wall = box->def.patch_count == 0, is_any_periodic = false;
    for (int side = 0; side < 2 * box->dimension; side++) {
        bool is_periodic = box->def.periodic[side / 2];
        is_any_periodic |= is_periodic;
        is_all_wall &= is_periodic || box->def.side[side] == BW_STABLE_WALL;
        box->has_open_side |= !is_periodic && box->def.side[side] == BW_STABLE_OPEN;
    }
    for (int n = 0; n < box->def.patch_count; n++)
        box->has_open_side |= box->def.patches[n].kind == BW_STABLE_OPEN;
    box->is_sealed = is_all_wall;
    box->is_plain = is_all_wall && !is_any_periodic && box->dimension == 2;
}

// Rows are padded to whole cache lines; a row of a whole number of pages would have all its neighbours
// compete for the same places in the cache, so it gets one line more.
static void set_geometry(BwStable *box, const BwStableBoxDef *def)
{
    box->def = *def;
    memcpy(box->size, def->size, sizeof box->size);
    box->dimension = def->size[2] > 1 ? 3 : 2;
    ptrdiff_t row = (def->size[0] + 2 + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    row += row % 256 == 0 ? CACHE_LINE : 0;
    box->stride[0] = 1;
    box->stride[1] = row;
    box->stride[2] = row * (def->size[1] + 2);
    size_t planes = (size_t)def->size[2] + (box->dimension == 3 ? 2 : 0);
    box->origin = (size_t)(CACHE_LINE + row + (box->dimension == 3 ? box->stride[2] : 0));
    box->element_count = CACHE_LINE + planes * (size_t)box->stride[2];
    box->inv_cell = def->cell > 0.0f ? 1.0f / def->cell : (float)def->size[0];
    box->fluid_cell_count = (int64_t)def->size[0] * def->size[1] * def->size[2];
    box->has_confinement = def->confinement > 0.0f;
    box->chebyshev_rho = useful_rho(def->sweeps);
    set_sides(box);
}

// Hands out one block, piece by piece; without a block it only counts.
typedef struct Layout {
    char *block;
    size_t used;
} Layout;

static void *place(Layout *layout, size_t size)
{
    void *piece = layout->block != NULL ? layout->block + layout->used : NULL;
    layout->used += (size + BW_ALIGN - 1) / BW_ALIGN * BW_ALIGN;
    return piece;
}

static void *place_array(Layout *layout, const BwStable *box, size_t element_size)
{
    char *piece = place(layout, box->element_count * element_size);
    return piece != NULL ? piece + box->origin * element_size : NULL;
}

// Tables and scratch of the fast solver. Every worker has scratch of its own.
static void place_transforms(Layout *layout, BwStable *box)
{
    int longest = 0;
    for (int axis = 0; axis < box->dimension; axis++) {
        int n = box->size[axis];
        longest = n > longest ? n : longest;
        box->eigenvalues[axis] = place(layout, (size_t)n * sizeof(float));
        for (int twice = 0; twice < 2; twice++) {
            int length = n << twice;
            float *memory = place(layout, bw_waves_size(length) * sizeof(float));
            if (memory != NULL)
                bw_waves_make(&box->waves[axis][twice], length, memory);
        }
    }
    box->line_memory_size = (size_t)longest * LINE_LANES + bw_line_work_size(2 * longest);
    size_t size = (size_t)box->def.worker_count * box->line_memory_size;
    box->line_memory = place(layout, size * sizeof(float));
}

static void place_all(Layout *layout, BwStable *box)
{
    bool is_iterative = box->def.solver != BW_STABLE_RELAXATION;
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f == BW_STABLE_W && box->dimension == 2)
            continue;
        box->field[f] = place_array(layout, box, sizeof(float));
        box->source[f] = place_array(layout, box, sizeof(float));
    }
    for (int n = 0; n < (is_iterative ? 4 : 1); n++)
        box->spare[n] = place_array(layout, box, sizeof(float));
    box->sides = place_array(layout, box, 1);
    box->clearance = place_array(layout, box, 1);
    box->solids = place_array(layout, box, 1);
    box->faces = place_array(layout, box, 1);
    box->edge = place(layout, box_edge_count(box) * sizeof(float));
    box->row_sums = place(layout, (size_t)box_row_count(box) * 3 * sizeof(double));
    if (box->def.solver == BW_STABLE_FAST)
        place_transforms(layout, box);
}

size_t bw_stable_memory_size(const BwStableBoxDef *def)
{
    if (check_def(def, NULL) != BW_OK)
        return 0;
    BwStable box = {0};
    set_geometry(&box, def);
    Layout layout = {NULL, 0};
    place(&layout, sizeof(BwStable));
    place_all(&layout, &box);
    return layout.used;
}

static BwResult take_block(const BwStableBoxDef *def, size_t size, void **block, BwError *err)
{
    if (def->memory == NULL) {
        BwAllocator allocator = bw_allocator_or_default(def->allocator);
        *block = bw_alloc(&allocator, size, BW_ALIGN);
        return *block != NULL ? BW_OK : bw_fail_memory(err);
    }
    if (def->memory_size < size)
        return bw_fail(err, BW_ERR_DEF, "memory_size is %zu bytes; this box needs %zu", def->memory_size,
                       size);
    if ((uintptr_t)def->memory % BW_ALIGN != 0)
        return bw_fail(err, BW_ERR_DEF, "memory is not aligned to %d bytes", BW_ALIGN);
    *block = def->memory;
    return BW_OK;
}

static BwResult make_pool(BwStable *box, BwError *err)
{
    if (box->def.worker_count == 1)
        return BW_OK;
    BwPoolDef def = {box->def.allocator, box->def.scheduler, box->def.worker_count};
    box->owns_pool = true;
    return bw_pool_create(&box->pool, &def, err);
}

static BwResult make_box(BwStable **out, const BwStableBoxDef *def, BwError *err)
{
    BwStableSteps steps;
    BW_TRY(check_def(def, err));
    BW_TRY(bw_stable_steps_choose(&steps, err));
    size_t size = bw_stable_memory_size(def);
    void *block = NULL;
    BW_TRY(take_block(def, size, &block, err));
    memset(block, 0, size);
    Layout layout = {block, 0};
    BwStable *box = place(&layout, sizeof *box);
    box->block = block;
    box->block_size = size;
    box->steps = steps;
    set_geometry(box, def);
    set_fixed_rates(box);
    place_all(&layout, box);
    *out = box;
    return BW_OK;
}

BwResult bw_stable_create(BwStable **out, const BwStableBoxDef *def, BwError *err)
{
    BW_TRY(bw_need(out, "the place for the box", err));
    *out = NULL;
    BwStable *box;
    BW_TRY(make_box(&box, def, err));
    BwResult result = make_pool(box, err);
    if (result != BW_OK)
        bw_stable_destroy(box);
    else
        *out = box;
    return result;
}

BwResult bw_stable_create_on(BwStable **out, const BwStableBoxDef *def, BwPool *pool, BwError *err)
{
    *out = NULL;
    BwStableBoxDef shared = *def;
    shared.worker_count = bw_pool_worker_count(pool);
    BW_TRY(make_box(out, &shared, err));
    (*out)->pool = pool;
    return BW_OK;
}

void bw_stable_destroy(BwStable *box)
{
    if (box == NULL)
        return;
    if (box->owns_pool)
        bw_pool_destroy(box->pool);
    if (box->def.memory != NULL)
        return;
    BwAllocator allocator = bw_allocator_or_default(box->def.allocator);
    bw_free(&allocator, box->block, box->block_size, BW_ALIGN);
}

static BwStableView view_of(BwStable *box, void *array)
{
    bool is_float = box->def.number == BW_NUMBER_FLOAT;
    return (BwStableView){is_float ? array : NULL, is_float ? NULL : array, box->stride[1], box->stride[2]};
}

static bool has_field(const BwStable *box, BwStableField field)
{
    return box != NULL && (unsigned)field < BW_STABLE_FIELDS;
}

BwStableView bw_stable_field(BwStable *box, BwStableField field)
{
    return has_field(box, field) ? view_of(box, box->field[field]) : (BwStableView){0};
}

BwStableView bw_stable_source(BwStable *box, BwStableField field)
{
    return has_field(box, field) ? view_of(box, box->source[field]) : (BwStableView){0};
}

BwStableReport bw_stable_report(const BwStable *box)
{
    return box != NULL ? box->report : (BwStableReport){0};
}

static double value_at(const BwStable *box, int f, ptrdiff_t c)
{
    const void *array = box->field[f];
    return box->def.number == BW_NUMBER_FLOAT ? (double)((const float *)array)[c]
                                              : ((const int32_t *)array)[c] / 65536.0;
}

// Half the difference of the neighbours along an axis; behind a closed side the component is its own
// negative.
static double central_slope(const BwStable *box, int axis, ptrdiff_t c)
{
    double end[2];
    for (int high = 0; high < 2; high++) {
        ptrdiff_t step = high ? box->stride[axis] : -box->stride[axis];
        bool is_closed = box->has_solids && box->sides[c] >> (2 * axis + high) & 1;
        end[high] = is_closed ? -value_at(box, axis, c) : value_at(box, axis, c + step);
    }
    return 0.5 * (end[1] - end[0]);
}

double bw_stable_divergence_max(const BwStable *box)
{
    double worst = 0.0;
    for (int q = 0; q < box_row_count(box); q++)
        for (ptrdiff_t c = box_row(box, q); c < box_row(box, q) + box->size[0]; c++) {
            double sum = 0.0;
            for (int axis = 0; axis < box->dimension; axis++)
                sum += central_slope(box, axis, c);
            worst = fmax(worst, fabs(sum));
        }
    return worst * (double)box->inv_cell;
}

void bw_stable_step(BwStable *box, float dt)
{
    if (box == NULL || !(dt > 0.0f) || isinf(dt))
        return;
    if (box->def.number == BW_NUMBER_FLOAT)
        box->steps.as_float(box, dt);
    else
        bw_stable_step_fixed(box, (int32_t)fminf(dt * 16777216.0f + 0.5f, 2147483520.0f));
}

void bw_stable_step_fixed(BwStable *box, int32_t dt)
{
    if (box != NULL && box->def.number == BW_NUMBER_FIXED && dt > 0)
        box->steps.as_fixed(box, dt);
}
