// SPDX-License-Identifier: MIT
// Gathers the waits of all clusters: strands that wait for the same at the same place are one wait; waits of several
// clusters and CTAs that are alike are one group.
#include "hang.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "report.h"

// --- Strands ---------------------------------------------------------------------------------------------------------

static bool is_same(const struct hang_wait *a, const struct hang_wait *b)
{
    return a->what == b->what && a->function == b->function && a->code == b->code && a->rank == b->rank &&
           a->number == b->number && a->parity == b->parity &&
           (a->what != HANG_REGISTERS || (a->come == b->come && a->wanted == b->wanted));
}

static int add_strand(struct hang_wait *wait, const struct machine_strand *strand)
{
    return ARRAY_ADD(wait->strand, wait->strands, strand);
}

static int add_wait(struct machine_hang *hang, uint32_t first, const struct machine_strand *strand)
{
    struct hang_wait found;
    hang_find_wait(strand, hang->kind, &found);
    for (uint32_t i = first; i < hang->waits; i++)
        if (is_same(&hang->wait[i], &found)) return add_strand(&hang->wait[i], strand);
    if (!ARRAY_ADD(hang->wait, hang->waits, found)) return 0;
    struct hang_wait *wait = &hang->wait[hang->waits - 1];
    const struct machine_cluster *cluster = found.cluster;
    wait->where = machine_where(strand, found.code, (uint32_t)__builtin_ctz(strand->lanes));
    wait->need = calloc(cluster->ctas * cluster->cta[0].warps, 1);
    if (wait->what == HANG_MBARRIER) wait->barrier = hang_read_barrier(wait, wait->rank, wait->number);
    return add_strand(wait, strand) && wait->need != NULL && (wait->barrier != NULL || wait->what != HANG_MBARRIER);
}

static bool waits_here(const struct hang_wait *wait, const struct machine_warp *warp)
{
    for (uint32_t i = 0; i < wait->strands; i++)
        if (wait->strand[i]->warp == warp) return true;
    return false;
}

// Who came to another barrier of the kind says who is to come to this one, unless these are the waiters alone: two that
// let each other on arrive each at the other's.
static void drop_own_pattern(const struct hang_wait *wait)
{
    struct hang_barrier *barrier = wait->barrier;
    if (barrier == NULL || barrier->pattern == NULL || barrier->pattern == barrier->page) return;
    for (uint32_t i = 0; i < barrier->befores; i++)
        if (!barrier->before[i].is_missing || !waits_here(wait, barrier->before[i].warp)) return;
    barrier->pattern = NULL;
    barrier->befores = 0;
}

static bool add_cluster(struct machine_hang *hang, const struct machine_cluster *cluster)
{
    const uint32_t first = hang->waits;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            const struct machine_warp *warp = &cluster->cta[rank].warp[i];
            for (uint32_t s = 0; s < warp->strands; s++)
                if (!add_wait(hang, first, &warp->strand[s])) return false;
        }
    for (uint32_t i = first; i < hang->waits; i++) drop_own_pattern(&hang->wait[i]);
    for (uint32_t i = first; i < hang->waits; i++) hang_find_needs(&hang->wait[i]);
    for (uint32_t i = first; i < hang->waits; i++) hang_find_cause(hang, &hang->wait[i]);
    hang_find_roots(hang, first, hang->waits);
    return true;
}

// --- Groups ----------------------------------------------------------------------------------------------------------

// Of several that poll memory those lead of whom it is known which.
static void hush_unknown(struct machine_hang *hang)
{
    bool is_known = false;
    for (uint32_t i = 0; i < hang->waits; i++) is_known |= hang->wait[i].is_root && hang->wait[i].is_known;
    for (uint32_t i = 0; i < hang->waits; i++)
        if (hang->wait[i].what == HANG_MEMORY && !hang->wait[i].is_known) hang->wait[i].is_root &= !is_known;
}

// Who polls memory follows whoever waits for something else.
static void settle_memory(struct machine_hang *hang)
{
    bool others = false;
    for (uint32_t i = 0; i < hang->waits; i++) others |= hang->wait[i].is_root && hang->wait[i].what != HANG_MEMORY;
    for (uint32_t i = 0; i < hang->waits; i++)
        if (hang->wait[i].what == HANG_MEMORY) hang->wait[i].is_root &= !others;
    hush_unknown(hang);
    hang_order_polls(hang);
    for (uint32_t i = 0; i < hang->waits; i++) // when the waits of all clusters are known
        if (hang->wait[i].what == HANG_MEMORY && hang->wait[i].is_root) hang_explain_memory(hang, &hang->wait[i]);
}

// What is said of a wait is not surer than of another at the same place: the same mistake has brought both there.
static void hush_less_sure(struct machine_hang *hang)
{
    for (uint32_t i = 0; i < hang->waits; i++)
        for (uint32_t j = 0; hang->wait[i].is_root && hang->wait[i].likely[0] != '\0' && j < hang->waits; j++)
            if (hang->wait[j].is_root && hang->wait[j].code == hang->wait[i].code &&
                hang->wait[j].score > hang->wait[i].score)
                hang->wait[i].likely[0] = '\0';
}

static bool is_of_same_rank(const struct hang_wait *a, const struct hang_wait *b)
{
    return a->cluster->ctas == b->cluster->ctas || a->rank == b->rank;
}

static bool is_alike(const struct hang_wait *a, const struct hang_wait *b)
{
    if (a->what != b->what || a->function != b->function || a->code != b->code || a->is_root != b->is_root)
        return false;
    if (!a->is_root) return a->number == b->number || a->what == HANG_MBARRIER || a->what == HANG_LANES;
    if (a->number != b->number && a->what != HANG_LANES) return false;
    if (!is_of_same_rank(a, b) || a->come != b->come || a->wanted != b->wanted) return false;
    if (a->barrier != NULL &&
        (a->barrier->now.pending != b->barrier->now.pending || a->barrier->now.tx != b->barrier->now.tx))
        return false;
    return a->what == HANG_MEMORY || strcmp(a->likely, b->likely) == 0; // of memory the first address is told of
}

static void group_all(struct machine_hang *hang)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        uint32_t same = 0;
        while (same < i && (hang->wait[same].group != same || !is_alike(&hang->wait[same], &hang->wait[i]))) same++;
        hang->wait[i].group = same;
    }
}

struct hang_size hang_size(const struct machine_hang *hang, uint32_t group)
{
    struct hang_size size = {0};
    const struct machine_cluster *last = NULL;
    uint32_t ranks = 0; // of the last cluster
    for (uint32_t i = group; i < hang->waits; i++) {
        const struct hang_wait *wait = &hang->wait[i];
        if (wait->group != group) continue;
        if (wait->cluster != last) ranks = 0;
        last = wait->cluster;
        for (uint32_t s = 0; s < wait->strands; s++) {
            const uint32_t rank = wait->strand[s]->warp->cta->rank;
            size.threads += (uint64_t)__builtin_popcount(wait->strand[s]->lanes);
            size.ctas += (ranks >> rank & 1) == 0;
            ranks |= 1u << rank;
        }
    }
    return size;
}

const struct hang_wait *hang_first(const struct machine_hang *hang)
{
    const struct hang_wait *best = NULL;
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *wait = &hang->wait[i];
        if (best == NULL || wait->is_root > best->is_root ||
            (wait->is_root == best->is_root && wait->score > best->score))
            best = wait;
    }
    return best;
}

const struct hang_wait *hang_wait_of(const struct machine_hang *hang, const struct machine_warp *warp)
{
    const struct hang_wait *found = NULL;
    for (uint32_t i = 0; i < hang->waits; i++)
        for (uint32_t s = 0; hang->wait[i].cluster == warp->cta->cluster && s < hang->wait[i].strands; s++)
            if (hang->wait[i].strand[s]->warp == warp && (found == NULL || found->what == HANG_LANES))
                found = &hang->wait[i];
    return found;
}

// That of its lanes, where the warp has parted.
const struct hang_wait *hang_wait_of_part(const struct machine_hang *hang, const struct hang_part *part)
{
    for (uint32_t i = 0; i < part->warp->strands; i++)
        if ((part->warp->strand[i].lanes & part->lanes) != 0) return hang_wait_of_strand(hang, &part->warp->strand[i]);
    return hang_wait_of(hang, part->warp);
}

const struct hang_wait *hang_wait_of_strand(const struct machine_hang *hang, const struct machine_strand *strand)
{
    for (uint32_t i = 0; i < hang->waits; i++)
        for (uint32_t s = 0; hang->wait[i].cluster == strand->warp->cta->cluster && s < hang->wait[i].strands; s++)
            if (hang->wait[i].strand[s] == strand) return &hang->wait[i];
    return NULL;
}

// --- Begin and end ---------------------------------------------------------------------------------------------------

struct machine_hang *hang_open(struct machine *machine, enum machine_kind kind, const char *why,
                               struct machine_cluster *const *cluster, uint32_t clusters)
{
    struct machine_hang *hang = calloc(1, sizeof *hang);
    bool is_whole = hang != NULL;
    if (hang != NULL) *hang = (struct machine_hang){.machine = machine, .kind = kind, .why = why, .clusters = clusters};
    for (uint32_t i = 0; is_whole && i < clusters; i++) is_whole = add_cluster(hang, cluster[i]);
    if (!is_whole) {
        hang_close(hang);
        return NULL;
    }
    settle_memory(hang);
    hush_less_sure(hang);
    group_all(hang);
    return hang;
}

void hang_close(struct machine_hang *hang)
{
    for (uint32_t i = 0; hang != NULL && i < hang->waits; i++) {
        free(hang->wait[i].strand);
        free(hang->wait[i].need);
        free(hang->wait[i].barrier);
    }
    if (hang != NULL) free(hang->wait);
    free(hang);
}
