// Flat pictures of 2-D frames: smoke by its density, warmer where it is hotter than the air around it, which
// is its background; particles and water in their colours, solids with clean edges.
// Frames without density show how fast the fluid moves.
#include "render/picture.h"
#include "render/tone.h"

#define HEAT_WARM 150.0f // K above ambient at which smoke is well on its way to the colour of a flame

// Samples of one field at a place given in cells, smoothed by the cubic B-spline: it never overshoots, and
// its second derivative is continuous, so no cells show however large they are drawn.
typedef struct FlatField {
    const BwFrame *frame;
    const BwFrameField *field;
    float offset[2];            // where in its cell a sample sits
    const BwFrameField *weight; // what values are multiplied by; NULL: by nothing
} FlatField;

static FlatField flat_field(const BwFrame *frame, const char *name)
{
    FlatField flat = {.frame = frame, .field = bw_frame_field(frame, name), .offset = {0.5f, 0.5f}};
    if (flat.field == NULL)
        return flat;
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

static float flat_sample(const FlatField *flat, const double place[2])
{
    if (flat->field == NULL)
        return 0.0f;
    int32_t low[2], tiles[2][2]; // the first of the four cells, and the tiles they lie in
    float weights[2][4], sum = 0.0f;
    for (int a = 0; a < 2; a++) {
        double at = place[a] - (double)flat->offset[a];
        low[a] = (int32_t)floor(at) - 1;
        spline_weights((float)(at - floor(at)), weights[a]);
    }
    for (int n = 0; n < 4; n++) {
        BwTileCoord at = {(low[0] + 3 * (n & 1)) >> 3, (low[1] + 3 * (n >> 1)) >> 3, 0};
        tiles[n >> 1][n & 1] = bw_frame_find_tile(flat->frame, at);
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            int32_t tile = tiles[(low[1] & 7) + j >= 8][(low[0] & 7) + i >= 8];
            sum += weights[0][i] * weights[1][j] * cell_value(flat, tile, low[0] + i, low[1] + j);
        }
    return sum;
}

typedef struct FlatFields {
    FlatField density, temperature, u, v, color[3];
} FlatFields;

// Colour times density, which is what can be interpolated.
static FlatField flat_color(const BwFrame *frame, const char *name)
{
    FlatField flat = flat_field(frame, name);
    flat.weight = bw_frame_field(frame, "density");
    return flat;
}

static float flat_tint(const FlatFields *fields, int c, const double place[2], float density)
{
    if (fields->color[c].field == NULL || !(density > 0.0f))
        return 1.0f;
    return fminf(fmaxf(flat_sample(&fields->color[c], place) / density, 0.0f), 1.0f);
}

// White smoke over the background, turning to the colour of a flame where it is hot; or smoke in its colours,
// which heat leaves alone. The sheet of smoke is a metre deep, as in the rest of 2-D.
static BwLight3 smoke_light(const BwPicture *picture, const FlatFields *fields, const double place[2])
{
    float density = fmaxf(flat_sample(&fields->density, place), 0.0f);
    float cover = 1.0f - expf(-picture->absorption * density);
    float heat = 0.0f;
    if (fields->temperature.field != NULL && fields->color[0].field == NULL)
        heat = fmaxf((flat_sample(&fields->temperature, place) - fields->temperature.field->background) /
                         HEAT_WARM,
                     0.0f);
    heat = 1.0f - expf(-heat);
    const float warm[3] = {1.0f, 0.22f, 0.02f};
    BwLight3 light;
    for (int c = 0; c < 3; c++) {
        float albedo = picture->rig.albedo[c] * flat_tint(fields, c, place, density);
        float smoke = albedo * (0.2f + 0.45f * cover);
        smoke += heat * (warm[c] - smoke);
        light.c[c] = picture->backdrop[c] + cover * (smoke - picture->backdrop[c]);
    }
    return light;
}

// Dark where it is still, through blue to white as it moves faster.
static BwLight3 speed_light(const BwPicture *picture, const FlatFields *fields, const double place[2])
{
    float u = flat_sample(&fields->u, place), v = flat_sample(&fields->v, place);
    float size = bw_length(bw_sub(picture->extent.high, picture->extent.low));
    float share = 1.0f - expf(-2.0f * sqrtf(u * u + v * v) / size);
    const float fast[3] = {share * share, 0.35f * share + 0.65f * share * share, share};
    BwLight3 light;
    for (int c = 0; c < 3; c++)
        light.c[c] = picture->backdrop[c] + share * (fast[c] - picture->backdrop[c]);
    return light;
}

// Lays solids over the light; a pixel at the rim is covered by the share of its width that is inside.
static void cover_with_solids(const BwPicture *picture, const double place[2], float pixel, BwLight3 *light)
{
    for (int n = 0; n < picture->frame->solid_count; n++) {
        const BwFrameSolid *solid = &picture->frame->solids[n];
        BwVec3 offset = bw_vec3((float)(place[0] - (double)solid->pose.position.x),
                                (float)(place[1] - (double)solid->pose.position.y), 0.0f);
        BwVec3 local = bw_quat_rotate(bw_quat_conjugate(solid->pose.rotation), offset);
        float distance = bw_shape_distance(solid->shape, local);
        float covered = fminf(fmaxf(0.5f - distance / pixel, 0.0f), 1.0f);
        for (int c = 0; c < 3; c++)
            light->c[c] += covered * (bw_srgb_decode(solid->color[c]) - light->c[c]);
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

static BwLight3 flat_light(const BwPicture *picture, const FlatFields *fields, int x_px, int y_px,
                           const double place[2], float pixel)
{
    const BwFrame *frame = picture->frame;
    const double cells[2] = {place[0] / (double)frame->cell_size, place[1] / (double)frame->cell_size};
    BwLight3 light = {{picture->backdrop[0], picture->backdrop[1], picture->backdrop[2]}};
    if (fields->density.field != NULL)
        light = smoke_light(picture, fields, cells);
    else if (fields->u.field != NULL && fields->v.field != NULL)
        light = speed_light(picture, fields, cells);
    if (is_outside_walls(picture, place))
        for (int c = 0; c < 3; c++)
            light.c[c] = 0.6f * picture->backdrop[c];
    cover_with_things(picture, x_px, y_px, &light);
    cover_with_solids(picture, place, pixel, &light);
    return light;
}

void bw_flat_rows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPicture *picture = context;
    const BwFrame *frame = picture->frame;
    const FlatFields fields = {
        flat_field(frame, "density"),
        flat_field(frame, "temperature"),
        flat_field(frame, "u"),
        flat_field(frame, "v"),
        {flat_color(frame, "color_r"), flat_color(frame, "color_g"), flat_color(frame, "color_b")}};
    int width = picture->image->width_px, height = picture->image->height_px;
    double pixel = 2.0 * (double)picture->camera.tan_y * picture->camera.eye[2] / height;
    for (int y = (int)begin; y < end; y++)
        for (int x = 0; x < width; x++) {
            const double place[2] = {picture->camera.eye[0] + pixel * (x + 0.5 - 0.5 * width),
                                     picture->camera.eye[1] - pixel * (y + 0.5 - 0.5 * height)};
            bw_picture_put(picture, x, y, flat_light(picture, &fields, x, y, place, (float)pixel));
        }
}
