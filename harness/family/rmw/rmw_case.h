// SPDX-License-Identifier: MIT
// One read-modify-write of an array as data, where its result lies, and how to launch it.
#ifndef TMAREF_RMW_CASE_H
#define TMAREF_RMW_CASE_H

#include "family.h"
#include "gpu.h"
#include "rmw_model.h"

// Where the model sees the window of the array; a GPU has it somewhere else.
#define RMW_ARRAY ((uint64_t)1 << 45)

enum { RMW_SURROUND_BYTES = 128, RMW_MAX_OFFSET = 128, RMW_MAX_CTAS = 64, RMW_MAX_TILE_BYTES = 65536 };

// `form`, `type` and `issuer` name the kernel. The array has `count` elements and begins `offset` bytes behind an
// address that is a multiple of 128; each CTA of `threads` threads has `tile` elements. `seed` decides what it holds.
struct rmw_case {
    uint32_t form, type, issuer, threads;
    uint32_t count, tile, offset, seed;
};

// "memcpy_async_aligned", ..., "u8", ..., "elected", ...; NULL ends each.
extern const char *const rmw_form_names[], *const rmw_type_names[], *const rmw_issuer_names[];

#endif
