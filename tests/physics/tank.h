// A box of cells with solids, fluid and a velocity in it, and the projection of that velocity: the pressure
// system from geometry to answer, without a solver around it.
#pragma once

#include "domain/solid_faces.h"
#include "gate.h"
#include "poisson/assemble.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Tank {
    BwGrid *grid;
    BwPool *pool;
    BwDomain domain; // grid, pool and closed sides only
    BwSolidFaces faces;
    BwPressureSystem system;
    BwPoissonSolver *solver;
    BwField velocity[3], phi, density;
    BwMask fluid;
    BwPressureTerms terms;
} Tank;

static inline BwField *const *tank_velocity(Tank *tank, BwField *velocity[3])
{
    for (int a = 0; a < 3; a++)
        velocity[a] = &tank->velocity[a];
    return velocity;
}

static inline void tank_create(Tank *tank, int dimension, int n, float h, BwPool *pool)
{
    *tank = (Tank){.pool = pool};
    BwGridDef def = {
        .cell_size = h, .dimension = dimension, .has_bounds = true, .bounds = {{0, 0, 0}, {n, n, n}}};
    assert_int_equal(bw_grid_create(&tank->grid, &def, NULL), BW_OK);
    tank->domain = (BwDomain){.grid = tank->grid, .pool = pool};
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        tank->domain.side[side] = bw_box_side_plain();
    assert_int_equal(bw_solid_faces_create(&tank->faces, tank->grid, NULL), BW_OK);
    assert_int_equal(bw_pressure_system_create(&tank->system, tank->grid, NULL), BW_OK);
    assert_int_equal(bw_poisson_solver_create(&tank->solver, NULL, pool, NULL), BW_OK);
    for (int a = 0; a < 3; a++)
        assert_int_equal(
            bw_field_create(&tank->velocity[a], tank->grid, (BwLocation)(BW_AT_FACE_X + a), 0.0f, NULL),
            BW_OK);
    assert_int_equal(bw_field_create(&tank->phi, tank->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&tank->density, tank->grid, BW_AT_CELL, 1.0f, NULL), BW_OK);
    assert_int_equal(bw_mask_create(&tank->fluid, tank->grid, NULL), BW_OK);
    int tiles = (n + 7) / 8;
    for (int t = 0; t < (dimension == 3 ? tiles : 1) * tiles * tiles; t++) {
        BwTileCoord coord = {t % tiles, t / tiles % tiles, t / tiles / tiles};
        assert_int_equal(bw_grid_wake(tank->grid, &coord, 1, NULL), BW_OK);
    }
    tank->terms.fluid = &tank->fluid;
    for (int a = 0; a < dimension; a++) {
        tank->terms.open[a] = &tank->faces.open[a];
        tank->terms.wall[a] = &tank->faces.speed[a];
    }
}

static inline void tank_destroy(Tank *tank)
{
    bw_solid_faces_destroy(&tank->faces);
    bw_pressure_system_destroy(&tank->system);
    bw_poisson_solver_destroy(tank->solver);
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&tank->velocity[a]);
    bw_field_destroy(&tank->phi);
    bw_field_destroy(&tank->density);
    bw_mask_destroy(&tank->fluid);
    bw_grid_destroy(tank->grid);
}

// A number at a place, and what to do with each sample of a field.
typedef double TankFn(BwVec3 point, void *context);

static inline void tank_fill(Tank *tank, BwField *field, TankFn *fn, void *context)
{
    for (int32_t n = 0; n < tank->grid->tile_count; n++) {
        int32_t slot = tank->grid->order[n];
        for (int cell = 0; cell < tank->grid->tile_cells; cell++)
            bw_field_tile(field, slot)[cell] = (float)fn(
                bw_sample_position(tank->grid, tank->grid->tiles[slot].coord, cell, field->location),
                context);
    }
}

// Fluid where phi is negative, and phi is what theta comes from.
static inline void tank_set_fluid(Tank *tank, TankFn *phi, void *context)
{
    tank_fill(tank, &tank->phi, phi, context);
    tank->terms.phi = &tank->phi;
    for (int32_t n = 0; n < tank->grid->tile_count; n++) {
        int32_t slot = tank->grid->order[n];
        uint64_t *fluid = bw_mask_tile(&tank->fluid, slot);
        for (int k = 0; k < tank->grid->layers; k++)
            fluid[k] = 0;
        for (int cell = 0; cell < tank->grid->tile_cells; cell++)
            fluid[cell >> 6] |= (uint64_t)(bw_field_tile(&tank->phi, slot)[cell] < 0.0f &&
                                           bw_bit(tank->grid->tiles[slot].live, cell))
                                << (cell & 63);
    }
}

static inline BwPoissonReport tank_project(Tank *tank, double tolerance)
{
    BwField *velocity[3];
    tank_velocity(tank, velocity);
    bw_assemble_pressure(&tank->system, &tank->terms, velocity, tank->pool);
    BwPoisson view = bw_pressure_system_view(&tank->system);
    BwPoissonOptions options = {
        .method = BW_PRESSURE_MULTIGRID, .tolerance = tolerance, .iterations_max = 200};
    BwPoissonReport report;
    assert_int_equal(bw_poisson_solve(tank->solver, &view, &options, &report, NULL), BW_OK);
    bw_subtract_pressure(&tank->system, &tank->terms, velocity, tank->pool);
    return report;
}

// Sum over the faces that the projection may change of A u^2 / k, and the largest |u| there.
typedef struct TankEnergy {
    double energy, speed_max;
} TankEnergy;

static inline bool tank_is_unknown(const Tank *tank, int32_t slot, int cell)
{
    return bw_bit(bw_mask_tile(&tank->system.unknown, slot), cell);
}

static inline TankEnergy tank_energy(const Tank *tank)
{
    TankEnergy sum = {0};
    for (int32_t n = 0; n < tank->grid->tile_count; n++) {
        int32_t slot = tank->grid->order[n];
        for (int a = 0; a < tank->grid->dimension; a++)
            for (int cell = 0; cell < tank->grid->tile_cells; cell++) {
                int last = 7 << (3 * a);
                bool is_first = (cell & last) == 0;
                int32_t low_slot =
                    is_first ? tank->grid->tiles[slot].neighbour[bw_side_neighbour[2 * a]] : slot;
                int low = is_first ? cell + last : cell - (1 << (3 * a));
                double face = (double)bw_field_tile(&tank->system.face[a], slot)[cell];
                double open = (double)bw_field_tile(&tank->faces.open[a], slot)[cell];
                double u = (double)bw_field_tile(&tank->velocity[a], slot)[cell];
                if (face == 0.0 ||
                    (!tank_is_unknown(tank, slot, cell) && !tank_is_unknown(tank, low_slot, low)))
                    continue;
                sum.energy += open * open / face * u * u;
                sum.speed_max = fmax(sum.speed_max, fabs(u));
            }
    }
    return sum;
}
