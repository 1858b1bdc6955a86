// SPDX-License-Identifier: MIT
#include "even.h"

#include <stdlib.h>
#include <string.h>

#include "late_reads.h"
#include "movers.h"
#include "seen.h"
#include "special.h"

// --- Begin -----------------------------------------------------------------------------------------------------------

// How wide the rows of a warp are: as those of the block, if they are narrower than a warp and whole ones fill it.
static uint32_t width_of(const uint32_t block[3], uint32_t otherwise)
{
    enum { LEAST = 4 };
    const bool has_rows = (block[1] > 1 || block[2] > 1) && block[0] < MACHINE_LANES;
    return has_rows && block[0] >= LEAST && MACHINE_LANES % block[0] == 0 ? block[0] : otherwise;
}

static uint64_t lane_of(const void *row, uint32_t file, uint32_t lane)
{
    return file == PTX_FILE_32 ? ((const uint32_t *)row)[lane] : ((const uint64_t *)row)[lane];
}

// Where a warp is one row, nothing rises from row to row.
bool machine_even_read(struct machine_ramp *ramp, const void *row, uint32_t file, uint32_t width)
{
    const uint64_t first = lane_of(row, file, 0);
    *ramp = (struct machine_ramp){.first = first, .step = (int64_t)(lane_of(row, file, 1) - first)};
    if (width < MACHINE_LANES) ramp->rise = (int64_t)(lane_of(row, file, width) - first);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t across = lane % width * (uint64_t)ramp->step, down = lane / width * (uint64_t)ramp->rise;
        if (lane_of(row, file, lane) != first + across + down) return false;
    }
    return true;
}

static bool open_ramps(struct machine_warp *warp)
{
    const struct machine_ramps *ramps = warp->ramps;
    warp->width = width_of(warp->cta->cluster->machine->launch->block, ramps->width);
    warp->last_column = (int32_t)warp->width - 1;
    warp->last_row = (int32_t)(MACHINE_LANES / warp->width) - 1;
    warp->ramp = calloc(ramps->count, sizeof *warp->ramp);
    if (warp->ramp == NULL) return false;
    warp->are_ramps = true;
    for (uint32_t i = ramps->registers; i < ramps->count; i++) {
        const struct machine_ramp_place *place = &ramps->place[i];
        const void *row = machine_slot(&warp->strand[0], place->slot);
        if (!machine_even_read(&warp->ramp[i], row, place->file, warp->width)) warp->are_ramps = false;
    }
    return true;
}

static void clear(struct machine_warp *warp, uint32_t number)
{
    enum { BITS = 64 };
    warp->ramp[number] = (struct machine_ramp){0};
    if (number < BITS) warp->late &= ~(UINT64_C(1) << number);
}

// Registers are 0, or have what the last warp has left there.
static void renew(struct machine_warp *warp)
{
    const struct machine_ramps *ramps = warp->ramps;
    if (!warp->is_again) memset(warp->ramp, 0, ramps->registers * sizeof *warp->ramp);
    if (!warp->is_again) warp->late = 0;
    for (uint32_t i = 0; warp->is_again && i < ramps->clears; i++) clear(warp, ramps->cleared[i]);
    for (uint32_t i = ramps->registers; i < ramps->registers + ramps->renews; i++)
        warp->ramp[i].first = machine_special_of_warp(warp, ramps->place[i].renewed);
}

void machine_even_part(struct machine_warp *warp)
{
    warp->is_even = false;
    machine_even_settle(warp, UINT64_MAX);
    if (warp->are_specials_late) machine_special_renew(warp);
    warp->are_specials_late = false;
}

static bool may_be_even(struct machine_warp *warp)
{
    const struct machine *machine = warp->cta->cluster->machine;
    warp->ramps = &machine->kernel->ramps;
    const struct machine_launch *launch = machine->launch;
    if (warp->live != UINT32_MAX || machine->turns != NULL || machine_is_weak(machine)) return false;
    if (machine_shows_plain(launch) || (launch->looker != NULL && !launch->hears_ranges)) return false;
    return (warp->ramp != NULL || open_ramps(warp)) && warp->are_ramps;
}

void machine_even_start(struct machine_warp *warp, bool is_new)
{
    const struct machine_ramps *ramps = &warp->cta->cluster->machine->kernel->ramps;
    if (!warp->is_again) warp->is_known = false;
    warp->is_even = ramps->count > 0 && may_be_even(warp) && warp->is_again == warp->is_known;
    warp->are_specials_late = warp->is_even && !is_new && !ramps->reads_renewed;
    if (warp->is_even) renew(warp);
    if (!is_new && !warp->are_specials_late) machine_special_renew(warp);
}

void machine_even_free(struct machine_warp *warp)
{
    free(warp->ramp);
}

// --- Lanes -----------------------------------------------------------------------------------------------------------

static void write_lanes(struct machine_warp *warp, uint32_t number)
{
    const struct machine_ramp_place *place = &warp->ramps->place[number];
    const struct machine_ramp *ramp = &warp->ramp[number];
    uint8_t *row = warp->entry->slots + (place->slot - MACHINE_IN_FRAME);
    warp->ramps->fill[place->file == PTX_FILE_64](row, ramp->first, ramp->step, ramp->rise, warp->width);
}

void machine_even_settle(struct machine_warp *warp, uint64_t ramps)
{
    uint64_t left = warp->late & ramps;
    warp->late &= ~ramps;
    for (; left != 0; left &= left - 1) write_lanes(warp, (uint32_t)__builtin_ctzll(left));
}

// --- Running ---------------------------------------------------------------------------------------------------------

static void run_by_lanes(const struct machine_strand *strand, const struct machine_ramp_code *as,
                         const struct machine_code *code, const struct machine_code *stop)
{
    struct machine_warp *warp = strand->warp;
    if ((warp->late & as->lanes) != 0) machine_even_settle(warp, as->lanes);
    machine_run_plain(strand, code, stop);
}

// EVEN: it is done, by ramps or by lanes.
static inline enum machine_even run_even(const struct machine_strand *strand, uint8_t *ramps,
                                         const struct machine_ramp_code *as, const struct machine_code *code)
{
    const enum machine_even even = as->run(ramps, as, strand);
    if (even == MACHINE_EVEN) {
        strand->warp->late |= as->writes;
        if (as->written_at_once != 0) write_lanes(strand->warp, as->to / sizeof(struct machine_ramp));
        return even;
    }
    if (even != MACHINE_BY_LANES) return even;
    run_by_lanes(strand, as, code, code + 1);
    return MACHINE_EVEN;
}

// Plain instructions, as many as come one after the other, but no more than `most`. Returns how many.
static inline uint32_t run_plain(const struct machine_strand *strand, const struct machine_ramp_code *as,
                                 const struct machine_code *code, uint64_t most)
{
    struct machine_warp *warp = strand->warp;
    const uint32_t count = as->plain < most ? as->plain : (uint32_t)most;
    if ((warp->late & as->lanes) != 0) machine_even_settle(warp, as->lanes);
    for (uint32_t i = 0; i < count; i++) code[i].alu(&strand->registers, code[i].few, code[i].choice, UINT32_MAX);
    return count;
}

// From going->code on, up to one that is done in another way, or going->stop.
static inline __attribute__((always_inline)) enum machine_even run_evenly(struct machine_strand *strand,
                                                                          struct machine_going *going,
                                                                          const struct machine_ramp_code *as,
                                                                          const struct machine_looker *looker)
{
    struct machine_warp *const warp = strand->warp;
    uint8_t *const ramps = (uint8_t *)warp->ramp;
    const struct machine_code *code = going->code, *const stop = going->stop;
    enum machine_even even = MACHINE_EVEN;
    memset(warp->reached, 0, sizeof warp->reached);
    while (code < stop) {
        uint32_t done = 1;
        if (as->moves)
            even = looker != NULL ? machine_move_seen(strand, as, code, looker) : as->run(ramps, as, strand);
        else if (as->run != NULL)
            even = run_even(strand, ramps, as, code);
        else if ((done = run_plain(strand, as, code, (uint64_t)(stop - code))) == 0)
            break;
        if (even != MACHINE_EVEN) break;
        code += done;
        as += done;
    }
    going->threads += (uint64_t)(code - going->code) * MACHINE_LANES;
    going->code = code;
    return even;
}

static enum machine_next leave(struct machine_warp *warp, const struct machine_going *going, enum machine_next next)
{
    if (!warp->is_known && (uint32_t)(going->code - going->first) >= warp->ramps->known_behind) warp->is_known = true;
    return next;
}

// A branch that all lanes take.
static void jump(const struct machine_strand *strand, struct machine_going *going)
{
    const struct machine_code *code = going->code;
    machine_spend(going, 1);
    machine_reads_jump(strand->warp, code->target <= (uint32_t)(code - going->first));
    machine_go_from(going, going->first + code->target, going->first + strand->frame->function->codes);
}

static inline __attribute__((always_inline)) enum machine_next
go_on_evenly(struct machine_strand *strand, struct machine_going *going, const struct machine_looker *looker)
{
    struct machine_warp *const warp = strand->warp;
    const struct machine_ramp_code *const table = warp->ramps->code;
    while (going->code < going->stop) {
        if (run_evenly(strand, going, table + (going->code - going->first), looker) == MACHINE_UNEVEN) {
            machine_even_part(warp);
            return looker != NULL ? machine_go_on_seen(strand, going, looker) : machine_go_along(strand, going);
        }
        const struct machine_code *const code = going->code;
        if (code == going->stop) break;
        const uint32_t lanes = machine_lanes_of(strand, code);
        going->threads += machine_count_of(lanes);
        if (code->kind == MACHINE_BRANCH && lanes == UINT32_MAX) {
            jump(strand, going);
            continue;
        }
        const struct machine_ramp_code *as = table + (code - going->first);
        if ((warp->late & (as->lanes | as->at_lanes)) != 0) machine_even_settle(warp, as->lanes | as->at_lanes);
        enum machine_next next = MACHINE_NEXT;
        if (lanes != 0)
            next =
                looker != NULL ? machine_run_seen(strand, going, lanes, looker) : machine_run_one(strand, going, lanes);
        if (next != MACHINE_NEXT) return leave(warp, going, next);
        going->code++;
    }
    strand->pc = (uint32_t)(going->code - going->first);
    return leave(warp, going, MACHINE_NEXT);
}

enum machine_next machine_go_on_evenly(struct machine_strand *strand, struct machine_going *going,
                                       const struct machine_looker *looker)
{
    return looker != NULL ? go_on_evenly(strand, going, looker) : go_on_evenly(strand, going, NULL);
}

void machine_even_again(struct machine_strand *strand, const struct machine_again *again)
{
    const struct machine_ramp_code *const as = strand->warp->ramps->code;
    uint8_t *const ramps = (uint8_t *)strand->warp->ramp;
    for (uint32_t i = 0; i < again->codes; i++) {
        const struct machine_ramp_code *one = &as[again->number[i]];
        if (one->run == NULL) {
            run_by_lanes(strand, one, &again->code[i], &again->code[i + 1]);
        } else if (run_even(strand, ramps, one, &again->code[i]) != MACHINE_EVEN) {
            machine_even_part(strand->warp);
            machine_run_plain(strand, &again->code[i], &again->code[again->codes]);
            return;
        }
    }
}
