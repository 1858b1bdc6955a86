// SPDX-License-Identifier: MIT
#include "core_root.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

// What threads at one instruction can come to. Many threads are at the same.
struct reach {
    const struct core_function *function;
    uint64_t offset;
    uint8_t *marks;
    bool is_known; // 0: there is a jump whose target the code does not say, so that they may come to all
};

struct search {
    struct core_state *state;
    struct reach *reach;
    uint32_t reaches;
    bool is_short; // of memory
};

static const struct reach *reach_of(struct search *search, const struct core_strand *strand)
{
    for (uint32_t i = 0; i < search->reaches; i++)
        if (search->reach[i].function == strand->function && search->reach[i].offset == strand->offset)
            return &search->reach[i];
    uint8_t *marks = malloc(strand->function->code.bytes / SASS_BYTES + 1);
    const struct reach new = {strand->function, strand->offset, marks, false};
    if (marks == NULL || !ARRAY_ADD(search->reach, search->reaches, new)) {
        free(marks);
        search->is_short = true;
        return NULL;
    }
    struct reach *reach = &search->reach[search->reaches - 1];
    reach->is_known = core_reach(strand->function, strand->offset, marks);
    return reach;
}

// Do both wait for the same? Then neither can end the other's wait.
static bool is_same_wait(const struct core_state *state, const struct core_strand *one, const struct core_strand *other)
{
    if (one->doing != other->doing) return false;
    const struct core_cta *a = core_strand_cta(state, one), *b = core_strand_cta(state, other);
    switch (one->doing) {
    case CORE_WAITS_MBARRIER:
        return one->barrier_cta == other->barrier_cta && one->address == other->address;
    case CORE_WAITS_NAMED:
        return a == b && one->named == other->named;
    case CORE_WAITS_CLUSTER:
        return true;
    default:
        return false;
    }
}

static bool is_same_cluster(const struct core_cta *one, const struct core_cta *other)
{
    if (one == other) return true;
    const uint32_t ctas = one->cluster_dim[0] * one->cluster_dim[1] * one->cluster_dim[2];
    return ctas > 1 && one->grid_id == other->grid_id && memcmp(one->cluster, other->cluster, sizeof one->cluster) == 0;
}

// Would the instruction, executed by a thread of `cta`, be one that `strand` waits for?
static bool is_awaited(const struct core_state *state, const struct core_site *site, const struct core_cta *cta,
                       const struct core_strand *strand)
{
    if (strand->doing == CORE_WAITS_NAMED)
        return site->kind == CORE_SITE_NAMED && cta == core_strand_cta(state, strand) &&
               (strand->named == SASS_ANY_NUMBER || site->number == SASS_ANY_NUMBER || site->number == strand->named);
    if (strand->doing == CORE_WAITS_CLUSTER) return site->kind == CORE_SITE_CLUSTER;
    if (strand->doing != CORE_WAITS_MBARRIER || site->kind == CORE_SITE_INIT) return false;
    const bool is_own = (uint32_t)(cta - state->dump->cta) == strand->barrier_cta;
    if (!is_own && site->kind != CORE_SITE_COPY && !site->is_remote) return false;
    return core_site_may_be_at(site, strand->variable, strand->address);
}

// Can the threads of `other` come to an instruction that `strand` waits for?
static bool can_end(struct search *search, const struct core_strand *other, const struct core_strand *strand)
{
    const struct core_state *state = search->state;
    const struct core_cta *cta = core_strand_cta(state, other);
    const struct core_kernel *kernel = core_kernel_of(state, cta);
    if (other->function == NULL || kernel == NULL || other->function != kernel->function) return true; // nobody knows
    const struct reach *reach = reach_of(search, other);
    if (reach == NULL || !reach->is_known) return true;
    for (uint32_t i = 0; i < kernel->sites.sites; i++) {
        const struct core_site *site = &kernel->sites.site[i];
        if (reach->marks[site->offset / SASS_BYTES] && is_awaited(state, site, cta, strand)) return true;
    }
    return false;
}

static bool can_anyone_end(struct search *search, const struct core_strand *strand)
{
    const struct core_state *state = search->state;
    for (uint32_t i = 0; i < state->strands; i++) {
        const struct core_strand *other = &state->strand[i];
        if (other == strand || is_same_wait(state, other, strand)) continue;
        if (!is_same_cluster(core_strand_cta(state, other), core_strand_cta(state, strand))) continue;
        if (can_end(search, other, strand)) return true;
    }
    return false;
}

static enum core_reason reason_of(struct search *search, const struct core_strand *strand)
{
    const struct mbarrier_fields now = mbarrier_unpack(strand->word);
    switch (strand->doing) {
    case CORE_WAITS_MBARRIER:
        if (!strand->has_address || strand->barrier_cta == UINT32_MAX) return CORE_NO_ROOT; // it is not known which
        if (strand->has_word && (now.tx < 0 || (now.pending == 0 && now.tx > 0))) return CORE_ROOT_BYTES;
        if (!can_anyone_end(search, strand)) return CORE_ROOT_NOBODY;
        return strand->has_word && now.pending < now.expected ? CORE_ROOT_PARTIAL : CORE_NO_ROOT;
    case CORE_WAITS_NAMED:
    case CORE_WAITS_CLUSTER:
        return can_anyone_end(search, strand) ? CORE_NO_ROOT : CORE_ROOT_NOBODY;
    case CORE_POLLS:
        return CORE_ROOT_POLL;
    default:
        return CORE_NO_ROOT;
    }
}

// Of those who wait for one another the ones that would bring data next, or, where there are none, all: what the others
// wait for is that data.
static bool brings_data(const struct core_state *state, const struct core_strand *strand)
{
    const struct core_kernel *kernel = core_kernel_of(state, core_strand_cta(state, strand));
    if (kernel == NULL || kernel->function != strand->function) return false;
    for (uint32_t i = 0; i < kernel->sites.sites; i++) {
        const struct core_site *site = &kernel->sites.site[i];
        if (site->offset <= strand->home || site->kind == CORE_SITE_INIT) continue;
        return site->kind == CORE_SITE_EXPECT || site->kind == CORE_SITE_COPY;
    }
    return false;
}

static void take_cycle(struct core_state *state)
{
    bool has_data = false;
    for (uint32_t i = 0; i < state->strands; i++)
        if (state->strand[i].doing == CORE_WAITS_MBARRIER) has_data |= brings_data(state, &state->strand[i]);
    for (uint32_t i = 0; i < state->strands; i++) {
        struct core_strand *strand = &state->strand[i];
        const bool is_wait = strand->doing == CORE_WAITS_MBARRIER || strand->doing == CORE_WAITS_NAMED ||
                             strand->doing == CORE_WAITS_CLUSTER;
        if (is_wait && (!has_data || brings_data(state, strand))) strand->reason = CORE_ROOT_CYCLE;
    }
}

// Who has arrived in part may wait for the rest because those threads wait for something else: beside a wait that
// surely nobody ends it is no root.
static void drop_partial(struct core_state *state)
{
    bool has_sure = false;
    for (uint32_t i = 0; i < state->strands; i++)
        has_sure |= state->strand[i].reason == CORE_ROOT_BYTES || state->strand[i].reason == CORE_ROOT_NOBODY;
    for (uint32_t i = 0; has_sure && i < state->strands; i++)
        if (state->strand[i].reason == CORE_ROOT_PARTIAL) state->strand[i].reason = CORE_NO_ROOT;
}

bool core_root_find(struct core_state *state)
{
    struct search search = {.state = state};
    bool has_root = false, has_fault = false;
    for (uint32_t i = 0; i < state->strands; i++) has_fault |= state->strand[i].doing == CORE_FAULTED;
    for (uint32_t i = 0; !has_fault && i < state->strands; i++) {
        struct core_strand *strand = &state->strand[i];
        strand->reason = strand->function != NULL ? reason_of(&search, strand) : CORE_NO_ROOT;
        has_root |= strand->reason != CORE_NO_ROOT;
    }
    drop_partial(state);
    if (!has_root && !has_fault) take_cycle(state);
    for (uint32_t i = 0; i < search.reaches; i++) free(search.reach[i].marks);
    free(search.reach);
    return !search.is_short;
}
