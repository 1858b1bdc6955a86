// SPDX-License-Identifier: MIT
// The tables behind types.h.
#include "types.h"

#include <string.h>

static const struct wgmma_types_row rows[WGMMA_TYPES_COUNT] = {
#define ROW(X, D, A, B, d, a, b, k) {#d "." #a "." #b, NUMBER_##D, NUMBER_##A, NUMBER_##B, k},
    WGMMA_ROWS(ROW, )
#undef ROW
};

const struct wgmma_types_row *wgmma_types_row(enum wgmma_types types)
{
    return &rows[types];
}

enum wgmma_types wgmma_types_find(const char *name)
{
    int types = 0;
    while (types < WGMMA_TYPES_COUNT && strcmp(rows[types].name, name) != 0) types++;
    return (enum wgmma_types)types;
}

int wgmma_is_integer(enum wgmma_types types)
{
    return rows[types].d == NUMBER_S32;
}

int wgmma_may_transpose(enum wgmma_types types)
{
    return number_format_row(rows[types].a)->size_bits == 16;
}

int wgmma_n_is_legal(enum wgmma_types types, int n)
{
    if (n < 8 || n > WGMMA_MAX_N || n % 8 != 0) return 0;
    return !wgmma_is_integer(types) || n <= 32 || n % 16 == 0;
}

int wgmma_d_registers(enum wgmma_types types, int n)
{
    return rows[types].d == NUMBER_F16 ? n / 4 : n / 2;
}

int wgmma_units(enum wgmma_types types)
{
    return rows[types].a == NUMBER_B1 ? rows[types].k / 32 : rows[types].k;
}

int wgmma_unit_bytes(enum wgmma_types types)
{
    return rows[types].a == NUMBER_B1 ? 4 : number_format_row(rows[types].a)->size_bits / 8;
}

struct number_sparsity wgmma_sparsity(enum wgmma_types types)
{
    int bits = number_format_row(rows[types].a)->size_bits;
    return (struct number_sparsity){bits, bits == 8 ? 16 : 8, 0};
}
