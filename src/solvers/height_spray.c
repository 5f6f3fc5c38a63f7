// Spray and foam of a height field: their step, their place in frames, and keeping and taking back.
#include "solvers/height.h"

#include "flow/state_agree.h"
#include "scene/curve.h"

#include <math.h>
#include <string.h>

BwResult bw_height_create_spray(BwHeight *height, BwError *err)
{
    height->has_spray = height->bulk.scene->liquid.spray.speed > 0.0f;
    return height->has_spray ? bw_spray_create(&height->spray, &height->bulk.allocator, &height->columns, err)
                             : BW_OK;
}

void bw_height_destroy_spray(BwHeight *height)
{
    bw_spray_frame_free(&height->spray_frame[0], &height->bulk.allocator);
    bw_spray_frame_free(&height->spray_frame[1], &height->bulk.allocator);
    bw_spray_destroy(&height->spray);
}

BwResult bw_height_spray(BwHeight *height, BwVec3 gravity, double time, double dt, BwError *err)
{
    const BwLiquidDef *liquid = &height->bulk.scene->liquid;
    BwSprayStep step = {.spray = &liquid->spray,
                        .foam = &liquid->foam,
                        .gravity = gravity,
                        .velocity = &height->bulk.flow.velocity,
                        .seed = height->bulk.scene->seed,
                        .dt = (float)dt};
    if (!height->has_spray)
        return BW_OK;
    if (bw_curve_is_given(&liquid->spray.wind))
        BW_TRY(bw_curve_vector_at(&liquid->spray.wind, time, &step.wind, err));
    return bw_spray_step(&height->spray, &height->columns, &height->bulk.flow.domain, &step, err);
}

static float drawn_radius(const BwHeight *height)
{
    const BwSprayDef *spray = &height->bulk.scene->liquid.spray;
    return spray->radius > 0.0f ? spray->radius : 0.1f * height->bulk.flow.grid->cell_size;
}

BwResult bw_height_show_spray(BwHeight *height, BwFrame *frame, BwError *err)
{
    if (!height->has_spray)
        return BW_OK;
    for (int n = 0; n < 2; n++) {
        float wider = n == 1 ? height->bulk.scene->liquid.foam.spread : 1.0f;
        BW_TRY(bw_spray_show(&height->spray, height->bulk.flow.grid, n == 1, drawn_radius(height), wider,
                             &height->spray_frame[n], err));
        height->sets[n] = height->spray_frame[n].set;
    }
    frame->particles = height->sets;
    frame->particle_set_count = 2;
    return BW_OK;
}

// A row a drop: place, velocity, radius, age, life, number, foam.
enum { NUMBERS = 11 };

static void put_drop(double row[NUMBERS], const BwDrop *drop)
{
    for (int a = 0; a < 3; a++) {
        row[a] = drop->place[a];
        row[3 + a] = (double)drop->velocity[a];
    }
    row[6] = (double)drop->radius;
    row[7] = (double)drop->age;
    row[8] = (double)drop->life;
    row[9] = (double)drop->id;
    row[10] = (double)drop->is_foam;
}

static BwDrop take_drop(const double row[NUMBERS])
{
    BwDrop drop = {.radius = (float)row[6], .age = (float)row[7], .life = (float)row[8]};
    for (int a = 0; a < 3; a++) {
        drop.place[a] = row[a];
        drop.velocity[a] = (float)row[3 + a];
    }
    drop.id = (int32_t)row[9];
    drop.is_foam = row[10] != 0.0;
    return drop;
}

BwResult bw_height_save_spray(const BwHeight *height, BwRecord *record, BwError *err)
{
    void *values;
    if (!height->has_spray)
        return BW_OK;
    BW_TRY(bw_record_add_number(record, "spray_thrown", (double)height->spray.thrown, err));
    BW_TRY(bw_record_add_number(record, "spray_steps", (double)height->spray.steps, err));
    BW_TRY(bw_record_add_number(record, "spray_drops", (double)height->spray.count, err));
    BW_TRY(bw_record_add(record, "spray", BW_RECORD_DOUBLE, height->spray.count, NUMBERS, &values, err));
    for (int64_t n = 0; n < height->spray.count; n++)
        put_drop((double *)values + n * NUMBERS, &height->spray.drops[n]);
    return BW_OK;
}

// A drop is in the box, and has a size.
static bool is_drop(const BwHeight *height, const double row[NUMBERS])
{
    const BwColumns *columns = &height->columns;
    double h = (double)columns->grid->cell_size;
    for (int a = 0; a < columns->grid->dimension; a++)
        if (!(row[a] >= columns->low[a] * h && row[a] <= (columns->low[a] + columns->count[a]) * h))
            return false;
    for (int n = 0; n < NUMBERS; n++)
        if (!isfinite(row[n]))
            return false;
    return row[6] > 0.0 && row[9] >= 0.0 && row[9] <= (double)INT32_MAX;
}

BwResult bw_height_load_spray(BwHeight *height, const BwRecord *record, BwError *err)
{
    double thrown, steps, drops;
    int64_t rows = -1;
    const void *values;
    BwSpray *spray = &height->spray;
    if (!height->has_spray)
        return BW_OK;
    BW_TRY(bw_state_number(record, "spray_thrown", 0.0, 9e15, &thrown, err));
    BW_TRY(bw_state_number(record, "spray_steps", 0.0, 9e15, &steps, err));
    if (thrown != floor(thrown) || steps != floor(steps))
        return bw_fail(err, BW_ERR_FORMAT, "the spray of the state has %.9g drops of %.9g steps", thrown,
                       steps);
    BW_TRY(bw_record_find(record, "spray", BW_RECORD_DOUBLE, &rows, NUMBERS, &values, err));
    if (bw_record_has(record, "spray_drops")) // older files do not say
        BW_TRY(bw_state_number(record, "spray_drops", (double)rows, (double)rows, &drops, err));
    BW_TRY(bw_reserve(&spray->allocator, (void **)&spray->drops, &spray->capacity, rows, sizeof *spray->drops,
                      err));
    for (int64_t n = 0; n < rows; n++) {
        const double *row = (const double *)values + n * NUMBERS;
        if (!is_drop(height, row))
            return bw_fail(err, BW_ERR_FORMAT, "drop %lld of \"spray\" of the state is none", (long long)n);
        spray->drops[n] = take_drop(row);
    }
    spray->count = rows;
    spray->thrown = (int64_t)thrown;
    spray->steps = (int64_t)steps;
    return BW_OK;
}
