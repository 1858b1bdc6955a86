// SPDX-License-Identifier: MIT
#include "values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

uint64_t value_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t pick(const uint64_t *list, size_t count, uint64_t random)
{
    return list[random % count];
}
#define PICK(list, random) pick(list, sizeof list / sizeof *list, random)

static uint64_t integer(int bits, uint64_t kind, uint64_t random)
{
    uint64_t top = (uint64_t)1 << (bits - 1), near = random % 5 - 2;
    switch (kind % 8) {
    case 0:
        return near;
    case 1:
        return top + near;
    case 2:
        return ((uint64_t)1 << (random >> 8) % (unsigned)bits) + near;
    case 3:
        return random % 80 - 16;
    case 4:
        return random >> (random >> 58);
    default:
        return random;
    }
}

// What is interesting about a float: ends of ranges, halves, numbers near powers of two.
static uint64_t floating(int bits, int fraction_bits, uint64_t kind, uint64_t random)
{
    uint64_t top = (uint64_t)1 << (bits - 1), sign = random >> 63 ? top : 0, one = (uint64_t)1 << fraction_bits;
    uint64_t fields = top >> fraction_bits, infinity = (fields - 1) << fraction_bits, bias = (fields / 2 - 1);
    const uint64_t ends[] = {0,
                             1,
                             2,
                             one - 1,
                             one,
                             one + 1,
                             infinity - 1,
                             infinity,
                             infinity + 1,
                             top - 1,
                             infinity + one / 2,
                             infinity + one / 2 + 1,
                             bias << fraction_bits,
                             (bias << fraction_bits) + 1,
                             (bias << fraction_bits) - 1,
                             (bias - 1) << fraction_bits,
                             ((bias + 1) << fraction_bits) + one / 2,
                             infinity - one,
                             (bias << fraction_bits) | one / 2};
    uint64_t fraction = random % one;
    switch (kind % 8) {
    case 0:
    case 1:
        return sign | PICK(ends, random >> 16);
    case 2:
        return sign | ((bias - 8 + (random >> 56 & 31)) << fraction_bits) | (fraction & (0 - one / 8));
    case 3:
        return sign | ((bias - 3 + (random >> 56 & 7)) << fraction_bits) | fraction;
    case 4:
        return sign | (random >> 40) % (4 * one);
    case 5:
        return sign | ((bias - 16 + (random >> 56 & 63)) << fraction_bits) | fraction;
    default:
        return random;
    }
}

uint64_t value_of_type(enum ptx_type type, uint64_t kind, uint64_t random)
{
    uint32_t bits = ptx_type_row(type)->bits;
    uint64_t again = value_mix(random + 1);
    switch (type) {
    case PTX_TYPE_f16:
        return floating(16, 10, kind, random);
    case PTX_TYPE_bf16:
        return floating(16, 7, kind, random);
    case PTX_TYPE_f32:
        return floating(32, 23, kind, random);
    case PTX_TYPE_f64:
        return floating(64, 52, kind, random);
    case PTX_TYPE_f16x2:
        return (floating(16, 10, kind, random) & 0xffff) | floating(16, 10, again >> 7, again) << 16;
    case PTX_TYPE_bf16x2:
        return (floating(16, 7, kind, random) & 0xffff) | floating(16, 7, again >> 7, again) << 16;
    case PTX_TYPE_u16x2:
    case PTX_TYPE_s16x2:
        return (integer(16, kind, random) & 0xffff) | integer(16, again >> 7, again) << 16;
    default:
        return integer(bits < 8 ? 32 : bits > 64 ? 64 : (int)bits, kind, random);
    }
}

// A mask's digits go down, others are any.
static void print_digits(char letter, uint32_t digits, uint32_t limit, bool is_mask, uint64_t random, char *text)
{
    size_t used = 0;
    text[used++] = '.', text[used++] = letter;
    for (uint32_t i = 0; i < digits; i++, random /= limit) {
        const uint32_t place = digits - 1 - i;
        if (!is_mask)
            text[used++] = (char)('0' + random % limit);
        else if (random >> place & 1)
            text[used++] = (char)('0' + place);
    }
    text[used == 2 ? 0 : used] = '\0';
}

uint32_t value_of_selector(enum ptx_selector selector, uint64_t random, char text[VALUES_SELECTOR_BYTES])
{
    static const char parts[][4] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    uint32_t number = 0;
    text[0] = '\0';
    if (selector == PTX_SELECTOR_WHOLE) return 0;
    if (selector == PTX_SELECTOR_MINUS) return (uint32_t)snprintf(text, VALUES_SELECTOR_BYTES, random & 1 ? "-" : "");
    if (selector == PTX_SELECTOR_PART)
        strcpy(text, parts[random % (sizeof parts / sizeof *parts)]);
    else if (random % 4 != 0) {
        const bool is_mask = selector == PTX_SELECTOR_MASK2 || selector == PTX_SELECTOR_MASK4;
        const bool is_bytes = selector == PTX_SELECTOR_MASK4 || selector >= PTX_SELECTOR_B3210;
        print_digits(is_bytes ? 'b' : 'h', is_bytes ? 4 : 2,
                     is_mask    ? 1
                     : is_bytes ? 8
                                : 4,
                     is_mask, random >> 8, text);
    }
    if (!ptx_selector_read(selector, text + (*text != '\0'), *text == '\0' ? 0 : strlen(text) - 1, &number)) {
        text[0] = '\0'; // .b1024
        ptx_selector_read(selector, "", 0, &number);
    }
    return number;
}
