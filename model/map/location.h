// SPDX-License-Identifier: MIT
// Where the 128 bytes of a map may lie for a tensor copy to read them. Rules MAP_LOCATION_*; what the bytes mean is not
// asked here.
#ifndef TMAREF_LOCATION_H
#define TMAREF_LOCATION_H

#include "finding.h"
#include "memory.h"
#include "replace_op.h"

enum { MAP_ALIGN = 64 };

// The check of a map's place, which comes before any check of its bytes: 716 before 700.
//   location  the state space that the map was put in; MAP_UNMAPPED: no memory is there, whatever `global` says
//   address   of the map
//   global    NULL: all is mapped. Else the 128 bytes of a map in global memory are looked for in it
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the sticky error an H200 raises
//   source    PTX ISA 9.1 cp.async.bulk.tensor: tensorMap
enum rule map_location_check(enum map_location location, uint64_t address, const struct global_memory *global,
                             struct findings *findings);

#endif
