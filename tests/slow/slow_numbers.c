// SPDX-License-Identifier: MIT
// Memory full of numbers whose sums, orders and counts are at a limit, for the slow stores and bulk operations.
#include "slow_store.h"

// A float of 1 + exponent_bits + fraction_bits bits. One in two is near 1, or half a last bit of something near 1:
// their sums are ties or nearly so.
static uint64_t edge_float(struct slow_random *random, int exponent_bits, int fraction_bits)
{
    uint64_t one = (uint64_t)1 << fraction_bits, bias = ((uint64_t)1 << (exponent_bits - 1)) - 1;
    uint64_t sign = slow_chance(random, 50) ? one << exponent_bits : 0, top = (one << exponent_bits) - one;
    uint64_t fraction = slow_random(random) % one;
    if (slow_chance(random, 60)) fraction = slow_chance(random, 50) ? fraction % 4 : one - 1 - fraction % 2;
    switch (slow_between(random, 0, 11)) {
    case 0:
        return sign;
    case 1:
        return sign + fraction;
    case 2:
        return sign + one + fraction % 4 - 2;
    case 3:
        return sign + top - 1 - fraction % 2;
    case 4:
        return sign + top + (slow_chance(random, 60) ? fraction : 0);
    case 5:
        return slow_random(random) >> 8 & (2 * (one << exponent_bits) - 1);
    case 6:
    case 7:
    case 8:
        return sign + (bias - (uint64_t)slow_between(random, 0, 3)) * one + fraction;
    default:
        return sign + (bias - (uint64_t)fraction_bits - (uint64_t)slow_between(random, 0, 3)) * one + fraction % 2;
    }
}

static uint64_t edge_integer(struct slow_random *random)
{
    uint64_t small = (uint64_t)slow_between(random, 0, 3);
    if (slow_chance(random, 50)) return small;
    if (slow_chance(random, 25)) return 0 - small;
    if (slow_chance(random, 33)) return 0x7fffffff80000000u + small - 2;
    if (slow_chance(random, 50)) return 0x800000007fffffffu + small - 1;
    return slow_random(random);
}

// One element at `bytes` of a format of this number; returns its size in bytes.
static uint32_t put_number(struct slow_random *random, int format, uint8_t *bytes)
{
    static const int widths[] = {2, 2, 4, 8, 4, 8}, exponents[] = {5, 8, 8, 11}, fractions[] = {10, 7, 23, 52};
    uint64_t bits = format < 4 ? edge_float(random, exponents[format], fractions[format]) : edge_integer(random);
    for (int i = 0; i < widths[format]; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    return (uint32_t)widths[format];
}

void slow_fill_numbers(struct slow_random *random, uint8_t *bytes, uint32_t count_bytes)
{
    for (uint32_t piece = 0; piece + 16 <= count_bytes; piece += 16) {
        int format = (int)slow_between(random, 0, 5);
        for (uint32_t at = 0; at < 16;) at += put_number(random, format, bytes + piece + at);
    }
}
