// SPDX-License-Identifier: MIT
// Bytes on their way out of shared memory: each 16-byte chunk is taken from where the swizzle put it.
#include "take.h"

#include <string.h>

#include "reducer.h"
#include "swizzle.h"

enum { GATHER_BYTES = 1024 };

// Where a store reads: shared address `base` is at `bytes`.
struct origin {
    const uint8_t *bytes;
    uint32_t base;
    enum tensormap_swizzle swizzle;
};

static void take_bytes(const struct origin *origin, uint8_t *to, uint32_t from, uint32_t count)
{
    if (origin->swizzle == SWIZZLE_NONE) {
        memcpy(to, origin->bytes + (from - origin->base), count);
        return;
    }
    for (uint32_t done = 0; done < count; done += CHUNK_BYTES)
        memcpy(to + done, origin->bytes + (swizzle_apply(origin->swizzle, from + done) - origin->base), CHUNK_BYTES);
}

static void reduce_bytes(const struct origin *origin, const struct reducer *reducer, uint8_t *to, uint32_t from,
                         uint32_t count)
{
    uint8_t gathered[GATHER_BYTES];
    if (origin->swizzle == SWIZZLE_NONE) {
        reducer->run(to, origin->bytes + (from - origin->base), count);
        return;
    }
    for (uint32_t done = 0, piece; done < count; done += piece) {
        piece = count - done < GATHER_BYTES ? count - done : GATHER_BYTES;
        take_bytes(origin, gathered, from + done, piece);
        reducer->run(to + done, gathered, piece);
    }
}

static void copy_rows(const struct origin *origin, const struct rows *rows, uint8_t *to, uint32_t from)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, to);
        take_bytes(origin, to, from, rows->bytes);
        to += rows->step_bytes;
        from += rows->pitch_bytes;
    }
}

static void reduce_rows(const struct origin *origin, const struct rows *rows, enum reduce_op op, enum dtype dtype,
                        uint8_t *to, uint32_t from)
{
    const struct reducer reducer = reducer_begin(op, dtype);
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, to);
        reduce_bytes(origin, &reducer, to, from, rows->bytes);
        to += rows->step_bytes;
        from += rows->pitch_bytes;
    }
    reducer_end(&reducer);
}

void take_rows(const struct transfer *t, const struct rows *rows, const struct tile_run *run)
{
    struct origin origin = {t->shared_memory->bytes, (uint32_t)t->shared_memory->base, t->map->swizzle};
    uint8_t *to = t->global_memory->bytes + (run->address - t->global_memory->base);
    uint32_t from = t->shared + run->offset;
    if (t->op == NO_OP)
        copy_rows(&origin, rows, to, from);
    else
        reduce_rows(&origin, rows, (enum reduce_op)t->op, t->map->dtype, to, from);
}

int take_find_unmapped(const struct transfer *t, const struct rows *rows, const struct tile_run *run,
                       uint64_t *unmapped)
{
    uint64_t all_bytes = (rows->count - 1) * rows->step_bytes + rows->bytes;
    if (memory_at(t->global_memory, run->address, all_bytes) != NULL) return 0;
    for (uint32_t row = 0; row < rows->count; row++) {
        *unmapped = run->address + row * rows->step_bytes;
        if (memory_at(t->global_memory, *unmapped, rows->bytes) == NULL) return 1;
    }
    return 0;
}
