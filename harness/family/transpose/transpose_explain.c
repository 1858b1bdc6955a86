// SPDX-License-Identifier: MIT
// What a mismatch of a transposition means: the first byte that differs, as an element of the output or of a buffer.
#include <inttypes.h>

#include "transpose_case.h"

void transpose_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct transpose_case *c = test_case;
    uint32_t at = difference->at;
    if (difference->window != 0) return; // the buffers: the place says all
    uint32_t end = c->columns * c->result_pitch, byte = at - TRANSPOSE_GUARD_BYTES;
    if (at < TRANSPOSE_GUARD_BYTES || byte >= end) {
        fprintf(out, "    it is outside of the output: likely rule STORE_COORD_NEGATIVE or TILE_BOUNDS\n");
        return;
    }
    uint32_t row = byte / c->result_pitch, column = byte % c->result_pitch / c->element_bytes;
    if (column >= c->rows)
        fprintf(out, "    it is behind row %u of the output: likely rule STORE_GRANULE\n", row);
    else
        fprintf(out, "    it is element (%u, %u) of the output, (%u, %u) of the source\n", row, column, column, row);
}
