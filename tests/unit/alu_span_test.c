// SPDX-License-Identifier: MIT
// The suite `alu_span`: what 32 lanes have side by side in memory lands in the right lane of the right register, and
// goes back, by the instructions that every processor has and by those of this one.
#include "span.h"

#include <check.h>
#include <string.h>

Suite *alu_span_suite(void);

enum { LANES = 32, WIDEST = 16, PARTS = 4 };

static const struct alu_span *variant(int i)
{
    return i == 0 ? &alu_span_of : alu_span();
}

// A row of the loop: parts of 2 << row / 3 bytes, 1 << row % 3 of them.
enum { ROWS = ALU_SPAN_SIZES * 3, VARIANTS = 2 };

static void fill(uint8_t *bytes, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
}

// Where part `part` of lane `lane` is in the span.
static size_t place(size_t bytes, size_t parts, size_t lane, size_t part)
{
    return (lane * parts + part) * bytes;
}

START_TEST(alu_span_moves_each_part_of_each_lane)
{
    const int row = _i % ROWS, parts_row = row % 3;
    const size_t bytes = (size_t)2 << row / 3, parts = (size_t)1 << parts_row;
    _Alignas(64) uint8_t registers[PARTS][LANES * WIDEST], span[LANES * WIDEST * PARTS], was[sizeof span];
    const struct alu_registers at = {.base = {(uintptr_t)registers}};
    uint32_t slot[PARTS];
    for (uint32_t i = 0; i < PARTS; i++) slot[i] = i * (uint32_t)sizeof registers[0];
    const struct alu_span *const of = variant(_i / ROWS);
    alu_span_mover *const load = of->move[row / 3][0][parts_row], *const store = of->move[row / 3][1][parts_row];
    if (load == NULL) { // 128 bits come alone
        ck_assert(bytes == 16 && parts > 1 && store == NULL);
        return;
    }
    fill(span, sizeof span, (uint32_t)_i);
    memcpy(was, span, sizeof was);
    load(&at, slot, span);
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t part = 0; part < parts; part++)
            ck_assert_mem_eq(registers[part] + lane * bytes, span + place(bytes, parts, lane, part), bytes);
    memset(span, 0, LANES * bytes * parts);
    store(&at, slot, span);
    ck_assert_mem_eq(span, was, sizeof span);
}
END_TEST

START_TEST(alu_span_finds_the_step_that_all_lanes_make)
{
    uint64_t address[LANES];
    for (uint64_t step = 0; step < 40; step += 4) {
        for (uint64_t lane = 0; lane < LANES; lane++) address[lane] = UINT64_MAX - 100 + lane * step;
        ck_assert_uint_eq(variant(_i)->step(address), step);
        for (int lane = 0; lane < LANES; lane++) {
            address[lane] ^= UINT64_C(1) << 2 * lane;
            ck_assert_uint_eq(variant(_i)->step(address), UINT64_MAX);
            address[lane] ^= UINT64_C(1) << 2 * lane;
        }
    }
}
END_TEST

Suite *alu_span_suite(void)
{
    Suite *suite = suite_create("alu_span");
    TCase *spans = tcase_create("spans");
    tcase_add_loop_test(spans, alu_span_moves_each_part_of_each_lane, 0, ROWS * VARIANTS);
    tcase_add_loop_test(spans, alu_span_finds_the_step_that_all_lanes_make, 0, VARIANTS);
    suite_add_tcase(suite, spans);
    return suite;
}
