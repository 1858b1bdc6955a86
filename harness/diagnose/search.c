// SPDX-License-Identifier: MIT
#include "search.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH_BYTES = 16 };

uint32_t search_reach(const struct search *search, uint32_t steps)
{
    return search->built != NULL && !search->is_thorough ? steps / 8 : steps;
}

// Are they the same cause, or the same two?
static bool is_same(const struct explanation *a, const struct explanation *b)
{
    return (a->cause == b->cause && a->second == b->second) || (a->cause == b->second && a->second == b->cause);
}

// How well it explains: all, all if unknown bytes are what it says, or so many bytes.
static bool is_better(const struct explanation *a, const struct explanation *b)
{
    if (a->is_whole != b->is_whole) return a->is_whole;
    if (a->is_maybe != b->is_maybe) return a->is_maybe;
    if (a->bytes != b->bytes) return a->bytes > b->bytes;
    return a->distance < b->distance;
}

void search_add(struct search *search, const struct explanation *explanation)
{
    struct diagnosis *answer = search->answer;
    struct explanation found = *explanation;
    const struct candidate *built = search->built;
    int i = 0;
    if (built != NULL) {
        found.cause = built->cause;
        found.second = explanation->cause;
        found.distance += built->distance;
        if (built->cause == CAUSE_STALE && found.is_whole && search->old_runs != 1)
            found.is_whole = false, found.is_maybe = true;
        snprintf(found.what, sizeof found.what, "%.150s; and %.160s", built->what, explanation->what);
    }
    while (i < answer->explanations && !is_same(&answer->explanation[i], &found)) i++;
    if (i == DIAGNOSE_MAX_EXPLANATIONS) return;
    if (i < answer->explanations && !is_better(&found, &answer->explanation[i])) return;
    if (i == answer->explanations) answer->explanations++;
    answer->explanation[i] = found;
}

// Does the last run leave bytes as they were before that are not so in the dump, outside of what it may have written?
static bool is_change_missed(const struct search *search)
{
    if (search->question->before == NULL || search->first_changed > search->last_changed) return false;
    return search->first_changed < search->low || search->last_changed >= search->high;
}

// Does it write another place than its rows say, or several places at once? Then two rows alone say nothing.
static bool is_scattered(const struct hypothesis *h)
{
    return h->map.mode == TENSORMAP_IM2COL || h->map.interleave != INTERLEAVE_NONE || h->transposed ||
           h->order_dim > 0 || h->undone != SWIZZLE_NONE || h->is_added;
}

static bool writes_what_was_found(struct search *search, const struct hypothesis *few)
{
    const uint8_t *found = search->question->dump.bytes;
    bool is_same = true;
    search->is_narrow = true;
    const uint8_t *got = search_run(search, few, search->inverse, NULL);
    search->is_narrow = false;
    for (uint64_t i = search->low; got != NULL && i < search->high; i++)
        is_same &= got[i] == found[i] || got[i] == search->inverse[i];
    return is_same;
}

// Do the first two rows alone write what was not found? Most hypotheses end here.
static bool is_refuted(struct search *search, const struct hypothesis *h)
{
    struct hypothesis few = *h;
    if (is_scattered(h)) return false;
    int dim = search->question->slice_dim;
    if (h->slot[0] == NOT_ISSUED || (search->question->is_store && memchr(h->slot + 1, h->slot[0], sizeof h->slot - 1)))
        return false; // a later slice wins
    few.coord[dim] += (int32_t)(h->slot[0] * search_span(&h->map, dim));
    few.slot[0] = 0;
    for (int i = 1; i < h->map.rank; i++) {
        uint32_t rows = i == 1 ? 2 * h->map.estride[1] : h->map.estride[i];
        if (h->map.box[i] > rows) few.map.box[i] = rows;
        if (search->question->is_store && h->map.stride[i] == 0) return false; // a later row wins
    }
    memset(few.slot + 1, NOT_ISSUED, sizeof few.slot - 1);
    few.is_over = 0;
    if (h->is_over) {
        memcpy(few.coord, h->over_coord, sizeof few.coord);
        few.shared = h->over_shared;
    }
    return !writes_what_was_found(search, &few);
}

// Are wrong bytes that the last run, over search->inverse, did not write in the source? Then they are not just old.
static bool is_rest_of_source(const struct search *search, const uint8_t *got)
{
    const struct memory *dump = &search->question->dump;
    uint64_t skip = (0 - dump->base) % CHUNK_BYTES;
    for (uint64_t n = 0; n < search->chunks; n++) {
        uint64_t i = skip + n * CHUNK_BYTES;
        bool is_written = i >= search->low && i < search->high && got[i] == dump->bytes[i];
        if (search->origin[n].address != 0 && search->origin[n].is_wrong && !is_written) return true;
    }
    return false;
}

// Does it explain every byte? WHOLE; or MAYBE: where it is not known what was there before, a hypothesis must write
// nothing else than what was found: all wrong bytes, or so many that the copy meant does not write that no chance puts
// them there, the others being old.
enum explains { NOTHING, MAYBE, WHOLE };

static enum explains explains_all(struct search *search, const struct hypothesis *h)
{
    const struct diagnose *question = search->question;
    const uint8_t *found = question->dump.bytes;
    if (is_refuted(search, h)) return NOTHING;
    const uint8_t *got = search_run(search, h, question->before != NULL ? question->before : found, NULL);
    if (got == NULL || is_change_missed(search)) return NOTHING;
    if (memcmp(got + search->low, found + search->low, search->high - search->low) != 0) return NOTHING;
    if (question->before != NULL) return WHOLE;
    uint32_t written = 0, explained = 0, wrong = 0;
    got = search_run(search, h, search->inverse, NULL);
    for (uint64_t i = search->low; i < search->high; i++) {
        int same = got[i] == found[i];
        written += (uint32_t)same;
        explained += (uint32_t)(same && !search->right[i]);
        wrong += (uint32_t)(same && search->wrong[i]);
    }
    if (wrong == search->answer->wrong_bytes) return WHOLE;
    if (explained < ENOUGH_BYTES || 4 * explained < written) return NOTHING;
    return search->built != NULL || is_rest_of_source(search, got) ? MAYBE : WHOLE;
}

// What a hypothesis that is not whole explains.
//   gain      wrong bytes that it explains, less the right ones it spoils
//   rest      bytes that it neither explains nor leaves as they were before
//   pieces    16-byte pieces that it writes and that are in the dump, at any place
//   is_silent no byte is written that was not found so, and every right byte is
struct part {
    int64_t gain;
    uint64_t rest;
    uint32_t pieces;
    bool is_silent;
};

static void count_pieces(const struct search *search, const uint8_t *got, const uint8_t *background, struct part *part)
{
    const struct memory *dump = &search->question->dump;
    uint64_t skip = (0 - dump->base) % CHUNK_BYTES;
    uint64_t i = search->low <= skip ? skip : skip + (search->low - skip + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
    for (; i + CHUNK_BYTES <= search->high; i += CHUNK_BYTES)
        if (memcmp(got + i, background + i, CHUNK_BYTES) != 0)
            part->pieces += (uint32_t)origin_is_in_dump(search, got + i);
}

static bool part_of(struct search *search, const struct hypothesis *h, struct part *part)
{
    const struct diagnose *question = search->question;
    const uint8_t *before = question->before, *inverse = search->inverse, *found = question->dump.bytes;
    const uint8_t *background = before != NULL ? before : inverse, *got = search_run(search, h, background, NULL);
    *part = (struct part){.is_silent = before == NULL};
    if (got == NULL) return false;
    for (uint64_t i = search->low; i < search->high; i++) {
        int same = got[i] == found[i];
        bool unwritten = before == NULL && got[i] == inverse[i];
        part->gain += search->wrong[i] ? same : -(!same && !unwritten);
        part->rest += !same && (before == NULL || found[i] != before[i]);
        part->is_silent &= same || (unwritten && search->right[i] < 2);
    }
    part->rest += (uint64_t)is_change_missed(search);
    count_pieces(search, got, background, part);
    return true;
}

void search_count_meant(struct search *search)
{
    struct part part;
    search->meant_pieces = part_of(search, &search->meant, &part) ? part.pieces : 0;
}

// The second search: how much is explained. A copy that writes only what was found, and leaves out nothing but bytes
// that are nowhere in the source, may be the whole truth; so may one whose rest is what was there before.
static void try_part(struct search *search, const struct hypothesis *h, struct explanation *found)
{
    struct part part;
    if (!part_of(search, h, &part)) return;
    uint32_t wrong = search->answer->wrong_bytes, gain = part.gain > 0 ? (uint32_t)part.gain : 0;
    uint32_t more = part.pieces > search->meant_pieces ? part.pieces - search->meant_pieces : 0;
    pair_keep(search, h, gain + more * CHUNK_BYTES, found->distance, found->what);
    bool is_rest_unknown = part.is_silent && (search->is_part_right || origin_count(search).found == 0);
    if (gain < wrong / 4 + 1 && !is_rest_unknown) return;
    found->is_maybe = is_rest_unknown;
    found->bytes = is_rest_unknown ? wrong : gain;
    search_add(search, found);
}

// --- the same box by another name ------------------------------------------------------------------------------------

// Causes by which the box begins elsewhere in the tensor, and is otherwise as it was.
static bool is_elsewhere(enum cause cause)
{
    return cause == CAUSE_GLOBAL_BASE || cause == CAUSE_COORD_OFF || cause == CAUSE_OTHER_PHASE ||
           cause == CAUSE_COORD_SWAPPED || cause == CAUSE_COORD_UNIT;
}

// The pointer that is off where `h` has other coordinates.
static enum cause twin_by_pointer(const struct search *search, struct hypothesis *h, char *what, size_t size)
{
    for (int i = 0; i < h->map.rank; i++)
        h->map.address += (uint64_t)((int64_t)h->coord[i] - search->meant.coord[i]) * h->map.stride[i];
    memcpy(h->coord, search->meant.coord, sizeof h->coord);
    snprintf(what, size, "the tensor begins at 0x%" PRIx64, h->map.address);
    return h->map.address % 16 == 0 ? CAUSE_GLOBAL_BASE : CAUSES;
}

// The coordinates that are off where `h` has another pointer.
static enum cause twin_by_coord(const struct search *search, struct hypothesis *h, char *what, size_t size)
{
    const struct hypothesis *meant = &search->meant;
    int64_t index[TENSORMAP_MAX_RANK], begin = (int64_t)h->map.address;
    bool is_whole = true;
    for (int i = 0; i < h->map.rank; i++) begin += h->coord[i] * (int64_t)h->map.stride[i];
    h->map.address = meant->map.address;
    diagnose_element(&h->map, (uint64_t)begin, index);
    for (int i = 0; i < h->map.rank; i++) {
        h->coord[i] = (int32_t)index[i];
        is_whole &= (index[i] - meant->coord[i]) % search_span(&meant->map, i) == 0;
    }
    snprintf(what, size, "the tile begins at (%d, %d%s)", h->coord[0], h->map.rank > 1 ? h->coord[1] : 0,
             h->map.rank > 2 ? ", ..." : "");
    return is_whole ? CAUSE_OTHER_PHASE : CAUSE_COORD_OFF;
}

// Of two causes together one may say where the box begins. Then the other name of the same place is named too: alone,
// every cause is tried; on top of each other, not all can be.
static void try_twin(struct search *search, const struct hypothesis *h, const struct explanation *found)
{
    const struct candidate *built = search->built;
    bool is_first = is_elsewhere(built->cause);
    if (is_first == is_elsewhere(found->cause) || h->source.base != search->meant.source.base ||
        h->map.mode == TENSORMAP_IM2COL || h->map.interleave != INTERLEAVE_NONE)
        return;
    struct hypothesis twin = *h;
    struct candidate named = *built;
    struct explanation other = *found;
    char *what = is_first ? named.what : other.what;
    bool is_pointer = (is_first ? named.cause : other.cause) == CAUSE_GLOBAL_BASE;
    enum cause cause = (is_pointer ? twin_by_coord : twin_by_pointer)(search, &twin, what, sizeof named.what);
    if (cause == CAUSES || explains_all(search, &twin) == NOTHING) return;
    *(is_first ? &named.cause : &other.cause) = cause;
    search->built = &named;
    search_add(search, &other);
    search->built = built;
}

void search_try(struct search *search, const struct hypothesis *h, uint32_t distance, const char *format, ...)
{
    struct explanation found = {
        .cause = search->cause, .second = CAUSES, .distance = distance, .bytes = search->answer->wrong_bytes};
    va_list arguments;
    enum explains explains = search->pass == PASS_WHOLE ? explains_all(search, h) : NOTHING;
    if (search->pass == PASS_WHOLE && explains == NOTHING) return;
    va_start(arguments, format);
    vsnprintf(found.what, 160, format, arguments);
    va_end(arguments);
    found.is_whole = explains == WHOLE;
    found.is_maybe = explains == MAYBE;
    if (search->pass == PASS_PART) {
        try_part(search, h, &found);
        return;
    }
    search_add(search, &found);
    if (search->built == NULL) return;
    try_twin(search, h, &found);
    if (explains == WHOLE && !search->is_thorough) pair_keep_parts(search, h, found.what);
}
