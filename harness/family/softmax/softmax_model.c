// SPDX-License-Identifier: MIT
// A case on the model: the states of all parts, what is sent to the first CTA and counted by its barrier, the result.
#include <stdlib.h>
#include <string.h>

#include "mbarrier.h"
#include "softmax_case.h"
#include "softmax_math.h"

static void copy_state(const struct softmax_case *c, const struct softmax_state *state, struct window *window,
                       uint32_t index)
{
    uint32_t bytes = softmax_state_words(c->dims) * 4;
    memcpy(window->bytes + (size_t)index * bytes, state, bytes);
}

// What is sent to the first CTA, and its barrier, which counts the bytes. The barrier's phase ends: nothing is missing.
static enum rule push_states(const struct softmax_case *c, uint32_t row, const struct softmax_state *states,
                             struct result *result)
{
    const uint32_t bytes = softmax_state_words(c->dims) * 4;
    const struct mbarrier_transaction expect = {.arrivals = 1, .expect_bytes = (c->parts - 1) * bytes};
    const struct mbarrier_transaction piece = {.complete_bytes = 16};
    uint64_t word = mbarrier_init(1);
    enum rule rule = mbarrier_transact(&word, &expect);
    for (uint32_t part = 1; part < c->parts; part++) {
        copy_state(c, &states[part], &result->window[2], row * c->parts + part);
        for (uint64_t sent = 0; sent < bytes && rule == RULE_OK; sent += piece.complete_bytes)
            rule = mbarrier_transact_remote(&word, &piece);
    }
    memcpy(result->window[3].bytes + 8 * (size_t)row, &word, sizeof word);
    return rule;
}

static enum rule run_row(const struct softmax_case *c, uint32_t index, const struct softmax_row *row,
                         struct result *result)
{
    struct softmax_state states[SOFTMAX_MAX_PARTS];
    float out[SOFTMAX_MAX_DIMS];
    for (uint32_t part = 0; part < c->parts; part++) {
        states[part] = softmax_part(row, part);
        copy_state(c, &states[part], &result->window[1], index * c->parts + part);
    }
    softmax_out(states, c->parts, c->dims, out);
    memcpy(result->window[0].bytes + 4 * ((size_t)SOFTMAX_GUARD_WORDS + index * c->dims), out, 4 * (size_t)c->dims);
    return c->variant == SOFTMAX_PUSH ? push_states(c, index, states, result) : RULE_OK;
}

static const uint16_t *fill(const struct softmax_case *c, enum softmax_input which, uint32_t first, uint32_t count,
                            uint16_t *to)
{
    for (uint32_t i = 0; i < count; i++) to[i] = softmax_input(c, which, first + i);
    return to;
}

enum rule softmax_model(const void *test_case, struct result *result)
{
    const struct softmax_case *c = test_case;
    const uint32_t numbers = c->count * c->dims;
    uint16_t query[SOFTMAX_MAX_DIMS], *keys = malloc(4 * (size_t)numbers + 1), *values = keys + numbers;
    enum rule rule = RULE_OK;
    if (keys == NULL) abort();
    for (uint32_t i = 0; i < c->rows && rule == RULE_OK; i++) {
        const struct softmax_row row = {.dims = c->dims,
                                        .count = c->count,
                                        .parts = c->parts,
                                        .threads = c->threads,
                                        .scale = softmax_scale(c->dims),
                                        .query = fill(c, SOFTMAX_QUERY, i * c->dims, c->dims, query),
                                        .keys = fill(c, SOFTMAX_KEY, i * numbers, numbers, keys),
                                        .values = fill(c, SOFTMAX_VALUE, i * numbers, numbers, values)};
        rule = run_row(c, i, &row, result);
    }
    free(keys);
    return rule;
}
