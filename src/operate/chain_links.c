// Particles put in and taken out, and chains joined and cut.
#include "operate/chain.h"

#include <math.h>
#include <string.h>

// Chains of less than this, in cells, are dropped: drops, and bubbles that no cell would be Empty in.
static const double drop_min = 0.25, bubble_min = 1.5;

// Links between two particles of one chain that are never joined; rounds of joining in a step; how much two
// surfaces have to face each other.
enum { LINKS_APART = 3, ROUNDS = 32 };

// Of a chain.
enum { POINTS_MIN = 3 };
static const double facing = -0.5;

void bw_chains_take_other(BwChains *chains, int64_t count)
{
    BwChainPoint *points = chains->points;
    int64_t capacity = chains->point_capacity;
    chains->points = chains->other;
    chains->point_capacity = chains->other_capacity;
    chains->other = points;
    chains->other_capacity = capacity;
    chains->point_count = count;
}

// A particle that has been passed gets no link.
BwResult bw_chains_collect(BwChains *chains, BwError *err)
{
    int64_t count = 0, number = 0, *next = chains->next;
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->other, &chains->other_capacity,
                      chains->point_count + 1, sizeof *chains->other, err));
    for (int64_t n = 0; n < chains->point_count; n++) {
        int64_t start = count;
        for (int64_t p = n; next[p] >= 0;) {
            int64_t after = next[p];
            chains->other[count++] = chains->points[p];
            next[p] = -1;
            p = after;
        }
        if (count - start < POINTS_MIN) {
            count = start;
            continue;
        }
        BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->starts, &chains->start_capacity, number + 2,
                          sizeof *chains->starts, err));
        chains->starts[number++] = start;
    }
    chains->starts[number] = count;
    chains->chain_count = number;
    bw_chains_take_other(chains, count);
    return BW_OK;
}

static double distance_between(const BwChainPoint *a, const BwChainPoint *b)
{
    return hypot(b->place[0] - a->place[0], b->place[1] - a->place[1]);
}

static BwChainPoint point_between(const BwChainPoint *a, const BwChainPoint *b, double share)
{
    return (BwChainPoint){.place = {a->place[0] + share * (b->place[0] - a->place[0]),
                                    a->place[1] + share * (b->place[1] - a->place[1])}};
}

static BwResult append(BwChains *chains, int64_t *count, BwChainPoint point, BwError *err)
{
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->other, &chains->other_capacity, *count + 1,
                      sizeof *chains->other, err));
    chains->other[(*count)++] = point;
    return BW_OK;
}

// The particles that a link lacks, after its first.
static BwResult fill_link(BwChains *chains, int64_t *count, BwChainPoint from, BwChainPoint to, BwError *err)
{
    int64_t parts = (int64_t)ceil(distance_between(&from, &to) / bw_chain_link_max(chains));
    for (int64_t n = 1; n < parts; n++)
        BW_TRY(append(chains, count, point_between(&from, &to, (double)n / (double)parts), err));
    return BW_OK;
}

// What is as short as two links is below what cells can feel, and nothing would ever level it: some of it is
// taken away by a fourth difference, which leaves longer bends and the area as they are.
static const double smoothing = 0.25;

BwResult bw_chains_smooth(BwChains *chains, BwError *err)
{
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->other, &chains->other_capacity,
                      chains->point_count + 1, sizeof *chains->other, err));
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
            int64_t before = bw_chain_previous(chains, n, p), after = bw_chain_next(chains, n, p);
            const double *list[5] = {chains->points[bw_chain_previous(chains, n, before)].place,
                                     chains->points[before].place, chains->points[p].place,
                                     chains->points[after].place,
                                     chains->points[bw_chain_next(chains, n, after)].place};
            chains->other[p] = chains->points[p];
            for (int a = 0; a < 2; a++)
                chains->other[p].place[a] +=
                    smoothing / 16.0 *
                    (4.0 * (list[1][a] + list[3][a]) - list[0][a] - list[4][a] - 6.0 * list[2][a]);
        }
    bw_chains_take_other(chains, chains->point_count);
    return BW_OK;
}

// The chain that begins at `start` of the other list has its particles but for those between its links.
static BwResult space_chain(BwChains *chains, int64_t chain, int64_t *count, BwError *err)
{
    int64_t start = *count;
    for (int64_t n = chains->starts[chain]; n < chains->starts[chain + 1]; n++) {
        BwChainPoint point = chains->points[n];
        BwChainPoint *last = *count > start ? &chains->other[*count - 1] : NULL;
        if (last != NULL && distance_between(last, &point) < bw_chain_link_min(chains)) {
            BwChainPoint middle = point_between(last, &point, 0.5);
            middle.lack = last->lack + point.lack;
            *last = middle;
            continue;
        }
        if (last != NULL)
            BW_TRY(fill_link(chains, count, *last, point, err));
        BW_TRY(append(chains, count, point, err));
    }
    if (*count - start > POINTS_MIN &&
        distance_between(&chains->other[*count - 1], &chains->other[start]) < bw_chain_link_min(chains)) {
        chains->other[start].lack += chains->other[*count - 1].lack;
        (*count)--;
    }
    return fill_link(chains, count, chains->other[*count - 1], chains->other[start], err);
}

BwResult bw_chains_space(BwChains *chains, BwError *err)
{
    int64_t count = 0, number = 0;
    for (int64_t n = 0; n < chains->chain_count; n++) {
        int64_t start = count;
        BW_TRY(space_chain(chains, n, &count, err));
        if (count - start < POINTS_MIN)
            count = start;
        else
            chains->starts[number++] = start; // not past those that are still to be read
    }
    chains->starts[number] = count;
    chains->chain_count = number;
    bw_chains_take_other(chains, count);
    return BW_OK;
}

// Particles by the cells they are in, and a rim around the bounds for those outside.
static int64_t bin_of(const BwChains *chains, const double place[2])
{
    double h = (double)chains->grid->cell_size;
    int64_t at[2];
    for (int a = 0; a < 2; a++) {
        double cell = floor(place[a] / h) - chains->low[a];
        at[a] = (int64_t)fmin(fmax(cell, -1.0), chains->count[a]) + 1;
    }
    return at[1] * (chains->count[0] + 2) + at[0];
}

static int64_t bin_count(const BwChains *chains)
{
    return ((int64_t)chains->count[0] + 2) * (chains->count[1] + 2);
}

static BwResult reserve_bins(BwChains *chains, BwError *err)
{
    const BwAllocator *allocator = &chains->allocator;
    int64_t count = chains->point_count + 1;
    BW_TRY(bw_reserve(allocator, (void **)&chains->bins, &chains->bin_capacity, bin_count(chains) + 1,
                      sizeof *chains->bins, err));
    BW_TRY(bw_reserve(allocator, (void **)&chains->binned, &chains->binned_capacity, count,
                      sizeof *chains->binned, err));
    BW_TRY(bw_reserve(allocator, (void **)&chains->next, &chains->next_capacity, count, sizeof *chains->next,
                      err));
    BW_TRY(bw_reserve(allocator, (void **)&chains->previous, &chains->previous_capacity, count,
                      sizeof *chains->previous, err));
    return bw_reserve(allocator, (void **)&chains->body, &chains->body_capacity, count, sizeof *chains->body,
                      err);
}

static void sort_into_bins(BwChains *chains)
{
    int64_t bins = bin_count(chains);
    memset(chains->bins, 0, (size_t)(bins + 1) * sizeof *chains->bins);
    for (int64_t n = 0; n < chains->point_count; n++)
        chains->bins[bin_of(chains, chains->points[n].place) + 1]++;
    for (int64_t n = 0; n < bins; n++)
        chains->bins[n + 1] += chains->bins[n];
    for (int64_t n = chains->point_count - 1; n >= 0; n--) // which leaves each bin where it begins
        chains->binned[--chains->bins[bin_of(chains, chains->points[n].place) + 1]] = (int32_t)n;
    memmove(chains->bins, chains->bins + 1, (size_t)bins * sizeof *chains->bins);
    chains->bins[bins] = (int32_t)chains->point_count;
}

static void link_all(BwChains *chains)
{
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
            chains->next[p] = bw_chain_next(chains, n, p);
            chains->previous[p] = bw_chain_previous(chains, n, p);
        }
}

static void direction_at(const BwChains *chains, int64_t n, double along[2])
{
    const double *a = chains->points[chains->previous[n]].place, *b = chains->points[chains->next[n]].place;
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    along[0] = length > 0.0 ? (b[0] - a[0]) / length : 0.0;
    along[1] = length > 0.0 ? (b[1] - a[1]) / length : 0.0;
}

static bool are_linked(const BwChains *chains, int64_t a, int64_t b)
{
    int64_t after = a, before = a;
    for (int n = 0; n < LINKS_APART; n++) {
        after = chains->next[after];
        before = chains->previous[before];
        if (after == b || before == b)
            return true;
    }
    return false;
}

// The nearest particle that one can be joined with; -1: there is none.
static int64_t find_partner(const BwChains *chains, int64_t n)
{
    int64_t row = chains->count[0] + 2, bin = bin_of(chains, chains->points[n].place), found = -1;
    double least = bw_chain_join_distance(chains), along[2], other[2];
    direction_at(chains, n, along);
    for (int64_t beside = 0; beside < 9; beside++) {
        int64_t at = bin + (beside / 3 - 1) * row + beside % 3 - 1;
        if (at < 0 || at >= bin_count(chains))
            continue;
        for (int32_t m = chains->bins[at]; m < chains->bins[at + 1]; m++) {
            int64_t p = chains->binned[m];
            double distance = distance_between(&chains->points[n], &chains->points[p]);
            if (p == n || !(distance < least) || are_linked(chains, n, p))
                continue;
            direction_at(chains, p, other);
            if (along[0] * other[0] + along[1] * other[1] > facing)
                continue;
            least = distance;
            found = p;
        }
    }
    return found;
}

// Takes both out and links what is before one to what is after the other.
static void join_pair(BwChains *chains, int64_t a, int64_t b)
{
    int64_t before[2] = {chains->previous[a], chains->previous[b]},
            after[2] = {chains->next[b], chains->next[a]};
    chains->points[before[0]].lack += chains->points[a].lack;
    chains->points[before[1]].lack += chains->points[b].lack;
    for (int n = 0; n < 2; n++) {
        chains->next[before[n]] = after[n];
        chains->previous[after[n]] = before[n];
    }
    chains->next[a] = chains->next[b] = -1;
}

// Pairs that are each other's nearest; of two pairs that share a neighbour one waits for the next round.
// Gives how many were joined.
static int64_t join_pairs(BwChains *chains)
{
    int64_t joined = 0;
    for (int64_t n = 0; n < chains->point_count; n++)
        chains->body[n] = find_partner(chains, n);
    for (int64_t n = 0; n < chains->point_count; n++) {
        int64_t other = chains->body[n];
        if (other <= n || chains->body[other] != n)
            continue;
        const int64_t around[6] = {n,     chains->next[n],     chains->previous[n],
                                   other, chains->next[other], chains->previous[other]};
        bool is_free = true;
        for (int m = 0; m < 6; m++)
            is_free &= around[m] >= 0 && chains->body[around[m]] != -3;
        if (!is_free)
            continue;
        for (int m = 0; m < 6; m++)
            chains->body[around[m]] = -3;
        join_pair(chains, n, other);
        joined++;
    }
    return joined;
}

// Drops and bubbles that are too small. What they lack is no one's: the liquid's account has it.
static void drop_small(BwChains *chains)
{
    double cell = (double)chains->grid->cell_size * (double)chains->grid->cell_size;
    int64_t count = 0, number = 0;
    for (int64_t n = 0; n < chains->chain_count; n++) {
        double area = bw_chain_signed_area(chains, n);
        int64_t begin = chains->starts[n], size = chains->starts[n + 1] - begin;
        if (area < drop_min * cell && area > -bubble_min * cell)
            continue;
        memmove(chains->points + count, chains->points + begin, (size_t)size * sizeof *chains->points);
        chains->starts[number++] = count;
        count += size;
    }
    chains->starts[number] = count;
    chains->chain_count = number;
    chains->point_count = count;
}

BwResult bw_chains_join(BwChains *chains, BwError *err)
{
    for (int round = 0; round < ROUNDS; round++) {
        BW_TRY(reserve_bins(chains, err));
        sort_into_bins(chains);
        link_all(chains);
        if (join_pairs(chains) == 0)
            break;
        BW_TRY(bw_chains_collect(chains, err));
    }
    drop_small(chains);
    return bw_chains_space(chains, err);
}
