// SPDX-License-Identifier: MIT
// The tables behind types.h.
#include "types.h"

static const struct wgmma_format_row formats[WGMMA_FORMATS] = {
    [WGMMA_F16] = {"f16", 16, 5, 10, 0, 1, 0},    [WGMMA_BF16] = {"bf16", 16, 8, 7, 0, 1, 0},
    [WGMMA_TF32] = {"tf32", 32, 8, 10, 13, 1, 0}, [WGMMA_E4M3] = {"e4m3", 8, 4, 3, 0, 0, 0},
    [WGMMA_E5M2] = {"e5m2", 8, 5, 2, 0, 1, 0},    [WGMMA_S8] = {"s8", 8, 0, 0, 0, 0, 1},
    [WGMMA_U8] = {"u8", 8, 0, 0, 0, 0, 0},        [WGMMA_B1] = {"b1", 1, 0, 0, 0, 0, 0},
    [WGMMA_F32] = {"f32", 32, 8, 23, 0, 1, 0},    [WGMMA_S32] = {"s32", 32, 0, 0, 0, 0, 1},
    [WGMMA_S4] = {"s4", 4, 0, 0, 0, 0, 1},        [WGMMA_U4] = {"u4", 4, 0, 0, 0, 0, 0},
    [WGMMA_F64] = {"f64", 64, 11, 52, 0, 1, 0},
};

static const struct wgmma_types_row rows[WGMMA_TYPES_COUNT] = {
#define ROW(X, D, A, B, d, a, b, k) {#d "." #a "." #b, WGMMA_##D, WGMMA_##A, WGMMA_##B, k},
    WGMMA_ROWS(ROW, )
#undef ROW
};

const struct wgmma_format_row *wgmma_format_row(enum wgmma_format format)
{
    return &formats[format];
}

const struct wgmma_types_row *wgmma_types_row(enum wgmma_types types)
{
    return &rows[types];
}

int wgmma_is_integer(enum wgmma_types types)
{
    return rows[types].d == WGMMA_S32;
}

int wgmma_may_transpose(enum wgmma_types types)
{
    return formats[rows[types].a].size_bits == 16;
}

int wgmma_n_is_legal(enum wgmma_types types, int n)
{
    if (n < 8 || n > WGMMA_MAX_N || n % 8 != 0) return 0;
    return !wgmma_is_integer(types) || n <= 32 || n % 16 == 0;
}

int wgmma_d_registers(enum wgmma_types types, int n)
{
    return rows[types].d == WGMMA_F16 ? n / 4 : n / 2;
}

int wgmma_units(enum wgmma_types types)
{
    return rows[types].a == WGMMA_B1 ? rows[types].k / 32 : rows[types].k;
}

int wgmma_unit_bytes(enum wgmma_types types)
{
    return rows[types].a == WGMMA_B1 ? 4 : formats[rows[types].a].size_bits / 8;
}
