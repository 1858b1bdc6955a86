// SPDX-License-Identifier: MIT
// Causes in the bytes that are copied: another byte order, another type, another source.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "search.h"

enum { MOST_BYTES = 1 << 20 };

// How elements of the source become others: by the order of their bytes, or as numbers of another type.
static const struct {
    const char *sentence;
    uint32_t from_bytes, to_bytes;
    bool is_convert, is_cut; // else the other order
    enum number_format from, to;
} changes[] = {
    {"the bytes of each 2-byte element are in the other order", 2, 2, false, false, 0, 0},
    {"the bytes of each 4-byte element are in the other order", 4, 4, false, false, 0, 0},
    {"the bytes of each 8-byte element are in the other order", 8, 8, false, false, 0, 0},
    {"float32 numbers were made bfloat16", 4, 2, true, false, NUMBER_F32, NUMBER_BF16},
    {"float32 numbers were made bfloat16, cut off", 4, 2, true, true, NUMBER_F32, NUMBER_BF16},
    {"float32 numbers were made float16", 4, 2, true, false, NUMBER_F32, NUMBER_F16},
    {"float32 numbers were made float16, cut off", 4, 2, true, true, NUMBER_F32, NUMBER_F16},
    {"float16 numbers were made bfloat16", 2, 2, true, false, NUMBER_F16, NUMBER_BF16},
    {"bfloat16 numbers were made float16", 2, 2, true, false, NUMBER_BF16, NUMBER_F16},
    {"float16 numbers were made float32", 2, 4, true, false, NUMBER_F16, NUMBER_F32},
    {"bfloat16 numbers were made float32", 2, 4, true, false, NUMBER_BF16, NUMBER_F32},
};
_Static_assert(sizeof changes / sizeof changes[0] <= MAX_MADE, "search.h has room for each");

// Makes one; its bytes are NULL if memory is short.
static struct memory change(unsigned n, const struct memory *source)
{
    uint32_t from = changes[n].from_bytes, to = changes[n].to_bytes;
    struct memory made = {NULL, source->base, source->size_bytes / from * to};
    made.bytes = malloc(made.size_bytes + 1);
    for (uint64_t i = 0; made.bytes != NULL && i < source->size_bytes / from; i++) {
        uint32_t bits = 0;
        if (!changes[n].is_convert) {
            for (uint32_t b = 0; b < to; b++) made.bytes[i * to + b] = source->bytes[i * from + from - 1 - b];
            continue;
        }
        memcpy(&bits, source->bytes + i * from, from);
        bits = number_convert(changes[n].from, changes[n].to, changes[n].is_cut, bits);
        memcpy(made.bytes + i * to, &bits, to);
    }
    return made;
}

// Are pieces of the dump in the source so changed, near to the box? Not all need be: there may be more than one
// mistake.
static bool is_likely(struct search *search, unsigned n)
{
    struct origin_count count = origin_count(search);
    struct memory near = changes[n].from_bytes == changes[n].to_bytes ? origin_near(search) : search->question->source;
    if (near.size_bytes > MOST_BYTES) near.size_bytes = MOST_BYTES;
    near = change(n, &near);
    uint32_t found = near.bytes == NULL ? 0 : origin_count_in(search, &near);
    free(near.bytes);
    return found > count.found && 8 * found >= count.wanted;
}

// The source so changed, made once: its bytes are NULL if it is not likely.
static const struct memory *changed(struct search *search, unsigned n)
{
    struct memory *made = &search->made[n];
    if (made->size_bytes > 0) return made;
    if (is_likely(search, n)) *made = change(n, &search->question->source);
    if (made->bytes == NULL) made->size_bytes = 1;
    return made;
}

// Tries the changes by which the elements keep their type, or those by which they do not.
static void try_changes(struct search *search, bool is_convert)
{
    const struct hypothesis *base = &search->base;
    struct origin_count count = origin_count(search);
    if (base->source.bytes != search->question->source.bytes) return; // changed already, or of another source
    if (8 * count.found > 7 * count.wanted) return;
    for (unsigned n = 0; n < sizeof changes / sizeof changes[0]; n++) {
        struct hypothesis h = *base;
        if (changes[n].is_convert != is_convert) continue;
        if (is_convert && changes[n].to_bytes != dtype_row(h.map.dtype)->size_bytes) continue;
        h.source.bytes = changed(search, n)->bytes;
        h.source.size_bytes = search->made[n].size_bytes;
        if (h.source.bytes == NULL) continue;
        search_try(search, &h, n, "%s", changes[n].sentence);
    }
}

void propose_byte_order(struct search *search)
{
    try_changes(search, false);
}

void propose_converted(struct search *search)
{
    try_changes(search, true);
}

// The wrong bytes are those at the same place of another stage's dump.
static void try_stage(struct search *search, int n)
{
    const struct diagnose *question = search->question;
    bool is_sure = search->built == NULL;
    struct explanation found = {search->cause, CAUSES, is_sure, !is_sure, search->left_bytes, 0, ""};
    if (question->other[n].size_bytes != question->dump.size_bytes || search->pass != PASS_WHOLE) return;
    for (uint64_t i = 0; i < question->dump.size_bytes; i++)
        if (search->left[i] && question->dump.bytes[i] != question->other[n].bytes[i]) return;
    snprintf(found.what, sizeof found.what, "%u bytes are those of file %d of --other at the same place",
             search->left_bytes, n + 1);
    search_add(search, &found);
}

// The wrong bytes are those of another source, copied in this way, the others right.
static void try_pieces(struct search *search, const struct hypothesis *h, int n)
{
    bool is_sure = search->built == NULL;
    struct explanation found = {search->cause, CAUSES, is_sure, !is_sure, search->left_bytes, 1, ""};
    const uint8_t *dump = search->question->dump.bytes, *got = NULL;
    if (search->pass == PASS_WHOLE) got = search_run(search, h, search->inverse, NULL);
    if (got == NULL) return;
    for (uint64_t i = 0; i < search->question->dump.size_bytes; i++)
        if (search->left[i] && (i < search->low || i >= search->high || got[i] != dump[i])) return;
    snprintf(found.what, sizeof found.what,
             "%u bytes are those of file %d of --other, copied in this way, the others right", search->left_bytes,
             n + 1);
    search_add(search, &found);
}

void propose_other_tensor(struct search *search)
{
    const struct diagnose *question = search->question;
    for (int n = 0; n < question->others; n++) {
        struct hypothesis h = search->base;
        try_stage(search, n);
        h.source.bytes = question->other[n].bytes;
        h.source.size_bytes = question->other[n].size_bytes;
        search_try(search, &h, (uint32_t)n, "the bytes are those of file %d of --other, copied in this way", n + 1);
        try_pieces(search, &h, n);
    }
}
