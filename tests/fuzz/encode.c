// SPDX-License-Identifier: MIT
// Target `encode`: the arguments of one tensor map call. Arrays hold what the rank says and no more. What is accepted
// decodes without a finding, and a refusal names its first rule.
#include <string.h>

#include "fuzz.h"
#include "tensormap.h"

// All arguments, in the order they are taken; bit i of `null` passes the i-th pointer as NULL.
struct call {
    uint32_t function, null, data_type, rank, interleave, swizzle, l2_promotion, oob_fill, channels, pixels, mode;
    uint64_t address;
    uint64_t *dim, *stride;
    uint32_t *box, *estride;
    int *lower, *upper;
};

// `count` elements in memory of just that size.
static void *take_array(struct fuzz_input *input, int count, int element_bytes)
{
    char *array = malloc((size_t)(count * element_bytes) + 1);
    for (int i = 0; i < count; i++) {
        uint64_t value = fuzz_take(input, element_bytes);
        memcpy(array + i * element_bytes, &value, (size_t)element_bytes);
    }
    return array;
}

static struct call take_call(struct fuzz_input *input)
{
    struct call c = {0};
    c.function = (uint32_t)fuzz_take(input, 1) % 4;
    c.null = fuzz_take(input, 1) == 0xff ? (uint32_t)fuzz_take(input, 1) : 0;
    uint32_t *small[] = {&c.data_type, &c.rank, &c.interleave, &c.swizzle, &c.l2_promotion, &c.oob_fill, &c.mode};
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        *small[i] = (uint32_t)fuzz_take(input, 1);
        if (*small[i] == 0xff) *small[i] = (uint32_t)fuzz_take(input, 4);
    }
    c.address = fuzz_take(input, 8);
    c.channels = (uint32_t)fuzz_take(input, 4);
    c.pixels = (uint32_t)fuzz_take(input, 4);
    int rank = c.rank <= TENSORMAP_MAX_RANK ? (int)c.rank : TENSORMAP_MAX_RANK;
    c.dim = take_array(input, rank, 8);
    c.stride = take_array(input, rank > 0 ? rank - 1 : 0, 8);
    c.estride = take_array(input, rank, 4);
    c.box = take_array(input, rank, 4);
    c.lower = take_array(input, rank > 2 ? rank - 2 : 0, 4);
    c.upper = take_array(input, rank > 2 ? rank - 2 : 0, 4);
    return c;
}

static void free_call(struct call *c)
{
    void *arrays[] = {c->dim, c->stride, c->box, c->estride, c->lower, c->upper};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
}

static enum rule make_call(const struct call *c, struct tensormap_image *image, struct findings *findings)
{
#define OR_NULL(bit, pointer) ((c->null & (1u << (bit))) != 0 ? NULL : (pointer))
    image = OR_NULL(0, image);
    const uint64_t *dim = OR_NULL(1, c->dim), *stride = OR_NULL(2, c->stride);
    const uint32_t *box = OR_NULL(3, c->box), *estride = OR_NULL(4, c->estride);
    const int *lower = OR_NULL(5, c->lower), *upper = OR_NULL(6, c->upper);
    if (c->function == 0)
        return tensormap_encode_tiled(image, c->data_type, c->rank, c->address, dim, stride, box, estride,
                                      c->interleave, c->swizzle, c->l2_promotion, c->oob_fill, findings);
    if (c->function == 1)
        return tensormap_encode_im2col(image, c->data_type, c->rank, c->address, dim, stride, lower, upper, c->channels,
                                       c->pixels, estride, c->interleave, c->swizzle, c->l2_promotion, c->oob_fill,
                                       findings);
    if (c->function == 2)
        return tensormap_encode_im2col_wide(image, c->data_type, c->rank, c->address, dim, stride,
                                            (int)(int16_t)c->channels, (int)(int16_t)c->pixels, c->channels, c->pixels,
                                            estride, c->interleave, c->mode, c->swizzle, c->l2_promotion, c->oob_fill,
                                            findings);
    return tensormap_replace_address(image, c->address, findings);
}

void fuzz_encode(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct call c = take_call(&input);
    struct findings findings = {0}, odd = {0};
    struct tensormap_image image = {{0}}, before = {{0}};
    struct tensormap map;
    enum rule rule = make_call(&c, &image, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    if (rule != RULE_OK) fuzz_require(memcmp(&image, &before, sizeof image) == 0);
    if (rule == RULE_OK && c.function != 3) {
        tensormap_decode(&image, &map, &odd);
        fuzz_require(odd.count == 0);
        fuzz_require(map.rank == (int)c.rank && map.address == c.address);
    }
    fuzz_require(make_call(&c, &before, NULL) == rule);
    fuzz_require(memcmp(&image, &before, sizeof image) == 0);
    free_call(&c);
}
