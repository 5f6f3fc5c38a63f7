// Particles become balls; meshes and the surface of columns become triangles with smooth normals. Places are
// counted from the eye, in double until they are, so that a scene far from the origin is drawn as well.
#include "render/things_gather.h"

#include "render/water_mesh.h"

#include <math.h>
#include <string.h>

#define DROP_SMALLEST 0.25f // of the particles' radius
#define OUTSIDE       0.3f  // cells above the surface: what is nearer to it is part of it
#define BEYOND_MESH   0.8f  // cells from the mesh, which is nearer to the particles within it
#define DEEP          1.5f  // cells below that of the level set, in which the mesh is water too

// What has no colour of its own is water.
static const float water_color[3] = {0.45f, 0.62f, 0.74f};

// But for drops full of air.
static const float foam_color[3] = {0.92f, 0.95f, 0.97f};

static bool is_white_water(const char *name)
{
    return strcmp(name, "spray") == 0 || strcmp(name, "foam") == 0;
}

// The "color" of a set, or NULL.
static const float *colors_of(const BwFrameAttribute *attributes, int count)
{
    const BwFrameAttribute *color = bw_frame_attribute(attributes, count, "color");
    return color != NULL && color->components == 3 ? color->values : NULL;
}

static void put_color(float to[3], const float *colors, int64_t n)
{
    for (int c = 0; c < 3; c++) {
        float value = colors != NULL ? colors[3 * n + c] : water_color[c];
        to[c] = isfinite(value) ? fminf(fmaxf(value, 0.0f), 1.0f) : water_color[c];
    }
}

static BwVec3 from_eye(const double place[3], const double eye[3])
{
    return bw_vec3((float)(place[0] - eye[0]), (float)(place[1] - eye[1]), (float)(place[2] - eye[2]));
}

// The particles of one set, on their way to balls.
typedef struct Particles {
    const BwFrame *frame;
    const BwFrameParticles *set;
    const BwDropLook *look;
    BwDropMode mode;
    const float *colors, *velocities; // NULL: they have none
    const float *drop_velocities;     // NULL: drops stand still
    const int32_t *ids;
    const float *radii; // m; NULL: all have that of the set
    bool is_white;
    const double *eye;
    BwBall *balls;
} Particles;

// Whether a place is so far above the surface that it is no part of it.
static bool is_beyond(const Particles *particles, const double place[3])
{
    const BwWater *water = particles->look->water;
    float at[3];
    if (particles->frame->dimension == 2)
        return bw_flat_water_distance(particles->frame, &particles->look->walls, place) > OUTSIDE;
    bw_water_place(water, place, at);
    float height = bw_water_distance(water, at, NULL);
    if (water->mesh == NULL || height < -DEEP)
        return height > OUTSIDE;
    return bw_water_mesh_is_beyond(water->mesh, at, BEYOND_MESH);
}

static void color_by_speed(const Particles *particles, int64_t n, float color[3])
{
    static const float slow[3] = {0.03f, 0.20f, 0.62f}, middle[3] = {0.25f, 0.60f, 0.92f};
    const float *v = particles->velocities + 3 * n;
    float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    float share = speed < particles->look->fast ? speed / particles->look->fast : 1.0f;
    for (int c = 0; c < 3; c++)
        color[c] = share < 0.5f ? slow[c] + 2.0f * share * (middle[c] - slow[c])
                                : middle[c] + (2.0f * share - 1.0f) * (1.0f - middle[c]);
}

// Drops are of all sizes, mostly small, each of its own for as long as it has its number.
static float drop_size(const Particles *particles, int64_t n)
{
    uint32_t h = particles->ids != NULL ? (uint32_t)particles->ids[n] : (uint32_t)n;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    float share = (float)((h ^ h >> 15) >> 8) / 16777216.0f;
    return DROP_SMALLEST + (1.0f - DROP_SMALLEST) * share * share * share;
}

static BwVec3 way_of_drop(const Particles *particles, int64_t n)
{
    const float *v = particles->drop_velocities + 3 * n;
    BwVec3 way = bw_mul(bw_vec3(v[0], v[1], v[2]), particles->look->shutter);
    return isfinite(bw_dot(way, way)) ? way : bw_vec3(0.0f, 0.0f, 0.0f);
}

// Balls that are not drawn get no radius.
static void fill_balls(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Particles *particles = context;
    for (int64_t n = begin; n < end; n++) {
        double place[3];
        BwBall *ball = &particles->balls[n];
        bw_frame_particle_place(particles->frame, particles->set, n, place);
        *ball = (BwBall){.center = from_eye(place, particles->eye),
                         .radius = particles->radii != NULL ? particles->radii[n] : particles->set->radius,
                         .share = 1.0f,
                         .is_drop = particles->mode == BW_DROPS_OUTSIDE};
        if (ball->is_drop && is_beyond(particles, place))
            ball->radius *= drop_size(particles, n);
        else if (ball->is_drop)
            ball->radius = -1.0f;
        if (ball->is_drop && particles->drop_velocities != NULL)
            ball->way = way_of_drop(particles, n);
        put_color(ball->color, particles->colors, n);
        if (particles->is_white)
            memcpy(ball->color, foam_color, sizeof ball->color);
        if (ball->is_drop && particles->colors == NULL)
            memcpy(ball->color, particles->look->color, sizeof ball->color);
        else if (particles->mode == BW_DROPS_BY_SPEED && particles->velocities != NULL)
            color_by_speed(particles, n, ball->color);
    }
}

static BwResult add_particles(BwThings *things, BwPool *pool, Particles *particles, BwError *err)
{
    const BwFrameParticles *set = particles->set;
    const BwFrameAttribute *velocity = bw_frame_attribute(set->attributes, set->attribute_count, "velocity");
    BW_TRY(bw_reserve(&things->allocator, (void **)&things->balls, &things->ball_capacity,
                      things->ball_count + set->count, sizeof *things->balls, err));
    bool is_water = strcmp(set->name, "water") == 0 || strcmp(set->name, "surface") == 0;
    particles->mode = is_water ? particles->look->mode : BW_DROPS_PLAIN;
    particles->colors = colors_of(set->attributes, set->attribute_count);
    const float *velocities = velocity != NULL && velocity->components == 3 ? velocity->values : NULL;
    particles->velocities = particles->colors == NULL ? velocities : NULL;
    particles->drop_velocities = particles->look->shutter > 0.0f ? velocities : NULL;
    const BwFrameAttribute *id = bw_frame_attribute(set->attributes, set->attribute_count, "id");
    particles->ids = id != NULL && id->components == 1 ? id->integers : NULL;
    const BwFrameAttribute *radius = bw_frame_attribute(set->attributes, set->attribute_count, "radius");
    particles->radii = radius != NULL && radius->components == 1 ? radius->values : NULL;
    particles->is_white = particles->colors == NULL && is_white_water(set->name);
    particles->balls = things->balls + things->ball_count;
    bw_parallel_for(pool, set->count, 4096, fill_balls, particles);
    for (int64_t n = 0; n < set->count; n++)
        if (!(particles->balls[n].radius < 0.0f))
            things->balls[things->ball_count++] = particles->balls[n];
    things->has_drops |=
        particles->mode == BW_DROPS_OUTSIDE && particles->balls != things->balls + things->ball_count;
    return BW_OK;
}

// Room for corners and triangles; those after the present ones are the caller's to fill.
static BwResult make_room(BwThings *things, int64_t corners, int64_t triangles, BwError *err)
{
    const BwAllocator *allocator = &things->allocator;
    int64_t corner_count = things->corner_count + corners;
    if (corner_count > INT32_MAX)
        return bw_fail(err, BW_ERR_DEF, "the frame's surfaces have %lld corners; pictures take %d",
                       (long long)corner_count, INT32_MAX);
    BW_TRY(bw_reserve(allocator, (void **)&things->places, &things->place_capacity, corner_count,
                      sizeof *things->places, err));
    BW_TRY(bw_reserve(allocator, (void **)&things->normals, &things->normal_capacity, corner_count,
                      sizeof *things->normals, err));
    BW_TRY(bw_reserve(allocator, (void **)&things->colors, &things->color_capacity, corner_count,
                      sizeof *things->colors, err));
    return bw_reserve(allocator, (void **)&things->triangles, &things->triangle_capacity,
                      things->triangle_count + triangles, sizeof *things->triangles, err);
}

static void add_corner(BwThings *things, BwVec3 place, const float *colors, int64_t n)
{
    things->places[things->corner_count] = place;
    things->normals[things->corner_count] = bw_vec3(0.0f, 0.0f, 0.0f);
    put_color(things->colors[things->corner_count++], colors, n);
}

// The normal of a corner is that of its triangles, each by its area: the length of the cross product.
static void add_triangle(BwThings *things, int64_t a, int64_t b, int64_t c)
{
    const int64_t corners[3] = {a, b, c};
    BwVec3 normal =
        bw_cross(bw_sub(things->places[b], things->places[a]), bw_sub(things->places[c], things->places[a]));
    int32_t *triangle = things->triangles[things->triangle_count++];
    for (int n = 0; n < 3; n++) {
        triangle[n] = (int32_t)corners[n];
        things->normals[corners[n]] = bw_add(things->normals[corners[n]], normal);
    }
}

static BwResult add_mesh(BwThings *things, const BwFrameMesh *mesh, const double eye[3], BwError *err)
{
    const float *colors = colors_of(mesh->attributes, mesh->attribute_count);
    int64_t first = things->corner_count;
    BW_TRY(make_room(things, mesh->vertex_count, mesh->triangle_count, err));
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        BwVec3 vertex = mesh->vertices[n];
        const double place[3] = {mesh->origin[0] + (double)vertex.x, mesh->origin[1] + (double)vertex.y,
                                 mesh->origin[2] + (double)vertex.z};
        add_corner(things, from_eye(place, eye), colors, n);
    }
    for (int32_t n = 0; n < mesh->triangle_count; n++) {
        const int32_t *corners = mesh->triangles[n];
        add_triangle(things, first + corners[0], first + corners[1], first + corners[2]);
    }
    return BW_OK;
}

// The columns of a set that is being added.
typedef struct Water {
    const BwFrameColumns *set;
    const float *depths; // NULL: all are wet
    const double *eye;
    float bottom;
} Water;

static bool is_wet(const Water *water, int64_t n)
{
    return water->depths == NULL || water->depths[n] > 0.0f;
}

static BwVec3 column_top(const Water *water, int32_t i, int32_t k)
{
    const BwFrameColumns *set = water->set;
    double h = (double)set->cell_size;
    const double place[3] = {(set->low[0] + i + 0.5) * h,
                             (double)set->heights[(int64_t)k * set->count[0] + i],
                             (set->low[1] + k + 0.5) * h};
    return from_eye(place, water->eye);
}

// The surface through the tops of wet columns, two triangles between four of them.
static BwResult add_surface(BwThings *things, const Water *water, const float *colors, BwError *err)
{
    const BwFrameColumns *set = water->set;
    int64_t first = things->corner_count, row = set->count[0];
    BW_TRY(make_room(things, row * set->count[1], 2 * row * set->count[1], err));
    for (int32_t k = 0; k < set->count[1]; k++)
        for (int32_t i = 0; i < set->count[0]; i++)
            add_corner(things, column_top(water, i, k), colors, k * row + i);
    for (int64_t k = 0; k + 1 < set->count[1]; k++)
        for (int64_t i = 0; i + 1 < row; i++) {
            int64_t n = k * row + i;
            if (!is_wet(water, n) || !is_wet(water, n + 1) || !is_wet(water, n + row) ||
                !is_wet(water, n + row + 1))
                continue;
            add_triangle(things, first + n, first + n + row, first + n + row + 1);
            add_triangle(things, first + n, first + n + row + 1, first + n + 1);
        }
    return BW_OK;
}

// In flat pictures: the water itself, from its surface to the ground.
static BwResult add_section(BwThings *things, const Water *water, const float *colors, BwError *err)
{
    const BwFrameColumns *set = water->set;
    int64_t first = things->corner_count;
    BW_TRY(make_room(things, 2 * (int64_t)set->count[0], 2 * (int64_t)set->count[0], err));
    for (int32_t i = 0; i < set->count[0]; i++) {
        BwVec3 top = column_top(water, i, 0), low = top;
        top.z = low.z = (float)-water->eye[2];
        low.y = water->depths != NULL ? top.y - fmaxf(water->depths[i], 0.0f)
                                      : (float)((double)water->bottom - water->eye[1]);
        add_corner(things, top, colors, i);
        add_corner(things, low, colors, i);
    }
    for (int64_t i = 0; i + 1 < set->count[0]; i++) {
        int64_t n = first + 2 * i;
        if (!is_wet(water, i) && !is_wet(water, i + 1))
            continue;
        add_triangle(things, n, n + 1, n + 3);
        add_triangle(things, n, n + 3, n + 2);
    }
    return BW_OK;
}

static BwResult add_columns(BwThings *things, const BwFrame *frame, const BwFrameColumns *set,
                            const double eye[3], float bottom, BwError *err)
{
    const BwFrameAttribute *depth = bw_frame_attribute(set->attributes, set->attribute_count, "depth");
    const float *colors = colors_of(set->attributes, set->attribute_count);
    Water water = {set, depth != NULL && depth->components == 1 ? depth->values : NULL, eye, bottom};
    if (set->count[0] == 0 || set->count[1] == 0)
        return BW_OK;
    return frame->dimension == 2 ? add_section(things, &water, colors, err)
                                 : add_surface(things, &water, colors, err);
}

BwResult bw_things_gather(BwThings *things, BwPool *pool, const BwFrame *frame, const BwDropLook *look,
                          const double eye[3], float bottom, BwError *err)
{
    things->corner_count = things->triangle_count = things->ball_count = 0;
    things->has_drops = false;
    for (int n = 0; n < frame->mesh_count; n++)
        BW_TRY(add_mesh(things, &frame->meshes[n], eye, err));
    // Columns below a level set are drawn by that.
    bool has_surface = bw_frame_field(frame, "phi") != NULL;
    for (int n = 0; n < frame->column_set_count && !has_surface; n++)
        BW_TRY(add_columns(things, frame, &frame->columns[n], eye, bottom, err));
    for (int n = 0; n < frame->particle_set_count; n++) {
        if (strcmp(frame->particles[n].name, "surface") == 0 && look->mode != BW_DROPS_BY_SPEED)
            continue; // chains are seen by what they enclose
        Particles particles = {.frame = frame, .set = &frame->particles[n], .look = look, .eye = eye};
        BW_TRY(add_particles(things, pool, &particles, err));
    }
    for (int64_t n = 0; n < things->corner_count; n++)
        things->normals[n] = bw_normalize(things->normals[n]);
    return BW_OK;
}
