// SPDX-License-Identifier: MIT
// One call of an encode function of tensormap.h as data, for the tests of model/tma: a base call that is legal, and
// edits by the driver's names of the arguments, so that a finding's proposal can be put back where it belongs.
#ifndef TMAREF_ENCODE_CALL_H
#define TMAREF_ENCODE_CALL_H

#include <stdbool.h>

#include "tensormap.h"

// Bases: legal calls that give no warning on an aligned map (but for wide, which always warns).
enum base { TILED, IM2COL, WIDE, PIXELS_16B, PIXELS_32B, BASES };

enum null_argument { NULL_MAP = 1, NULL_DIM = 2, NULL_STRIDES = 4, NULL_BOX = 8, NULL_ESTRIDES = 16 };
enum { NULL_LOWER = 32, NULL_UPPER = 64 };

// `nulls` says which pointers are passed as NULL, `unreadable` which arrays are at an address that no one can read.
struct encode_call {
    enum base base;
    uint32_t data_type, rank;
    uint64_t address;
    uint64_t dim[5], strides[4];
    uint32_t box[5], estride[5];
    int lower[3], upper[3];
    uint32_t channels, pixels, interleave, swizzle, l2_promotion, oob_fill, mode;
    int nulls, unreadable;
};

// A change of one argument; `argument` NULL ends a list. Signed values are cast.
struct edit {
    const char *argument;
    int index;
    uint64_t value;
};

// The arguments of the four calls, by the driver's names, and the member of struct encode_call and of struct map_args.
#define ENCODE_FIELD_ROWS(FIELD)                                                                                       \
    FIELD("tensorDataType", data_type)                                                                                 \
    FIELD("tensorRank", rank)                                                                                          \
    FIELD("globalAddress", address)                                                                                    \
    FIELD("globalDim", dim[0])                                                                                         \
    FIELD("globalStrides", strides[0])                                                                                 \
    FIELD("boxDim", box[0])                                                                                            \
    FIELD("elementStrides", estride[0])                                                                                \
    FIELD("pixelBoxLowerCorner", lower[0])                                                                             \
    FIELD("pixelBoxUpperCorner", upper[0])                                                                             \
    FIELD("pixelBoxLowerCornerWidth", lower[0])                                                                        \
    FIELD("pixelBoxUpperCornerWidth", upper[0])                                                                        \
    FIELD("channelsPerPixel", channels)                                                                                \
    FIELD("pixelsPerColumn", pixels)                                                                                   \
    FIELD("interleave", interleave)                                                                                    \
    FIELD("swizzle", swizzle)                                                                                          \
    FIELD("l2Promotion", l2_promotion)                                                                                 \
    FIELD("oobFill", oob_fill)                                                                                         \
    FIELD("mode", mode)

struct encode_call encode_call_base(enum base base);

// Makes the change; returns 0 if the call has no such argument ("compute capability").
bool encode_call_edit(struct encode_call *call, const struct edit *edit);

// Makes all changes of a list that ends with {NULL}; the test fails at an argument that is not there.
void encode_call_edits(struct encode_call *call, const struct edit *edits);

enum rule encode_call_run(const struct encode_call *call, struct tensormap_image *image, struct findings *findings);

// How many findings are refusals, and the first finding of `rule` or NULL.
int findings_refusals(const struct findings *findings);
const struct finding *findings_of(const struct findings *findings, enum rule rule);

// What must happen to a base call with `edit`: the arguments of the finding are those of edit[0].
//   REFUSED    by `about`, and by nothing else; `limit` and `nearest` are in the finding
//   WARNED     accepted with a finding of `about`
//   ACCEPTED   accepted, and no finding of `about`
//   ELSEWHERE  refused, but not by `about`
enum outcome_of_call { ACCEPTED, REFUSED, WARNED, ELSEWHERE };

struct encode_vector {
    enum rule about;
    char why[96]; // with file and line in front
    enum base base;
    struct edit edit[5];
    enum outcome_of_call outcome;
    uint64_t limit, nearest;
};

// Vector `i`, or NULL past the last.
const struct encode_vector *encode_vector(int i);

// The call of a vector.
struct encode_call encode_vector_call(const struct encode_vector *vector);

#endif
