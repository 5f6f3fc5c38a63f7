// Looking into frames: every tile is found, nothing else is, the hash notices any change, and samples between
// cells are those of a linear function.
#include "frame_parts.h"
#include "gate.h"
#include "puff.h"

static float ramp(const void *context, float x, float y, float z)
{
    (void)context;
    return x + 3.0f * y + 7.0f * z;
}

static Puff *make_frame(void)
{
    return puff_make(0.25f, (int32_t[3]){-2, 1, -100000}, (int32_t[3]){3, 2, 4}, ramp, NULL);
}

static void tiles_are_found_by_place(void **state)
{
    (void)state;
    Puff *puff = make_frame();
    const BwFrame *frame = &puff->frame;
    for (int32_t n = 0; n < frame->tile_count; n++)
        assert_int_equal(bw_frame_find_tile(frame, frame->tiles[n]), n);
    assert_int_equal(bw_frame_find_tile(frame, (BwTileCoord){-3, 1, -100000}), -1);
    assert_int_equal(bw_frame_find_tile(frame, (BwTileCoord){1, 1, -100000}), -1);
    assert_int_equal(bw_frame_find_tile(frame, (BwTileCoord){0, 2, -99996}), -1);
    assert_int_equal(bw_frame_find_tile(frame, (BwTileCoord){0, 2, 0}), -1);
    BwFrame empty = {.layers = 8};
    assert_int_equal(bw_frame_find_tile(&empty, (BwTileCoord){0, 0, 0}), -1);
    puff_free(puff);
}

static void fields_are_found_by_name(void **state)
{
    (void)state;
    Puff *puff = make_frame();
    assert_ptr_equal(bw_frame_field(&puff->frame, "density"), &puff->field);
    assert_null(bw_frame_field(&puff->frame, "dens"));
    assert_null(bw_frame_field(&puff->frame, "temperature"));
    puff_free(puff);
}

// Each change once, and back: the hash must differ, then be the first again.
static void the_hash_notices_any_change(void **state)
{
    (void)state;
    Puff *puff = make_frame(), *twin = make_frame();
    BwFrame *frame = &puff->frame;
    uint64_t hash = bw_frame_hash(frame);
    assert_true(hash == bw_frame_hash(&twin->frame));
    int values = frame->tile_count * 512;
    for (int n = 0; n < values; n += 101) {
        uint32_t bits;
        memcpy(&bits, &puff->values[n], sizeof bits);
        bits ^= 1;
        memcpy(&puff->values[n], &bits, sizeof bits);
        assert_true(hash != bw_frame_hash(frame));
        bits ^= 1;
        memcpy(&puff->values[n], &bits, sizeof bits);
    }
    float swap = puff->values[0];
    puff->values[0] = puff->values[1];
    puff->values[1] = swap;
    assert_true(hash != bw_frame_hash(frame));
    puff->values[1] = puff->values[0];
    puff->values[0] = swap;
    puff->live[3][7] ^= (uint64_t)1 << 63;
    assert_true(hash != bw_frame_hash(frame));
    puff->live[3][7] ^= (uint64_t)1 << 63;
    puff->tiles[frame->tile_count - 1].x += 100;
    assert_true(hash != bw_frame_hash(frame));
    puff->tiles[frame->tile_count - 1].x -= 100;
    puff->field.name = "densitx";
    assert_true(hash != bw_frame_hash(frame));
    puff->field.name = "density";
    frame->time = 0.5;
    assert_true(hash != bw_frame_hash(frame));
    frame->time = 0.0;
    assert_true(hash == bw_frame_hash(frame));
    puff_free(puff);
    puff_free(twin);
}

static void sets_are_found_by_name(void **state)
{
    (void)state;
    static FrameParts parts;
    parts_make(&parts);
    assert_ptr_equal(bw_frame_particles(&parts.frame, "water"), &parts.particles);
    assert_ptr_equal(bw_frame_columns(&parts.frame, "water"), &parts.columns);
    assert_ptr_equal(bw_frame_mesh(&parts.frame, "water"), &parts.mesh);
    assert_null(bw_frame_particles(&parts.frame, "wate"));
    assert_null(bw_frame_mesh(&parts.frame, "foam"));
    assert_ptr_equal(bw_frame_attribute(parts.of_particles, 3, "id"), &parts.of_particles[2]);
    assert_null(bw_frame_attribute(parts.of_particles, 2, "id"));
    double place[3]; // 800000 cells from the origin a float tells no fifty micrometres apart
    bw_frame_particle_place(&parts.frame, &parts.particles, 2, place);
    assert_true(place[0] == 100000.0 + (double)parts.positions[2].x);
    assert_true(place[1] == -3.0 + (double)parts.positions[2].y);
    assert_true(place[2] == 7.0 + (double)parts.positions[2].z);
}

// One byte of each array, and each number of the heads, changed and changed back.
static void the_hash_covers_sets(void **state)
{
    (void)state;
    static FrameParts parts;
    parts_make(&parts);
    uint64_t hash = bw_frame_hash(&parts.frame);
    struct {
        void *bytes;
        size_t size;
    } spots[] = {{parts.tiles, sizeof parts.tiles},
                 {parts.tile, sizeof parts.tile},
                 {parts.ids, sizeof parts.ids},
                 {parts.positions, sizeof parts.positions},
                 {parts.velocities, sizeof parts.velocities},
                 {parts.ages, sizeof parts.ages},
                 {parts.heights, sizeof parts.heights},
                 {parts.depths, sizeof parts.depths},
                 {parts.vertices, sizeof parts.vertices},
                 {parts.triangles, sizeof parts.triangles},
                 {parts.colors, sizeof parts.colors},
                 {parts.speeds, sizeof parts.speeds},
                 {&parts.particles.radius, sizeof(float)},
                 {&parts.columns.cell_size, sizeof(float)},
                 {parts.columns.low, sizeof parts.columns.low},
                 {parts.mesh.origin, sizeof parts.mesh.origin}};
    for (size_t n = 0; n < sizeof spots / sizeof *spots; n++)
        for (size_t byte = 0; byte < spots[n].size; byte += spots[n].size - 1) {
            ((uint8_t *)spots[n].bytes)[byte] ^= 1;
            assert_true(bw_frame_hash(&parts.frame) != hash);
            ((uint8_t *)spots[n].bytes)[byte] ^= 1;
        }
    parts.of_mesh[1].unit = "m";
    assert_true(bw_frame_hash(&parts.frame) != hash);
    parts.of_mesh[1].unit = "m/s";
    parts.frame.mesh_count = 0;
    assert_true(bw_frame_hash(&parts.frame) != hash);
    parts.frame.mesh_count = 1;
    assert_true(bw_frame_hash(&parts.frame) == hash);
}

static void the_hash_sees_that_a_solid_is_gone(void **state)
{
    (void)state;
    BwShape ball = bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 1.0f), none = bw_shape_of_kind(BW_SHAPE_NONE);
    BwFrameSolid solid = {.shape = &ball, .pose = bw_pose_identity()};
    BwFrame frame = {.dimension = 2, .layers = 1, .cell_size = 1.0f, .solids = &solid, .solid_count = 1};
    uint64_t hash = bw_frame_hash(&frame);
    solid.shape = &none;
    assert_true(bw_frame_hash(&frame) != hash && bw_frame_hash(&frame) != 0);
}

// Frames that a caller put together wrongly, one thing at a time.
static void what_is_no_frame_has_no_hash(void **state)
{
    (void)state;
    static FrameParts parts;
    BwFrameField field = {.name = "density"}, nameless = {.unit = "1"};
#define NO_HASH(change)                                                                                      \
    parts_make(&parts);                                                                                      \
    assert_true(bw_frame_hash(&parts.frame) != 0);                                                           \
    change;                                                                                                  \
    assert_true(bw_frame_hash(&parts.frame) == 0)
    NO_HASH(parts.particles.name = NULL);
    NO_HASH(parts.of_particles[1].unit = NULL);
    NO_HASH(parts.particles.attributes = NULL);
    NO_HASH(parts.particles.positions = NULL);
    NO_HASH(parts.particles.count = -5);
    NO_HASH(parts.columns.heights = NULL);
    NO_HASH(parts.columns.count[0] = -1);
    NO_HASH(parts.mesh.vertex_count = -1);
    NO_HASH(parts.frame.particles = NULL);
    NO_HASH(parts.frame.mesh_count = -1);
    NO_HASH(parts.frame.tile_count = 1);
    NO_HASH((parts.frame.fields = &nameless, parts.frame.field_count = 1));
    assert_null(bw_frame_field(&parts.frame, "density"));
#undef NO_HASH
    parts_make(&parts);
    parts.frame.fields = &field;
    parts.frame.field_count = 1;
    uint64_t hash = bw_frame_hash(&parts.frame);
    field.unit = "1"; // what a field without a unit has
    assert_true(hash != 0 && bw_frame_hash(&parts.frame) == hash);
    double place[3];
    parts.tile[0] = 77;
    bw_frame_particle_place(&parts.frame, &parts.particles, 0, place);
    assert_true(isnan(place[0]) && isnan(place[1]) && isnan(place[2]));
}

enum { SIDE = 3 }; // tiles along each axis of the frames below

// Values a x + b y + c z at every location; all numbers are such that floats hold them exactly.
static float linear(const double place[3])
{
    return (float)(2.0 * place[0] - 0.5 * place[1] + 4.0 * place[2]);
}

static void shift_of(BwLocation at, double shift[3])
{
    static const int halves[8][3] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0},
                                     {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    for (int a = 0; a < 3; a++)
        shift[a] = 0.5 * halves[at][a];
}

static Puff *linear_frame(int dimension, BwLocation at)
{
    Puff *puff = puff_make(0.25f, (int32_t[3]){-1, -1, dimension == 3 ? -1 : 0},
                           (int32_t[3]){SIDE, SIDE, dimension == 3 ? SIDE : 0}, ramp, NULL);
    double shift[3];
    shift_of(at, shift);
    puff->field.location = at;
    puff->field.background = 77.0f;
    int cells = 64 * puff->frame.layers;
    for (int32_t t = 0; t < puff->frame.tile_count; t++)
        for (int n = 0; n < cells; n++) {
            BwTileCoord tile = puff->tiles[t];
            const double place[3] = {0.25 * (8 * tile.x + (n & 7) + shift[0]),
                                     0.25 * (8 * tile.y + (n >> 3 & 7) + shift[1]),
                                     dimension == 3 ? 0.25 * (8 * tile.z + (n >> 6) + shift[2]) : 0.0};
            puff->values[t * cells + n] = linear(place);
        }
    return puff;
}

static void samples_of_a_linear_field_are_exact(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (BwLocation at = BW_AT_CELL; at <= BW_AT_NODE; at = (BwLocation)(at + 1)) {
            Puff *puff = linear_frame(dimension, at);
            for (int n = 0; n < 500; n++) {
                double point[3] = {-1.875 + 0.03125 * (n % 110), -1.875 + 0.015625 * (7 * n % 220),
                                   dimension == 3 ? -1.875 + 0.0078125 * (13 * n % 440) : 5.0};
                float value;
                assert_int_equal(bw_frame_sample(&puff->frame, "density", point, &value, NULL), BW_OK);
                if (dimension == 2)
                    point[2] = 0.0;
                assert_true(value == linear(point));
            }
            puff_free(puff);
        }
}

static void samples_fade_into_the_background(void **state)
{
    (void)state;
    Puff *puff = linear_frame(3, BW_AT_CELL);
    const BwFrame *frame = &puff->frame;
    float value;
    // Tiles end at 4 m; the last sample is at 3.875, and the next would be at 4.125.
    const double last[3] = {3.875, 0.125, 0.125}, halfway[3] = {4.0, 0.125, 0.125}, away[3] = {1e30, 0, 0};
    assert_int_equal(bw_frame_sample(frame, "density", last, &value, NULL), BW_OK);
    assert_true(value == linear(last));
    assert_int_equal(bw_frame_sample(frame, "density", halfway, &value, NULL), BW_OK);
    assert_true(value == 0.5f * (linear(last) + 77.0f));
    assert_int_equal(bw_frame_sample(frame, "density", away, &value, NULL), BW_OK);
    assert_true(value == 77.0f);
    // The cell of `last` is the eighth of its tile; its centre shows nothing when it is not live.
    int32_t tile = bw_frame_find_tile(frame, (BwTileCoord){1, 0, 0});
    puff->live[tile][0] ^= (uint64_t)1 << 7;
    bw_frame_sample(frame, "density", last, &value, NULL);
    assert_true(value == 77.0f);
    puff_free(puff);
}

// Against the frame itself, cell by cell, across tiles that are and are not there.
static void dense_copies_are_the_fields(void **state)
{
    (void)state;
    Puff *puff = linear_frame(3, BW_AT_FACE_Y);
    const int32_t low[3] = {-11, 3, 12}, high[3] = {18, 9, 19};
    enum { COUNT = 29 * 6 * 7 };
    static float values[COUNT + 1];
    values[COUNT] = 5.0f;
    assert_int_equal(bw_frame_copy_dense(&puff->frame, "density", low, high, values, COUNT, NULL), BW_OK);
    int inside = 0, n = 0;
    for (int32_t k = low[2]; k < high[2]; k++)
        for (int32_t j = low[1]; j < high[1]; j++)
            for (int32_t i = low[0]; i < high[0]; i++, n++) {
                bool is_in = i >= -8 && i < 16 && j >= -8 && j < 16 && k >= -8 && k < 16;
                const double place[3] = {0.25 * (i + 0.5), 0.25 * j, 0.25 * (k + 0.5)};
                inside += is_in;
                assert_true(values[n] == (is_in ? linear(place) : 77.0f));
            }
    assert_int_equal(n, COUNT);
    assert_int_equal(inside, 24 * 6 * 4);
    assert_true(values[COUNT] == 5.0f);
    // No cells, of which there would be 2^64 rows.
    const int32_t lowest[3] = {4, INT32_MIN, INT32_MIN}, highest[3] = {4, INT32_MAX, INT32_MAX};
    assert_int_equal(bw_frame_copy_dense(&puff->frame, "density", lowest, highest, NULL, 0, NULL), BW_OK);
    puff_free(puff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_found_by_place),
        cmocka_unit_test(fields_are_found_by_name),
        cmocka_unit_test(the_hash_notices_any_change),
        cmocka_unit_test(sets_are_found_by_name),
        cmocka_unit_test(the_hash_covers_sets),
        cmocka_unit_test(the_hash_sees_that_a_solid_is_gone),
        cmocka_unit_test(what_is_no_frame_has_no_hash),
        cmocka_unit_test(samples_of_a_linear_field_are_exact),
        cmocka_unit_test(samples_fade_into_the_background),
        cmocka_unit_test(dense_copies_are_the_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
