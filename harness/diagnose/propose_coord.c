// SPDX-License-Identifier: MIT
// Causes that leave the map alone: other coordinates, other slices, im2col offsets.
#include <stdio.h>
#include <string.h>

#include "search.h"

enum { PHASES = 64, STEPS = 256, OFFSETS = 64 };

// Tries the meant load with coordinate i set to `value`.
static void try_coord(struct search *search, int i, int64_t value, uint32_t distance)
{
    struct hypothesis h = search->base;
    h.coord[i] = (int32_t)value;
    if (h.coord[i] != value || value == search->base.coord[i]) return;
    search_try(search, &h, distance, "coordinate %d is %d, not %d", i, h.coord[i], search->base.coord[i]);
}

void propose_coord_swapped(struct search *search)
{
    for (int i = 0; i < search->base.map.rank; i++)
        for (int j = i + 1; j < search->base.map.rank; j++) {
            struct hypothesis h = search->base;
            h.coord[i] = search->base.coord[j];
            h.coord[j] = search->base.coord[i];
            if (h.coord[i] == h.coord[j]) continue;
            search_try(search, &h, (uint32_t)(j - i), "coordinates %d and %d are swapped: %d and %d, not %d and %d", i,
                       j, h.coord[i], h.coord[j], h.coord[j], h.coord[i]);
        }
}

// All coordinates from `from` to `to` in boxes of `map` in place of elements, or multiplied by the box once too often.
static void try_in_boxes(struct search *search, const struct tensormap *map, int from, int to, int multiply)
{
    struct hypothesis h = search->base;
    for (int i = from; i <= to; i++) {
        int64_t span = search_span(map, i), value = multiply ? h.coord[i] * span : h.coord[i] / span;
        h.coord[i] = (int32_t)value;
        if (value != h.coord[i] || (!multiply && search->base.coord[i] % span != 0)) return;
    }
    if (memcmp(h.coord, search->base.coord, sizeof h.coord) == 0) return;
    if (from == to)
        search_try(search, &h, 2, "coordinate %d is %d, not %d: %s", from, h.coord[from], search->base.coord[from],
                   multiply ? "multiplied by the box once too often" : "it counts boxes");
    else
        search_try(search, &h, 1, "every coordinate %s",
                   multiply ? "is multiplied by the box once more than needed" : "counts boxes, not elements");
}

void propose_coord_unit(struct search *search)
{
    const struct hypothesis *meant = &search->base;
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
    for (int n = 0; n < 4; n++) { // the box may be another than was meant
        const struct tensormap *map = n < 2 ? &search->meant.map : &meant->map;
        if (n == 2 && memcmp(search->meant.map.box, meant->map.box, sizeof meant->map.box) == 0) break;
        try_in_boxes(search, map, 0, map->rank - 1, n % 2);
        for (int i = 0; i < map->rank; i++) try_in_boxes(search, map, i, i, n % 2);
    }
}

// Bytes that are of the tile of `h`, which writes them, and not of the one meant: 0 if a wrong byte is of neither.
static uint32_t mixed_bytes(struct search *search, const struct hypothesis *h)
{
    const uint8_t *found = search->question->dump.bytes;
    uint32_t bytes = 0;
    const uint8_t *got = search_run(search, h, search->inverse, NULL);
    for (uint64_t i = search->low; got != NULL && i < search->high; i++) {
        if (search->left[i] && got[i] != found[i]) return 0;
        bytes += search->left[i];
    }
    return got != NULL && bytes == search->left_bytes ? bytes : 0;
}

static void try_phase(struct search *search, int i, int64_t boxes)
{
    struct hypothesis h = search->base;
    int64_t value = h.coord[i] + boxes * search_span(&h.map, i);
    uint32_t distance = (uint32_t)(boxes < 0 ? -boxes : boxes);
    h.coord[i] = (int32_t)value;
    if (value != h.coord[i]) return;
    bool begins_inside = value >= 0 && value < (int64_t)h.map.dim[i]; // else pieces of it are fill: anything has such
    search_try(search, &h, distance, "the tile is %u box%s %s along dimension %d: coordinate %d is %d, not %d",
               distance, distance == 1 ? "" : "es", boxes < 0 ? "before" : "after", i, i, h.coord[i],
               search->base.coord[i]);
    uint32_t bytes = search->pass == PASS_PART || !begins_inside ? 0 : mixed_bytes(search, &h);
    if (bytes == 0) return;
    bool is_sure = search->built == NULL;
    struct explanation mixed = {search->cause, CAUSES, is_sure, !is_sure, bytes, distance + PHASES, ""};
    snprintf(mixed.what, sizeof mixed.what,
             "%u bytes are of the tile %u box%s %s along dimension %d (coordinate %d = %d), the others right", bytes,
             distance, distance == 1 ? "" : "es", boxes < 0 ? "before" : "after", i, i, h.coord[i]);
    search_add(search, &mixed);
}

// The tile that the bytes found are of, if it is whole boxes away, along whatever dimensions.
static void try_measured_phase(struct search *search)
{
    uint64_t begin;
    for (int n = 0; sample_begin(search, n, &begin); n++) {
        struct hypothesis h = search->base;
        int64_t index[TENSORMAP_MAX_RANK];
        bool is_whole = true;
        diagnose_element(&h.map, begin, index);
        for (int i = 0; i < h.map.rank; i++) {
            h.coord[i] = (int32_t)index[i];
            is_whole &= (index[i] - search->base.coord[i]) % search_span(&h.map, i) == 0;
        }
        if (is_whole && memcmp(h.coord, search->base.coord, sizeof h.coord) != 0)
            search_try(search, &h, PHASES, "the tile is another one, whole boxes away: it begins at (%d, %d, ...)",
                       h.coord[0], h.map.rank > 1 ? h.coord[1] : 0);
    }
}

void propose_other_phase(struct search *search)
{
    const struct diagnose *question = search->question;
    try_measured_phase(search);
    for (int i = 0; i < search->base.map.rank; i++)
        for (int64_t boxes = 1; boxes <= search_reach(search, PHASES); boxes++) {
            if (i == question->slice_dim && boxes < question->slices) continue; // another slice
            try_phase(search, i, -boxes);
            try_phase(search, i, boxes);
        }
}

// Which slice lies in place `place` (of a store: where that slice went): the one that explains most, its own before
// others that are the same there.
static uint8_t match_slice(struct search *search, uint32_t place)
{
    const uint8_t *found = search->question->dump.bytes;
    uint8_t match = (uint8_t)place;
    uint32_t most = 0;
    for (uint32_t slice = 0; slice < search->question->slices; slice++) {
        struct hypothesis h = search->base;
        uint32_t same = 0;
        memset(h.slot, NOT_ISSUED, sizeof h.slot);
        h.slot[place] = (uint8_t)slice;
        const uint8_t *got = search_run(search, &h, search->inverse, NULL);
        for (uint64_t i = search->low; got != NULL && i < search->high; i++) same += got[i] == found[i];
        if (same < most || (same == most && slice != place)) continue;
        most = same;
        match = (uint8_t)slice;
    }
    return match;
}

static void try_slots(struct search *search, const struct hypothesis *h, uint32_t distance)
{
    const char *verb =
        search->question->is_store ? "slice %u went to the place of slice %u" : "place %u holds slice %u";
    char text[160] = "";
    size_t used = 0;
    for (uint32_t place = 0; place < search->question->slices; place++) {
        if (h->slot[place] == place || used > sizeof text - 48) continue;
        if (used > 0) used += (size_t)snprintf(text + used, sizeof text - used, ", ");
        used += (size_t)snprintf(text + used, sizeof text - used, verb, place, h->slot[place]);
    }
    if (used > 0) search_try(search, h, distance, "%s", text);
}

void propose_wrong_slice(struct search *search)
{
    struct hypothesis h = search->base;
    uint32_t slices = search->question->slices;
    if (slices < 2) return;
    for (uint32_t place = 0; place < slices; place++) h.slot[place] = match_slice(search, place);
    try_slots(search, &h, 0);
    for (uint32_t by = 0; by < slices; by++) {
        for (uint32_t place = 0; place < slices; place++) h.slot[place] = (uint8_t)((place + by) % slices);
        try_slots(search, &h, 1);
        memset(h.slot, (int)by, sizeof h.slot);
        try_slots(search, &h, 1);
    }
}

// The coordinates that the bytes found are of, as most of them say.
static void try_measured(struct search *search)
{
    uint64_t begin;
    for (int n = 0; sample_begin(search, n, &begin); n++) {
        struct hypothesis h = search->base;
        int64_t index[TENSORMAP_MAX_RANK];
        diagnose_element(&h.map, begin, index);
        for (int i = 0; i < h.map.rank; i++) h.coord[i] = (int32_t)index[i];
        char text[80] = "";
        size_t used = 0;
        for (int i = 0; i < h.map.rank; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i == 0 ? "" : ", ", h.coord[i]);
        if (memcmp(h.coord, search->base.coord, sizeof h.coord) != 0)
            search_try(search, &h, STEPS + 1, "the coordinates are (%s)", text);
    }
}

void propose_coord_off(struct search *search)
{
    const struct tensormap *map = &search->base.map;
    for (int i = 0; i < map->rank; i++) {
        int64_t span = search_span(map, i), coord = search->base.coord[i];
        int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 16 / dtype_row(map->dtype)->size_bytes : 1;
        for (int64_t k = by; k <= search_reach(search, STEPS) * by; k += by) {
            if (k % span == 0) continue; // another phase
            try_coord(search, i, coord + k, (uint32_t)k);
            try_coord(search, i, coord - k, (uint32_t)k);
        }
        if (coord % span != 0) try_coord(search, i, 0, STEPS);
    }
    try_measured(search);
}

void propose_im2col_offset(struct search *search)
{
    const struct tensormap *map = &search->base.map;
    for (int k = 0; map->mode == TENSORMAP_IM2COL && k < map->rank - 2; k++) {
        for (uint32_t value = 0; value < search_reach(search, OFFSETS); value++) {
            struct hypothesis h = search->base;
            h.offset[k] = (uint16_t)value;
            if (value != search->base.offset[k])
                search_try(search, &h, value, "im2colOffsets[%d] is %u, not %u", k, value, search->base.offset[k]);
        }
        for (int j = k + 1; j < map->rank - 2; j++) {
            struct hypothesis h = search->base;
            h.offset[k] = search->base.offset[j];
            h.offset[j] = search->base.offset[k];
            if (h.offset[k] != h.offset[j]) search_try(search, &h, 0, "im2colOffsets[%d] and [%d] are swapped", k, j);
        }
    }
}
