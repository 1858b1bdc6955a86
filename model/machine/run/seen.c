// SPDX-License-Identifier: MIT
#include "seen.h"

#include "even.h"
#include "ramps.h"

bool machine_set_lookers(struct machine_cluster *cluster, uint32_t thread)
{
    const struct machine_launch *launch = cluster->machine->launch;
    const struct machine_view all = {launch->looker, launch->observer}, *view = &all;
    if (launch->views != NULL) view = launch->views->view(launch->views->context, thread);
    if (view == NULL) return false;
    cluster->looker = view->looker;
    cluster->observer = view->observer;
    return true;
}

static struct machine_step step_of(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_function *function = strand->frame->function;
    strand->pc = (uint32_t)(code - function->code);
    return (struct machine_step){strand, strand->warp, function, code, lanes};
}

enum machine_next machine_run_seen(struct machine_strand *strand, struct machine_going *going, uint32_t lanes,
                                   const struct machine_looker *looker)
{
    const struct machine_step step = step_of(strand, going->code, lanes);
    looker->before(looker->context, &step);
    strand->warp->cta->cluster->ahead++;
    const enum machine_next next = machine_run_one(strand, going, lanes);
    looker->after(looker->context, &step, next);
    return next;
}

enum machine_even machine_move_seen(struct machine_strand *strand, const struct machine_ramp_code *as,
                                    const struct machine_code *code, const struct machine_looker *looker)
{
    uint8_t *const ramps = (uint8_t *)strand->warp->ramp;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)(ramps + as->at);
    if (machine_ramp_place(strand, as, ramp) == NULL) return MACHINE_IN_ANOTHER_WAY;
    const struct machine_step step = step_of(strand, code, UINT32_MAX);
    looker->before(looker->context, &step);
    machine_tell_ramp(strand, code, ramp, looker, &(struct machine_crowd){.warps = 1, .lanes = UINT32_MAX});
    const enum machine_even even = as->run(ramps, as, strand);
    looker->after(looker->context, &step, MACHINE_NEXT);
    return even;
}

// Instructions that the looker does not want to see.
static void skip_plain(struct machine_strand *strand, struct machine_going *going)
{
    const struct machine_code *plain = going->code;
    going->code = machine_run_plain(strand, plain, going->stop);
    going->threads += (uint64_t)(going->code - plain) * machine_count_of(strand->lanes);
    strand->warp->cta->cluster->ahead += (uint64_t)(going->code - plain);
}

enum machine_next machine_go_on_seen(struct machine_strand *strand, struct machine_going *going,
                                     const struct machine_looker *looker)
{
    if (machine_even_may(strand)) return machine_go_on_evenly(strand, going, looker);
    for (; going->code < going->stop; going->code++) {
        if (looker->skips_plain) skip_plain(strand, going);
        if (going->code == going->stop) break;
        const uint32_t lanes = machine_lanes_of(strand, going->code);
        if (lanes == 0) strand->warp->cta->cluster->ahead++;
        if (lanes == 0) continue;
        going->threads += (uint32_t)__builtin_popcount(lanes);
        const enum machine_next next = machine_run_seen(strand, going, lanes, looker);
        if (next != MACHINE_NEXT) return next;
    }
    strand->pc = (uint32_t)(going->code - going->first);
    return MACHINE_NEXT;
}
