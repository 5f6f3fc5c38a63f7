// Flat pictures of 2-D frames: smoke by its density, warmer where it is hotter than the air around it, which
// is its background; fire by what glows in it; particles and water in their colours, solids with clean edges.
// Frames without density show how fast the fluid moves.
#include "render/fire_light.h"
#include "render/flat_water.h"
#include "render/picture.h"
#include "render/tone.h"

#include <string.h>

enum { SOLIDS_MAX = 64 }; // whose distances are remembered along a row

#define FLAT_FOAM 0.45f  // of white in the fastest water
#define HEAT_WARM 150.0f // K above ambient at which smoke is well on its way to the colour of a flame

// Samples of one field at a place given in cells, smoothed by the cubic B-spline: it never overshoots, and
// its second derivative is continuous, so no cells show however large they are drawn. Pixels come row by row,
// from the left: what a column of cells adds to a row is the same for all pixels that it reaches.
typedef struct FlatField {
    const BwFrame *frame;
    const BwFrameField *field;
    float offset[2];            // where in its cell a sample sits
    const BwFrameField *weight; // what values are multiplied by; NULL: by nothing
    BwFlatWalls walls;          // the cells it is known in
    int32_t row;                // the lowest of the four rows of cells that reach the row of pixels
    float row_weights[4];
    int32_t column; // the leftmost of the four columns that reach the pixel
    float columns[4];
    bool has_columns;
} FlatField;

// Beyond the walls of a picture its frame holds the background, but for joined sides.
static FlatField flat_field(const BwPicture *picture, const char *name)
{
    FlatField flat = {.frame = picture->frame,
                      .field = bw_frame_field(picture->frame, name),
                      .offset = {0.5f, 0.5f},
                      .walls = bw_flat_walls(picture->frame, picture->scene)};
    if (flat.field == NULL)
        return flat;
    for (int a = 0; a < 2; a++)
        if (!flat.walls.is_joined[a]) {
            flat.walls.first[a] = INT32_MIN / 2;
            flat.walls.last[a] = INT32_MAX / 2;
        }
    BwLocation at = flat.field->location;
    if (at == BW_AT_FACE_X || at == BW_AT_EDGE_Y || at == BW_AT_EDGE_Z || at == BW_AT_NODE)
        flat.offset[0] = 0.0f;
    if (at == BW_AT_FACE_Y || at == BW_AT_EDGE_X || at == BW_AT_EDGE_Z || at == BW_AT_NODE)
        flat.offset[1] = 0.0f;
    return flat;
}

// The value of a cell in a tile of that index, or the background where tile or cell are not there.
static float cell_value(const FlatField *flat, int32_t tile, int32_t i, int32_t j)
{
    const BwFrame *frame = flat->frame;
    int cell = (j & 7) * BW_TILE + (i & 7);
    if (tile < 0 || !(frame->live[tile][0] >> cell & 1))
        return flat->field->background;
    size_t at = (size_t)tile * 64 * (size_t)frame->layers + (size_t)cell;
    float value = flat->field->values[at] * (flat->weight != NULL ? flat->weight->values[at] : 1.0f);
    return isfinite(value) ? value : flat->field->background;
}

static void spline_weights(float x, float weights[4])
{
    float y = 1.0f - x;
    weights[0] = y * y * y / 6.0f;
    weights[1] = 2.0f / 3.0f - x * x + 0.5f * x * x * x;
    weights[2] = 2.0f / 3.0f - y * y + 0.5f * y * y * y;
    weights[3] = x * x * x / 6.0f;
}

static void begin_row(FlatField *flat, double y)
{
    double at = y - (double)flat->offset[1];
    flat->row = (int32_t)floor(at) - 1;
    spline_weights((float)(at - floor(at)), flat->row_weights);
    flat->has_columns = false;
}

static float column_sum(const FlatField *flat, int32_t i)
{
    float sum = 0.0f;
    int32_t tile_y = INT32_MIN, tile = -1;
    i = bw_between_walls(&flat->walls, 0, i);
    for (int n = 0; n < 4; n++) {
        int32_t j = bw_between_walls(&flat->walls, 1, flat->row + n);
        if (j >> 3 != tile_y) {
            tile_y = j >> 3;
            tile = bw_frame_find_tile(flat->frame, (BwTileCoord){i >> 3, tile_y, 0});
        }
        sum += flat->row_weights[n] * cell_value(flat, tile, i, j);
    }
    return sum;
}

// Keeps what columns the pixel before had as well.
static void find_columns(FlatField *flat, int32_t first)
{
    float before[4];
    memcpy(before, flat->columns, sizeof before);
    for (int n = 0; n < 4; n++) {
        int32_t known = first + n - flat->column;
        bool is_known = flat->has_columns && known >= 0 && known < 4;
        flat->columns[n] = is_known ? before[known] : column_sum(flat, first + n);
    }
    flat->column = first;
    flat->has_columns = true;
}

static float flat_sample(FlatField *flat, double x)
{
    if (flat->field == NULL)
        return 0.0f;
    double at = x - (double)flat->offset[0];
    int32_t first = (int32_t)floor(at) - 1;
    float weights[4];
    spline_weights((float)(at - floor(at)), weights);
    if (!flat->has_columns || first != flat->column)
        find_columns(flat, first);
    return weights[0] * flat->columns[0] + weights[1] * flat->columns[1] + weights[2] * flat->columns[2] +
           weights[3] * flat->columns[3];
}

typedef struct FlatFields {
    FlatField density, temperature, flame, front, phi, u, v, color[3];
    int clear_to[SOLIDS_MAX]; // the pixel of the row up to which a solid surely does not reach
} FlatFields;

static void begin_fields(FlatFields *fields, double y)
{
    FlatField *all[] = {&fields->density,  &fields->temperature, &fields->flame, &fields->front,
                        &fields->phi,      &fields->u,           &fields->v,     &fields->color[0],
                        &fields->color[1], &fields->color[2]};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        begin_row(all[n], y);
    memset(fields->clear_to, 0, sizeof fields->clear_to);
}

// Colour times density, which is what can be interpolated; of water, which has none, the colour.
static FlatField flat_color(const BwPicture *picture, const char *name)
{
    FlatField flat = flat_field(picture, name);
    flat.weight = bw_frame_field(picture->frame, "density");
    return flat;
}

static float flat_tint(FlatFields *fields, int c, double x, float density)
{
    if (fields->color[c].field == NULL || !(density > 0.0f))
        return 1.0f;
    return fminf(fmaxf(flat_sample(&fields->color[c], x) / density, 0.0f), 1.0f);
}

// White smoke over the background, turning to the colour of a flame where it is hot; or smoke in its colours,
// which heat leaves alone. The sheet of smoke is a metre deep, as in the rest of 2-D.
static BwLight3 smoke_light(const BwPicture *picture, FlatFields *fields, double x)
{
    float density = fmaxf(flat_sample(&fields->density, x), 0.0f);
    float cover = 1.0f - expf(-picture->absorption * density);
    float heat = 0.0f;
    if (fields->temperature.field != NULL && fields->color[0].field == NULL)
        heat = fmaxf(
            (flat_sample(&fields->temperature, x) - fields->temperature.field->background) / HEAT_WARM, 0.0f);
    heat = 1.0f - expf(-heat);
    const float warm[3] = {1.0f, 0.22f, 0.02f};
    BwLight3 light;
    for (int c = 0; c < 3; c++) {
        float albedo = picture->rig.albedo[c] * flat_tint(fields, c, x, density);
        float smoke = albedo * (0.2f + 0.45f * cover);
        smoke += heat * (warm[c] - smoke);
        light.c[c] = picture->backdrop[c] + cover * (smoke - picture->backdrop[c]);
    }
    return light;
}

// Soot of a fire, as dark as the look has it, that glows by its temperature: what it hides of the light
// behind it, it sends out itself. The front of a thin flame is a line.
static BwLight3 fire_light(const BwPicture *picture, FlatFields *fields, double x)
{
    float density = fmaxf(flat_sample(&fields->density, x), 0.0f);
    float soot = density + BW_FLAME_OPACITY * fmaxf(flat_sample(&fields->flame, x), 0.0f);
    float cover = 1.0f - expf(-picture->absorption * soot), glow[3];
    float core = picture->frame->cell_size * fmaxf(flat_sample(&fields->front, x), 0.0f);
    bw_glow_at(picture->glow, flat_sample(&fields->temperature, x), glow);
    BwLight3 light;
    for (int c = 0; c < 3; c++) {
        float smoke = picture->rig.albedo[c] * flat_tint(fields, c, x, density) * (0.2f + 0.45f * cover);
        light.c[c] = picture->backdrop[c] + cover * (smoke + glow[c] - picture->backdrop[c]) +
                     core * picture->glow->core[c];
    }
    return light;
}

// Dark where it is still, through blue to white as it moves faster.
static BwLight3 speed_light(const BwPicture *picture, FlatFields *fields, double x)
{
    float u = flat_sample(&fields->u, x), v = flat_sample(&fields->v, x);
    float size = bw_length(bw_sub(picture->extent.high, picture->extent.low));
    float share = 1.0f - expf(-2.0f * sqrtf(u * u + v * v) / size);
    const float fast[3] = {share * share, 0.35f * share + 0.65f * share * share, share};
    BwLight3 light;
    for (int c = 0; c < 3; c++)
        light.c[c] = picture->backdrop[c] + share * (fast[c] - picture->backdrop[c]);
    return light;
}

// What the water carries, or that of the look.
static float water_color(const BwPicture *picture, FlatFields *fields, int c, double x)
{
    bool is_carried = fields->color[c].field != NULL && fields->color[c].weight == NULL;
    return is_carried ? flat_sample(&fields->color[c], x) : picture->scene->look.water_color[c];
}

// Lays water over the light, in its colour, lighter where it moves fast; a pixel at the surface is covered by
// the share of its width that is inside.
static void cover_with_water(const BwPicture *picture, FlatFields *fields, int64_t at_px, double x,
                             float pixel, BwLight3 *light)
{
    float phi = flat_sample(&fields->phi, x);
    float inside = picture->cover != NULL ? (float)picture->cover[at_px] : 0.5f - phi / pixel;
    float covered = fminf(fmaxf(inside, 0.0f), 1.0f);
    if (!(covered > 0.0f))
        return;
    float u = flat_sample(&fields->u, x), v = flat_sample(&fields->v, x);
    float foam = FLAT_FOAM * fminf(sqrtf(u * u + v * v) / picture->fast, 1.0f);
    for (int c = 0; c < 3; c++) {
        float color = bw_srgb_decode(fminf(fmaxf(water_color(picture, fields, c, x), 0.0f), 1.0f));
        color += foam * (1.0f - color);
        light->c[c] += covered * (color - light->c[c]);
    }
}

static float distance_to(const BwFrameSolid *solid, const double place[2])
{
    BwVec3 offset = bw_vec3((float)(place[0] - (double)solid->pose.position.x),
                            (float)(place[1] - (double)solid->pose.position.y), 0.0f);
    BwVec3 local = bw_quat_rotate(bw_quat_conjugate(solid->pose.rotation), offset);
    return bw_shape_distance(solid->shape, local);
}

// Lays solids over the light; a pixel at the rim is covered by the share of its width that is inside. A solid
// that is far from one pixel does not reach the next; distances are too long by a twentieth at most.
static void cover_with_solids(const BwPicture *picture, FlatFields *fields, int x_px, const double place[2],
                              float pixel, BwLight3 *light)
{
    for (int n = 0; n < picture->frame->solid_count; n++) {
        const BwFrameSolid *solid = &picture->frame->solids[n];
        if (n < SOLIDS_MAX && x_px < fields->clear_to[n])
            continue;
        float distance = distance_to(solid, place);
        float covered = fminf(fmaxf(0.5f - distance / pixel, 0.0f), 1.0f);
        for (int c = 0; c < 3 && covered > 0.0f; c++)
            light->c[c] += covered * (bw_srgb_decode(solid->color[c]) - light->c[c]);
        float clear = 0.9f * distance / pixel - 1.0f;
        if (n < SOLIDS_MAX && clear > 1.0f)
            fields->clear_to[n] = x_px + (int)fminf(clear, 1e6f);
    }
}

// Lays particles and water over the light, by the share of the pixel's rays that meet them.
static void cover_with_things(const BwPicture *picture, int x_px, int y_px, BwLight3 *light)
{
    BwLight3 behind = *light;
    if (bw_things_is_empty(picture->things))
        return;
    for (int n = 0; n < BW_SUBSAMPLES; n++) {
        BwVec3 normal;
        float distance, color[3];
        int32_t thing = bw_things_trace(picture->things, x_px, y_px, n, &distance);
        if (thing < 0)
            continue;
        BwVec3 ray = bw_picture_ray(picture, (float)x_px + bw_subsample_offsets[n][0],
                                    (float)y_px + bw_subsample_offsets[n][1]);
        bw_things_look(picture->things, thing, ray, distance, &normal, color);
        for (int c = 0; c < 3; c++)
            light->c[c] += (bw_srgb_decode(color[c]) - behind.c[c]) / BW_SUBSAMPLES;
    }
}

static bool is_outside_walls(const BwPicture *picture, const double place[2])
{
    BwBox walls = picture->frame->walls;
    return picture->frame->has_walls && (place[0] < (double)walls.low.x || place[0] > (double)walls.high.x ||
                                         place[1] < (double)walls.low.y || place[1] > (double)walls.high.y);
}

static BwLight3 flat_light(const BwPicture *picture, FlatFields *fields, int x_px, int y_px,
                           const double place[2], float pixel)
{
    const BwFrame *frame = picture->frame;
    double x = place[0] / (double)frame->cell_size; // in cells
    BwLight3 light = {{picture->backdrop[0], picture->backdrop[1], picture->backdrop[2]}};
    if (picture->glow != NULL)
        light = fire_light(picture, fields, x);
    else if (fields->density.field != NULL)
        light = smoke_light(picture, fields, x);
    else if (fields->u.field != NULL && fields->v.field != NULL && bw_frame_field(frame, "phi") == NULL)
        light = speed_light(picture, fields, x);
    if (fields->phi.field != NULL)
        cover_with_water(picture, fields,
                         (int64_t)(picture->image->height_px - 1 - y_px) * picture->image->width_px + x_px, x,
                         pixel, &light);
    if (is_outside_walls(picture, place))
        for (int c = 0; c < 3; c++)
            light.c[c] = 0.6f * picture->backdrop[c];
    cover_with_things(picture, x_px, y_px, &light);
    cover_with_solids(picture, fields, x_px, place, pixel, &light);
    return light;
}

void bw_flat_rows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPicture *picture = context;
    const BwFrame *frame = picture->frame;
    FlatField phi = flat_field(picture, "phi");
    phi.walls = bw_flat_walls(frame, picture->scene);
    FlatField u = flat_field(picture, "u"), v = flat_field(picture, "v");
    if (phi.field != NULL) // water slides along its walls
        u.walls = v.walls = phi.walls;
    if (picture->scene->look.water != BW_WATER_SURFACE)
        phi.field = NULL;
    FlatField color[3] = {flat_color(picture, "color_r"), flat_color(picture, "color_g"),
                          flat_color(picture, "color_b")};
    for (int c = 0; c < 3 && phi.field != NULL; c++)
        color[c].walls = phi.walls; // as water does, its colour goes on behind walls
    FlatFields fields = {.phi = phi,
                         .density = flat_field(picture, "density"),
                         .temperature = flat_field(picture, "temperature"),
                         .flame = flat_field(picture, "flame"),
                         .front = flat_field(picture, "front"),
                         .u = u,
                         .v = v,
                         .color = {color[0], color[1], color[2]}};
    int width = picture->image->width_px, height = picture->image->height_px;
    double pixel = 2.0 * (double)picture->camera.tan_y * picture->camera.eye[2] / height;
    for (int y = (int)begin; y < end; y++) {
        double place[2] = {0.0, picture->camera.eye[1] - pixel * (y + 0.5 - 0.5 * height)};
        begin_fields(&fields, place[1] / (double)frame->cell_size);
        for (int x = 0; x < width; x++) {
            place[0] = picture->camera.eye[0] + pixel * (x + 0.5 - 0.5 * width);
            bw_picture_put(picture, x, y, flat_light(picture, &fields, x, y, place, (float)pixel));
        }
    }
}
