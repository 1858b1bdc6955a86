// SPDX-License-Identifier: MIT
// A mismatch of the family "rmw" in words.
#include <inttypes.h>
#include <string.h>

#include "rmw_case.h"

static void explain_log(const struct window *expected, const struct window *found, uint32_t at, FILE *out)
{
    struct rmw_log want, got;
    uint32_t cta = at / (uint32_t)sizeof want;
    memcpy(&want, expected->bytes + cta * sizeof want, sizeof want);
    memcpy(&got, found->bytes + cta * sizeof got, sizeof got);
    fprintf(out,
            "    CTA %" PRIu32 ": mbarrier 0x%016" PRIx64 ", %" PRIu32
            " bytes awaited after the call, fulfilled %" PRIu32,
            cta, want.word, want.bulk_bytes, want.fulfilled);
    fprintf(out, " expected; 0x%016" PRIx64 ", %" PRIu32 ", %" PRIu32 " found\n", got.word, got.bulk_bytes,
            got.fulfilled);
}

static void explain_array(const struct rmw_case *c, const struct window *expected, const struct window *found,
                          uint32_t at, FILE *out)
{
    uint32_t size = rmw_element_bytes((enum rmw_type)c->type), start = RMW_SURROUND_BYTES + c->offset;
    uint64_t want = 0, got = 0;
    if (at < start || at >= start + c->count * size) {
        fprintf(out, "    array: byte %" PRIu32 " of the window lies outside of it and is never written\n", at);
        return;
    }
    uint32_t index = (at - start) / size, place = start + index * size, shown = size < 8 ? size : 8;
    memcpy(&want, expected->bytes + place, shown);
    memcpy(&got, found->bytes + place, shown);
    fprintf(out,
            "    array: element %" PRIu32 " (CTA %" PRIu32 ", %" PRIu32 " of its tile): 0x%" PRIx64
            " expected, 0x%" PRIx64 " found\n",
            index, index / c->tile, index % c->tile, want, got);
}

static void explain_tile(const struct rmw_case *c, const struct window *expected, const struct window *found,
                         uint32_t at, FILE *out)
{
    uint32_t guarded = rmw_guarded_bytes(c->tile * rmw_element_bytes((enum rmw_type)c->type));
    fprintf(out, "    %s: CTA %" PRIu32 ", byte %" PRId64 " of its tile: 0x%02x expected, 0x%02x found\n",
            expected->name, at / guarded, (int64_t)(at % guarded) - RMW_GUARD_BYTES, expected->bytes[at],
            found->bytes[at]);
}

enum rule rmw_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct window *w = difference->expected, *f = difference->found;
    if (strcmp(w->name, "log") == 0) {
        explain_log(w, f, difference->at, out);
        return RULE_BULK_TX_BYTES;
    }
    if (strcmp(w->name, "array") == 0)
        explain_array(test_case, w, f, difference->at, out);
    else
        explain_tile(test_case, w, f, difference->at, out);
    return RULE_BULK_SIZE;
}
