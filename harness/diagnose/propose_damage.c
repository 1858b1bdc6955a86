// SPDX-License-Identifier: MIT
// Causes in what became of the bytes: never written, written over, spoiled, rows exchanged, added, or of another
// tensor.
#include <stdio.h>
#include <string.h>

#include "search.h"
#include "swizzle.h"
#include "tile.h"

enum { FEW_BYTES = 32, FEW_RUNS = 16, OVER_TRIES = 3 };

bool damage_is_stale(const struct search *search)
{
    const struct diagnose *question = search->question;
    if (question->before == NULL) return false;
    for (uint64_t i = 0; i < question->dump.size_bytes; i++)
        if (search->left[i] && question->dump.bytes[i] != question->before[i]) return false;
    return true;
}

// What base leaves wrong: in how many pieces, and from where to where.
struct left {
    uint32_t runs;
    uint64_t first, last;
};

static struct left look(const struct search *search)
{
    struct left left = {0, 0, 0};
    for (uint64_t i = 0; i < search->question->dump.size_bytes; i++) {
        if (!search->left[i]) continue;
        if (left.runs == 0) left.first = i;
        left.runs += i == 0 || !search->left[i - 1];
        left.last = i;
    }
    return left;
}

static struct explanation start(const struct search *search)
{
    return (struct explanation){search->cause, CAUSES, true, false, search->left_bytes, 0, ""};
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

// Wrong 16-byte pieces, as base leaves them.
//   found   pieces that are somewhere in the source
//   partly  pieces of which half or more is right: no copy leaves such
//   alike   pieces of which all bytes are `byte`
//   right   pieces of the tile that are right
//   runs    in how many places they are, pieces between them that are as they were before left out
struct pieces {
    uint32_t wrong, found, partly, alike, right, runs;
    uint8_t byte;
};

static struct pieces pieces_of(const struct search *search)
{
    uint64_t skip = (0 - search->question->dump.base) % CHUNK_BYTES;
    struct pieces pieces = {0};
    const uint8_t *before = search->question->before, *found = search->question->dump.bytes;
    bool is_in = false;
    for (uint64_t n = 0; n < search->chunks; n++) {
        uint64_t at = skip + n * CHUNK_BYTES;
        uint32_t bytes = 0;
        for (uint64_t b = 0; b < CHUNK_BYTES; b++) bytes += search->left[at + b];
        pieces.right += search->right[at] == 2;
        if (bytes == 0 && (before == NULL || memcmp(before + at, found + at, CHUNK_BYTES) != 0)) is_in = false;
        if (bytes == 0) continue;
        pieces.runs += !is_in;
        is_in = true;
        if (pieces.alike == 0) pieces.byte = search->question->dump.bytes[at];
        pieces.wrong++;
        pieces.partly += bytes <= CHUNK_BYTES / 2;
        pieces.found += search->origin[n].address != 0;
        pieces.alike += search->origin[n].is_alike && search->question->dump.bytes[at] == pieces.byte;
    }
    return pieces;
}

// --- what was there before -------------------------------------------------------------------------------------------

// What lay there before is known: all wrong bytes are that. It is not: they are all one byte, as memory is that nobody
// wrote, or whole pieces that are nowhere in the source, or some that are, while others of the tile are right.
static bool say_stale(const struct search *search, struct explanation *found)
{
    const struct diagnose *question = search->question;
    struct left left = look(search);
    struct pieces pieces = pieces_of(search);
    const char *source = question->is_store ? "tile" : "tensor", *guess = "";
    char kind[40] = "are";
    bool is_known = question->before != NULL, is_stale = damage_is_stale(search);
    if (is_stale)
        guess = " what was there before";
    else if (pieces.alike == pieces.wrong) {
        snprintf(kind, sizeof kind, "are all 0x%02x", pieces.byte);
        guess = ": likely never written";
    } else if (is_known || 2 * pieces.partly > pieces.wrong)
        return false;
    else if (pieces.found == 0) {
        snprintf(kind, sizeof kind, "are nowhere in the %s", source);
        guess = ": likely never written";
    } else if ((pieces.right > 0 || search->built != NULL) && pieces.found + pieces.alike == pieces.wrong) {
        snprintf(kind, sizeof kind, "are others of the %s", source);
        guess = ": an earlier copy may have left them";
    } else
        return false;
    if (search->built == NULL)
        found->is_whole = is_stale || (pieces.alike == pieces.wrong && !is_known);
    else
        found->is_whole = is_stale && pieces.runs == 1;
    found->is_maybe = !is_stale || !found->is_whole;
    snprintf(found->what, sizeof found->what, "%s%u bytes of the tile's %u, in %u piece%s, %s%s",
             search->built != NULL ? "the other " : "", search->left_bytes, search->answer->tx_bytes, left.runs,
             plural(left.runs), kind, guess);
    return true;
}

// Of what was there before nothing is known: one slice that has not come is a hypothesis of its own.
static void try_missing_slices(struct search *search)
{
    uint32_t slices = search->question->slices;
    for (uint32_t place = 0; slices > 1 && search->question->before == NULL && place < slices; place++) {
        struct hypothesis h = search->base;
        h.slot[place] = NOT_ISSUED;
        search_try(search, &h, 1, "slice %u has not come", place);
    }
}

void propose_stale(struct search *search)
{
    struct explanation found = start(search);
    bool is_much_left = search->built != NULL && (4 * search->left_bytes > 3 * search->answer->wrong_bytes ||
                                                  8 * search->base_right < search->answer->wrong_bytes);
    struct hypothesis h = search->base;
    h.is_stale = 1;
    if (search->pass == PASS_PART && search->question->before != NULL)
        search_try(search, &h, 0, "some of it is what was there before");
    if (search->pass == PASS_PART) try_missing_slices(search);
    if (search->pass == PASS_PART || (is_much_left && !damage_is_stale(search))) return;
    if (say_stale(search, &found)) search_add(search, &found);
}

// Neither of the source nor what was there before.
void propose_foreign(struct search *search)
{
    const struct diagnose *question = search->question;
    struct explanation found = start(search);
    struct left left = look(search);
    struct pieces pieces = pieces_of(search);
    if (search->pass == PASS_WHOLE || damage_is_stale(search) || 2 * pieces.found > pieces.wrong) return;
    found.is_whole = false;
    found.is_maybe = true;
    snprintf(found.what, sizeof found.what, "%u bytes in %u piece%s, from 0x%llx to 0x%llx, are not of the %s",
             search->left_bytes, left.runs, plural(left.runs), (unsigned long long)(question->dump.base + left.first),
             (unsigned long long)(question->dump.base + left.last), question->is_store ? "tile" : "tensor");
    search_add(search, &found);
}

// A few bytes, and most of the pieces they lie in are right: a copy moves no less than 16 bytes.
void propose_corrupted(struct search *search)
{
    const struct diagnose *question = search->question;
    struct explanation found = start(search);
    struct left left = look(search);
    struct pieces pieces = pieces_of(search);
    size_t used = 0;
    if (search->pass == PASS_PART || search->left_bytes > FEW_BYTES || left.runs > FEW_RUNS) return;
    if (pieces.wrong != pieces.partly || damage_is_stale(search)) return;
    used = (size_t)snprintf(found.what, sizeof found.what, "%u byte%s in %u place%s: ", search->left_bytes,
                            plural(search->left_bytes), left.runs, plural(left.runs));
    for (uint64_t i = left.first; i <= left.last && used < 100; i++)
        if (search->left[i])
            used += (size_t)snprintf(found.what + used, sizeof found.what - used, "%s0x%llx is 0x%02x",
                                     i > left.first ? ", " : "", (unsigned long long)(question->dump.base + i),
                                     question->dump.bytes[i]);
    snprintf(found.what + used, sizeof found.what - used, "%s; the rest is right", used < 100 ? "" : ", ...");
    search_add(search, &found);
}

// --- another copy ----------------------------------------------------------------------------------------------------

// The box's place of a piece of shared memory that belongs to a box at `shared`: the element's indices in it.
static bool index_in_box(const struct hypothesis *h, const struct tile *tile, uint32_t shared, uint32_t at,
                         int64_t *index)
{
    uint32_t within = swizzle_apply(h->map.swizzle, at) - shared, row = within / tile->pitch_bytes;
    uint32_t column = within % tile->pitch_bytes;
    if (within >= tile_extent_bytes(tile) || column >= tile->row_bytes) return false;
    index[0] = column / tensormap_step_bytes(&h->map);
    for (int i = 1; i < h->map.rank; i++) {
        index[i] = (int64_t)(row % tile->steps[i]) * h->map.estride[i];
        row /= tile->steps[i];
    }
    return true;
}

// A second box, so placed that the piece `n` of the dump comes from where it was found.
static void try_over(struct search *search, uint64_t n, uint32_t shared)
{
    struct hypothesis h = search->base;
    struct tile tile = tile_of(&h.map, h.coord);
    uint64_t skip = (0 - search->question->dump.base) % CHUNK_BYTES;
    int64_t index[TENSORMAP_MAX_RANK], element[TENSORMAP_MAX_RANK];
    if (!index_in_box(&h, &tile, shared, (uint32_t)(search->question->dump.base + skip + n * CHUNK_BYTES), index))
        return;
    diagnose_element(&h.map, search->origin[n].address, element);
    h.is_over = 1;
    h.over_shared = shared;
    for (int i = 0; i < h.map.rank; i++) h.over_coord[i] = (int32_t)(element[i] - index[i]);
    search_try(search, &h, shared > h.shared ? shared - h.shared : h.shared - shared,
               "another tile of the tensor, its first element (%d, %d, ...), was loaded over it to shared 0x%x",
               h.over_coord[0], h.map.rank > 1 ? h.over_coord[1] : 0, shared);
}

// Where a second box may begin: at each line before this one, in it, and as far behind it.
struct lines {
    uint32_t first, past;
};

static struct lines lines_of(const struct search *search)
{
    uint32_t bytes = search_slice_bytes(search->question), shared = search->base.shared;
    return (struct lines){shared > bytes ? shared - bytes : 0, shared + (search->question->slices + 1) * bytes};
}

// The boxes beside this one: they may be out of bounds, where no piece says what they are.
static void try_neighbours(struct search *search, int i, struct lines lines)
{
    struct hypothesis h = search->base;
    int64_t span = search_span(&h.map, i);
    h.is_over = 1;
    for (int side = -1; side <= 1; side += 2)
        for (h.over_shared = lines.first; h.over_shared < lines.past; h.over_shared += 128) {
            memcpy(h.over_coord, h.coord, sizeof h.coord);
            h.over_coord[i] = (int32_t)(h.coord[i] + side * span);
            if (h.over_shared != h.shared)
                search_try(search, &h, 1, "the tile one box %s along dimension %d was loaded over it to shared 0x%x",
                           side < 0 ? "before" : "after", i, h.over_shared);
        }
}

// Another box of the same map, loaded later, at each place where it overlaps this one or touches it.
void propose_overwritten(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct tensormap *map = &search->base.map;
    struct lines lines = lines_of(search);
    uint64_t skip = (0 - question->dump.base) % CHUNK_BYTES;
    int tried = 0;
    if (question->is_store || map->mode == TENSORMAP_IM2COL || map->interleave != INTERLEAVE_NONE) return;
    for (uint64_t n = 0; n < search->chunks && tried < OVER_TRIES; n++) {
        if (search->origin[n].address == 0 || memchr(search->left + skip + n * CHUNK_BYTES, 1, CHUNK_BYTES) == NULL)
            continue;
        tried++;
        for (uint32_t at = lines.first; at < lines.past; at += 128)
            if (at != search->base.shared) try_over(search, n, at);
    }
    for (int i = 0; search->built == NULL && i < map->rank; i++) try_neighbours(search, i, lines);
}

void propose_added(struct search *search)
{
    struct hypothesis h = search->base;
    if (!search->question->is_store || search->question->before == NULL || h.is_added) return;
    h.is_added = 1;
    search_try(search, &h, 0, "each element is the sum of what was there before and what was to be stored");
}

// --- rows in another order -------------------------------------------------------------------------------------------

// Of a store: where the pieces of step k went.
static uint32_t step_stored(const struct search *search, const struct tile *tile, int dim, uint32_t k, uint64_t step)
{
    uint64_t stride = tile->map->stride[dim] * tile->map->estride[dim];
    for (uint64_t column = 0; column < tile->row_bytes && stride > 0; column += CHUNK_BYTES) {
        uint64_t n = (k * step + column) / CHUNK_BYTES, found = n < search->samples ? search->sample[n] : 0;
        uint64_t away = found - column - sample_meant(search);
        if (found != 0 && away % stride == 0 && away / stride < tile->steps[dim]) return (uint32_t)(away / stride);
    }
    return MAX_ROWS;
}

// Does the dump hold at step `k` the row that base leaves (`got`) at step `other`?
static bool is_row_at(const struct search *search, const struct tile *tile, const uint8_t *got, uint64_t k,
                      uint64_t other)
{
    const struct memory *dump = &search->question->dump;
    const struct hypothesis *base = &search->base;
    for (uint32_t column = 0; column < tile->row_bytes; column += CHUNK_BYTES) {
        uint64_t at = swizzle_apply(base->map.swizzle, base->shared + (uint32_t)k + column) - dump->base;
        uint64_t from = swizzle_apply(base->map.swizzle, base->shared + (uint32_t)other + column) - dump->base;
        if (at + CHUNK_BYTES > dump->size_bytes || from + CHUNK_BYTES > dump->size_bytes) return false;
        if (memcmp(dump->bytes + at, got + from, CHUNK_BYTES) != 0) return false;
    }
    return true;
}

// The step along `dim` that lies in the place of step k (of a store: the place that step k has); MAX_ROWS if that is
// not known. One that is used already is not taken again.
static uint32_t step_found(const struct search *search, const struct tile *tile, int dim, uint32_t k, uint64_t step,
                           const uint8_t *got, const uint8_t *is_used)
{
    if (search->question->is_store) return step_stored(search, tile, dim, k, step);
    if (is_row_at(search, tile, got, k * step, k * step)) return k;
    for (uint32_t other = 0; other < tile->steps[dim]; other++)
        if (!is_used[other] && is_row_at(search, tile, got, k * step, other * step)) return other;
    return MAX_ROWS;
}

// Which step has the place of which; those that are not known stay, or take what is free. 0 if there is no such order.
static bool order_along(struct search *search, const struct tile *tile, int dim, struct hypothesis *h)
{
    uint64_t step = tile->pitch_bytes;
    uint32_t steps = tile->steps[dim], to[MAX_ROWS], known = 0, spare = 0;
    uint8_t is_used[MAX_ROWS] = {0};
    for (int i = 1; i < dim; i++) step *= tile->steps[i];
    if (steps > MAX_ROWS || steps < 2 || step % CHUNK_BYTES != 0) return false;
    memset(to, 0, sizeof to);
    const uint8_t *got = search_run(search, &search->base, search->inverse, NULL);
    for (uint32_t k = 0; got != NULL && k < steps; k++) {
        to[k] = step_found(search, tile, dim, k, step, got, is_used);
        if (to[k] == MAX_ROWS) continue;
        if (is_used[to[k]]++) return false;
        known++;
    }
    for (uint32_t k = 0; k < steps; k++)
        if (to[k] == MAX_ROWS && !is_used[k]) is_used[to[k] = k] = 1;
    for (uint32_t k = 0; k < steps; k++) {
        while (spare < steps && is_used[spare]) spare++;
        if (to[k] == MAX_ROWS) is_used[to[k] = spare] = 1;
        h->order[search->question->is_store ? k : to[k]] = (uint8_t)(search->question->is_store ? to[k] : k);
    }
    return 2 * known >= steps;
}

static void say_order(const struct hypothesis *h, uint32_t steps, char *text, size_t size)
{
    size_t used = 0;
    uint32_t moved = 0;
    for (uint32_t k = 0; k < steps; k++) {
        if (h->order[k] == k) continue;
        if (moved++ < 4)
            used += (size_t)snprintf(text + used, size - used, "%s%u at %u", moved > 1 ? ", " : "", k, h->order[k]);
    }
    if (moved > 4) snprintf(text + used, size - used, ", ... (%u of %u)", moved, steps);
}

void propose_row_order(struct search *search)
{
    const struct tensormap *map = &search->base.map;
    struct tile tile = tile_of(map, search->base.coord);
    if (map->mode == TENSORMAP_IM2COL || map->interleave != INTERLEAVE_NONE || search->base.order_dim > 0) return;
    for (int dim = 1; dim < map->rank; dim++) {
        struct hypothesis h = search->base;
        char text[100] = "";
        if (!order_along(search, &tile, dim, &h)) continue;
        h.order_dim = dim;
        say_order(&h, tile.steps[dim], text, sizeof text);
        if (text[0] != 0)
            search_try(search, &h, (uint32_t)dim, "steps along dimension %d are in other places: %s", dim, text);
    }
}
