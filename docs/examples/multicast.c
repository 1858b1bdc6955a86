// SPDX-License-Identifier: MIT
// Who loads what in a cluster that shares a tile? Two CTAs need the same 8 rows: each loads one half and sends it to
// both. Whichever way the bytes came, each barrier counts all of them.
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

enum { CTAS = 2, COLUMNS = 64, ROWS = 8, TILE_BYTES = COLUMNS * ROWS, BARRIER = 1024 };

static uint8_t tensor[ROWS][COLUMNS], shared[CTAS][2048];

static struct tmaref_tensormap map_of_slices(void)
{
    const uint64_t dim[] = {COLUMNS, ROWS}, stride_bytes[] = {COLUMNS};
    const uint32_t box[] = {COLUMNS, ROWS / CTAS}, estride[] = {1, 1};
    struct tmaref_tensormap_image image;
    struct tmaref_tensormap map;
    tmaref_tensormap_encode_tiled(&image, TMAREF_DTYPE_UINT8, 2, 0x10000, dim, stride_bytes, box, estride,
                                  TMAREF_INTERLEAVE_NONE, TMAREF_SWIZZLE_NONE, TMAREF_L2_PROMOTION_NONE,
                                  TMAREF_OOB_FILL_ZERO, NULL);
    tmaref_tensormap_decode(&image, &map, NULL);
    return map;
}

int main(void)
{
    const struct tmaref_region region = {{tensor[0], 0x10000, sizeof tensor}, 0};
    const struct tmaref_memory ctas[] = {{shared[0], 0, sizeof shared[0]}, {shared[1], 0, sizeof shared[1]}};
    const struct tmaref_global_memory global = {&region, 1};
    const struct tmaref_cluster_memory cluster = {ctas, CTAS, 1, 0};
    const struct tmaref_memories memories = {&global, &cluster};
    const struct tmaref_cluster_shape shape = {{CTAS, 1, 1}};
    const int32_t tile_coord[] = {0, 0};
    const uint64_t tile[] = {COLUMNS, ROWS};
    const struct tmaref_tensormap map = map_of_slices();
    for (int i = 0; i < TILE_BYTES; i++) tensor[i / COLUMNS][i % COLUMNS] = (uint8_t)(i * 7);

    for (int rank = 0; rank < CTAS; rank++) {
        uint64_t barrier = tmaref_mbarrier_init(1);
        const struct tmaref_mbarrier_transaction expect = {.arrivals = 1, .expect_bytes = TILE_BYTES};
        tmaref_mbarrier_transact(&barrier, &expect);
        memcpy(shared[rank] + BARRIER, &barrier, sizeof barrier);
    }
    for (uint32_t rank = 0; rank < CTAS; rank++) {
        uint32_t index = tmaref_slice_group_index(&shape, TMAREF_SLICE_X, rank);
        struct tmaref_slice slice = tmaref_slice_of(&map, tile_coord, tile, index);
        struct tmaref_operation load = {.kind = TMAREF_OPERATION_TENSOR_LOAD,
                                        .issuer = rank,
                                        .dims = 2,
                                        .map = map,
                                        .shared = (uint32_t)slice.offset_bytes,
                                        .barrier = BARRIER,
                                        .is_multicast = 1,
                                        .mask = tmaref_slice_group_mask(&shape, TMAREF_SLICE_X, rank)};
        load.shared |= rank << TMAREF_SHARED_RANK_SHIFT; // a CTA's own addresses have its rank in them
        load.barrier |= rank << TMAREF_SHARED_RANK_SHIFT;
        memcpy(load.coord, slice.coord, sizeof load.coord);

        struct tmaref_piece piece;
        struct tmaref_findings findings;
        if (tmaref_operation_complete(&load, &memories, NULL, NULL, &piece, &findings) != TMAREF_RULE_OK) return 1;
        printf("CTA %u loads rows %d to %d for mask %u\n", rank, slice.coord[1], slice.coord[1] + ROWS / CTAS - 1,
               piece.targets);
    }

    int wrong = 0;
    for (int rank = 0; rank < CTAS; rank++) {
        uint64_t barrier;
        memcpy(&barrier, shared[rank] + BARRIER, sizeof barrier);
        printf("the barrier of CTA %d is in phase %d\n", rank, tmaref_mbarrier_unpack(barrier).phase);
        wrong += tmaref_mbarrier_unpack(barrier).phase != 1 || memcmp(shared[rank], tensor, TILE_BYTES) != 0;
    }
    return wrong == 0 ? 0 : 1;
}
