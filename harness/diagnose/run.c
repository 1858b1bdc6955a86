// SPDX-License-Identifier: MIT
// One hypothesis, run on the model.
#include <string.h>

#include "copy.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "search.h"
#include "store.h"
#include "swizzle.h"
#include "tile.h"

enum { PATTERN_BYTES = 1024, LINE_BYTES = 128 };

struct hypothesis search_meant(const struct diagnose *question)
{
    struct hypothesis meant = {.map = question->map, .shared = question->shared, .source = question->source};
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
    bool is_strided = map->interleave == INTERLEAVE_NONE ? i > 0 : i != map->rank - 2; // not the slices
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

// Bytes of a slice in shared memory.
static uint32_t box_bytes(const struct diagnose *question)
{
    uint64_t extent = extent_bytes(&question->map, question->coord, question->offset);
    return (uint32_t)(extent > WORK_BYTES ? WORK_BYTES : extent);
}

uint32_t search_slice_bytes(const struct diagnose *question)
{
    return (box_bytes(question) + 127) / 128 * 128;
}

// --- which bytes of the dump a hypothesis may write ------------------------------------------------------------------

// Widens low..high by bytes at `address`, as far as they are in the dump.
static void widen(struct search *search, uint64_t address, uint64_t end)
{
    const struct memory *dump = &search->question->dump;
    if (address < dump->base) address = dump->base;
    if (end > dump->base + dump->size_bytes) end = dump->base + dump->size_bytes;
    if (address >= end) return;
    if (address - dump->base < search->low) search->low = address - dump->base;
    if (end - dump->base > search->high) search->high = end - dump->base;
}

// A swizzle moves bytes inside of 128-byte lines.
static void widen_by_load(struct search *search, const struct hypothesis *h)
{
    uint64_t bytes = extent_bytes(&h->map, h->coord, h->offset), last = 0;
    for (uint32_t place = 0; place < search->question->slices; place++)
        if (h->slot[place] != NOT_ISSUED) last = place;
    uint64_t end = h->shared + last * search_slice_bytes(search->question) + bytes;
    widen(search, h->shared / LINE_BYTES * LINE_BYTES, (end + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (h->is_over) widen(search, h->over_shared / LINE_BYTES * LINE_BYTES, h->over_shared + bytes + LINE_BYTES);
}

// From the first to the last element in bounds.
static void widen_by_store(struct search *search, const struct tensormap *map, const int32_t *coord)
{
    const struct memory *dump = &search->question->dump;
    struct tile tile = tile_of_store(map, coord);
    uint64_t first = map->address, last = map->address;
    if (map->mode == TENSORMAP_IM2COL) {
        widen(search, dump->base, dump->base + dump->size_bytes);
        return;
    }
    for (int i = 0; i < map->rank; i++) {
        int64_t by = i > 0 || map->interleave != INTERLEAVE_NONE ? map->estride[i] : 1, at = coord[i];
        int64_t end = at + by * ((int64_t)tile.steps[i] - 1), dim = (int64_t)(i == 0 ? tile.inner_dim : map->dim[i]);
        if (at < 0) at = 0;
        if (end >= dim) end = dim - 1;
        if (at > end) return;
        first += (uint64_t)at * map->stride[i];
        last += (uint64_t)end * map->stride[i];
    }
    widen(search, first, last + map->stride[0] + CHUNK_BYTES);
}

// --- what is done in shared memory besides copies --------------------------------------------------------------------

// The background at a shared address, NULL outside of the dump.
static const uint8_t *background_at(const struct search *search, const uint8_t *background, uint32_t address)
{
    const struct memory *dump = &search->question->dump;
    if (address < dump->base || address - dump->base + CHUNK_BYTES > dump->size_bytes) return NULL;
    return background + (address - dump->base);
}

// The lines of the box as they are when somebody undid the swizzle. What was there before is moved too; where that is
// not known, the background stays.
static void undo_swizzle(struct search *search, const struct hypothesis *h, const uint8_t *background)
{
    const struct diagnose *question = search->question;
    uint32_t past = h->shared + question->slices * search_slice_bytes(question);
    for (uint32_t at = h->shared / PATTERN_BYTES * PATTERN_BYTES; at < past && at < WORK_BYTES; at += PATTERN_BYTES) {
        memcpy(search->plane, search->work + at, PATTERN_BYTES);
        for (uint32_t to = at; to < at + PATTERN_BYTES && to < past; to += CHUNK_BYTES) {
            uint32_t from = swizzle_apply(h->undone, to);
            const uint8_t *chunk = search->plane + (from - at), *old = background_at(search, background, from);
            if (to < h->shared) continue;
            if (question->before == NULL && (old == NULL || memcmp(chunk, old, CHUNK_BYTES) == 0))
                chunk = background_at(search, background, to); // nobody knows what was moved here
            if (chunk != NULL) memcpy(search->work + to, chunk, CHUNK_BYTES);
        }
    }
}

// Where byte `from` of a box lies when it is rearranged: transposed, or its steps along a dimension in another order.
struct layout {
    uint32_t element, columns, rows, bytes; // transposed: of one plane
    uint32_t step, steps;                   // in another order: bytes of a step, and how many there are
    uint32_t pitch, row_bytes;              // gaps between rows stay
};

static uint32_t place_of(const struct hypothesis *h, const struct layout *layout, uint32_t from)
{
    if (h->transposed) {
        uint32_t e = from / layout->element, row = e / layout->columns, column = e % layout->columns;
        return (column * layout->rows + row) * layout->element + from % layout->element;
    }
    if (from % layout->pitch >= layout->row_bytes) return from;
    uint32_t block = layout->step * layout->steps, k = from % block / layout->step;
    return from / block * block + h->order[k] * layout->step + from % layout->step;
}

// How the box is rearranged; 0 if it cannot be.
static bool layout_of(const struct hypothesis *h, struct layout *layout)
{
    const struct tensormap *map = &h->map;
    if (map->mode == TENSORMAP_IM2COL && h->order_dim > 1) return false;
    uint32_t rows = map->rank > 1 ? search_steps(map, 1) : 1, span = tensormap_span_bytes(map->swizzle);
    *layout = (struct layout){tensormap_step_bytes(map), search_steps(map, 0), rows, 0, 0, 0, 0, 0};
    layout->row_bytes = layout->columns * layout->element;
    layout->bytes = layout->row_bytes * rows;
    layout->pitch = map->interleave == INTERLEAVE_NONE && layout->row_bytes < span ? span : layout->row_bytes;
    if (h->transposed)
        return layout->bytes > 0 && rows > 1 && layout->columns > 1 && layout->pitch == layout->row_bytes;
    layout->step = layout->pitch;
    for (int i = 1; i < h->order_dim; i++) layout->step *= search_steps(map, i);
    layout->steps = search_steps(map, h->order_dim);
    layout->bytes = layout->step * layout->steps;
    return layout->bytes > 0;
}

// Rearranges the boxes in `shared`, all of shared memory from address 0.
static bool rearrange(struct search *search, const struct hypothesis *h, uint8_t *shared)
{
    const struct diagnose *question = search->question;
    struct layout layout;
    uint32_t total = search_slice_bytes(question) * question->slices;
    if (!layout_of(h, &layout) || layout.bytes > WORK_BYTES) return false;
    if (question->slices == 1) total = (box_bytes(question) + layout.bytes - 1) / layout.bytes * layout.bytes;
    if (h->shared + total > WORK_BYTES) return false;
    for (uint32_t at = h->shared; at + layout.bytes <= h->shared + total; at += layout.bytes) {
        for (uint32_t i = 0; i < layout.bytes; i++) search->plane[i] = shared[swizzle_apply(h->map.swizzle, at + i)];
        for (uint32_t i = 0; i < layout.bytes; i++)
            shared[swizzle_apply(h->map.swizzle, at + place_of(h, &layout, i))] = search->plane[i];
    }
    return true;
}

// --- the copy --------------------------------------------------------------------------------------------------------

// Loads the box at `coord` to `to`. Address `a` of the model is work[a - shift].
static enum rule load(struct search *search, const struct hypothesis *h, const int32_t *coord, uint32_t to,
                      uint32_t *tx_bytes)
{
    uint32_t bytes = 0;
    struct memory shared = {search->work, h->shift, WORK_BYTES};
    enum rule rule =
        h->map.mode == TENSORMAP_IM2COL
            ? im2col_load(&h->map, h->map.rank, coord, h->offset, &h->source, &shared, to + h->shift, &bytes, NULL)
            : tile_load(&h->map, h->map.rank, coord, &h->source, &shared, to + h->shift, &bytes, NULL);
    *tx_bytes += bytes;
    return rule;
}

static enum rule store(struct search *search, const struct hypothesis *h, const int32_t *coord, uint32_t from,
                       uint32_t *tx_bytes)
{
    const struct memory *dump = &search->question->dump;
    struct memory global = {search->work, dump->base, dump->size_bytes}, shared = h->source;
    if (h->transposed || h->order_dim > 0) shared = (struct memory){search->image, 0, WORK_BYTES};
    shared.base += h->shift;
    from += h->shift;
    *tx_bytes += box_bytes(search->question);
    if (h->map.mode == TENSORMAP_IM2COL)
        return h->is_added ? im2col_reduce(REDUCE_ADD, &h->map, h->map.rank, coord, &global, &shared, from, NULL)
                           : im2col_store(&h->map, h->map.rank, coord, &global, &shared, from, NULL);
    return h->is_added ? tile_reduce(REDUCE_ADD, &h->map, h->map.rank, coord, &global, &shared, from, NULL)
                       : tile_store(&h->map, h->map.rank, coord, &global, &shared, from, NULL);
}

// The coordinates of the slice in `place`; 0 if there are no such coordinates.
static bool slice_coord(const struct search *search, const struct hypothesis *h, uint32_t place, int32_t *coord)
{
    const struct diagnose *question = search->question;
    memcpy(coord, h->coord, sizeof h->coord);
    if (question->slices == 1) return true;
    int64_t along = coord[question->slice_dim] + (int64_t)h->slot[place] * search_span(&h->map, question->slice_dim);
    coord[question->slice_dim] = (int32_t)along;
    return along == coord[question->slice_dim];
}

static void set_range(struct search *search, const struct hypothesis *h)
{
    int32_t coord[TENSORMAP_MAX_RANK];
    search->low = search->is_narrow ? UINT64_MAX : search->meant_low;
    search->high = search->is_narrow ? 0 : search->meant_high;
    if (!search->question->is_store) widen_by_load(search, h);
    for (uint32_t place = 0; search->question->is_store && place < search->question->slices; place++)
        if (h->slot[place] != NOT_ISSUED && slice_coord(search, h, place, coord))
            widen_by_store(search, &h->map, coord);
    if (search->low > search->high) search->low = search->high = 0;
}

static int same_bytes(const uint8_t *a, const uint8_t *b)
{
    int same = 0;
    for (int i = 0; i < CHUNK_BYTES; i++) same += a[i] == b[i];
    return same;
}

// Pieces of which the dump has more as it was before than as the copy leaves it stay as they were.
static void keep_old(struct search *search, uint8_t *window)
{
    bool is_old = false;
    const uint8_t *before = search->question->before, *found = search->question->dump.bytes;
    uint64_t skip = (0 - search->question->dump.base) % CHUNK_BYTES;
    uint64_t i = search->low <= skip ? skip : skip + (search->low - skip) / CHUNK_BYTES * CHUNK_BYTES;
    search->old_runs = 0;
    for (; before != NULL && i + CHUNK_BYTES <= search->high; i += CHUNK_BYTES)
        if (same_bytes(before + i, found + i) > same_bytes(window + i, found + i)) {
            memcpy(window + i, before + i, CHUNK_BYTES);
            search->old_runs += !is_old;
            is_old = true;
        } else if (memcmp(window + i, before + i, CHUNK_BYTES) != 0)
            is_old = false;
}

// Shared memory as the source has it, and rearranged.
static bool prepare_image(struct search *search, const struct hypothesis *h)
{
    const struct memory *source = &h->source;
    if (!search->question->is_store || (!h->transposed && h->order_dim == 0)) return true;
    if (source->base + source->size_bytes > WORK_BYTES) return false;
    memcpy(search->image + source->base, source->bytes, source->size_bytes);
    return rearrange(search, h, search->image);
}

const uint8_t *search_run(struct search *search, const struct hypothesis *h, const uint8_t *background,
                          uint32_t *tx_bytes)
{
    const struct diagnose *question = search->question;
    uint8_t *window = search->work + search->dump_at;
    uint32_t bytes = 0;
    set_range(search, h);
    memcpy(window + search->low, background + search->low, search->high - search->low);
    search->answer->tried++;
    if (!prepare_image(search, h)) return NULL;
    for (uint32_t place = 0; place < question->slices; place++) {
        int32_t coord[TENSORMAP_MAX_RANK];
        uint32_t at = h->shared + place * search_slice_bytes(question);
        if (h->slot[place] == NOT_ISSUED) continue;
        if (!slice_coord(search, h, place, coord)) return NULL;
        if ((question->is_store ? store : load)(search, h, coord, at, &bytes) != RULE_OK) return NULL;
    }
    if (h->is_over && load(search, h, h->over_coord, h->over_shared, &bytes) != RULE_OK) return NULL;
    if (h->undone != SWIZZLE_NONE) undo_swizzle(search, h, background);
    if ((h->transposed || h->order_dim > 0) && !question->is_store && !rearrange(search, h, search->work)) return NULL;
    if (h->is_stale) keep_old(search, window);
    if (tx_bytes != NULL) *tx_bytes = bytes;
    return window;
}
