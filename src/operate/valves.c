#include "operate/valves.h"

#include "base/memory.h"
#include "domain/measure.h"
#include "grid/bits.h"

// Of the fastest velocity: what passes more slowly than this turns no valve. Each ring of faces that are shut
// lets a little in around it; without this bound that would go on until rounding ends it.
static const float slowest = 1e-4f;

float bw_valves_slowest(const BwValveFaces *faces)
{
    return slowest * bw_velocity_max(faces->domain, faces->velocity);
}

bool bw_valves_are_shut(const BwValves *valves)
{
    for (int64_t n = 0; n < valves->count; n++)
        if (!valves->list[n].is_shut)
            return false;
    return true;
}

static float *speed_of(const BwValve *valve, const BwValveFaces *faces)
{
    return &bw_field_tile(&faces->velocity->u[valve->axis], valve->slot)[valve->index];
}

static float outward(const BwValve *valve, float speed)
{
    return valve->is_low ? -speed : speed;
}

static uint64_t *layer_of(const BwValve *valve, const BwValveFaces *faces)
{
    return &bw_mask_tile(&faces->flow[valve->axis], valve->slot)[valve->index / BW_TILE_LAYER];
}

static void shut(BwValve *valve, const BwValveFaces *faces)
{
    float *speed = speed_of(valve, faces);
    valve->wanted = outward(valve, *speed);
    valve->is_shut = true;
    *speed = 0.0f;
    *layer_of(valve, faces) &= ~((uint64_t)1 << (valve->index & 63));
}

// It goes on as if it had been open all the time.
static void open(BwValve *valve, const BwValveFaces *faces)
{
    *speed_of(valve, faces) = outward(valve, valve->wanted);
    valve->is_shut = false;
    *layer_of(valve, faces) |= (uint64_t)1 << (valve->index & 63);
}

static BwResult add_layer(BwValves *valves, const BwValveFaces *faces, int32_t slot, int axis, int k,
                          BwError *err)
{
    const BwGrid *grid = faces->domain->grid;
    uint64_t flow = bw_mask_tile(&faces->flow[axis], slot)[k];
    uint64_t is_low = flow & bw_bits_beside(grid, &faces->domain->outflow, slot, 2 * axis, k);
    uint64_t is_high = flow & bw_mask_tile(&faces->domain->outflow, slot)[k];
    int64_t most = valves->count + BW_TILE_LAYER;
    if ((is_low | is_high) == 0)
        return BW_OK;
    if (valves->capacity < most)
        BW_TRY(bw_reserve(&grid->allocator, (void **)&valves->list, &valves->capacity, most + most / 2,
                          sizeof *valves->list, err));
    for (uint64_t bits = is_low | is_high; bits != 0; bits &= bits - 1) {
        int bit = __builtin_ctzll(bits);
        valves->list[valves->count++] = (BwValve){.slot = slot,
                                                  .index = (int16_t)(BW_TILE_LAYER * k + bit),
                                                  .axis = (int8_t)axis,
                                                  .is_low = is_low >> bit & 1};
    }
    return BW_OK;
}

BwResult bw_valves_find(BwValves *valves, const BwValveFaces *faces, bool are_all_shut, BwError *err)
{
    const BwGrid *grid = faces->domain->grid;
    valves->count = 0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++)
                BW_TRY(add_layer(valves, faces, grid->order[n], a, k, err));
    float least = bw_valves_slowest(faces);
    for (int64_t n = 0; n < valves->count; n++)
        if (are_all_shut || outward(&valves->list[n], *speed_of(&valves->list[n], faces)) < least)
            shut(&valves->list[n], faces);
    return BW_OK;
}

void bw_valves_free(BwValves *valves, const BwAllocator *allocator)
{
    bw_free(allocator, valves->list, (size_t)valves->capacity * sizeof *valves->list, BW_ALIGN);
    *valves = (BwValves){0};
}

// The end of the valves of one tile and axis that begin with `first`.
static int64_t end_of_tile(const BwValves *valves, int64_t first)
{
    int64_t end = first;
    while (end < valves->count && valves->list[end].slot == valves->list[first].slot &&
           valves->list[end].axis == valves->list[first].axis)
        end++;
    return end;
}

// Lets the answer act on what shut valves would let through.
static void push(BwValves *valves, const BwPressureSystem *answer, const BwPressureTerms *terms)
{
    double change[BW_TILE_CELLS_MAX];
    for (int64_t first = 0, end; first < valves->count; first = end) {
        const BwValve *own = &valves->list[first];
        end = end_of_tile(valves, first);
        bw_pressure_change(answer, terms, own->axis, own->slot, change);
        for (int64_t n = first; n < end; n++) {
            BwValve *valve = &valves->list[n];
            if (valve->is_shut)
                valve->wanted += outward(valve, (float)change[valve->index]);
        }
    }
}

bool bw_valves_turn(BwValves *valves, const BwValveFaces *faces, const BwPressureSystem *answer,
                    const BwPressureTerms *terms, bool may_open)
{
    bool has_turned = false;
    float least = bw_valves_slowest(faces);
    if (answer != NULL)
        push(valves, answer, terms);
    for (int64_t n = 0; n < valves->count; n++) {
        BwValve *valve = &valves->list[n];
        if (!valve->is_shut && outward(valve, *speed_of(valve, faces)) < -least)
            shut(valve, faces);
        else if (valve->is_shut && may_open && valve->wanted > least)
            open(valve, faces);
        else
            continue;
        has_turned = true;
    }
    return has_turned;
}
