// SPDX-License-Identifier: MIT
// One bulk operation as data, and where its result lies.
#ifndef TMAREF_BULK_CASE_H
#define TMAREF_BULK_CASE_H

#include "bulk.h"
#include "bulk_job.h"
#include "family.h"

// Global memory that cases write: each case has its own, which starts here. A GPU has it somewhere else.
#define BULK_SCRATCH ((uint64_t)1 << 45)

enum {
    BULK_SCRATCH_OFFSETS = 4096,      // a destination in global memory starts less than so many bytes into it
    BULK_SHARED_ADDRESSES = 0x40000,  // from here on the hardware does nothing at all
    BULK_ARENA_MARGIN_BYTES = 1 << 30 // so far outside the arena nothing is mapped
};

// `operation` is an enum bulk_reduction_id or BULK_COPY. `from` is an address in the arena, or a shared address of the
// issuing CTA, or 0 for registers; `to` a shared address of the destination's CTA, or one in BULK_SCRATCH, or one
// past the arena, where nothing is mapped. `expect_bytes` is what the barrier is told to expect. `seed` decides what
// source and destination hold before, which of two instructions that do the same is used, and nothing else.
struct bulk_case {
    uint32_t form, operation;
    uint64_t from, to;
    uint32_t size_bytes, expect_bytes, seed;
};

// What is filled before (the source in shared memory) and what the result holds: shared addresses, or for a global
// destination offsets in BULK_SCRATCH. Multiples of 16; empty where nothing is mapped.
struct bulk_region {
    uint32_t source, source_end, window, window_end;
};

struct bulk_region bulk_region(const struct bulk_case *test_case);

void bulk_fill(const struct bulk_case *test_case, uint32_t salt, uint8_t *bytes, uint32_t size_bytes);

// "global_to_shared", ..., and "copy", "add.u32", ...; NULL ends both.
extern const char *const bulk_form_names[], *const bulk_operation_names[];

#endif
