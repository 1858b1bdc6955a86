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
