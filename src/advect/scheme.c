// Linear, that is semi-Lagrangian: take what was at the start of the path (Stam 1999, Stable Fluids). Never
// makes new extremes; smears, by so much that to hold each tile to its total would show the tiles. Cubic: the
// same with a limited cubic between the samples (Fedkiw, Stam and Jensen 2001); so exact that at Courant
// numbers of 4 and more paths of second order are what errs. MacCormack: there and back, and half of what
// that changed taken away (Selle, Fedkiw, Kim, Liu and Rossignac 2008, An Unconditionally Stable MacCormack
// Method). Second order; limited to the samples the path started from, so that it makes no new extremes
// either.
#include "advect/scheme.h"

const BwSchemeTraits bw_schemes[BW_SCHEME_COUNT] = {
    [BW_SCHEME_LINEAR] = {.name = "semi-Lagrangian",
                          .stencil = BW_STENCIL_LINEAR,
                          .sample = bw_interpolate_linear,
                          .passes = 1,
                          .trace_order = 2},
    [BW_SCHEME_CUBIC] = {.name = "cubic",
                         .stencil = BW_STENCIL_CUBIC,
                         .sample = bw_interpolate_cubic,
                         .passes = 1,
                         .trace_order = 3,
                         .keeps_totals = true},
    [BW_SCHEME_MACCORMACK] = {.name = "MacCormack",
                              .stencil = BW_STENCIL_LINEAR,
                              .sample = bw_interpolate_linear,
                              .with_range = bw_interpolate_linear_and_range,
                              .passes = 2,
                              .trace_order = 2,
                              .keeps_totals = true},
};
