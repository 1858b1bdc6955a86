// SPDX-License-Identifier: MIT
// A mismatch of the family "histogram" in words: which bin, of which CTA, and how far it is off.
#include <inttypes.h>
#include <string.h>

#include "histogram_case.h"

enum rule histogram_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    static const char *const members[] = {"%cluster_ctarank", "%cluster_nctarank", "%clusterid", "mapa"};
    const struct histogram_case *c = test_case;
    const struct difference_units words = difference_units(difference, 4);
    const uint32_t want = (uint32_t)words.expected, got = (uint32_t)words.found, word = difference->at / 4;
    const int window = difference->window;
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
    if (window != 2) return RULE_CLUSTER_ACCESS;
    return word % 4 == 3 ? RULE_CLUSTER_MAPA : RULE_CLUSTER_RANK;
}
