// SPDX-License-Identifier: MIT
// One read-modify-write of an array as data, where its result lies, and how to launch it.
#ifndef TMAREF_RMW_CASE_H
#define TMAREF_RMW_CASE_H

#include "family.h"
#include "gpu.h"
#include "rmw_job.h"

// Where the model sees the window of the array; a GPU has it somewhere else.
#define RMW_ARRAY ((uint64_t)1 << 45)

enum { RMW_WINDOW_ARRAY, RMW_WINDOW_BEFORE, RMW_WINDOW_AFTER, RMW_WINDOW_LOG };

enum { RMW_SURROUND_BYTES = 128, RMW_MAX_OFFSET = 128, RMW_MAX_CTAS = 64, RMW_MAX_TILE_BYTES = 65536 };

// `form`, `type` and `issuer` name the kernel. The array has `count` elements and begins `offset` bytes behind an
// address that is a multiple of 128; each CTA of `threads` threads has `tile` elements. `seed` decides what it holds.
struct rmw_case {
    uint32_t form, type, issuer, threads;
    uint32_t count, tile, offset, seed;
};

// "memcpy_async_aligned", ..., "u8", ..., "elected", ...; NULL ends each.
extern const char *const rmw_form_names[], *const rmw_type_names[], *const rmw_issuer_names[];

// What carries a tile to shared memory. Only the first looks at addresses: they are multiples of 16, or it faults.
enum rmw_path {
    RMW_BULK,     // cp.async.bulk, counted in bytes by the barrier
    RMW_CP_ASYNC, // cp.async of 4 or 8 bytes, counted by cp.async.mbarrier.arrive
    RMW_PLAIN,    // loads and stores of the thread that calls
};

// cuda::memcpy_async chooses by the alignment of the type, or of the aligned_size_t where there is one, when it is
// compiled; it never looks at the addresses (CCCL 3.0, cuda/__memcpy_async).
enum rmw_path rmw_path(enum rmw_form form, enum rmw_type type);

// Bytes of an element, which are its alignment too.
uint32_t rmw_element_bytes(enum rmw_type type);

// Element + 1, as the SM computes it: integers wrap, floats round to nearest even and keep subnormals.
void rmw_add_1(enum rmw_type type, uint8_t *element);

uint32_t rmw_ctas(const struct rmw_case *c);
uint32_t rmw_tile_bytes(const struct rmw_case *c);

enum rule rmw_run_model(const void *test_case, struct result *result);

#endif
