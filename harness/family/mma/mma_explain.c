// SPDX-License-Identifier: MIT
// A mismatch of the family "mma" in words: which element of D, where it is, and the terms of its last sum.
#include <inttypes.h>
#include <string.h>

#include "mma_case.h"

// Unit `part` of a register's bits.
static uint64_t unit_of(uint64_t bits, int parts, int part)
{
    return parts == 1 ? bits : bits >> 32 / parts * part & UINT32_MAX >> (32 - 32 / parts);
}

static uint64_t register_at(const struct mma_case *c, const uint32_t *words, int lane, int index)
{
    int at = index * MMA_LANES + lane;
    if (mma_row(c->form)->d != NUMBER_F64) return words[at];
    return words[2 * at] | (uint64_t)words[2 * at + 1] << 32;
}

// The units of row `at.row` of A, or of column `at.column` of B, by k.
static void units_of(const struct mma_case *c, enum mma_operand operand, struct number_place at, const uint32_t *words,
                     uint64_t units[MMA_MAX_COLUMN])
{
    int parts = mma_parts(c->form, operand);
    for (int lane = 0; lane < MMA_LANES; lane++) {
        for (int i = 0; i < mma_row(c->form)->registers[operand] * parts; i++) {
            struct number_place place = mma_place(c->form, operand, lane, i / parts, i % parts);
            uint64_t unit = unit_of(register_at(c, words, lane, i / parts), parts, i % parts);
            if (operand == MMA_OF_A && place.row == at.row) units[place.column] = unit;
            if (operand == MMA_OF_B && place.column == at.column) units[place.row] = unit;
        }
    }
}

// Which rule makes the numbers of a form.
static enum rule rule_of(const struct mma_row *row)
{
    if (row->d == NUMBER_F64) return RULE_MMA_F64;
    if (row->a == NUMBER_E4M3 || row->a == NUMBER_E5M2) return RULE_MMA_FP8;
    if (row->a == NUMBER_B1) return RULE_MMA_BITS;
    return row->d == NUMBER_S32 ? RULE_MMA_INTEGER : RULE_MMA_SUM;
}

struct number_place mma_case_element(const struct mma_case *c, const struct mma_state *state, int lane, int index,
                                     int part, struct mma_element *element)
{
    uint64_t column[MMA_MAX_COLUMN];
    struct number_place place = mma_place(c->form, MMA_OF_D, lane, index, part);
    units_of(c, MMA_OF_A, place, state->a, element->a);
    units_of(c, MMA_OF_B, place, state->b, column);
    if (mma_row(c->form)->is_sparse)
        mma_pick(c->form, (int)c->selector, state->metadata, place.row, column, element->b);
    else
        memcpy(element->b, column, sizeof element->b);
    element->c = unit_of(register_at(c, state->d, lane, index), mma_parts(c->form, MMA_OF_D), part);
    return place;
}

static void explain_terms(const struct mma_case *c, int lane, int index, int part, FILE *out)
{
    struct mma_state state;
    struct mma_element element;
    mma_case_start(c, &state);
    for (uint32_t step = 0; step + 1 < c->steps; step++) mma_case_step(c, step, &state);
    mma_case_operands(c, c->steps - 1, &state);
    mma_case_element(c, &state, lane, index, part, &element);
    fprintf(out, "    step %u: accumulator 0x%" PRIx64 "; A * B:", c->steps - 1, element.c);
    for (int i = 0; i < mma_units(c->form); i++)
        if (element.a[i] != 0 && element.b[i] != 0) fprintf(out, " %" PRIx64 "*%" PRIx64, element.a[i], element.b[i]);
    fprintf(out, "\n");
}

// `index` counts registers of all lanes.
static void explain_register(const struct mma_case *c, int index, uint64_t want, uint64_t got, FILE *out)
{
    const struct mma_row *row = mma_row(c->form);
    int lane = index % MMA_LANES, parts = mma_parts(c->form, MMA_OF_D);
    int part = parts == 2 && ((want ^ got) & 0xffff) == 0;
    struct number_place place = mma_place(c->form, MMA_OF_D, lane, index / MMA_LANES, part);
    fprintf(out, "    %s, %u steps: D[%d][%d], lane %d, register %d", row->name, c->steps, place.row, place.column,
            lane, index / MMA_LANES);
    if (parts == 2) fprintf(out, ", %s half", part ? "upper" : "lower");
    fprintf(out, ": 0x%" PRIx64 " expected, 0x%" PRIx64 " found\n", unit_of(want, parts, part),
            unit_of(got, parts, part));
    if (c->steps > 0) explain_terms(c, lane, index / MMA_LANES, part, out);
}

enum rule mma_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct mma_case *c = test_case;
    uint32_t bytes = mma_row(c->form)->d == NUMBER_F64 ? 8 : 4;
    struct difference_units registers = difference_units(difference, bytes);
    explain_register(c, (int)(difference->at / bytes), registers.expected, registers.found, out);
    return c->steps > 0 ? rule_of(mma_row(c->form)) : RULE_MMA_FRAGMENTS;
}
