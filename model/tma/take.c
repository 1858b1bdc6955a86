// SPDX-License-Identifier: MIT
// Bytes on their way out of shared memory: each 16-byte chunk is taken from where the swizzle put it.
#include "take.h"

#include <string.h>

#include "swizzle.h"

enum { GATHER_BYTES = 1024 };

static void take_bytes(const struct origin *origin, uint8_t *to, uint32_t from, uint32_t count)
{
    if (origin->swizzle == SWIZZLE_NONE) {
        memcpy(to, origin->bytes + (from - origin->base), count);
        return;
    }
    for (uint32_t done = 0; done < count; done += CHUNK_BYTES)
        memcpy(to + done, origin->bytes + (swizzle_apply(origin->swizzle, from + done) - origin->base), CHUNK_BYTES);
}

static void reduce_bytes(const struct origin *origin, enum reduce_op op, enum dtype dtype, uint8_t *to, uint32_t from,
                         uint32_t count)
{
    uint8_t gathered[GATHER_BYTES];
    const uint32_t element = dtype_row(dtype)->size_bytes;
    if (origin->swizzle == SWIZZLE_NONE) {
        reduce_apply(op, dtype, to, origin->bytes + (from - origin->base), count / element);
        return;
    }
    for (uint32_t done = 0, piece; done < count; done += piece) {
        piece = count - done < GATHER_BYTES ? count - done : GATHER_BYTES;
        take_bytes(origin, gathered, from + done, piece);
        reduce_apply(op, dtype, to + done, gathered, piece / element);
    }
}

void take_rows(const struct origin *origin, const struct rows *rows, uint8_t *to, uint32_t from)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, to);
        take_bytes(origin, to, from, rows->bytes);
        to += rows->step_bytes;
        from += rows->pitch_bytes;
    }
}

void reduce_rows(const struct origin *origin, const struct rows *rows, enum reduce_op op, enum dtype dtype, uint8_t *to,
                 uint32_t from)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, to);
        reduce_bytes(origin, op, dtype, to, from, rows->bytes);
        to += rows->step_bytes;
        from += rows->pitch_bytes;
    }
}
