// How much of a small box solids leave, and where that is: exact for one flat wall, whichever way it leans.
#pragma once

#include "domain/near_solids.h"

#include "base/extremes.h"

#include <math.h>

// What is left of a box, with sides of length 1 and its centre at 0.
typedef struct BwCutBox {
    float share;     // of its volume
    float middle[3]; // of mass
    BwVec3 normal;   // of the wall, into what is left; 0 where nothing is cut off
} BwCutBox;

// The box beyond a plane that passes its centre at a distance, in sides, above 0 where the centre is left.
// Axes that the plane hardly leans along do not count, so that no slope is 0 and walls along an axis are
// exact.
static inline BwCutBox bw_cut_box(float distance, BwVec3 normal, int axes)
{
    static const double least = 1e-3, factorials[4] = {1.0, 1.0, 2.0, 6.0};
    double slope[3], sum = 0.0, product = 1.0, volume = 0.0, moment[3] = {0.0};
    int axis[3], count = 0;
    for (int a = 0; a < axes; a++) {
        double along = fabs((double)bw_component(normal, a));
        if (along < least)
            continue;
        axis[count] = a;
        slope[count++] = along;
        sum += along;
        product *= along;
    }
    double end = (double)distance + 0.5 * sum; // of the plane, from the box's deepest corner
    if (end <= 0.0 || end >= sum)
        return (BwCutBox){.share = end <= 0.0 ? 0.0f : 1.0f};
    // The simplex that the plane cuts off in the deepest corner, less those beyond the box's other corners.
    for (int corner = 0; corner < 1 << count; corner++) {
        double left = end, simplex = 1.0 / (factorials[count] * product);
        for (int n = 0; n < count; n++)
            if (corner >> n & 1) {
                left -= slope[n];
                simplex = -simplex;
            }
        if (left <= 0.0)
            continue;
        for (int n = 0; n < count; n++)
            simplex *= left;
        volume += simplex;
        for (int n = 0; n < count; n++)
            moment[n] += simplex * ((double)(corner >> n & 1) + left / ((count + 1) * slope[n]));
    }
    BwCutBox cut = {.share = bw_smaller(bw_larger((float)volume, 0.0f), 1.0f), .normal = normal};
    for (int n = 0; n < count && volume > 0.0; n++) {
        double middle = fmin(fmax(moment[n] / volume, 0.0), 1.0) - 0.5;
        cut.middle[axis[n]] = (float)(bw_component(normal, axis[n]) < 0.0f ? middle : -middle);
    }
    return cut;
}

// How far distances may be off those of a plane, in sides, before a box is taken for one that an edge of a
// solid passes.
#define BW_BENT 0.03f

// Where a part's centre is along an axis, from the middle of what it is part of, in sides of that.
static inline float bw_part_offset(int part, int axis)
{
    return part >> axis & 1 ? 0.25f : -0.25f;
}

static inline BwVec3 bw_part_center(BwVec3 center, float size, int part, int axes)
{
    return bw_add(center, bw_vec3(size * bw_part_offset(part, 0), size * bw_part_offset(part, 1),
                                  axes == 3 ? size * bw_part_offset(part, 2) : 0.0f));
}

// A box of that size around a centre, beyond the plane that is nearest to the surface of solids.
static inline BwCutBox bw_cut_by_plane(const BwNearSolids *near, BwVec3 center, float size, int axes,
                                       bool *is_bent)
{
    float distance = bw_solids_distance(near->list, near->count, center) / size, slope[3] = {0.0f};
    *is_bent = false;
    if (4.0f * distance * distance >= (float)axes) // farther than its corners
        return (BwCutBox){.share = distance > 0.0f ? 1.0f : 0.0f};
    for (int a = 0; a < axes; a++) {
        float step[3] = {0.0f};
        step[a] = 0.25f * size;
        BwVec3 along = bw_vec3(step[0], step[1], step[2]);
        float ahead = bw_solids_distance(near->list, near->count, bw_add(center, along)),
              behind = bw_solids_distance(near->list, near->count, bw_sub(center, along));
        slope[a] = ahead - behind;
        *is_bent |= fabsf(0.5f * (ahead + behind) - size * distance) > BW_BENT * size;
    }
    return bw_cut_box(distance, bw_normalize(bw_vec3(slope[0], slope[1], slope[2])), axes);
}

// A box of that size around a centre, outside of solids; one that an edge of theirs passes is measured part
// by part.
static inline BwCutBox bw_cut_solids(const BwNearSolids *near, BwVec3 center, float size, int axes)
{
    bool is_bent, is_part_bent;
    BwCutBox whole = bw_cut_by_plane(near, center, size, axes, &is_bent);
    if (!is_bent)
        return whole;
    BwCutBox box = {.normal = whole.normal};
    int parts = 1 << axes;
    for (int n = 0; n < parts; n++) {
        BwVec3 at = bw_part_center(center, size, n, axes);
        BwCutBox part = bw_cut_by_plane(near, at, 0.5f * size, axes, &is_part_bent);
        box.share += part.share / (float)parts;
        for (int a = 0; a < axes; a++)
            box.middle[a] += part.share / (float)parts * (bw_part_offset(n, a) + 0.5f * part.middle[a]);
    }
    for (int a = 0; a < axes && box.share > 0.0f; a++)
        box.middle[a] /= box.share;
    return box;
}

// The parts of a cell, two along each axis, and what is left of each. `left` is that of the whole cell.
typedef struct BwCutCell {
    float left;
    bool is_cut; // else `part` is not set
    BwCutBox part[8];
} BwCutCell;

// How far a cell's centre and those of its parts are from solids, in cells, and which way leads off them.
typedef struct BwCellDistances {
    float center;
    const float *part;
    BwVec3 normal;
} BwCellDistances;

// Whether parts of a cell and the middles of its sides are not as far from solids as one plane has it.
static inline bool bw_cell_is_bent(const BwNearSolids *near, BwVec3 center, float size, int axes,
                                   BwCellDistances known)
{
    for (int n = 0; n < 1 << axes; n++) {
        float plane = known.center;
        for (int a = 0; a < axes; a++)
            plane += bw_part_offset(n, a) * bw_component(known.normal, a);
        if (fabsf(known.part[n] - plane) > BW_BENT)
            return true;
    }
    for (int side = 0; side < 2 * axes; side++) {
        float step[3] = {0.0f}, way = side & 1 ? 0.5f : -0.5f;
        step[side / 2] = way * size;
        BwVec3 there = bw_add(center, bw_vec3(step[0], step[1], step[2]));
        float plane = known.center + way * bw_component(known.normal, side / 2);
        if (fabsf(bw_solids_distance(near->list, near->count, there) / size - plane) > BW_BENT)
            return true;
    }
    return false;
}

// The cell of that size around a centre. Parts have their own distances, and one direction unless edges of
// the solids are looked for, which takes some times as long, and one passes the cell.
static inline BwCutCell bw_cut_cell(const BwNearSolids *near, BwVec3 center, float size, int axes,
                                    bool has_edges)
{
    BwCutCell cell = {0};
    float distance = bw_solids_distance(near->list, near->count, center) / size, slope[3] = {0.0f}, at[8];
    int parts = 1 << axes;
    cell.is_cut = 4.0f * distance * distance < (float)axes; // nearer than its corners
    cell.left = distance > 0.0f ? 1.0f : 0.0f;
    if (!cell.is_cut)
        return cell;
    for (int n = 0; n < parts; n++) {
        at[n] = bw_solids_distance(near->list, near->count, bw_part_center(center, size, n, axes)) / size;
        for (int a = 0; a < axes; a++)
            slope[a] += n >> a & 1 ? at[n] : -at[n];
    }
    BwVec3 normal = bw_normalize(bw_vec3(slope[0], slope[1], slope[2]));
    bool is_bent =
        has_edges && bw_cell_is_bent(near, center, size, axes, (BwCellDistances){distance, at, normal});
    cell.left = 0.0f;
    for (int n = 0; n < parts; n++) {
        cell.part[n] = is_bent ? bw_cut_solids(near, bw_part_center(center, size, n, axes), 0.5f * size, axes)
                               : bw_cut_box(2.0f * at[n], normal, axes);
        cell.left += cell.part[n].share / (float)parts;
    }
    return cell;
}
