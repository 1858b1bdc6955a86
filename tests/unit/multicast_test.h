// SPDX-License-Identifier: MIT
// What the files of the suite `multicast` share: sixteen CTAs and a tile of 16 x 16 integers.
#ifndef TMAREF_MULTICAST_TEST_H
#define TMAREF_MULTICAST_TEST_H

#include <check.h>

#include "multicast.h"

enum { CTAS = 16, SMEM_BASE = 0x400, SMEM_BYTES = 8192, SMEM_END = SMEM_BASE + SMEM_BYTES, SIDE = 16, ROW_BYTES = 64 };
enum { TILE_ELEMS = SIDE * SIDE, TO = 0x800 };
#define GMEM_BASE ((uint64_t)1 << 40)

// The tile, 0 to 255, in global memory, boxes of 16 x 8, and CTAs whose memory is zeros.
struct bench {
    uint32_t source[TILE_ELEMS];
    _Alignas(128) uint8_t bytes[CTAS][SMEM_BYTES];
    struct memory global, cta[CTAS];
    struct tensormap map;
};

void bench_set_up(struct bench *bench);

// A multicast load to shared address TO.
struct cluster_load bench_load(const struct bench *bench, uint32_t ctas, uint32_t issuer, uint32_t mask);

// CTAs whose memory is not all zeros.
uint32_t bench_written(const struct bench *bench);

// The tests of multicast_fault_test.c.

#endif
