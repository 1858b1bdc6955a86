// SPDX-License-Identifier: MIT
// Family "mma": one to three mma.sync, dense or sparse, on the same accumulator. The result is D in the registers of
// all lanes.
#include "mma_case.h"

#include <inttypes.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "rules/mma.h"

static const struct wgmma_layout layouts[NUMBER_FORMATS] = {
    [NUMBER_F16] = MMA_LAYOUT_F16,   [NUMBER_BF16] = MMA_LAYOUT_BF16, [NUMBER_TF32] = MMA_LAYOUT_TF32,
    [NUMBER_E4M3] = MMA_LAYOUT_E4M3, [NUMBER_E5M2] = MMA_LAYOUT_E5M2, [NUMBER_S8] = MMA_LAYOUT_S8,
    [NUMBER_U8] = MMA_LAYOUT_U8,     [NUMBER_B1] = MMA_LAYOUT_B1,     [NUMBER_F32] = MMA_LAYOUT_F32,
    [NUMBER_S32] = MMA_LAYOUT_S32,   [NUMBER_S4] = MMA_LAYOUT_S4,     [NUMBER_U4] = MMA_LAYOUT_U4,
    [NUMBER_F64] = MMA_LAYOUT_F64,
};

// --- The model -------------------------------------------------------------------------------------------------------

static int register_words(enum mma_form form)
{
    return mma_row(form)->d == NUMBER_F64 ? 2 : 1;
}

// Bytes of D of all lanes.
static uint32_t mma_case_d_bytes(const struct mma_case *c)
{
    return (uint32_t)(mma_row(c->form)->registers[MMA_OF_D] * register_words(c->form) * MMA_LANES) * 4;
}

static void fill(const struct mma_case *c, enum mma_operand operand, uint32_t step, uint32_t *words)
{
    static const enum wgmma_salt salts[] = {WGMMA_SALT_A, WGMMA_SALT_B, WGMMA_SALT_D};
    const struct mma_row *row = mma_row(c->form);
    struct wgmma_layout layout = layouts[operand == MMA_OF_A ? row->a : operand == MMA_OF_B ? row->b : row->d];
    size_t bytes = (size_t)register_words(c->form) * 4;
    for (uint32_t i = 0; i < (uint32_t)row->registers[operand] * MMA_LANES; i++) {
        uint64_t bits = mma_content(layout, c->seed, salts[operand], step, i % MMA_LANES, i / MMA_LANES);
        memcpy(words + i * bytes / 4, &bits, bytes);
    }
}

void mma_case_start(const struct mma_case *c, struct mma_state *state)
{
    fill(c, MMA_OF_D, 0, state->d);
}

void mma_case_operands(const struct mma_case *c, uint32_t step, struct mma_state *state)
{
    fill(c, MMA_OF_A, step, state->a);
    fill(c, MMA_OF_B, step, state->b);
    for (uint32_t lane = 0; lane < MMA_LANES; lane++)
        state->metadata[lane] = mma_metadata(c->seed, step, lane, mma_row(c->form)->a == NUMBER_TF32);
}

void mma_case_step(const struct mma_case *c, uint32_t step, struct mma_state *state)
{
    mma_case_operands(c, step, state);
    if (mma_row(c->form)->is_sparse)
        mma_execute_sparse(c->form, (int)c->selector, state->metadata, state->a, state->b, state->d, NULL);
    else
        mma_execute(c->form, state->a, state->b, state->d, NULL);
}

static void mma_windows(const void *test_case, struct result *result)
{
    result_window(result, "d", 0, mma_case_d_bytes(test_case));
}

static enum rule mma_run_model(const void *test_case, struct result *result)
{
    const struct mma_case *c = test_case;
    struct mma_state state;
    mma_case_start(c, &state);
    for (uint32_t step = 0; step < c->steps; step++) mma_case_step(c, step, &state);
    memcpy(result->window[0].bytes, state.d, result->window[0].size_bytes);
    return RULE_OK;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int make_job(const struct gpu_place *place, void *job)
{
    const struct mma_case *c = place->test_case;
    *(struct mma_job *)job = (struct mma_job){.output = place->offset / 4,
                                              .form = (uint32_t)c->form,
                                              .seed = c->seed,
                                              .steps = c->steps,
                                              .selector = c->selector};
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("mma", struct mma_case, struct mma_job), .block = MMA_THREADS,
                                     .per_processor = 8, .jobs_per_cta = MMA_THREADS / MMA_LANES, .make = make_job};

static const char *form_name(uint32_t form)
{
    return mma_row((enum mma_form)form)->name;
}

static int is_sparse(const void *test_case)
{
    const struct mma_case *c = test_case;
    return mma_row(c->form)->is_sparse;
}

static const char *illegal(const void *test_case)
{
    const struct mma_case *c = test_case;
    return c->selector > (uint32_t)number_most_selector(mma_sparsity(c->form))
               ? "this \"form\" has no such \"selector\""
               : NULL;
}

static void draw_selector(struct random *random, void *test_case)
{
    struct mma_case *c = test_case;
    c->selector = (uint32_t)random_below(random, (uint64_t)number_most_selector(mma_sparsity(c->form)) + 1);
}

// Of random cases the seed is all there is but the form.
#define CASE struct mma_case
static const struct field field[] = {
    FIELD_NAMED("form", form, form_name, MMA_FORMS - 1, "the instruction"),
    FIELD_NUMBER("selector", selector, 0, 3, "sparsity selector", .is_there = is_sparse, .where = "mma.sp",
                 .draw = draw_selector),
    FIELD_NUMBER("steps", steps, 0, MMA_MAX_STEPS, "instructions on one accumulator",
                 DRAWN({80, JUST(1)}, {20, BETWEEN(2, MMA_MAX_STEPS)})),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

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

const struct family family_mma = {
    FAMILY_CASES("mma", struct mma_case, field, .illegal = illegal),
    .summary = "mma.sync, dense and sparse: one to three of them on the same accumulators, D of all lanes",
    .windows = mma_windows,
    .run_model = mma_run_model,
    .jobs = &jobs,
    .kernels = "mma",
    .explain = mma_explain,
};
