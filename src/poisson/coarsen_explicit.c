// Couplings of the coarse level that fit no tile: to and from extras, and across a period that is no whole
// number of coarse tiles. They are gathered, one for each direction, in an order that does not depend on
// threads, and become the coarse level's explicit couplings. What turns out to lie between plain neighbours
// after all becomes an addition to a tile's coefficients.
#include "poisson/coarsen.h"

#include <stdlib.h>

static void add_value(BwCoarsening *job, int32_t node, int row, float value)
{
    if (node < 0 || value == 0.0f)
        return;
    int32_t e = node - (job->coarse->count + 1) * job->coarse->cells;
    if (e >= 0 && row == BW_ADD_EXTRA)
        job->coarse->extra_diagonal[e] += value;
    else if (e >= 0)
        job->coarse->extra_mass[e] += value;
    else
        job->additions[job->addition_count++] = (BwAddition){node, row, value};
}

// An explicit coupling of coarse nodes. Nodes of one colour cannot be coupled, which an odd period would ask
// for. There w (x - y)^2 <= 2 w (x^2 + y^2) goes to the two diagonals: the coarse matrix may be stiffer than
// it should, but were it softer the cycle would overshoot and not be positive.
static void add_explicit(BwCoarsening *job, int32_t node, int32_t other, float weight)
{
    if (node < 0 || other < 0 || node == other)
        return;
    if (bw_node_color(job->coarse, node) == bw_node_color(job->coarse, other))
        add_value(job, node, BW_ADD_EXTRA, 2.0f * BW_COUPLING_SCALE * weight);
    else
        job->explicit[job->explicit_count++] = (BwExplicit){node, other, BW_COUPLING_SCALE * weight};
}

// Diagonal that a fine node brings, beyond couplings.
static void add_diagonal(BwCoarsening *job, int32_t node, float extra, float mass)
{
    add_value(job, node, BW_ADD_EXTRA, BW_FIXED_SCALE * (extra - mass) + mass);
    add_value(job, node, BW_ADD_MASS, mass);
}

// What the exceptions of a tile bring: their diagonal, and explicit couplings in place of their couplings.
static void couple_exceptions(BwCoarsening *job, int32_t t, const BwTileCouplings *couplings)
{
    const BwLevel *fine = job->fine;
    for (int32_t n = fine->exception_first[t]; n < fine->exception_first[t + 1]; n++) {
        BwException exception = fine->exceptions[n];
        int cell = bw_cell_of(exception.node % fine->cells, fine->half);
        add_diagonal(job, exception.coarse, couplings->extra[cell], couplings->mass[cell]);
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            float weight = couplings->coupling[side][cell];
            if (weight == 0.0f)
                continue;
            int32_t other = bw_node_beside(fine, t, cell, side);
            int32_t coarse_other = bw_level_coarse_node(fine, job->coarse, other);
            add_explicit(job, exception.coarse, coarse_other, weight);
            if (!bw_is_exception(fine, other) && !bw_crosses_seam(job, t, cell, side))
                add_explicit(job, coarse_other, exception.coarse, weight);
        }
    }
}

static void couple_seam(BwCoarsening *job, int32_t t, const BwTileCouplings *couplings)
{
    const BwLevel *fine = job->fine;
    for (int cell = 0; cell < fine->cells; cell++)
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            int32_t node = t * fine->cells + bw_place_of(cell, fine->half);
            if (couplings->coupling[side][cell] == 0.0f || !bw_crosses_seam(job, t, cell, side) ||
                bw_is_exception(fine, node))
                continue;
            add_explicit(job, bw_level_coarse_node(fine, job->coarse, node),
                         bw_level_coarse_node(fine, job->coarse, bw_node_beside(fine, t, cell, side)),
                         couplings->coupling[side][cell]);
        }
}

// The side on which one coarse cell of a tile lies beside another, or -1.
static int side_between(const BwLevel *coarse, int32_t node, int32_t other)
{
    if (bw_is_extra(coarse, node) || bw_is_extra(coarse, other))
        return -1;
    int cell = bw_cell_of(node % coarse->cells, coarse->half);
    for (int side = 0; side < (coarse->layers == 1 ? 4 : 6); side++)
        if (bw_node_beside(coarse, node / coarse->cells, cell, side) == other)
            return side;
    return -1;
}

// A coupling of the fine level that was explicit already.
static void carry_coupling(BwCoarsening *job, int32_t node, BwCoupling coupling)
{
    int32_t from = bw_level_coarse_node(job->fine, job->coarse, node);
    int32_t to = bw_level_coarse_node(job->fine, job->coarse, coupling.other);
    if (from < 0 || to < 0 || from == to)
        return;
    int side = side_between(job->coarse, from, to);
    if (side >= 0)
        add_value(job, from, side, BW_COUPLING_SCALE * coupling.weight);
    else
        add_explicit(job, from, to, coupling.weight);
}

static void carry_tile(BwCoarsening *job, int32_t t)
{
    const BwLevel *fine = job->fine;
    int32_t first_extra = (fine->count + 1) * fine->cells;
    for (int32_t n = fine->explicit_first[t]; n < fine->explicit_first[t + 1]; n++)
        for (int32_t l = fine->explicit_coupling_first[n]; l < fine->explicit_coupling_first[n + 1]; l++)
            carry_coupling(job, fine->explicit_node[n], fine->couplings[l]);
    for (int32_t e = fine->extra_first[t]; e < fine->extra_first[t + 1]; e++) {
        add_diagonal(job, fine->extra_coarse[e], fine->extra_diagonal[e], fine->extra_mass[e]);
        for (int32_t l = fine->coupling_first[e]; l < fine->coupling_first[e + 1]; l++)
            carry_coupling(job, first_extra + e, fine->couplings[l]);
    }
}

static int compare_explicit(const void *a, const void *b)
{
    const BwExplicit *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static int compare_additions(const void *a, const void *b)
{
    const BwAddition *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static BwResult reserve_explicit(BwCoarsening *job, BwError *err)
{
    const BwLevel *fine = job->fine;
    int64_t seam_cells = 0;
    for (int32_t t = 1; t <= fine->count; t++)
        seam_cells += bw_touches_seam(job, t) ? BW_BESIDE_COUNT * BW_TILE_LAYER : 0;
    int64_t exceptions = fine->exception_first[fine->count + 1];
    size_t explicit = (size_t)(12 * exceptions + fine->coupling_count + seam_cells);
    size_t additions = explicit + (size_t)(fine->coupling_count + 2 * (int64_t)fine->extra_count);
    job->explicit = bw_level_alloc(job->pyramid, explicit, sizeof *job->explicit);
    job->additions = bw_level_alloc(job->pyramid, additions, sizeof *job->additions);
    return job->explicit != NULL && job->additions != NULL ? BW_OK : bw_fail_memory(err);
}

static void collect_explicit(BwCoarsening *job)
{
    const BwLevel *fine = job->fine;
    for (int32_t t = 1; t <= fine->count; t++) {
        bool is_at_seam = bw_touches_seam(job, t);
        if (bw_has_exceptions(fine, t) || is_at_seam) {
            BwTileCouplings couplings;
            bw_level_load_couplings(fine, t, &couplings);
            couple_exceptions(job, t, &couplings);
            if (is_at_seam)
                couple_seam(job, t, &couplings);
        }
        carry_tile(job, t);
    }
    qsort(job->explicit, (size_t)job->explicit_count, sizeof *job->explicit, compare_explicit);
    qsort(job->additions, (size_t)job->addition_count, sizeof *job->additions, compare_additions);
}

// Sorted, they become couplings: of cells in tiles first, in the order of tiles, then of extras.
static BwResult store_explicit(BwCoarsening *job, BwError *err)
{
    BwLevel *coarse = job->coarse;
    int32_t first_extra = (coarse->count + 1) * coarse->cells;
    coarse->couplings = bw_level_alloc(job->pyramid, (size_t)job->explicit_count, sizeof *coarse->couplings);
    coarse->explicit_node =
        bw_level_alloc(job->pyramid, (size_t)job->explicit_count, sizeof *coarse->explicit_node);
    coarse->explicit_coupling_first = bw_level_alloc(job->pyramid, (size_t)job->explicit_count + 1,
                                                     sizeof *coarse->explicit_coupling_first);
    if (coarse->couplings == NULL || coarse->explicit_node == NULL || coarse->explicit_coupling_first == NULL)
        return bw_fail_memory(err);
    int32_t explicit_cells = 0, e = 0, t = 0, count = 0;
    int32_t last_node = -1, last_other = -1;
    for (int64_t n = 0; n < job->explicit_count; n++) {
        BwExplicit entry = job->explicit[n];
        if (entry.node == last_node && entry.other == last_other) {
            coarse->couplings[count - 1].weight += entry.weight;
            continue;
        }
        if (entry.node != last_node && entry.node < first_extra) {
            while (t <= entry.node / coarse->cells)
                coarse->explicit_first[t++] = explicit_cells;
            coarse->explicit_coupling_first[explicit_cells] = count;
            coarse->explicit_node[explicit_cells++] = entry.node;
        }
        if (entry.node >= first_extra) {
            if (last_node < first_extra)
                coarse->explicit_coupling_first[explicit_cells] = count;
            while (e <= entry.node - first_extra)
                coarse->coupling_first[e++] = count;
        }
        last_node = entry.node;
        last_other = entry.other;
        coarse->couplings[count++] = (BwCoupling){entry.other, entry.weight};
    }
    if (last_node < first_extra)
        coarse->explicit_coupling_first[explicit_cells] = count;
    while (t <= coarse->count + 1)
        coarse->explicit_first[t++] = explicit_cells;
    while (e <= coarse->extra_count)
        coarse->coupling_first[e++] = count;
    coarse->coupling_count = count;
    return BW_OK;
}

BwResult bw_coarsen_explicit(BwCoarsening *job, BwError *err)
{
    BW_TRY(reserve_explicit(job, err));
    collect_explicit(job);
    return store_explicit(job, err);
}
