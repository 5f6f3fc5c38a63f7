// Looking into frames: every tile is found, nothing else is, and the hash notices any change.
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
    puff->tiles[5].x += 100;
    assert_true(hash != bw_frame_hash(frame));
    puff->tiles[5].x -= 100;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_found_by_place),
        cmocka_unit_test(fields_are_found_by_name),
        cmocka_unit_test(the_hash_notices_any_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
