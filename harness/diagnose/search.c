// SPDX-License-Identifier: MIT
#include "search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "copy.h"
#include "im2col_load.h"
#include "swizzle.h"
#include "tile.h"

enum { ORIGIN_BYTES = 16, ENOUGH_BYTES = 16, PATTERN_BYTES = 1024 };

struct hypothesis search_meant(const struct diagnose *question)
{
    struct hypothesis meant = {.map = question->map, .shared = question->shared};
    memcpy(meant.coord, question->coord, sizeof meant.coord);
    memcpy(meant.offset, question->offset, sizeof meant.offset);
    for (int s = 0; s < DIAGNOSE_MAX_SLICES; s++) meant.slot[s] = (uint8_t)s;
    return meant;
}

uint32_t search_steps(const struct tensormap *map, int i)
{
    if (map->mode == TENSORMAP_IM2COL) return i == 0 ? map->box[0] : i == 1 ? map->pixels : 1;
    static const int32_t origin[TENSORMAP_MAX_RANK];
    return tile_of(map, origin).steps[i];
}

int64_t search_span(const struct tensormap *map, int i)
{
    int is_strided = map->interleave == INTERLEAVE_NONE ? i > 0 : i != map->rank - 2; // not the slices
    int64_t by = is_strided ? map->estride[i] : 1;
    return map->mode == TENSORMAP_IM2COL && i == 0 ? map->box[0] : by * search_steps(map, i);
}

static uint64_t extent_bytes(const struct tensormap *map, const int32_t *coord, const uint16_t *offset)
{
    if (map->mode == TENSORMAP_IM2COL) {
        struct im2col column = im2col_of(map, coord, offset);
        return im2col_extent_bytes(&column);
    }
    struct tile tile = tile_of(map, coord);
    return tile_extent_bytes(&tile);
}

uint32_t search_box_bytes(const struct diagnose *question)
{
    uint64_t extent = extent_bytes(&question->map, question->coord, question->offset);
    return (uint32_t)(extent > WORK_BYTES ? WORK_BYTES : extent);
}

// Loads slice `slot[place]` to its place. Address `a` of the model is work[a - shift].
static int run_slice(struct search *search, const struct hypothesis *h, uint32_t place, uint32_t *tx_bytes)
{
    const struct diagnose *question = search->question;
    int32_t coord[TENSORMAP_MAX_RANK];
    struct memory shared = {search->work, h->shift, WORK_BYTES};
    uint32_t to = h->shared + h->shift + place * ((search_box_bytes(question) + 127) / 128 * 128), bytes = 0;
    memcpy(coord, h->coord, sizeof coord);
    int64_t along = coord[question->slice_dim];
    if (question->slices > 1) along += (int64_t)h->slot[place] * search_span(&h->map, question->slice_dim);
    coord[question->slice_dim] = (int32_t)along;
    enum rule rule = along != coord[question->slice_dim] ? RULE_LOAD_UNMAPPED
                     : h->map.mode == TENSORMAP_IM2COL
                         ? im2col_load(&h->map, h->map.rank, coord, h->offset, &question->tensor, &shared, to, &bytes)
                         : tile_load(&h->map, h->map.rank, coord, &question->tensor, &shared, to, &bytes);
    *tx_bytes += bytes;
    return rule == RULE_OK;
}

// Was the 16-byte chunk at `address`, as it is in search->plane, written over the background? Of a chunk outside the
// dump nobody knows.
static int is_written(const struct search *search, uint32_t address, const uint8_t *background)
{
    const struct memory *dump = &search->question->dump;
    uint64_t i = address - dump->base;
    if (address < dump->base || i + 16 > dump->size_bytes) return 0;
    return memcmp(search->plane + address % PATTERN_BYTES, background + i, 16) != 0;
}

// The lines of the box as they are when somebody undid the swizzle. What was there before is moved too; where that is
// not known, it stays.
static void undo_swizzle(struct search *search, const struct hypothesis *h, const uint8_t *background)
{
    const struct diagnose *question = search->question;
    uint32_t end = h->shared + question->slices * search_box_bytes(question), past = (end + 127) / 128 * 128;
    for (uint32_t at = h->shared / PATTERN_BYTES * PATTERN_BYTES; at < past && at < WORK_BYTES; at += PATTERN_BYTES) {
        memcpy(search->plane, search->work + at, PATTERN_BYTES);
        for (uint32_t to = at; to < at + PATTERN_BYTES && to < past; to += 16) {
            uint32_t from = swizzle_apply(h->undone, to);
            if (to < h->shared || (question->before == NULL && !is_written(search, from, background))) continue;
            memcpy(search->work + to, search->plane + (from - at), 16);
        }
    }
}

// Each plane of dimensions 0 and 1, as a matrix of the same bytes transposed; rows touch each other in shared memory.
static int transpose(struct search *search, const struct hypothesis *h)
{
    uint8_t *plane = search->plane;
    const struct tensormap *map = &h->map;
    uint32_t element = tensormap_step_bytes(map), columns = search_steps(map, 0),
             rows = map->rank > 1 ? search_steps(map, 1) : 1;
    uint32_t bytes = columns * rows * element, span = tensormap_span_bytes(map->swizzle);
    uint32_t total = search_box_bytes(search->question) * search->question->slices;
    if (bytes == 0 || rows == 1 || columns == 1 || (map->interleave == INTERLEAVE_NONE && columns * element < span))
        return 0;
    for (uint32_t at = h->shared; at + bytes <= h->shared + total; at += bytes) {
        for (uint32_t i = 0; i < bytes; i++) plane[i] = search->work[swizzle_apply(map->swizzle, at + i)];
        for (uint32_t row = 0; row < rows; row++)
            for (uint32_t column = 0; column < columns; column++)
                for (uint32_t b = 0; b < element; b++)
                    search->work[swizzle_apply(map->swizzle, at + (column * rows + row) * element + b)] =
                        plane[(row * columns + column) * element + b];
    }
    return 1;
}

const uint8_t *search_run(struct search *search, const struct hypothesis *h, const uint8_t *background,
                          uint32_t *tx_bytes)
{
    const struct memory *dump = &search->question->dump;
    uint8_t *window = search->work + dump->base;
    uint32_t bytes = 0;
    memcpy(window, background, dump->size_bytes);
    search->answer->tried++;
    for (uint32_t place = 0; place < search->question->slices; place++)
        if (!run_slice(search, h, place, &bytes)) return NULL;
    if (h->undone != SWIZZLE_NONE) undo_swizzle(search, h, background);
    if (h->transposed && !transpose(search, h)) return NULL;
    if (tx_bytes != NULL) *tx_bytes = bytes;
    return window;
}

void search_add(struct search *search, const struct explanation *explanation)
{
    struct diagnosis *answer = search->answer;
    int i = 0;
    while (i < answer->explanations && answer->explanation[i].cause != explanation->cause) i++;
    struct explanation *old = &answer->explanation[i];
    if (i == answer->explanations)
        answer->explanations++;
    else if (old->is_whole > explanation->is_whole ||
             (old->is_whole == explanation->is_whole &&
              (old->bytes > explanation->bytes ||
               (old->bytes == explanation->bytes && old->distance <= explanation->distance))))
        return;
    *old = *explanation;
}

// Does it explain every byte? Where it is not known what was there before, a hypothesis must write nothing else than
// what was found: all wrong bytes, or so many that the load meant does not write that no chance puts them there (the
// others may be old).
static int is_whole(struct search *search, const struct hypothesis *h)
{
    const struct diagnose *question = search->question;
    const struct memory *dump = &question->dump;
    const uint8_t *got = search_run(search, h, question->before != NULL ? question->before : dump->bytes, NULL);
    if (got == NULL || memcmp(got, dump->bytes, dump->size_bytes) != 0) return 0;
    if (question->before != NULL) return 1;
    uint32_t written = 0, explained = 0, wrong = 0;
    got = search_run(search, h, search->inverse, NULL);
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        int same = got[i] == dump->bytes[i];
        written += (uint32_t)same;
        explained += (uint32_t)(same && !search->right[i]);
        wrong += (uint32_t)(same && search->wrong[i]);
    }
    return wrong == search->answer->wrong_bytes || (explained >= ENOUGH_BYTES && 4 * explained >= written);
}

// How many wrong bytes it explains, less the right ones it spoils; `rest` counts what it does not explain and what is
// not what was there before either.
static int64_t gain_of(struct search *search, const struct hypothesis *h, uint64_t *rest)
{
    const uint8_t *before = search->question->before, *inverse = search->inverse;
    const struct memory *dump = &search->question->dump;
    const uint8_t *got = search_run(search, h, before != NULL ? before : inverse, NULL);
    int64_t gain = 0;
    *rest = 0;
    if (got == NULL) return 0;
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        int same = got[i] == dump->bytes[i], unwritten = before == NULL && got[i] == inverse[i];
        gain += search->wrong[i] ? same : -(!same && !unwritten);
        *rest += !same && (before == NULL || dump->bytes[i] != before[i]);
    }
    return gain;
}

// A load moves 16-byte pieces of global memory that begin at multiples of 16.
uint64_t diagnose_origin(const struct diagnose *question, const uint8_t *bytes)
{
    const struct memory *tensor = &question->tensor;
    uint64_t first, word;
    if (memcmp(bytes, bytes + 1, ORIGIN_BYTES - 1) == 0) return 0;
    memcpy(&first, bytes, sizeof first);
    for (uint64_t at = (0 - tensor->base) % ORIGIN_BYTES; at + ORIGIN_BYTES <= tensor->size_bytes; at += ORIGIN_BYTES) {
        memcpy(&word, tensor->bytes + at, sizeof word);
        if (word == first && memcmp(tensor->bytes + at, bytes, ORIGIN_BYTES) == 0) return tensor->base + at;
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

void search_try(struct search *search, const struct hypothesis *h, uint32_t distance, const char *format, ...)
{
    struct explanation found = {.cause = search->cause, .distance = distance, .bytes = search->answer->wrong_bytes};
    uint64_t rest = 0;
    int is_rest_stale = 0;
    if (search->is_partial) {
        int64_t gain = gain_of(search, h, &rest);
        if (gain < (int64_t)(search->answer->wrong_bytes / 4 + 1)) return;
        is_rest_stale = rest == 0 && search->question->before != NULL;
        if (!is_rest_stale) found.bytes = (uint32_t)gain;
    } else {
        found.is_whole = is_whole(search, h);
        if (!found.is_whole) return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found.what, sizeof found.what, format, arguments);
    va_end(arguments);
    if (is_rest_stale) strncat(found.what, "; the rest had not landed", sizeof found.what - strlen(found.what) - 1);
    search_add(search, &found);
}
