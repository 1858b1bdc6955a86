// SPDX-License-Identifier: MIT
// What a mismatch of a load means: the first byte that differs, which element belongs there, where the bytes that were
// found come from, and the rule that would explain it.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "load_case.h"
#include "load_job.h"
#include "mbarrier.h"
#include "provenance.h"
#include "rules/tile.h"
#include "swizzle_names.h"

enum { PIECE_BYTES = 8 };

enum load_origin load_origin_of(uint32_t shared, const uint8_t *bytes, uint64_t *address)
{
    const struct memory *memory = arena();
    uint32_t before[2] = {load_canary(shared), load_canary(shared + 4)};
    static const uint16_t fills[2][4] = {{0}, {0x7ff7, 0x7ff7, 0x7ff7, 0x7ff7}};
    if (memcmp(bytes, before, PIECE_BYTES) == 0) return LOAD_UNTOUCHED;
    for (int i = 0; i < 2; i++)
        if (memcmp(bytes, fills[i], PIECE_BYTES) == 0) return LOAD_FILL;
    const uint8_t *at = memmem(memory->bytes, memory->size_bytes, bytes, PIECE_BYTES);
    if (at == NULL) return LOAD_UNKNOWN;
    *address = memory->base + (uint64_t)(at - memory->bytes);
    return LOAD_SOURCE;
}

static void print_place(const char *what, const struct tensormap *map, const struct provenance *place, FILE *out)
{
    fprintf(out, "    %s element (", what);
    for (int i = 0; i < map->rank; i++) fprintf(out, "%s%" PRId64, i > 0 ? ", " : "", place->index[i]);
    if (place->is_fill)
        fprintf(out, "), out of bounds: fill %04x\n", oob_fill_pattern(map->oob_fill));
    else
        fprintf(out, ") byte %u, global address +0x%" PRIx64 "\n", place->byte, place->address - ARENA_BASE);
}

// The rule most likely misread by whoever gave the bytes found. `place` is what belongs there, NULL outside the box.
static enum rule likely_rule(const struct tensormap *map, const struct provenance *place, enum load_origin found,
                             bool found_in_box)
{
    if (place == NULL) return RULE_TILE_PITCH;
    if (place->is_fill) {
        if (found == LOAD_SOURCE) return RULE_TILE_BOUNDS;
        return map->oob_fill == OOB_FILL_ZERO ? RULE_TILE_FILL_ZERO : RULE_TILE_FILL_NAN;
    }
    if (found == LOAD_FILL) return RULE_TILE_BOUNDS;
    if (found == LOAD_UNTOUCHED) return RULE_TILE_STEPS;
    if (found == LOAD_SOURCE) return found_in_box ? swizzle_name(map->swizzle)->rule : RULE_TILE_ADDRESS;
    return dtype_row(map->dtype)->is_tf32 ? RULE_TILE_TF32 : RULE_TILE_ADDRESS;
}

static enum rule explain_byte(const struct load_case *c, const struct tensormap *map, const struct window *found,
                              uint32_t offset, FILE *out)
{
    static const char *const words[] = {"the bytes that were there before: never written",
                                        "a fill of out-of-bounds elements", "bytes of the source outside the box",
                                        "bytes that are nowhere in the source"};
    struct provenance place, other;
    uint64_t source = 0;
    uint32_t piece = offset / PIECE_BYTES * PIECE_BYTES, address = (uint32_t)found->base;
    struct box box;
    box_start(&box, TENSORMAP_TILED, map, c->coord, NULL);
    bool in_box = provenance_of_shared(&box, c->coord, c->shared, address + offset, &place);
    enum load_origin origin = load_origin_of(address + piece, found->bytes + piece, &source);
    bool found_in_box =
        origin == LOAD_SOURCE && provenance_of_global(&box, c->coord, c->shared, source + offset % PIECE_BYTES, &other);
    if (in_box)
        print_place("expected:", map, &place, out);
    else
        fprintf(out, "    expected: no change, the byte is outside the box\n");
    if (found_in_box)
        print_place("found:   ", map, &other, out);
    else
        fprintf(out, "    found:    %s\n", words[origin]);
    return likely_rule(map, in_box ? &place : NULL, origin, found_in_box);
}

enum rule load_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct load_case *c = test_case;
    uint32_t address = (uint32_t)difference->found->base + difference->at;
    struct tensormap map;
    if (!map_args_made(&c->map, &map)) return RULE_TILE_ADDRESS;
    if (difference->window == 0) return difference_explain_barrier(difference, RULE_TILE_TX_BYTES, out);
    fprintf(out, "    bank %u\n", address / 4 % 32);
    return explain_byte(c, &map, difference->found, difference->at, out);
}

// Counts of the bytes at a place, by what belongs there.
struct line_bytes {
    uint32_t data, fill, outside;
};

// The rule most likely misread where the recorded bytes are not known.
static enum rule line_rule(const struct tensormap *map, const struct line_bytes *bytes)
{
    if (bytes->data == 0 && bytes->fill == 0) return RULE_TILE_PITCH;
    if (bytes->data == 0) return map->oob_fill == OOB_FILL_ZERO ? RULE_TILE_FILL_ZERO : RULE_TILE_FILL_NAN;
    if (dtype_row(map->dtype)->is_tf32) return RULE_TILE_TF32;
    if (bytes->fill > 0) return RULE_TILE_BOUNDS;
    return map->swizzle == SWIZZLE_NONE ? RULE_TILE_ADDRESS : swizzle_name(map->swizzle)->rule;
}

static void print_end(const struct tensormap *map, const struct provenance *place, FILE *out)
{
    char what[48];
    snprintf(what, sizeof what, "shared 0x%x (bank %u):", place->shared, place->shared / 4 % 32);
    print_place(what, map, place, out);
}

static enum rule explain_line(const struct load_case *c, const struct tensormap *map, const struct place *line,
                              FILE *out)
{
    struct line_bytes bytes = {0};
    struct provenance place, first = {0}, last = {0};
    struct box box;
    box_start(&box, TENSORMAP_TILED, map, c->coord, NULL);
    for (uint32_t i = 0; i < line->size_bytes; i++) {
        if (!provenance_of_shared(&box, c->coord, c->shared, (uint32_t)line->address + i, &place)) {
            bytes.outside++;
            continue;
        }
        if (bytes.data + bytes.fill == 0) first = place;
        last = place;
        *(place.is_fill ? &bytes.fill : &bytes.data) += 1;
    }
    fprintf(out, "    of these %u bytes %u are of the tensor, %u out of bounds, %u outside the box\n", line->size_bytes,
            bytes.data, bytes.fill, bytes.outside);
    if (bytes.data + bytes.fill > 0) {
        print_end(map, &first, out);
        print_end(map, &last, out);
    }
    return line_rule(map, &bytes);
}

enum rule load_explain_place(const void *test_case, const struct place *place, FILE *out)
{
    const struct load_case *c = test_case;
    struct tensormap map;
    if (strcmp(place->window, "shared") != 0) return RULE_TILE_TX_BYTES;
    return map_args_made(&c->map, &map) ? explain_line(c, &map, place, out) : RULE_TILE_ADDRESS;
}
