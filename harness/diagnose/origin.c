// SPDX-License-Identifier: MIT
// Where the bytes of the dump are in the source: each 16-byte piece of the dump goes into a table by its first bytes,
// and the source is looked through once.
#include <stdlib.h>
#include <string.h>

#include "search.h"

enum { FILTER_BITS = 1 << 16, NEAR_BYTES = 1 << 17 };

// `slot` has the number of a piece plus 1, or 0; `same` is, for each piece, the first piece with its bytes.
struct chunk_set {
    uint32_t mask, *slot, *same;
    uint8_t filter[FILTER_BITS / 8];
};

static bool is_alike(const uint8_t *chunk)
{
    return memcmp(chunk, chunk + 1, CHUNK_BYTES - 1) == 0;
}

static uint64_t hash_of(const uint8_t *chunk)
{
    uint64_t word;
    memcpy(&word, chunk, sizeof word);
    word *= UINT64_C(0x9e3779b97f4a7c15);
    return word >> 32;
}

static const uint8_t *chunk_at(const struct search *search, uint64_t n)
{
    const struct memory *dump = &search->question->dump;
    return dump->bytes + (0 - dump->base) % CHUNK_BYTES + n * CHUNK_BYTES;
}

// The slot of these 16 bytes, or the empty one where they would be.
static uint32_t *find(const struct search *search, const uint8_t *chunk, uint64_t hash)
{
    const struct chunk_set *set = search->set;
    uint32_t i = (uint32_t)hash & set->mask;
    while (set->slot[i] != 0 && memcmp(chunk_at(search, set->slot[i] - 1), chunk, CHUNK_BYTES) != 0)
        i = (i + 1) & set->mask;
    return &set->slot[i];
}

bool origin_is_in_dump(const struct search *search, const uint8_t *chunk)
{
    uint64_t hash = hash_of(chunk);
    if ((search->set->filter[hash % FILTER_BITS / 8] >> hash % 8 & 1) == 0) return false;
    return *find(search, chunk, hash) != 0;
}

// The pieces that differ from what was there before (all, if that is not known) and are not all alike.
static void fill(struct search *search)
{
    struct chunk_set *set = search->set;
    const struct diagnose *question = search->question;
    for (uint32_t n = 0; n < search->chunks; n++) {
        const uint8_t *chunk = chunk_at(search, n);
        uint64_t i = (uint64_t)(chunk - question->dump.bytes), hash = hash_of(chunk);
        struct origin *origin = &search->origin[n];
        origin->is_alike = (uint8_t)is_alike(chunk);
        for (int b = 0; b < CHUNK_BYTES; b++) origin->is_wrong |= search->wrong[i + (uint64_t)b];
        set->same[n] = n;
        if (origin->is_alike) continue;
        if (question->before != NULL && memcmp(question->before + i, chunk, CHUNK_BYTES) == 0) continue;
        uint32_t *slot = find(search, chunk, hash);
        if (*slot == 0) *slot = n + 1;
        set->same[n] = *slot - 1;
        set->filter[hash % FILTER_BITS / 8] |= (uint8_t)(1 << hash % 8);
    }
}

// Is `address` the better place than `old`? One at a multiple of 16 is; then the one that is nearer to the box as
// meant.
static bool is_better(uint64_t address, uint64_t old, uint64_t meant)
{
    bool is_odd = address % CHUNK_BYTES != 0, was_odd = old % CHUNK_BYTES != 0;
    uint64_t far = address > meant ? address - meant : meant - address, was = old > meant ? old - meant : meant - old;
    return old == 0 || is_odd < was_odd || (is_odd == was_odd && far < was);
}

// The piece of the dump with these bytes, which is at `address` of a source; NULL if there is none.
static struct origin *match(const struct search *search, const uint8_t *bytes)
{
    uint64_t hash = hash_of(bytes);
    if ((search->set->filter[hash % FILTER_BITS / 8] >> hash % 8 & 1) == 0) return NULL;
    uint32_t slot = *find(search, bytes, hash);
    return slot == 0 ? NULL : &search->origin[slot - 1];
}

static uint64_t meant_address(const struct search *search)
{
    return search->question->is_store ? search->base.shared : sample_meant(search);
}

// The part of a source that is near to the box as meant.
static struct memory near_part(const struct search *search, const struct memory *source)
{
    uint64_t meant = meant_address(search), from = meant > NEAR_BYTES ? (meant - NEAR_BYTES) / 16 * 16 : 0;
    struct memory part = *source;
    if (from > part.base && from < part.base + part.size_bytes) {
        part.size_bytes -= from - part.base;
        part.bytes += from - part.base;
        part.base = from;
    }
    if (part.size_bytes > 2 * NEAR_BYTES) part.size_bytes = 2 * NEAR_BYTES;
    return part;
}

// Looks through all places that are `step` apart.
static void scan(struct search *search, const struct memory *source, uint64_t step)
{
    uint64_t meant = meant_address(search);
    for (uint64_t at = (0 - source->base) % step; at + CHUNK_BYTES <= source->size_bytes; at += step) {
        struct origin *origin = match(search, source->bytes + at);
        if (origin != NULL && is_better(source->base + at, origin->address, meant)) origin->address = source->base + at;
    }
}

// Near the box pieces may begin at any element.
static void look(struct search *search, const struct memory *source)
{
    struct memory near = near_part(search, source);
    search->looked = source->bytes;
    for (uint64_t n = 0; n < search->chunks; n++) search->origin[n].address = 0;
    scan(search, source, CHUNK_BYTES);
    if (!search->question->is_store) scan(search, &near, dtype_row(search->question->map.dtype)->size_bytes);
    for (uint64_t n = 0; n < search->chunks; n++)
        search->origin[n].address = search->origin[search->set->same[n]].address;
}

struct memory origin_near(const struct search *search)
{
    return near_part(search, &search->question->source);
}

uint32_t origin_count_in(struct search *search, const struct memory *source)
{
    uint32_t found = 0;
    for (uint64_t n = 0; n < search->chunks; n++) search->origin[n].is_seen = 0;
    for (uint64_t at = 0; at + CHUNK_BYTES <= source->size_bytes; at += 4) {
        struct origin *origin = match(search, source->bytes + at);
        if (origin != NULL) origin->is_seen = 1;
    }
    for (uint64_t n = 0; n < search->chunks; n++)
        found += search->origin[n].is_wrong && search->origin[search->set->same[n]].is_seen;
    return found;
}

static bool make_room(struct search *search)
{
    const struct memory *dump = &search->question->dump;
    uint64_t skip = (0 - dump->base) % CHUNK_BYTES;
    uint32_t slots = 64;
    search->chunks = dump->size_bytes > skip ? (dump->size_bytes - skip) / CHUNK_BYTES : 0;
    while (slots < 2 * search->chunks) slots *= 2;
    search->samples = search->question->slices * (uint64_t)search_slice_bytes(search->question) / CHUNK_BYTES;
    search->origin = calloc(search->chunks + 1, sizeof *search->origin);
    search->sample = calloc(search->samples + 1, sizeof *search->sample);
    search->set = calloc(1, sizeof *search->set);
    if (search->origin == NULL || search->sample == NULL || search->set == NULL) return false;
    search->set->mask = slots - 1;
    search->set->slot = calloc(slots, sizeof *search->set->slot);
    search->set->same = calloc(search->chunks + 1, sizeof *search->set->same);
    return search->set->slot != NULL && search->set->same != NULL;
}

void origin_free(struct search *search)
{
    if (search->set != NULL) {
        free(search->set->slot);
        free(search->set->same);
    }
    free(search->set);
    free(search->origin);
    free(search->sample);
}

bool origin_find(struct search *search)
{
    if (search->set == NULL) {
        if (!make_room(search)) return false;
        fill(search);
    }
    if (search->looked != search->base.source.bytes) look(search, &search->base.source);
    return true;
}

struct origin_count origin_count(const struct search *search)
{
    struct origin_count count = {0, 0, 0};
    for (uint64_t n = 0; n < search->chunks; n++) {
        const struct origin *origin = &search->origin[n];
        if (!origin->is_wrong) continue;
        count.alike += origin->is_alike;
        count.wanted += !origin->is_alike;
        count.found += !origin->is_alike && origin->address != 0;
    }
    return count;
}

uint64_t diagnose_origin(const struct diagnose *question, const uint8_t *bytes)
{
    const struct memory *source = &question->source;
    uint64_t element = dtype_row(question->map.dtype)->size_bytes, step = CHUNK_BYTES, first, word;
    if (is_alike(bytes)) return 0;
    memcpy(&first, bytes, sizeof first);
    for (int fine = 0; fine < 2; fine++, step = element)
        for (uint64_t at = (0 - source->base) % step; at + CHUNK_BYTES <= source->size_bytes; at += step) {
            memcpy(&word, source->bytes + at, sizeof word);
            if (word == first && memcmp(source->bytes + at, bytes, CHUNK_BYTES) == 0) return source->base + at;
        }
    return 0;
}

void diagnose_element(const struct tensormap *map, uint64_t address, int64_t *index)
{
    int64_t left = (int64_t)(address - map->address);
    int done[TENSORMAP_MAX_RANK] = {0};
    for (int n = 0; n < map->rank; n++) {
        int widest = -1;
        for (int i = 0; i < map->rank; i++)
            if (!done[i] && (widest < 0 || map->stride[i] > map->stride[widest])) widest = i;
        int64_t stride = (int64_t)map->stride[widest];
        done[widest] = 1;
        index[widest] = stride == 0 ? 0 : left / stride - (left % stride < 0);
        left -= index[widest] * stride;
    }
}
