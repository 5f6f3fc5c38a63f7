// Distances and windings, edge by edge.
#include "grid/polygon_distance.h"

#include <math.h>
#include <string.h>

static int64_t cells_of(const BwPolygonDistance *lattice)
{
    return (int64_t)lattice->count[0] * lattice->count[1];
}

void bw_polygon_distance_begin(BwPolygonDistance *lattice)
{
    memset(lattice->winding, 0, (size_t)cells_of(lattice) * sizeof *lattice->winding);
    for (int64_t n = 0; n < cells_of(lattice); n++) {
        lattice->distance[n] = (float)lattice->band;
        if (lattice->nearest != NULL)
            lattice->nearest[n] = -1;
    }
}

// In cells, from a place to an edge.
static double edge_distance(const double a[2], const double b[2], const double place[2])
{
    double along[2] = {b[0] - a[0], b[1] - a[1]}, from[2] = {place[0] - a[0], place[1] - a[1]};
    double square = along[0] * along[0] + along[1] * along[1];
    double share = square > 0.0 ? (from[0] * along[0] + from[1] * along[1]) / square : 0.0;
    share = fmin(fmax(share, 0.0), 1.0);
    double x = from[0] - share * along[0], y = from[1] - share * along[1];
    return sqrt(x * x + y * y);
}

static void spread_edge(BwPolygonDistance *lattice, const double a[2], const double b[2], int32_t number)
{
    double band = lattice->band / lattice->side;
    int64_t low[2], high[2];
    for (int n = 0; n < 2; n++) {
        low[n] = (int64_t)fmax(floor(fmin(a[n], b[n]) - band), 0.0);
        high[n] = (int64_t)fmin(floor(fmax(a[n], b[n]) + band), lattice->count[n] - 1.0);
    }
    for (int64_t j = low[1]; j <= high[1]; j++)
        for (int64_t i = low[0]; i <= high[0]; i++) {
            const double place[2] = {(double)i + 0.5, (double)j + 0.5};
            int64_t cell = j * lattice->count[0] + i;
            float distance = (float)(lattice->side * edge_distance(a, b, place));
            if (!(distance < lattice->distance[cell]))
                continue;
            lattice->distance[cell] = distance;
            if (lattice->nearest != NULL)
                lattice->nearest[cell] = number;
        }
}

// An edge that passes a row of centres on its way up has all of those to its left inside.
static void wind_edge(BwPolygonDistance *lattice, const double a[2], const double b[2])
{
    double low = fmin(a[1], b[1]) - 0.5, high = fmax(a[1], b[1]) - 0.5;
    for (int64_t j = (int64_t)fmax(ceil(low), 0.0); (double)j < high && j < lattice->count[1]; j++) {
        double x = a[0] + ((double)j + 0.5 - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        int64_t last = (int64_t)fmin(ceil(x - 0.5), (double)lattice->count[0]) - 1;
        if (last >= 0)
            lattice->winding[j * lattice->count[0] + last] += b[1] > a[1] ? 1 : -1;
    }
}

void bw_polygon_distance_add(BwPolygonDistance *lattice, const double from[2], const double to[2],
                             int32_t number)
{
    double a[2], b[2];
    for (int n = 0; n < 2; n++) {
        a[n] = (from[n] - lattice->low[n]) / lattice->side;
        b[n] = (to[n] - lattice->low[n]) / lattice->side;
        if (!(fabs(a[n]) < 1e9 && fabs(b[n]) < 1e9))
            return;
    }
    spread_edge(lattice, a, b, number);
    wind_edge(lattice, a, b);
}

void bw_polygon_distance_end(BwPolygonDistance *lattice)
{
    for (int64_t j = 0; j < lattice->count[1]; j++) {
        int32_t *row = lattice->winding + j * lattice->count[0], sum = 0;
        float *distance = lattice->distance + j * lattice->count[0];
        for (int64_t i = lattice->count[0] - 1; i >= 0; i--) {
            row[i] = sum += row[i];
            if (row[i] > 0)
                distance[i] = -distance[i];
        }
    }
}
