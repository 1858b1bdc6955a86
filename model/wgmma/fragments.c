// SPDX-License-Identifier: MIT
// Places of fragments. A warp has 16 rows of A and D; a lane has rows lane/4 and lane/4 + 8 of them.
#include "fragments.h"

#include <stdbool.h>

enum { WARP = 32 };

static int row_of(int thread, bool is_lower)
{
    return thread / WARP * 16 + thread % WARP / 4 + (is_lower ? 8 : 0);
}

struct number_place wgmma_place_d(enum wgmma_types types, int thread, int index, int part)
{
    int pair = thread % 4 * 2;
    if (wgmma_types_row(types)->d == NUMBER_F16)
        return (struct number_place){row_of(thread, index & true), index / 2 * 8 + pair + part};
    return (struct number_place){row_of(thread, index >> 1 & true), index / 4 * 8 + pair + (index & 1)};
}

int wgmma_a_parts(enum wgmma_types types)
{
    return 4 / wgmma_unit_bytes(types);
}

struct number_place wgmma_place_a(enum wgmma_types types, int thread, int index, int part)
{
    int parts = wgmma_a_parts(types);
    return (struct number_place){row_of(thread, index & true), (thread % 4 + index / 2 * 4) * parts + part};
}

// --- Eight columns of D ----------------------------------------------------------------------------------------------
// They are the two or four registers of all threads from one index on; four threads share a row, two columns each.

// Of the eight rows of a warp that lie together each has four words, with two columns of f16 each; of other types there
// are four more for the odd columns.
enum { ROWS = 8, PAIRS = WGMMA_COLUMNS / 2 };

static int index_of(bool is_f16, int first, int row)
{
    return is_f16 ? first / 4 + row % 16 / 8 : first / 2 + row % 16 / 8 * 2;
}

static void take_f16(const uint32_t *words, uint32_t (*columns)[WGMMA_COLUMNS])
{
    for (int i = 0; i < ROWS * PAIRS; i++) {
        columns[i / PAIRS][i % PAIRS * 2] = words[i] & 0xffff;
        columns[i / PAIRS][i % PAIRS * 2 + 1] = words[i] >> 16;
    }
}

static void give_f16(uint32_t (*columns)[WGMMA_COLUMNS], uint32_t *words)
{
    for (int i = 0; i < ROWS * PAIRS; i++)
        words[i] = columns[i / PAIRS][i % PAIRS * 2] | columns[i / PAIRS][i % PAIRS * 2 + 1] << 16;
}

static void take_32(const uint32_t *restrict even, const uint32_t *restrict odd, uint32_t *restrict columns)
{
    for (int i = 0; i < ROWS * PAIRS; i++) {
        columns[2 * i] = even[i];
        columns[2 * i + 1] = odd[i];
    }
}

static void give_32(const uint32_t *restrict columns, uint32_t *restrict even, uint32_t *restrict odd)
{
    for (int i = 0; i < ROWS * PAIRS; i++) {
        even[i] = columns[2 * i];
        odd[i] = columns[2 * i + 1];
    }
}

void wgmma_columns_of_d(enum wgmma_types types, int first, uint32_t *const (*d)[WGMMA_PARTS],
                        uint32_t (*columns)[WGMMA_COLUMNS])
{
    bool is_f16 = wgmma_types_row(types)->d == NUMBER_F16;
    for (int row = 0; row < WGMMA_M; row += ROWS) {
        const int index = index_of(is_f16, first, row), warp = row / 16;
        if (is_f16)
            take_f16(d[index][warp], columns + row);
        else
            take_32(d[index][warp], d[index + 1][warp], columns[row]);
    }
}

void wgmma_columns_to_d(enum wgmma_types types, int first, uint32_t (*columns)[WGMMA_COLUMNS],
                        uint32_t *const (*d)[WGMMA_PARTS])
{
    bool is_f16 = wgmma_types_row(types)->d == NUMBER_F16;
    for (int row = 0; row < WGMMA_M; row += ROWS) {
        const int index = index_of(is_f16, first, row), warp = row / 16;
        if (is_f16)
            give_f16(columns + row, d[index][warp]);
        else
            give_32(columns[row], d[index][warp], d[index + 1][warp]);
    }
}
