// SPDX-License-Identifier: MIT
// What does a TMA load put into shared memory, and where, and does its barrier flip? A box of 64 columns by 8 rows,
// with the 128-byte swizzle; its last two rows are out of bounds.
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

enum { ROWS = 64, COLUMNS = 128, BOX_ROWS = 8, BOX_COLUMNS = 64, BARRIER = 4096 };

static uint16_t tensor[ROWS][COLUMNS]; // global memory, at address 0x10000
static uint8_t shared[8192];           // shared memory, at address 0

static struct tmaref_tensormap map_of_tensor(void)
{
    const uint64_t dim[] = {COLUMNS, ROWS}, stride_bytes[] = {sizeof tensor[0]};
    const uint32_t box[] = {BOX_COLUMNS, BOX_ROWS}, estride[] = {1, 1};
    struct tmaref_tensormap_image image;
    struct tmaref_tensormap map;
    tmaref_tensormap_encode_tiled(&image, TMAREF_DTYPE_FLOAT16, 2, 0x10000, dim, stride_bytes, box, estride,
                                  TMAREF_INTERLEAVE_NONE, TMAREF_SWIZZLE_128B, TMAREF_L2_PROMOTION_NONE,
                                  TMAREF_OOB_FILL_ZERO, NULL);
    tmaref_tensormap_decode(&image, &map, NULL);
    return map;
}

// The element of the box that lies at a row and a column, out of the swizzled bytes.
static uint16_t element(uint32_t row, uint32_t column)
{
    uint16_t value;
    uint32_t plain = (row * BOX_COLUMNS + column) * (uint32_t)sizeof value;
    memcpy(&value, shared + tmaref_swizzle_apply(TMAREF_SWIZZLE_128B, plain), sizeof value);
    return value;
}

int main(void)
{
    const struct tmaref_region region = {{(uint8_t *)tensor, 0x10000, sizeof tensor}, 0};
    const struct tmaref_memory cta = {shared, 0, sizeof shared};
    const struct tmaref_global_memory global = {&region, 1};
    const struct tmaref_cluster_memory cluster = tmaref_cluster_memory_alone(&cta);
    const struct tmaref_memories memories = {&global, &cluster};

    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) tensor[row][column] = (uint16_t)(1000 * row + column);
    memset(shared, 0xff, sizeof shared);

    const struct tmaref_operation load = {.kind = TMAREF_OPERATION_TENSOR_LOAD,
                                          .dims = 2,
                                          .map = map_of_tensor(),
                                          .map_address = 0x7f0000000040, // any: a parameter is always there
                                          .map_location = TMAREF_MAP_IN_PARAM,
                                          .coord = {64, 58},
                                          .shared = 0,
                                          .barrier = BARRIER};
    uint64_t barrier = tmaref_mbarrier_init(1);
    const struct tmaref_mbarrier_transaction expect = {.arrivals = 1, .expect_bytes = BOX_ROWS * BOX_COLUMNS * 2};
    tmaref_mbarrier_transact(&barrier, &expect);
    memcpy(shared + BARRIER, &barrier, sizeof barrier);

    struct tmaref_piece piece;
    struct tmaref_findings findings;
    enum tmaref_rule rule = tmaref_operation_complete(&load, &memories, NULL, NULL, &piece, &findings);
    if (tmaref_rule_is_refusal(rule)) return 1;

    memcpy(&barrier, shared + BARRIER, sizeof barrier);
    int wrong = tmaref_mbarrier_unpack(barrier).phase != 1;
    printf("complete_tx of %u bytes; column 64 of each row, and where it lies:\n", piece.complete_bytes);
    for (uint32_t row = 0; row < BOX_ROWS; row++) {
        uint16_t expected = row < 6 ? tensor[58 + row][64] : 0;
        printf("    row %u at %4u: %5u%s\n", 58 + row, tmaref_swizzle_apply(TMAREF_SWIZZLE_128B, 128 * row),
               element(row, 0), row < 6 ? "" : ", out of bounds: zeros");
        for (uint32_t column = 0; column < BOX_COLUMNS; column++)
            wrong += element(row, column) != (expected == 0 ? 0 : expected + column);
    }
    return wrong == 0 ? 0 : 1;
}
