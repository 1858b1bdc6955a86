// SPDX-License-Identifier: MIT
#include "diagnose_case.h"

#include <string.h>

#include "arena.h"
#include "box.h"
#include "copy.h"
#include "im2col_load.h"
#include "load_launch.h"
#include "swizzle.h"

uint32_t diagnose_load_bytes(const struct diagnose_load *load, uint32_t *tx_bytes)
{
    struct tensormap map;
    struct box box;
    *tx_bytes = 0;
    if (!map_args_made(&load->map, &map)) return 0;
    box_start(&box, map.mode, &map, load->coord, load->offset);
    *tx_bytes = (uint32_t)box_transaction_bytes(&box);
    return (uint32_t)box_extent_bytes(&box);
}

enum rule diagnose_load_run(const struct diagnose_load *load, const struct memory *shared, uint32_t *tx_bytes)
{
    struct tensormap map;
    enum rule rule = map_args_make(&load->map, &map);
    if (rule != RULE_OK) return rule;
    return map.mode == TENSORMAP_IM2COL
               ? im2col_load(&map, map.rank, load->coord, load->offset, arena(), shared, load->shared, tx_bytes, NULL)
               : tile_load(&map, map.rank, load->coord, arena(), shared, load->shared, tx_bytes, NULL);
}

static void widen(uint32_t address, uint32_t bytes, uint32_t *low, uint32_t *high)
{
    if (address < *low) *low = address;
    if (address + bytes > *high) *high = address + bytes;
}

struct load_window diagnose_window(const struct diagnose_case *c)
{
    uint32_t low = UINT32_MAX, high = 0, tx_bytes, bytes = diagnose_load_bytes(&c->meant, &tx_bytes);
    widen(c->meant.shared - c->moved, bytes * c->slices, &low, &high);
    for (uint32_t i = 0; i < c->loads; i++)
        widen(c->load[i].shared, diagnose_load_bytes(&c->load[i], &tx_bytes), &low, &high);
    return load_window_around(low, high - low);
}

// Each 16-byte chunk of the box is taken from where the mode would have put it.
static void undo(const struct diagnose_case *c, struct load_window window, const uint8_t *raw, uint8_t *bytes)
{
    uint32_t tx_bytes, extent = (diagnose_load_bytes(&c->meant, &tx_bytes) * c->slices + 127) / 128 * 128;
    for (uint32_t at = 0; at < extent; at++) {
        uint32_t address = c->meant.shared + at, from = swizzle_apply((enum tensormap_swizzle)c->undone, address);
        if (from >= window.base && from < window.base + window.size_bytes)
            bytes[address - window.base] = raw[from - window.base];
    }
}

// The elements in the order of columns.
static void transpose(const struct diagnose_case *c, struct load_window window, const uint8_t *raw, uint8_t *bytes)
{
    struct tensormap map;
    if (!map_args_made(&c->meant.map, &map)) return;
    struct tile tile = tile_of(&map, c->meant.coord);
    uint32_t element = tensormap_step_bytes(&map), n0 = tile.steps[0], n1 = tile.steps[1];
    uint64_t planes = tile.rows / n1;
    for (uint64_t k = 0; k < planes * n0 * n1 * element; k++) {
        uint64_t e = k / element, plane = e / (n0 * n1), i = e % (n0 * n1) / n1, j = e % n1;
        uint64_t from = ((plane * n1 + j) * n0 + i) * element + k % element;
        uint32_t to_at = swizzle_apply(map.swizzle, c->meant.shared + (uint32_t)k) - window.base;
        bytes[to_at] = raw[swizzle_apply(map.swizzle, c->meant.shared + (uint32_t)from) - window.base];
    }
}

void diagnose_read_back(const struct diagnose_case *c, struct load_window window, uint8_t *bytes)
{
    uint8_t raw[LOAD_SHARED_BYTES];
    memcpy(raw, bytes, window.size_bytes);
    if (c->undone != 0) undo(c, window, raw, bytes);
    if (c->transposed) transpose(c, window, raw, bytes);
}

bool diagnose_question(const struct diagnose_case *c, struct load_window window, uint8_t *bytes, const uint8_t *before,
                       uint64_t word, struct diagnose *question)
{
    *question = (struct diagnose){.shared = c->meant.shared,
                                  .slices = c->slices,
                                  .slice_dim = (int)c->slice_dim,
                                  .source = *arena(),
                                  .dump = {bytes, window.base + c->moved, window.size_bytes},
                                  .before = before,
                                  .has_word = true,
                                  .word = word};
    memcpy(question->coord, c->meant.coord, sizeof question->coord);
    memcpy(question->offset, c->meant.offset, sizeof question->offset);
    return map_args_made(&c->meant.map, &question->map);
}
