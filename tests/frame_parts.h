// A frame with particles, columns and a mesh, far from the origin, for tests of what reads them.
#pragma once

#include <billow/frame.h>

#include <math.h>

enum { PARTS_PARTICLES = 50, PARTS_ACROSS = 7, PARTS_ALONG = 5 };

typedef struct FrameParts {
    BwFrame frame;
    BwFrameParticles particles;
    BwFrameColumns columns;
    BwFrameMesh mesh;
    BwTileCoord tiles[2];
    int32_t tile[PARTS_PARTICLES], ids[PARTS_PARTICLES];
    BwVec3 positions[PARTS_PARTICLES];
    float velocities[PARTS_PARTICLES][3], ages[PARTS_PARTICLES];
    float heights[PARTS_ACROSS * PARTS_ALONG], depths[PARTS_ACROSS * PARTS_ALONG];
    BwVec3 vertices[4];
    int32_t triangles[4][3];
    float colors[4][3], speeds[4][3];
    BwFrameAttribute of_particles[3], of_columns[1], of_mesh[2];
} FrameParts;

static inline void parts_fill_particles(FrameParts *parts)
{
    parts->tiles[0] = (BwTileCoord){100000, -3, 7};
    parts->tiles[1] = (BwTileCoord){-2, 0, -1};
    for (int n = 0; n < PARTS_PARTICLES; n++) {
        float x = (float)n;
        parts->tile[n] = n % 2;
        parts->ids[n] = 7 * n - 100;
        parts->positions[n] = bw_vec3(0.011f * x, 0.5f + 0.3f * sinf(x), 0.9f - 0.017f * x);
        parts->velocities[n][0] = x;
        parts->velocities[n][1] = -0.5f * x;
        parts->velocities[n][2] = 0.25f;
        parts->ages[n] = 0.125f * x;
    }
    parts->of_particles[0] = (BwFrameAttribute){"velocity", "m/s", 3, parts->velocities[0], NULL};
    parts->of_particles[1] = (BwFrameAttribute){"age", "s", 1, parts->ages, NULL};
    parts->of_particles[2] = (BwFrameAttribute){"id", "1", 1, NULL, parts->ids};
    parts->particles = (BwFrameParticles){.name = "water",
                                          .radius = 0.02f,
                                          .tile_count = 2,
                                          .tiles = parts->tiles,
                                          .count = PARTS_PARTICLES,
                                          .tile = parts->tile,
                                          .positions = parts->positions,
                                          .attributes = parts->of_particles,
                                          .attribute_count = 3};
}

static inline void parts_fill_columns(FrameParts *parts)
{
    for (int n = 0; n < PARTS_ACROSS * PARTS_ALONG; n++) {
        parts->heights[n] = 0.3f + 0.01f * (float)n;
        parts->depths[n] = n % 4 == 0 ? 0.0f : 0.2f;
    }
    parts->of_columns[0] = (BwFrameAttribute){"depth", "m", 1, parts->depths, NULL};
    parts->columns = (BwFrameColumns){.name = "water",
                                      .cell_size = 0.25f,
                                      .low = {-3, 2},
                                      .count = {PARTS_ACROSS, PARTS_ALONG},
                                      .heights = parts->heights,
                                      .attributes = parts->of_columns,
                                      .attribute_count = 1};
}

// A tetrahedron.
static inline void parts_fill_mesh(FrameParts *parts)
{
    static const int32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    for (int n = 0; n < 4; n++) {
        parts->vertices[n] = bw_vec3(n == 1 ? 1.0f : 0.0f, n == 2 ? 1.0f : 0.0f, n == 3 ? 1.0f : 0.0f);
        for (int c = 0; c < 3; c++) {
            parts->triangles[n][c] = triangles[n][c];
            parts->colors[n][c] = 0.25f * (float)n;
            parts->speeds[n][c] = (float)(n + c);
        }
    }
    parts->of_mesh[0] = (BwFrameAttribute){"color", "1", 3, parts->colors[0], NULL};
    parts->of_mesh[1] = (BwFrameAttribute){"velocity", "m/s", 3, parts->speeds[0], NULL};
    parts->mesh = (BwFrameMesh){.name = "water",
                                .origin = {50000.0, 0.5, -2.25},
                                .vertex_count = 4,
                                .triangle_count = 4,
                                .vertices = parts->vertices,
                                .triangles = (const int32_t(*)[3])parts->triangles,
                                .attributes = parts->of_mesh,
                                .attribute_count = 2};
}

static inline void parts_make(FrameParts *parts)
{
    parts_fill_particles(parts);
    parts_fill_columns(parts);
    parts_fill_mesh(parts);
    parts->frame = (BwFrame){.number = 6,
                             .time = 0.25,
                             .dimension = 3,
                             .layers = BW_TILE,
                             .cell_size = 0.125f,
                             .particles = &parts->particles,
                             .columns = &parts->columns,
                             .meshes = &parts->mesh,
                             .particle_set_count = 1,
                             .column_set_count = 1,
                             .mesh_count = 1};
}
