// SPDX-License-Identifier: MIT
// A load's result in words, read off the bytes alone: where each piece of shared memory came from. The model has no
// part in it, so that the words of a recording are evidence.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "family.h"
#include "load_case.h"
#include "load_job.h"

enum { PIECE_BYTES = 8, UNTOUCHED = -1, FILL = -2, OTHER = -3 };

// What 8 bytes at a shared address are: an offset in the arena's distinct half, or one of the negative kinds.
static int64_t origin_of(const uint8_t *bytes, uint32_t address)
{
    static const uint64_t fills[] = {0, 0x7ff77ff77ff77ff7};
    uint32_t canary[2] = {load_canary(address), load_canary(address + 4)};
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    if (memcmp(bytes, canary, sizeof canary) == 0) return UNTOUCHED;
    if (word == fills[0] || word == fills[1]) return FILL;
    int64_t offset = arena_find(word);
    return offset < 0 ? OTHER : offset;
}

static json_t *run_text(const uint8_t *bytes, uint32_t address, uint32_t size_bytes, int64_t origin)
{
    if (origin == UNTOUCHED) return json_sprintf("smem %04x+%u untouched", address, size_bytes);
    if (origin == FILL) return json_sprintf("smem %04x+%u = fill %02x%02x", address, size_bytes, bytes[1], bytes[0]);
    if (origin >= 0) return json_sprintf("smem %04x+%u = gmem %" PRIx64, address, size_bytes, (uint64_t)origin);
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return json_sprintf("smem %04x+%u = bytes %016" PRIx64, address, size_bytes, word);
}

void load_describe_window(const struct window *window, json_t *lines)
{
    for (uint32_t at = 0, run; at < window->size_bytes; at += run) {
        uint32_t address = (uint32_t)window->base + at;
        int64_t origin = origin_of(window->bytes + at, address);
        for (run = PIECE_BYTES; at + run < window->size_bytes && origin != OTHER; run += PIECE_BYTES) {
            int64_t next = origin_of(window->bytes + at + run, address + run);
            if (next != (origin >= 0 ? origin + run : origin)) break;
        }
        json_array_append_new(lines, run_text(window->bytes + at, address, run, origin));
    }
}

json_t *load_describe(const void *test_case, const struct result *result)
{
    (void)test_case;
    json_t *lines = json_array();
    if (result->windows < 2) return lines;
    load_describe_window(&result->window[1], lines);
    uint64_t word;
    memcpy(&word, result->window[0].bytes, sizeof word);
    json_array_append_new(lines, json_sprintf("mbar %016" PRIx64, word));
    return lines;
}

// Writes `pieces` times the 8 bytes `word`, or the bytes of the arena from `source` on.
static bool put(uint8_t *to, uint32_t size_bytes, uint64_t word, int64_t source)
{
    const struct memory *memory = arena();
    if (source >= 0 && (uint64_t)source + size_bytes > memory->size_bytes) return false;
    if (source >= 0)
        memcpy(to, memory->bytes + source, size_bytes);
    else
        for (uint32_t at = 0; at < size_bytes; at += PIECE_BYTES) memcpy(to + at, &word, PIECE_BYTES);
    return true;
}

int load_restore(const json_t *text, uint8_t *word, uint8_t *shared, uint64_t base, uint32_t size_bytes)
{
    size_t i;
    const json_t *line;
    json_array_foreach(text, i, line)
    {
        const char *string = json_string_value(line) != NULL ? json_string_value(line) : "";
        unsigned long long address, value;
        unsigned bytes;
        char kind[16];
        if (sscanf(string, "mbar %llx", &value) == 1) {
            memcpy(word, &value, sizeof value);
            continue;
        }
        int parts = sscanf(string, "smem %llx+%u = %15s %llx", &address, &bytes, kind, &value);
        if (parts < 2 || address < base || bytes > size_bytes || address - base > size_bytes - bytes || bytes % 8 != 0)
            return 0;
        if (parts == 2) continue; // untouched
        if (parts != 4) return 0;
        bool is_source = strcmp(kind, "gmem") == 0, is_fill = strcmp(kind, "fill") == 0;
        if (!put(shared + (address - base), bytes, is_fill ? value * 0x0001000100010001u : value,
                 is_source ? (int64_t)value : -1))
            return 0;
    }
    return i > 0;
}
