// SPDX-License-Identifier: MIT
// A mismatch of the family "bulk" in words: the barrier, then the first element that differs, with what made it.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "bulk_case.h"
#include "mbarrier.h"

// Little-endian bytes as a number.
static uint64_t element(const uint8_t *bytes, uint32_t size_bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size_bytes);
    return value;
}

// The 8 bytes of the source that go `offset` bytes (a multiple of 8) behind its start.
static uint64_t source_word(const struct bulk_case *c, uint64_t offset)
{
    struct bulk_region region = bulk_region(c);
    uint64_t word = 0;
    if (!bulk_is_from_global(c->form)) {
        uint64_t start = c->form == BULK_REGISTERS_TO_OTHER ? 0 : c->from - region.source;
        return bulk_word(c->seed, bulk_content_of(c), BULK_SALT_SOURCE, start + offset);
    }
    const uint8_t *bytes = memory_at(arena(), c->from + offset, sizeof word);
    if (bytes != NULL) memcpy(&word, bytes, sizeof word);
    return word;
}

static enum rule rule_of_reduction(const struct bulk_case *c)
{
    const struct bulk_reduction *reduction = bulk_reduction((enum bulk_reduction_id)c->operation);
    if (!dtype_row(reduction->dtype)->is_float) return RULE_REDUCE_INTEGER;
    return reduction->op == REDUCE_ADD ? RULE_REDUCE_FLOAT_ADD : RULE_REDUCE_HALF_MIN_MAX;
}

static enum rule explain_element(const struct bulk_case *c, const struct difference *difference, FILE *out)
{
    const struct window *expected = difference->expected, *found = difference->found;
    uint32_t at = difference->at;
    uint64_t address = expected->base + at, moved = bulk_moved_bytes(c->form, c->size_bytes);
    uint32_t size = 8;
    if (c->operation != BULK_COPY)
        size = dtype_row(bulk_reduction((enum bulk_reduction_id)c->operation)->dtype)->size_bytes;
    uint32_t in_word = at % 8 / size * size;
    at -= at % 8;
    uint64_t before = bulk_word(c->seed, bulk_content_of(c), BULK_SALT_DESTINATION, at);
    uint64_t base = expected->base + at;
    int digits = (int)(2 * size), is_inside = address >= c->to && address < c->to + moved;
    fprintf(out, "    %s of %" PRIu64 " bytes to 0x%" PRIx64 ", %s: address 0x%" PRIx64 " (%s)\n",
            bulk_form_names[c->form], moved, c->to, bulk_operation_names[c->operation], base + in_word,
            is_inside ? "inside" : "outside: never written");
    fprintf(out, "    before 0x%0*" PRIx64, digits, element((const uint8_t *)&before + in_word, size));
    if (is_inside && base >= c->to) {
        uint64_t source = source_word(c, base - c->to);
        fprintf(out, ", source 0x%0*" PRIx64, digits, element((const uint8_t *)&source + in_word, size));
    }
    fprintf(out, ": 0x%0*" PRIx64 " expected, 0x%0*" PRIx64 " found\n", digits,
            element(expected->bytes + at + in_word, size), digits, element(found->bytes + at + in_word, size));
    return is_inside && c->operation != BULK_COPY ? rule_of_reduction(c) : RULE_BULK_SIZE;
}

enum rule bulk_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    if (strcmp(difference->expected->name, "mbarrier") != 0) return explain_element(test_case, difference, out);
    fprintf(out, "    mbarrier: ");
    difference_print_barrier(difference, out);
    return RULE_BULK_TX_BYTES;
}
