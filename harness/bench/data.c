// SPDX-License-Identifier: MIT
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

// Numbers are drawn for so much memory; more is filled with pieces of it that start elsewhere.
enum { POOL_BYTES = 4 << 20, PIECE_BYTES = 1 << 20 };

static double normal(struct random *random)
{
    double u = ((double)(random_u64(random) >> 11) + 1) * 0x1p-53;
    double angle = (double)(random_u64(random) >> 11) * 0x1p-53 * 6.283185307179586;
    return sqrt(-2 * log(u)) * cos(angle);
}

// The bits of a normal number, cut (not rounded) to a format with `exponent` and `fraction` bits; what is too small
// becomes zero. None is too large: 8.6 is the greatest that normal() can give.
static uint32_t cut(double value, int exponent, int fraction)
{
    int power, bias = (1 << (exponent - 1)) - 1;
    double significand = frexp(fabs(value), &power) * 2; // 1 <= significand < 2
    uint32_t sign = value < 0, field = (uint32_t)(power - 1 + bias);
    if (value == 0 || power - 1 + bias < 1) return 0;
    uint32_t low = (uint32_t)ldexp(significand - 1, fraction);
    return sign << (exponent + fraction) | field << fraction | low;
}

static void draw(enum data_kind kind, struct random *random, uint8_t *pool)
{
    static const struct {
        int exponent, fraction;
    } formats[] = {
        [DATA_BF16] = {8, 7}, [DATA_F16] = {5, 10}, [DATA_E4M3] = {4, 3}, [DATA_E5M2] = {5, 2}, [DATA_F32] = {8, 23}};
    int size = kind == DATA_BYTES ? 8 : (formats[kind].exponent + formats[kind].fraction + 1) / 8;
    for (size_t at = 0; at < POOL_BYTES; at += (size_t)size) {
        uint64_t bits = kind == DATA_BYTES ? random_u64(random)
                                           : cut(normal(random), formats[kind].exponent, formats[kind].fraction);
        memcpy(pool + at, &bits, (size_t)size); // little-endian
    }
}

unsigned long long data_new(struct gpu *gpu, enum data_kind kind, size_t bytes, uint64_t seed)
{
    static uint8_t pool[POOL_BYTES];
    static int drawn = -1;
    unsigned long long address;
    struct random random = random_for(1, kind);
    if (drawn != (int)kind) draw(kind, &random, pool);
    drawn = (int)kind;
    if (gpu->driver.cuMemAlloc_v2(&address, bytes) != CUDA_SUCCESS) return 0;
    random = random_for(seed, 1);
    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
        size_t piece = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        size_t from = random_u64(&random) % (POOL_BYTES - PIECE_BYTES) / 16 * 16;
        if (gpu->driver.cuMemcpyHtoD_v2(address + at, pool + from, piece) != CUDA_SUCCESS) {
            data_free(gpu, address);
            return 0;
        }
    }
    return address;
}

void data_free(struct gpu *gpu, unsigned long long address)
{
    if (address != 0) gpu->driver.cuMemFree_v2(address);
}

bool data_sets_new(struct gpu *gpu, size_t bytes, struct data_sets *sets)
{
    for (int i = 0; i < DATA_SETS && sets->to[DATA_SETS - 1] == 0; i++) {
        sets->from[i] = data_new(gpu, DATA_BYTES, bytes, (uint64_t)i);
        sets->to[i] = data_new(gpu, DATA_BYTES, bytes, 100 + (uint64_t)i);
        if (sets->from[i] == 0 || sets->to[i] == 0) return false;
    }
    return true;
}

void data_sets_free(struct gpu *gpu, const struct data_sets *sets)
{
    for (int i = 0; i < DATA_SETS; i++) {
        data_free(gpu, sets->from[i]);
        data_free(gpu, sets->to[i]);
    }
}
