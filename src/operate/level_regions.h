// The connected regions of a level-set liquid: a pool, a drop in flight, another pool. Each has a volume that
// it should have, its target. From step to step a region hands its target on to those that its liquid is in
// now, by their shares of it, so that targets add up when regions merge, and are divided when one splits, and
// what a region loses on the way stays its own debt. That of one which is gone, a drop too small for the
// cells, goes to the nearest.
//
// Liquid less than two cells apart counts as one region.
#pragma once

#include "operate/components.h"

typedef struct BwLevelRegion {
    double volume, area;     // m^3 and m^2; in 2-D times 1 m
    double target;           // m^3
    double got;              // m^3, that it was given back since this began anew
    double blown;            // m^3/s, that something beside the flow moves its surface out by; see below
    int32_t low[3], high[3]; // cells, that bound it
} BwLevelRegion;

typedef struct BwLevelRegions {
    BwAllocator allocator;
    BwMask cells; // of a region: the surface is less than a cell away, or they are inside
    BwMask known, front;
    BwComponents components;
    BwField label; // of cells, and some layers around: the region's number, below 0: none
    BwLevelRegion *list, *before;
    int64_t list_capacity, before_capacity;
    int32_t count, before_count;
    int32_t *region_of_part;
    int64_t part_capacity;
    struct BwRegionPart *parts;
    int64_t sum_capacity;
    double total;      // m^3, of all targets
    double given_back; // m^3, that all together got, also those that are gone
} BwLevelRegions;

BwResult bw_level_regions_create(BwLevelRegions *regions, const BwAllocator *allocator, BwGrid *grid,
                                 BwError *err);
void bw_level_regions_destroy(BwLevelRegions *regions);

// A liquid, by its distance and the share of cells that solids leave open.
typedef struct BwLevelLiquid {
    const BwField *phi, *open;
    const BwDomain *domain;
} BwLevelLiquid;

// Finds the regions; targets are their volumes, all together `total`.
BwResult bw_level_regions_start(BwLevelRegions *regions, const BwLevelLiquid *liquid, double total,
                                BwError *err);

// Finds the regions that those of the last time have become in dt, by a velocity, and their targets. What
// `total` has changed by since then belongs to the regions whose volume has changed that way.
BwResult bw_level_regions_follow(BwLevelRegions *regions, const BwLevelLiquid *liquid,
                                 const BwVelocity *velocity, double dt, double total, BwError *err);

// Finds `blown`: by how much a velocity around the liquid, which has been changed, moves surfaces out faster
// than it did before the change.
void bw_level_regions_find_blown(BwLevelRegions *regions, const BwLevelLiquid *liquid,
                                 const BwVelocity *before, const BwVelocity *velocity);

// Counts what regions get from 0 on again.
void bw_level_regions_begin_count(BwLevelRegions *regions);

// m^3, of all regions.
double bw_level_regions_target(const BwLevelRegions *regions);
