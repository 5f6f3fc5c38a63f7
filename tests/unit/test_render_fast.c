// What pictures are drawn fast with, against plain versions of it: the exponential, the tone table, marching
// in batches and long steps, light found on the cells, and shading and smoke between pixels.
#include "picture.h"
#include "render/falloff.h"
#include "render/light.h"
#include "render/shading.h"
#include "render/smoke_pane.h"

static void the_falloff_is_the_exponential(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int n = 0; n < 80000; n += 8) {
        BwFloat8 x, all;
        for (int k = 0; k < 8; k++)
            x[k] = 0.001f * (float)(n + k);
        all = bw_falloff8(x);
        for (int k = 0; k < 8; k++) {
            float one = bw_falloff(x[k]), same = all[k];
            assert_memory_equal(&one, &same, sizeof one);
            worst = fmax(worst, fabs((double)one / exp(-(double)x[k]) - 1.0));
        }
    }
    gate("falloff against exp, relative error", worst, GATE_BELOW, 1e-5);
    assert_true(bw_falloff(0.0f) == 1.0f && bw_falloff(1e30f) < 1e-37f);
}

static void the_tone_table_is_the_tone_curve(void **state)
{
    (void)state;
    BwToneTable table;
    bw_tone_table_fill(&table);
    double worst = 0.0;
    for (float light = 1e-7f; light < 1e3f; light *= 1.0013f) {
        float exact = bw_srgb_encode(bw_tone_curve(light));
        worst = fmax(worst, 255.0 * fabs((double)(bw_tone_look_up(&table, light) - exact)));
    }
    gate("tone table, error in bytes", worst, GATE_BELOW, 0.02);
    assert_true(bw_tone_look_up(&table, 0.0f) == 0.0f && bw_tone_look_up(&table, -1.0f) == 0.0f);
    assert_true(fabsf(bw_tone_look_up(&table, INFINITY) - 1.0f) < 1e-6f);
}

// Smoke with light in it, as a renderer has it, and a ball beside.
typedef struct Stage {
    Puff *puff;
    BwPool *pool;
    BwVolume fine, coarse;
    BwSweep sweep;
    BwShape ball;
    BwFrameSolid solid;
    BwSolids solids;
    BwSceneDef scene;
    BwImage image;
    BwPicture picture;
} Stage;

static void set_stage(Stage *stage, int resolution, int refine)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    const int32_t count[3] = {resolution / 8, resolution / 4, resolution / 8};
    *stage = (Stage){.fine.allocator = allocator,
                     .coarse.allocator = allocator,
                     .sweep.allocator = allocator,
                     .solids.allocator = allocator,
                     .image = {320, 180, NULL}};
    stage->puff = puff_make(1.0f / (float)resolution, at_origin, count, puff_plume, NULL);
    BwFrame *frame = &stage->puff->frame;
    stage->scene = plain_scene(stage->puff, at_origin, count);
    stage->ball = (BwShape){.kind = BW_SHAPE_SPHERE, .radius = 0.12f};
    stage->solid =
        (BwFrameSolid){&stage->ball, {{0.78f, 0.12f, 0.72f}, bw_quat_identity()}, {0}, false, 0.0f};
    frame->solids = &stage->solid;
    frame->solid_count = 1;
    BwPoolDef def = {.worker_count = 2};
    assert_int_equal(bw_pool_create(&stage->pool, &def, NULL), BW_OK);
    assert_int_equal(bw_solids_set(&stage->solids, frame, false, 2.0f, NULL), BW_OK);
    assert_int_equal(bw_volume_build(&stage->fine, stage->pool, frame, 36.0f, refine, NULL), BW_OK);
    if (refine > 1)
        assert_int_equal(bw_volume_coarsen(&stage->coarse, stage->pool, &stage->fine, frame, 36.0f, NULL),
                         BW_OK);
    stage->picture = (BwPicture){.image = &stage->image,
                                 .scene = &stage->scene,
                                 .frame = frame,
                                 .extent = {{0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 1.0f}},
                                 .volume = &stage->fine,
                                 .coarse = refine > 1 ? &stage->coarse : &stage->fine,
                                 .solids = &stage->solids};
    assert_int_equal(bw_rig_make(&stage->picture.rig, &stage->scene, NULL), BW_OK);
    assert_int_equal(
        bw_camera_at(&stage->picture.camera, &stage->scene, stage->picture.extent, 0.0, 16.0f / 9.0f, NULL),
        BW_OK);
}

static void light_stage(Stage *stage, const BwVolume *swept)
{
    assert_int_equal(bw_volume_light(&stage->fine, swept, &stage->sweep, stage->pool, &stage->picture.rig,
                                     &stage->picture.camera, &stage->solids, &stage->picture.fire, NULL),
                     BW_OK);
}

static void strike_stage(Stage *stage)
{
    bw_volume_free(&stage->fine);
    bw_volume_free(&stage->coarse);
    bw_sweep_free(&stage->sweep);
    bw_solids_free(&stage->solids);
    bw_pool_destroy(stage->pool);
    puff_free(stage->puff);
}

// Light per spacing and extinction at a place, straight from the points round it; zero where no brick is.
static void plain_sample(const BwVolume *volume, const double place[3], double light[4])
{
    int32_t brick[3], low[3];
    double x[3];
    for (int a = 0; a < 3; a++) {
        brick[a] = (int32_t)floor(place[a] / 8.0);
        low[a] = (int32_t)floor(place[a]) - 8 * brick[a];
        x[a] = place[a] - floor(place[a]);
    }
    int32_t n = bw_volume_brick(volume, brick[0], brick[1], brick[2]);
    memset(light, 0, 4 * sizeof *light);
    for (int corner = 0; corner < 8 && n >= 0; corner++) {
        int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        double weight = (i ? x[0] : 1.0 - x[0]) * (j ? x[1] : 1.0 - x[1]) * (k ? x[2] : 1.0 - x[2]);
        BwFloat4 point = volume->lit[n].points[((low[2] + k) * 9 + low[1] + j) * 9 + low[0] + i];
        for (int c = 0; c < 4; c++)
            light[c] += weight * (double)point[c];
    }
}

// How far along the ray the bricks begin and end.
static void find_range(const BwVolume *volume, const float eye[3], const double d[3], double range[2])
{
    range[0] = INFINITY;
    range[1] = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double along = 0.0;
        for (int a = 0; a < 3; a++)
            along += d[a] * (8.0 * (corner >> a & 1 ? volume->map.high[a] + 1 : volume->map.low[a]) -
                             (double)eye[a]);
        range[0] = fmin(range[0], along);
        range[1] = fmax(range[1], along);
    }
}

// The same as bw_march in steps of a twentieth of a spacing, brick or not, in double.
static void plain_march(const BwVolume *volume, const float eye[3], BwVec3 direction, double sum[4])
{
    const double step = 0.05, d[3] = {(double)direction.x, (double)direction.y, (double)direction.z};
    double range[2];
    find_range(volume, eye, d, range);
    memset(sum, 0, 3 * sizeof *sum);
    sum[3] = 1.0;
    for (double t = range[0] + 0.5 * step; t < range[1] && sum[3] > 1e-4; t += step) {
        double here[4], place[3];
        for (int a = 0; a < 3; a++)
            place[a] = (double)eye[a] + t * d[a];
        plain_sample(volume, place, here);
        double left = exp(-step * here[3]);
        for (int c = 0; c < 3 && here[3] > 0.0; c++)
            sum[c] += sum[3] * here[c] / here[3] * (1.0 - left);
        sum[3] *= left;
    }
}

static void marching_agrees_with_a_plain_march(void **state)
{
    (void)state;
    const struct {
        int resolution, refine;
        double mean, most; // bounds, in light
    } cases[] = {{48, 1, 0.0015, 0.02}, {24, 2, 0.0015, 0.02}, {24, 4, 0.0015, 0.02}};
    for (int n = 0; n < 3; n++) {
        static Stage stage;
        set_stage(&stage, cases[n].resolution, cases[n].refine);
        light_stage(&stage, stage.picture.coarse);
        float eye[3];
        for (int a = 0; a < 3; a++)
            eye[a] =
                (float)((stage.picture.camera.eye[a] - stage.fine.origin[a]) / (double)stage.fine.spacing);
        double worst = 0.0, total = 0.0;
        int through_smoke = 0;
        for (int ray = 0; ray < 120; ray++) {
            BwVec3 direction = bw_picture_ray(&stage.picture, 110.0f + (float)(ray * 37 % 100),
                                              20.0f + (float)(ray * 61 % 140));
            BwFloat4 fast = bw_march(&stage.fine, eye, direction, INFINITY);
            double plain[4], error = 0.0;
            plain_march(&stage.fine, eye, direction, plain);
            for (int c = 0; c < 4; c++)
                error = fmax(error, fabs(plain[c] - (double)fast[c]));
            worst = fmax(worst, error);
            total += error;
            through_smoke += plain[3] < 0.9;
        }
        gate("rays of 120 that meet smoke", through_smoke, GATE_ABOVE, 40);
        gate("march against plain march, mean error", total / 120.0, GATE_BELOW, cases[n].mean);
        gate("march against plain march, largest error", worst, GATE_BELOW, cases[n].most);
        strike_stage(&stage);
    }
}

// Depth towards the lamps found on the cells and interpolated, against depth found on the finer lattice
// itself.
static void light_found_on_cells_is_that_of_the_lattice(void **state)
{
    (void)state;
    for (int refine = 2; refine <= 4; refine *= 2) {
        static Stage stage;
        set_stage(&stage, 24, refine);
        size_t size = (size_t)stage.fine.brick_count * sizeof *stage.fine.lit;
        BwLitBrick *plain = aligned_alloc(64, (size + 63) / 64 * 64);
        light_stage(&stage, &stage.fine);
        memcpy(plain, stage.fine.lit, size);
        light_stage(&stage, &stage.coarse);
        double sum = 0.0, difference = 0.0;
        for (int64_t n = 0; n < stage.fine.brick_count; n++)
            for (int p = 0; p < BW_BRICK_POINTS; p++) {
                sum += (double)plain[n].points[p][1];
                difference += fabs((double)(stage.fine.lit[n].points[p][1] - plain[n].points[p][1]));
            }
        gate("light found on cells, mean error over mean", difference / sum, GATE_BELOW, 0.03);
        free(plain);
        strike_stage(&stage);
    }
}

static void see_ground(const BwPicture *picture, int x_px, int y_px, BwSurfacePane *pane)
{
    for (int n = 0; n < BW_PANE_PIXELS; n++) {
        BwVec3 ray =
            bw_picture_ray(picture, (float)(x_px + n % BW_PANE) + 0.5f, (float)(y_px + n / BW_PANE) + 0.5f);
        bool is_seen = ray.y < -0.02f;
        pane->surfaces[n] = is_seen ? BW_SURFACE_GROUND : BW_SURFACE_NONE;
        pane->t[n] = is_seen ? (float)picture->camera.eye[1] / -ray.y : INFINITY;
        pane->rays[n] = ray;
    }
}

static void shading_between_pixels_is_that_of_each(void **state)
{
    (void)state;
    static Stage stage;
    static BwSurfacePane pane;
    set_stage(&stage, 48, 1);
    light_stage(&stage, &stage.fine);
    double worst = 0.0, total = 0.0, darkest = 1.0;
    int count = 0;
    for (int y = 0; y < stage.image.height_px; y += BW_PANE)
        for (int x = 0; x < stage.image.width_px; x += BW_PANE) {
            int height = stage.image.height_px - y < BW_PANE ? stage.image.height_px - y : BW_PANE;
            see_ground(&stage.picture, x, y, &pane);
            bw_shade_pane(&stage.picture, &pane, BW_PANE, height);
            for (int n = 0; n < height * BW_PANE; n++) {
                if (pane.surfaces[n] == BW_SURFACE_NONE)
                    continue;
                double place[3];
                bw_place_on_ray(&stage.picture, pane.rays[n], pane.t[n], place);
                BwShade exact = bw_shade_at(&stage.picture, place, pane.rays[n], bw_vec3(0.0f, 1.0f, 0.0f));
                double error = fabs((double)(pane.shades[n].lamps[0] - exact.lamps[0]));
                worst = fmax(worst, error);
                darkest = fmin(darkest, (double)exact.lamps[0]);
                total += error;
                count++;
            }
        }
    gate("ground that is seen, pixels", count, GATE_ABOVE, 5000);
    gate("darkest ground, share of the lamp", darkest, GATE_BELOW, 0.2);
    gate("shading between pixels, mean error", total / count, GATE_BELOW, 0.001);
    gate("shading between pixels, largest error", worst, GATE_BELOW, 0.06);
    strike_stage(&stage);
}

// A pane before the ground; where it is torn, two of its rows end in the middle of the smoke.
static void see_behind(const BwPicture *picture, int x_px, int y_px, bool is_torn, BwPane *pane)
{
    *pane = (BwPane){.x_px = x_px, .y_px = y_px, .width_px = BW_PANE, .height_px = BW_PANE};
    for (int n = 0; n < BW_PANE_PIXELS; n++) {
        BwVec3 ray =
            bw_picture_ray(picture, (float)(x_px + n % BW_PANE) + 0.5f, (float)(y_px + n / BW_PANE) + 0.5f);
        float to_middle = (float)fabs(picture->camera.eye[2] - 0.5) / fabsf(ray.z);
        pane->rays[n] = ray;
        pane->distance[n] = ray.y < -0.02f ? (float)picture->camera.eye[1] / -ray.y : INFINITY;
        if (is_torn && (n / BW_PANE == 3 || n / BW_PANE == 4))
            pane->distance[n] = to_middle;
        pane->light[n] = (BwLight3){{0.05f, 0.06f, 0.07f}};
    }
}

// Adds the differences of a pane, in bytes of the picture, to what there are of each size.
static void compare_pane(const BwPicture *picture, BwPane *pane, double *worst, int *far_off)
{
    const BwSmokeView view = bw_smoke_view(picture);
    BwPane plain = *pane;
    bw_smoke_draw(&view, pane);
    for (int n = 0; n < BW_PANE_PIXELS; n++) {
        float t_max = plain.distance[n] / picture->volume->spacing;
        BwFloat4 smoke = bw_march(picture->volume, view.eye, plain.rays[n], t_max);
        double error = 0.0;
        for (int c = 0; c < 3; c++) {
            float exact = smoke[c] + smoke[3] * plain.light[n].c[c];
            error = fmax(error, 255.0 * fabs((double)(bw_tone_look_up(picture->tones, pane->light[n].c[c]) -
                                                      bw_tone_look_up(picture->tones, exact))));
        }
        *worst = fmax(*worst, error);
        *far_off += error > 1.0;
    }
}

static void smoke_between_pixels_is_that_of_each(void **state)
{
    (void)state;
    const int resolutions[3] = {24, 48, 64}, refine[3] = {4, 2, 1};
    BwToneTable tones;
    bw_tone_table_fill(&tones);
    for (int n = 0; n < 3; n++) {
        static Stage stage;
        set_stage(&stage, resolutions[n], refine[n]);
        stage.image = (BwImage){1280, 720, NULL};
        stage.picture.tones = &tones;
        stage.picture.exposure = 1.0f;
        light_stage(&stage, stage.picture.coarse);
        double worst = 0.0;
        int count = 0, far_off = 0, stride = BW_PANE * (IS_FULL ? 1 : 3);
        for (int y = 0; y < 720; y += stride)
            for (int x = 0; x < 1280; x += stride, count += BW_PANE_PIXELS) {
                BwPane pane;
                see_behind(&stage.picture, x, y, x / stride % 4 == 0, &pane);
                compare_pane(&stage.picture, &pane, &worst, &far_off);
            }
        gate("smoke between pixels, largest difference, bytes", worst, GATE_BELOW, 4.0);
        gate("smoke between pixels, share past a byte", (double)far_off / count, GATE_BELOW, 0.0005);
        strike_stage(&stage);
    }
}

// Smoke whose cells are as narrow as pixels is marched at each.
static void fine_smoke_is_marched_at_each_pixel(void **state)
{
    (void)state;
    static Stage stage;
    set_stage(&stage, 48, 1); // 320 x 180: a cell is a pixel and a half
    assert_false(bw_smoke_view(&stage.picture).is_wide);
    stage.image = (BwImage){1280, 720, NULL};
    assert_true(bw_smoke_view(&stage.picture).is_wide);
    strike_stage(&stage);
}

static void assert_fresh(BwRenderer *renderer, const BwSceneDef *scene, const BwFrame *frame)
{
    uint8_t *fresh = draw_once(scene, frame, 2);
    for (int n = 0; n < 2; n++) { // the second time from what was kept
        const BwImage *image = bw_renderer_draw(renderer, frame, NULL);
        assert_memory_equal(image->pixels, fresh, byte_count(image));
    }
    free(fresh);
}

// What pixels saw of the solids is kept as long as these stand still, and no longer.
static void solids_that_move_are_seen_anew(void **state)
{
    (void)state;
    static Stage stage;
    set_stage(&stage, 24, 1);
    stage.scene.look.show_ground = true;
    const BwFrame *frame = &stage.puff->frame;
    BwRenderer *renderer = make_renderer(&stage.scene, 2);
    assert_fresh(renderer, &stage.scene, frame);
    stage.solid.pose.position.x -= 0.3f;
    assert_fresh(renderer, &stage.scene, frame);
    stage.ball.radius = 0.2f;
    assert_fresh(renderer, &stage.scene, frame);
    stage.puff->frame.solid_count = 0;
    assert_fresh(renderer, &stage.scene, frame);
    stage.puff->frame.solid_count = 1;
    assert_fresh(renderer, &stage.scene, frame);
    bw_renderer_destroy(renderer);
    strike_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_falloff_is_the_exponential),
        cmocka_unit_test(the_tone_table_is_the_tone_curve),
        cmocka_unit_test(marching_agrees_with_a_plain_march),
        cmocka_unit_test(light_found_on_cells_is_that_of_the_lattice),
        cmocka_unit_test(shading_between_pixels_is_that_of_each),
        cmocka_unit_test(smoke_between_pixels_is_that_of_each),
        cmocka_unit_test(fine_smoke_is_marched_at_each_pixel),
        cmocka_unit_test(solids_that_move_are_seen_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
