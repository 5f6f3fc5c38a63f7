// Periods of smoke, which lives on tiles: the two ends of a periodic axis are joined where tiles end.
#include "scene/check.h"

#include "base/number_text.h"
#include "scene/box_cells.h"
#include "scene/gas.h"

enum { TILE = 8 };

// Walls along one axis, in metres, and the cells that they hold.
typedef struct Span {
    double low, high, cell;
    int32_t first, last;
} Span;

static Span span_of(const BwSceneDef *def, int axis)
{
    const float low[3] = {def->walls.min.x, def->walls.min.y, def->walls.min.z};
    const float high[3] = {def->walls.max.x, def->walls.max.y, def->walls.max.z};
    return (Span){(double)low[axis], (double)high[axis], (double)def->cell,
                  bw_cell_floor(low[axis], def->cell), bw_cell_ceil(high[axis], def->cell)};
}

// Cells grow outwards from the walls, so walls inside of them are told apart from walls on their ends.
static bool is_whole(double cells, int32_t nearest)
{
    return fabs(cells - nearest) <= 1e-3 + fabs(cells) * 1e-6;
}

static bool fits_tiles(const Span *span)
{
    return span->first % TILE == 0 && span->last % TILE == 0 &&
           is_whole(span->low / span->cell, span->first) && is_whole(span->high / span->cell, span->last);
}

// The largest cell, of about the one given or smaller, that makes whole tiles of these walls; 0 when none
// does.
static double fitting_cell(const Span *span, double tiles)
{
    double length = span->high - span->low;
    for (double n = tiles; n <= 4.0 * tiles; n++) {
        double start = span->low / length * n;
        if (fabs(start - round(start)) < 1e-6 * (1.0 + fabs(start)))
            return length / (n * TILE);
    }
    return 0.0;
}

static BwResult fail_period(const Span *span, int axis, const BwPlace *place, BwError *err)
{
    double tile = TILE * span->cell, tiles = fmax(1.0, round((span->high - span->low) / tile + 1e-3));
    double low = round(span->low / tile) * tile, cell = fitting_cell(span, tiles);
    char other[48] = "";
    if (cell > 0.0)
        bw_text_print(other, sizeof other, ", or scene.cell = %.8g", cell);
    return bw_fail_at(err, place, "periodic",
                      "has \"%c\", along which the box begins at cell %.6g and is %.6g cells long; a period "
                      "begins and ends at multiples of %d cells: make it %.8g to %.8g m%s",
                      "xyz"[axis], span -> low / span -> cell, (span->high - span->low) / span -> cell, TILE,
                      low + 0.0, low + tiles * tile, other);
}

BwResult bw_check_periods(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    if (!def->has_walls || !bw_is_gas(def->fluid)) // the stable box has arrays of any length
        return BW_OK;
    BwPlace place = bw_origin(origins, bw_constructor_find("walls"), 0);
    for (int axis = 0; axis < def->dimension; axis++) {
        Span span = span_of(def, axis);
        if (def->walls.periodic[axis] && !fits_tiles(&span))
            return fail_period(&span, axis, &place, err);
    }
    return BW_OK;
}
