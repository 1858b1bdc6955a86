// SPDX-License-Identifier: MIT
#include "core_group.h"

#include <stdlib.h>
#include <string.h>

static bool is_alike_wait(const struct core_state *state, const struct core_strand *one,
                          const struct core_strand *other)
{
    const struct mbarrier_fields a = mbarrier_unpack(one->word), b = mbarrier_unpack(other->word);
    const uint32_t own = (uint32_t)(core_strand_cta(state, one) - state->dump->cta),
                   its = (uint32_t)(core_strand_cta(state, other) - state->dump->cta);
    return one->has_address == other->has_address && one->has_word == other->has_word &&
           one->address == other->address && one->parity == other->parity && a.phase == b.phase &&
           a.pending == b.pending && a.tx == b.tx && a.error == b.error &&
           (one->barrier_cta == own) == (other->barrier_cta == its);
}

static bool is_alike(const struct core_state *state, const struct core_strand *one, const struct core_strand *other)
{
    if (one->doing != other->doing || one->reason != other->reason || one->function != other->function ||
        one->home != other->home || one->exception != other->exception ||
        core_strand_cta(state, one)->grid != core_strand_cta(state, other)->grid)
        return false;
    if (one->doing == CORE_WAITS_NAMED && one->named != other->named) return false;
    return one->doing != CORE_WAITS_MBARRIER || is_alike_wait(state, one, other);
}

// A fault before a root, a root before what follows, a wait before what runs.
static int rank_of(const struct core_group *group)
{
    const struct core_strand *strand = group->first;
    if (strand->doing == CORE_FAULTED) return 0;
    if (strand->reason != CORE_NO_ROOT) return (int)strand->reason;
    return strand->doing == CORE_RUNS ? CORE_ROOT_CYCLE + 2 : CORE_ROOT_CYCLE + 1;
}

static void add_to(struct core_groups *groups, const struct core_state *state, uint32_t number)
{
    const struct core_strand *strand = &state->strand[number];
    const uint32_t cta = state->dump->warp[strand->warp].cta;
    uint32_t at = 0;
    while (at < groups->groups && !is_alike(state, groups->group[at].first, strand)) at++;
    struct core_group *group = &groups->group[at];
    if (at == groups->groups) {
        groups->groups++;
        *group = (struct core_group){.first = strand, .last_cta = UINT32_MAX};
    }
    groups->of[number] = at;
    group->threads += (unsigned)__builtin_popcount(strand->lanes);
    group->strands++;
    group->ctas += group->last_cta != cta;
    group->last_cta = cta;
}

// Few groups, which keep their order where they rank alike.
static void sort(struct core_groups *groups, uint32_t strands)
{
    for (uint32_t i = 1; i < groups->groups; i++)
        for (uint32_t at = i; at > 0 && rank_of(&groups->group[at]) < rank_of(&groups->group[at - 1]); at--) {
            const struct core_group moved = groups->group[at];
            groups->group[at] = groups->group[at - 1];
            groups->group[at - 1] = moved;
            for (uint32_t s = 0; s < strands; s++)
                if (groups->of[s] == at || groups->of[s] == at - 1) groups->of[s] = 2 * at - 1 - groups->of[s];
        }
}

bool core_groups_open(struct core_groups *groups, const struct core_state *state)
{
    *groups = (struct core_groups){.group = calloc(state->strands + 1, sizeof *groups->group),
                                   .of = calloc(state->strands + 1, sizeof *groups->of)};
    if (groups->group == NULL || groups->of == NULL) return false;
    for (uint32_t i = 0; i < state->strands; i++) add_to(groups, state, i);
    sort(groups, state->strands);
    return true;
}

void core_groups_close(struct core_groups *groups)
{
    free(groups->group);
    free(groups->of);
    *groups = (struct core_groups){0};
}
