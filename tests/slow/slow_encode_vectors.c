// SPDX-License-Identifier: MIT
// Hand-chosen encode calls, as changes to one legal set of arguments, and the random ones: legal sets with up to two
// arguments moved to a limit.
#include "slow_vectors.h"

#define BIT(n) ((int64_t)1 << (n))

// Where a change goes; the arrays take an index.
enum field {
    NOTHING,
    DTYPE,
    RANK,
    ADDRESS,
    DIM,
    STRIDE,
    BOX,
    ESTRIDE,
    LOWER,
    UPPER,
    PIXELS,
    IL,
    SWIZZLE,
    L2,
    FILL,
    WIDE
};

struct change {
    enum field field;
    int i;
    int64_t value;
};

struct vector {
    const char *why;
    enum slow_call call;
    struct change change[4];
};

// clang-format off
static const struct vector vectors[] = {
    {"every field of a plain tiled map", SLOW_TILED, {{NOTHING, 0, 0}}},
    {"rank 1: all other dimensions are 0", SLOW_TILED, {{RANK, 0, 1}}},
    {"rank 5", SLOW_TILED, {{RANK, 0, 5}}},
    {"rank 6", SLOW_TILED, {{RANK, 0, 6}}},
    {"rank 0", SLOW_TILED, {{RANK, 0, 0}}},
    {"rank 2 with interleave", SLOW_TILED, {{RANK, 0, 2}, {IL, 0, 1}}},
    {"f64 is format 9", SLOW_TILED, {{DTYPE, 0, 8}}},
    {"bf16 is format 10", SLOW_TILED, {{DTYPE, 0, 9}, {FILL, 0, 1}}},
    {"f32_ftz is format 8", SLOW_TILED, {{DTYPE, 0, 10}}},
    {"tf32 is format 7 and a bit", SLOW_TILED, {{DTYPE, 0, 11}, {FILL, 0, 1}}},
    {"tf32_ftz is format 8 and a bit", SLOW_TILED, {{DTYPE, 0, 12}}},
    {"type 13", SLOW_TILED, {{DTYPE, 0, 13}}},
    {"NaN fill of u64", SLOW_TILED, {{DTYPE, 0, 4}, {FILL, 0, 1}}},
    {"fill 2", SLOW_TILED, {{DTYPE, 0, 7}, {FILL, 0, 2}}},
    {"swizzle 4", SLOW_TILED, {{SWIZZLE, 0, 4}}},
    {"l2Promotion 3", SLOW_TILED, {{L2, 0, 3}}},
    {"l2Promotion 4", SLOW_TILED, {{L2, 0, 4}}},
    {"7 by steps of 3: 2 elements in the byte count", SLOW_TILED, {{BOX, 1, 7}, {ESTRIDE, 1, 3}}},
    {"element stride 2 of dimension 0 halves the byte count", SLOW_TILED, {{ESTRIDE, 0, 2}}},
    {"element stride 9 of dimension 0", SLOW_TILED, {{ESTRIDE, 0, 9}}},
    {"element stride 0 of dimension 2", SLOW_TILED, {{ESTRIDE, 2, 0}}},
    {"a box of fewer elements than its stride has 0 bytes", SLOW_TILED, {{BOX, 1, 3}, {ESTRIDE, 1, 8}}},
    {"233472 bytes", SLOW_TILED, {{DTYPE, 0, 0}, {BOX, 0, 256}, {BOX, 1, 8}, {BOX, 2, 114}}},
    {"235520 bytes", SLOW_TILED, {{DTYPE, 0, 0}, {BOX, 0, 256}, {BOX, 1, 8}, {BOX, 2, 115}}},
    {"ceil has twice 135168 bytes, floor once", SLOW_TILED,
     {{BOX, 0, 256}, {BOX, 1, 15}, {ESTRIDE, 1, 8}, {BOX, 2, 256}}},
    {"box 257", SLOW_TILED, {{BOX, 1, 257}}},
    {"a box larger than the tensor", SLOW_TILED, {{BOX, 1, 40}}},
    {"a row of 8 bytes with interleave", SLOW_TILED, {{BOX, 0, 4}, {IL, 0, 1}}},
    {"a row of 32 bytes with swizzle 32B", SLOW_TILED, {{SWIZZLE, 0, 1}}},
    {"a row of 48 bytes with swizzle 32B", SLOW_TILED, {{SWIZZLE, 0, 1}, {BOX, 0, 24}}},
    {"a row of 48 bytes with swizzle 32B and interleave", SLOW_TILED, {{SWIZZLE, 0, 1}, {BOX, 0, 24}, {IL, 0, 1}}},
    {"interleave 32B without swizzle", SLOW_TILED, {{IL, 0, 2}}},
    {"interleave 32B at a multiple of 16", SLOW_TILED, {{IL, 0, 2}, {SWIZZLE, 0, 1}, {ADDRESS, 0, 0x10010}}},
    {"interleave 32B with a stride of 48", SLOW_TILED, {{IL, 0, 2}, {SWIZZLE, 0, 1}, {STRIDE, 1, 48}}},
    {"an address of 57 bits", SLOW_TILED, {{ADDRESS, 0, BIT(57) - 16}}},
    {"an address of 58 bits", SLOW_TILED, {{ADDRESS, 0, BIT(57)}}},
    {"NULL", SLOW_TILED, {{ADDRESS, 0, 0}}},
    {"a dimension of 2^32", SLOW_TILED, {{DIM, 2, BIT(32)}}},
    {"a dimension of 2^32 + 1", SLOW_TILED, {{DIM, 2, BIT(32) + 1}}},
    {"a dimension of 0", SLOW_TILED, {{DIM, 1, 0}}},
    {"strides of 40 bits", SLOW_TILED, {{RANK, 0, 5}, {STRIDE, 1, BIT(40) - 16}, {STRIDE, 3, BIT(39) + 16}}},
    {"a stride of 2^40", SLOW_TILED, {{STRIDE, 1, BIT(40)}}},
    {"a stride of 0", SLOW_TILED, {{STRIDE, 0, 0}}},
    {"a stride of 16 over rows of 128 bytes", SLOW_TILED, {{STRIDE, 0, 16}}},

    {"every field of a plain im2col map", SLOW_IM2COL, {{ESTRIDE, 1, 2}}},
    {"two corners", SLOW_IM2COL, {{RANK, 0, 4}, {LOWER, 1, -128}, {UPPER, 0, 127}}},
    {"three corners", SLOW_IM2COL, {{RANK, 0, 5}, {LOWER, 0, -16}, {UPPER, 2, 15}}},
    {"a corner of 9 bits", SLOW_IM2COL, {{RANK, 0, 4}, {LOWER, 1, -129}}},
    {"corner 0 goes with dimension 0 with interleave", SLOW_IM2COL, {{IL, 0, 1}, {DIM, 0, 1}, {UPPER, 0, -5}}},
    {"2^31 + 1 wraps to a negative number", SLOW_IM2COL, {{DIM, 1, BIT(31)}}},
    {"2^32 wraps to 0", SLOW_IM2COL, {{DIM, 1, BIT(32)}}},
    {"2^32 with equal corners is empty", SLOW_IM2COL, {{DIM, 1, BIT(32)}, {LOWER, 0, 1}}},
    {"pixels 1024", SLOW_IM2COL, {{PIXELS, 0, 1024}}},
    {"pixels 1025", SLOW_IM2COL, {{PIXELS, 0, 1025}}},
    {"im2colWide", SLOW_WIDE, {{RANK, 0, 4}}},
    {"im2colWide W128 with 1025 pixels", SLOW_WIDE, {{WIDE, 0, 1}, {PIXELS, 0, 1025}}},
    {"im2colWide mode 2", SLOW_WIDE, {{WIDE, 0, 2}}},
    {"im2colWide, a height of 2^31", SLOW_WIDE, {{RANK, 0, 4}, {DIM, 2, BIT(31)}}},
};
// clang-format on

static const struct slow_encode plain = {
    .dtype = 1,
    .rank = 3,
    .address = 0x7f0123456780,
    .dim = {64, 32, 16, 8, 4},
    .stride = {128, 4096, 65536, 524288},
    .box = {16, 4, 2, 3, 2},
    .estride = {1, 1, 1, 1, 1},
    .lower = {-3, -2, -1},
    .upper = {1, 2, 3},
    .pixels = 64,
};

static void apply(struct slow_encode *a, struct change change)
{
    uint32_t value = (uint32_t)change.value;
    switch (change.field) {
    case NOTHING:
        break;
    case DTYPE:
        a->dtype = value;
        break;
    case RANK:
        a->rank = value;
        break;
    case ADDRESS:
        a->address = (uint64_t)change.value;
        break;
    case DIM:
        a->dim[change.i] = (uint64_t)change.value;
        break;
    case STRIDE:
        a->stride[change.i] = (uint64_t)change.value;
        break;
    case BOX:
        a->box[change.i] = value;
        break;
    case ESTRIDE:
        a->estride[change.i] = value;
        break;
    case LOWER:
        a->lower[change.i] = (int)change.value;
        break;
    case UPPER:
        a->upper[change.i] = (int)change.value;
        break;
    case PIXELS:
        a->pixels = value;
        break;
    case IL:
        a->interleave = value;
        break;
    case SWIZZLE:
        a->swizzle = value;
        break;
    case L2:
        a->l2_promotion = value;
        break;
    case FILL:
        a->oob_fill = value;
        break;
    case WIDE:
        a->mode = value;
        break;
    }
}

const char *slow_encode_vector(int i, struct slow_encode *arguments)
{
    if (i >= (int)(sizeof vectors / sizeof vectors[0])) return NULL;
    *arguments = plain;
    arguments->call = vectors[i].call;
    for (int c = 0; c < 4; c++) apply(arguments, vectors[i].change[c]);
    return vectors[i].why;
}

// A value at, or one beside, a limit of the field.
static int64_t at_limit(struct slow_random *random, enum field field)
{
    static const int64_t dims[] = {0, 1, BIT(31), BIT(32)};
    static const int64_t corners[] = {-32768, -128, -16, 0, 15, 127, 32767};
    static const int64_t most[] = {
        [DTYPE] = 15, [RANK] = 5, [ESTRIDE] = 8, [IL] = 2, [SWIZZLE] = 6, [L2] = 3, [FILL] = 1, [WIDE] = 1};
    int64_t beside = slow_between(random, -1, 1);
    switch (field) {
    case ADDRESS:
        return slow_chance(random, 50) ? 16 * slow_between(random, 0, 9)
                                       : BIT(57) - 16 + 8 * slow_between(random, 0, 4);
    case DIM:
        return dims[slow_between(random, 0, 3)] + beside;
    case STRIDE:
        return slow_chance(random, 50) ? 8 * slow_between(random, 0, 20) : BIT(40) + 16 * slow_between(random, -2, 1);
    case BOX:
        return slow_chance(random, 30) ? 0 : 256 + beside;
    case LOWER:
    case UPPER:
        return corners[slow_between(random, 0, 6)] + beside;
    case PIXELS:
        return slow_chance(random, 30) ? 0 : 1024 + beside;
    default:
        return slow_between(random, 0, most[field] + 1);
    }
}

// Halves the box until it fits, so that most boxes are within a factor of 2 of the limit.
static void shrink(struct slow_encode *a)
{
    static const uint64_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t bytes = element[a->dtype];
        for (uint32_t d = 0; d < a->rank; d++) bytes *= a->box[d] / a->estride[d];
        if (a->call != SLOW_TILED) bytes = element[a->dtype] * a->box[0] * a->pixels;
        if (bytes <= 233472) return;
        if (a->rank > 1) a->box[1 + i % (a->rank - 1)] -= a->box[1 + i % (a->rank - 1)] / 2;
        if (a->call != SLOW_TILED) a->pixels -= a->pixels / 16;
    }
}

static void choose_dimension(struct slow_random *random, struct slow_encode *a, int d)
{
    a->dim[d] = (uint64_t)slow_between(random, 1, slow_chance(random, 70) ? 300 : 0x7ffffff0);
    if (d < 4) a->stride[d] = 32 * (uint64_t)slow_between(random, 0, slow_chance(random, 70) ? 300 : BIT(35) - 1);
    a->box[d] = (uint32_t)slow_between(random, 1, 256);
    a->estride[d] = slow_chance(random, 50) ? 1 : (uint32_t)slow_between(random, 1, 8);
}

void slow_generate_encode(struct slow_random *random, struct slow_encode *a)
{
    static const uint32_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    *a = plain;
    a->call = (enum slow_call)slow_between(random, 0, 2);
    a->rank = (uint32_t)slow_between(random, a->call == SLOW_TILED ? 1 : 3, 5);
    a->dtype = (uint32_t)slow_between(random, 0, 12);
    a->address = 32 * (uint64_t)slow_between(random, 0, BIT(52) - 1);
    a->interleave = a->rank < 3 ? 0 : (uint32_t)slow_between(random, 0, 2);
    a->swizzle = (uint32_t)slow_between(random, 0, 3);
    a->l2_promotion = (uint32_t)slow_between(random, 0, 3);
    a->oob_fill = a->dtype < 6 ? 0 : (uint32_t)slow_between(random, 0, 1);
    a->mode = (uint32_t)slow_between(random, 0, 1);
    a->pixels = (uint32_t)slow_between(random, 1, 1024);
    for (int d = 0; d < 5; d++) choose_dimension(random, a, d);
    int64_t most = a->interleave == 0 && a->swizzle != 0 ? 1u << a->swizzle : 16 * element[a->dtype];
    a->box[0] = 16 / element[a->dtype] * (uint32_t)slow_between(random, 1, most);
    for (int i = 0; i < 3; i++) {
        a->lower[i] = (int)slow_between(random, -16, 15);
        a->upper[i] = (int)slow_between(random, a->lower[i], 15);
    }
    if (slow_chance(random, 90)) shrink(a);
    for (int c = (int)slow_between(random, 0, 2); c > 0; c--) {
        enum field field = (enum field)slow_between(random, DTYPE, WIDE);
        int i = (int)slow_between(random, 0, field == LOWER || field == UPPER ? 2 : field == STRIDE ? 3 : 4);
        apply(a, (struct change){field, i, at_limit(random, field)});
    }
}
