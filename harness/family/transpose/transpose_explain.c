// SPDX-License-Identifier: MIT
// What a mismatch of a transposition means: the first byte that differs, as an element of the output or of a buffer.
#include <inttypes.h>

#include "picture/swizzle_names.h"
#include "transpose_case.h"

enum rule transpose_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct transpose_case *c = test_case;
    uint32_t at = difference->at;
    const enum rule swizzle = swizzle_name((enum tensormap_swizzle)c->swizzle)->rule;
    if (difference->window != 0) return swizzle; // the buffers: the place says all
    uint32_t end = c->columns * c->result_pitch, byte = at - TRANSPOSE_GUARD_BYTES;
    if (at < TRANSPOSE_GUARD_BYTES || byte >= end) {
        fprintf(out, "    it is outside of the output\n");
        return RULE_STORE_BOUNDS;
    }
    uint32_t row = byte / c->result_pitch, column = byte % c->result_pitch / c->element_bytes;
    if (column >= c->rows) {
        fprintf(out, "    it is behind row %u of the output\n", row);
        return RULE_STORE_GRANULE;
    }
    fprintf(out, "    it is element (%u, %u) of the output, (%u, %u) of the source\n", row, column, column, row);
    return swizzle;
}
