// SPDX-License-Identifier: MIT
// A mismatch of the family "prefetch" in words.
#include <inttypes.h>
#include <string.h>

#include "mbarrier.h"
#include "prefetch_case.h"

static void explain_array(const struct prefetch_case *c, const struct window *expected, const struct window *found,
                          uint32_t at, FILE *out)
{
    uint32_t start = PREFETCH_SURROUND_BYTES + c->offset, want, got;
    if (at < start || at >= start + c->count_bytes) {
        fprintf(out, "    %s: byte %" PRIu32 " of the window lies outside of the array and is never written\n",
                expected->name, at);
        return;
    }
    uint32_t index = (at - start) / PREFETCH_WORD_BYTES, batch = (at - start) / c->batch_bytes;
    memcpy(&want, expected->bytes + start + index * PREFETCH_WORD_BYTES, sizeof want);
    memcpy(&got, found->bytes + start + index * PREFETCH_WORD_BYTES, sizeof got);
    fprintf(out,
            "    %s: element %" PRIu32 ", batch %" PRIu32 " (CTA %" PRIu32 ", stage %" PRIu32 "): 0x%08" PRIx32
            " expected, 0x%08" PRIx32 " found\n",
            expected->name, index, batch, batch % c->ctas, batch / c->ctas % c->stages, want, got);
}

static void explain_stage(const struct prefetch_case *c, const struct window *expected, const struct window *found,
                          uint32_t at, FILE *out)
{
    uint32_t bytes = prefetch_stages_bytes(c->batch_bytes, c->stages), pitch = prefetch_pitch(c->batch_bytes);
    uint32_t cta = at / bytes, inside = at % bytes;
    if (inside < PREFETCH_GUARD_BYTES || inside >= bytes - PREFETCH_GUARD_BYTES)
        fprintf(out, "    stages: CTA %" PRIu32 ", around them, where nothing is written", cta);
    else
        fprintf(out, "    stages: CTA %" PRIu32 ", stage %" PRIu32 ", byte %" PRIu32, cta,
                (inside - PREFETCH_GUARD_BYTES) / pitch, (inside - PREFETCH_GUARD_BYTES) % pitch);
    fprintf(out, ": 0x%02x expected, 0x%02x found\n", expected->bytes[at], found->bytes[at]);
}

static void explain_barrier(const struct prefetch_case *c, const struct difference *difference, FILE *out)
{
    uint32_t words = prefetch_words_bytes(c->stages), at = difference->at;
    fprintf(out, "    barrier of CTA %" PRIu32 ", stage %" PRIu32 ": ", at / words, at % words / MBARRIER_BYTES);
    difference_print_barrier(difference, out);
}

enum rule prefetch_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct window *w = difference->expected, *f = difference->found;
    if (strcmp(w->name, "barriers") == 0) {
        explain_barrier(test_case, difference, out);
        return RULE_BULK_TX_BYTES;
    }
    if (strcmp(w->name, "stages") == 0)
        explain_stage(test_case, w, f, difference->at, out);
    else
        explain_array(test_case, w, f, difference->at, out);
    return RULE_BULK_SIZE;
}
