// SPDX-License-Identifier: MIT
// The mistake that explains a root of a hang, as far as a dump says it: the word of the barrier, and which threads are
// left. Who has arrived is not in a dump, so that all lines that arrive are named.
#include <string.h>

#include "core_tell.h"

enum { MOST_NAMED = 4 };

static const struct core_kernel *kernel_of(const struct core_report *report, const struct core_strand *strand)
{
    return core_kernel_of(report->state, core_strand_cta(report->state, strand));
}

static void append(struct text *text, const char *more)
{
    const size_t used = strlen(text->at);
    if (used + strlen(more) < sizeof text->at) strcpy(text->at + used, more);
}

// The places of the sites of a barrier that are of these kinds, each once.
static struct text lines_of(const struct core_report *report, const struct core_strand *strand, unsigned kinds)
{
    const struct core_kernel *kernel = kernel_of(report, strand);
    struct text text = {""};
    int named = 0, left = 0;
    for (uint32_t i = 0; kernel != NULL && i < kernel->sites.sites; i++) {
        const struct core_site *site = &kernel->sites.site[i];
        if ((kinds >> site->kind & 1) == 0 || !core_site_is_at(&kernel->sites, site, strand->variable, strand->address))
            continue;
        const struct text place = core_place(report, kernel->function, site->offset);
        if (strstr(text.at, place.at) != NULL) continue;
        if (named == MOST_NAMED) {
            left++;
            continue;
        }
        append(&text, named++ > 0 ? ", " : "");
        append(&text, place.at);
    }
    if (left > 0) append(&text, " and more");
    return text;
}

enum {
    ARRIVES = 1u << CORE_SITE_ARRIVE | 1u << CORE_SITE_EXPECT,
    EXPECTS = 1u << CORE_SITE_EXPECT,
    COPIES = 1u << CORE_SITE_COPY,
};

struct text core_arrival_lines(const struct core_report *report, const struct core_strand *strand)
{
    return lines_of(report, strand, ARRIVES | COPIES);
}

// " (ring.cu:31)", or nothing.
static struct text in_brackets(struct text lines)
{
    struct text text = {""};
    if (lines.at[0] != '\0') text_set(&text, " (%.480s)", lines.at);
    return text;
}

static struct text bytes_text(const struct core_report *report, const struct core_strand *strand)
{
    const struct mbarrier_fields now = mbarrier_unpack(strand->word);
    const struct core_cta *cta = core_strand_cta(report->state, strand);
    const bool is_cluster = cta->cluster_dim[0] * cta->cluster_dim[1] * cta->cluster_dim[2] > 1;
    const struct text expects = in_brackets(lines_of(report, strand, EXPECTS)),
                      copies = in_brackets(lines_of(report, strand, COPIES));
    struct text text;
    if (now.tx < 0)
        text_set(&text,
                 "the copies%.120s bring %d bytes more than expect_tx%.120s asks for. Both must be the same: a tensor "
                 "copy brings its whole box, with what is out of bounds; a copy may run more than once.%s",
                 copies.at, -now.tx, expects.at,
                 is_cluster ? " In a multicast each destination CTA expects the bytes on its own mbarrier." : "");
    else
        text_set(
            &text,
            "expect_tx%.120s asks for %d bytes more than the copies%.120s bring. Both must be the same: the sum of "
            "all copies; of a tensor copy, the whole box in the type of the map.",
            expects.at, now.tx, copies.at);
    return text;
}

static uint32_t threads_of(const struct core_report *report, const struct core_cta *cta)
{
    if (cta->grid >= report->dump->grids) return 0;
    const uint32_t *block = report->dump->grid[cta->grid].block;
    return block[0] * block[1] * block[2];
}

static uint32_t threads_left(const struct core_report *report, const struct core_cta *cta)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < cta->warps; i++)
        left += (unsigned)__builtin_popcount(report->dump->warp[cta->warp + i].valid);
    return left;
}

static struct text nobody_text(const struct core_report *report, const struct core_strand *strand)
{
    const struct core_cta *cta = core_strand_cta(report->state, strand);
    const uint32_t all = threads_of(report, cta), left = threads_left(report, cta);
    const struct text lines = in_brackets(lines_of(report, strand, ARRIVES));
    struct text text, exited = {""};
    if (left < all) text_set(&exited, "; %u of its %u threads have exited", all - left, all);
    if (strand->doing == CORE_WAITS_NAMED)
        text_set(&text,
                 "no other thread of the CTA can come to a barrier of that number any more%s: the count is "
                 "higher than the number of threads that meet there, or a thread took another way.",
                 exited.at);
    else if (strand->doing == CORE_WAITS_CLUSTER)
        text_set(&text, "no other thread of the cluster can come to barrier.cluster.arrive any more%s.", exited.at);
    else
        text_set(&text,
                 "no thread that is left can come to an instruction that arrives at it%s%s: whoever should arrive has "
                 "left its loop before the waiter did, or took another way.",
                 lines.at, exited.at);
    return text;
}

static struct text partial_text(const struct core_report *report, const struct core_strand *strand)
{
    enum { WARP = 32 };
    const struct mbarrier_fields now = mbarrier_unpack(strand->word);
    const struct text lines = in_brackets(lines_of(report, strand, ARRIVES));
    const uint32_t came = now.expected - now.pending;
    struct text text;
    if (came * WARP == now.expected)
        text_set(&text,
                 "the count of init is the number of threads, but only one lane of each warp arrives%s: init with %u.",
                 lines.at, came);
    else
        text_set(&text,
                 "%u of %u arrivals came%s: a thread that should arrive does not, or the count of init is too high.",
                 came, now.expected, lines.at);
    return text;
}

static struct text cycle_text(const struct core_report *report, const struct core_strand *strand)
{
    const struct mbarrier_fields now = mbarrier_unpack(strand->word);
    struct text text = {""};
    int waits = 0;
    for (uint32_t i = 0; i < report->groups->groups; i++)
        waits += report->groups->group[i].first->reason == CORE_ROOT_CYCLE;
    if (waits > 1)
        text_set(&text,
                 "these threads wait for each other: each would arrive only behind its own wait. Let one of them "
                 "arrive first.");
    else if (strand->doing == CORE_WAITS_MBARRIER && strand->has_word && now.phase == 0 && strand->parity == 0)
        text_set(&text,
                 "all others wait for what these threads do next, and nothing has come in this phase of the mbarrier. "
                 "If its buffer starts empty, the first wait must have parity 1, which returns at once; if this is a "
                 "later round, who frees the buffer arrives at another mbarrier than this%s.",
                 in_brackets(lines_of(report, strand, ARRIVES)).at);
    else if (strand->doing == CORE_WAITS_MBARRIER)
        text_set(&text,
                 "all others wait for what these threads do next, and nothing has come in this phase of the mbarrier: "
                 "who should arrive waits itself%s. A wait one phase ahead looks the same.",
                 in_brackets(lines_of(report, strand, ARRIVES)).at);
    return text;
}

struct text core_likely(const struct core_report *report, const struct core_strand *strand)
{
    struct text text = {""};
    if (strand->doing == CORE_FAULTED) return core_fault_likely(strand);
    switch (strand->reason) {
    case CORE_ROOT_BYTES:
        return bytes_text(report, strand);
    case CORE_ROOT_NOBODY:
        return nobody_text(report, strand);
    case CORE_ROOT_PARTIAL:
        return partial_text(report, strand);
    case CORE_ROOT_CYCLE:
        return cycle_text(report, strand);
    case CORE_ROOT_POLL:
        text_set(&text, "nobody writes the word that they poll: the writer writes another word, waits itself, or its "
                        "CTA is not on the GPU together with these.");
        return text;
    default:
        return text;
    }
}
