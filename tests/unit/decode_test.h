// SPDX-License-Identifier: MIT
// What the tests of decoding share.
#ifndef TMAREF_DECODE_TEST_H
#define TMAREF_DECODE_TEST_H

#include "encode_call.h"

#define TWO(n) ((uint64_t)1 << (n))

// The calls whose 128 bytes decode_test.c spells out.
extern const int layout_count;
struct encode_call layout_call(int i);

struct tensormap_image encoded(const struct encode_call *call); // a call that must be accepted
struct tensormap decoded(const struct tensormap_image *image, struct findings *findings);

#endif
