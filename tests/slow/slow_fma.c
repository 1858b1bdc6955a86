// SPDX-License-Identifier: MIT
// A fused multiply-add of f64 without floating point: both sides as long integers in units of 2^-2148, the least bit
// that a product can have, and one rounding.
#include <stdbool.h>
#include <string.h>

#include "slow_mma.h"

enum { LIMBS = 136, POINT = 2148, FRACTION = 52, LEAST = -1022, MOST = 1023 };

struct longer {
    uint32_t limb[LIMBS];
};

static uint64_t magnitude_of(uint64_t bits)
{
    uint64_t fraction = bits & (((uint64_t)1 << FRACTION) - 1);
    return (bits >> FRACTION & 0x7ff) == 0 ? fraction : fraction | (uint64_t)1 << FRACTION;
}

// The weight of the last bit of the significand.
static int weight(uint64_t bits)
{
    int field = (int)(bits >> FRACTION & 0x7ff);
    return (field == 0 ? 1 : field) - MOST - FRACTION;
}

static int bit_at(const struct longer *x, int at)
{
    return at >= 0 && at < 32 * LIMBS && (x->limb[at / 32] >> at % 32 & 1);
}

// x + value * 2^at, bit by bit.
static void add_at(struct longer *x, unsigned __int128 value, int at)
{
    for (int i = 0; i < 128; i++) {
        if (!(value >> i & 1)) continue;
        int limb = (at + i) / 32;
        uint64_t sum = (uint64_t)x->limb[limb] + ((uint32_t)1 << (at + i) % 32);
        for (x->limb[limb] = (uint32_t)sum; sum >> 32 != 0; x->limb[limb] = (uint32_t)sum) {
            limb++;
            sum = (uint64_t)x->limb[limb] + 1;
        }
    }
}

static bool is_less(const struct longer *x, const struct longer *y)
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (x->limb[i] != y->limb[i]) return x->limb[i] < y->limb[i];
    return false;
}

static void subtract(struct longer *x, const struct longer *y)
{
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        borrow += (int64_t)x->limb[i] - y->limb[i];
        x->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

static uint64_t rounded(const struct longer *x, uint64_t sign)
{
    int top = 32 * LIMBS - 1, rest = 0;
    while (top >= 0 && !bit_at(x, top)) top--;
    if (top < 0) return sign;
    int exponent = top - POINT, last = (exponent < LEAST ? LEAST : exponent) - FRACTION + POINT;
    uint64_t fraction = 0;
    for (int i = FRACTION; i >= 0; i--) fraction = fraction << 1 | (uint64_t)bit_at(x, last + i);
    for (int i = 0; i < last - 1; i++) rest |= bit_at(x, i);
    if (bit_at(x, last - 1) && (rest || (fraction & 1))) fraction++;
    uint64_t bits = fraction;
    if (exponent >= LEAST) bits += (uint64_t)(exponent - LEAST) << FRACTION; // the hidden bit makes it one more
    return bits > (uint64_t)0x7ff << FRACTION ? sign | (uint64_t)0x7ff << FRACTION : sign | bits;
}

uint64_t slow_fma(uint64_t a, uint64_t b, uint64_t c)
{
    struct longer side[2] = {{{0}}, {{0}}};
    uint64_t top = (uint64_t)1 << 63;
    int of_product = (int)((a ^ b) >> 63), of_c = (int)(c >> 63);
    add_at(&side[of_product], (unsigned __int128)magnitude_of(a) * magnitude_of(b), weight(a) + weight(b) + POINT);
    add_at(&side[of_c], magnitude_of(c), weight(c) + POINT);
    bool is_negative = is_less(&side[0], &side[1]);
    struct longer zero = {{0}};
    bool is_zero = memcmp(&side[0], &side[1], sizeof side[0]) == 0;
    if (is_zero) return of_product && of_c ? top : 0;
    struct longer *more = &side[is_negative];
    if (memcmp(&side[!is_negative], &zero, sizeof zero) != 0) subtract(more, &side[!is_negative]);
    return rounded(more, is_negative ? top : 0);
}
