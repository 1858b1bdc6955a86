// SPDX-License-Identifier: MIT
// The faults of im2col stores and reductions: which rule, in the order of the hardware (715, 716, 700), and that
// nothing was written. Each vector changes one reduction that works.
#include <string.h>

#include "im2col_store.h"
#include "rules/im2col.h"
#include "rules/reduce.h"
#include "rules/store.h"

TEST_FILE(.suite = "im2col_store");

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

// 2 images of 8 x 8 pixels of 16 integers that fill global memory; the column is the box 1 .. 5 x 2 .. 6 of the second.
static struct test_fault works(void)
{
    return (struct test_fault){.map = {.mode = TENSORMAP_IM2COL,
                                       .rank = 4,
                                       .dtype = DTYPE_UINT32,
                                       .swizzle = SWIZZLE_32B,
                                       .address = GMEM_BASE,
                                       .dim = {16, 8, 8, 2},
                                       .stride = {4, 64, 512, 4096},
                                       .box = {8},
                                       .pixels = 25,
                                       .lower = {1, 2},
                                       .upper = {-2, -1},
                                       .estride = {1, 1, 1, 1}},
                               .op = REDUCE_XOR,
                               .dims = 4,
                               .coord = {8, 1, 2, 1},
                               .shared = SMEM_BASE};
}

static uint8_t gmem[GMEM_BYTES], smem[SMEM_BYTES];
static const struct memory global = {gmem, GMEM_BASE, GMEM_BYTES}, shared = {smem, SMEM_BASE, SMEM_BYTES};

// The rule that the reduction breaks; the check, which collects all, must agree on the first.
static enum rule run(const struct test_fault *t, struct findings *findings)
{
    memset(gmem, 0x11, sizeof gmem);
    memset(smem, 0x22, sizeof smem);
    *findings = (struct findings){0};
    enum rule rule = im2col_reduce(t->op, &t->map, t->dims, t->coord, &global, &shared, t->shared, NULL);
    ck_assert_int_eq(im2col_reduce_check(t->op, &t->map, t->dims, t->coord, &global, &shared, t->shared, findings),
                     rule);
    ck_assert_int_eq(findings_first_broken(findings), rule);
    int changed = 0;
    for (int i = 0; i < GMEM_BYTES; i++) changed += gmem[i] != 0x11;
    ck_assert(rule == RULE_OK || changed == 0);
    return rule;
}

// The same without the type of the operation.
static enum rule run_store(const struct test_fault *t)
{
    enum rule rule = im2col_store_check(&t->map, t->dims, t->coord, &global, &shared, t->shared, NULL);
    ck_assert_int_eq(im2col_store(&t->map, t->dims, t->coord, &global, &shared, t->shared, NULL), rule);
    return rule;
}

static struct findings both(const struct test_fault *t, enum rule rule)
{
    struct findings findings;
    ck_assert_str_eq(rule_row(run(t, &findings))->id, rule_row(rule)->id);
    ck_assert_str_eq(rule_row(run_store(t))->id, rule_row(rule)->id);
    return findings;
}

TEST(im2col_store_the_base_of_the_faults_works)
{
    struct test_fault t = works();
    both(&t, RULE_OK);
    int changed = 0;
    for (int i = 0; i < GMEM_BYTES; i++) changed += gmem[i] == 0x22;
    ck_assert_int_eq(changed, 25 * 32); // run_store() came last
}

TEST(im2col_store_corners__stay_inside)
{
    for (int k = 0; k < 2; k++) {
        struct test_fault t = works();
        t.map.lower[k] = 0;
        both(&t, RULE_OK);
        t.map.lower[k] = -1;
        struct findings findings = both(&t, RULE_IM2COL_STORE_CORNERS);
        ck_assert_int_eq(findings.count, 1);
        ck_assert_str_eq(findings.item[0].argument, "pixelBoxLowerCorner");
        ck_assert_int_eq(findings.item[0].index, k);
        t = works();
        t.map.upper[k] = 0;
        both(&t, RULE_OK);
        t.map.upper[k] = 1;
        findings = both(&t, RULE_IM2COL_STORE_CORNERS);
        ck_assert_str_eq(findings.item[0].argument, "pixelBoxUpperCorner");
        ck_assert_int_eq((int64_t)findings.item[0].value, 1);
        ck_assert_int_eq((int64_t)findings.item[0].nearest, 0);
    }
    struct test_fault t = works(); // no pixel leaves the tensor
    t.map.pixels = 1, t.map.upper[1] = 3;
    both(&t, RULE_IM2COL_STORE_CORNERS);
}

TEST(im2col_start__of_a_store)
{
    static const int32_t starts[][3] = {{1, 0, RULE_IM2COL_START}, {1, 5, RULE_OK}, {1, 6, RULE_IM2COL_START},
                                        {2, 1, RULE_IM2COL_START}, {2, 6, RULE_OK}, {2, 7, RULE_IM2COL_START}};
    for (int i = 0; i < ROWS_OF(starts); i++) {
        struct test_fault t = works();
        t.map.pixels = 1;
        t.coord[starts[i][0]] = starts[i][1];
        both(&t, (enum rule)starts[i][2]);
    }
}

TEST(store_map_format__of_im2col)
{
    struct test_fault t = works();
    t.map.rank = t.dims = 2;
    both(&t, RULE_STORE_MAP_FORMAT);
    t = works();
    t.map.dtype = DTYPE_COUNT;
    both(&t, RULE_STORE_MAP_FORMAT);
    t = works();
    t.map.box[0] = 7;
    both(&t, RULE_STORE_MAP_FORMAT);
}

TEST(store_mode__refuses_tiled_maps)
{
    struct test_fault t = works();
    t.map.mode = TENSORMAP_TILED;
    both(&t, RULE_STORE_MODE);
    t.shared += 16;
    ck_assert_int_eq(both(&t, RULE_STORE_MODE).count, 2); // what does not need the box is reported too
}

TEST(store_rank__of_im2col)
{
    for (int dims = 3; dims <= 5; dims++) {
        struct test_fault t = works();
        t.dims = dims;
        both(&t, dims == 4 ? RULE_OK : RULE_STORE_RANK);
    }
}

TEST(store_dim_limit__of_im2col)
{
    for (int i = 0; i < 4; i++) {
        struct test_fault t = works();
        t.map.pixels = 1;
        t.map.dim[i] = TWO(31);
        both(&t, RULE_OK);
        t.map.dim[i]++;
        both(&t, RULE_STORE_DIM_LIMIT);
    }
}

TEST(reduce_type__of_im2col)
{
    struct findings findings;
    struct test_fault t = works();
    t.map.dtype = DTYPE_FLOAT32;
    ck_assert_int_eq(run(&t, &findings), RULE_REDUCE_TYPE);
    ck_assert_int_eq(run_store(&t), RULE_OK);
    t.op = REDUCE_ADD;
    both(&t, RULE_OK);
}

TEST(store_coord_align__of_channels)
{
    for (int32_t c = 0; c < 16; c++) {
        struct test_fault t = works();
        t.coord[0] = c;
        both(&t, c % 4 == 0 ? RULE_OK : RULE_STORE_COORD_ALIGN);
    }
}

TEST(store_coord_negative__of_channels_images_and_slices)
{
    struct test_fault t = works();
    t.coord[0] = -4;
    both(&t, RULE_STORE_COORD_NEGATIVE);
    t = works();
    t.coord[3] = -1;
    both(&t, RULE_STORE_COORD_NEGATIVE);
    t.coord[3] = 2; // past the last image: nothing is written
    both(&t, RULE_OK);
    t = works(); // W, H, slice, N
    t.map.interleave = INTERLEAVE_16B;
    t.map.stride[0] = 16;
    t.coord[0] = 2, t.coord[1] = 3, t.coord[2] = 8;
    both(&t, RULE_OK);
    t.coord[2] = -1;
    both(&t, RULE_STORE_COORD_NEGATIVE);
}

TEST(store_smem_align__of_im2col)
{
    for (uint32_t offset = 16; offset <= 256; offset += 16) {
        struct test_fault t = works();
        t.shared = SMEM_BASE + offset;
        both(&t, offset % 128 == 0 ? RULE_OK : RULE_STORE_SMEM_ALIGN);
    }
}

// 25 pixels of 32 bytes lie in 7 lines.
TEST(store_smem_bounds__of_im2col)
{
    struct test_fault t = works();
    t.shared = SMEM_BASE + SMEM_BYTES - 7 * 128;
    both(&t, RULE_OK);
    t.shared += 128;
    both(&t, RULE_STORE_SMEM_BOUNDS);
    t = works();
    t.map.pixels = 1024; // pixels past the last image are not read
    both(&t, RULE_OK);
    t.map.dim[3] = 41;
    both(&t, RULE_STORE_SMEM_BOUNDS);
}

TEST(store_unmapped__of_im2col)
{
    struct test_fault t = works();
    t.map.dim[3] = 3;
    t.coord[3] = 2;
    both(&t, RULE_STORE_UNMAPPED);
    t = works();
    t.map.address -= 4096; // the first image is not written
    t.map.dim[3] = 3;
    t.coord[3] = 1;
    both(&t, RULE_OK);
    t.coord[3] = 0;
    struct findings findings = both(&t, RULE_STORE_UNMAPPED);
    ck_assert_uint_eq(findings.item[0].value, GMEM_BASE - 4096 + 32 + 64 + 2 * 512);
}

TEST(im2col_store_faults_have_an_order)
{
    struct findings findings;
    struct test_fault t = works();
    t.map.address = 0;
    t.shared = SMEM_BASE + SMEM_BYTES - 128;
    both(&t, RULE_STORE_SMEM_BOUNDS);
    t.shared += 16;
    both(&t, RULE_STORE_SMEM_ALIGN);
    t.coord[1] = 7;
    both(&t, RULE_IM2COL_START);
    t.map.lower[1] = -1;
    both(&t, RULE_IM2COL_STORE_CORNERS);
    t.coord[3] = -1;
    both(&t, RULE_STORE_COORD_NEGATIVE);
    t.coord[0] = 1;
    both(&t, RULE_STORE_COORD_ALIGN);
    t.op = REDUCE_OPS;
    ck_assert_int_eq(run(&t, &findings), RULE_REDUCE_TYPE);
    t.map.dim[0] = TWO(32);
    both(&t, RULE_STORE_DIM_LIMIT);
    t.dims = 3;
    both(&t, RULE_STORE_RANK);
}
