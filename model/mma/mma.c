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

// A unit of 64 bits, in two words of a register of the lanes.
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

// How an operand lies in registers, and where its matrix is: the rows of A or D, or the columns of B, `pitch` apart.
// The parts of a register lie side by side.
struct fragment {
    const struct mma_row *row;
    enum mma_operand operand;
    uint64_t *units;
    int pitch, parts, bits, is_wide, step;
};

static struct fragment fragment_of(enum mma_form form, enum mma_operand operand, uint64_t *units, int pitch)
{
    const struct mma_row *row = &rows[form];
    const int parts = mma_parts(form, operand);
    return (struct fragment){.row = row,
                             .operand = operand,
                             .units = units,
                             .pitch = pitch,
                             .parts = parts,
                             .bits = unit_bits(format_of(row, operand)),
                             .is_wide = register_bits(row) == 64,
                             .step = lane_step(operand, parts)};
}

// The first unit of a register in lane 0.
static uint64_t *first_unit(const struct fragment *of, int index)
{
    const struct number_place first = place_in_lane_0(of->row, of->operand, of->parts, index, 0);
    return of->units +
           (of->operand == MMA_OF_B ? first.column * of->pitch + first.row : first.row * of->pitch + first.column);
}

// One register of all lanes, of `parts` parts.
static inline __attribute__((always_inline)) void read_register(const struct fragment *of, const uint32_t *words,
                                                                uint64_t *to, const int parts)
{
    const int bits = 32 / parts;
    for (int lane = 0; lane < MMA_LANES; lane += 4, to += of->pitch)
        for (int k = 0; k < 4; k++)
            for (int part = 0; part < parts; part++)
                to[k * of->step + part] = words[lane + k] >> bits * part & UINT32_MAX >> (32 - bits);
}

static void read_wide_register(const struct fragment *of, const uint32_t *words, uint64_t *to)
{
    for (int lane = 0; lane < MMA_LANES; lane++)
        to[lane / 4 * of->pitch + lane % 4 * of->step] = wide_unit_at(words, lane);
}

static void read_units(const struct fragment *of, const uint32_t *words)
{
    for (int i = 0; i < of->row->registers[of->operand]; i++) {
        uint64_t *const to = first_unit(of, i);
        const uint32_t *const from = words + i * MMA_LANES * (of->is_wide ? 2 : 1);
        if (of->is_wide)
            read_wide_register(of, from, to);
        else if (of->parts == 1)
            read_register(of, from, to, 1);
        else if (of->parts == 2)
            read_register(of, from, to, 2);
        else if (of->parts == 4)
            read_register(of, from, to, 4);
        else
            read_register(of, from, to, 8);
    }
}

static void put_units(const struct fragment *of, uint32_t *words)
{
    for (int i = 0; i < of->row->registers[of->operand]; i++) {
        const uint64_t *const from = first_unit(of, i);
        for (int lane = 0; lane < MMA_LANES; lane++)
            for (int part = 0; part < of->parts; part++)
                put_unit(words, of->is_wide, of->bits, i * MMA_LANES + lane, part,
                         from[lane / 4 * of->pitch + lane % 4 * of->step + part]);
    }
}

static void execute(const struct mma_instruction *of, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    struct mma_matrices matrices;
    const struct fragment of_a = fragment_of(of->form, MMA_OF_A, matrices.a[0], MMA_MAX_COLUMN),
                          of_b = fragment_of(of->form, MMA_OF_B, matrices.b[0], MMA_MAX_COLUMN),
                          of_d = fragment_of(of->form, MMA_OF_D, matrices.d[0], MMA_N);
    read_units(&of_a, a);
    read_units(&of_b, b);
    read_units(&of_d, d);
    if (rows[of->form].d == NUMBER_F64)
        mma_multiply_doubles(of, &matrices);
    else
        mma_multiply_block(of, &matrices);
    put_units(&of_d, d);
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
