// Surfaces of glass along rays.
#include "render/glass.h"

#include "base/extremes.h"
#include "render/falloff.h"
#include "render/tone.h"
#include "solid/shape_file.h"

#define LIFT        2.5f  // times how near counts as on the surface
#define CONTACT     4.0f  // likewise: what touches glass has no air in between
#define COLOR_WAY   0.1f  // of the scene's size: over such a way white light takes on the colour
#define COLOR_LEAST 0.01f // what is left of each colour then
#define SHADOW      0.3f  // of a lamp is lost behind glass
#define GRAZING     0.02f // sine of what rays rise above the surface at least

bool bw_glass_enter(const BwPicture *picture, const double origin[3], BwVec3 direction, float t_max,
                    BwGlassHit *hit)
{
    if (!bw_has_glass(picture))
        return false;
    hit->t = t_max;
    hit->solid = bw_solids_trace(picture->glass, origin, direction, &hit->t);
    return hit->solid >= 0 && hit->t < t_max;
}

bool bw_glass_leave(const BwPicture *picture, int solid, const double origin[3], BwVec3 direction,
                    float t_max, BwGlassHit *hit)
{
    float t = bw_solids_way_out(picture->glass, solid, origin, direction, t_max);
    *hit = (BwGlassHit){.solid = solid, .t = t};
    return t + CONTACT * bw_solids_touch(picture->glass) < t_max;
}

void bw_glass_look(const BwPicture *picture, const double place[3], BwVec3 direction, BwGlassHit *hit)
{
    hit->normal = bw_solids_normal(picture->glass, hit->solid, place);
    bool is_smoothed = bw_shape_is_triangles(picture->glass->views[hit->solid].solid->shape);
    hit->face = is_smoothed ? bw_solids_face(picture->glass, hit->solid, place) : hit->normal;
    float side = bw_dot(hit->face, direction) < 0.0f ? 1.0f : -1.0f;
    // At the rim of what is seen a smooth normal may face away from the ray.
    float facing = -side * bw_dot(hit->normal, direction);
    if (facing < GRAZING)
        hit->normal = bw_normalize(bw_add(hit->normal, bw_mul(direction, side * (facing - GRAZING))));
}

float bw_glass_lift(const BwPicture *picture)
{
    return LIFT * bw_solids_touch(picture->glass);
}

void bw_glass_pass(const BwPicture *picture, int solid, float t, float weight[3])
{
    const float *color = picture->glass->views[solid].solid->color;
    for (int c = 0; c < 3; c++) {
        float left = bw_larger(bw_srgb_decode(bw_smaller(color[c], 1.0f)), COLOR_LEAST);
        weight[c] *= bw_falloff(-logf(left) * t / (COLOR_WAY * picture->size));
    }
}

float bw_glass_light(const BwPicture *picture, const double place[3], BwVec3 direction)
{
    if (!bw_has_glass(picture))
        return 1.0f;
    return 1.0f - SHADOW * (1.0f - bw_solids_light(picture->glass, place, direction));
}
