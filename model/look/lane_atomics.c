// SPDX-License-Identifier: MIT
#include "lane_atomics.h"

#include "each.h"

// That of the instruction: the last one, where lanes of it were noted before.
static struct lane_atomic *atomic_of(struct lane_atomics *atomics, const struct lane_use *use)
{
    const bool is_new = atomics->count == 0 || atomics->atomic[(atomics->count - 1) % LANE_ATOMICS].use.at != use->at;
    atomics->count += is_new;
    struct lane_atomic *atomic = &atomics->atomic[(atomics->count - 1) % LANE_ATOMICS];
    if (is_new) atomic->use = *use;
    atomic->use.lanes |= use->lanes;
    return atomic;
}

void lane_atomics_note(struct lane_atomics *atomics, const struct lane_use *use)
{
    struct lane_atomic *atomic = atomic_of(atomics, use);
    uint64_t at = use->begin;
    for (EACH_BIT(lane, use->lanes)) {
        atomic->address[lane] = at;
        at += use->each == use->end - use->begin ? 0 : use->each;
    }
}

void lane_atomics_add(struct lane_atomics *atomics, const struct lane_use *use, const uint64_t *address)
{
    struct lane_atomic *atomic = atomic_of(atomics, use);
    for (EACH_BIT(lane, use->lanes)) atomic->address[lane] = address[lane];
}

bool lane_atomics_use(struct lane_atomics *atomics, struct lane_words *words, const struct lane_by *by)
{
    struct sanitize_lane none[MACHINE_LANES];
    for (uint64_t i = atomics->count < LANE_ATOMICS ? 0 : atomics->count - LANE_ATOMICS; i < atomics->count; i++) {
        const struct lane_atomic *atomic = &atomics->atomic[i % LANE_ATOMICS];
        struct lane_use one = atomic->use;
        for (EACH_BIT(lane, atomic->use.lanes)) {
            one.begin = atomic->address[lane];
            one.end = one.begin + one.each;
            one.lanes = 1u << lane;
            if (lane_words_use(words, by, &one, none) < 0) return false;
        }
    }
    atomics->count = 0;
    return true;
}
