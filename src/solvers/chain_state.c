// What is kept, shown and told of a liquid within chains, and what may go wrong with it.
#include "solvers/chain.h"

#include <math.h>

void bw_chain_measure(void *solver, BwStats *stats)
{
    BwChain *chain = solver;
    bw_bulk_measure(&chain->bulk, bw_chains_area(&chain->chains), stats);
    stats->particles = chain->chains.point_count;
}

BwResult bw_chain_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwChain *chain = solver;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"phi", "m", &chain->bulk.phi, NULL, false}};
    int count = bw_flow_frame_fields(&chain->bulk.flow, sources, 1);
    count = bw_flow_frame_pressure(&chain->bulk.flow, sources, count);
    BW_TRY(bw_flow_show(&chain->bulk.flow, kept, sources, count, frame, err));
    BW_TRY(bw_chains_show(&chain->chains, &chain->bulk.flow.velocity, &chain->frame, err));
    frame->particles = &chain->frame.set;
    frame->particle_set_count = 1;
    return BW_OK;
}

int bw_chain_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    return bw_bulk_state_fields(&((BwChain *)solver)->bulk, list);
}

// A row a particle: place, what it lacks, the number of its chain.
enum { NUMBERS = 4 };

BwResult bw_chain_save(void *solver, BwRecord *record, BwError *err)
{
    BwChain *chain = solver;
    const BwChains *chains = &chain->chains;
    void *values;
    BW_TRY(bw_bulk_save(&chain->bulk, record, err));
    BW_TRY(bw_record_add_number(record, "chain_points", (double)chains->point_count, err));
    BW_TRY(bw_record_add(record, "chains", BW_RECORD_DOUBLE, chains->point_count, NUMBERS, &values, err));
    double *row = values;
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++, row += NUMBERS) {
            row[0] = chains->points[p].place[0];
            row[1] = chains->points[p].place[1];
            row[2] = chains->points[p].lack;
            row[3] = (double)n;
        }
    return BW_OK;
}

// Chains have numbers from 0 on, one after the other.
static BwResult take_points(BwChain *chain, const double *rows, int64_t count, BwError *err)
{
    BwChains *chains = &chain->chains;
    int64_t number = -1;
    for (int64_t p = 0; p < count; p++) {
        const double *row = rows + p * NUMBERS;
        if (row[3] != (double)number && row[3] != (double)(number + 1))
            return bw_fail(err, BW_ERR_FORMAT, "\"chains\" of the state has chain %g after %lld", row[3],
                           (long long)number);
        if (row[3] == (double)(number + 1)) {
            BW_TRY(bw_chains_reserve(chains, count, ++number + 1, err));
            chains->starts[number] = p;
        }
        chains->points[p] = (BwChainPoint){.place = {row[0], row[1]}, .lack = row[2]};
    }
    chains->chain_count = number + 1;
    chains->point_count = chains->starts[number + 1] = count;
    return BW_OK;
}

BwResult bw_chain_load(void *solver, const BwRecord *record, BwError *err)
{
    BwChain *chain = solver;
    int64_t rows = -1;
    double points;
    const void *values;
    BW_TRY(bw_bulk_load(&chain->bulk, record, err));
    BW_TRY(bw_record_find(record, "chains", BW_RECORD_DOUBLE, &rows, NUMBERS, &values, err));
    BW_TRY(bw_record_find_number(record, "chain_points", &points, err));
    if (points != (double)rows)
        return bw_fail(err, BW_ERR_FORMAT, "\"chains\" of the state has %lld particles, not %g",
                       (long long)rows, points);
    BW_TRY(bw_chains_reserve(&chain->chains, rows, 0, err));
    BW_TRY(take_points(chain, values, rows, err));
    bw_chain_label(chain);
    return BW_OK;
}

// Chains are within the box or a little outside, and have three particles at least.
static BwResult agree_on_chains(const BwChain *chain, BwError *err)
{
    const BwChains *chains = &chain->chains;
    double h = (double)chains->grid->cell_size, margin = 8.0;
    for (int64_t n = 0; n < chains->chain_count; n++)
        if (chains->starts[n + 1] - chains->starts[n] < 3)
            return bw_fail(err, BW_ERR_FORMAT, "chain %lld of the state has %lld particles", (long long)n,
                           (long long)(chains->starts[n + 1] - chains->starts[n]));
    for (int64_t p = 0; p < chains->point_count; p++) {
        bool is_in = isfinite(chains->points[p].lack);
        for (int a = 0; a < 2; a++) {
            double cell = chains->points[p].place[a] / h - chains->low[a];
            is_in &= cell >= -margin && cell <= chains->count[a] + margin;
        }
        if (!is_in)
            return bw_fail(err, BW_ERR_FORMAT, "particle %lld of \"chains\" of the state is at (%g, %g) m",
                           (long long)p, chains->points[p].place[0], chains->points[p].place[1]);
    }
    return BW_OK;
}

BwResult bw_chain_agree(void *solver, const BwRecord *record, BwError *err)
{
    BwChain *chain = solver;
    BW_TRY(bw_bulk_agree(&chain->bulk, record, err));
    return agree_on_chains(chain, err);
}

BwResult bw_chain_check(void *solver, double dt, BwError *err)
{
    BwChain *chain = solver;
    for (int64_t n = 0; n < chain->chains.point_count; n++)
        if (!isfinite(chain->chains.points[n].place[0]) || !isfinite(chain->chains.points[n].place[1]))
            return bw_fail(err, BW_ERR_NUMERICS, "particle %lld of the surface lost its place", (long long)n);
    return bw_bulk_check(&chain->bulk, dt, err);
}
