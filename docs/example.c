// SPDX-License-Identifier: MIT
// What the tests of a compiler or a kernel library may ask of libtmaref: is this tensor map legal, why not, what would
// be, and what does a copy put into shared memory. Built and run against an installed tmaref by tests/install.
#include <stdio.h>
#include <tmaref.h>

int main(void)
{
    static uint8_t tensor[64 * 256], tile[8 * 128]; // float16: 64 rows by 128 columns, boxes of 8 rows
    const uint64_t dim[] = {128, 64}, stride_bytes[] = {256};
    const uint32_t estride[] = {1, 1};
    uint32_t box[] = {128, 8}, transaction_bytes;
    struct tensormap_image image;
    struct findings findings = {.count = 0};

    // Too wide for the swizzle: refused as the driver would, but with the reason and the nearest legal value.
    while (tensormap_encode_tiled(&image, DTYPE_FLOAT16, 2, 0x10000, dim, stride_bytes, box, estride, INTERLEAVE_NONE,
                                  SWIZZLE_128B, L2_PROMOTION_NONE, OOB_FILL_ZERO, &findings) != RULE_OK) {
        const struct finding *finding = &findings.item[--findings.count];
        printf("%s: %s\n", rule_row(finding->rule)->id, rule_row(finding->rule)->sentence);
        box[0] = (uint32_t)finding->nearest;
    }

    // Load the box at column 64, row 2 to shared address 0: row 1 of it is chunk 0 of the line at 128, XORed to 144.
    struct tensormap map;
    for (int i = 0; i < (int)sizeof tensor; i++) tensor[i] = (uint8_t)(i % 251);
    const struct memory global_memory = {tensor, 0x10000, sizeof tensor}, shared_memory = {tile, 0, sizeof tile};
    const int32_t coord[] = {64, 2};
    if (tensormap_decode(&image, &map, NULL) != RULE_OK) return 1;
    if (tile_load(&map, 2, coord, &global_memory, &shared_memory, 0, &transaction_bytes) != RULE_OK) return 1;
    const uint8_t *source = tensor + 3 * 256 + 64 * 2;
    return box[0] == 64 && transaction_bytes == 1024 && swizzle_apply(map.swizzle, 128) == 144 &&
                   tile[144] == source[0] && tile[145] == source[1]
               ? 0
               : 1;
}
