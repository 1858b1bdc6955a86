// SPDX-License-Identifier: MIT
#include "transform.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_FACTORS = 64, MOST_PRIME = 61 };

struct transform {
    size_t length, factors[MOST_FACTORS];
    struct complex_number *roots; // exp(-2 pi i k / length)
    // Of a convolution: the transform of its length, exp(-pi i k^2 / length), and the transform of the conjugate.
    struct transform *inner;
    struct complex_number *chirp, *kernel, *scratch;
};

static struct complex_number times(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct complex_number plus(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re + b.re, a.im + b.im};
}

static struct complex_number minus(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re - b.re, a.im - b.im};
}

static struct complex_number conjugate(struct complex_number a)
{
    return (struct complex_number){a.re, -a.im};
}

// exp(-2 pi i k / n), with an angle of at most an eighth of the circle, where sine and cosine lose nothing.
static struct complex_number root(uint64_t k, uint64_t n)
{
    const uint64_t eighth = 8 * k / n, rest = 8 * k - eighth * n; // rest / (8 n) of the circle behind it
    const double turn = 2 * acos(-1.0) / 8;
    const bool is_odd = eighth % 2;
    const double angle = turn * (double)(is_odd ? n - rest : rest) / (double)n;
    const double c = is_odd ? sin(angle) : cos(angle), s = is_odd ? cos(angle) : sin(angle);
    switch (eighth / 2) {
    case 0:
        return (struct complex_number){c, -s};
    case 1:
        return (struct complex_number){-s, -c};
    case 2:
        return (struct complex_number){-c, s};
    default:
        return (struct complex_number){s, c};
    }
}

// --- By factors ------------------------------------------------------------------------------------------------------

// The largest prime factor.
static size_t find_factors(size_t length, size_t *factors)
{
    size_t count = 0, largest = 1;
    for (; length % 4 == 0; length /= 4) factors[count++] = 4;
    for (size_t prime = 2; length > 1; prime++) {
        if (prime * prime > length) prime = length;
        for (; length % prime == 0; length /= prime) factors[count++] = largest = prime;
    }
    factors[count] = 1;
    return largest;
}

// One part of a transform: rows of `length`, whose elements lie `step` apart in the whole one.
struct part {
    const struct transform *whole;
    size_t length, step;
    const size_t *factor;
};

static void combine_2(const struct part *part, struct complex_number *to, size_t apart)
{
    const struct complex_number *roots = part->whole->roots;
    for (size_t k = 0; k < apart; k++) {
        const struct complex_number a = to[k], b = times(to[apart + k], roots[k * part->step]);
        to[k] = plus(a, b);
        to[apart + k] = minus(a, b);
    }
}

static void combine_4(const struct part *part, struct complex_number *to, size_t apart)
{
    const struct complex_number *roots = part->whole->roots;
    for (size_t k = 0; k < apart; k++) {
        const struct complex_number a = to[k], b = times(to[apart + k], roots[k * part->step]),
                                    c = times(to[2 * apart + k], roots[2 * k * part->step]),
                                    d = times(to[3 * apart + k], roots[3 * k * part->step]);
        const struct complex_number ac = plus(a, c), a_c = minus(a, c), bd = plus(b, d), b_d = minus(b, d);
        const struct complex_number turned = {b_d.im, -b_d.re};
        to[k] = plus(ac, bd);
        to[apart + k] = plus(a_c, turned);
        to[2 * apart + k] = minus(ac, bd);
        to[3 * apart + k] = minus(a_c, turned);
    }
}

static void combine(const struct part *part, struct complex_number *to, size_t apart)
{
    const struct complex_number *roots = part->whole->roots;
    const size_t factor = *part->factor, all = part->whole->length;
    struct complex_number rows[MOST_PRIME];
    for (size_t k = 0; k < apart; k++) {
        for (size_t q = 0; q < factor; q++) rows[q] = times(to[q * apart + k], roots[q * k * part->step]);
        for (size_t r = 0; r < factor; r++) {
            struct complex_number sum = rows[0];
            for (size_t q = 1; q < factor; q++)
                sum = plus(sum, times(rows[q], roots[q * r * apart * part->step % all]));
            to[r * apart + k] = sum;
        }
    }
}

static void run_part(const struct part *part, const struct complex_number *from, struct complex_number *to)
{
    const size_t factor = *part->factor, apart = part->length / factor;
    const struct part smaller = {part->whole, apart, part->step * factor, part->factor + 1};
    if (part->length == 1) {
        *to = *from;
        return;
    }
    for (size_t q = 0; q < factor; q++) run_part(&smaller, from + q * part->step, to + q * apart);
    if (factor == 2)
        combine_2(part, to, apart);
    else if (factor == 4)
        combine_4(part, to, apart);
    else
        combine(part, to, apart);
}

// --- By a convolution ------------------------------------------------------------------------------------------------

static void run_convolution(const struct transform *t, const struct complex_number *from, struct complex_number *to)
{
    const size_t all = t->inner->length;
    struct complex_number *padded = t->scratch, *product = t->scratch + all;
    for (size_t k = 0; k < all; k++)
        padded[k] = k < t->length ? times(from[k], t->chirp[k]) : (struct complex_number){0, 0};
    transform_run(t->inner, padded, product, -1);
    for (size_t k = 0; k < all; k++) padded[k] = times(product[k], t->kernel[k]);
    transform_run(t->inner, padded, product, 1);
    for (size_t k = 0; k < t->length; k++) {
        const struct complex_number value = times(product[k], t->chirp[k]);
        to[k] = (struct complex_number){value.re / (double)all, value.im / (double)all};
    }
}

static bool make_convolution(struct transform *t)
{
    size_t padded = 1;
    while (padded < 2 * t->length - 1) padded *= 2;
    t->inner = transform_new(padded);
    t->chirp = calloc(t->length, sizeof *t->chirp);
    t->kernel = calloc(padded, sizeof *t->kernel);
    t->scratch = calloc(2 * padded, sizeof *t->scratch);
    if (t->inner == NULL || t->chirp == NULL || t->kernel == NULL || t->scratch == NULL) return false;
    for (uint64_t k = 0, square = 0; k < t->length; k++) { // square is k^2 mod 2 length
        t->chirp[k] = root(square, 2 * t->length);
        t->scratch[k] = t->scratch[k == 0 ? 0 : padded - k] = conjugate(t->chirp[k]);
        square = (square + 2 * k + 1) % (2 * t->length);
    }
    transform_run(t->inner, t->scratch, t->kernel, -1);
    return true;
}

// --- Both ------------------------------------------------------------------------------------------------------------

struct transform *transform_new(size_t length)
{
    struct transform *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->length = length;
    bool is_whole;
    if (find_factors(length, t->factors) > MOST_PRIME) {
        is_whole = make_convolution(t);
    } else {
        t->roots = calloc(length, sizeof *t->roots);
        is_whole = t->roots != NULL;
        for (size_t k = 0; is_whole && k < length; k++) t->roots[k] = root(k, length);
    }
    if (is_whole) return t;
    transform_free(t);
    return NULL;
}

void transform_free(struct transform *t)
{
    if (t == NULL) return;
    transform_free(t->inner);
    free(t->roots);
    free(t->chirp);
    free(t->kernel);
    free(t->scratch);
    free(t);
}

static void swap_parts(struct complex_number *row, size_t length)
{
    for (size_t k = 0; k < length; k++) row[k] = (struct complex_number){row[k].im, row[k].re};
}

// Backward: with real and imaginary parts swapped before and after, it is the forward one.
void transform_run(const struct transform *t, struct complex_number *from, struct complex_number *to, int sign)
{
    if (sign > 0) swap_parts(from, t->length);
    if (t->inner != NULL)
        run_convolution(t, from, to);
    else
        run_part(&(struct part){t, t->length, 1, t->factors}, from, to);
    if (sign > 0) swap_parts(to, t->length);
}
