// SPDX-License-Identifier: MIT
// What a mismatch of a map on the device means: the first bit of the map that differs and the edit that wrote it, or
// the element of the box at the first byte of shared memory that differs.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "provenance.h"
#include "replace_case.h"

// Does the edit write this bit, whatever it held?
static int writes(const struct replace_op *op, int bit)
{
    struct tensormap_image zeros = {{0}}, ones;
    memset(ones.word, 0xff, sizeof ones.word);
    tensormap_replace(&zeros, op, NULL);
    tensormap_replace(&ones, op, NULL);
    return ((zeros.word[bit / 64] ^ ones.word[bit / 64]) >> bit % 64 & 1) == 0;
}

static enum rule explain_map(const struct replace_case *c, const struct window *expected, const struct window *found,
                             FILE *out)
{
    int bit = 0;
    while (bit < 8 * TENSORMAP_BYTES && ((expected->bytes[bit / 8] ^ found->bytes[bit / 8]) >> bit % 8 & 1) == 0) bit++;
    if (bit == 8 * TENSORMAP_BYTES) return RULE_REPLACE_KEEPS;
    fprintf(out, "    map bit %d: expected %d, found %d\n", bit, expected->bytes[bit / 8] >> bit % 8 & 1,
            found->bytes[bit / 8] >> bit % 8 & 1);
    for (uint32_t i = c->count; i > 0; i--) {
        const struct replace_op *op = &c->op[i - 1];
        if (!writes(op, bit)) continue;
        fprintf(out, "    the last edit to write it is number %u, %s:%u=%" PRIu64 "\n", i,
                replace_field_name((enum replace_field)op->field), op->ordinal, op->value);
        return RULE_REPLACE_FIELD;
    }
    fprintf(out, "    no edit writes it\n");
    return RULE_REPLACE_KEEPS;
}

static enum rule explain_shared(const struct replace_case *c, const struct difference *difference, FILE *out)
{
    struct tensormap map;
    struct provenance place;
    uint32_t address = (uint32_t)difference->expected->base + difference->at;
    if (!replace_final_map(c, &map)) return RULE_REPLACE_FIELD;
    if (!provenance_of_shared(&map, c->coord, c->shared, address, &place)) {
        fprintf(out, "    the byte is outside the box\n");
        return RULE_TILE_PITCH;
    }
    fprintf(out, "    element (");
    for (int k = 0; k < map.rank; k++) fprintf(out, "%s%" PRId64, k > 0 ? ", " : "", place.index[k]);
    if (place.is_fill) {
        fprintf(out, "), out of bounds\n");
        return RULE_TILE_BOUNDS;
    }
    fprintf(out, ") byte %u, global address +0x%" PRIx64 "\n", place.byte, place.address - ARENA_BASE);
    return c->count > 0 ? RULE_REPLACE_FIELD : RULE_LOAD_MAP_IGNORED;
}

enum rule replace_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    if (difference->window == 0) return explain_map(test_case, difference->expected, difference->found, out);
    if (difference->window != 1) return explain_shared(test_case, difference, out);
    fprintf(out, "    mbarrier: ");
    difference_print_barrier(difference, out);
    return RULE_TILE_TX_BYTES;
}
