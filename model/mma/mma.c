// SPDX-License-Identifier: MIT
// The table of forms, the fragments, and the instruction: units out of the registers, products, and back.
#include "mma.h"

#include <string.h>

#include "block.h"

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

// In lane 0. A lane is a row further on for each four lanes before it, and so many columns of A and D for each that is
// left over; of B it is the other way round.
static struct number_place place_in_lane_0(const struct mma_row *row, enum mma_operand operand, int parts, int index,
                                           int part)
{
    int halves = row->m / 8, element = index * parts + part; // of the 16 rows, two registers side by side
    if (operand == MMA_OF_A) return (struct number_place){index % halves * 8, index / halves * 4 * parts + part};
    if (operand == MMA_OF_B) return (struct number_place){index * 4 * parts + part, 0};
    return (struct number_place){element / 2 * 8, element % 2};
}

static int lane_step(enum mma_operand operand, int parts)
{
    return operand == MMA_OF_D ? 2 : parts;
}

struct number_place mma_place(enum mma_form form, enum mma_operand operand, int lane, int index, int part)
{
    int parts = mma_parts(form, operand), along = lane % 4 * lane_step(operand, parts), across = lane / 4;
    struct number_place at = place_in_lane_0(&rows[form], operand, parts, index, part);
    if (operand == MMA_OF_B) return (struct number_place){at.row + along, at.column + across};
    return (struct number_place){at.row + across, at.column + along};
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

// A unit of `bits` in a register of the lanes; one of 64 bits in two of them.
static uint64_t unit_at(const uint32_t *words, int bits, int at, int part)
{
    return words[at] >> bits * part & UINT32_MAX >> (32 - bits);
}

static uint64_t wide_unit_at(const uint32_t *words, int at)
{
    return words[2 * at] | (uint64_t)words[2 * at + 1] << 32;
}

static void put_unit(uint32_t *words, int is_wide, int bits, int at, int part, uint64_t unit)
{
    if (is_wide) {
        words[2 * at] = (uint32_t)unit;
        words[2 * at + 1] = (uint32_t)(unit >> 32);
        return;
    }
    words[at] = (words[at] & ~(UINT32_MAX >> (32 - bits) << bits * part)) | (uint32_t)unit << bits * part;
}

// The units of one part of one register in all lanes: the first of them in the matrix, and in the registers.
struct part {
    uint64_t *units;
    int at, part, bits, is_wide, step;
};

// Part i of all parts. The matrix has the rows of A or D, or the columns of B, `pitch` units apart.
static struct part part_of(enum mma_form form, enum mma_operand operand, int i, uint64_t *units, int pitch)
{
    const struct mma_row *row = &rows[form];
    const int parts = mma_parts(form, operand);
    const struct number_place first = place_in_lane_0(row, operand, parts, i / parts, i % parts);
    units += operand == MMA_OF_B ? first.column * pitch + first.row : first.row * pitch + first.column;
    return (struct part){units,
                         i / parts * MMA_LANES,
                         i % parts,
                         unit_bits(format_of(row, operand)),
                         register_bits(row) == 64,
                         lane_step(operand, parts)};
}

static void read_units(enum mma_form form, enum mma_operand operand, const uint32_t *words, uint64_t *units, int pitch)
{
    for (int i = 0; i < rows[form].registers[operand] * mma_parts(form, operand); i++) {
        const struct part of = part_of(form, operand, i, units, pitch);
        for (int lane = 0; lane < MMA_LANES && of.is_wide; lane++)
            of.units[lane / 4 * pitch + lane % 4 * of.step] = wide_unit_at(words, of.at + lane);
        for (int lane = 0; lane < MMA_LANES && !of.is_wide; lane++)
            of.units[lane / 4 * pitch + lane % 4 * of.step] = unit_at(words, of.bits, of.at + lane, of.part);
    }
}

static void put_units_of_d(enum mma_form form, uint32_t *words, uint64_t units[][MMA_N])
{
    for (int i = 0; i < rows[form].registers[MMA_OF_D] * mma_parts(form, MMA_OF_D); i++) {
        const struct part of = part_of(form, MMA_OF_D, i, units[0], MMA_N);
        for (int lane = 0; lane < MMA_LANES; lane++)
            put_unit(words, of.is_wide, of.bits, of.at + lane, of.part,
                     of.units[lane / 4 * MMA_N + lane % 4 * of.step]);
    }
}

static void execute(const struct mma_instruction *of, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    struct mma_matrices matrices;
    read_units(of->form, MMA_OF_A, a, matrices.a[0], MMA_MAX_COLUMN);
    read_units(of->form, MMA_OF_B, b, matrices.b[0], MMA_MAX_COLUMN);
    read_units(of->form, MMA_OF_D, d, matrices.d[0], MMA_N);
    if (rows[of->form].d == NUMBER_F64)
        mma_multiply_doubles(of, &matrices);
    else
        mma_multiply_block(of, &matrices);
    put_units_of_d(of->form, d, matrices.d);
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
    const struct mma_instruction instruction = {.form = form, .rounding = rounding};
    findings_clear(findings);
    if (!is_form(form, 0)) return finding_of_form(findings, "form", (uint64_t)form);
    execute(&instruction, a, b, d);
    return RULE_OK;
}

enum rule mma_execute_sparse(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], const uint32_t *a,
                             const uint32_t *b, uint32_t *d, struct findings *findings)
{
    const struct mma_instruction instruction = {.form = form, .selector = selector, .metadata = metadata};
    findings_clear(findings);
    if (!is_form(form, 1)) return finding_of_form(findings, "form", (uint64_t)form);
    if (selector < 0 || selector > number_most_selector(mma_sparsity(form)))
        return finding_of_form(findings, "sparsity selector", (uint64_t)(int64_t)selector);
    execute(&instruction, a, b, d);
    return RULE_OK;
}
