// A pane is marched in squares of 8 x 8 pixels, at 4 x 4 of them. Third differences between them, of the
// bytes that the picture would show, tell whether cubics may stand for the other pixels; where they may not,
// all pixels are marched.
#include "render/smoke_pane.h"

#include "base/extremes.h"
#include "render/tone.h"

#include <math.h>

enum { SIDE = 8, PIXELS = SIDE * SIDE, NODES = 4 };

static const int node_px[NODES] = {0, 2, 5, 7};

#define NODE_GAP  3.0f  // pixels, the widest between nodes: what is narrower could be missed
#define ROUGH_MAX 0.4f  // bytes that the last term of the cubic is worth at most: its error is a part of it
#define BENT_MAX  2e-4f // share of the distance that what is behind bends by within a square

BwSmokeView bw_smoke_view(const BwPicture *picture)
{
    const BwVolume *volume = picture->volume;
    const BwBrickMap *map = &volume->map;
    BwSmokeView view = {.picture = picture};
    float square = 0.0f;
    if (map->low[0] > map->high[0]) // no smoke: nothing is far
        return view;
    for (int a = 0; a < 3; a++) {
        view.eye[a] = (float)((picture->camera.eye[a] - volume->origin[a]) / (double)volume->spacing);
        float low = (float)(BW_BRICK * map->low[a]) - view.eye[a],
              high = (float)(BW_BRICK * (map->high[a] + 1)) - view.eye[a];
        square += bw_larger(low * low, high * high);
    }
    view.far = sqrtf(square);
    float pixel = 2.0f * picture->camera.tan_y * view.far / (float)picture->image->height_px;
    float finest = volume->has_glow ? 1.0f : (float)volume->refine; // light of fire changes within a cell
    view.is_wide = finest >= NODE_GAP * pixel;
    return view;
}

// A square of a pane: its pixels, row by row, are those of the pane from `first` on.
typedef struct Square {
    const BwSmokeView *view;
    BwPane *pane;
    int first, width, height;
} Square;

static int in_pane(const Square *square, int n)
{
    return square->first + n / SIDE * BW_PANE + n % SIDE;
}

// Lattice units, to where the smoke before a pixel ends.
static float end_of(const Square *square, int n)
{
    float distance = square->pane->distance[in_pane(square, n)];
    return bw_smaller(distance / square->view->picture->volume->spacing, square->view->far);
}

// On a plane the inverse of the distance is linear over the square.
static bool is_plane(const Square *square)
{
    const float last = (float)(SIDE - 1);
    const float corners[4] = {1.0f / end_of(square, 0), 1.0f / end_of(square, SIDE - 1),
                              1.0f / end_of(square, PIXELS - SIDE), 1.0f / end_of(square, PIXELS - 1)};
    for (int n = 0; n < PIXELS; n++) {
        float x = (float)(n % SIDE) / last, y = (float)(n / SIDE) / last;
        float low = corners[0] + x * (corners[1] - corners[0]),
              high = corners[2] + x * (corners[3] - corners[2]);
        float share = (low + y * (high - low)) * end_of(square, n);
        if (!(fabsf(share - 1.0f) < BENT_MAX))
            return false;
    }
    return true;
}

static BwFloat4 march_to(const Square *square, int n, float distance)
{
    const BwVolume *volume = square->view->picture->volume;
    return bw_march(volume, square->view->eye, square->pane->rays[in_pane(square, n)],
                    distance / volume->spacing);
}

static BwFloat4 march_pixel(const Square *square, int n)
{
    return march_to(square, n, square->pane->distance[in_pane(square, n)]);
}

static void march_nodes(const Square *square, BwFloat4 nodes[NODES][NODES])
{
    for (int j = 0; j < NODES; j++)
        for (int i = 0; i < NODES; i++)
            nodes[j][i] = march_pixel(square, node_px[j] * SIDE + node_px[i]);
}

static bool is_clear(const BwFloat4 nodes[NODES][NODES])
{
    bool is_clear = true;
    for (int n = 0; n < NODES * NODES; n++)
        is_clear = is_clear && nodes[n / NODES][n % NODES][3] == 1.0f;
    return is_clear;
}

// What the last term of the cubic through four nodes adds at most, in bytes.
static float roughness(const float *bytes, int stride)
{
    float third = (bytes[3 * stride] - bytes[0]) / 70.0f - (bytes[2 * stride] - bytes[stride]) / 30.0f;
    return 8.2f * fabsf(third);
}

// Looked at as the picture would show it, before the mean of what is behind.
static bool is_smooth(const Square *square, const BwFloat4 nodes[NODES][NODES])
{
    const BwPicture *picture = square->view->picture;
    for (int c = 0; c < 3; c++) {
        float behind = 0.0f, bytes[NODES * NODES];
        for (int n = 0; n < PIXELS; n++)
            behind += square->pane->light[in_pane(square, n)].c[c];
        behind /= (float)PIXELS;
        for (int n = 0; n < NODES * NODES; n++) {
            BwFloat4 smoke = nodes[n / NODES][n % NODES];
            float light = picture->exposure * (smoke[c] + smoke[3] * behind);
            bytes[n] = 255.0f * bw_tone_look_up(picture->tones, light);
        }
        for (int n = 0; n < NODES; n++)
            if (!(roughness(bytes + NODES * n, 1) < ROUGH_MAX && roughness(bytes + n, NODES) < ROUGH_MAX))
                return false;
    }
    return true;
}

// Of each node, in the value of the cubic at a pixel (Lagrange).
static void weights_at(float x, float weights[NODES])
{
    weights[0] = (x - 2.0f) * (x - 5.0f) * (x - 7.0f) / -70.0f;
    weights[1] = x * (x - 5.0f) * (x - 7.0f) / 30.0f;
    weights[2] = x * (x - 2.0f) * (x - 7.0f) / -30.0f;
    weights[3] = x * (x - 2.0f) * (x - 5.0f) / 70.0f;
}

static void interpolate(const BwFloat4 nodes[NODES][NODES], BwFloat4 pixels[PIXELS])
{
    float weights[SIDE][NODES];
    for (int x = 0; x < SIDE; x++)
        weights_at((float)x, weights[x]);
    for (int x = 0; x < SIDE; x++) {
        BwFloat4 column[NODES];
        const float *across = weights[x];
        for (int j = 0; j < NODES; j++)
            column[j] = across[0] * nodes[j][0] + across[1] * nodes[j][1] + across[2] * nodes[j][2] +
                        across[3] * nodes[j][3];
        for (int y = 0; y < SIDE; y++) {
            const float *down = weights[y];
            pixels[y * SIDE + x] =
                down[0] * column[0] + down[1] * column[1] + down[2] * column[2] + down[3] * column[3];
        }
    }
}

// The pixels between nodes are marched as well.
static void march_rest(const Square *square, const BwFloat4 nodes[NODES][NODES], BwFloat4 pixels[PIXELS])
{
    static const int node_at[SIDE] = {0, -1, 1, -1, -1, 2, -1, 3};
    for (int n = 0; n < PIXELS; n++) {
        int i = node_at[n % SIDE], j = node_at[n / SIDE];
        pixels[n] = i >= 0 && j >= 0 ? nodes[j][i] : march_pixel(square, n);
    }
}

static void put_before(const Square *square, int n, BwFloat4 smoke)
{
    float *light = square->pane->light[in_pane(square, n)].c;
    for (int c = 0; c < 3; c++)
        light[c] = smoke[c] + smoke[3] * light[c];
}

// Water that is nearer than the surface has taken the place of its edge.
static bool has_edge(const Square *square, int n)
{
    int at = in_pane(square, n);
    const BwEdge *edge = &square->pane->edges[at];
    return edge->covered > 0.0f && edge->covered < 1.0f &&
           square->pane->distance[at] == (edge->covered >= 0.5f ? edge->t_front : edge->t_behind);
}

static bool has_edges(const Square *square)
{
    bool has = false;
    for (int y = 0; y < square->height; y++)
        for (int x = 0; x < square->width; x++)
            has = has || has_edge(square, y * SIDE + x);
    return has;
}

// The edge of a surface with smoke before it and more of it behind. Fire is many times brighter than a
// display: a quarter of a pixel of it would be as white as all of it. So what the display shows of either
// side is mixed. What was put before the backdrop since, the pane of a tank, stands behind the surface.
static void draw_edge(const Square *square, int n)
{
    const BwPicture *picture = square->view->picture;
    int at = in_pane(square, n);
    const BwEdge *edge = &square->pane->edges[at];
    BwFloat4 near = march_to(square, n, edge->t_front), all = march_to(square, n, edge->t_behind);
    float *light = square->pane->light[at].c, exposure = picture->exposure;
    if (all[3] == 1.0f)
        return;
    for (int c = 0; c < 3; c++) {
        float front = near[c] + near[3] * edge->front.c[c],
              behind = edge->behind.c[c] + (light[c] - edge->mixed.c[c]) / (1.0f - edge->covered);
        behind = all[c] + all[3] * behind;
        float shown = edge->covered * bw_tone_curve(exposure * front) +
                      (1.0f - edge->covered) * bw_tone_curve(exposure * behind);
        light[c] = bw_tone_inverse(shown) / exposure;
    }
}

static void draw_each(const Square *square)
{
    for (int y = 0; y < square->height; y++)
        for (int x = 0; x < square->width; x++) {
            int n = y * SIDE + x;
            if (has_edge(square, n))
                draw_edge(square, n);
            else
                put_before(square, n, march_pixel(square, n));
        }
}

static void draw_square(const Square *square)
{
    BwFloat4 nodes[NODES][NODES], pixels[PIXELS];
    bool is_whole = square->width == SIDE && square->height == SIDE;
    if (!square->view->is_wide || !is_whole || !is_plane(square) || has_edges(square)) {
        draw_each(square);
        return;
    }
    march_nodes(square, nodes);
    if (is_clear(nodes))
        return;
    if (is_smooth(square, nodes))
        interpolate(nodes, pixels);
    else
        march_rest(square, nodes, pixels);
    for (int n = 0; n < PIXELS; n++)
        put_before(square, n, pixels[n]);
}

void bw_smoke_draw(const BwSmokeView *view, BwPane *pane)
{
    if (view->picture->volume->brick_count == 0)
        return;
    for (int y = 0; y < pane->height_px; y += SIDE)
        for (int x = 0; x < pane->width_px; x += SIDE) {
            int width = pane->width_px - x, height = pane->height_px - y;
            const Square square = {view, pane, y * BW_PANE + x, width < SIDE ? width : SIDE,
                                   height < SIDE ? height : SIDE};
            draw_square(&square);
        }
}
