// SPDX-License-Identifier: MIT
// Places of fragments. A warp has 16 rows of A and D; a lane has rows lane/4 and lane/4 + 8 of them.
#include "fragments.h"

enum { WARP = 32 };

static int row_of(int thread, int is_lower)
{
    return thread / WARP * 16 + thread % WARP / 4 + (is_lower ? 8 : 0);
}

struct number_place wgmma_place_d(enum wgmma_types types, int thread, int index, int part)
{
    int pair = thread % 4 * 2;
    if (wgmma_types_row(types)->d == NUMBER_F16)
        return (struct number_place){row_of(thread, index & 1), index / 2 * 8 + pair + part};
    return (struct number_place){row_of(thread, index >> 1 & 1), index / 4 * 8 + pair + (index & 1)};
}

int wgmma_a_parts(enum wgmma_types types)
{
    return 4 / wgmma_unit_bytes(types);
}

struct number_place wgmma_place_a(enum wgmma_types types, int thread, int index, int part)
{
    int parts = wgmma_a_parts(types);
    return (struct number_place){row_of(thread, index & 1), (thread % 4 + index / 2 * 4) * parts + part};
}

// --- Eight columns of D ----------------------------------------------------------------------------------------------
// They are the two or four registers of all threads from one index on; four threads share a row, two columns each.

// The word with the first column of a row.
static int word_of_row(int is_f16, int first, int row)
{
    int index = (is_f16 ? first / 4 : first / 2) + row % 16 / 8 * (is_f16 ? 1 : 2);
    return WGMMA_THREADS * index + row / 16 * WARP + row % 8 * 4;
}

void wgmma_columns_of_d(enum wgmma_types types, int first, const uint32_t *d, uint32_t (*columns)[WGMMA_COLUMNS])
{
    int is_f16 = wgmma_types_row(types)->d == NUMBER_F16;
    for (int row = 0; row < WGMMA_M; row++) {
        const uint32_t *words = d + word_of_row(is_f16, first, row);
        for (int pair = 0; pair < WGMMA_COLUMNS / 2; pair++) {
            columns[row][2 * pair] = is_f16 ? words[pair] & 0xffff : words[pair];
            columns[row][2 * pair + 1] = is_f16 ? words[pair] >> 16 : words[pair + WGMMA_THREADS];
        }
    }
}

void wgmma_columns_to_d(enum wgmma_types types, int first, uint32_t (*columns)[WGMMA_COLUMNS], uint32_t *d)
{
    int is_f16 = wgmma_types_row(types)->d == NUMBER_F16;
    for (int row = 0; row < WGMMA_M; row++) {
        uint32_t *words = d + word_of_row(is_f16, first, row);
        for (int pair = 0; pair < WGMMA_COLUMNS / 2; pair++) {
            uint32_t even = columns[row][2 * pair], odd = columns[row][2 * pair + 1];
            words[pair] = is_f16 ? even | odd << 16 : even;
            if (!is_f16) words[pair + WGMMA_THREADS] = odd;
        }
    }
}
