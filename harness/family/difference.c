// SPDX-License-Identifier: MIT
#include "difference.h"

#include <string.h>

#include "mbarrier.h"

bool difference_find(const struct window *a, const struct window *b, const uint8_t *is_open,
                     struct difference *difference)
{
    uint32_t size = a->size_bytes < b->size_bytes ? a->size_bytes : b->size_bytes, at = 0;
    while (at < size && (a->bytes[at] == b->bytes[at] || (is_open != NULL && is_open[at]))) at++;
    *difference = (struct difference){.expected = a, .found = b, .at = at};
    return at < size;
}

struct difference_units difference_units(const struct difference *difference, uint32_t bytes)
{
    struct difference_units units = {0, 0};
    uint32_t first = difference->at / bytes * bytes;
    memcpy(&units.expected, difference->expected->bytes + first, bytes);
    memcpy(&units.found, difference->found->bytes + first, bytes);
    return units;
}

static void print_word(uint64_t word, const char *which, FILE *out)
{
    struct mbarrier_fields fields = mbarrier_unpack(word);
    fprintf(out, "phase %d, pending %u, tx %d, error %d %s", fields.phase, fields.pending, fields.tx, fields.error,
            which);
}

void difference_print_barrier(const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 8);
    print_word(words.expected, "expected; ", out);
    print_word(words.found, "found\n", out);
}

enum rule difference_explain_barrier(const struct difference *difference, enum rule rule, FILE *out)
{
    fprintf(out, "    mbarrier: ");
    difference_print_barrier(difference, out);
    return rule;
}
