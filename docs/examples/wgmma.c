// SPDX-License-Identifier: MIT
// One wgmma.mma_async.m64n8k16.f32.bf16.bf16 of a warpgroup, with both operands in shared memory: where the elements
// lie, and what D is. The values are small integers, so that plain sums are exact too.
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

enum { M = 64, N = 8, K = 16, A_AT = 1024, B_AT = 4096 };

static uint8_t shared[8192];

static float a_of(int row, int k)
{
    return (float)((row + 3 * k) % 7 - 3);
}

static float b_of(int column, int k)
{
    return (float)((2 * column + k) % 5 - 2);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A K-major operand without swizzle: core matrices of 8 rows by 16 bytes, the next along K 128 bytes on, the next of
// M or N 256.
static uint64_t put_operand(uint32_t start, int rows, float (*value)(int, int))
{
    const struct tmaref_wgmma_descriptor descriptor = {
        .start_bytes = start, .leading_bytes = 128, .stride_bytes = 256, .swizzle = TMAREF_WGMMA_SWIZZLE_NONE};
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < K; k++) {
            uint16_t bf16 = (uint16_t)(bits_of(value(row, k)) >> 16);
            memcpy(shared + tmaref_wgmma_address_k_major(&descriptor, row, 2 * k), &bf16, sizeof bf16);
        }
    return tmaref_wgmma_descriptor_pack(&descriptor);
}

int main(void)
{
    static uint32_t d[N / 2 * TMAREF_WGMMA_THREADS];
    const struct tmaref_memory cta = {shared, 0, sizeof shared};
    const struct tmaref_wgmma wgmma = {.types = TMAREF_WGMMA_F32_BF16_BF16, .n = N};
    const struct tmaref_wgmma_operands operands = {
        .descriptor = {put_operand(A_AT, M, a_of), put_operand(B_AT, N, b_of)}, .shared = &cta};
    struct tmaref_findings findings;

    if (tmaref_wgmma_check(&wgmma, &operands, &findings) != TMAREF_RULE_OK) return 1;
    if (tmaref_wgmma_execute(&wgmma, &operands, d, NULL) != TMAREF_RULE_OK) return 1;

    int wrong = 0;
    for (int thread = 0; thread < TMAREF_WGMMA_THREADS; thread++)
        for (int i = 0; i < tmaref_wgmma_d_registers(wgmma.types, N); i++) {
            struct tmaref_number_place place = tmaref_wgmma_place_d(wgmma.types, thread, i, 0);
            float sum = 0;
            for (int k = 0; k < K; k++) sum += a_of(place.row, k) * b_of(place.column, k);
            wrong += d[TMAREF_WGMMA_THREADS * i + thread] != bits_of(sum);
            if (thread == 37)
                printf("thread %d, register %d: D[%d][%d] = %g\n", thread, i, place.row, place.column, (double)sum);
        }
    printf("%d of %d elements differ from plain sums\n", wrong, M * N);
    return wrong == 0 ? 0 : 1;
}
