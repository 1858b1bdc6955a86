// SPDX-License-Identifier: MIT
// What does a TMA reduction leave, bit for bit, and which ones are there? Eight floats are added to eight in global
// memory; then the operations that an H200 has for float32 are listed, with the error of the others.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

enum { COUNT = 8 };

static struct tmaref_tensormap map_of_tensor(void)
{
    const uint64_t dim[] = {COUNT}, stride_bytes[] = {0};
    const uint32_t box[] = {COUNT}, estride[] = {1};
    struct tmaref_tensormap_image image;
    struct tmaref_tensormap map;
    tmaref_tensormap_encode_tiled(&image, TMAREF_DTYPE_FLOAT32, 1, 0x10000, dim, stride_bytes, box, estride,
                                  TMAREF_INTERLEAVE_NONE, TMAREF_SWIZZLE_NONE, TMAREF_L2_PROMOTION_NONE,
                                  TMAREF_OOB_FILL_ZERO, NULL);
    tmaref_tensormap_decode(&image, &map, NULL);
    return map;
}

int main(void)
{
    static float tensor[COUNT] = {1, 2, 3, 4, 0x1p24f, INFINITY, 0x1p-149f, -0.0f};
    static float tile[COUNT] = {1, 1, 1, 1, 1, -INFINITY, 0x1p-149f, -0.0f};
    const struct tmaref_region region = {{(uint8_t *)tensor, 0x10000, sizeof tensor}, 0};
    const struct tmaref_memory cta = {(uint8_t *)tile, 0, sizeof tile};
    const struct tmaref_global_memory global = {&region, 1};
    const struct tmaref_cluster_memory cluster = tmaref_cluster_memory_alone(&cta);
    const struct tmaref_memories memories = {&global, &cluster};
    struct tmaref_operation reduce = {
        .kind = TMAREF_OPERATION_TENSOR_REDUCE, .dims = 1, .map = map_of_tensor(), .op = TMAREF_REDUCE_ADD};
    struct tmaref_findings findings;

    if (tmaref_operation_run(&reduce, &memories, NULL, NULL, &findings) != TMAREF_RULE_OK) return 1;
    uint32_t bits[COUNT];
    memcpy(bits, tensor, sizeof bits);
    for (int i = 0; i < COUNT; i++) printf("    %g = 0x%08x\n", (double)tensor[i], bits[i]);

    int legal = 0;
    for (int op = 0; op < TMAREF_REDUCE_OPS; op++) {
        reduce.op = (enum tmaref_reduce_op)op;
        enum tmaref_rule rule = tmaref_operation_check(&reduce, &memories, &findings);
        printf(".%s of float32: %s\n", tmaref_reduce_op_name(reduce.op),
               rule == TMAREF_RULE_OK ? "legal" : tmaref_cuda_error_name(tmaref_rule_cuda_error(rule)));
        legal += rule == TMAREF_RULE_OK;
    }
    // 2^24 + 1 rounds to even; inf - inf is NVIDIA's NaN; subnormals are kept, and so is the sign of zero.
    return tensor[3] == 5 && tensor[4] == 0x1p24f && bits[5] == 0x7fffffff && bits[6] == 2 && bits[7] == 0x80000000 &&
                   legal == 1
               ? 0
               : 1;
}
