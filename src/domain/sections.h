// Cross sections of what fluid can pass, across each axis, cell by cell.
#pragma once

#include "domain/domain.h"

// The area of the narrowest plane of open cells, m^2 (m in 2-D), that has any; 0 where nothing is open.
BwResult bw_narrowest_section(const BwDomain *domain, const BwAllocator *allocator, double *area,
                              BwError *err);
