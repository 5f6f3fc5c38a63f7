// How drops are thrown, fly, break and land.
#include "operate/spray.h"

#include "particle/random_place.h"

#include <math.h>

// The smallest drop, of the largest; what is smaller is mist and gone.
static const float smallest = 0.25f;

// A drop that breaks: how fast its halves part, of its speed.
static const float parting = 0.1f;

BwResult bw_spray_create(BwSpray *spray, const BwAllocator *allocator, const BwColumns *columns, BwError *err)
{
    *spray = (BwSpray){.allocator = *allocator, .columns = columns->columns};
    spray->velocities =
        bw_alloc_zeroed(allocator, (size_t)columns->columns * sizeof *spray->velocities, BW_ALIGN);
    return spray->velocities == NULL ? bw_fail_memory(err) : BW_OK;
}

void bw_spray_destroy(BwSpray *spray)
{
    if (spray->columns == 0)
        return;
    bw_free(&spray->allocator, spray->drops, (size_t)spray->capacity * sizeof *spray->drops, BW_ALIGN);
    bw_free(&spray->allocator, spray->velocities, (size_t)spray->columns * sizeof *spray->velocities,
            BW_ALIGN);
    *spray = (BwSpray){0};
}

typedef struct Job {
    BwSpray *spray;
    const BwColumns *columns;
    const BwDomain *domain;
    const BwSprayStep *step;
} Job;

// Three numbers from 0 to 1, of a step and something that has a number in it.
static void random_of(const Job *job, int64_t number, int part, float random[3])
{
    const int32_t key[3] = {(int32_t)(number & 0x7fffffff), (int32_t)(job->spray->steps & 0x7fffffff),
                            (int32_t)(number >> 31)};
    bw_random_place(job->step->seed, key, part, random);
}

static void velocity_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++)
        job->spray->velocities[n] = bw_column_is_there(job->columns, n) && bw_column_is_wet(job->columns, n)
                                        ? bw_columns_velocity(job->columns, job->step->velocity, n)
                                        : bw_vec3(0.0f, 0.0f, 0.0f);
}

static float radius_of(const Job *job)
{
    return job->step->spray->radius > 0.0f ? job->step->spray->radius : 0.1f * job->columns->grid->cell_size;
}

// A drop of column n: anywhere on it, just below the surface, with its velocity but for a turn.
static BwDrop thrown_by(const Job *job, int64_t n, int part)
{
    const BwColumns *columns = job->columns;
    const BwSprayDef *def = job->step->spray;
    float where[3], way[3], size[3];
    double h = (double)columns->grid->cell_size;
    bool is_flat = columns->grid->dimension == 2;
    random_of(job, n, 4 * part + 1, where);
    random_of(job, n, 4 * part + 2, way);
    random_of(job, n, 4 * part + 3, size);
    BwVec3 v = job->spray->velocities[n];
    float turn = def->spread * bw_length(v) * 1.7320508f; // of a number between -1 and 1, to its rms
    return (BwDrop){
        .place = {(columns->low[0] + (double)(n % columns->count[0]) + (double)where[0]) * h,
                  fmax(columns->height[n] - 0.1 * h * (double)where[2], columns->low[1] * h),
                  is_flat ? 0.0 : (columns->low[2] + (double)(n / columns->count[0]) + (double)where[1]) * h},
        .velocity = {v.x + turn * (2.0f * way[0] - 1.0f), v.y * (1.0f + 0.3f * way[1]),
                     is_flat ? 0.0f : v.z + turn * (2.0f * way[2] - 1.0f)},
        .radius = radius_of(job) * (smallest + (1.0f - smallest) * size[0] * size[0]),
        .life = def->life * (0.5f + 0.5f * size[1]),
    };
}

static BwResult add_drop(const Job *job, BwDrop drop, BwError *err)
{
    BwSpray *spray = job->spray;
    if (spray->count >= job->step->spray->count_max)
        return BW_OK;
    BW_TRY(bw_reserve(&spray->allocator, (void **)&spray->drops, &spray->capacity, spray->count + 1,
                      sizeof *spray->drops, err));
    drop.id = (int32_t)(spray->thrown++ & 0x7fffffff);
    spray->drops[spray->count++] = drop;
    return BW_OK;
}

// The column below a place; -1: it is outside of the box.
static int64_t column_below(const BwColumns *columns, const double place[3])
{
    double h = (double)columns->grid->cell_size;
    int32_t i = (int32_t)floor(place[0] / h) - columns->low[0], k = 0;
    if (columns->grid->dimension == 3)
        k = (int32_t)floor(place[2] / h) - columns->low[2];
    bool is_in = i >= 0 && i < columns->count[0] && k >= 0 && k < columns->count[2];
    return is_in ? bw_column_at(columns, i, k) : -1;
}

// Walls keep what flies against them, where they are closed; a drop then slides down. False: it is gone.
static bool stays_in_box(const Job *job, BwDrop *drop)
{
    const BwColumns *columns = job->columns;
    double h = (double)columns->grid->cell_size;
    for (int a = 0; a < columns->grid->dimension; a++) {
        double low = columns->low[a] * h, high = (columns->low[a] + columns->count[a]) * h;
        bool is_low = drop->place[a] < low, is_out = is_low || drop->place[a] >= high;
        if (!is_out)
            continue;
        if (columns->grid->period[a] != 0) {
            drop->place[a] += is_low ? high - low : low - high;
        } else if (job->domain->side[2 * a + !is_low].kind != BW_WALL_CLOSED) {
            return false;
        } else {
            drop->place[a] = is_low ? low : high - 1e-6 * h;
            drop->velocity[a] = 0.0f;
        }
    }
    return column_below(columns, drop->place) >= 0;
}

// Column after column.
static BwResult throw_drops(const Job *job, BwError *err)
{
    const BwSprayDef *def = job->step->spray;
    double h = (double)job->columns->grid->cell_size, area = job->columns->grid->dimension == 3 ? h * h : h;
    for (int64_t n = 0; n < job->columns->columns; n++) {
        float random[3];
        double beyond = (double)(job->spray->velocities[n].y - def->speed);
        if (!(beyond > 0.0))
            continue;
        random_of(job, n, 0, random);
        double wanted = (double)def->rate * area * beyond * (double)job->step->dt + (double)random[0];
        for (int part = 0; part < (int)fmin(wanted, 1e6); part++) {
            BwDrop drop = thrown_by(job, n, part);
            if (stays_in_box(job, &drop))
                BW_TRY(add_drop(job, drop, err));
        }
    }
    return BW_OK;
}

// Gravity; then the air, as fast as its drag is: implicit, so that no step is too long.
static void fly(const Job *job, BwDrop *drop)
{
    float dt = job->step->dt, drag = job->step->spray->drag * radius_of(job) / drop->radius;
    BwVec3 v = bw_vec3(drop->velocity[0], drop->velocity[1], drop->velocity[2]);
    v = bw_add(v, bw_mul(job->step->gravity, dt));
    BwVec3 relative = bw_sub(v, job->step->wind);
    v = bw_add(job->step->wind, bw_mul(relative, 1.0f / (1.0f + drag * bw_length(relative) * dt)));
    for (int a = 0; a < job->columns->grid->dimension; a++) {
        drop->velocity[a] = bw_component(v, a);
        drop->place[a] += (double)drop->velocity[a] * (double)dt;
    }
}

// Foam goes with the water, on its surface.
static void drift(const Job *job, BwDrop *drop)
{
    int64_t n = column_below(job->columns, drop->place);
    if (n < 0)
        return;
    BwVec3 v = job->spray->velocities[n];
    for (int a = 0; a < 3; a++)
        drop->velocity[a] = bw_component(v, a);
    drop->place[0] += (double)(v.x * job->step->dt);
    drop->place[2] += (double)(v.z * job->step->dt);
}

static void move_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        BwDrop *drop = &job->spray->drops[n];
        drop->age += job->step->dt;
        if (drop->is_foam)
            drift(job, drop);
        else
            fly(job, drop);
    }
}

// A drop in the water is foam now, if there is any to be; false: it is gone.
static bool land(const Job *job, BwDrop *drop, int64_t n)
{
    float random[3], life = job->step->foam->life;
    if (!(life > 0.0f) || !bw_column_is_wet(job->columns, n))
        return false;
    random_of(job, drop->id, 1000001, random);
    drop->is_foam = 1;
    drop->age = 0.0f;
    drop->life = life * drop->radius / radius_of(job) * (0.5f + random[0]);
    return true;
}

// What becomes of a drop that has moved; false: it is gone.
static bool goes_on(const Job *job, BwDrop *drop)
{
    const BwColumns *columns = job->columns;
    if (drop->age > drop->life || !stays_in_box(job, drop))
        return false;
    int64_t n = column_below(columns, drop->place);
    if (!bw_column_is_there(columns, n))
        return false;
    bool is_down = drop->place[1] <= columns->height[n] && drop->velocity[1] < job->spray->velocities[n].y;
    if (!drop->is_foam && is_down && !land(job, drop, n))
        return false;
    if (drop->is_foam) {
        double h = (double)columns->grid->cell_size, top = (columns->low[1] + columns->count[1]) * h;
        drop->place[1] = fmin(columns->height[n], top); // states hold what is in the box
        return bw_column_is_wet(columns, n);
    }
    int32_t j = (int32_t)floor(drop->place[1] / (double)columns->grid->cell_size) - columns->low[1];
    return j < 0 || j >= columns->count[1] || columns->open[n * columns->count[1] + j] > 0.0f;
}

// In two halves of its volume, which part and keep its momentum.
static BwResult break_up(const Job *job, int64_t n, BwError *err)
{
    float random[3], way[3];
    BwDrop *drop = &job->spray->drops[n];
    random_of(job, drop->id, 1000002, random);
    if (drop->is_foam || random[0] >= 1.0f - expf(-job->step->spray->breakup * job->step->dt) ||
        drop->radius < smallest * radius_of(job))
        return BW_OK;
    random_of(job, drop->id, 1000003, way);
    float speed = bw_length(bw_vec3(drop->velocity[0], drop->velocity[1], drop->velocity[2]));
    drop->radius *= 0.7937005f;
    BwDrop other = *drop;
    for (int a = 0; a < job->columns->grid->dimension; a++) {
        float change = parting * speed * (2.0f * way[a] - 1.0f);
        drop->velocity[a] += change;
        other.velocity[a] -= change;
    }
    return add_drop(job, other, err);
}

static BwResult settle(const Job *job, BwError *err)
{
    BwSpray *spray = job->spray;
    int64_t kept = 0;
    for (int64_t n = 0; n < spray->count; n++) {
        BwDrop drop = spray->drops[n];
        if (goes_on(job, &drop))
            spray->drops[kept++] = drop;
    }
    spray->count = kept;
    for (int64_t n = 0; n < kept; n++)
        BW_TRY(break_up(job, n, err));
    return BW_OK;
}

BwResult bw_spray_step(BwSpray *spray, const BwColumns *columns, const BwDomain *domain,
                       const BwSprayStep *step, BwError *err)
{
    Job job = {spray, columns, domain, step};
    bw_parallel_for(domain->pool, columns->columns, 64, velocity_range, &job);
    bw_parallel_for(domain->pool, spray->count, 1024, move_range, &job);
    BW_TRY(settle(&job, err));
    BW_TRY(throw_drops(&job, err));
    spray->steps++;
    return BW_OK;
}

int64_t bw_spray_count(const BwSpray *spray, bool is_foam)
{
    int64_t count = 0;
    for (int64_t n = 0; n < spray->count; n++)
        count += (spray->drops[n].is_foam != 0) == is_foam;
    return count;
}
