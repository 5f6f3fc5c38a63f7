// What is kept, shown and told of a liquid within chains, and what may go wrong with it.
#include "solvers/chain.h"

#include "domain/measure.h"
#include "flow/state_agree.h"

#include <math.h>

void bw_chain_measure(void *solver, BwStats *stats)
{
    BwChain *chain = solver;
    bw_flow_measure(&chain->flow, stats);
    stats->divergence = chain->divergence;
    stats->volume = bw_chains_area(&chain->chains);
    stats->particles = chain->chains.point_count;
    stats->mass = fmax(chain->given, 0.0); // all may have left but a rounding
    stats->volume_drift = stats->mass > 0.0 ? stats->volume / stats->mass - 1.0 : 0.0;
}

BwResult bw_chain_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwChain *chain = solver;
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {{"phi", "m", &chain->phi, NULL, false}};
    int count = bw_flow_frame_fields(&chain->flow, sources, 1);
    count = bw_flow_frame_pressure(&chain->flow, sources, count);
    BW_TRY(bw_flow_show(&chain->flow, kept, sources, count, frame, err));
    BW_TRY(bw_chains_show(&chain->chains, &chain->flow.velocity, &chain->frame, err));
    frame->particles = &chain->frame.set;
    frame->particle_set_count = 1;
    return BW_OK;
}

int bw_chain_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    BwChain *chain = solver;
    int count = 0;
    if (chain->is_explicit)
        list[count++] = (BwStateField){"explicit_pressure", &chain->scheme.pressure};
    return bw_flow_state_fields(&chain->flow, list, count);
}

// A row a particle: place, what it lacks, the number of its chain.
enum { NUMBERS = 4 };

BwResult bw_chain_save(void *solver, BwRecord *record, BwError *err)
{
    BwChain *chain = solver;
    const BwChains *chains = &chain->chains;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_chain_state_fields(chain, fields);
    void *values;
    BW_TRY(bw_flow_save(&chain->flow, fields, count, record, err));
    BW_TRY(bw_record_add_number(record, "last_dt", chain->last_dt, err));
    BW_TRY(bw_record_add_number(record, "given_volume", chain->given, err));
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
    return bw_liquid_sources_save(&chain->sources, record, err);
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
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_chain_state_fields(chain, fields);
    int64_t rows = -1;
    double points;
    const void *values;
    BW_TRY(bw_flow_load(&chain->flow, fields, count, record, err));
    BW_TRY(bw_record_find_number(record, "last_dt", &chain->last_dt, err));
    BW_TRY(bw_record_find_number(record, "given_volume", &chain->given, err));
    BW_TRY(bw_record_find(record, "chains", BW_RECORD_DOUBLE, &rows, NUMBERS, &values, err));
    BW_TRY(bw_record_find_number(record, "chain_points", &points, err));
    if (points != (double)rows)
        return bw_fail(err, BW_ERR_FORMAT, "\"chains\" of the state has %lld particles, not %g",
                       (long long)rows, points);
    BW_TRY(bw_chains_reserve(&chain->chains, rows, 0, err));
    BW_TRY(take_points(chain, values, rows, err));
    BW_TRY(bw_liquid_sources_load(&chain->sources, record, err));
    chain->divergence = 0.0;
    chain->must_measure_solids = true;
    chain->flow.must_measure_solids = true;
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
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_flow_agree(&chain->flow, record, err));
    double last_dt = time > 0.0 ? (double)chain->flow.solids_dt : 0.0;
    if ((float)chain->last_dt != (float)last_dt)
        return bw_fail(err, BW_ERR_FORMAT, "\"last_dt\" of the state is %.9g s; its last step was of %.9g s",
                       chain->last_dt, last_dt);
    if (!isfinite(chain->given))
        return bw_fail(err, BW_ERR_FORMAT, "\"given_volume\" of the state is %g m^3", chain->given);
    return agree_on_chains(chain, err);
}

BwResult bw_chain_check(void *solver, double dt, BwError *err)
{
    BwChain *chain = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_chain_state_fields(chain, fields);
    for (int64_t n = 0; n < chain->chains.point_count; n++)
        if (!isfinite(chain->chains.points[n].place[0]) || !isfinite(chain->chains.points[n].place[1]))
            return bw_fail(err, BW_ERR_NUMERICS, "particle %lld of the surface lost its place", (long long)n);
    return bw_flow_check(&chain->flow, fields, count, dt, err);
}
