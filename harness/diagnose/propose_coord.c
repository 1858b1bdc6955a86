// SPDX-License-Identifier: MIT
// Causes that leave the map alone: other coordinates, other slices, im2col offsets.
#include <stdio.h>
#include <string.h>

#include "search.h"

enum { PHASES = 64, STEPS = 256, OFFSETS = 64 };

// Tries the meant load with coordinate i set to `value`.
static void try_coord(struct search *search, int i, int64_t value, uint32_t distance)
{
    struct hypothesis h = search->meant;
    h.coord[i] = (int32_t)value;
    if (h.coord[i] != value || value == search->meant.coord[i]) return;
    search_try(search, &h, distance, "coordinate %d is %d, not %d", i, h.coord[i], search->meant.coord[i]);
}

void propose_coord_swapped(struct search *search)
{
    for (int i = 0; i < search->meant.map.rank; i++)
        for (int j = i + 1; j < search->meant.map.rank; j++) {
            struct hypothesis h = search->meant;
            h.coord[i] = search->meant.coord[j];
            h.coord[j] = search->meant.coord[i];
            if (h.coord[i] == h.coord[j]) continue;
            search_try(search, &h, (uint32_t)(j - i), "coordinates %d and %d are swapped: %d and %d, not %d and %d", i,
                       j, h.coord[i], h.coord[j], h.coord[j], h.coord[i]);
        }
}

// All coordinates from `from` to `to` in boxes in place of elements, or multiplied by the box once too often.
static void try_in_boxes(struct search *search, int from, int to, int multiply)
{
    struct hypothesis h = search->meant;
    for (int i = from; i <= to; i++) {
        int64_t span = search_span(&h.map, i), value = multiply ? h.coord[i] * span : h.coord[i] / span;
        h.coord[i] = (int32_t)value;
        if (value != h.coord[i] || (!multiply && search->meant.coord[i] % span != 0)) return;
    }
    if (memcmp(h.coord, search->meant.coord, sizeof h.coord) == 0) return;
    if (from == to)
        search_try(search, &h, 2, "coordinate %d is %d, not %d: %s", from, h.coord[from], search->meant.coord[from],
                   multiply ? "multiplied by the box once too often" : "it counts boxes");
    else
        search_try(search, &h, 1, "every coordinate %s",
                   multiply ? "is multiplied by the box once too often" : "counts boxes, not elements");
}

void propose_coord_unit(struct search *search)
{
    const struct hypothesis *meant = &search->meant;
    int64_t element = (int64_t)dtype_row(meant->map.dtype)->size_bytes;
    struct hypothesis h = *meant;
    for (int i = 0; i < meant->map.rank; i++) {
        int64_t value = meant->coord[i] * element;
        h = *meant;
        h.coord[i] = (int32_t)value;
        if (element > 1 && value != 0 && value == h.coord[i])
            search_try(search, &h, (uint32_t)i, "coordinate %d is %d, not %d: it counts bytes", i, h.coord[i],
                       meant->coord[i]);
        h.coord[i] = meant->coord[i] / (int32_t)element;
        if (element > 1 && meant->coord[i] % element == 0 && meant->coord[i] != 0)
            search_try(search, &h, (uint32_t)i + 1, "coordinate %d is %d, not %d: divided by the element size", i,
                       h.coord[i], meant->coord[i]);
    }
    for (int multiply = 0; multiply < 2; multiply++) {
        try_in_boxes(search, 0, meant->map.rank - 1, multiply);
        for (int i = 0; i < meant->map.rank; i++) try_in_boxes(search, i, i, multiply);
    }
}

// Bytes of the dump that are of the tile meant and of the one of `h`: 0 if a byte is of neither.
static uint32_t mixed_bytes(struct search *search, const struct hypothesis *h)
{
    const struct diagnose *question = search->question;
    const uint8_t *found = question->dump.bytes;
    const uint8_t *got = search_run(search, h, question->before != NULL ? question->before : found, NULL);
    uint32_t bytes = 0;
    for (uint64_t i = 0; got != NULL && i < question->dump.size_bytes; i++) {
        if (search->wrong[i] && got[i] != found[i]) return 0;
        bytes += search->wrong[i];
    }
    if (got == NULL || question->before != NULL) return bytes;
    got = search_run(search, h, search->inverse, NULL);
    for (uint64_t i = 0; i < question->dump.size_bytes; i++)
        if (search->wrong[i] && got[i] != found[i]) return 0;
    return bytes;
}

static void try_phase(struct search *search, int i, int64_t boxes)
{
    struct hypothesis h = search->meant;
    int64_t value = h.coord[i] + boxes * search_span(&h.map, i);
    uint32_t distance = (uint32_t)(boxes < 0 ? -boxes : boxes);
    h.coord[i] = (int32_t)value;
    if (value != h.coord[i]) return;
    int begins_inside = value >= 0 && value < (int64_t)h.map.dim[i]; // else pieces of it are fill: anything has such
    search_try(search, &h, distance, "the tile is %u box%s %s along dimension %d: coordinate %d is %d, not %d",
               distance, distance == 1 ? "" : "es", boxes < 0 ? "before" : "after", i, i, h.coord[i],
               search->meant.coord[i]);
    uint32_t bytes = search->is_partial || !begins_inside ? 0 : mixed_bytes(search, &h);
    if (bytes == 0) return;
    struct explanation mixed = {search->cause, 1, bytes, distance + PHASES, ""};
    snprintf(mixed.what, sizeof mixed.what,
             "%u bytes are of the tile %u box%s %s along dimension %d (coordinate %d = %d), the others right", bytes,
             distance, distance == 1 ? "" : "es", boxes < 0 ? "before" : "after", i, i, h.coord[i]);
    search_add(search, &mixed);
}

void propose_other_phase(struct search *search)
{
    const struct diagnose *question = search->question;
    for (int i = 0; i < search->meant.map.rank; i++)
        for (int64_t boxes = 1; boxes <= PHASES; boxes++) {
            if (i == question->slice_dim && boxes < question->slices) continue; // another slice
            try_phase(search, i, -boxes);
            try_phase(search, i, boxes);
        }
}

// Which slice the bytes in place `place` are of: the one that explains most of its wrong bytes.
static void match_slices(struct search *search, struct hypothesis *h)
{
    const struct diagnose *question = search->question;
    uint32_t slice_bytes = (search_box_bytes(question) + 127) / 128 * 128, best[DIAGNOSE_MAX_SLICES] = {0};
    for (uint32_t slice = 0; slice < question->slices; slice++) {
        struct hypothesis all = search->meant;
        memset(all.slot, (int)slice, sizeof all.slot);
        const uint8_t *got = search_run(search, &all, search->inverse, NULL);
        for (uint32_t place = 0; got != NULL && place < question->slices; place++) {
            uint32_t same = 0;
            for (uint32_t at = 0; at < slice_bytes; at++) {
                uint64_t i = question->shared + place * slice_bytes + at - question->dump.base;
                same += i < question->dump.size_bytes && got[i] == question->dump.bytes[i];
            }
            if (same <= best[place]) continue;
            best[place] = same;
            h->slot[place] = (uint8_t)slice;
        }
    }
}

void propose_wrong_slice(struct search *search)
{
    struct hypothesis h = search->meant;
    char text[160] = "";
    size_t used = 0;
    if (search->question->slices < 2) return;
    match_slices(search, &h);
    for (uint32_t place = 0; place < search->question->slices; place++)
        if (h.slot[place] != place && used < sizeof text - 40)
            used += (size_t)snprintf(text + used, sizeof text - used, "%splace %u holds slice %u", used > 0 ? ", " : "",
                                     place, h.slot[place]);
    if (used > 0) search_try(search, &h, 0, "%s", text);
}

// The coordinates at which the first wrong bytes of the box would be found in the tensor.
static void try_origin(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct memory *dump = &question->dump;
    uint64_t at = question->shared - dump->base;
    if (question->shared < dump->base || at + 16 > dump->size_bytes) return;
    for (uint32_t chunk = 0; chunk < 8; chunk++) { // the box's first 16 bytes are in one of these
        if ((at ^ chunk * 16) + 16 > dump->size_bytes) continue;
        uint64_t address = diagnose_origin(question, dump->bytes + (at ^ chunk * 16));
        int64_t index[TENSORMAP_MAX_RANK];
        if (address == 0) continue;
        struct hypothesis h = search->meant;
        diagnose_element(&h.map, address, index);
        for (int i = 0; i < h.map.rank; i++) h.coord[i] = (int32_t)index[i];
        if (memcmp(h.coord, search->meant.coord, sizeof h.coord) != 0)
            search_try(search, &h, STEPS + 1, "the coordinates are (%d, %d, %d, %d, %d), of which the rank counts",
                       h.coord[0], h.coord[1], h.coord[2], h.coord[3], h.coord[4]);
    }
}

void propose_coord_off(struct search *search)
{
    const struct tensormap *map = &search->meant.map;
    for (int i = 0; i < map->rank; i++) {
        int64_t span = search_span(map, i), coord = search->meant.coord[i];
        int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 16 / dtype_row(map->dtype)->size_bytes : 1;
        for (int64_t k = by; k <= STEPS * by; k += by) {
            if (k % span == 0) continue; // another phase
            try_coord(search, i, coord + k, (uint32_t)k);
            try_coord(search, i, coord - k, (uint32_t)k);
        }
        if (coord % span != 0) try_coord(search, i, 0, STEPS);
    }
    if (search->answer->explanations == 0) try_origin(search);
}

void propose_im2col_offset(struct search *search)
{
    const struct tensormap *map = &search->meant.map;
    for (int k = 0; map->mode == TENSORMAP_IM2COL && k < map->rank - 2; k++) {
        for (uint32_t value = 0; value < OFFSETS; value++) {
            struct hypothesis h = search->meant;
            h.offset[k] = (uint16_t)value;
            if (value != search->meant.offset[k])
                search_try(search, &h, value, "im2colOffsets[%d] is %u, not %u", k, value, search->meant.offset[k]);
        }
        for (int j = k + 1; j < map->rank - 2; j++) {
            struct hypothesis h = search->meant;
            h.offset[k] = search->meant.offset[j];
            h.offset[j] = search->meant.offset[k];
            if (h.offset[k] != h.offset[j]) search_try(search, &h, 0, "im2colOffsets[%d] and [%d] are swapped", k, j);
        }
    }
}
