// What is loose at the surface of a liquid: particles above it fall, or go home to a body that holds
// together, and drops smaller than a cell keep no strain.
#include "particle/loose_particles.h"

#include "base/extremes.h"
#include <math.h>

// Particles this far above the surface, in cells, begin to fall, and fall freely; the grid's velocity bears
// none this far (support in operate/extrapolate.c).
static const float borne_cells = 0.25f, loose_cells = 0.75f, unborne_cells = 1.5f;

// A particle is alone where particles fill no more than the lower share, and part of a body from the other
// on: that has a half around its surface.
static const float lone_share = 0.25f, joined_share = 0.5f;

// What is loose on a liquid that holds together is bound to what lies so many cells away, so deep below the
// surface, in cells.
enum { HOLD_REACH = 2 };
static const float body_depth = 0.4f;

// How far above the surface a place is, in cells, and which way up is; 0 where it is too far from the tile to
// tell.
BW_FOR_AXES float height_above(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                               const float place[3], float slope[3])
{
    BwBeside beside = {0};
    if (!bw_beside_find(place, -1, axes, &beside))
        return 0.0f;
    float phi = axes == 3 ? bw_beside_interpolate(scratch->phi, &beside, slope)
                          : bw_beside_interpolate_flat(scratch->phi, &beside, slope);
    return phi / job->grid->cell_size;
}

// The body that a loose particle of a liquid that holds together is bound to: the middle of the nearest cell
// inside of it, cells, and the way up from there. A particle by itself is no body.
typedef struct Hold {
    bool is_there;
    float inside[3];
    BwVec3 up;
} Hold;

// Up from a body: as its surface rises at a particle, unless that is the particle's own, which leads
// elsewhere than the way from the body does.
BW_FOR_AXES BwVec3 way_up(BwVec3 way, const float slope[3], int axes)
{
    BwVec3 rise = bw_vec3(slope[0], slope[1], axes == 3 ? slope[2] : 0.0f);
    float length = bw_larger(bw_length(way), 0.5f), steep = bw_length(rise);
    bool is_own = !(bw_dot(rise, way) > 0.5f * steep * length);
    return is_own ? bw_mul(way, 1.0f / length) : bw_mul(rise, 1.0f / steep);
}

BW_FOR_AXES Hold hold_on(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                         const float place[3], const float slope[3])
{
    const int side = 2 * HOLD_REACH + 1, count = axes == 3 ? side * side * side : side * side;
    float nearest = INFINITY, deep = -body_depth * job->grid->cell_size;
    Hold hold = {0};
    for (int n = 0; n < count; n++) {
        int cell[3] = {n % side - HOLD_REACH, n / side % side - HOLD_REACH, n / (side * side) - HOLD_REACH};
        float inside[3] = {0}, way[3] = {0};
        int at = 0;
        for (int a = 0; a < axes; a++) {
            cell[a] += (int)place[a];
            inside[a] = (float)cell[a] + 0.5f;
            way[a] = place[a] - inside[a];
            at += (cell[a] + BW_HALO) << (4 * a);
        }
        float square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        if (!(scratch->phi[at] < deep && square < nearest))
            continue;
        nearest = square;
        hold = (Hold){true, {inside[0], inside[1], inside[2]}, bw_vec3(way[0], way[1], way[2])};
    }
    if (hold.is_there)
        hold.up = way_up(hold.up, slope, axes);
    return hold;
}

// A loose particle goes along with the body that it is bound to, as that moves and turns there.
BW_FOR_AXES void go_along(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                          int64_t n, const float place[3], const Hold *hold, float part)
{
    float speed[3], slope[3][3];
    for (int a = 0; a < axes; a++)
        speed[a] = bw_component_at(&scratch->velocity, a, axes, slot, hold->inside, slope[a]);
    for (int a = 0; a < axes; a++) {
        float *own = &job->particles->column[BW_PARTICLE_U + a][n];
        for (int b = 0; b < axes; b++)
            speed[a] += 0.5f * (slope[a][b] - slope[b][a]) * (place[b] - hold->inside[b]);
        *own += part * (speed[a] - *own);
    }
}

// How much of what gravity gives in a step is lacking in the change that the grid has made to a velocity: all
// where the liquid is at rest, nothing where the grid falls freely too, as in drops smaller than a cell.
BW_FOR_AXES float lacking_fall(const BwAdvanceJob *job, int axes, const BwAdvanceGroup *group, int lane)
{
    float done = 0.0f, all = 0.0f;
    for (int a = 0; a < axes; a++) {
        float fall = bw_component(job->advance->fall, a),
              now = job->particles->column[BW_PARTICLE_U + a][group->first + lane];
        done += fall * (now - group->before[a][lane]);
        all += fall * fall;
    }
    return all > 0.0f ? bw_smaller(bw_larger(1.0f - done / all, 0.0f), 1.0f) : 0.0f;
}

// How fast a loose particle comes back to its body: as gravity makes it in the step, or on its way down from
// there, if it would not get there in the step.
static float speed_home(const BwAdvanceJob *job, float above)
{
    const BwAdvance *advance = job->advance;
    float fall = bw_length(advance->fall), way = above * job->grid->cell_size;
    return bw_larger(fall, bw_smaller(sqrtf(2.0f * fall / advance->dt * way), way / advance->dt));
}

// Faces of the air within a cell of the surface take part in what pressure does to the liquid, so that it
// bears the particles in its uppermost cells. One that has got above the surface itself would hover there: it
// falls, as far as the grid does not; if the liquid holds together, towards its body, whose motion it takes.
BW_FOR_AXES void let_fall(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                          const BwAdvanceGroup *group)
{
    for (int lane = 0; lane < group->count; lane++) {
        float place[3] = {0}, slope[3] = {0};
        for (int a = 0; a < axes; a++)
            place[a] = group->start[a][lane];
        float above = height_above(job, scratch, axes, place, slope);
        if (above <= borne_cells || above >= unborne_cells)
            continue;
        float loose = bw_smaller((above - borne_cells) / (loose_cells - borne_cells), 1.0f),
              borne = bw_smaller((unborne_cells - above) / (unborne_cells - 1.0f), 1.0f);
        BwVec3 fall = job->advance->fall;
        if (job->advance->holds_together) {
            Hold hold = hold_on(job, scratch, axes, place, slope);
            if (hold.is_there) {
                go_along(job, scratch, axes, slot, group->first + lane, place, &hold, loose);
                fall = bw_mul(hold.up, -speed_home(job, above));
            }
        } else
            fall = bw_mul(fall, lacking_fall(job, axes, group, lane));
        for (int a = 0; a < axes; a++)
            job->particles->column[BW_PARTICLE_U + a][group->first + lane] +=
                loose * borne * bw_component(fall, a);
    }
}

// How much particles fill around a place, as cells have it; 1 in cells that are full.
BW_FOR_AXES float share_around(const BwAdvanceScratch *scratch, int axes, const float place[3])
{
    BwBeside beside = {0};
    float unused[3];
    if (!bw_beside_find(place, -1, axes, &beside))
        return 1.0f;
    return axes == 3 ? bw_beside_interpolate(scratch->share, &beside, unused)
                     : bw_beside_interpolate_flat(scratch->share, &beside, unused);
}

// What fills little of the cells around is a drop smaller than they are: it turns, and is not deformed. The
// strain that its particles brought from the body that they left would stay as it was. BwBeside a wall they
// stand for a speed on faces that they hardly touch which is many times their own, and whenever a cell of
// theirs counts as liquid, pressure makes that their own: the shorter the steps, the more often.
BW_FOR_AXES void round_off(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                           const BwAdvanceGroup *group)
{
    for (int lane = 0; lane < group->count; lane++) {
        float place[3] = {0};
        int64_t n = group->first + lane;
        for (int a = 0; a < axes; a++)
            place[a] = group->start[a][lane];
        float share = share_around(scratch, axes, place),
              part = bw_larger((share - lone_share) / (joined_share - lone_share), 0.0f);
        for (int a = 0; a < axes && part < 1.0f; a++)
            for (int b = 0; b <= a; b++) {
                float *ab = &job->particles->column[BW_PARTICLE_UX + 3 * a + b][n],
                      *ba = &job->particles->column[BW_PARTICLE_UX + 3 * b + a][n];
                float strain = 0.5f * (*ab + *ba), turn = 0.5f * (*ab - *ba);
                *ab = part * strain + turn;
                *ba = part * strain - turn;
            }
    }
}

void bw_loose_particles_settle(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int32_t slot,
                               const BwAdvanceGroup *group)
{
    bool falls = job->advance->phi != NULL, rounds = job->advance->share != NULL;
    if (job->grid->dimension == 3) {
        if (falls)
            let_fall(job, scratch, 3, slot, group);
        if (rounds)
            round_off(job, scratch, 3, group);
    } else {
        if (falls)
            let_fall(job, scratch, 2, slot, group);
        if (rounds)
            round_off(job, scratch, 2, group);
    }
}
