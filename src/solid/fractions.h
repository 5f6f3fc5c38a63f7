// How much of an edge or of a square lies outside a solid, from the solid's signed distance at its corners
// (Batty, Bertails and Bridson 2007). Distance is taken to be linear in between, which is exact for flat
// walls.
#pragma once

// Share of the edge between two corners where the distance is not negative.
static inline float bw_edge_open(float a, float b)
{
    if (a >= 0.0f && b >= 0.0f)
        return 1.0f;
    if (a < 0.0f && b < 0.0f)
        return 0.0f;
    return a >= 0.0f ? a / (a - b) : b / (b - a);
}

// The corner cut off a triangle where `alone` has another sign than the other two, as a share of its area.
static inline float bw_corner_cut(float alone, float b, float c)
{
    return (alone / (alone - b)) * (alone / (alone - c));
}

// Share of a triangle where the distance is not negative.
static inline float bw_triangle_open(float a, float b, float c)
{
    int inside = (a < 0.0f) + (b < 0.0f) + (c < 0.0f);
    if (inside == 0 || inside == 3)
        return inside == 0 ? 1.0f : 0.0f;
    // The corner that differs from the other two is the one inside, or the one outside.
    int is_single_inside = inside == 1;
    float cut = (a < 0.0f) == is_single_inside   ? bw_corner_cut(a, b, c)
                : (b < 0.0f) == is_single_inside ? bw_corner_cut(b, c, a)
                                                 : bw_corner_cut(c, a, b);
    return is_single_inside ? 1.0f - cut : cut;
}

// Share of a square with corners in order around it: four triangles about its middle, so that a saddle is cut
// the same way from every side.
static inline float bw_square_open(const float corner[4])
{
    float middle = 0.25f * (corner[0] + corner[1] + corner[2] + corner[3]);
    float sum = 0.0f;
    for (int n = 0; n < 4; n++)
        sum += bw_triangle_open(corner[n], corner[(n + 1) & 3], middle);
    return 0.25f * sum;
}
