// SPDX-License-Identifier: MIT
// A mismatch of the family "matrix" in words: a register or an element of shared memory, and the row it belongs to.
#include <string.h>

#include "matrix_case.h"

static enum rule explain_register(const struct matrix_case *c, uint32_t index, uint32_t want, uint32_t got, FILE *out)
{
    const struct matrix_form_row *row = matrix_form_row(c->form);
    int lane = (int)(index % MATRIX_LANES), matrix = (int)(index / MATRIX_LANES);
    int part = ((want ^ got) & 0xffff) == 0, first = row->is_trans ? lane % 4 * 2 + part : lane / 4;
    int column = row->is_trans ? lane / 4 : lane % 4 * 2 + part;
    fprintf(out, "    %s: lane %d, register %d: 0x%x expected, 0x%x found\n", row->name, lane, matrix, want, got);
    if (row->is_store || matrix >= row->count)
        fprintf(out, "    the instruction does not write it\n");
    else
        fprintf(out, "    the %s half is row %d, column %d of matrix %d: lane %d's address, 0x%x\n",
                part ? "upper" : "lower", first, column, matrix, matrix * MATRIX_ROWS + first,
                c->address[matrix * MATRIX_ROWS + first]);
    return RULE_MATRIX_LANES;
}

static enum rule explain_shared(const struct matrix_case *c, uint32_t address, uint32_t want, uint32_t got, FILE *out)
{
    const struct matrix_form_row *row = matrix_form_row(c->form);
    fprintf(out, "    %s: shared memory at 0x%x: 0x%x expected, 0x%x found\n", row->name, address, want, got);
    int writers = 0;
    for (int lane = 0; row->is_store && lane < row->count * MATRIX_ROWS; lane++)
        if (address >= c->address[lane] && address - c->address[lane] < MATRIX_ROW_BYTES) {
            writers++;
            fprintf(out, "    it is in row %d of matrix %d, at lane %d's address, 0x%x\n", lane % MATRIX_ROWS,
                    lane / MATRIX_ROWS, lane, c->address[lane]);
        }
    return writers > 1 ? RULE_MATRIX_SAME_ROW : RULE_MATRIX_LANES;
}

enum rule matrix_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 4);
    uint32_t want = (uint32_t)words.expected, got = (uint32_t)words.found, word = difference->at / 4;
    if (difference->window == 0) return explain_register(test_case, word, want, got, out);
    return explain_shared(test_case, (uint32_t)difference->expected->base + 4 * word, want, got, out);
}
