// SPDX-License-Identifier: MIT
// The elements of matrices, by the numbers of cudaDataType. Each is widened to a double, which holds it exactly.
#ifndef TMAREF_BLAS_NUMBERS_H
#define TMAREF_BLAS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// cudaDataType, as library_types.h has it; complex ones are pairs of reals.
enum number_type {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_C_8I = 7,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
    CUDA_R_8F_E4M3 = 28,
    CUDA_R_8F_E5M2 = 29
};

// EACH(letter, type) for each type of numbers that names of routines have a letter for.
#define EACH_TYPE(EACH)                                                                                                \
    EACH(S, CUDA_R_32F)                                                                                                \
    EACH(D, CUDA_R_64F)                                                                                                \
    EACH(C, CUDA_C_32F)                                                                                                \
    EACH(Z, CUDA_C_64F)

// Both calls of a name: the second (_64) has sizes of 64 bits.
#define BOTH(call, name, ...) call(name, int, __VA_ARGS__) call(name##_64, int64_t, __VA_ARGS__)
#define BOTH_ANY(call, name)  call(name, int) call(name##_64, int64_t)

// The bytes of an element; 0 for a type that is not one of these.
size_t numbers_bytes(int type);
bool numbers_is_complex(int type);
bool numbers_is_fp8(int type);
enum number_type numbers_real(int type); // of which a complex one is a pair

// `count` reals, the first at index `first`, the others `step` further each.
void numbers_widen(enum number_type real, const void *from, int64_t first, int64_t step, int count, double *to);

// Rounds to the nearest, of two the even one. Beyond the greatest: infinity, of 8-bit types the greatest. Integers of
// 32 bits wrap.
void numbers_put(enum number_type real, void *to, int64_t index, double value);

#endif
