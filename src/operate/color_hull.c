// Hulls of colours by trying all planes through them: colours of a scene are few.
#include "operate/color_hull.h"

#include <math.h>
#include <string.h>

// Colours this near to a line or plane lie in it.
static const double flat = 1e-5;

typedef struct Corners {
    double (*at)[3]; // coordinates of the colours that differ
    int count;
} Corners;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool normalize(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int a = 0; a < 3; a++)
        v[a] /= length > flat ? length : 1.0;
    return length > flat;
}

static void keep_different(Corners *corners, const float (*colors)[3], int count)
{
    for (int n = 0; n < count; n++) {
        bool is_new = true;
        for (int m = 0; m < corners->count && is_new; m++)
            is_new =
                !(corners->at[m][0] == (double)colors[n][0] && corners->at[m][1] == (double)colors[n][1] &&
                  corners->at[m][2] == (double)colors[n][2]);
        for (int c = 0; c < 3 && is_new; c++)
            corners->at[corners->count][c] = (double)colors[n][c];
        corners->count += is_new;
    }
}

// What is left of a colour's way from the first one, off the axes so far.
static void off_axes(const Corners *corners, int n, const double (*axes)[3], int axis_count, double left[3])
{
    for (int c = 0; c < 3; c++)
        left[c] = corners->at[n][c] - corners->at[0][c];
    for (int a = 0; a < axis_count; a++) {
        double along = dot(left, axes[a]);
        for (int c = 0; c < 3; c++)
            left[c] -= along * axes[a][c];
    }
}

// Unit axes of the line, plane or space of the colours, each towards the colour that is farthest off those
// before it.
static int find_axes(const Corners *corners, double axes[3][3])
{
    int count = 0;
    for (; count < 3; count++) {
        double farthest = 0.0, left[3], best[3] = {0};
        for (int n = 1; n < corners->count; n++) {
            off_axes(corners, n, axes, count, left);
            if (dot(left, left) > farthest) {
                farthest = dot(left, left);
                memcpy(best, left, sizeof best);
            }
        }
        if (!normalize(best))
            return count;
        memcpy(axes[count], best, sizeof best);
    }
    memcpy(axes, (double[3][3]){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 9 * sizeof(double));
    return count;
}

// From colours to coordinates, the lowest of each 0.
static void set_coordinates(BwColorHull *hull, Corners *corners, const double axes[3][3])
{
    double corner[3], low[3] = {0};
    memcpy(corner, corners->at[0], sizeof corner);
    for (int n = 0; n < corners->count; n++) {
        double way[3], at[3] = {0};
        for (int c = 0; c < 3; c++)
            way[c] = corners->at[n][c] - corner[c];
        for (int a = 0; a < hull->dimension; a++) {
            at[a] = dot(way, axes[a]);
            low[a] = fmin(low[a], at[a]);
        }
        memcpy(corners->at[n], at, sizeof at);
    }
    for (int a = 0; a < hull->dimension; a++) {
        for (int n = 0; n < corners->count; n++)
            corners->at[n][a] -= low[a];
        for (int c = 0; c < 3; c++) {
            hull->axis[a][c] = (float)axes[a][c];
            corner[c] += low[a] * axes[a][c];
        }
    }
    for (int c = 0; c < 3; c++)
        hull->corner[c] = (float)corner[c];
}

static void find_middle(BwColorHull *hull, const Corners *corners)
{
    for (int a = 0; a < 3; a++) {
        double sum = 0.0;
        for (int n = 0; n < corners->count; n++)
            sum += corners->at[n][a];
        hull->middle[a] = (float)(sum / corners->count);
    }
}

// The plane of that normal that all colours lie below.
static void add_plane(BwColorHull *hull, const Corners *corners, const double normal[3])
{
    double top = -INFINITY;
    for (int p = 0; p < hull->plane_count; p++) {
        double apart = 0.0; // planes through other colours of the same face are the same but for rounding
        for (int a = 0; a < 3; a++)
            apart = fmax(apart, fabs(normal[a] - (double)hull->normal[p][a]));
        if (apart < 1e-6)
            return;
    }
    const double middle[3] = {(double)hull->middle[0], (double)hull->middle[1], (double)hull->middle[2]};
    for (int n = 0; n < corners->count; n++)
        top = fmax(top, dot(normal, corners->at[n]));
    if (hull->plane_count == BW_HULL_PLANES_MAX)
        return;
    for (int a = 0; a < 3; a++)
        hull->normal[hull->plane_count][a] = (float)normal[a];
    hull->bound[hull->plane_count++] = (float)fmax(top - dot(normal, middle), 0.0);
}

// Adds the plane through some of the colours, where all others lie on one side of it.
static void try_plane(BwColorHull *hull, const Corners *corners, const int through[3])
{
    const double(*at)[3] = (const double(*)[3])corners->at;
    double u[3], v[3] = {0.0, 0.0, 1.0}, normal[3];
    for (int a = 0; a < 3; a++) {
        u[a] = at[through[1]][a] - at[through[0]][a];
        v[a] = hull->dimension == 3 ? at[through[2]][a] - at[through[0]][a] : v[a];
    }
    for (int a = 0; a < 3; a++)
        normal[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
    if (!normalize(normal))
        return;
    double here = dot(normal, at[through[0]]), above = 0.0, below = 0.0;
    for (int n = 0; n < corners->count; n++) {
        above = fmax(above, dot(normal, at[n]) - here);
        below = fmax(below, here - dot(normal, at[n]));
    }
    if (above <= flat)
        add_plane(hull, corners, normal);
    if (below <= flat)
        add_plane(hull, corners, (const double[3]){-normal[0], -normal[1], -normal[2]});
}

static void try_all_planes(BwColorHull *hull, const Corners *corners)
{
    for (int i = 0; i < corners->count; i++)
        for (int j = i + 1; j < corners->count; j++)
            for (int k = hull->dimension == 3 ? j + 1 : 0; k < (hull->dimension == 3 ? corners->count : 1);
                 k++)
                try_plane(hull, corners, (const int[3]){i, j, k});
}

// Towards the faces, edges and corners of a cube, as far as there are dimensions.
static void add_fixed_planes(BwColorHull *hull, const Corners *corners)
{
    for (int n = 0; n < 27; n++) {
        double normal[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        bool is_beyond = false;
        for (int a = hull->dimension; a < 3; a++)
            is_beyond |= normal[a] != 0.0;
        if (!is_beyond && normalize(normal))
            add_plane(hull, corners, normal);
    }
}

BwResult bw_color_hull_make(BwColorHull *hull, const float (*colors)[3], int count,
                            const BwAllocator *allocator, BwError *err)
{
    size_t size = (size_t)count * sizeof(double[3]);
    Corners corners = {.at = bw_alloc(allocator, size, BW_ALIGN)};
    *hull = (BwColorHull){0};
    if (corners.at == NULL)
        return bw_fail_memory(err);
    double axes[3][3] = {{0}};
    keep_different(&corners, colors, count);
    hull->dimension = find_axes(&corners, axes);
    set_coordinates(hull, &corners, (const double(*)[3])axes);
    find_middle(hull, &corners);
    if (hull->dimension == 1 || corners.count > BW_HULL_COLORS_MAX)
        add_fixed_planes(hull, &corners);
    else if (hull->dimension > 1)
        try_all_planes(hull, &corners);
    bw_free(allocator, corners.at, size, BW_ALIGN);
    return BW_OK;
}

void bw_color_hull_coordinates(const BwColorHull *hull, const float color[3], float at[3])
{
    for (int a = 0; a < 3; a++) {
        double sum = 0.0;
        for (int c = 0; c < 3; c++)
            sum += ((double)color[c] - (double)hull->corner[c]) * (double)hull->axis[a][c];
        at[a] = a < hull->dimension ? fmaxf((float)sum, 0.0f) : 0.0f;
    }
}

void bw_color_hull_color(const BwColorHull *hull, const float at[3], float color[3])
{
    for (int c = 0; c < 3; c++) {
        float sum = hull->corner[c];
        for (int a = 0; a < hull->dimension; a++)
            sum += at[a] * hull->axis[a][c];
        color[c] = fminf(fmaxf(sum, 0.0f), 1.0f);
    }
}

static float along(const BwColorHull *hull, int plane, const float v[3])
{
    return hull->normal[plane][0] * v[0] + hull->normal[plane][1] * v[1] + hull->normal[plane][2] * v[2];
}

// From plane to plane that it is beyond, straight onto each; that ends at most hulls after a round or two.
static bool step_onto_planes(const BwColorHull *hull, float density, float v[3])
{
    bool is_inside = true;
    for (int p = 0; p < hull->plane_count; p++) {
        float beyond = along(hull, p, v) - density * hull->bound[p];
        if (!(beyond > 0.0f))
            continue;
        is_inside = false;
        for (int a = 0; a < 3; a++)
            v[a] -= beyond * hull->normal[p][a];
    }
    return is_inside;
}

// What is left is drawn towards the middle.
static void draw_inwards(const BwColorHull *hull, float density, float v[3])
{
    float part = 1.0f;
    for (int p = 0; p < hull->plane_count; p++) {
        float bound = density * hull->bound[p], way = along(hull, p, v);
        part = way > bound ? fminf(part, bound / way) : part;
    }
    for (int a = 0; a < 3; a++)
        v[a] *= part;
}

void bw_color_hull_hold(const BwColorHull *hull, float density, float at[3])
{
    enum { ROUNDS = 4 };
    float v[3];
    for (int a = 0; a < 3; a++)
        v[a] = at[a] - density * hull->middle[a];
    for (int n = 0; n < ROUNDS; n++)
        if (step_onto_planes(hull, density, v)) {
            if (n > 0)
                break;
            return; // inside, and not a bit of it changes
        }
    draw_inwards(hull, density, v);
    for (int a = 0; a < 3; a++)
        at[a] = fmaxf(v[a] + density * hull->middle[a], 0.0f);
}

float bw_color_hull_room(const BwColorHull *hull, float density, const float at[3], const float way[3],
                         float length, bool and_back)
{
    const float sideways = 1e-4f * length;
    float v[3], room = INFINITY;
    for (int a = 0; a < 3; a++)
        v[a] = at[a] - density * hull->middle[a];
    for (int p = 0; p < hull->plane_count && room > 0.0f; p++) {
        float speed = along(hull, p, way), slack = density * hull->bound[p] - along(hull, p, v);
        speed = and_back && speed < 0.0f ? -speed : speed;
        slack = slack > 0.0f ? slack : 0.0f;
        if (speed > sideways && slack < room * speed)
            room = slack / speed;
    }
    return room;
}
