// SPDX-License-Identifier: MIT
// The suite `limits`: whatever a user passes is checked, or its length is stated: how many coordinates an instruction
// has, where a tile may go, findings that were never cleared.
#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copy.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "multicast.h"
#include "observe.h"
#include "prefetch.h"
#include "store.h"

Suite *limits_suite(void);

enum { SMEM_BASE = 1024, SMEM_BYTES = 1 << 15, GMEM_BYTES = 1 << 16 };
#define GMEM_BASE 0x700000000u

static uint8_t smem_bytes[SMEM_BYTES], gmem_bytes[GMEM_BYTES];
static const struct memory smem = {smem_bytes, SMEM_BASE, SMEM_BYTES}, gmem = {gmem_bytes, GMEM_BASE, GMEM_BYTES};

// A small map of `rank` dimensions; im2col needs three.
static struct tensormap map_of(enum tensormap_mode mode, int rank)
{
    struct tensormap map = {.mode = mode, .rank = rank, .dtype = DTYPE_FLOAT32, .address = GMEM_BASE, .pixels = 4};
    uint64_t stride = 4;
    for (int i = 0; i < rank; i++) {
        map.dim[i] = 8;
        map.stride[i] = stride;
        map.box[i] = i == 0 ? 8 : 2;
        map.estride[i] = 1;
        stride *= 8;
    }
    return map;
}

// --- Coordinates -----------------------------------------------------------------------------------------------------

// `bytes` of zeros that end where memory ends: whoever reads past them dies.
static void *end_of_memory(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    return pages + page - bytes;
}

// Every instruction with a map, at as many coordinates as it has dimensions.
static void run_all(const struct tensormap *map, int dims, enum rule load, enum rule store)
{
    const int entries = dims < 0 ? 0 : dims;
    const int32_t *coord = end_of_memory((size_t)entries * sizeof *coord);
    const uint16_t *offset = end_of_memory(entries > 2 ? (size_t)(entries - 2) * sizeof *offset : 0);
    const struct cluster_load multicast = {
        .cta = &smem, .ctas = 1, .shared = SMEM_BASE, .mask = 1, .is_multicast = 1, .is_cluster = 1};
    struct findings findings;
    uint32_t bytes;
    if (map->mode == TENSORMAP_TILED) {
        ck_assert_int_eq(tile_load_check(map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), load);
        ck_assert_int_eq(tile_load(map, dims, coord, &gmem, &smem, SMEM_BASE, &bytes), load);
        ck_assert_int_eq(tile_prefetch_check(map, dims, coord, &findings), load);
        ck_assert_int_eq(tile_store_check(map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
        ck_assert_int_eq(tile_store(map, dims, coord, &gmem, &smem, SMEM_BASE), store);
        ck_assert_int_eq(tile_reduce_check(REDUCE_ADD, map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
        ck_assert_int_eq(multicast_tile_load(map, dims, coord, &gmem, &multicast, &bytes, &findings), load);
        return;
    }
    ck_assert_int_eq(im2col_load_check(map, dims, coord, offset, &gmem, &smem, SMEM_BASE, &findings), load);
    ck_assert_int_eq(im2col_load(map, dims, coord, offset, &gmem, &smem, SMEM_BASE, &bytes), load);
    ck_assert_int_eq(im2col_prefetch_check(map, dims, coord, offset, &findings), load);
    ck_assert_int_eq(im2col_store_check(map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
    ck_assert_int_eq(im2col_store(map, dims, coord, &gmem, &smem, SMEM_BASE), store);
    ck_assert_int_eq(im2col_reduce_check(REDUCE_ADD, map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
    ck_assert_int_eq(multicast_im2col_load(map, dims, coord, offset, &gmem, &multicast, &bytes, &findings), load);
}

START_TEST(load_rank__reads_the_coordinates_of_the_instruction)
{
    for (int rank = _i == TENSORMAP_IM2COL ? 3 : 1; rank <= TENSORMAP_MAX_RANK; rank++) {
        const struct tensormap map = map_of((enum tensormap_mode)_i, rank);
        for (int dims = -1; dims <= TENSORMAP_MAX_RANK + 2; dims++)
            run_all(&map, dims, dims == rank ? RULE_OK : RULE_LOAD_RANK, dims == rank ? RULE_OK : RULE_STORE_RANK);
    }
}
END_TEST

// --- Shared addresses ------------------------------------------------------------------------------------------------

static int names_operand(const struct findings *findings, const char *operand, uint64_t *nearest)
{
    int named = 0;
    for (int i = 0; i < findings->count; i++) {
        if (strcmp(findings->item[i].argument, operand) != 0) continue;
        if (named) ck_assert_uint_eq(findings->item[i].nearest, *nearest);
        *nearest = findings->item[i].nearest;
        named = 1;
    }
    return named;
}

// Each load and store at an address, and then where the findings say: there none names the operand.
static int propose(const struct tensormap *map, uint32_t shared)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    struct findings findings, left;
    uint64_t nearest = 0, none;
    int proposed = 0;
    tile_load_check(map, map->rank, coord, &gmem, &smem, shared, &findings);
    if (names_operand(&findings, "dstMem", &nearest)) {
        tile_load_check(map, map->rank, coord, &gmem, &smem, (uint32_t)nearest, &left);
        ck_assert_msg(!names_operand(&left, "dstMem", &none), "0x%x: proposes 0x%x", shared, (uint32_t)nearest);
        proposed++;
    }
    tile_store_check(map, map->rank, coord, &gmem, &smem, shared, &findings);
    if (names_operand(&findings, "srcMem", &nearest)) {
        tile_store_check(map, map->rank, coord, &gmem, &smem, (uint32_t)nearest, &left);
        ck_assert_msg(!names_operand(&left, "srcMem", &none), "0x%x: proposes 0x%x", shared, (uint32_t)nearest);
        proposed++;
    }
    return proposed;
}

START_TEST(operand_rank__proposes_a_place_of_this_cta)
{
    int proposed = 0;
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        struct tensormap map = map_of(TENSORMAP_TILED, 3);
        map.swizzle = (enum tensormap_swizzle)swizzle;
        for (int bit = 0; bit < 32; bit++)
            for (int32_t near = -129; near <= 129; near++) {
                uint32_t shared = (UINT32_C(1) << bit) + (uint32_t)near;
                proposed += propose(&map, shared) + propose(&map, SMEM_BASE + SMEM_BYTES - shared);
            }
    }
    ck_assert_int_gt(proposed, 50000);
}
END_TEST

// --- Work ------------------------------------------------------------------------------------------------------------

static void count_access(void *context, const struct access *access)
{
    (void)access;
    ++*(int *)context;
}

static void count_transaction(void *context, const struct ledger_entry *entry)
{
    (void)entry;
    ++*(int *)context;
}

// A map that the encoder takes, for it counts 2 / 8 = 0 elements in a row: 2^32 rows, of which few are in bounds.
START_TEST(store_bounds__of_2_32_rows_costs_what_is_inside)
{
    const uint64_t dim[] = {2, 1, 3, 2, 2}, strides[] = {16, 16, 48, 96};
    const uint32_t box[] = {2, 256, 256, 256, 256}, estride[] = {8, 1, 1, 1, 1};
    const int32_t coord[] = {0, 0, 0, 0, 1};
    struct tensormap_image image;
    struct tensormap map;
    int told = 0;
    const struct observer observer = {&told, count_access, count_transaction};
    const struct access_origin origin = {0};
    ck_assert_int_eq(
        tensormap_encode_tiled(&image, DTYPE_FLOAT64, 5, GMEM_BASE, dim, strides, box, estride, 0, 0, 0, 0, NULL),
        RULE_OK);
    ck_assert_int_eq(tensormap_decode(&image, &map, NULL), RULE_OK);
    for (int i = 0; i < 1000; i++) { // before, each of these took minutes
        const struct tensor_operation store = {.kind = TENSOR_STORE, .map = &map, .coord = coord, .shared = SMEM_BASE};
        struct tensor_operation prefetch = store;
        struct findings findings;
        prefetch.kind = TENSOR_PREFETCH;
        ck_assert_int_eq(tile_store_check(&map, 5, coord, &gmem, &smem, SMEM_BASE, &findings), RULE_STORE_SMEM_BOUNDS);
        ck_assert_int_eq(tile_load_check(&map, 5, coord, &gmem, &smem, SMEM_BASE, &findings), RULE_LOAD_SMEM_BOUNDS);
        ck_assert_int_eq(tile_prefetch_check(&map, 5, coord, &findings), RULE_OK);
        tensor_observe(&store, &origin, &observer);
        tensor_observe(&prefetch, &origin, &observer);
    }
    ck_assert_int_le(told, 1000 * 2 * (6 + 6 + 1)); // rows in bounds, in both memories, and the map
    const uint64_t one[] = {2, 1, 1, 1, 1};
    memcpy(map.dim, one, sizeof one);
    const int32_t start[] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(tile_store(&map, 5, start, &gmem, &smem, SMEM_BASE), RULE_OK);
        ck_assert_int_eq(tile_reduce(REDUCE_ADD, &map, 5, start, &gmem, &smem, SMEM_BASE), RULE_OK);
    }
}
END_TEST

Suite *limits_suite(void)
{
    Suite *suite = suite_create("limits");
    TCase *tests = tcase_create("limits");
    tcase_add_loop_test(tests, load_rank__reads_the_coordinates_of_the_instruction, TENSORMAP_TILED,
                        TENSORMAP_IM2COL + 1);
    tcase_add_test(tests, operand_rank__proposes_a_place_of_this_cta);
    tcase_add_test(tests, store_bounds__of_2_32_rows_costs_what_is_inside);
    suite_add_tcase(suite, tests);
    return suite;
}
