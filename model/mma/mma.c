// SPDX-License-Identifier: MIT
// The table of forms, the fragments, and the instruction as a loop over the elements of D.
#include "mma.h"

#include <string.h>

static const struct mma_row rows[MMA_FORMS] = {
#define ROW(X, m, n, k, D, A, B, d, a, b, tail, nd, na, nb)                                                            \
    {"m" #m "n" #n "k" #k "." #d "." #a "." #b MMA_NAME_##tail,                                                        \
     m,                                                                                                                \
     k,                                                                                                                \
     WGMMA_##D,                                                                                                        \
     WGMMA_##A,                                                                                                        \
     WGMMA_##B,                                                                                                        \
     MMA_##tail,                                                                                                       \
     {na, nb, nd}},
    MMA_ROWS(ROW, )
#undef ROW
};

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

static enum wgmma_format format_of(const struct mma_row *row, enum mma_operand operand)
{
    return operand == MMA_OF_A ? row->a : operand == MMA_OF_B ? row->b : row->d;
}

static int unit_bits(enum wgmma_format format)
{
    return format == WGMMA_B1 ? 32 : wgmma_format_row(format)->size_bits;
}

static int register_bits(const struct mma_row *row)
{
    return row->d == WGMMA_F64 ? 64 : 32;
}

int mma_units(enum mma_form form)
{
    return rows[form].a == WGMMA_B1 ? rows[form].k / 32 : rows[form].k;
}

int mma_parts(enum mma_form form, enum mma_operand operand)
{
    return register_bits(&rows[form]) / unit_bits(format_of(&rows[form], operand));
}

struct wgmma_place mma_place(enum mma_form form, enum mma_operand operand, int lane, int index, int part)
{
    int parts = mma_parts(form, operand), halves = rows[form].m / 8; // of the 16 rows, two registers side by side
    if (operand == MMA_OF_B) return (struct wgmma_place){(index * 4 + lane % 4) * parts + part, lane / 4};
    if (operand == MMA_OF_A)
        return (struct wgmma_place){lane / 4 + index % halves * 8, (index / halves * 4 + lane % 4) * parts + part};
    int element = index * parts + part;
    return (struct wgmma_place){lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
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

static void read_operand(enum mma_form form, enum mma_operand operand, const uint32_t *words,
                         struct mma_vector *vectors)
{
    const struct mma_row *row = &rows[form];
    uint64_t units[MMA_MAX_M][MMA_MAX_UNITS];
    int count = operand == MMA_OF_A ? row->m : MMA_N;
    for (int lane = 0; lane < MMA_LANES; lane++) {
        for (int i = 0; i < row->registers[operand] * mma_parts(form, operand); i++) {
            int index = i / mma_parts(form, operand), part = i % mma_parts(form, operand);
            struct wgmma_place at = mma_place(form, operand, lane, index, part);
            uint64_t unit = unit_at(row, operand, words, lane, index, part);
            if (operand == MMA_OF_A)
                units[at.row][at.column] = unit;
            else
                units[at.column][at.row] = unit;
        }
    }
    for (int i = 0; i < count; i++) mma_vector_read(form, operand, units[i], &vectors[i]);
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

void mma_execute(enum mma_form form, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    const struct mma_row *row = &rows[form];
    struct mma_vector of_a[MMA_MAX_M], of_b[MMA_N];
    int parts = mma_parts(form, MMA_OF_D);
    read_operand(form, MMA_OF_A, a, of_a);
    read_operand(form, MMA_OF_B, b, of_b);
    for (int lane = 0; lane < MMA_LANES; lane++) {
        for (int i = 0; i < row->registers[MMA_OF_D] * parts; i++) {
            struct wgmma_place at = mma_place(form, MMA_OF_D, lane, i / parts, i % parts);
            uint64_t c = unit_at(row, MMA_OF_D, d, lane, i / parts, i % parts);
            put_unit(row, d, lane, i / parts, i % parts, mma_dot(form, &of_a[at.row], &of_b[at.column], c));
        }
    }
}
