// SPDX-License-Identifier: MIT
// What other languages hand in, checked once for all functions of native.h: the model takes maps that are maps and
// numbers that its enums have, and a caller in Python or JavaScript may have any.
#ifndef TMAREF_NATIVE_BOUNDARY_H
#define TMAREF_NATIVE_BOUNDARY_H

#include "native_report.h"
#include "tensormap.h"

// Decodes 128 bytes. Returns 1 if the map says what a box is: a mode, a rank, a type and an interleave that there are.
// Of any other bytes 0: such a map has no box, and only the instructions' own checks take it.
int boundary_map(const uint8_t *image, struct tensormap *map);

// Refuses an instruction that there is not: INSTRUCTION_FORM of `argument`, which is `value`.
void boundary_refuse(struct native_report *report, const char *argument, uint64_t value);

#endif
