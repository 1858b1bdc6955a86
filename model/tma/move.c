// SPDX-License-Identifier: MIT
// Bytes on their way into shared memory and out of it: one XOR constant per 128-byte line, a conversion where the type
// has one.
#include "move.h"

#include <string.h>

#include "copy.h"
#include "hopper.h"
#include "reducer.h"
#include "swizzle.h"

enum { CACHE_LINE_BYTES = 64, PREFETCH_ROWS = 8, PREFETCH_BYTES = 256, GATHER_BYTES = 1024 };

uint16_t oob_fill_pattern(enum tensormap_oob_fill fill)
{
    return fill == OOB_FILL_NAN_REQUEST_ZERO_FMA ? HOPPER_FILL_NAN : 0;
}

uint32_t tf32_round(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7fffffff, infinity = 0x7f800000, dropped = 13;
    if (magnitude > infinity) return HOPPER_TF32_NAN;
    if (magnitude == infinity) return bits;
    uint32_t tie_to_even = bits >> dropped & 1;
    return (bits + (1u << (dropped - 1)) - 1 + tie_to_even) & ~((1u << dropped) - 1);
}

// The chunks of a line trade places. Written out: compilers leave a loop a loop.
static inline void put_chunk(uint8_t *line, const uint8_t *from, uint32_t chunk, uint32_t xor)
{
    memcpy(line + (chunk ^ xor), from + chunk, CHUNK_BYTES);
}

static inline void put_line(uint8_t *line, const uint8_t *from, uint32_t xor)
{
    put_chunk(line, from, 0, xor), put_chunk(line, from, 16, xor);
    put_chunk(line, from, 32, xor), put_chunk(line, from, 48, xor);
    put_chunk(line, from, 64, xor), put_chunk(line, from, 80, xor);
    put_chunk(line, from, 96, xor), put_chunk(line, from, 112, xor);
}

// Copies `count` bytes to shared address `to`; a piece never crosses a 128-byte line, where the XOR changes.
static inline void put_bytes(const struct swizzled *shared, uint32_t to, const uint8_t *from, uint32_t count)
{
    if (shared->swizzle == SWIZZLE_NONE) {
        memcpy(shared->bytes + (to - shared->base), from, count);
        return;
    }
    for (uint32_t piece; count > 0; to += piece, from += piece, count -= piece) {
        uint32_t xor = swizzle_xor(shared->swizzle, to);
        piece = CHUNK_BYTES - to % CHUNK_BYTES;
        if (to % LINE_BYTES == 0 && count >= LINE_BYTES) {
            piece = LINE_BYTES;
            put_line(shared->bytes + (to - shared->base), from, xor);
            continue;
        }
        if (piece > count) piece = count;
        memcpy(shared->bytes + ((to ^ xor) - shared->base), from, piece);
    }
}

static void put_fill(const struct swizzled *shared, uint32_t to, uint16_t pattern, uint32_t count)
{
    uint16_t line[LINE_BYTES / 2];
    for (int i = 0; i < LINE_BYTES / 2; i++) line[i] = pattern;
    for (uint32_t done = 0; done < count; done += LINE_BYTES) {
        uint32_t piece = count - done < LINE_BYTES ? count - done : LINE_BYTES;
        put_bytes(shared, to + done, (const uint8_t *)line, piece);
    }
}

// TF32 runs are converted a line at a time on their way.
static void put_tf32(const struct swizzled *shared, uint32_t to, const uint8_t *from, uint32_t count)
{
    uint32_t line[LINE_BYTES / 4];
    for (uint32_t done = 0; done < count; done += LINE_BYTES) {
        uint32_t piece = count - done < LINE_BYTES ? count - done : LINE_BYTES;
        memcpy(line, from + done, piece);
        for (uint32_t i = 0; i < piece / 4; i++) line[i] = tf32_round(line[i]);
        put_bytes(shared, to + done, (const uint8_t *)line, piece);
    }
}

// Asks for a row of global memory that comes later, `at` being row number `row`, and for as many bytes further on,
// which the next boxes mostly take: rows of a tensor lie far apart, where no hardware prefetcher looks. They come into
// the second level of the cache: rows a power of two apart are too many for their few places in the first.
static void rows_prefetch(const struct rows *rows, uint32_t row, const uint8_t *at)
{
    uintptr_t later = (uintptr_t)at + PREFETCH_ROWS * rows->step_bytes;
    if (rows->count - row <= PREFETCH_ROWS) return;
    const uint32_t behind = rows->bytes > PREFETCH_BYTES ? rows->bytes : PREFETCH_BYTES;
    for (uint32_t line = 0; line < rows->bytes; line += CACHE_LINE_BYTES) {
        __builtin_prefetch((const void *)(later + line), 0, 2);
        __builtin_prefetch((const void *)(later + behind + line), 0, 2);
    }
}

void put_rows(const struct swizzled *shared, const struct rows *rows, bool is_tf32, uint32_t to, const uint8_t *from)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, from);
        if (is_tf32)
            put_tf32(shared, to, from, rows->bytes);
        else
            put_bytes(shared, to, from, rows->bytes);
        to += rows->pitch_bytes;
        from += rows->step_bytes;
    }
}

void put_fill_rows(const struct swizzled *shared, const struct rows *rows, uint16_t pattern, uint32_t to)
{
    for (uint32_t row = 0; row < rows->count; row++)
        put_fill(shared, to + row * rows->pitch_bytes, pattern, rows->bytes);
}

// --- Out of shared memory: each 16-byte chunk is taken from where the swizzle put it ---------------------------------

static void take_bytes(const struct swizzled *shared, uint8_t *to, uint32_t from, uint32_t count)
{
    if (shared->swizzle == SWIZZLE_NONE) {
        memcpy(to, shared->bytes + (from - shared->base), count);
        return;
    }
    for (uint32_t done = 0, piece; done < count; done += piece) {
        uint32_t at = from + done, xor = swizzle_xor(shared->swizzle, at);
        bool is_line = at % LINE_BYTES == 0 && count - done >= LINE_BYTES;
        piece = is_line ? LINE_BYTES : CHUNK_BYTES;
        if (is_line)
            put_line(to + done, shared->bytes + (at - shared->base), xor); // its own inverse
        else
            memcpy(to + done, shared->bytes + ((at ^ xor) - shared->base), CHUNK_BYTES);
    }
}

static void reduce_bytes(const struct swizzled *shared, const struct reducer *reducer, uint8_t *to, uint32_t from,
                         uint32_t count)
{
    uint8_t gathered[GATHER_BYTES];
    if (shared->swizzle == SWIZZLE_NONE) {
        reducer->run(to, shared->bytes + (from - shared->base), count);
        return;
    }
    for (uint32_t done = 0, piece; done < count; done += piece) {
        piece = count - done < GATHER_BYTES ? count - done : GATHER_BYTES;
        take_bytes(shared, gathered, from + done, piece);
        reducer->run(to + done, gathered, piece);
    }
}

void take_rows(const struct swizzled *shared, const struct rows *rows, uint8_t *to, uint32_t from)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, to);
        take_bytes(shared, to, from, rows->bytes);
        to += rows->step_bytes;
        from += rows->pitch_bytes;
    }
}

void reduce_rows(const struct swizzled *shared, const struct rows *rows, enum reduce_op op, enum dtype dtype,
                 uint8_t *to, uint32_t from)
{
    const struct reducer reducer = reducer_begin(op, dtype);
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, to);
        reduce_bytes(shared, &reducer, to, from, rows->bytes);
        to += rows->step_bytes;
        from += rows->pitch_bytes;
    }
    reducer_end(&reducer);
}
