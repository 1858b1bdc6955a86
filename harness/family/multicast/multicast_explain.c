// SPDX-License-Identifier: MIT
// A mismatch of the family "multicast" in words: the first CTA that differs, and who should have written there.
#include <inttypes.h>
#include <string.h>

#include "load_job.h"
#include "mbarrier.h"
#include "multicast_case.h"

// The issues whose box holds `shared` of CTA `rank`, one line each. Does it lie in other CTAs only? Then the targets
// are what counts.
static enum rule explain_writers(const struct multicast_case *c, uint32_t rank, uint32_t shared, FILE *out)
{
    struct tensormap map = {0};
    int here = 0, elsewhere = 0;
    if (c->mode != MULTICAST_BULK && !multicast_map(c, &map)) return RULE_MULTICAST_OFFSET;
    for (uint32_t i = 0; i < c->issues; i++) {
        const struct multicast_issue *issue = &c->issue[i];
        struct cluster_load load = multicast_load_of(c->cluster, issue, NULL);
        uint32_t targets = multicast_targets(&load);
        if (shared < issue->shared || shared >= issue->shared + multicast_bytes_of(c, &map, issue).extent) continue;
        fprintf(out, "    issue %u, by CTA %u to CTAs of mask 0x%04x: its box %s\n", i, issue->issuer, targets,
                targets >> rank & 1 ? "lies here" : "lies at this offset, but in other CTAs");
        *(targets >> rank & 1 ? &here : &elsewhere) += 1;
    }
    return here == 0 && elsewhere > 0 ? RULE_MULTICAST_TARGETS : RULE_MULTICAST_OFFSET;
}

enum rule multicast_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct multicast_case *c = test_case;
    if (difference->window == 0) {
        fprintf(out, "    mbarrier of CTA %u: ", difference->at / 8);
        difference_print_barrier(difference, out);
        return RULE_MULTICAST_TX_BYTES;
    }
    uint32_t rank = (uint32_t)difference->window - 1;
    uint32_t shared = ((uint32_t)difference->expected->base & 0xffffff) + difference->at;
    fprintf(out, "    CTA %u shared 0x%x\n", rank, shared);
    return explain_writers(c, rank, shared, out);
}

enum rule multicast_explain_place(const void *test_case, const struct place *place, FILE *out)
{
    uint32_t address = (uint32_t)place->address;
    if (strncmp(place->window, "cta", 3) != 0) return RULE_MULTICAST_TX_BYTES;
    return explain_writers(test_case, address >> 24, address & 0xffffff, out);
}
