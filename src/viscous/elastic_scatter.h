// The places of a tile where an elastic liquid strains: its cells, the lines between its faces, and the
// surfaces that these stick to. What is done there is added into the elastic's sums.
#pragma once

#include "viscous/elastic.h"
#include "viscous/viscous_assemble.h"

typedef struct BwElasticScatter BwElasticScatter;

// What is done: along an axis in the cells of a tile, on its lines of a component along another axis, and at
// its surfaces.
typedef void BwElasticCellsFn(const BwElasticScatter *scatter, int32_t slot, int axis);
typedef void BwElasticLinesFn(const BwElasticScatter *scatter, int32_t slot, int component, int axis,
                              const BwBoundaryTerms *terms);
typedef void BwElasticContactsFn(const BwElasticScatter *scatter, int32_t slot, int component,
                                 const BwContacts *contacts);

struct BwElasticScatter {
    const BwElastic *elastic;
    BwViscousAssembly assembly;
    BwElasticCellsFn *cells;
    BwElasticLinesFn *lines;
    BwElasticContactsFn *contacts;
    float k;      // m/s, of a strain of 1: 2 G seconds / (density h)
    float before; // s, of the rate before
};

// How far from a face a surface counts, in cells: no nearer than the edge that takes the slope between them.
// Right beside the face, the slope would be 1 / length, and the strain around the edge would pull at the face
// by 1 / length squared, where the viscous solve resists by 1 / length alone: energy would grow.
float bw_elastic_reach(const BwContact *contact);

// Clears the sums, and does it for all tiles.
void bw_elastic_scatter(const BwElasticScatter *scatter);

// Lines of a layer of a tile, along another axis than that of their component, between two faces of the
// liquid.
uint64_t bw_elastic_lines(const BwDomain *domain, const BwBoundaryTerms *terms, int32_t slot, int component,
                          int axis, int layer);
