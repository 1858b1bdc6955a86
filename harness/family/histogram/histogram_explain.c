// SPDX-License-Identifier: MIT
// A mismatch of the family "histogram" in words: which bin, of which CTA, and how far it is off.
#include <inttypes.h>
#include <string.h>

#include "histogram_case.h"

static void explain_word(const struct histogram_case *c, int window, uint32_t word, uint32_t want, uint32_t got,
                         FILE *out)
{
    static const char *const members[] = {"%cluster_ctarank", "%cluster_nctarank", "%clusterid", "mapa"};
    const uint32_t cta_bins = histogram_job_of(c).cta_bins, before = HISTOGRAM_GUARD_WORDS + c->bins_skew;
    if (window == 0 && (word < before || word >= before + c->nbins))
        fprintf(out, "    word %d beside the bins: ", (int)word - (int)before);
    else if (window == 0)
        fprintf(out, "    bin %u, in CTA %u of a cluster: ", word - before, (word - before) / cta_bins);
    else if (window == 1)
        fprintf(out, "    shared memory of CTA %u of the grid, bin %u of its own: ", word / cta_bins, word % cta_bins);
    else
        fprintf(out, "    %s of CTA %u: ", members[word % 4], word / 4);
    fprintf(out, "%u expected, %u found (%+d)\n", want, got, (int32_t)(got - want));
}

void histogram_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct histogram_case *c = test_case;
    for (int i = 0; i < expected->windows; i++)
        for (uint32_t at = 0; at < expected->window[i].size_bytes; at += 4) {
            uint32_t want, got;
            memcpy(&want, expected->window[i].bytes + at, sizeof want);
            memcpy(&got, found->window[i].bytes + at, sizeof got);
            if (want == got) continue;
            explain_word(c, i, at / 4, want, got, out);
            return;
        }
}
