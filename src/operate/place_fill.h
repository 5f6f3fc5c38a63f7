// Filling fields from functions of place, as a scene's `initial` gives them.
#pragma once

#include "base/watch.h"
#include "domain/domain.h"

// Every live sample of the field becomes that component of the function there. Scene functions run one at a
// time.
BwResult bw_fill_from_place(const BwPlaceCurve *curve, BwField *field, int component, BwTask *task,
                            BwError *err);

// The same of a curve of place and time, or of time alone, at a moment.
BwResult bw_fill_from_curve(const BwCurve *curve, double time, BwField *field, int component, BwError *err);
