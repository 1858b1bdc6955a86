// SPDX-License-Identifier: MIT
// How a strand goes from one instruction to the next: for warp.c and even.c.
#ifndef TMAREF_MACHINE_GOING_H
#define TMAREF_MACHINE_GOING_H

#include "handler.h"

#pragma GCC visibility push(hidden)

// The lanes whose guard holds.
static inline uint32_t machine_lanes_of(const struct machine_strand *strand, const struct machine_code *code)
{
    if (code->guarded == MACHINE_ALL) return strand->lanes;
    uint32_t guard = *(const uint32_t *)machine_slot(strand, code->guard);
    return strand->lanes & (code->guarded == MACHINE_IF ? guard : ~guard);
}

static inline uint32_t machine_count_of(uint32_t lanes)
{
    return lanes == UINT32_MAX ? MACHINE_LANES : (uint32_t)__builtin_popcount(lanes);
}

// Where a strand is, how far it may go from there, and what it has done.
struct machine_going {
    const struct machine_code *first, *begin, *code, *stop;
    uint32_t left;  // of the budget, at `begin`
    uint32_t lanes; // that executed last
    uint64_t threads;
};

// It goes on at `to`, up to `end`, or where the budget ends.
static inline void machine_go_from(struct machine_going *going, const struct machine_code *to,
                                   const struct machine_code *end)
{
    going->begin = going->code = to;
    going->stop = (uint32_t)(end - to) > going->left ? to + going->left : end;
}

// Takes what it has run since `begin`, and `more`, off the budget.
static inline void machine_spend(struct machine_going *going, uint32_t more)
{
    uint32_t used = (uint32_t)(going->code - going->begin) + more;
    going->left = used < going->left ? going->left - used : 0;
}

// Plain instructions from `code` on, up to one that is not, or `stop`.
static inline const struct machine_code *
machine_run_plain(const struct machine_strand *strand, const struct machine_code *code, const struct machine_code *stop)
{
    uint32_t lanes = strand->lanes;
    for (; code < stop && code->kind == MACHINE_PLAIN; code++)
        code->alu(&strand->registers, code->few, code->choice, lanes);
    return code;
}

// Any instruction, for `lanes`.
static inline enum machine_next machine_run_one(struct machine_strand *strand, struct machine_going *going,
                                                uint32_t lanes)
{
    const struct machine_code *code = going->code;
    going->lanes = lanes;
    if (code->handler == NULL) {
        machine_compute(strand, code, lanes);
        return MACHINE_NEXT;
    }
    strand->pc = (uint32_t)(code - going->first);
    return code->handler(strand, code, lanes);
}

// Runs instructions up to going->stop, as long as they say NEXT.
enum machine_next machine_go_along(struct machine_strand *strand, struct machine_going *going);

#pragma GCC visibility pop

#endif
