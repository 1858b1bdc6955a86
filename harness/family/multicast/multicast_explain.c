// SPDX-License-Identifier: MIT
// A mismatch of the family "multicast" in words: the first CTA that differs, and who should have written there.
#include <inttypes.h>
#include <string.h>

#include "load_job.h"
#include "mbarrier.h"
#include "multicast_case.h"

static void explain_word(uint32_t rank, uint64_t expected, uint64_t found, FILE *out)
{
    struct mbarrier_fields a = mbarrier_unpack(expected), b = mbarrier_unpack(found);
    fprintf(out, "    mbarrier of CTA %u: phase %d, tx %d expected; phase %d, tx %d found: rule MULTICAST_TX_BYTES\n",
            rank, a.phase, a.tx, b.phase, b.tx);
}

static void explain_words(const struct window *expected, const struct window *found, FILE *out)
{
    for (uint32_t at = 0; at < expected->size_bytes && at < found->size_bytes; at += 8) {
        uint64_t want, got;
        memcpy(&want, expected->bytes + at, sizeof want);
        memcpy(&got, found->bytes + at, sizeof got);
        if (want != got) explain_word(at / 8, want, got, out);
    }
}

// The issues whose box holds `shared` of CTA `rank`, one line each.
static void explain_writers(const struct multicast_case *c, uint32_t rank, uint32_t shared, FILE *out)
{
    struct tensormap map = {0};
    if (c->mode != MULTICAST_BULK && !multicast_map(c, &map)) return;
    for (uint32_t i = 0; i < c->issues; i++) {
        const struct multicast_issue *issue = &c->issue[i];
        struct cluster_load load = multicast_load_of(c->cluster, issue, NULL);
        uint32_t targets = multicast_targets(&load);
        if (shared < issue->shared || shared >= issue->shared + multicast_bytes_of(c, &map, issue).extent) continue;
        fprintf(out, "    issue %u, by CTA %u to CTAs of mask 0x%04x: its box %s\n", i, issue->issuer, targets,
                targets >> rank & 1 ? "lies here" : "lies at this offset, but in other CTAs");
    }
}

void multicast_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct multicast_case *c = test_case;
    explain_words(&expected->window[0], &found->window[0], out);
    for (int i = 1; i < expected->windows; i++) {
        const struct window *w = &expected->window[i], *f = &found->window[i];
        uint32_t size = w->size_bytes < f->size_bytes ? w->size_bytes : f->size_bytes, at = 0;
        while (at < size && w->bytes[at] == f->bytes[at]) at++;
        if (at == size) continue;
        uint32_t shared = ((uint32_t)w->base & 0xffffff) + at;
        fprintf(out, "    CTA %d shared 0x%x: %02x expected, %02x found\n", i - 1, shared, w->bytes[at], f->bytes[at]);
        explain_writers(c, (uint32_t)i - 1, shared, out);
        return;
    }
}

void multicast_explain_place(const void *test_case, const struct place *place, FILE *out)
{
    const struct multicast_case *c = test_case;
    uint32_t address = (uint32_t)place->address;
    if (strncmp(place->window, "cta", 3) == 0) {
        explain_writers(c, address >> 24, address & 0xffffff, out);
    } else if (place->is_known && place->size_bytes == 8) {
        uint64_t want, got;
        memcpy(&want, place->recorded, sizeof want);
        memcpy(&got, place->found, sizeof got);
        explain_word((address - c->barrier) / 8, want, got, out);
    }
}
