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

static void explain_map(const struct replace_case *c, const struct window *expected, const struct window *found,
                        FILE *out)
{
    int bit = 0;
    while (bit < 8 * TENSORMAP_BYTES && ((expected->bytes[bit / 8] ^ found->bytes[bit / 8]) >> bit % 8 & 1) == 0) bit++;
    if (bit == 8 * TENSORMAP_BYTES) return;
    fprintf(out, "    map bit %d: expected %d, found %d\n", bit, expected->bytes[bit / 8] >> bit % 8 & 1,
            found->bytes[bit / 8] >> bit % 8 & 1);
    for (uint32_t i = c->count; i > 0; i--) {
        const struct replace_op *op = &c->op[i - 1];
        if (!writes(op, bit)) continue;
        fprintf(out, "    the last edit to write it is number %u, %s:%u=%" PRIu64 "; likely rule REPLACE_FIELD\n", i,
                replace_field_name((enum replace_field)op->field), op->ordinal, op->value);
        return;
    }
    fprintf(out, "    no edit writes it; likely rule REPLACE_KEEPS\n");
}

static void explain_shared(const struct replace_case *c, const struct difference *difference, FILE *out)
{
    struct tensormap map;
    struct provenance place;
    uint32_t address = (uint32_t)difference->expected->base + difference->at;
    if (!replace_final_map(c, &map)) return;
    if (!provenance_of_shared(&map, c->coord, c->shared, address, &place)) {
        fprintf(out, "    the byte is outside the box; likely rule TILE_PITCH\n");
        return;
    }
    fprintf(out, "    element (");
    for (int k = 0; k < map.rank; k++) fprintf(out, "%s%" PRId64, k > 0 ? ", " : "", place.index[k]);
    if (place.is_fill)
        fprintf(out, "), out of bounds; likely rule TILE_BOUNDS\n");
    else
        fprintf(out, ") byte %u, global address +0x%" PRIx64 "; likely rule %s\n", place.byte,
                place.address - ARENA_BASE, c->count > 0 ? "REPLACE_FIELD" : "LOAD_MAP_IGNORED");
}

void replace_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    if (difference->window == 0) {
        explain_map(test_case, difference->expected, difference->found, out);
    } else if (difference->window == 1) {
        fprintf(out, "    mbarrier: ");
        difference_print_barrier(difference, out);
        difference_print_rule(RULE_TILE_TX_BYTES, out);
    } else {
        explain_shared(test_case, difference, out);
    }
}
