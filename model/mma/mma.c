// SPDX-License-Identifier: MIT
// The table of forms, the fragments, and the instruction as a loop over the elements of D.
#include "mma.h"

#include <string.h>

#define OF_ROW(prefix, is_sparse, m, n, k, D, A, B, d, a, b, tail, nd, na, nb)                                         \
    {prefix "m" #m "n" #n "k" #k "." #d "." #a "." #b MMA_NAME_##tail,                                                 \
     is_sparse,                                                                                                        \
     m,                                                                                                                \
     k,                                                                                                                \
     NUMBER_##D,                                                                                                       \
     NUMBER_##A,                                                                                                       \
     NUMBER_##B,                                                                                                       \
     MMA_##tail,                                                                                                       \
     {na, nb, nd}},
#define DENSE_ROW(X, ...)  OF_ROW("", 0, __VA_ARGS__)
#define SPARSE_ROW(X, ...) OF_ROW("sp.", 1, __VA_ARGS__)
static const struct mma_row rows[MMA_FORMS] = {MMA_ROWS(DENSE_ROW, ) MMA_ROWS_SPARSE(SPARSE_ROW, )};

const struct mma_row *mma_row(enum mma_form form)
{
    return &rows[form];
}

enum mma_form mma_find(const char *name)
{
    int form = 0;
    while (form < MMA_FORMS && strcmp(rows[form].name, name) != 0) form++;
    return (enum mma_form)form;
}

// --- Fragments -------------------------------------------------------------------------------------------------------

static enum number_format format_of(const struct mma_row *row, enum mma_operand operand)
{
    return operand == MMA_OF_A ? row->a : operand == MMA_OF_B ? row->b : row->d;
}

static int unit_bits(enum number_format format)
{
    return format == NUMBER_B1 ? 32 : number_format_row(format)->size_bits;
}

static int register_bits(const struct mma_row *row)
{
    return row->d == NUMBER_F64 ? 64 : 32;
}

int mma_column_units(enum mma_form form)
{
    return rows[form].a == NUMBER_B1 ? rows[form].k / 32 : rows[form].k;
}

int mma_units(enum mma_form form)
{
    return rows[form].is_sparse ? rows[form].k / 2 : mma_column_units(form);
}

int mma_parts(enum mma_form form, enum mma_operand operand)
{
    return register_bits(&rows[form]) / unit_bits(format_of(&rows[form], operand));
}

struct number_place mma_place(enum mma_form form, enum mma_operand operand, int lane, int index, int part)
{
    int parts = mma_parts(form, operand), halves = rows[form].m / 8; // of the 16 rows, two registers side by side
    if (operand == MMA_OF_B) return (struct number_place){(index * 4 + lane % 4) * parts + part, lane / 4};
    if (operand == MMA_OF_A)
        return (struct number_place){lane / 4 + index % halves * 8, (index / halves * 4 + lane % 4) * parts + part};
    int element = index * parts + part;
    return (struct number_place){lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

// --- mma.sp ----------------------------------------------------------------------------------------------------------

struct number_sparsity mma_sparsity(enum mma_form form)
{
    int bits = number_format_row(rows[form].a)->size_bits, k = rows[form].k;
    return (struct number_sparsity){bits, bits == 32 ? k / 2 : bits == 4 ? k / 8 : k / 4, 1};
}

void mma_pick(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], int row, const uint64_t *column,
              uint64_t *units)
{
    uint32_t of_column[MMA_MAX_COLUMN], picked[NUMBER_MAX_KEPT];
    for (int i = 0; i < mma_column_units(form); i++) of_column[i] = (uint32_t)column[i];
    number_pick(mma_sparsity(form), selector, metadata, row, of_column, picked);
    for (int i = 0; i < mma_units(form); i++) units[i] = picked[i];
}

// --- The instruction -------------------------------------------------------------------------------------------------

// Unit `part` of register `index` of a lane.
static uint64_t unit_at(const struct mma_row *row, enum mma_operand operand, const uint32_t *words, int lane, int index,
                        int part)
{
    int bits = unit_bits(format_of(row, operand)), at = index * MMA_LANES + lane;
    if (register_bits(row) == 64) return words[2 * at] | (uint64_t)words[2 * at + 1] << 32;
    return words[at] >> bits * part & UINT32_MAX >> (32 - bits);
}

// Rows of A, or columns of B, each with its units in the order of k.
static void read_units(enum mma_form form, enum mma_operand operand, const uint32_t *words,
                       uint64_t units[][MMA_MAX_COLUMN])
{
    const struct mma_row *row = &rows[form];
    int parts = mma_parts(form, operand);
    for (int i = 0; i < row->registers[operand] * parts * MMA_LANES; i++) {
        int lane = i % MMA_LANES, index = i / MMA_LANES / parts, part = i / MMA_LANES % parts;
        struct number_place at = mma_place(form, operand, lane, index, part);
        uint64_t unit = unit_at(row, operand, words, lane, index, part);
        if (operand == MMA_OF_A)
            units[at.row][at.column] = unit;
        else
            units[at.column][at.row] = unit;
    }
}

static void put_unit(const struct mma_row *row, uint32_t *words, int lane, int index, int part, uint64_t unit)
{
    int bits = unit_bits(row->d), at = index * MMA_LANES + lane;
    if (bits == 64) {
        words[2 * at] = (uint32_t)unit;
        words[2 * at + 1] = (uint32_t)(unit >> 32);
        return;
    }
    words[at] = (words[at] & ~(UINT32_MAX >> (32 - bits) << bits * part)) | (uint32_t)unit << bits * part;
}

// The instruction with what each row of A meets of each column of B: of a dense form all of it.
struct instruction {
    enum mma_form form;
    enum number_rounding rounding;
    int selector;
    const uint32_t *metadata;
    uint64_t of_b[MMA_N][MMA_MAX_COLUMN];
    struct mma_vector a[MMA_MAX_M], b[MMA_N];
};

static uint64_t element_of_d(const struct instruction *of, struct number_place at, uint64_t c)
{
    struct mma_vector picked;
    uint64_t units[MMA_MAX_UNITS];
    if (!rows[of->form].is_sparse) return mma_dot_rounded(of->form, of->rounding, &of->a[at.row], &of->b[at.column], c);
    mma_pick(of->form, of->selector, of->metadata, at.row, of->of_b[at.column], units);
    mma_vector_read(of->form, MMA_OF_B, units, &picked);
    return mma_dot(of->form, &of->a[at.row], &picked, c);
}

static void execute(struct instruction *of, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    const struct mma_row *row = &rows[of->form];
    uint64_t of_a[MMA_MAX_M][MMA_MAX_COLUMN];
    int parts = mma_parts(of->form, MMA_OF_D);
    read_units(of->form, MMA_OF_A, a, of_a);
    read_units(of->form, MMA_OF_B, b, of->of_b);
    for (int i = 0; i < row->m; i++) mma_vector_read(of->form, MMA_OF_A, of_a[i], &of->a[i]);
    for (int i = 0; i < MMA_N && !row->is_sparse; i++) mma_vector_read(of->form, MMA_OF_B, of->of_b[i], &of->b[i]);
    for (int i = 0; i < row->registers[MMA_OF_D] * parts * MMA_LANES; i++) {
        int lane = i % MMA_LANES, index = i / MMA_LANES / parts, part = i / MMA_LANES % parts;
        uint64_t c = unit_at(row, MMA_OF_D, d, lane, index, part);
        struct number_place at = mma_place(of->form, MMA_OF_D, lane, index, part);
        put_unit(row, d, lane, index, part, element_of_d(of, at, c));
    }
}

// Is there such a form, sparse or dense as asked?
static int is_form(enum mma_form form, int is_sparse)
{
    return (unsigned)form < MMA_FORMS && rows[form].is_sparse == is_sparse;
}

enum rule mma_execute(enum mma_form form, const uint32_t *a, const uint32_t *b, uint32_t *d, struct findings *findings)
{
    return mma_execute_rounded(form, NUMBER_NEAREST, a, b, d, findings);
}

enum rule mma_execute_rounded(enum mma_form form, enum number_rounding rounding, const uint32_t *a, const uint32_t *b,
                              uint32_t *d, struct findings *findings)
{
    struct instruction instruction = {.form = form, .rounding = rounding};
    findings_clear(findings);
    if (!is_form(form, 0)) return finding_of_form(findings, "form", (uint64_t)form);
    execute(&instruction, a, b, d);
    return RULE_OK;
}

enum rule mma_execute_sparse(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], const uint32_t *a,
                             const uint32_t *b, uint32_t *d, struct findings *findings)
{
    struct instruction instruction = {.form = form, .selector = selector, .metadata = metadata};
    findings_clear(findings);
    if (!is_form(form, 1)) return finding_of_form(findings, "form", (uint64_t)form);
    if (selector < 0 || selector > number_most_selector(mma_sparsity(form)))
        return finding_of_form(findings, "sparsity selector", (uint64_t)(int64_t)selector);
    execute(&instruction, a, b, d);
    return RULE_OK;
}
