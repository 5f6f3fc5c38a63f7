// Tracing polygons around a cube.
#include "mesh/cube_polygons.h"

#include <math.h>

const int bw_edge_corner[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};

// Corners of each face, counter-clockwise seen from outside of the cube, and the edge from each to the next.
static const int face_corner[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
static const int face_edge[6][4] = {{8, 6, 10, 4},  {5, 11, 7, 9}, {0, 9, 2, 8},
                                    {10, 3, 11, 1}, {4, 1, 5, 0},  {2, 7, 3, 6}};

// The two faces of each edge, a bit each.
static const unsigned edge_faces[12] = {20, 24, 36, 40, 17, 18, 33, 34, 5, 6, 9, 10};

static unsigned face_pattern(unsigned inside, int face)
{
    unsigned pattern = 0;
    for (int n = 0; n < 4; n++)
        pattern |= (inside >> face_corner[face][n] & 1) << n;
    return pattern;
}

static bool is_ambiguous_cube(unsigned inside)
{
    bool is_ambiguous = false;
    for (int face = 0; face < 6; face++) {
        unsigned pattern = face_pattern(inside, face);
        is_ambiguous |= pattern == 5 || pattern == 10;
    }
    return is_ambiguous;
}

// Whether the corners inside are joined across the face: the product of their levels is above that of the
// others where the saddle of the bilinear function is inside.
static bool joins_inside(unsigned pattern, int face, const float level[8])
{
    const int *corner = face_corner[face];
    float even = level[corner[0]] * level[corner[2]], odd = level[corner[1]] * level[corner[3]];
    return pattern == 5 ? even > odd : odd > even;
}

// Links each edge where a walk around the face comes back into the liquid with the one at which it left: the
// walk goes on around the corners outside or, where those inside are apart, back around the one inside.
static void link_face(int next[12], unsigned inside, int face, const float level[8])
{
    unsigned pattern = face_pattern(inside, face);
    bool is_ambiguous = pattern == 5 || pattern == 10;
    int step = is_ambiguous && !joins_inside(pattern, face, level) ? 3 : 1;
    for (int n = 0; n < 4; n++) {
        bool leaves = (pattern >> n & 1) && !(pattern >> (n + 1) % 4 & 1);
        if (!leaves)
            continue;
        int back = (n + step) % 4;
        while ((pattern >> back & 1) || !(pattern >> (back + 1) % 4 & 1))
            back = (back + step) % 4;
        next[face_edge[face][back]] = face_edge[face][n];
    }
}

void bw_cube_polygons(BwPolygons *polygons, unsigned inside, const float level[8])
{
    int next[12];
    for (int e = 0; e < 12; e++)
        next[e] = -1;
    for (int face = 0; face < 6; face++)
        link_face(next, inside, face, level);
    polygons->count = 0;
    for (int e = 0; e < 12; e++) {
        if (next[e] < 0)
            continue;
        int n = polygons->count++, sides = 0;
        for (int at = e; next[at] >= 0;) {
            int after = next[at];
            polygons->edges[n][sides++] = (int8_t)at;
            next[at] = -1;
            at = after;
        }
        polygons->sides[n] = (int8_t)sides;
    }
}

void bw_cube_table_fill(BwCubeTable *table)
{
    const float level[8] = {0};
    for (unsigned inside = 0; inside < 256; inside++) {
        table->is_ambiguous[inside] = is_ambiguous_cube(inside);
        bw_cube_polygons(&table->polygons[inside], inside, level);
    }
}

// Whether no diagonal from a corner of the polygon lies on a face of the cube.
static bool is_apex(const int8_t *edges, int sides, int apex)
{
    for (int n = 2; n <= sides - 2; n++)
        if ((edge_faces[edges[apex]] & edge_faces[edges[(apex + n) % sides]]) != 0)
            return false;
    return true;
}

bool bw_polygon_needs_middle(const int8_t *edges, int sides)
{
    for (int n = 0; n < sides; n++)
        if (is_apex(edges, sides, n))
            return false;
    return true;
}

// The best corner is that with the shortest diagonals.
int bw_polygon_apex(const int8_t *edges, int sides, const BwVec3 *corners)
{
    int best = -1;
    float least = INFINITY;
    for (int apex = 0; apex < sides; apex++) {
        if (!is_apex(edges, sides, apex))
            continue;
        float sum = 0.0f;
        for (int n = 2; n <= sides - 2; n++) {
            BwVec3 diagonal = bw_sub(corners[(apex + n) % sides], corners[apex]);
            sum += bw_dot(diagonal, diagonal);
        }
        best = sum < least ? apex : best;
        least = sum < least ? sum : least;
    }
    return best;
}
