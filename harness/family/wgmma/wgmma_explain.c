// SPDX-License-Identifier: MIT
// A mismatch of the families "wgmma" and "wgmma_sparse" in words: which element of D, where it is, and the terms of its
// last sum.
#include <string.h>

#include "chain.h"
#include "fragments.h"
#include "rules/wgmma.h"
#include "sparsity.h"
#include "wgmma_case.h"

// What four bits of metadata each chunk of the row has; the rule is that of bits that are not legal, if there are any.
static enum rule explain_metadata(const struct wgmma *w, const struct wgmma_operands *o, int row, FILE *out)
{
    enum rule rule = RULE_WGMMA_SPARSE_PLACE;
    fprintf(out, "    selector %d, metadata of row %d from the lowest chunk:", w->selector, row);
    for (int i = 0; i < wgmma_sparsity(w->types).chunks; i++) {
        uint32_t bits = number_chunk_bits(wgmma_sparsity(w->types), w->selector, o->metadata, row, i);
        bool is_legal = number_chunk_is_legal(wgmma_sparsity(w->types), bits);
        fprintf(out, " %x%s", bits, is_legal ? "" : "!");
        if (!is_legal) rule = RULE_WGMMA_SPARSE_METADATA;
    }
    fprintf(out, rule == RULE_WGMMA_SPARSE_METADATA ? " (!: not legal)\n" : "\n");
    return rule;
}

// What decides the numbers of a dense instruction.
static enum rule rule_of(const struct wgmma *w)
{
    const enum number_format a = wgmma_types_row(w->types)->a;
    if (wgmma_is_integer(w->types)) return RULE_WGMMA_INTEGER;
    return a == NUMBER_E4M3 || a == NUMBER_E5M2 ? RULE_WGMMA_SUM_FP8 : RULE_WGMMA_SUM;
}

// The terms of the last step that are not zero by their bits.
static enum rule explain_terms(const struct wgmma_case *c, struct number_place place, uint32_t before, FILE *out)
{
    struct wgmma_state state;
    const struct wgmma *w = &wgmma_instance_row(c->instance)->wgmma;
    struct memory shared;
    uint32_t a[NUMBER_MAX_TERMS], b[NUMBER_MAX_TERMS], step = c->steps - 1;
    wgmma_case_start(c, &state);
    struct wgmma_operands o = wgmma_case_operands(c, step, &state, &shared);
    wgmma_factors_of(w, &o, place.row, place.column, a, b);
    enum rule rule = w->is_sparse ? explain_metadata(w, &o, place.row, out) : rule_of(w);
    fprintf(out, "    step %u: accumulator 0x%x%s; A * B%s:", step, before, o.scale_d ? "" : " (scale-d 0: not used)",
            w->negate[0] != w->negate[1] ? " (sign flipped)" : "");
    for (int i = 0; i < wgmma_units(w->types); i++)
        if (a[i] != 0 && b[i] != 0) fprintf(out, " %x*%x", a[i], b[i]);
    fprintf(out, "\n");
    if (!wgmma_is_integer(w->types))
        fprintf(out, "    one sum of all terms, cut to %d bits below the greatest exponent\n",
                wgmma_sum_bits(w->types));
    return rule;
}

// The accumulator before the last step, by the model.
static uint32_t before_last(const struct wgmma_case *c, uint32_t index)
{
    struct wgmma_state state;
    wgmma_case_start(c, &state);
    for (uint32_t step = 0; step + 1 < c->steps; step++) wgmma_case_step(c, step, &state);
    return state.d[index];
}

static enum rule explain_element(const struct wgmma_case *c, uint32_t index, uint32_t want, uint32_t got, FILE *out)
{
    const struct wgmma_instance_row *row = wgmma_instance_row(c->instance);
    const struct wgmma_types_row *types = wgmma_types_row(row->wgmma.types);
    bool is_half = types->d == NUMBER_F16;
    int part = is_half && ((want ^ got) & 0xffff) == 0;
    int thread = (int)(index % WGMMA_THREADS), reg = (int)(index / WGMMA_THREADS);
    uint32_t mask = is_half ? 0xffff : UINT32_MAX;
    struct number_place place = wgmma_place_d(row->wgmma.types, thread, reg, part);
    fprintf(out, "    %sm64n%dk%d.%s %s, %u steps: D[%d][%d], thread %d, register %d",
            row->wgmma.is_sparse ? "sparse " : "", row->wgmma.n, types->k * (row->wgmma.is_sparse ? 2 : 1), types->name,
            row->variant, c->steps, place.row, place.column, thread, reg);
    if (is_half) fprintf(out, ", %s half", part ? "upper" : "lower");
    fprintf(out, ": 0x%x expected, 0x%x found\n", want >> 16 * part & mask, got >> 16 * part & mask);
    return explain_terms(c, place, before_last(c, index) >> 16 * part & mask, out);
}

enum rule wgmma_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct wgmma_case *c = test_case;
    struct difference_units words = difference_units(difference, 4);
    if (c->steps == 0) return RULE_WGMMA_FRAGMENTS;
    return explain_element(c, difference->at / 4, (uint32_t)words.expected, (uint32_t)words.found, out);
}
