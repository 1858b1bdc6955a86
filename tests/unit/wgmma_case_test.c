// SPDX-License-Identifier: MIT
// The suite `wgmma_case`: what random cases of the families "wgmma" and "wgmma_sparse" lean to, and leave.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor.h"
#include "family.h"
#include "wgmma_case.h"

enum { CASES = 20000 };

// Tests loop over both; `_i` is the family.
static const struct {
    const char *name;
    void (*generate)(struct random *random, void *test_case);
    int first, end; // its instructions
} families_here[] = {{"wgmma", wgmma_generate, 0, WGMMA_INSTANCE_COUNT},
                     {"wgmma_sparse", wgmma_sparse_generate, WGMMA_INSTANCE_COUNT, WGMMA_SPARSE_INSTANCE_END}};

// --- Random cases ----------------------------------------------------------------------------------------------------

// Every compiled instruction, every swizzle of both operands, both majors, base offsets, starts within a pattern,
// ignored bits, chains, and faults of both operands.
LOOP_TEST(wgmma_cases_reach_everything, 0, ROWS_OF(families_here))
{
    int instances[WGMMA_SPARSE_INSTANCE_END] = {0}, styles[WGMMA_METADATA_STYLES] = {0}, is_sparse = _i == 1;
    int swizzles[2][4] = {{0}}, bases = 0, within = 0, ignored = 0, steps[WGMMA_MAX_STEPS + 1] = {0}, faults[2] = {0};
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(9, i);
        struct wgmma_case c;
        families_here[_i].generate(&random, &c);
        const struct wgmma *w = &wgmma_instance_row(c.instance)->wgmma;
        ck_assert_int_eq(w->is_sparse, is_sparse);
        instances[c.instance]++;
        styles[c.metadata]++;
        steps[c.steps]++;
        for (int o = w->a_in_registers; o < 2; o++) {
            struct wgmma_descriptor d = wgmma_descriptor_unpack(c.descriptor[o]);
            uint32_t first, end;
            wgmma_reach(w, o, c.descriptor[o], &first, &end);
            ck_assert_uint_ge(first, WGMMA_SHARED_START);
            swizzles[o][d.swizzle]++;
            bases += d.base_offset != 0;
            within += d.start_bytes % 1024 != 0;
            ignored += (c.descriptor[o] & WGMMA_DESCRIPTOR_IGNORED) != 0;
            faults[o] += end > WGMMA_SHARED_END;
        }
    }
    for (int i = 1; i < WGMMA_METADATA_STYLES; i++) ck_assert_int_ge(styles[i], is_sparse ? CASES / 10 : 0);
    for (int i = families_here[_i].first; i < families_here[_i].end; i++)
        ck_assert_msg(instances[i] > 0, "instruction %d: %d cases", i, instances[i]);
    for (int i = 0; i < 8; i++) ck_assert_int_gt(swizzles[i / 4][i % 4], CASES / 10);
    ck_assert_int_gt(bases, CASES / 10);
    ck_assert_int_gt(within, CASES / 4);
    ck_assert_int_gt(ignored, CASES / 10);
    ck_assert_int_gt(steps[2], CASES / 10);
    ck_assert_int_gt(steps[3], CASES / 10);
    ck_assert_int_gt(faults[0], CASES / 500);
    ck_assert_int_gt(faults[1], CASES / 500);
}

// What D holds after random cases: numbers, zeros, infinities and NaN, clamped integers; not all the same.
LOOP_TEST(wgmma_results_hold_all_kinds, 0, ROWS_OF(families_here))
{
    const struct family *family = family_find(families_here[_i].name);
    int numbers = 0, zeros = 0, infinities = 0, nans = 0, clamped = 0;
    for (uint64_t i = 0; i < 600; i++) {
        struct random random = random_for(4, i);
        struct wgmma_case c;
        families_here[_i].generate(&random, &c);
        uint8_t *bytes = malloc(family_result_bytes(family, &c));
        struct result result = result_at(bytes);
        enum wgmma_types types = wgmma_instance_row(c.instance)->wgmma.types;
        family_run_model(family, &c, &result);
        for (uint32_t at = 0; result.windows == 1 && at < result.window[0].size_bytes; at += 4) {
            uint32_t word;
            memcpy(&word, result.window[0].bytes + at, sizeof word);
            enum number_format d = wgmma_types_row(types)->d;
            clamped += d == NUMBER_S32 && (word == 0x7fffffff || word == 0x80000000);
            numbers += d == NUMBER_F32 && (word & 0x7f800000) != 0x7f800000 && word != 0;
            zeros += d == NUMBER_F32 && word == 0;
            infinities += d == NUMBER_F32 && (word & 0x7fffffff) == 0x7f800000;
            nans += d == NUMBER_F32 && word == 0x7fffffff;
        }
        free(bytes);
    }
    printf("%s cases: %d numbers, %d zeros, %d infinities, %d NaN, %d clamped\n", family->name, numbers, zeros,
           infinities, nans, clamped);
    ck_assert_int_gt(numbers, 100000);
    ck_assert_int_gt(zeros, 50);
    ck_assert_int_gt(infinities, 5000);
    ck_assert_int_gt(nans, 10000);
    ck_assert_int_gt(clamped, 1000);
}

// --- Reads outside ---------------------------------------------------------------------------------------------------

enum { BEYOND_BYTES = 1 << 20 };

// D of a case of one step, with `beyond` as every byte behind the CTA's memory.
static void run_with(const struct wgmma_case *c, struct wgmma_state *state, uint8_t *bytes, uint8_t beyond)
{
    struct memory shared;
    wgmma_case_start(c, state);
    struct wgmma_operands o = wgmma_case_operands(c, 0, state, &shared);
    memcpy(bytes, state->shared, sizeof state->shared);
    memset(bytes + sizeof state->shared, beyond, BEYOND_BYTES);
    shared = (struct memory){bytes, WGMMA_SHARED_START, sizeof state->shared + BEYOND_BYTES};
    ck_assert_int_eq(wgmma_execute(&wgmma_instance_row(c->instance)->wgmma, &o, state->d, NULL), RULE_OK);
}

// What lies behind the CTA's memory changes elements of D that are open, and no others; those are compared.
LOOP_TEST(wgmma_opens_the_elements_of_bytes_outside, 0, ROWS_OF(families_here))
{
    const struct family *family = family_find(families_here[_i].name);
    struct wgmma_state *state = malloc(2 * sizeof *state);
    uint8_t *shared = malloc(WGMMA_SHARED_BYTES + BEYOND_BYTES);
    int cases = 0, changed = 0, closed = 0;
    ck_assert(state != NULL && shared != NULL);
    for (uint64_t i = 0; i < 4 * CASES; i++) {
        struct random random = random_for(12, i);
        struct wgmma_case c;
        families_here[_i].generate(&random, &c);
        if (c.steps != 1 || !wgmma_case_reads_outside(&c) || family_rule(family, &c) != RULE_OK) continue;
        run_with(&c, &state[0], shared, 0);
        run_with(&c, &state[1], shared, 0x35);
        struct result result[2] = {result_at((uint8_t *)state[0].d), result_at((uint8_t *)state[1].d)};
        for (int side = 0; side < 2; side++) family->windows(&c, &result[side]);
        struct window *one = &result[0].window[0], *other = &result[1].window[0];
        uint8_t *is_open = family_open_bytes(family, &c, one);
        ck_assert_ptr_nonnull(is_open);
        ck_assert(family_windows_agree(family, &c, one, other));
        changed += memcmp(one->bytes, other->bytes, one->size_bytes) != 0;
        const uint8_t *held = memchr(is_open, 0, one->size_bytes);
        if (held != NULL) {
            closed++;
            other->bytes[held - is_open] ^= 1;
            ck_assert(!family_windows_agree(family, &c, one, other));
        }
        free(is_open);
        cases++;
    }
    printf("%s: %d cases read outside, %d of them leave elements that are compared\n", family->name, cases, closed);
    ck_assert_int_gt(cases, 50);
    ck_assert_int_gt(changed, cases / 2);
    ck_assert_int_gt(closed, cases / 4);
    free(shared);
    free(state);
}
