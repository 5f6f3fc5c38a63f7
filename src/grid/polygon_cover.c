// Edges are cut where they pass from cell to cell, along the longer way first: a piece lies in one cell.
#include "grid/polygon_cover.h"

#include <math.h>

typedef struct Edge {
    BwPolygonCover *cover;
    BwEdgeFn *pass;
    void *context;
} Edge;

// A piece within row j that ends within column i, in cells.
static void add_piece(const Edge *edge, int64_t i, int64_t j, const double from[2], const double to[2])
{
    BwPolygonCover *cover = edge->cover;
    double rise = to[1] - from[1], part = 0.5 * (from[0] + to[0]) - (double)i;
    if (j < 0 || j >= cover->count[1] || i < 0)
        return;
    double *row = cover->share + j * cover->count[0];
    if (i >= cover->count[0]) {
        row[cover->count[0] - 1] += rise;
        return;
    }
    row[i] += rise * part;
    if (i > 0)
        row[i - 1] += rise * (1.0 - part);
    if (edge->pass != NULL)
        edge->pass(edge->context, (int32_t)i, (int32_t)j, hypot(to[0] - from[0], rise));
}

// Calls for each whole number that a way passes would take a list of them; it is walked instead. The next cut
// of a way from a to b, from its share t on, b if there is none.
static double next_cut(double a, double b, double t)
{
    double at = a + t * (b - a), next = b > a ? floor(at) + 1.0 : ceil(at) - 1.0;
    double cut = (next - a) / (b - a);
    return cut > t ? cut : fmin(t + 1e-12, 1.0);
}

static void between(const double a[2], const double b[2], double t, double place[2])
{
    for (int n = 0; n < 2; n++)
        place[n] = a[n] + t * (b[n] - a[n]);
}

void bw_cover_add_edge(BwPolygonCover *cover, const double from[2], const double to[2], BwEdgeFn *pass,
                       void *context)
{
    const Edge edge = {cover, pass, context};
    double a[2], b[2], start[2], end[2], t = 0.0;
    for (int n = 0; n < 2; n++) {
        a[n] = (from[n] - cover->low[n]) / cover->side;
        b[n] = (to[n] - cover->low[n]) / cover->side;
        if (!(fabs(a[n]) < 1e9 && fabs(b[n]) < 1e9))
            return;
    }
    between(a, b, 0.0, start);
    while (t < 1.0) {
        double next = 1.0;
        for (int n = 0; n < 2; n++)
            if (a[n] != b[n])
                next = fmin(next, next_cut(a[n], b[n], t));
        between(a, b, next, end);
        add_piece(&edge, (int64_t)floor(0.5 * (start[0] + end[0])), (int64_t)floor(0.5 * (start[1] + end[1])),
                  start, end);
        start[0] = end[0];
        start[1] = end[1];
        t = next;
    }
}

void bw_cover_finish(BwPolygonCover *cover)
{
    for (int64_t j = 0; j < cover->count[1]; j++) {
        double *row = cover->share + j * cover->count[0], sum = 0.0;
        for (int64_t i = cover->count[0] - 1; i >= 0; i--)
            row[i] = sum += row[i];
    }
}
