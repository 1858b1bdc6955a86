// SPDX-License-Identifier: MIT
#include "chain.h"

#include <assert.h>
#include <string.h>

int wgmma_sum_bits(enum wgmma_types types)
{
    return number_format_row(wgmma_types_row(types)->a)->size_bits == 8 ? NUMBER_SUM_BITS_FP8 : NUMBER_SUM_BITS;
}

struct number_sum wgmma_sum(enum wgmma_types types, int satfinite)
{
    const struct wgmma_types_row *row = wgmma_types_row(types);
    return (struct number_sum){row->d, row->a, row->b, wgmma_units(types), wgmma_sum_bits(types), satfinite};
}

uint32_t wgmma_dot(enum wgmma_types types, const struct number_terms *a, const struct number_terms *b,
                   const uint32_t *c, int satfinite)
{
    const struct number_sum sum = wgmma_sum(types, satfinite);
    if (!wgmma_is_integer(types)) return number_sum_float(&sum, a, b, c);
    int64_t start = c == NULL ? 0 : (int32_t)*c;
    return number_result_integer(start + number_sum_integer(sum.a, sum.terms, a, b), satfinite);
}

size_t wgmma_chain_steps(enum wgmma_types types, uint64_t k)
{
    uint64_t step = (uint64_t)wgmma_types_row(types)->k;
    return (size_t)((k + step - 1) / step);
}

void wgmma_chain_read(enum wgmma_types types, int operand, uint64_t k, const uint8_t *bytes,
                      struct number_terms *vectors)
{
    const struct wgmma_types_row *row = wgmma_types_row(types);
    enum number_format format = operand == 0 ? row->a : row->b;
    size_t element_bytes = (size_t)wgmma_unit_bytes(types);
    assert(row->a != NUMBER_B1);
    for (uint64_t first = 0; first < k; first += (uint64_t)row->k) {
        uint32_t units[NUMBER_MAX_TERMS] = {0};
        for (uint64_t i = 0; i < (uint64_t)row->k && first + i < k; i++)
            memcpy(&units[i], bytes + (first + i) * element_bytes, element_bytes);
        number_terms_read(format, row->k, units, 0, vectors++);
    }
}

uint32_t wgmma_chain_dot(enum wgmma_types types, size_t steps, const struct number_terms *a,
                         const struct number_terms *b, const uint32_t *c)
{
    uint32_t sum = c != NULL ? *c : 0;
    for (size_t i = 0; i < steps; i++) sum = wgmma_dot(types, &a[i], &b[i], i > 0 || c != NULL ? &sum : NULL, 0);
    return sum;
}

// --- Eight columns at a time -----------------------------------------------------------------------------------------

static size_t groups_of(enum wgmma_types types)
{
    return (size_t)number_groups(wgmma_units(types));
}

size_t wgmma_chain_row(enum wgmma_types types, uint64_t k)
{
    return wgmma_chain_steps(types, k) * groups_of(types);
}

size_t wgmma_chain_columns(enum wgmma_types types, uint64_t k)
{
    return wgmma_chain_steps(types, k) * (size_t)wgmma_units(types);
}

void wgmma_chain_read_row(enum wgmma_types types, uint64_t k, const uint8_t *bytes, size_t k_bytes,
                          struct number_factors *row)
{
    assert(wgmma_types_row(types)->a != NUMBER_B1);
    for (size_t i = 0; i < wgmma_chain_row(types, k); i++) {
        uint64_t first = i * NUMBER_LANES, left = first < k ? k - first : 0;
        number_factors_load(wgmma_types_row(types)->a, left < NUMBER_LANES ? (int)left : NUMBER_LANES,
                            bytes + (left > 0 ? first * k_bytes : 0), k_bytes, 0, &row[i]);
    }
}

void wgmma_chain_read_columns(enum wgmma_types types, uint64_t k, int count, const uint8_t *bytes, size_t column_bytes,
                              size_t k_bytes, struct number_factors *columns)
{
    assert(wgmma_types_row(types)->a != NUMBER_B1);
    for (size_t i = 0; i < wgmma_chain_columns(types, k); i++)
        number_factors_load(wgmma_types_row(types)->b, i < k ? count : 0, bytes + (i < k ? i * k_bytes : 0),
                            column_bytes, 0, &columns[i]);
}

struct number_block wgmma_chain_block(enum wgmma_types types, uint64_t k, int rows, const struct number_factors *a,
                                      const struct number_factors *b, size_t first, size_t steps)
{
    size_t units = (size_t)wgmma_units(types);
    return (struct number_block){.sum = wgmma_sum(types, 0),
                                 .rows = rows,
                                 .steps = steps,
                                 .a_row = wgmma_chain_row(types, k),
                                 .b_step = units,
                                 .a = a + first * groups_of(types),
                                 .b = b + first * units};
}
