// SPDX-License-Identifier: MIT
// Bytes on their way into shared memory: one XOR constant per 128-byte line, a conversion where the type has one.
#include "move.h"

#include <string.h>

#include "copy.h"
#include "swizzle.h"

enum { CACHE_LINE_BYTES = 64, PREFETCH_ROWS = 8 };

uint16_t oob_fill_pattern(enum tensormap_oob_fill fill)
{
    return fill == OOB_FILL_NAN_REQUEST_ZERO_FMA ? 0x7ff7 : 0;
}

uint32_t tf32_round(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7fffffff, infinity = 0x7f800000, dropped = 13;
    if (magnitude > infinity) return 0x7fffe000;
    if (magnitude == infinity) return bits;
    uint32_t tie_to_even = bits >> dropped & 1;
    return (bits + (1u << (dropped - 1)) - 1 + tie_to_even) & ~((1u << dropped) - 1);
}

// Copies `count` bytes to shared address `to`; a piece never crosses a 128-byte line, where the XOR changes.
void put_bytes(const struct sink *sink, uint32_t to, const uint8_t *from, uint32_t count)
{
    if (sink->swizzle == SWIZZLE_NONE) {
        memcpy(sink->bytes + (to - sink->base), from, count);
        return;
    }
    while (count > 0) {
        uint32_t xor = swizzle_xor(sink->swizzle, to), piece = CHUNK_BYTES - to % CHUNK_BYTES;
        if (to % LINE_BYTES == 0 && count >= LINE_BYTES) {
            uint8_t *line = sink->bytes + (to - sink->base);
            for (uint32_t chunk = 0; chunk < LINE_BYTES; chunk += CHUNK_BYTES)
                memcpy(line + (chunk ^ xor), from + chunk, CHUNK_BYTES);
            to += LINE_BYTES, from += LINE_BYTES, count -= LINE_BYTES;
            continue;
        }
        if (piece > count) piece = count;
        memcpy(sink->bytes + ((to ^ xor) - sink->base), from, piece);
        to += piece, from += piece, count -= piece;
    }
}

static void put_fill(const struct sink *sink, uint32_t to, uint16_t pattern, uint32_t count)
{
    uint16_t line[LINE_BYTES / 2];
    for (int i = 0; i < LINE_BYTES / 2; i++) line[i] = pattern;
    for (uint32_t done = 0; done < count; done += LINE_BYTES) {
        uint32_t piece = count - done < LINE_BYTES ? count - done : LINE_BYTES;
        put_bytes(sink, to + done, (const uint8_t *)line, piece);
    }
}

// TF32 runs are converted a line at a time on their way.
static void put_tf32(const struct sink *sink, uint32_t to, const uint8_t *from, uint32_t count)
{
    uint32_t line[LINE_BYTES / 4];
    for (uint32_t done = 0; done < count; done += LINE_BYTES) {
        uint32_t piece = count - done < LINE_BYTES ? count - done : LINE_BYTES;
        memcpy(line, from + done, piece);
        for (uint32_t i = 0; i < piece / 4; i++) line[i] = tf32_round(line[i]);
        put_bytes(sink, to + done, (const uint8_t *)line, piece);
    }
}

void rows_prefetch(const struct rows *rows, uint32_t row, const uint8_t *at)
{
    uintptr_t later = (uintptr_t)at + PREFETCH_ROWS * rows->step_bytes;
    if (rows->count - row <= PREFETCH_ROWS) return;
    for (uint32_t line = 0; line < rows->bytes; line += CACHE_LINE_BYTES)
        __builtin_prefetch((const void *)(later + line));
}

void put_rows(const struct sink *sink, const struct rows *rows, int is_tf32, uint32_t to, const uint8_t *from)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        rows_prefetch(rows, row, from);
        if (is_tf32)
            put_tf32(sink, to, from, rows->bytes);
        else
            put_bytes(sink, to, from, rows->bytes);
        to += rows->pitch_bytes;
        from += rows->step_bytes;
    }
}

void put_fill_rows(const struct sink *sink, const struct rows *rows, uint16_t pattern, uint32_t to)
{
    for (uint32_t row = 0; row < rows->count; row++) put_fill(sink, to + row * rows->pitch_bytes, pattern, rows->bytes);
}
