// SPDX-License-Identifier: MIT
// What a mismatch of a transposition means: the first byte that differs, as an element of the output or of a buffer.
#include <inttypes.h>

#include "transpose_case.h"

static void explain_output(const struct transpose_case *c, uint32_t at, FILE *out)
{
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

void transpose_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct transpose_case *c = test_case;
    for (int i = 0; i < expected->windows && i < found->windows; i++) {
        const struct window *want = &expected->window[i], *got = &found->window[i];
        uint32_t at = 0;
        while (at < want->size_bytes && want->bytes[at] == got->bytes[at]) at++;
        if (at == want->size_bytes) continue;
        fprintf(out, "    %s 0x%" PRIx64 ": expected %02x, found %02x\n", want->name, want->base + at, want->bytes[at],
                got->bytes[at]);
        if (i == 0) explain_output(c, at, out);
    }
}
