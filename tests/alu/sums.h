// SPDX-License-Identifier: MIT
// The approximate functions of f32 on all 2^32 arguments: sums of a mix of argument and result over regions of them.
#ifndef TMAREF_TESTS_ALU_SUMS_H
#define TMAREF_TESTS_ALU_SUMS_H

#include <stdint.h>
#include <stdio.h>

enum { SUMS_REGIONS = 256, SUMS_REGION_BITS = 24 };

// Spelling i, or NULL behind the last one.
const char *sums_spelling(int i);

// The kernel `name`(in, out, tuples) that adds the sum of region r to out[r], one block a region; `in` is not used.
void sums_print(const char *spelling, const char *name, FILE *to);

uint64_t sums_of_model(const char *spelling, int region);

#endif
