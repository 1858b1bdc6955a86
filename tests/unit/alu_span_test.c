// SPDX-License-Identifier: MIT
// The suite `alu_span`: what 32 lanes have side by side in memory lands in the right lane of the right register, and
// goes back, and how lanes lie in a stretch of memory is told, by the instructions that every processor has and by
// those of this one.
#include "span.h"

#include <string.h>

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

LOOP_TEST(alu_span_moves_each_part_of_each_lane, 0, ROWS *VARIANTS)
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

// A stretch of 4096 bytes at 1024 of a window of 2^24, as shared memory is; rows of 32 and of 64 bits.
enum { BASE = 1024, BYTES = 4096, WINDOW = 3 << 24, EACH = 4, ADD = 16 };

static enum alu_reach reach(int i, const uint64_t offset[LANES], uint32_t lanes)
{
    const struct alu_stretch stretch = {WINDOW + BASE, BYTES - EACH};
    struct alu_spots spots;
    uint64_t wide[LANES];
    uint32_t narrow[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        wide[lane] = WINDOW + BASE + offset[lane] - ADD;
        narrow[lane] = (uint32_t)wide[lane];
    }
    const int is_wide = i / VARIANTS;
    const void *const row = is_wide ? (const void *)wide : narrow;
    const enum alu_reach found = variant(i % VARIANTS)->reach[is_wide](&stretch, row, ADD, EACH, lanes, &spots);
    for (int lane = 0; found == ALU_SCATTERED && lane < LANES; lane++)
        if (lanes >> lane & 1) ck_assert_uint_eq(spots.begin + (uint64_t)spots.offset[lane], offset[lane]);
    if (found > ALU_SCATTERED) ck_assert_uint_eq(spots.begin, offset[0]);
    return found;
}

LOOP_TEST(alu_reach_tells_how_lanes_lie, 0, 2 * VARIANTS)
{
    uint64_t offset[LANES];
    for (uint64_t step = 0; step < 128; step += 4) {
        const enum alu_reach wanted = step == 0 ? ALU_AT_ONE : step == EACH ? ALU_SIDE_BY_SIDE : ALU_SCATTERED;
        for (uint64_t lane = 0; lane < LANES; lane++) offset[lane] = 96 + lane * step;
        ck_assert_int_eq(reach(_i, offset, UINT32_MAX), wanted);
        ck_assert_int_eq(reach(_i, offset, 0x80000001), ALU_SCATTERED);
        for (int lane = 0; lane < LANES; lane++) {
            offset[lane] += 4 * 31;
            ck_assert_int_eq(reach(_i, offset, UINT32_MAX), ALU_SCATTERED);
            offset[lane] -= 4 * 31;
        }
    }
}

// Each lane alone: the last that fits, and what does not; a lane that is off may be anywhere.
LOOP_TEST(alu_reach_sees_each_lane_that_is_outside, 0, 2 * VARIANTS)
{
    static const uint64_t outside[] = {0 - (uint64_t)4, 1,       2,        BYTES - 3,         BYTES,
                                       BYTES + 4,       1 << 24, 1u << 31, 0 - (uint64_t)BASE};
    uint64_t offset[LANES] = {0};
    for (int lane = 0; lane < LANES; lane++) {
        offset[lane] = BYTES - EACH;
        ck_assert_int_eq(reach(_i, offset, UINT32_MAX), ALU_SCATTERED);
        for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
            offset[lane] = outside[k];
            ck_assert_int_eq(reach(_i, offset, UINT32_MAX), ALU_OUTSIDE);
            ck_assert_int_eq(reach(_i, offset, ~(1u << lane)), ALU_SCATTERED);
        }
        offset[lane] = 0;
    }
}

// Of a lane, the element of 64: here and there; in rows of 16 and of 8, side by side or at one place; all but one side
// by side.
static int element_of(size_t pattern, int lane)
{
    const int rows[] = {lane * 29 % 64, lane % 16 + lane / 16 * 20, lane / 8 * 9, lane == 21 ? 3 : lane};
    return rows[pattern];
}

enum { ELEMENTS = 64, PATTERNS = 4, MASKS = 7 };

// Moves the lanes of a mask between a row and memory, and compares both with what a loop over lanes makes of them.
static void move_some(const struct alu_span *of, size_t bytes, int stores, uint32_t mask, size_t pattern)
{
    _Alignas(8) uint8_t memory[ELEMENTS * 8], row[LANES * 8], wanted_memory[sizeof memory], wanted_row[sizeof row];
    int32_t offset[LANES];
    fill(memory, sizeof memory, 7);
    fill(row, sizeof row, 8);
    memcpy(wanted_memory, memory, sizeof memory);
    memcpy(wanted_row, row, sizeof row);
    for (int lane = 0; lane < LANES; lane++) {
        const int at = element_of(pattern, lane);
        uint8_t *const in_memory = wanted_memory + (size_t)at * bytes, *const in_row =
                                                                           wanted_row + (size_t)lane * bytes;
        offset[lane] = (at - ELEMENTS / 2) * (int)bytes;
        if (mask >> lane & 1) memcpy(stores ? in_memory : in_row, stores ? in_row : in_memory, bytes);
    }
    of->some[bytes == 8][stores](row, mask, memory + ELEMENTS / 2 * bytes, offset);
    ck_assert_mem_eq(memory, wanted_memory, sizeof memory);
    ck_assert_mem_eq(row, wanted_row, sizeof row);
}

// Elements here and there, in front of the place too; what does not move stays as it is.
LOOP_TEST(alu_span_moves_the_lanes_that_execute, 0, 4 * VARIANTS)
{
    static const uint32_t masks[MASKS] = {UINT32_MAX, 1, 1u << 31, 0x00ff00f0, 0x12345678, 0x7ffffffe, 0};
    const struct alu_span *const of = variant(_i % VARIANTS);
    const int is_wide = _i / VARIANTS % 2, stores = _i / VARIANTS / 2;
    if (of->some[is_wide][stores] == NULL) return; // a loop over lanes serves this processor as well
    for (size_t m = 0; m < MASKS; m++)
        for (size_t pattern = 0; pattern < PATTERNS; pattern++)
            move_some(of, is_wide ? 8 : 4, stores, masks[m], pattern);
}
