// SPDX-License-Identifier: MIT
// Target `map`: the 128 bytes of a tensor map, then the destination, the instruction's dimensions and coordinates. Any
// bytes decode, and what is loaded stays in the destination.
#include <string.h>

#include "copy.h"
#include "fuzz.h"
#include "operand.h"
#include "provenance.h"
#include "rules/load.h"

enum { GLOBAL_BASE = 0x10000, GLOBAL_BYTES = 1 << 16, SHARED_BASE = 1024, SHARED_BYTES = 1 << 14, MOST_RUNS = 1000 };

// Runs rise, do not overlap, and end where the box does.
static void check_walk(const struct tile *tile)
{
    uint64_t end = 0, extent = tile_extent_bytes(tile);
    struct tile_run run;
    struct tile_walk walk = tile_walk(tile);
    if (extent > UINT32_MAX) return;
    for (int i = 0; i < MOST_RUNS && tile_next(&walk, &run); i++) {
        fuzz_require(run.bytes > 0 && run.offset >= end);
        end = (uint64_t)run.offset + run.bytes;
        fuzz_require(end <= extent);
    }
}

static void check_provenance(const struct tensormap *map, const int32_t *coord, uint32_t shared, uint64_t extent)
{
    struct provenance place, element;
    struct box box;
    box_start(&box, TENSORMAP_TILED, map, coord, NULL);
    for (uint64_t offset = 0; offset < extent; offset += extent / 7 + 1) {
        uint32_t address = shared + (uint32_t)offset;
        if (!provenance_of_shared(&box, coord, shared, address, &place)) continue;
        fuzz_require(place.shared == address);
        fuzz_require(provenance_of_element(&box, coord, shared, place.index, &element));
        fuzz_require(element.is_fill == place.is_fill);
    }
}

static void load(const struct tensormap *map, int dims, const int32_t *coord, uint32_t shared)
{
    static uint8_t global_bytes[GLOBAL_BYTES];
    struct memory global = {global_bytes, GLOBAL_BASE, sizeof global_bytes};
    struct memory cta = {malloc(SHARED_BYTES), SHARED_BASE, SHARED_BYTES};
    struct findings findings = {0}, done;
    uint32_t transaction_bytes = 0;
    enum rule rule = tile_load_check(map, dims, coord, &global, &cta, shared, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(tile_load(map, dims, coord, &global, &cta, shared, &transaction_bytes, &done) == rule);
    fuzz_require_alike(&findings, &done);
    if (rule != RULE_LOAD_MAP_FORMAT && map->mode == TENSORMAP_TILED) {
        struct tile tile = tile_of(map, coord);
        check_walk(&tile);
        bool is_nowhere = operand_is_nowhere(shared);
        fuzz_require(rule != RULE_OK || transaction_bytes == (is_nowhere ? 0 : tile_transaction_bytes(&tile)));
        if (rule == RULE_OK) check_provenance(map, coord, shared, tile_extent_bytes(&tile));
    }
    free(cta.bytes);
}

void fuzz_map(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct tensormap_image image, again;
    struct tensormap map;
    struct findings findings = {0};
    int32_t coord[8]; // a map of rank 8 may have as many
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++) image.word[i] = fuzz_take(&input, 8);
    uint32_t shared = (uint32_t)fuzz_take(&input, 4);
    int dims = (int)fuzz_take(&input, 1);
    for (int i = 0; i < 8; i++) coord[i] = (int32_t)fuzz_take(&input, 4);
    enum rule rule = tensormap_decode(&image, &map, &findings);
    fuzz_require((rule == RULE_OK) == (findings.count == 0));
    if (rule == RULE_OK) {
        tensormap_pack(&map, &again);
        fuzz_require(memcmp(&image, &again, sizeof image) == 0);
    }
    load(&map, dims, coord, shared);
}
