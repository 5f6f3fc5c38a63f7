// The table of benchmarks.
#include "cases.h"

#include <stddef.h>

const BenchCase bench_cases[] = {
    {"advect", "[CELLS [SCHEME]]", "carrying smoke and velocity alone, by each scheme", bench_advect},
    {"grid", "", "a stencil on tiles against the same on a dense array", bench_grid},
    {"initial", "[CELLS]", "filling a box by functions of place of a script, and by the same in C",
     bench_initial},
    {"fire", "[CELLS,... [FRAMES [THREADS]]]",
     "a whole run of fire by both models, against Blender's where it is installed", bench_fire},
    {"liquid", "[CELLS,... [FRAMES [THREADS]]]",
     "a whole run of a dam break, against Blender's where it is installed", bench_liquid},
    {"mesh", "[CELLS [FRAMES]]", "the surface of a dam break as a mesh, against a step of it", bench_mesh},
    {"picture", "[CELLS_PER_METRE [FILE.png]]", "drawing a plume with one thread and with two",
     bench_picture},
    {"pool", "", "starting a parallel job, against starting its threads anew", bench_pool},
    {"pressure", "[SIZE,... [METHOD,... [CASE,...]]]", "the pressure solve alone, by each method",
     bench_pressure},
    {"smoke", "[CELLS,... [FRAMES [THREADS]]]",
     "a whole run of smoke, against Blender's where it is installed", bench_smoke},
    {"solids", "[CELLS [TRIANGLES [CASE]]]",
     "a step of smoke around boxes, a ball and a mesh, against one without", bench_solids},
    {"sparse", "[CELLS]", "a plume with only the air near it awake, against its whole box", bench_sparse},
    {"stable", "", "Stam's box against the listing of its paper", bench_stable},
    {"surface", "[CELLS [THREADS]]", "the distance around a ball made anew, against OpenVDB's tools",
     bench_surface},
    {"viscous", "[CELLS,... [FRAMES [THREADS]]]",
     "a whole run of a thick dam, against water and against Blender's where it is installed", bench_viscous},
    {NULL, NULL, NULL, NULL},
};
