// SPDX-License-Identifier: MIT
// Places of fragments. A warp has 16 rows of A and D; a lane has rows lane/4 and lane/4 + 8 of them.
#include "fragments.h"

#include <string.h>

enum { WARP = 32, ROWS = 8, ROW_BYTES = 16 };

static int row_of(int thread, int is_lower)
{
    return thread / WARP * 16 + thread % WARP / 4 + (is_lower ? 8 : 0);
}

struct wgmma_place wgmma_place_d(enum wgmma_types types, int thread, int index, int part)
{
    int pair = thread % 4 * 2;
    if (wgmma_types_row(types)->d == WGMMA_F16)
        return (struct wgmma_place){row_of(thread, index & 1), index / 2 * 8 + pair + part};
    return (struct wgmma_place){row_of(thread, index >> 1 & 1), index / 4 * 8 + pair + (index & 1)};
}

int wgmma_a_parts(enum wgmma_types types)
{
    return 4 / wgmma_unit_bytes(types);
}

struct wgmma_place wgmma_place_a(enum wgmma_types types, int thread, int index, int part)
{
    int parts = wgmma_a_parts(types);
    return (struct wgmma_place){row_of(thread, index & 1), (thread % 4 + index / 2 * 4) * parts + part};
}

static int rows_are_there(const struct memory *shared, const uint32_t *address, int count)
{
    for (int i = 0; i < count * ROWS; i++)
        if (address[i] % ROW_BYTES != 0 || memory_at(shared, address[i], ROW_BYTES) == NULL) return 0;
    return 1;
}

// The two 16-bit elements of `lane` in the matrix whose rows are at `address`.
static uint8_t *element_at(const struct memory *shared, const uint32_t *address, int lane, int part, int is_trans)
{
    int row = is_trans ? lane % 4 * 2 + part : lane / 4, column = is_trans ? lane / 4 : lane % 4 * 2 + part;
    return memory_at(shared, address[row] + (uint32_t)column * 2, 2);
}

int wgmma_ldmatrix(const struct memory *shared, const uint32_t address[32], int count, int is_trans,
                   uint32_t registers[][32])
{
    if (!rows_are_there(shared, address, count)) return 0;
    for (int i = 0; i < count; i++) {
        for (int lane = 0; lane < WARP; lane++) {
            uint16_t pair[2];
            for (int part = 0; part < 2; part++)
                memcpy(&pair[part], element_at(shared, address + i * ROWS, lane, part, is_trans), 2);
            registers[i][lane] = pair[0] | (uint32_t)pair[1] << 16;
        }
    }
    return 1;
}

int wgmma_stmatrix(const struct memory *shared, const uint32_t address[32], int count, int is_trans,
                   uint32_t registers[][32])
{
    if (!rows_are_there(shared, address, count)) return 0;
    for (int i = 0; i < count; i++) {
        for (int lane = 0; lane < WARP; lane++) {
            uint16_t pair[2] = {(uint16_t)registers[i][lane], (uint16_t)(registers[i][lane] >> 16)};
            for (int part = 0; part < 2; part++)
                memcpy(element_at(shared, address + i * ROWS, lane, part, is_trans), &pair[part], 2);
        }
    }
    return 1;
}
