// SPDX-License-Identifier: MIT
// The suite `im2col`: im2col loads against the slow walk, on vectors that must notice each misreading and on random
// cases; positions worked out by hand; the faults and what their findings say.
#include "chunks.h"
#include "im2col_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules/all.h"
#include "slow_im2col.h"
#include "slow_result.h"

TEST_FILE(.seconds = 120);

#define TWO(n) ((int64_t)1 << (n))
enum { TEXT_BYTES = 1024, CHUNKS = 8, CASES_PER_CHUNK = 5000 };
static const uint64_t SEED = 0x132c01;

// --- Vectors ---------------------------------------------------------------------------------------------------------

// `address` counts from the start of global memory, `stride` is globalStrides, `error` the fault or 0.
static const struct vector {
    const char *why;
    enum dtype dtype;
    int rank, interleave, swizzle, fill;
    int64_t address;
    uint64_t dim[5], stride[4];
    int32_t lower[3], upper[3];
    uint32_t channels, pixels, estride[5];
    int32_t coord[5];
    uint16_t offset[3];
    uint32_t destination;
    int error;
} vectors[] = {
    // clang-format off
    {"SPEC.md 3.26, first example: halo of 1 at the lower edge",
     DTYPE_UINT16, 4, 0, 0, 0, -7 * 16128, {64, 9, 14, 64}, {128, 1152, 16128}, {-1, -1}, {-1, -1}, 8, 64,
     {1, 1, 1, 1}, {0, 4, 7, 7}, {0, 0}, 0x400, 0},
    {"SPEC.md 3.26, second example: the offset moves every pixel to the far corner of the filter",
     DTYPE_UINT16, 4, 0, 0, 0, -7 * 16128, {64, 9, 14, 64}, {128, 1152, 16128}, {0, 0}, {-2, -2}, 8, 64,
     {1, 1, 1, 1}, {0, 4, 7, 7}, {2, 2}, 0x400, 0},
    {"SPEC.md 3.26, third example: stride 2",
     DTYPE_UINT16, 4, 0, 0, 0, -7 * 14336, {64, 8, 14, 64}, {128, 1024, 14336}, {-1, -1}, {-1, -1}, 16, 32,
     {1, 2, 2, 1}, {0, 5, 7, 7}, {1, 1}, 0x400, 0},
    {"H and W have unlike corners and strides",
     DTYPE_UINT8, 4, 0, 0, 0, 0, {16, 7, 6, 4}, {16, 112, 672}, {-2, 1}, {-3, 2}, 16, 40, {1, 3, 2, 1}, {0, 1, 3, 0},
     {3, 0}, 0x400, 0},
    {"rank 5: three unlike corners, strides 2, 1, 3, and two images",
     DTYPE_UINT8, 5, 0, 0, 0, 0, {16, 6, 5, 4, 3}, {16, 96, 480, 1920}, {-1, 0, -3}, {1, -2, 2}, 16, 90,
     {1, 2, 1, 3, 1}, {0, 2, 1, 0, 0}, {1, 2, 3}, 0x400, 0},
    {"rank 3, from the end of the box; the rest lies past the last image",
     DTYPE_FLOAT32, 3, 0, 0, 1, 0, {8, 5, 3}, {32, 160}, {-1}, {1}, 8, 30, {1, 1, 1}, {0, 5, 1}, {0}, 0x400, 0},
    {"N steps by 2, channels do not step by 3",
     DTYPE_UINT8, 3, 0, 0, 0, 0, {64, 4, 7}, {64, 256}, {0}, {0}, 16, 14, {3, 1, 2}, {0, 1, 0}, {0}, 0x400, 0},
    {"negative N becomes 0 on the way",
     DTYPE_UINT8, 3, 0, 0, 0, 0, {16, 3, 2}, {16, 48}, {0}, {0}, 16, 14, {1, 1, 1}, {0, 1, -2}, {0}, 0x400, 0},
    {"channels cut element by element: 8 of 10 left, from channel 16 on",
     DTYPE_UINT8, 3, 0, 0, 0, 0, {26, 4, 2}, {32, 128}, {0}, {0}, 32, 4, {1, 1, 1}, {16, 0, 0}, {0}, 0x400, 0},
    {"negative channels",
     DTYPE_UINT8, 3, 0, 0, 0, 0, {40, 4, 2}, {48, 192}, {0}, {0}, 48, 5, {1, 1, 1}, {-16, 0, 0}, {0}, 0x400, 0},
    {"an offset of 65535 is not -1",
     DTYPE_UINT8, 3, 0, 0, 0, 64, {16, 8, 2}, {16, 128}, {0}, {0}, 16, 4, {1, 1, 1}, {0, 2, 0}, {65535}, 0x400, 0},
    {"offsets of 256 and 511 are 0 and 255 with rank 4",
     DTYPE_UINT8, 4, 0, 0, 0, 0, {16, 300, 3, 2}, {16, 0, 0}, {0, 0}, {0, 0}, 16, 4, {1, 1, 1, 1}, {0, 2, 1, 0},
     {511, 256}, 0x400, 0},
    {"an offset of 35 carries 1 into H with rank 5",
     DTYPE_UINT8, 5, 0, 0, 0, 0, {16, 9, 5, 4, 2}, {16, 144, 720, 2880}, {0, 0, 0}, {0, 0, 0}, 16, 6, {1, 1, 1, 1, 1},
     {0, 2, 1, 0, 0}, {35, 1, 33}, 0x400, 0},
    {"bit 15 of the packed offsets is nothing: D offset 32 is 0",
     DTYPE_UINT8, 5, 0, 0, 0, 0, {16, 9, 5, 40, 2}, {16, 0, 16, 640}, {0, 0, 0}, {0, 0, 0}, 16, 6, {1, 1, 1, 1, 1},
     {0, 2, 1, 3, 0}, {1, 1, 33}, 0x400, 0},
    {"pixels of 16 bytes in spans of 128",
     DTYPE_UINT8, 3, 0, 3, 0, 0, {64, 6, 4}, {64, 384}, {-1}, {1}, 16, 20, {1, 1, 1}, {16, 2, 1}, {0}, 0x480, 0},
    {"pixels of 48 bytes in spans of 64, NaN fill",
     DTYPE_FLOAT16, 3, 0, 2, 1, 0, {40, 6, 4}, {80, 480}, {-1}, {1}, 24, 20, {1, 2, 1}, {16, 2, 1}, {0}, 0x580, 0},
    {"full pixels, spans of 32, rounded to TF32",
     DTYPE_TFLOAT32, 3, 0, 1, 1, SLOW_SPECIALS, {8, 6, 4}, {32, 192}, {-1}, {1}, 8, 20, {1, 1, 1}, {0, -1, 0}, {1},
     0x400, 0},
    {"slices of 16 bytes, W and slice unlike, channelsPerPixel of no meaning",
     DTYPE_UINT16, 4, 1, 3, 0, 0, {7, 5, 6, 3}, {112, 560, 3360}, {-1, 0}, {1, -2}, 32, 40, {2, 1, 5, 1},
     {0, 1, 2, 1}, {1, 2}, 0x480, 0},
    {"slices of 32 bytes, two images, one skipped",
     DTYPE_FLOAT32, 3, 2, 1, 1, 0, {6, 4, 5}, {192, 768}, {-1}, {-2}, 4, 22, {1, 1, 2}, {1, 3, 0}, {3}, 0x400, 0},
    {"a slice out of bounds is all fill", DTYPE_UINT8, 3, 2, 0, 0, 0, {6, 4, 5}, {192, 768}, {0}, {0}, 16, 4,
     {1, 1, 1}, {1, 4, 0}, {0}, 0x400, 0},
    {"a dimension of 2^31, from near its end over it",
     DTYPE_UINT8, 3, 0, 0, 0, -(TWO(31) - 1024) * 32, {16, (uint64_t)TWO(31), 1}, {32, 0}, {0}, {-1}, 16, 20,
     {1, 8, 1}, {0, INT32_MAX - 40, 0}, {0}, 0x400, 0},
    {"the last start of the box", DTYPE_UINT8, 3, 0, 0, 0, 0, {16, 4, 4}, {16, 64}, {-2}, {3}, 16, 9, {1, 1, 1},
     {0, 6, 0}, {0}, 0x400, 0},
    {"the first start of the box, with an offset past its end", DTYPE_UINT8, 4, 0, 0, 0, 0, {16, 4, 4, 3},
     {16, 64, 256}, {-2, -2}, {-3, -3}, 16, 9, {1, 1, 1, 1}, {0, -2, 0, 0}, {5, 1}, 0x400, 0},
    {"715: one before the box", DTYPE_UINT8, 3, 0, 0, 0, 0, {16, 4, 4}, {16, 64}, {-2}, {3}, 16, 9, {1, 1, 1},
     {0, -3, 0}, {0}, 0x400, 715},
    {"715: one past the box, inside the tensor", DTYPE_UINT8, 3, 0, 0, 0, 0, {16, 9, 4}, {16, 64}, {0}, {-3}, 16, 9,
     {1, 1, 1}, {0, 6, 0}, {0}, 0x400, 715},
    {"715: H outside, W inside", DTYPE_UINT8, 4, 0, 0, 0, 0, {16, 4, 4, 3}, {16, 64, 256}, {0, 0}, {0, 0}, 16, 9,
     {1, 1, 1, 1}, {0, 1, 4, 0}, {0, 0}, 0x400, 715},
    {"715: channel 8 of single bytes", DTYPE_UINT8, 3, 0, 0, 0, 0, {32, 4, 4}, {32, 128}, {0}, {0}, 16, 9, {1, 1, 1},
     {8, 1, 0}, {0}, 0x400, 715},
    {"716: a destination between lines", DTYPE_UINT8, 3, 0, 0, 0, 0, {32, 4, 4}, {32, 128}, {0}, {0}, 16, 9,
     {1, 1, 1}, {0, 1, 0}, {0}, 0x440, 716},
    {"700: past the end of shared memory", DTYPE_UINT8, 3, 0, 0, 0, 0, {32, 4, 4}, {32, 128}, {0}, {0}, 16, 9,
     {1, 1, 1}, {0, 1, 0}, {0}, 0x400 + SLOW_SMEM_BYTES - 128, 700},
    {"700: pixels past global memory", DTYPE_UINT8, 3, 0, 0, 0, SLOW_GMEM_BYTES - 64, {32, 4, 4}, {32, 128}, {0}, {0},
     16, 9, {1, 1, 1}, {0, 1, 0}, {0}, 0x400, 700},
    {"700: the base is touched when the first pixel is out of bounds", DTYPE_UINT8, 3, 0, 0, 0, -64, {32, 4, 4},
     {32, 128}, {-1}, {0}, 16, 1, {1, 1, 1}, {0, -1, 0}, {0}, 0x400, 700},
    {"the base is not touched when the first pixel is in bounds", DTYPE_UINT8, 3, 0, 0, 0, -64, {32, 4, 4},
     {32, 128}, {0}, {0}, 16, 2, {1, 1, 1}, {0, 2, 0}, {0}, 0x400, 0},
    // clang-format on
};

static uint8_t gmem[SLOW_GMEM_BYTES];

static struct slow_im2col load_of(const struct vector *vector)
{
    struct slow_im2col load = {.map = {.mode = TENSORMAP_IM2COL,
                                       .rank = vector->rank,
                                       .dtype = vector->dtype,
                                       .interleave = (enum tensormap_interleave)vector->interleave,
                                       .swizzle = (enum tensormap_swizzle)vector->swizzle,
                                       .oob_fill = (enum tensormap_oob_fill)vector->fill,
                                       .address = SLOW_GMEM_BASE + (uint64_t)vector->address,
                                       .box = {vector->channels},
                                       .pixels = vector->pixels},
                               .dims = vector->rank,
                               .destination = vector->destination,
                               .gmem = gmem,
                               .gmem_base = SLOW_GMEM_BASE,
                               .gmem_bytes = SLOW_GMEM_BYTES,
                               .smem_base = SLOW_SMEM_BASE,
                               .smem_bytes = SLOW_SMEM_BYTES};
    load.map.stride[0] = tensormap_step_bytes(&load.map);
    for (int i = 1; i < vector->rank; i++) load.map.stride[i] = vector->stride[i - 1];
    memcpy(load.map.dim, vector->dim, sizeof load.map.dim);
    memcpy(load.map.estride, vector->estride, sizeof load.map.estride);
    memcpy(load.map.lower, vector->lower, sizeof load.map.lower);
    memcpy(load.map.upper, vector->upper, sizeof load.map.upper);
    memcpy(load.coord, vector->coord, sizeof load.coord);
    memcpy(load.offset, vector->offset, sizeof load.offset);
    return load;
}

// --- Running both ----------------------------------------------------------------------------------------------------

static void run_slow(const struct slow_im2col *load, enum slow_im2col_mutant mutant, struct result *outcome)
{
    clear(outcome);
    outcome->error = slow_im2col(load, outcome->smem, &outcome->tx_bytes, mutant);
}

static void run_model(const struct slow_im2col *load, struct result *outcome)
{
    const struct memory global_memory = {gmem, load->gmem_base, load->gmem_bytes};
    const struct memory shared_memory = {outcome->smem, load->smem_base, load->smem_bytes};
    clear(outcome);
    outcome->error = rule_cuda_error(im2col_load(&load->map, load->dims, load->coord, load->offset, &global_memory,
                                                 &shared_memory, load->destination, &outcome->tx_bytes, NULL));
}

static void require_same(const struct slow_im2col *load, const struct result *model, const struct result *slow,
                         const char *what)
{
    if (is_same(model, slow)) return;
    char text[TEXT_BYTES];
    slow_im2col_text(load, text, sizeof text);
    tell_difference(model, slow, load->smem_base, what, text);
}

LOOP_TEST(im2col_bounds__vectors_agree_with_the_slow_walk, 0, ROWS_OF(vectors))
{
    static struct result model, slow;
    slow_fill_gmem(gmem, SEED);
    struct slow_im2col load = load_of(&vectors[_i]);
    run_slow(&load, IM2COL_RIGHT, &slow);
    run_model(&load, &model);
    ck_assert_msg(slow.error == vectors[_i].error, "%s: error %d", vectors[_i].why, slow.error);
    require_same(&load, &model, &slow, vectors[_i].why);
}

LOOP_TEST(im2col_interleave__random_columns_agree_with_the_slow_walk, 0, chunks_of(CHUNKS))
{
    static struct result model, slow;
    struct slow_random random = {SEED + (uint64_t)_i};
    int done = 0, faults[3] = {0, 0, 0};
    slow_fill_gmem(gmem, SEED);
    for (int i = 0; i < CASES_PER_CHUNK; i++) {
        struct slow_im2col load;
        char what[TEXT_BYTES];
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " chunk %d case %d", SEED, _i, i);
        slow_generate_im2col(&random, gmem, &load);
        run_slow(&load, IM2COL_RIGHT, &slow);
        run_model(&load, &model);
        require_same(&load, &model, &slow, what);
        done += slow.error == 0;
        for (int f = 0; f < 3; f++) faults[f] += slow.error == (int[]){715, 716, 700}[f];
    }
    ck_assert_msg(done > CASES_PER_CHUNK / 3, "only %d cases without a fault", done);
    for (int f = 0; f < 3; f++) ck_assert_msg(faults[f] > CASES_PER_CHUNK / 100, "fault %d: %d cases", f, faults[f]);
}

static const struct {
    const char *id, *sentence;
    enum rule rule;
} mutants[] = {
#define X(id, rule, sentence) [IM2COL_##id] = {#id, sentence, RULE_##rule},
    SLOW_IM2COL_MUTANTS(X)
#undef X
};

LOOP_TEST(im2col_offsets__vectors_notice_each_misread_rule, 1, IM2COL_MUTANTS)
{
    static struct result right, wrong;
    slow_fill_gmem(gmem, SEED);
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        struct slow_im2col load = load_of(&vectors[i]);
        run_slow(&load, IM2COL_RIGHT, &right);
        run_slow(&load, (enum slow_im2col_mutant)_i, &wrong);
        if (!is_same(&right, &wrong)) return;
    }
    ck_abort_msg("no vector notices %s (rule %s misread: %s)", mutants[_i].id, rule_row(mutants[_i].rule)->id,
                 mutants[_i].sentence);
}

// --- Positions and sizes by hand -------------------------------------------------------------------------------------

// Where pixel `p` of the vector lies: walks pixel by pixel.
static void check_pixel(int vector, uint32_t p, int64_t w, int64_t h, int64_t n)
{
    struct slow_im2col load = load_of(&vectors[vector]);
    struct im2col column = im2col_of(&load.map, load.coord, load.offset);
    struct im2col_walk walk = im2col_walk(&column);
    struct tile_run run;
    bool inside = w >= 0 && w < (int64_t)load.map.dim[1] && h >= 0 && h < (int64_t)load.map.dim[2];
    do ck_assert_int_eq(im2col_next(&walk, &run), 1);
    while (run.offset != p * column.pitch_bytes);
    ck_assert_msg(run.is_fill == !inside, "vector %d pixel %u", vector, p);
    if (run.is_fill) return;
    ck_assert_uint_eq(run.address, load.map.address + (uint64_t)w * load.map.stride[1] +
                                       (uint64_t)h * load.map.stride[2] + (uint64_t)n * load.map.stride[3]);
}

// The box of example 1 is W -1 .. 7, H -1 .. 12; of example 2 W 0 .. 6, H 0 .. 11 and every pixel 2 further.
TEST(im2col_walk__worked_examples)
{
    for (uint32_t p = 0; p < 64; p++) {
        int64_t first = (7 + 1) * 9 + 4 + 1 + p, second = 7 * 7 + 4 + p;
        check_pixel(0, p, first % 9 - 1, first / 9 % 14 - 1, 7 + first / 126);
        check_pixel(1, p, second % 7 + 2, second / 7 % 12 + 2, 7 + second / 84);
    }
    static const int64_t w[] = {6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6}, h[] = {8, 10, 10, 10, 10, 12, 12, 12, 12};
    for (uint32_t p = 0; p < 9; p++) check_pixel(2, p, w[p], h[p], 7);
    for (uint32_t p = 9; p < 13; p++) check_pixel(2, p, w[p], 0, 8); // past H 12 the next image begins
}

TEST(im2col_batch__element_stride_of_n_skips_images)
{
    struct slow_im2col load = load_of(&vectors[6]);
    struct im2col column = im2col_of(&load.map, load.coord, load.offset);
    struct tile_run run;
    uint32_t pixel = 0;
    for (struct im2col_walk walk = im2col_walk(&column); im2col_next(&walk, &run); pixel++) {
        uint64_t w = (pixel + 1) % 4, n = (pixel + 1) / 4 * 2;
        ck_assert_uint_eq(run.address, load.map.address + w * 64 + n * 256);
        ck_assert_int_eq(run.is_fill, n >= 7);
    }
    ck_assert_uint_eq(pixel, 14);
}

TEST(im2col_offset_fields__pack_with_carries)
{
    static const struct {
        int rank;
        uint16_t given[3];
        uint32_t offset[3];
    } rows[] = {
        {3, {65535}, {65535}},           {4, {255, 255}, {255, 255}},    {4, {256, 511}, {0, 255}},
        {5, {31, 31, 31}, {31, 31, 31}}, {5, {32, 0, 0}, {0, 1, 0}},     {5, {0, 32, 0}, {0, 0, 1}},
        {5, {0, 0, 32}, {0, 0, 0}},      {5, {65535, 1, 0}, {31, 0, 0}}, {5, {33, 31, 30}, {1, 0, 31}},
    };
    for (int i = 0; i < ROWS_OF(rows); i++) {
        struct tensormap map = {.mode = TENSORMAP_IM2COL, .rank = rows[i].rank, .dtype = DTYPE_UINT8, .box = {16}};
        struct im2col column = im2col_of(&map, (int32_t[5]){0}, rows[i].given);
        for (int k = 0; k < rows[i].rank - 2; k++)
            ck_assert_msg(column.offset[k] == rows[i].offset[k], "row %d: offset %d is %u", i, k, column.offset[k]);
    }
}

TEST(im2col_pitch__is_the_span_with_a_swizzle)
{
    static const uint32_t pitch[] = {16, 32, 64, 128};
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        struct vector vector = vectors[14];
        vector.swizzle = swizzle;
        struct slow_im2col load = load_of(&vector);
        struct im2col column = im2col_of(&load.map, load.coord, load.offset);
        ck_assert_uint_eq(column.pitch_bytes, pitch[swizzle]);
        ck_assert_uint_eq(im2col_extent_bytes(&column), 19 * pitch[swizzle] + 16);
    }
}

TEST(im2col_tx_bytes__are_all_pixels)
{
    static const struct {
        int vector;
        uint64_t bytes;
    } rows[] = {{0, 64 * 16}, {2, 32 * 32}, {14, 20 * 16}, {15, 20 * 48}, {17, 40 * 16}, {18, 22 * 32}, {19, 4 * 32}};
    for (int i = 0; i < ROWS_OF(rows); i++) {
        struct slow_im2col load = load_of(&vectors[rows[i].vector]);
        struct im2col column = im2col_of(&load.map, load.coord, load.offset);
        ck_assert_msg(im2col_transaction_bytes(&column) == rows[i].bytes, "%s", vectors[rows[i].vector].why);
    }
}

// Pixels that touch, in shared and in global memory, are one run; the coarse walk gives the same bytes.
TEST(im2col_walk__pixels_that_touch_are_one_run)
{
    struct slow_im2col load = load_of(&vectors[21]);
    struct im2col column = im2col_of(&load.map, load.coord, load.offset);
    struct im2col_walk walk = im2col_walk(&column), coarse = walk;
    struct tile_run run;
    static const uint32_t bytes[] = {16, 2 * 16, 4 * 16, 2 * 16};
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(im2col_next_pixels(&coarse, &run), 1);
        ck_assert_int_eq(im2col_next(&walk, &run), 1);
        ck_assert_uint_eq(run.bytes, bytes[i]);
        ck_assert_int_eq(run.is_fill, i != 2);
    }
    ck_assert_uint_eq(im2col_next_pixels(&coarse, &run), 0);
    ck_assert_int_eq(im2col_next(&walk, &run), 0);
}

// --- Faults ----------------------------------------------------------------------------------------------------------

static enum rule check(const struct slow_im2col *load, struct findings *findings)
{
    static uint8_t smem[SLOW_SMEM_BYTES];
    const struct memory global_memory = {gmem, load->gmem_base, load->gmem_bytes};
    const struct memory shared_memory = {smem, load->smem_base, load->smem_bytes};
    return im2col_load_check(&load->map, load->dims, load->coord, load->offset, &global_memory, &shared_memory,
                             load->destination, findings);
}

TEST(im2col_start__finding_names_the_dimension_and_the_nearest)
{
    struct findings findings = {0};
    struct slow_im2col load = load_of(&vectors[21]);
    load.coord[1] = 7;
    ck_assert_int_eq(check(&load, &findings), RULE_IM2COL_START);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_int_eq(findings.item[0].index, 1);
    ck_assert_int_eq((int64_t)findings.item[0].value, 7);
    ck_assert_int_eq((int64_t)findings.item[0].nearest, 6);
    load.coord[1] = -3;
    findings.count = 0;
    ck_assert_int_eq(check(&load, &findings), RULE_IM2COL_START);
    ck_assert_int_eq((int64_t)findings.item[0].nearest, -2);
}

// Everything broken at once is reported, 715 first.
TEST(im2col_start__is_reported_beside_the_others)
{
    struct findings findings = {0};
    struct slow_im2col load = load_of(&vectors[21]);
    load.coord[1] = -3;
    load.destination = SLOW_SMEM_BASE + SLOW_SMEM_BYTES - 64;
    load.map.address = 0;
    ck_assert_int_eq(check(&load, &findings), RULE_IM2COL_START);
    static const enum rule expected[] = {RULE_IM2COL_START, RULE_LOAD_SMEM_ALIGN, RULE_LOAD_SMEM_BOUNDS,
                                         RULE_LOAD_BASE_UNMAPPED, RULE_LOAD_UNMAPPED};
    ck_assert_int_eq(findings.count, 5);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(findings.item[i].rule, expected[i]);
}

TEST(load_mode__im2col_load_takes_no_tiled_map)
{
    struct slow_im2col load = load_of(&vectors[21]);
    load.map.mode = TENSORMAP_TILED;
    ck_assert_int_eq(check(&load, NULL), RULE_LOAD_MODE);
    load.map.mode = TENSORMAP_IM2COL;
    load.map.rank = 2;
    ck_assert_int_eq(check(&load, NULL), RULE_LOAD_MAP_FORMAT);
}
