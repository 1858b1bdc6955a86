// SPDX-License-Identifier: MIT
// What the tests of a compiler or a kernel library may ask of libtmaref: is this tensor map legal, why not, what are
// its bytes, and what does a copy put into shared memory. Built and run against an installed tmaref by tests/install.
#include <inttypes.h>
#include <stdio.h>
#include <tmaref.h>

static struct tensormap_image image;
static uint8_t tensor[64 * 256], tile[8 * 128];

// A float16 tensor of 64 rows by 128 columns, read in boxes of 8 rows by `columns`, with the 128-byte swizzle.
static enum rule encode(uint32_t columns, struct findings *findings)
{
    const uint64_t dim[] = {128, 64}, stride_bytes[] = {256};
    const uint32_t box[] = {columns, 8}, estride[] = {1, 1};
    return tensormap_encode_tiled(&image, DTYPE_FLOAT16, 2, 0x10000, dim, stride_bytes, box, estride, INTERLEAVE_NONE,
                                  SWIZZLE_128B, L2_PROMOTION_NONE, OOB_FILL_ZERO, findings);
}

int main(void)
{
    // Too wide for the swizzle: refused as the driver would, but with the reason.
    struct findings findings = {.count = 0};
    if (encode(128, &findings) != RULE_MAP_SWIZZLE_SPAN) return 1;
    for (int i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.item[i];
        const struct rule_row *row = rule_row(finding->rule);
        printf("%s: %s is %" PRIu64 ", at most %" PRIu64 "\n  %s\n  %s\n", row->id, finding->argument, finding->value,
               finding->limit, row->sentence, row->advice);
    }

    // Legal: load the box at column 64, row 2 to shared address 0 and look at row 1 of it.
    struct tensormap map;
    if (encode(64, NULL) != RULE_OK || tensormap_decode(&image, &map, NULL) != RULE_OK) return 1;
    for (int i = 0; i < (int)sizeof tensor; i++) tensor[i] = (uint8_t)(i % 251);
    const struct memory global_memory = {tensor, 0x10000, sizeof tensor}, shared_memory = {tile, 0, sizeof tile};
    const int32_t coord[] = {64, 2};
    uint32_t transaction_bytes;
    if (tile_load(&map, 2, coord, &global_memory, &shared_memory, 0, &transaction_bytes) != RULE_OK) return 1;

    uint32_t place = swizzle_apply(map.swizzle, 1 * 128); // row 1, column 0 of the box
    const uint8_t *source = tensor + 3 * 256 + 64 * 2;    // row 3, column 64 of the tensor
    printf("row 1 starts at shared address %" PRIu32 ": %02x %02x; the barrier gets %" PRIu32 " bytes\n", place,
           tile[place], tile[place + 1], transaction_bytes);
    return place == 144 && tile[place] == source[0] && tile[place + 1] == source[1] && transaction_bytes == 1024 ? 0
                                                                                                                 : 1;
}
