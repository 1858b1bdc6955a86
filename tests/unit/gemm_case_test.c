// SPDX-License-Identifier: MIT
// The suite `gemm_case`: the families "gemm" and "gemm_layout" around the model: what random cases lean to, D against
// sums of integers, dumps, and the words for a mismatch.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "gemm_case.h"
#include "layout_case.h"
#include "mbarrier.h"
#include "recorded.h"

TEST_FILE(.seconds = 120);

enum { CASES = 20000 };

// --- Random cases ----------------------------------------------------------------------------------------------------

// Every instance, remainders along every side, clusters of every shape, all ways to split, padding, many tiles of a
// CTA.
TEST(gemm_cases_reach_everything)
{
    int *instances = calloc(gemm_instance_count(), sizeof *instances), clusters[5][5] = {{0}};
    int remainders[3] = {0}, splits[2] = {0}, padded = 0, dumps[GEMM_CP_ASYNC + 1] = {0}, few = 0, tiny = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(9, i);
        struct gemm_case c;
        gemm_generate(&random, &c);
        const struct gemm_instance *row = gemm_instance_row(c.instance);
        instances[c.instance]++;
        clusters[c.cluster_m][c.cluster_n]++;
        remainders[0] += c.m % row->tile_m != 0;
        remainders[1] += c.n % row->tile_n != 0;
        remainders[2] += c.k % gemm_block_k(row->in) != 0;
        if (c.splits > 1) splits[c.reduce]++;
        padded += c.pitch_bytes[GEMM_D] >= gemm_row_bytes(&c, GEMM_D) + GEMM_PITCH_UNIT;
        dumps[row->kernel] += c.dump != 0;
        const struct gemm_job job = gemm_case_job(&c);
        few += c.ctas != 0 && gemm_cluster_tiles(row, &job) * gemm_cluster_size(&job) > 2 * c.ctas;
        tiny += c.m == 1 || c.n == 1 || c.k == 1;
    }
    for (uint32_t i = 0; i < gemm_instance_count(); i++) ck_assert_int_gt(instances[i], 0);
    for (int m = 1; m <= 4; m *= 2)
        for (int n = 1; n <= 4 && m * n <= 8; n *= 2) ck_assert_int_gt(clusters[m][n], CASES / 50);
    for (int i = 0; i < 3; i++) ck_assert_int_gt(remainders[i], CASES / 2);
    for (int i = 0; i < 2; i++) ck_assert_int_gt(splits[i], CASES / 30);
    ck_assert_int_gt(padded, CASES / 4);
    for (int kernel = 0; kernel <= GEMM_CP_ASYNC; kernel++) ck_assert_int_gt(dumps[kernel], CASES / 400);
    ck_assert_int_gt(few, CASES / 20);
    ck_assert_int_gt(tiny, CASES / 200);
    free(instances);
}

// Kernels whose CTAs go through their tiles by a schedule: does CTA 0 take three tiles or more, and do their blocks go
// round the stages more than twice?
static int exercises_schedule(const struct gemm_case *c)
{
    uint32_t tiles, loads;
    gemm_model_work(c, &tiles, &loads);
    return tiles >= 3 && loads > 2 * c->stages;
}

// Counts cases of the ping-pong and cooperative kernels: all, those that exercise the schedule, and with a long K.
static void count_schedule(const struct gemm_case *c, int counts[3])
{
    enum gemm_kernel kernel = gemm_instance_row(c->instance)->kernel;
    if (kernel != GEMM_PINGPONG && kernel != GEMM_COOPERATIVE) return;
    counts[0]++;
    counts[1] += exercises_schedule(c);
    counts[2] += exercises_schedule(c) && c->k >= 2048;
}

TEST(gemm_cases_exercise_the_schedules)
{
    int counts[3] = {0};
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(10, i);
        struct gemm_case c;
        gemm_generate(&random, &c);
        count_schedule(&c, counts);
    }
    ck_assert_msg(counts[1] * 10 > counts[0] * 4, "%d of %d cases", counts[1], counts[0]);
    ck_assert_msg(counts[2] * 100 > counts[0] * 2, "%d of %d cases have a long K", counts[2], counts[0]);
}

static void visit_recorded(const void *test_case, const struct trace_entry *entry, void *context)
{
    (void)entry;
    count_schedule(test_case, context);
}

TEST(gemm_recordings_exercise_the_schedules)
{
    int counts[3] = {0};
    recorded_each("gemm", visit_recorded, counts);
    ck_assert_msg(counts[0] >= 200, "%d recorded cases", counts[0]);
    ck_assert_msg(counts[1] * 10 >= counts[0] * 3, "%d of %d recorded cases", counts[1], counts[0]);
    ck_assert_msg(counts[2] > 0, "none of the recorded cases has a long K");
    printf("gemm: %d of %d recorded ping-pong and cooperative cases exercise the schedule, %d with k >= 2048\n",
           counts[1], counts[0], counts[2]);
}

// --- The model -------------------------------------------------------------------------------------------------------

static int element_of(const struct gemm_case *c, enum gemm_operand operand, const uint8_t *bytes, uint32_t row,
                      uint32_t k)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t bits = 0;
    memcpy(&bits, bytes + (size_t)row * c->pitch_bytes[operand] + k * gemm_bytes(i->in), gemm_bytes(i->in));
    uint32_t sign = 1u << (8 * gemm_bytes(i->in) - 1);
    return (bits & (sign - 1)) == 0 ? 0 : bits & sign ? -1 : 1;
}

// Of -1, 0 and 1 an f32 D holds the very sums, whatever the kernel; what lies around D stays as it was.
TEST(gemm_of_small_integers_is_their_sums)
{
    int checked = 0;
    for (uint64_t i = 0; i < 400; i++) {
        struct random random = random_for(21, i);
        struct gemm_case c;
        gemm_generate(&random, &c);
        if (!c.exact || gemm_instance_row(c.instance)->out != GEMM_F32) continue;
        size_t bytes = gemm_operand_bytes(&c, GEMM_D);
        uint8_t *a = malloc(gemm_operand_bytes(&c, GEMM_A)), *b = malloc(gemm_operand_bytes(&c, GEMM_B));
        uint8_t *d = malloc(bytes), *before = malloc(bytes);
        gemm_fill(&c, GEMM_A, a);
        gemm_fill(&c, GEMM_B, b);
        gemm_fill(&c, GEMM_D, before);
        memcpy(d, before, bytes);
        ck_assert(gemm_model(&c, d));
        for (uint32_t at = 0; at < bytes; at += 4) {
            uint32_t m = (at - GEMM_GUARD_BYTES) / c.pitch_bytes[GEMM_D];
            uint32_t n = (at - GEMM_GUARD_BYTES) % c.pitch_bytes[GEMM_D] / 4;
            int sum = 0;
            float found;
            memcpy(&found, d + at, sizeof found);
            if (at < GEMM_GUARD_BYTES || m >= c.m || n >= (c.n + 3) / 4 * 4) ck_assert_mem_eq(d + at, before + at, 4);
            if (at < GEMM_GUARD_BYTES || m >= c.m || n >= c.n) continue;
            for (uint32_t k = 0; k < c.k; k++) sum += element_of(&c, GEMM_A, a, m, k) * element_of(&c, GEMM_B, b, n, k);
            ck_assert_msg(found == (float)sum, "case %d: D[%u][%u] is %g, not %d", (int)i, m, n, (double)found, sum);
            checked++;
        }
        free(a);
        free(b);
        free(d);
        free(before);
    }
    ck_assert_int_gt(checked, 100000);
}

// One tile of three blocks in two stages: the third block lies where the first was, and its barriers went round twice.
TEST(gemm_dump_shows_the_last_blocks)
{
    struct gemm_case c = {
        .m = 3, .n = 5, .k = 150, .stages = 2, .cluster_m = 1, .cluster_n = 1, .splits = 1, .group = 1};
    const struct gemm_instance *row = gemm_instance_row(c.instance);
    uint32_t stage_bytes = gemm_stage_bytes(row->tile_m, row->tile_n), bytes = gemm_dump_bytes(row, 2);
    gemm_least_pitch(&c);
    uint8_t *dump = malloc(bytes), *a = malloc(gemm_operand_bytes(&c, GEMM_A));
    gemm_fill(&c, GEMM_A, a);
    ck_assert(gemm_model_dump(&c, dump));
    ck_assert_mem_eq(dump, a + 256, 16);                                             // row 0 from k = 128 on
    ck_assert_mem_eq(dump + stage_bytes + 128 + 16, a + c.pitch_bytes[0] + 128, 16); // row 1, chunk 0: swizzled
    for (uint32_t at = 3 * 128; at < 128 * 128; at++) ck_assert_uint_eq(dump[at], 0);
    uint64_t words[4];
    memcpy(words, dump + 2 * stage_bytes, sizeof words);
    ck_assert_uint_eq(words[0], mbarrier_init(1)); // two phases
    ck_assert_uint_eq(words[1], mbarrier_init(1) ^ MBARRIER_PHASE_BIT);
    ck_assert_uint_eq(words[2], mbarrier_init(4));
    ck_assert_uint_eq(words[3], mbarrier_init(4) ^ MBARRIER_PHASE_BIT);
    free(dump);
    free(a);
}

// Two parts that meet in distributed shared memory: over the block of part 0 lie the sums of part 1.
TEST(gemm_dump_of_a_split_shows_the_other_part)
{
    struct gemm_case c = {
        .m = 3, .n = 5, .k = 128, .stages = 8, .cluster_m = 1, .cluster_n = 1, .splits = 2, .group = 1};
    while (gemm_instance_row(c.instance)->kernel != GEMM_SPLIT_K) c.instance++;
    const struct gemm_instance *row = gemm_instance_row(c.instance);
    c.stages = gemm_max_stages(row);
    c.dump = c.exact = 1;
    gemm_least_pitch(&c);
    uint8_t *dump = malloc(gemm_dump_bytes(row, c.stages)), *a = malloc(gemm_operand_bytes(&c, GEMM_A)),
            *b = malloc(gemm_operand_bytes(&c, GEMM_B));
    gemm_fill(&c, GEMM_A, a);
    gemm_fill(&c, GEMM_B, b);
    ck_assert(gemm_model_dump(&c, dump));
    for (uint32_t m = 0; m < c.m; m++)
        for (uint32_t n = 0; n < c.n; n++) {
            uint32_t thread = m * 4 + n / 2; // registers 0 and 1 are row m, columns 2 i and 2 i + 1 of lane 4 m + i
            float found;
            int sum = 0;
            memcpy(&found, dump + thread * 16 + n % 2 * 4, sizeof found);
            for (uint32_t k = 64; k < 128; k++)
                sum += element_of(&c, GEMM_A, a, m, k) * element_of(&c, GEMM_B, b, n, k);
            ck_assert_msg(found == (float)sum, "D[%u][%u] of part 1 is %g, not %d", m, n, (double)found, sum);
        }
    free(dump);
    free(a);
    free(b);
}

// Of cp.async the same blocks, and no barriers.
TEST(gemm_dump_of_cp_async_shows_the_last_blocks)
{
    struct gemm_case c = {
        .m = 3, .n = 5, .k = 150, .stages = 2, .cluster_m = 1, .cluster_n = 1, .splits = 1, .group = 1};
    while (gemm_instance_row(c.instance)->kernel != GEMM_CP_ASYNC) c.instance++;
    const struct gemm_instance *row = gemm_instance_row(c.instance);
    uint32_t stage_bytes = gemm_stage_bytes(row->tile_m, row->tile_n), bytes = gemm_dump_bytes(row, 2);
    ck_assert_uint_eq(bytes, 2 * stage_bytes);
    gemm_least_pitch(&c);
    uint8_t *dump = malloc(bytes), *b = malloc(gemm_operand_bytes(&c, GEMM_B));
    gemm_fill(&c, GEMM_B, b);
    ck_assert(gemm_model_dump(&c, dump));
    const uint8_t *of_b = dump + row->tile_m * GEMM_BLOCK_BYTES;
    ck_assert_mem_eq(of_b + 128 + 16, b + c.pitch_bytes[1] + 256, 16); // row 1, from k = 128 on: swizzled
    ck_assert_mem_eq(of_b + stage_bytes + 256 + 32, b + 2 * c.pitch_bytes[1] + 128, 16); // row 2, from k = 64 on
    for (uint32_t at = 5 * 128; at < 256 * 128; at++) ck_assert_uint_eq(of_b[at], 0);
    free(dump);
    free(b);
}

// The layout changes nothing: all swizzles and both majornesses of the same numbers give the same D.
TEST(gemm_layouts_give_the_same_sums)
{
    struct layout_case c = {.m = 70, .n = 40, .k = 100, .seed = 5};
    static uint8_t first[70 * 160 + 2 * GEMM_GUARD_BYTES], d[sizeof first];
    c.pitch_bytes[0] = c.pitch_bytes[1] = 208;
    c.pitch_bytes[2] = 160;
    for (uint32_t swizzle = 0; swizzle < 16; swizzle++) {
        c.swizzle[0] = swizzle % 4;
        c.swizzle[1] = swizzle / 4;
        c.shift_bytes[0] = swizzle % 8 * 128;
        layout_fill(&c, GEMM_D, d);
        ck_assert_int_eq(layout_model(&c, d, NULL), RULE_OK);
        if (swizzle == 0) memcpy(first, d, sizeof d);
        ck_assert_mem_eq(d, first, sizeof d);
    }
}

// --- Mismatches ------------------------------------------------------------------------------------------------------

TEST(gemm_mismatch_names_the_element_and_the_block)
{
    const struct family *family = family_find("gemm");
    struct gemm_case c = {
        .m = 9, .n = 20, .k = 200, .stages = 2, .cluster_m = 1, .cluster_n = 1, .splits = 1, .group = 1};
    char text[2000] = "";
    gemm_least_pitch(&c);
    struct gemm_case shorter = c;
    shorter.k = 128; // as if the last two blocks were not there
    size_t bytes = family_result_bytes(family, &c);
    uint8_t *expected_bytes = malloc(bytes), *found_bytes = malloc(bytes);
    struct result expected = result_at(expected_bytes), found = result_at(found_bytes);
    family_run_model(family, &c, &expected);
    family_run_model(family, &shorter, &found);
    memcpy(found_bytes, expected_bytes, GEMM_GUARD_BYTES + 2 * c.pitch_bytes[GEMM_D]); // wrong from row 2 on
    FILE *out = fmemopen(text, sizeof text, "w");
    family_explain(family, &c, &expected, &found, out);
    fclose(out);
    ck_assert_msg(strstr(text, "D[2][1], tile 0, 0 (row 2, column 1 of it)") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "as if K had ended before block 2 (k = 128)") != NULL, "%s", text);
    free(expected_bytes);
    free(found_bytes);
}
