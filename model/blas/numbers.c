// SPDX-License-Identifier: MIT
#include "numbers.h"

#include <math.h>

#include "narrow.h"

size_t numbers_bytes(int type)
{
    switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_C_8I:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 0;
    }
}

bool numbers_is_complex(int type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_8I;
}

bool numbers_is_fp8(int type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

enum number_type numbers_real(int type)
{
    switch (type) {
    case CUDA_C_32F:
        return CUDA_R_32F;
    case CUDA_C_64F:
        return CUDA_R_64F;
    case CUDA_C_8I:
        return CUDA_R_8I;
    default:
        return (enum number_type)type;
    }
}

// An f16 has the exponent's bits of e4m3 and one more.
static double of_e4m3(uint32_t bits)
{
    if ((bits & 0x7f) == 0x7f) return NAN;
    return (double)f16_to_f32((bits & 0x80) << 8 | (bits & 0x7f) << 7) * 256;
}

#define WIDEN(type, value)                                                                                             \
    for (int i = 0; i < count; i++) {                                                                                  \
        const type x = ((const type *)from)[first + i * step];                                                         \
        to[i] = (double)(value);                                                                                       \
    }                                                                                                                  \
    return

void numbers_widen(enum number_type real, const void *from, int64_t first, int64_t step, int count, double *to)
{
    switch (real) {
    case CUDA_R_64F:
        WIDEN(double, x);
    case CUDA_R_16F:
        WIDEN(uint16_t, f16_to_f32(x));
    case CUDA_R_16BF:
        WIDEN(uint16_t, bf16_to_f32(x));
    case CUDA_R_8F_E4M3:
        WIDEN(uint8_t, of_e4m3(x));
    case CUDA_R_8F_E5M2: // the high byte of an f16
        WIDEN(uint8_t, f16_to_f32((uint32_t)x << 8));
    case CUDA_R_8I:
        WIDEN(int8_t, x);
    case CUDA_R_32I:
        WIDEN(int32_t, x);
    default:
        WIDEN(float, x);
    }
}

static int8_t saturated(double value)
{
    return (int8_t)(value != value ? 0 : nearbyint(fmin(fmax(value, -128), 127)));
}

static double bounded(double value, double most)
{
    return value != value ? value : fmin(fmax(value, -most), most);
}

void numbers_put(enum number_type real, void *to, int64_t index, double value)
{
    enum { E4M3_MOST = 448, E5M2_MOST = 57344 };
    switch (real) {
    case CUDA_R_64F:
        ((double *)to)[index] = value;
        return;
    case CUDA_R_16F:
        ((uint16_t *)to)[index] = (uint16_t)narrow_round(NARROW_F16, value, PTX_RN, 0);
        return;
    case CUDA_R_16BF:
        ((uint16_t *)to)[index] = (uint16_t)narrow_round(NARROW_BF16, value, PTX_RN, 0);
        return;
    case CUDA_R_8F_E4M3:
        ((uint8_t *)to)[index] = (uint8_t)narrow_round(NARROW_E4M3, bounded(value, E4M3_MOST), PTX_RN, 0);
        return;
    case CUDA_R_8F_E5M2:
        ((uint8_t *)to)[index] = (uint8_t)narrow_round(NARROW_E5M2, bounded(value, E5M2_MOST), PTX_RN, 0);
        return;
    case CUDA_R_8I:
        ((int8_t *)to)[index] = saturated(value);
        return;
    case CUDA_R_32I:
        ((int32_t *)to)[index] = (int32_t)(uint32_t)(uint64_t)(int64_t)nearbyint(value);
        return;
    default:
        ((float *)to)[index] = (float)value;
    }
}
