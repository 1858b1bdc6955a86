// SPDX-License-Identifier: MIT
// A fat binary is a header and entries behind it, each with a header of its own. Seen in what nvcc 13.0 makes:
//   container  magic, u16 version, u16 bytes of this header, u64 bytes of all entries
//   entry      u16 kind, u16 version, u32 bytes of this header, u64 bytes of the payload with its padding,
//              u32 bytes of the payload if it is compressed, ..., u32 GPU at 28, u64 flags at 40, u64 bytes when
//              unpacked at 56
#include "fatbin.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cubin.h"
#include "debug_ptx.h"

static const char magic[] = "\x50\xed\x55\xba";

#define FLAG_LZ4     0x2000u
#define FLAG_ZSTD    0x8000u
#define FLAG_OF_ARCH 0x100000u // sm_90a: features of that GPU alone
#define MOST_BYTES   ((uint64_t)1 << 30)

enum { BOMB_BYTES = 1 << 24, BOMB_TIMES = 500 };
enum { KIND_PTX = 1, KIND_CUBIN = 2, OUR_GPU = 90 };
enum { CONTAINER_HEADER_BYTES = FATBIN_HEADER_BYTES, ENTRY_HEADER_BYTES = 64 };

struct entry {
    uint16_t kind;
    uint32_t gpu;
    uint64_t flags, packed_bytes, text_bytes; // text_bytes: unpacked
    const uint8_t *payload;
};

struct reader {
    const uint8_t *at, *end;
};

static uint64_t number_at(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;
    memcpy(&number, at, bytes);
    return number;
}

bool fatbin_is(const void *image)
{
    return strncmp(image, magic, sizeof magic - 1) == 0;
}

size_t fatbin_bytes(const void *image, size_t size_bytes)
{
    if (!fatbin_is(image)) return 0;
    const uint64_t header = number_at((const uint8_t *)image + 6, 2), rest = number_at((const uint8_t *)image + 8, 8);
    if (rest > MOST_BYTES) return 0;
    return header + rest < size_bytes ? header + rest : size_bytes;
}

// The next entry; 0 at the end, -1 if the sizes do not fit.
static int next_entry(struct reader *reader, struct entry *entry)
{
    const uint64_t left = (uint64_t)(reader->end - reader->at);
    if (left == 0) return 0;
    if (left < ENTRY_HEADER_BYTES) return -1;
    const uint64_t header_bytes = number_at(reader->at + 4, 4), payload_bytes = number_at(reader->at + 8, 8);
    if (header_bytes < ENTRY_HEADER_BYTES || header_bytes > left || payload_bytes > left - header_bytes) return -1;
    *entry = (struct entry){.kind = (uint16_t)number_at(reader->at, 2),
                            .gpu = (uint32_t)number_at(reader->at + 28, 4),
                            .flags = number_at(reader->at + 40, 8),
                            .packed_bytes = number_at(reader->at + 16, 4),
                            .text_bytes = number_at(reader->at + 56, 8),
                            .payload = reader->at + header_bytes};
    if (entry->packed_bytes == 0) entry->packed_bytes = payload_bytes;
    if (entry->packed_bytes > payload_bytes) return -1;
    reader->at += header_bytes + payload_bytes;
    return 1;
}

// How well an entry fits sm_90a: 0 not at all; PTX with its own features first, then the PTX that machine code for it
// may hold, which lacks the lines of the source, then the newest other PTX.
static uint32_t fit_of(const struct entry *entry)
{
    enum { OLDER = 3 };
    if (entry->kind == KIND_CUBIN) return entry->gpu == OUR_GPU ? OLDER * OUR_GPU + 1 : 0;
    if (entry->kind != KIND_PTX) return 0;
    if (entry->flags & FLAG_OF_ARCH) return entry->gpu == OUR_GPU ? OLDER * OUR_GPU + 2 : 0;
    return entry->gpu <= OUR_GPU ? OLDER * entry->gpu : 0;
}

static void count_entry(const struct entry *entry, struct fatbin_contents *contents)
{
    contents->entries++;
    contents->ptx += entry->kind == KIND_PTX;
}

// The text without the zeros that pad it.
static size_t trimmed(const char *text, size_t bytes)
{
    while (bytes > 0 && text[bytes - 1] == '\0') bytes--;
    return bytes;
}

static bool unpack(const struct entry *entry, char *text, size_t bytes)
{
    if (entry->flags & FLAG_ZSTD) return ZSTD_decompress(text, bytes, entry->payload, entry->packed_bytes) == bytes;
    if (entry->flags & FLAG_LZ4)
        return LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->packed_bytes, (int)bytes) ==
               (int)bytes;
    memcpy(text, entry->payload, bytes);
    return true;
}

static uint64_t unpacked_bytes(const struct entry *entry)
{
    return entry->flags & (FLAG_ZSTD | FLAG_LZ4) ? entry->text_bytes : entry->packed_bytes;
}

// Does it say that it unpacks to more than a compiler's text can? That is packed to a tenth or a fiftieth.
static bool is_bomb(const struct entry *entry)
{
    const uint64_t bytes = unpacked_bytes(entry);
    return bytes > BOMB_BYTES && bytes / BOMB_TIMES > entry->packed_bytes;
}

static enum fatbin_result read_text(const struct entry *entry, char **text, size_t *text_bytes)
{
    const uint64_t bytes = unpacked_bytes(entry);
    if (bytes > MOST_BYTES || entry->packed_bytes > MOST_BYTES) return FATBIN_BROKEN;
    if (is_bomb(entry)) return FATBIN_BOMB;
    *text = malloc(bytes + 1);
    if (*text == NULL) return FATBIN_NO_MEMORY;
    if (!unpack(entry, *text, bytes)) {
        free(*text);
        *text = NULL;
        return FATBIN_PACKED;
    }
    (*text)[bytes] = '\0';
    *text_bytes = trimmed(*text, bytes);
    return FATBIN_OK;
}

static bool open_container(const void *image, size_t size_bytes, struct reader *reader)
{
    const uint8_t *at = image;
    if (size_bytes < CONTAINER_HEADER_BYTES || !fatbin_is(image)) return false;
    const uint64_t header_bytes = number_at(at + 6, 2), rest = number_at(at + 8, 8);
    if (header_bytes < CONTAINER_HEADER_BYTES || header_bytes > size_bytes || rest > size_bytes - header_bytes)
        return false;
    *reader = (struct reader){at + header_bytes, at + header_bytes + rest};
    return true;
}

// The text of an entry: of machine code the PTX in it. FATBIN_NO_PTX if that has none.
static enum fatbin_result text_of(const struct entry *entry, char **text, size_t *text_bytes)
{
    size_t unused;
    char *cubin;
    if (entry->kind == KIND_PTX) return read_text(entry, text, text_bytes);
    if (read_text(entry, &cubin, &unused) != FATBIN_OK) return FATBIN_NO_PTX;
    *text = debug_ptx(cubin, unpacked_bytes(entry), 0, text_bytes);
    free(cubin);
    return *text != NULL ? FATBIN_OK : FATBIN_NO_PTX;
}

// The entry that fits best of those that fit less than `below`.
static bool next_best(struct reader reader, uint32_t below, struct entry *best)
{
    struct entry entry;
    *best = (struct entry){0};
    while (next_entry(&reader, &entry) > 0)
        if (fit_of(&entry) > fit_of(best) && fit_of(&entry) < below) *best = entry;
    return fit_of(best) > 0;
}

enum fatbin_result fatbin_ptx(const void *image, size_t size_bytes, char **text, size_t *text_bytes,
                              struct fatbin_contents *contents)
{
    struct reader reader, start;
    struct entry entry, best;
    uint32_t below = UINT32_MAX;
    int more;
    *text = NULL;
    *text_bytes = 0;
    *contents = (struct fatbin_contents){0};
    if (!open_container(image, size_bytes, &start)) return FATBIN_BROKEN;
    for (reader = start; (more = next_entry(&reader, &entry)) > 0;) count_entry(&entry, contents);
    for (; next_best(start, below, &best); below = fit_of(&best)) {
        const enum fatbin_result result = text_of(&best, text, text_bytes);
        if (result != FATBIN_NO_PTX) return result;
    }
    if (more < 0) return FATBIN_BROKEN;
    if (contents->ptx > 0) return FATBIN_TOO_NEW;
    return contents->entries > 0 ? FATBIN_NO_PTX : FATBIN_EMPTY;
}

// Of PTX for later GPUs without features of one of them, the nearest comes first.
static bool is_nearer(const struct entry *entry, const struct entry *best)
{
    if (entry->kind != KIND_PTX || (entry->flags & FLAG_OF_ARCH) || entry->gpu <= OUR_GPU) return false;
    return best->gpu == 0 || entry->gpu < best->gpu;
}

enum fatbin_result fatbin_newer_ptx(const void *image, size_t size_bytes, char **text, size_t *text_bytes)
{
    struct reader reader;
    struct entry entry, best = {0};
    bool is_for_us = false;
    *text = NULL;
    *text_bytes = 0;
    if (!open_container(image, size_bytes, &reader)) return FATBIN_BROKEN;
    while (next_entry(&reader, &entry) > 0) {
        is_for_us |= entry.kind == KIND_CUBIN && entry.gpu == OUR_GPU;
        if (is_nearer(&entry, &best)) best = entry;
    }
    return is_for_us && best.gpu > 0 ? read_text(&best, text, text_bytes) : FATBIN_TOO_NEW;
}

bool fatbin_is_for_others(enum fatbin_result result)
{
    return result == FATBIN_TOO_NEW || result == FATBIN_EMPTY;
}

const char *fatbin_advice(enum fatbin_result result)
{
    static const char *const advice[] = {
        [FATBIN_OK] = "",
        [FATBIN_BROKEN] = "the fat binary is damaged: its sizes do not fit",
        [FATBIN_EMPTY] =
            "the fat binary holds no code: nvcc -dlink makes none from PTX alone; let nvcc link the whole program, or "
            "link the PTX by cuLinkAddData",
        [FATBIN_NO_PTX] =
            "the program carries machine code and no PTX; compile it with -lineinfo, which keeps the PTX beside "
            "the machine code, or with -gencode arch=compute_90a,code=[sm_90a,compute_90a] (or "
            "-arch=sm_90a), which adds PTX",
        [FATBIN_TOO_NEW] = "the program's PTX is for other GPUs; compile it with "
                           "-gencode arch=compute_90a,code=compute_90a",
        [FATBIN_PACKED] = "the PTX in the fat binary cannot be unpacked: it is damaged, or packed in a way that only a "
                          "later nvcc knows; compile with -compress-mode=none",
        [FATBIN_BOMB] =
            "the PTX in the fat binary says that it unpacks to more than 16 MiB and to more than 500 times its "
            "packed size, which no compiler's PTX does: the fat binary is damaged, or made to fill memory",
        [FATBIN_NO_MEMORY] = "no memory for the PTX",
    };
    return advice[result];
}
