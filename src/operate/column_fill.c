// Columns from the shapes that a scene fills at the start.
#include "operate/columns.h"

#include "domain/measure.h"

#include <math.h>

// Points along a cell of a column that are asked whether they are filled; and halvings of the way between the
// last that is and the first that is not.
enum { POINTS = 8, HALVINGS = 20 };

static bool is_filled(const BwShape *const *shapes, int count, BwVec3 point)
{
    for (int n = 0; n < count; n++)
        if (bw_shape_distance(shapes[n], point) < 0.0f)
            return true;
    return false;
}

// Where between a filled place and one above it the surface is, m.
static double find_top(const BwShape *const *shapes, int count, BwVec3 place, double low, double high)
{
    for (int n = 0; n < HALVINGS; n++) {
        double middle = 0.5 * (low + high);
        place.y = (float)middle;
        if (is_filled(shapes, count, place))
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

// Fills one column; gives how much room below its surface is not filled, m.
static double fill_column(BwColumns *columns, int64_t n, const BwShape *const *shapes, int count)
{
    double h = (double)columns->grid->cell_size, gap = 0.0, top = -(double)INFINITY;
    int32_t i = (int32_t)(n % columns->count[0]), k = (int32_t)(n / columns->count[0]);
    BwVec3 place = {(float)((columns->low[0] + i + 0.5) * h), 0.0f,
                    columns->grid->dimension == 2 ? 0.0f : (float)((columns->low[2] + k + 0.5) * h)};
    for (int64_t p = (int64_t)columns->count[1] * POINTS - 1; p >= 0; p--) {
        double y = bw_column_level(columns, 0) + ((double)p + 0.5) / POINTS * h;
        place.y = (float)y;
        bool has_room = columns->room[n * columns->count[1] + p / POINTS] > 0.0f;
        bool is_in = is_filled(shapes, count, place);
        if (is_in && has_room && isinf(top))
            top = find_top(shapes, count, place, y, y + h / POINTS);
        else if (!is_in && has_room && !isinf(top))
            gap += h / POINTS;
    }
    columns->water[n] = isinf(top) ? 0.0 : bw_column_water_below(columns, n, top);
    return gap;
}

BwResult bw_columns_fill(BwColumns *columns, const BwShape *const *shapes, int count, BwError *err)
{
    double h = (double)columns->grid->cell_size;
    for (int64_t n = 0; n < columns->columns; n++) {
        double gap = bw_column_is_there(columns, n) ? fill_column(columns, n, shapes, count) : 0.0;
        if (gap > 1.01 * h)
            return bw_fail(
                err, BW_ERR_SCENE,
                "the fills leave %g m of air below their surface at x = %g, z = %g m; liquid.method "
                "= \"height\" has one height over each place",
                gap, (columns->low[0] + (double)(n % columns->count[0]) + 0.5) * h,
                (columns->low[2] + (double)(n / columns->count[0]) + 0.5) * h);
    }
    return BW_OK;
}
