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
// The four lanes of a row of A, or of a column of B, have neighbouring units of K: a piece of 16 bytes in each
// register, of f64 32. A register of D has two columns of f16, or every other one.

enum { QUAD = 4, QUADS = MMA_LANES / QUAD };

// The pieces of A or B of `words`, to rows (or columns) that are `pitch` bytes apart.
static void read_pieces(const struct mma_row *row, enum mma_operand operand, const uint32_t *words, uint8_t *to,
                        size_t pitch)
{
    const int halves = operand == MMA_OF_A ? row->m / QUADS : 1; // of the 16 rows, two registers side by side
    const size_t bytes = QUAD * (row->d == NUMBER_F64 ? sizeof(uint64_t) : sizeof(uint32_t));
    for (int i = 0; i < row->registers[operand]; i++) {
        const uint8_t *from = (const uint8_t *)words + (size_t)i * QUADS * bytes;
        uint8_t *first = to + (size_t)(i % halves * QUADS) * pitch + (size_t)(i / halves) * bytes;
        for (size_t quad = 0; quad < QUADS; quad++) {
            if (bytes == QUAD * sizeof(uint32_t)) // known sizes are moved at once
                memcpy(first + quad * pitch, from + quad * bytes, QUAD * sizeof(uint32_t));
            else
                memcpy(first + quad * pitch, from + quad * bytes, QUAD * sizeof(uint64_t));
        }
    }
}

// Two registers, or one of f16, are eight rows of D.
static void read_d(const struct mma_row *row, const uint32_t *restrict words, uint32_t *restrict d)
{
    const bool is_f16 = row->d == NUMBER_F16;
    for (int first = 0; first < row->m; first += QUADS, words += (is_f16 ? 1 : 2) * MMA_LANES, d += 2 * MMA_LANES) {
        for (int lane = 0; lane < MMA_LANES && is_f16; lane++) {
            d[2 * lane] = words[lane] & 0xffff;
            d[2 * lane + 1] = words[lane] >> 16;
        }
        for (int lane = 0; lane < MMA_LANES && !is_f16; lane++) {
            d[2 * lane] = words[lane];
            d[2 * lane + 1] = words[MMA_LANES + lane];
        }
    }
}

static void write_d(const struct mma_row *row, const uint32_t *restrict d, uint32_t *restrict words)
{
    const bool is_f16 = row->d == NUMBER_F16;
    for (int first = 0; first < row->m; first += QUADS, words += (is_f16 ? 1 : 2) * MMA_LANES, d += 2 * MMA_LANES) {
        for (int lane = 0; lane < MMA_LANES && is_f16; lane++) words[lane] = d[2 * lane] | d[2 * lane + 1] << 16;
        for (int lane = 0; lane < MMA_LANES && !is_f16; lane++) {
            words[lane] = d[2 * lane];
            words[MMA_LANES + lane] = d[2 * lane + 1];
        }
    }
}

static void read_doubles(const struct mma_row *row, const uint32_t *words, double (*d)[MMA_N])
{
    for (int first = 0; first < row->m; first += QUADS, words += 4 * MMA_LANES)
        for (int lane = 0; lane < MMA_LANES; lane++)
            for (int part = 0; part < 2; part++)
                memcpy(&d[first + lane / QUAD][2 * (lane % QUAD) + part], words + 2 * (part * MMA_LANES + lane),
                       sizeof(double));
}

static void write_doubles(const struct mma_row *row, double (*d)[MMA_N], uint32_t *words)
{
    for (int first = 0; first < row->m; first += QUADS, words += 4 * MMA_LANES)
        for (int lane = 0; lane < MMA_LANES; lane++)
            for (int part = 0; part < 2; part++)
                memcpy(words + 2 * (part * MMA_LANES + lane), &d[first + lane / QUAD][2 * (lane % QUAD) + part],
                       sizeof(double));
}

static void execute_doubles(const struct mma_instruction *of, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    struct mma_doubles doubles;
    const struct mma_row *row = &rows[of->form];
    read_pieces(row, MMA_OF_A, a, (uint8_t *)doubles.a, sizeof doubles.a[0]);
    read_pieces(row, MMA_OF_B, b, (uint8_t *)doubles.b, sizeof doubles.b[0]);
    read_doubles(row, d, doubles.d);
    mma_multiply_doubles(of, &doubles);
    write_doubles(row, doubles.d, d);
}

// Is the A that is kept this one? If not, it will be.
static bool is_kept(const struct mma_instruction *of, const uint32_t *a)
{
    struct mma_kept *kept = of->kept;
    const size_t bytes = (size_t)rows[of->form].registers[MMA_OF_A] * MMA_LANES * sizeof *a;
    if (kept->is_there && kept->form == of->form && memcmp(kept->words, a, bytes) == 0) return true;
    kept->is_there = false;
    kept->form = of->form;
    memcpy(kept->words, a, bytes);
    return false;
}

static void execute(const struct mma_instruction *of, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    _Alignas(32) struct mma_tile tile;
    const struct mma_row *row = &rows[of->form];
    if (row->d == NUMBER_F64) {
        execute_doubles(of, a, b, d);
        return;
    }
    if (of->kept == NULL || !is_kept(of, a)) {
        if (row->registers[MMA_OF_A] <= row->m / QUADS) memset(tile.a, 0, sizeof tile.a);
        read_pieces(row, MMA_OF_A, a, tile.a[0], MMA_A_BYTES);
    }
    read_pieces(row, MMA_OF_B, b, tile.b[0], MMA_B_BYTES);
    read_d(row, d, tile.d[0]);
    mma_multiply_block(of, &tile);
    write_d(row, tile.d[0], d);
}

// f64 is not kept, and .xor counts the bits of A.
void mma_execute_keeping(enum mma_form form, enum number_rounding rounding, const uint32_t *a, const uint32_t *b,
                         uint32_t *d, struct mma_kept *kept)
{
    const bool may_keep = rows[form].d != NUMBER_F64 && rows[form].a != NUMBER_B1;
    const struct mma_instruction of = {.form = form, .rounding = rounding, .kept = may_keep ? kept : NULL};
    execute(&of, a, b, d);
}

// Is there such a form, sparse or dense as asked?
static bool is_form(enum mma_form form, bool is_sparse)
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
    if (!is_form(form, false)) return finding_of_form(findings, "form", (uint64_t)form);
    execute(&instruction, a, b, d);
    return RULE_OK;
}

enum rule mma_execute_sparse(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], const uint32_t *a,
                             const uint32_t *b, uint32_t *d, struct findings *findings)
{
    const struct mma_instruction instruction = {.form = form, .selector = selector, .metadata = metadata};
    findings_clear(findings);
    if (!is_form(form, true)) return finding_of_form(findings, "form", (uint64_t)form);
    if (selector < 0 || selector > number_most_selector(mma_sparsity(form)))
        return finding_of_form(findings, "sparsity selector", (uint64_t)(int64_t)selector);
    execute(&instruction, a, b, d);
    return RULE_OK;
}
