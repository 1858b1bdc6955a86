// SPDX-License-Identifier: MIT
// One GEMM of the family "gemm_layout": operands of any swizzle and majorness.
#ifndef TMAREF_LAYOUT_CASE_H
#define TMAREF_LAYOUT_CASE_H

#include "gemm/layout_job.h"
#include "gemm_case.h"
#include "tensormap.h"

// `instance` counts the rows of LAYOUT_INSTANCES. pitch_bytes: from row to row as it lies in memory, of MN-major
// operands from one k to the next. swizzle: enum tensormap_swizzle.
struct layout_case {
    uint32_t instance, m, n, k;
    uint32_t pitch_bytes[3];
    uint32_t swizzle[2], shift_bytes[2];
    uint32_t dump, seed;
};

// A compiled function: its name, the types, and which of A and B are MN-major.
struct layout_instance {
    const char *name;
    enum gemm_type type;
    int is_mn_major[2];
};

const struct layout_instance *layout_instance_row(uint32_t instance);

size_t layout_operand_size(const struct layout_case *c, enum gemm_operand operand);

// What A, B or D holds before.
void layout_fill(const struct layout_case *c, enum gemm_operand operand, uint8_t *bytes);

// Blocks of k.
uint32_t layout_blocks(const struct layout_case *c);

// The tensor map of A or B at `address`; RULE_OK, or what keeps the encoder from making it.
enum rule layout_map(const struct layout_case *c, enum gemm_operand operand, uint64_t address,
                     struct tensormap_image *map);

// The model (layout_model.c): D with its guards into `d`, which layout_fill() has filled; CTA 0's shared memory into
// `dump` (may be NULL). Returns the first rule that a load or an instruction breaks.
enum rule layout_model(const struct layout_case *c, uint8_t *d, uint8_t *dump);

#endif
