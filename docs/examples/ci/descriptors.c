// SPDX-License-Identifier: MIT
// Every tensor map that the compiler's tile shapes lead to is legal, or the test says which argument is wrong and what
// would do.
#include <stdio.h>
#include <tmaref.h>

// What a compiler might choose: tiles of a matrix of bf16.
static const struct tile_shape {
    uint32_t columns, rows;
    uint32_t swizzle;
} shapes[] = {
    {64, 128, TMAREF_SWIZZLE_128B},
    {32, 256, TMAREF_SWIZZLE_64B},
    {16, 64, TMAREF_SWIZZLE_32B},
};

static int check(const struct tile_shape *shape)
{
    const uint64_t dim[] = {4096, 4096}, stride_bytes[] = {8192};
    const uint32_t box[] = {shape->columns, shape->rows}, estride[] = {1, 1};
    struct tmaref_tensormap_image image;
    struct tmaref_findings findings;
    tmaref_tensormap_encode_tiled(&image, TMAREF_DTYPE_BFLOAT16, 2, 0x10000, dim, stride_bytes, box, estride,
                                  TMAREF_INTERLEAVE_NONE, shape->swizzle, TMAREF_L2_PROMOTION_NONE,
                                  TMAREF_OOB_FILL_ZERO, &findings);
    for (int i = 0; i < findings.count && i < TMAREF_FINDINGS_MAX; i++) {
        const struct tmaref_finding *finding = &findings.item[i];
        printf("tile %u x %u: %s, %s[%d] is %llu, nearest legal value %llu\n", shape->columns, shape->rows,
               tmaref_rule_row(finding->rule)->id, finding->argument, finding->index,
               (unsigned long long)finding->value, (unsigned long long)finding->nearest);
    }
    return findings.count;
}

int main(void)
{
    int wrong = 0;
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) wrong += check(&shapes[i]);
    printf("%d findings\n", wrong);
    return wrong == 0 ? 0 : 1;
}
