// SPDX-License-Identifier: MIT
// What does a TMA store write at the edge of a tensor? A tile of 4 x 4 floats over the corner of a tensor of 6 x 6,
// whose rows are padded to 8: rows out of bounds are left alone, the padding is not.
#include <stdio.h>
#include <tmaref.h>

enum { SIZE = 6, PITCH = 8, TILE = 4 };

static float tensor[PITCH][PITCH], tile[TILE][TILE];

static struct tmaref_tensormap map_of_tensor(void)
{
    const uint64_t dim[] = {SIZE, SIZE}, stride_bytes[] = {sizeof tensor[0]};
    const uint32_t box[] = {TILE, TILE}, estride[] = {1, 1};
    struct tmaref_tensormap_image image;
    struct tmaref_tensormap map;
    tmaref_tensormap_encode_tiled(&image, TMAREF_DTYPE_FLOAT32, 2, 0x10000, dim, stride_bytes, box, estride,
                                  TMAREF_INTERLEAVE_NONE, TMAREF_SWIZZLE_NONE, TMAREF_L2_PROMOTION_NONE,
                                  TMAREF_OOB_FILL_ZERO, NULL);
    tmaref_tensormap_decode(&image, &map, NULL);
    return map;
}

int main(void)
{
    const struct tmaref_region region = {{(uint8_t *)tensor, 0x10000, sizeof tensor}, 0};
    const struct tmaref_memory cta = {(uint8_t *)tile, 0, sizeof tile};
    const struct tmaref_global_memory global = {&region, 1};
    const struct tmaref_cluster_memory cluster = tmaref_cluster_memory_alone(&cta);
    const struct tmaref_memories memories = {&global, &cluster};
    for (int i = 0; i < TILE * TILE; i++) tile[i / TILE][i % TILE] = (float)(i + 1);

    const struct tmaref_operation store = {
        .kind = TMAREF_OPERATION_TENSOR_STORE, .dims = 2, .map = map_of_tensor(), .coord = {4, 4}, .shared = 0};
    struct tmaref_findings findings;
    if (tmaref_operation_run(&store, &memories, NULL, NULL, &findings) != TMAREF_RULE_OK) return 1;

    int wrong = 0;
    for (int row = 0; row < PITCH; row++) {
        for (int column = 0; column < PITCH; column++) {
            int is_written = row >= 4 && row < SIZE && column >= 4;
            wrong += tensor[row][column] != (is_written ? tile[row - 4][column - 4] : 0);
            printf("%3.0f%s", tensor[row][column], column == SIZE - 1 ? " |" : "");
        }
        printf("%s\n", row == SIZE - 1 ? "\n  ----- end of the tensor" : "");
    }
    printf("behind the bar lies padding: %s\n", tmaref_rule_row(TMAREF_RULE_STORE_GRANULE)->sentence);
    return wrong == 0 ? 0 : 1;
}
