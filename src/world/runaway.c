// The watch. Its state is kept with that of the world, so that a run that goes on says what it would have
// said.
#include "world/runaway.h"

#include <math.h>
#include <string.h>

// The flow may be this much faster than what drives it explains, and this much faster than a solid, wall or
// pump that drives it through a gap.
static const double excess_max = 3.0, squeeze_max = 10.0;

// A squeeze lasts for a moment; a flow that runs away goes on.
static const double frames_max = 4;

// Where nothing drives the flow its energy only falls, but for a little that advection makes.
static const double energy_growth_max = 1.25;

BwRunawayWatch bw_runaway_begin(const BwStats *stats)
{
    return (BwRunawayWatch){.speed = (double)stats->max_speed, .least_energy = (double)NAN};
}

static void gather(BwRunawayWatch *watch, const BwDrive *drive, double seconds)
{
    watch->speed = fmax(watch->speed, fmax((double)drive->speed, (double)drive->imposed_speed));
    watch->acceleration = fmax(watch->acceleration, (double)drive->acceleration);
    watch->gained += (double)drive->acceleration * seconds;
}

// v^2 = v0^2 + 2 (a + growth_rate v) L.
static double speed_along(double start, double acceleration, double growth_rate, double length)
{
    double half = growth_rate * length;
    return half + sqrt(half * half + start * start + 2.0 * acceleration * length);
}

// What presses fluid through a gap has made this speed: it is still explained when that has ended, and the
// flow takes its time to come to rest.
static void remember_squeeze(BwRunawayWatch *watch, const BwDrive *drive, double speed)
{
    if (speed <= squeeze_max * (double)drive->imposed_speed)
        watch->speed = fmax(watch->speed, speed / excess_max);
}

static double explained_speed(const BwRunawayWatch *watch, const BwDrive *drive)
{
    double start = watch->speed, in_time = start + watch->gained, length = (double)drive->length;
    if (drive->growth_rate > 0.0f)
        in_time = (double)INFINITY; // grows with what is there already
    return isfinite(length)
               ? fmin(in_time, speed_along(start, watch->acceleration, (double)drive->growth_rate, length))
               : in_time;
}

// Of a liquid so much may be faster: drops that a splash throws out of a corner have a share of the energy
// that no drive tells.
static const double spray_max = 1e-3;

static bool is_above(const BwDrive *drive, double speed, double most)
{
    return speed > most &&
           (drive->share_above == NULL || drive->share_above(drive->fluid, (float)most) > spray_max);
}

static bool is_too_fast(BwRunawayWatch *watch, const BwDrive *drive, double explained, double frames,
                        double speed)
{
    double most = fmax(excess_max * explained, squeeze_max * (double)drive->imposed_speed);
    watch->above = is_above(drive, speed, most) ? watch->above + frames : 0.0;
    return watch->above >= frames_max;
}

static bool has_gained_energy(BwRunawayWatch *watch, const BwDrive *drive, double energy)
{
    bool is_driven = !drive->is_closed || drive->speed > 0.0f || drive->imposed_speed > 0.0f ||
                     drive->acceleration > 0.0f || drive->growth_rate > 0.0f;
    if (is_driven || isnan(watch->least_energy)) {
        watch->least_energy = is_driven ? (double)NAN : energy;
        return false;
    }
    watch->least_energy = fmin(watch->least_energy, energy);
    return energy > energy_growth_max * watch->least_energy;
}

bool bw_runaway_look(BwRunawayWatch *watch, const BwDrive *drive, double seconds, double frames,
                     BwStats *stats)
{
    gather(watch, drive, seconds);
    remember_squeeze(watch, drive, (double)stats->max_speed);
    double explained = explained_speed(watch, drive);
    bool is_fast = is_too_fast(watch, drive, explained, frames, (double)stats->max_speed);
    bool has_gained = has_gained_energy(watch, drive, stats->kinetic_energy);
    stats->runaway.is_found = is_fast || has_gained;
    stats->runaway.explained_speed = (float)explained;
    return stats->runaway.is_found;
}

enum { NUMBERS = sizeof(BwRunawayWatch) / sizeof(double) };

BwResult bw_runaway_save(const BwRunawayWatch *watch, BwRecord *record, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, "runaway_watch", BW_RECORD_DOUBLE, 1, NUMBERS, &values, err));
    memcpy(values, watch, sizeof *watch);
    return BW_OK;
}

// Only the energy may be unknown. Frames in a row are frames of the run, and whole
// ones unless it took other steps.
static bool might_be_true(const BwRunawayWatch *watch, const BwStats *stats, bool is_of_frames)
{
    const double sizes[] = {watch->speed, watch->acceleration, watch->gained, watch->above};
    bool is_well =
        (is_of_frames ? watch->above == floor(watch->above) && watch->above <= stats->frame
                      : watch->above <= stats->frame + 1) &&
        (isnan(watch->least_energy) || (watch->least_energy >= 0.0 && !isinf(watch->least_energy)));
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        is_well = is_well && sizes[n] >= 0.0 && !isinf(sizes[n]);
    return is_well;
}

BwResult bw_runaway_load(BwRunawayWatch *watch, const BwRecord *record, const BwStats *stats, BwError *err)
{
    const void *values;
    int64_t rows = 1;
    *watch = bw_runaway_begin(stats);
    if (!bw_record_has(record, "runaway_watch"))
        return BW_OK;
    BW_TRY(bw_record_find(record, "runaway_watch", BW_RECORD_DOUBLE, &rows, NUMBERS, &values, err));
    memcpy(watch, values, sizeof *watch);
    if (might_be_true(watch, stats, !bw_record_has(record, "events")))
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "\"runaway_watch\" of the state holds numbers that no run leaves");
}
