// Edges of the curve, link by link.
#include "mesh/chain_curve.h"

// Edges of a link.
enum { EDGES = 4 };

static const int32_t *numbers_of(const BwFrameParticles *set)
{
    const BwFrameAttribute *chain = bw_frame_attribute(set->attributes, set->attribute_count, "chain");
    return chain != NULL && chain->components == 1 ? chain->integers : NULL;
}

const BwFrameParticles *bw_frame_chains(const BwFrame *frame)
{
    const BwFrameParticles *set = frame->dimension == 2 ? bw_frame_particles(frame, "surface") : NULL;
    return set != NULL && numbers_of(set) != NULL ? set : NULL;
}

// Between the second and the third of four places.
static void curve_at(double places[4][3], double t, double place[2])
{
    double s = t * t, c = s * t;
    for (int a = 0; a < 2; a++)
        place[a] = 0.5 * ((2.0 * places[1][a]) + (places[2][a] - places[0][a]) * t +
                          (2.0 * places[0][a] - 5.0 * places[1][a] + 4.0 * places[2][a] - places[3][a]) * s +
                          (3.0 * (places[1][a] - places[2][a]) + places[3][a] - places[0][a]) * c);
}

static void draw_chain(const BwFrame *frame, const BwFrameParticles *set, int64_t begin, int64_t end,
                       BwChainEdgeFn *edge, void *context)
{
    int64_t count = end - begin;
    for (int64_t n = 0; n < count; n++) {
        double places[4][3], from[2], to[2];
        for (int64_t m = 0; m < 4; m++)
            bw_frame_particle_place(frame, set, begin + (n + m + count - 1) % count, places[m]);
        curve_at(places, 0.0, from);
        for (int part = 1; part <= EDGES; part++) {
            curve_at(places, (double)part / EDGES, to);
            edge(context, from, to);
            from[0] = to[0];
            from[1] = to[1];
        }
    }
}

void bw_chain_curves(const BwFrame *frame, const BwFrameParticles *set, BwChainEdgeFn *edge, void *context)
{
    const int32_t *number = numbers_of(set);
    for (int64_t begin = 0, end; begin < set->count; begin = end) {
        for (end = begin + 1; end < set->count && number[end] == number[begin];)
            end++;
        draw_chain(frame, set, begin, end, edge, context);
    }
}
