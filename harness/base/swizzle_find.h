// SPDX-License-Identifier: MIT
// The swizzle mode that somebody typed, under any name that it has elsewhere (model/map/swizzle_names.h).
#ifndef TMAREF_SWIZZLE_FIND_H
#define TMAREF_SWIZZLE_FIND_H

#include "swizzle_names.h"
#include "text.h"

// The mode that `text` names: 128B, SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B, Swizzle<3,4,3>, Layout_K_SW128_Atom,
// map:3, ptx:3, wgmma:1, ...; case does not matter.
//   element_bytes   what a CuTe form speaks of (2 for Swizzle<3,3,3>); 0 where the name does not say
//   returns         1, or 0 with a sentence in `why`
int swizzle_find(const char *text, enum tensormap_swizzle *mode, uint32_t *element_bytes, struct text *why);

#endif
