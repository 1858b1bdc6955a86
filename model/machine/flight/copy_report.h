// SPDX-License-Identifier: MIT
// Sentences on a copy that faults, for people.
#ifndef TMAREF_MACHINE_COPY_REPORT_H
#define TMAREF_MACHINE_COPY_REPORT_H

#include "descriptor.h"
#include "finding.h"
#include "operation.h"
#include "state.h"

#pragma GCC visibility push(hidden)

// `is_read`: its map could be read. `finding`: of the rule that is broken.
void machine_copy_explain(const struct machine *machine, const struct operation *o, bool is_read,
                          const struct finding *finding, char *text, size_t bytes);

// A tensor map in one line: "tiled of FLOAT32 at 0x7f0000000000, dimensions 64 x 64, strides 256, box 32 x 8, no
// swizzle".
struct machine_text;
void machine_map_explain(const struct tensormap *map, struct machine_text *text);

// The descriptors of A and B of a wgmma; 0: it has none.
void machine_descriptors_explain(const uint64_t bits[2], char *text, size_t bytes);

#pragma GCC visibility pop

#endif
