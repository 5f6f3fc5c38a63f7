// Stats as JSON lines. What does not apply to a fluid is left out.
#include "world/stats_json.h"

#include "base/json.h"
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

const char *bw_stop_text(BwStop reason)
{
    static const char *const texts[] = {"converged", "iterations", "stalled", "empty"};
    return texts[reason];
}

// Memory of the process that is in RAM now, in MiB; 0 where the system does not tell.
static double resident_mib(void)
{
    FILE *stream = fopen("/proc/self/statm", "r");
    long pages = 0;
    if (stream == NULL)
        return 0.0;
    if (fscanf(stream, "%*s %ld", &pages) != 1)
        pages = 0;
    fclose(stream);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1024.0 * 1024.0);
}

static void write_removed(BwJson *json, const BwStats *stats)
{
    static const char *const names[] = {
#define X(name, text) text,
        BW_REMOVALS(X)
#undef X
    };
    bw_json_open(json, "removed", '{');
    for (int n = 0; n < BW_REMOVED_COUNT; n++)
        bw_json_number(json, names[n], stats->removed[n]);
    bw_json_close(json, '}');
}

static void write_if_known(BwJson *json, const char *name, double value)
{
    if (!isnan(value))
        bw_json_number(json, name, value);
}

// Of fluids with a surface.
static void write_volume(BwJson *json, const BwStats *stats)
{
    if (isnan(stats->volume))
        return;
    bw_json_integer(json, "particles", stats->particles);
    bw_json_number(json, "volume", stats->volume);
    write_if_known(json, "volume_drift", stats->volume_drift);
}

// Of the sides that heat the fluid.
static void write_heat_flux(BwJson *json, const BwStats *stats)
{
    static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
    bool is_heated = false;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        is_heated |= !isnan(stats->heat_flux[side]);
    if (!is_heated)
        return;
    bw_json_open(json, "heat_flux", '{');
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        write_if_known(json, sides[side], stats->heat_flux[side]);
    bw_json_close(json, '}');
}

static void write_vector(BwJson *json, const char *name, const double value[3])
{
    bw_json_open(json, name, '[');
    for (int a = 0; a < 3; a++)
        bw_json_number(json, NULL, value[a]);
    bw_json_close(json, ']');
}

static const double *vector_of(const BwObstacleStats *obstacle, int n)
{
    return n == 0 ? obstacle->pressure_force : n == 1 ? obstacle->viscous_force : obstacle->torque;
}

// One entry an obstacle, in the order of the scene.
static void write_obstacles(BwJson *json, const BwStats *stats)
{
    static const char *const names[] = {"pressure_force", "viscous_force", "torque"};
    bool is_heated = false;
    for (int n = 0; n < stats->obstacle_count; n++)
        is_heated |= !isnan(stats->obstacles[n].heat_flux);
    for (int v = 0; v < 3 && stats->obstacle_count > 0; v++) {
        bw_json_open(json, names[v], '[');
        for (int n = 0; n < stats->obstacle_count; n++)
            write_vector(json, NULL, vector_of(&stats->obstacles[n], v));
        bw_json_close(json, ']');
    }
    if (!is_heated)
        return;
    bw_json_open(json, "obstacle_heat_flux", '[');
    for (int n = 0; n < stats->obstacle_count; n++)
        bw_json_number(json, NULL, stats->obstacles[n].heat_flux);
    bw_json_close(json, ']');
}

static const double *vector_of_body(const BwBodyStats *body, int n)
{
    return n == 0 ? body->position : n == 1 ? body->velocity : body->spin;
}

// One entry a body, in the order of the scene.
static void write_bodies(BwJson *json, const BwStats *stats)
{
    static const char *const names[] = {"body_position", "body_velocity", "body_spin"};
    if (stats->body_count == 0)
        return;
    for (int v = 0; v < 3; v++) {
        bw_json_open(json, names[v], '[');
        for (int n = 0; n < stats->body_count; n++)
            write_vector(json, NULL, vector_of_body(&stats->bodies[n], v));
        bw_json_close(json, ']');
    }
    bw_json_open(json, "body_wet", '[');
    for (int n = 0; n < stats->body_count; n++)
        bw_json_number(json, NULL, stats->bodies[n].wet);
    bw_json_close(json, ']');
}

typedef double RegionFn(const BwRegionStats *region);

static double region_volume(const BwRegionStats *region)
{
    return region->volume;
}

static double region_lacks(const BwRegionStats *region)
{
    return region->lacks;
}

static double region_got(const BwRegionStats *region)
{
    return region->got;
}

static void write_regions_list(BwJson *json, const char *name, const BwStats *stats, RegionFn *number)
{
    bw_json_open(json, name, '[');
    for (int n = 0; n < stats->region_count && n < BW_REGIONS_TOLD; n++)
        bw_json_number(json, NULL, number(&stats->regions[n]));
    bw_json_close(json, ']');
}

// Of level sets whose volume is corrected, region by region.
static void write_regions(BwJson *json, const BwStats *stats)
{
    if (stats->region_count == 0)
        return;
    bw_json_open(json, "regions", '{');
    bw_json_integer(json, "count", stats->region_count);
    bw_json_number(json, "given_back", stats->given_back);
    bw_json_number(json, "films", stats->films_kept);
    write_regions_list(json, "volume", stats, region_volume);
    write_regions_list(json, "lacks", stats, region_lacks);
    write_regions_list(json, "got", stats, region_got);
    bw_json_close(json, '}');
}

static void write_runaway(BwJson *json, const BwStats *stats)
{
    if (!stats->runaway.is_found)
        return;
    BwVec3 at = stats->runaway.place;
    bw_json_open(json, "runaway", '{');
    bw_json_number(json, "explained_speed", (double)stats->runaway.explained_speed);
    write_vector(json, "place", (const double[3]){(double)at.x, (double)at.y, (double)at.z});
    bw_json_close(json, '}');
}

// Seconds of each stage, and the share of the threads' time in it that they worked.
static void write_stages(BwJson *json, const BwStats *stats)
{
    bw_json_open(json, "stage_seconds", '{');
    for (int n = 0; n < stats->stage_count; n++)
        bw_json_number(json, stats->stages[n].name, stats->stages[n].seconds);
    bw_json_close(json, '}');
    if (stats->threads == 0)
        return;
    bw_json_integer(json, "threads", stats->threads);
    bw_json_open(json, "stage_efficiency", '{');
    for (int n = 0; n < stats->stage_count; n++)
        if (stats->stages[n].seconds > 0.0)
            bw_json_number(json, stats->stages[n].name,
                           stats->stages[n].worked / (stats->threads * stats->stages[n].seconds));
    bw_json_close(json, '}');
}

void bw_stats_write(FILE *stream, const BwStats *stats)
{
    BwJson json = bw_json_line(stream);
    bw_json_open(&json, NULL, '{');
    bw_json_integer(&json, "frame", stats->frame);
    bw_json_number(&json, "time", stats->time);
    bw_json_integer(&json, "steps", stats->steps);
    bw_json_integer(&json, "steps_capped", stats->steps_capped);
    bw_json_number(&json, "dt_min", stats->dt_min);
    bw_json_number(&json, "dt_max", stats->dt_max);
    bw_json_integer(&json, "tiles", stats->tiles);
    bw_json_integer(&json, "cells", stats->cells);
    write_volume(&json, stats);
    bw_json_number(&json, "mass", stats->mass);
    bw_json_number(&json, "emitted", stats->emitted);
    write_if_known(&json, "fuel", stats->fuel);
    write_if_known(&json, "burnt", stats->burnt);
    write_if_known(&json, "gasified", stats->gasified);
    write_if_known(&json, "expanded", stats->expanded);
    write_removed(&json, stats);
    write_regions(&json, stats);
    bw_json_number(&json, "max_speed", (double)stats->max_speed);
    bw_json_number(&json, "divergence", stats->divergence);
    bw_json_number(&json, "kinetic_energy", stats->kinetic_energy);
    write_if_known(&json, "heat", stats->heat);
    write_if_known(&json, "dissipation", stats->dissipation);
    write_heat_flux(&json, stats);
    write_obstacles(&json, stats);
    write_bodies(&json, stats);
    bw_json_integer(&json, "iterations", stats->iterations);
    if (stats->spray + stats->foam > 0) {
        bw_json_integer(&json, "spray", stats->spray);
        bw_json_integer(&json, "foam", stats->foam);
    }
    if (stats->elastic_energy > 0.0)
        bw_json_number(&json, "elastic_energy", stats->elastic_energy);
    if (stats->viscosity_iterations > 0)
        bw_json_integer(&json, "viscosity_iterations", stats->viscosity_iterations);
    if (!isnan(stats->residual))
        bw_json_number(&json, "residual", stats->residual);
    bw_json_text(&json, "stop_reason", bw_stop_text(stats->stop_reason));
    bw_json_integer(&json, "retries", stats->retries);
    write_runaway(&json, stats);
    bw_json_number(&json, "seconds", stats->seconds);
    write_stages(&json, stats);
    bw_json_number(&json, "rss_mb", resident_mib());
    bw_json_close(&json, '}');
}
