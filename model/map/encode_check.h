// SPDX-License-Identifier: MIT
// The checks of the driver's tensor-map calls on their arguments, for the calls themselves (encode.c) and for the
// arguments that 128 bytes stand for (decode.c). Private to model/map.
#ifndef TMAREF_ENCODE_CHECK_H
#define TMAREF_ENCODE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "tensormap.h"

#define TENSORMAP_ADDRESS_LIMIT ((uint64_t)1 << 57)

// The arguments of any of the encode calls. Tiled: box is boxDim. im2col: lower, upper, channels, pixels. Whoever makes
// one names every member: clearing the struct first would cost as much as the checks.
struct request {
    enum tensormap_mode mode;
    bool is_wide; // the wide call: corners for the width alone
    uint32_t data_type, rank;
    uint64_t address;
    const uint64_t *dim, *strides;
    const uint32_t *box, *estride;
    const int *lower, *upper;
    uint32_t channels, pixels;
    uint32_t interleave, wide_mode, swizzle, l2_promotion, oob_fill;
};

// Collects what is broken; `first` is the first refusal.
struct check {
    struct findings *findings;
    enum rule first;
};

// Every rule that the arguments of an encode call break, in the driver's order, into `check`.
//   image    where the map would go; only compared with NULL
//   returns  the bytes of the box as the driver counts them; 0 when something that counts is missing or illegal
//   errors   none: NULL arrays are findings, arrays past rank 5 are never read
//   source   CUDA driver API 13.0, "Tensor Map Object Management"; traces/sm_90a/encode
uint64_t tensormap_check(struct check *check, const struct tensormap_image *image, const struct request *request);

// What the documents forbid and an H200 accepts, of a request that tensormap_check() found nothing in.
void tensormap_check_warn(struct check *check, const struct tensormap_image *image, const struct request *request);

// The request that would make this map, which must outlive it. A type that does not exist is the number DTYPE_COUNT, a
// refused one.
struct request tensormap_request(const struct tensormap *map);

// What cuTensorMapReplaceAddress refuses.
void tensormap_check_replace(struct check *check, const struct tensormap_image *image, uint64_t address);

// The warning of an address that is no multiple of 32 in a map with interleave 32B.
void tensormap_check_replace_32(struct check *check, uint64_t address);

#endif
