// SPDX-License-Identifier: MIT
// A chain of wgmma on one accumulator as data, and what it means to the model.
#ifndef TMAREF_WGMMA_CASE_H
#define TMAREF_WGMMA_CASE_H

#include "family.h"
#include "wgmma.h"
#include "wgmma_sparse_job.h"

// `instance` is an enum wgmma_instance or wgmma_sparse_instance; `steps` instructions of it follow each other, each
// with the start of its descriptors `advance_bytes` further, and with bit i of `scale_d`. `descriptor[0]` is 0 where A
// is in registers. `seed` decides what shared memory, A, D and the metadata hold before; `metadata` is an enum
// wgmma_metadata_style, 0 of dense instructions.
struct wgmma_case {
    uint64_t descriptor[2];
    uint32_t advance_bytes[2];
    uint32_t instance, steps, scale_d, seed, metadata;
};

// A compiled instruction: its name in cases ("f32.f16.f16", N, "SS"), the model's view, the formats of its contents.
struct wgmma_instance_row {
    const char *variant;
    struct wgmma wgmma;
    struct wgmma_layout layout_a, layout_b, layout_d;
};

// Row `instance` < WGMMA_SPARSE_INSTANCE_END.
const struct wgmma_instance_row *wgmma_instance_row(uint32_t instance);

// Does it read more than its CTA's own shared memory? Where that does not fault an H200 takes what the SM has there:
// zeros, or another CTA's bytes; the elements of D that it is read for are open then.
bool wgmma_case_reads_outside(const struct wgmma_case *test_case);

// The state before a step, and one step on the model. `d` has all registers of D, as in the result's window.
struct wgmma_state {
    uint8_t shared[WGMMA_SHARED_BYTES];
    uint32_t a[WGMMA_THREADS][4], metadata[WGMMA_THREADS];
    uint32_t d[WGMMA_MAX_N / 2 * WGMMA_THREADS];
};

void wgmma_case_start(const struct wgmma_case *test_case, struct wgmma_state *state);
struct wgmma_operands wgmma_case_operands(const struct wgmma_case *test_case, uint32_t step, struct wgmma_state *state,
                                          struct memory *shared);
enum rule wgmma_case_step(const struct wgmma_case *test_case, uint32_t step, struct wgmma_state *state);

uint32_t wgmma_case_d_bytes(const struct wgmma_case *test_case);

#endif
