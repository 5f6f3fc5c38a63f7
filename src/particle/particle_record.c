// Keeping particles and taking them back.
#include "particle/particle_record.h"

#include "particle/strain.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Names of the columns in a record, in the order of BwParticleColumn.
static const char *const names[BW_PARTICLE_COLUMNS] = {
    "particle_x",           "particle_y",         "particle_z",    "particle_u",      "particle_v",
    "particle_w",           "particle_volume",    "particle_id",   "particle_ux",     "particle_uy",
    "particle_uz",          "particle_vx",        "particle_vy",   "particle_vz",     "particle_wx",
    "particle_wy",          "particle_wz",        "particle_red",  "particle_green",  "particle_blue",
    "particle_temperature", "particle_thickness", "particle_born", "particle_source", "particle_exx",
    "particle_eyy",         "particle_ezz",       "particle_eyz",  "particle_exz",    "particle_exy"};

static BwRecordType type_of(int column)
{
    return bw_particle_is_whole(column) ? BW_RECORD_INT32 : BW_RECORD_FLOAT;
}

BwResult bw_particles_save(const BwParticles *particles, BwRecord *record, BwError *err)
{
    const BwGrid *grid = particles->grid;
    void *values;
    BW_TRY(bw_record_add(record, "particle_counts", BW_RECORD_INT32, grid->tile_count, 1, &values, err));
    for (int32_t m = 0; m < grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(particles, grid->order[m]);
        ((int32_t *)values)[m] = (int32_t)(range.end - range.begin);
    }
    BW_TRY(bw_record_add_number(record, "particle_next_id", (double)particles->next_id, err));
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++) {
        if (!bw_particles_have(particles, c))
            continue;
        BW_TRY(bw_record_add(record, names[c], type_of(c), particles->count, 1, &values, err));
        if (particles->count > 0)
            memcpy(values, particles->column[c], (size_t)particles->count * sizeof(float));
    }
    return BW_OK;
}

static BwResult load_ranges(BwParticles *particles, const BwRecord *record, BwError *err)
{
    const BwGrid *grid = particles->grid;
    const void *values;
    int64_t rows = grid->tile_count, sum = 0;
    BW_TRY(bw_record_find(record, "particle_counts", BW_RECORD_INT32, &rows, 1, &values, err));
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t count = ((const int32_t *)values)[m];
        if (count < 0)
            return bw_fail(err, BW_ERR_FORMAT, "\"particle_counts\" of the state holds %d", (int)count);
        bw_particle_set_range(particles, grid->order[m], (BwParticleRange){sum, sum + count});
        sum += count;
    }
    rows = sum; // before there is memory for as many: a file may say anything
    BW_TRY(bw_record_find(record, names[BW_PARTICLE_X], BW_RECORD_FLOAT, &rows, 1, &values, err));
    BW_TRY(bw_particles_reserve(particles, sum, err));
    particles->count = sum;
    particles->far_count = 0;
    return BW_OK;
}

static BwResult check_range(const BwParticles *particles, int column, float low, float high, BwError *err)
{
    for (int64_t n = 0; n < particles->count; n++) {
        float value = particles->column[column][n];
        if (!(value >= low && value <= high))
            return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state holds %.9g; it must be from %g to %g",
                           names[column], (double)value, (double)low, (double)high);
    }
    return BW_OK;
}

// What particles carry besides; they are no younger than the state.
static BwResult check_loads(const BwParticles *particles, const BwRecord *record, BwError *err)
{
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    const float last = nextafterf((float)time, INFINITY);
    for (int c = BW_PARTICLE_RED; c <= BW_PARTICLE_BORN; c++) {
        float low = c == BW_PARTICLE_TEMPERATURE ? FLT_MIN : c == BW_PARTICLE_VISCOSITY ? -21.0f : 0.0f;
        float high = c == BW_PARTICLE_TEMPERATURE ? FLT_MAX
                     : c == BW_PARTICLE_VISCOSITY ? 89.0f
                     : c == BW_PARTICLE_BORN      ? last
                                                  : 1.0f;
        if (bw_particles_have(particles, c))
            BW_TRY(check_range(particles, c, low, high, err));
    }
    for (int c = BW_PARTICLE_EXX; c <= BW_PARTICLE_EXY; c++) // no length is below 0
        if (bw_particles_have(particles, c))
            BW_TRY(
                check_range(particles, c, c <= BW_PARTICLE_EZZ ? -0.5f : -BW_STRAIN_MAX, BW_STRAIN_MAX, err));
    return BW_OK;
}

BwResult bw_particles_load(BwParticles *particles, float volume_min, const BwRecord *record, BwError *err)
{
    double next_id;
    BW_TRY(load_ranges(particles, record, err));
    BW_TRY(bw_record_find_number(record, "particle_next_id", &next_id, err));
    if (!(next_id >= 0.0 && next_id <= (double)INT32_MAX))
        return bw_fail(err, BW_ERR_FORMAT, "\"particle_next_id\" of the state is %g", next_id);
    particles->next_id = (int32_t)next_id;
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++) {
        const void *values;
        int64_t rows = particles->count;
        if (!bw_particles_have(particles, c))
            continue;
        BW_TRY(bw_record_find(record, names[c], type_of(c), &rows, 1, &values, err));
        if (particles->count > 0)
            memcpy(particles->column[c], values, (size_t)particles->count * sizeof(float));
    }
    for (int a = 0; a < particles->grid->dimension; a++)
        BW_TRY(check_range(particles, BW_PARTICLE_X + a, 0.0f, BW_PARTICLE_LAST_PLACE, err));
    BW_TRY(check_range(particles, BW_PARTICLE_VOLUME, volume_min, 1000.0f, err));
    return particles->carried != 0 ? check_loads(particles, record, err) : BW_OK;
}
