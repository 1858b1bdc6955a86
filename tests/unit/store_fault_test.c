// SPDX-License-Identifier: MIT
// The faults of tiled stores and reductions: which rule, in the order of the hardware (715, 716, 700), and that nothing
// was written. Each vector changes one reduction that works.
#include <string.h>

#include "rules/reduce.h"
#include "rules/store.h"
#include "store.h"

TEST_FILE(.suite = "store");

enum { GMEM_BYTES = 8192, SMEM_BYTES = 4096, SMEM_BASE = 1024 };
#define GMEM_BASE ((uint64_t)1 << 32)
#define TWO(n)    ((uint64_t)1 << (n))

struct test_fault {
    struct tensormap map;
    enum reduce_op op;
    int dims;
    int32_t coord[5];
    uint32_t shared;
};

// 62 x 32 integers that fill global memory, rows 256 bytes apart; the box is 8 x 8 of them.
static struct test_fault works(void)
{
    return (struct test_fault){.map = {.rank = 2,
                                       .dtype = DTYPE_UINT32,
                                       .swizzle = SWIZZLE_32B,
                                       .address = GMEM_BASE,
                                       .dim = {62, 32},
                                       .stride = {4, 256},
                                       .box = {8, 8},
                                       .estride = {1, 1}},
                               .op = REDUCE_XOR,
                               .dims = 2,
                               .coord = {16, 8},
                               .shared = SMEM_BASE};
}

static uint8_t gmem[GMEM_BYTES], smem[SMEM_BYTES];
static const struct memory global = {gmem, GMEM_BASE, GMEM_BYTES}, shared = {smem, SMEM_BASE, SMEM_BYTES};

// Without global memory a check asks all but whether that is mapped.
static void check_without_global(const struct test_fault *t, enum rule rule)
{
    const struct memory unread = {NULL, SMEM_BASE, SMEM_BYTES};
    enum rule left = tile_reduce_check(t->op, &t->map, t->dims, t->coord, NULL, &unread, t->shared, NULL);
    ck_assert_int_eq(left, rule == RULE_STORE_UNMAPPED ? RULE_OK : rule);
}

// The rule that the reduction breaks; the check, which collects all, must agree on the first.
static enum rule run(const struct test_fault *t)
{
    struct findings findings = {0}, same;
    memset(gmem, 0x11, sizeof gmem);
    memset(smem, 0x22, sizeof smem);
    enum rule rule = tile_reduce(t->op, &t->map, t->dims, t->coord, &global, &shared, t->shared, &same);
    ck_assert_int_eq(tile_reduce_check(t->op, &t->map, t->dims, t->coord, &global, &shared, t->shared, &findings),
                     rule);
    ck_assert_int_eq(findings_first_broken(&findings), rule);
    ck_assert_int_eq(same.count, findings.count);
    check_without_global(t, rule);
    for (int i = 0; i < GMEM_BYTES && rule != RULE_OK; i++) ck_assert_int_eq(gmem[i], 0x11);
    return rule;
}

// The same without the type of the operation.
static enum rule run_store(const struct test_fault *t)
{
    enum rule rule = tile_store_check(&t->map, t->dims, t->coord, &global, &shared, t->shared, NULL);
    ck_assert_int_eq(tile_store(&t->map, t->dims, t->coord, &global, &shared, t->shared, NULL), rule);
    return rule;
}

static void both(const struct test_fault *t, enum rule rule)
{
    ck_assert_str_eq(rule_row(run(t))->id, rule_row(rule)->id);
    ck_assert_str_eq(rule_row(run_store(t))->id, rule_row(rule)->id);
}

TEST(store_the_base_of_the_faults_works)
{
    struct test_fault t = works();
    both(&t, RULE_OK);
}

TEST(store_map_format__is_what_an_encoder_makes)
{
    static const struct {
        int rank, dtype, interleave;
        uint32_t box;
    } maps[] = {{0, 2, 0, 8}, {6, 2, 0, 8}, {2, DTYPE_COUNT, 0, 8}, {2, 2, 1, 8}, {2, 2, 3, 8}, {2, 2, 0, 7}};
    for (int i = 0; i < ROWS_OF(maps); i++) {
        struct test_fault t = works();
        t.map.rank = t.dims = maps[i].rank;
        t.map.dtype = (enum dtype)maps[i].dtype;
        t.map.interleave = (enum tensormap_interleave)maps[i].interleave;
        t.map.box[0] = maps[i].box;
        both(&t, RULE_STORE_MAP_FORMAT);
    }
}

TEST(store_mode__refuses_im2col_maps)
{
    struct test_fault t = works();
    t.map.mode = TENSORMAP_IM2COL;
    both(&t, RULE_STORE_MODE);
}

TEST(store_rank__is_that_of_the_map)
{
    for (int dims = 1; dims <= 5; dims++) {
        struct test_fault t = works();
        t.dims = dims;
        both(&t, dims == 2 ? RULE_OK : RULE_STORE_RANK);
    }
}

TEST(store_dim_limit__is_two_to_the_31)
{
    for (int i = 0; i < 2; i++) {
        struct test_fault t = works();
        t.map.dim[i] = TWO(31);
        both(&t, RULE_OK);
        t.map.dim[i]++;
        both(&t, RULE_STORE_DIM_LIMIT);
    }
}

TEST(reduce_type__has_the_operation)
{
    static const char *const legal[DTYPE_COUNT] = {
        [DTYPE_UINT8] = "",
        [DTYPE_UINT16] = "",
        [DTYPE_UINT32] = "add min max inc dec and or xor",
        [DTYPE_INT32] = "add min max and or xor",
        [DTYPE_UINT64] = "add min max and or xor",
        [DTYPE_INT64] = "min max",
        [DTYPE_FLOAT16] = "add min max",
        [DTYPE_FLOAT32] = "add",
        [DTYPE_FLOAT64] = "add",
        [DTYPE_BFLOAT16] = "add min max",
        [DTYPE_FLOAT32_FTZ] = "add",
        [DTYPE_TFLOAT32] = "add",
        [DTYPE_TFLOAT32_FTZ] = "add",
    };
    for (int d = 0; d < DTYPE_COUNT; d++)
        for (int op = 0; op < REDUCE_OPS; op++) {
            struct test_fault t = works();
            uint32_t element = dtype_row((enum dtype)d)->size_bytes;
            t.map.dtype = (enum dtype)d;
            t.map.box[0] = 32 / element;
            t.map.stride[0] = element;
            t.op = (enum reduce_op)op;
            int is_legal = strstr(legal[d], reduce_op_name(t.op)) != NULL;
            ck_assert_int_eq(run(&t), is_legal ? RULE_OK : RULE_REDUCE_TYPE);
            ck_assert_int_eq(run_store(&t), RULE_OK);
        }
}

TEST(store_coord_align__is_16_bytes)
{
    for (int32_t c = 0; c < 80; c++) {
        struct test_fault t = works();
        t.coord[0] = c;
        both(&t, c % 4 == 0 ? RULE_OK : RULE_STORE_COORD_ALIGN);
    }
    struct test_fault t = works();
    t.map.rank = t.dims = 3;
    t.map.interleave = INTERLEAVE_16B;
    t.map.dim[2] = t.map.box[2] = t.map.estride[2] = 1;
    t.map.stride[0] = 16;
    t.coord[0] = 3;
    both(&t, RULE_OK);
}

TEST(store_coord_negative__in_any_dimension)
{
    static const int32_t negatives[] = {-4, -8, -64, INT32_MIN};
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 4; n++) {
            struct test_fault t = works();
            t.coord[i] = negatives[n];
            both(&t, RULE_STORE_COORD_NEGATIVE);
            t.coord[1 - i] = INT32_MAX - 3; // nothing in bounds
            both(&t, RULE_STORE_COORD_NEGATIVE);
        }
}

TEST(store_smem_align__is_128)
{
    for (uint32_t offset = 16; offset <= 256; offset += 16) {
        struct test_fault t = works();
        t.shared = SMEM_BASE + offset;
        both(&t, offset % 128 == 0 ? RULE_OK : RULE_STORE_SMEM_ALIGN);
    }
}

TEST(store_smem_bounds__end_with_the_allocation)
{
    struct test_fault t = works();
    t.shared = SMEM_BASE + SMEM_BYTES - 256;
    both(&t, RULE_OK);
    t.shared += 128;
    both(&t, RULE_STORE_SMEM_BOUNDS);
    t = works();
    t.map.box[1] = 256;
    both(&t, RULE_OK); // rows out of bounds are not read
    t.map.dim[1] = 256;
    both(&t, RULE_STORE_SMEM_BOUNDS);
    t = works();
    t.shared = SMEM_BASE - 128;
    both(&t, RULE_STORE_SMEM_BOUNDS);
}

TEST(store_unmapped__looks_at_what_is_written)
{
    struct test_fault t = works();
    t.map.dim[1] = 33;
    t.coord[1] = 24;
    both(&t, RULE_OK); // rows 24 .. 31
    t.coord[1] = 25;
    both(&t, RULE_STORE_UNMAPPED);
    t.map.dim[1] = 32;
    both(&t, RULE_OK); // row 32 is out of bounds
    t.map.address -= 256;
    both(&t, RULE_OK); // the base is not written
    t.coord[1] = 0;
    both(&t, RULE_STORE_UNMAPPED);
    t = works();
    t.map.address += 8; // the piece of the last two elements ends 8 bytes past the memory
    t.coord[0] = 56, t.coord[1] = 24;
    both(&t, RULE_STORE_UNMAPPED);
}

TEST(store_faults_have_an_order)
{
    struct test_fault t = works();
    t.map.address = 0;
    t.shared = SMEM_BASE + SMEM_BYTES - 128;
    both(&t, RULE_STORE_SMEM_BOUNDS);
    t.shared += 16;
    both(&t, RULE_STORE_SMEM_ALIGN);
    t.coord[1] = -1;
    both(&t, RULE_STORE_COORD_NEGATIVE);
    t.coord[0] = 1;
    both(&t, RULE_STORE_COORD_ALIGN);
    t.op = REDUCE_OPS;
    ck_assert_int_eq(run(&t), RULE_REDUCE_TYPE);
    t.map.dim[0] = TWO(32);
    both(&t, RULE_STORE_DIM_LIMIT);
    t.dims = 1;
    both(&t, RULE_STORE_RANK);
    t.map.mode = TENSORMAP_IM2COL;
    both(&t, RULE_STORE_MODE);
    t.map.box[0] = 1;
    both(&t, RULE_STORE_MAP_FORMAT);
}
