// SPDX-License-Identifier: MIT
// What each warp does of a course.
#include "course_plan.h"
#include "handler.h"
#include "movers.h"
#include "ramps.h"

enum { LINE = 64 };

static void fill(const struct machine_course *course, const struct course_act *act, const struct machine_strand *strand,
                 uint32_t index)
{
    const struct machine_ramps *ramps = course->warp.ramps;
    const struct machine_ramp_place *place = &ramps->place[act->number];
    const uint64_t first = act->ramp.first + index * (uint64_t)act->rise;
    ramps->fill[place->file == PTX_FILE_64](machine_slot(strand, place->slot), first, act->ramp.step, act->ramp.rise,
                                            course->warp.width);
}

void machine_course_fill_same(struct machine_course *course)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < course->acts; i++) {
        const struct course_act *act = &course->act[i];
        const bool is_same = (act->rise | act->ramp.step | act->ramp.rise) == 0;
        if (act->doing == COURSE_FILL && is_same && course->fills[act->number] == 1) {
            fill(course, act, &course->warp.strand[0], 0);
            continue;
        }
        if (kept != i) course->act[kept] = *act;
        kept++;
    }
    course->acts = kept;
}

static uint8_t *place_of(const struct course_act *act, uint32_t index)
{
    return act->at + (int64_t)index * act->rise;
}

static void fetch(const struct course_act *act, const uint8_t *at)
{
    for (uint32_t i = 0; i < act->bytes; i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)act->ahead + i), 0, 2);
}

static void move_reached(const struct machine_strand *strand, const struct course_act *act, uint32_t index)
{
    const struct machine_transfer *const transfer = act->code->transfer;
    struct machine_spots *const spots = &act->reach->spots[index];
    uint8_t *const at = spots->at;
    if (act->reach->reach[index] == ALU_SIDE_BY_SIDE && transfer->move_span != NULL) {
        transfer->move_span(&strand->registers, transfer->slot, at);
        return;
    }
    machine_move_reached(strand, transfer, act->reach->reach[index], UINT32_MAX, spots);
    spots->at = at;
}

static bool move_by_lanes(struct machine_strand *strand, const struct course_act *act)
{
    strand->pc = (uint32_t)(act->code - strand->frame->function->code);
    if (act->code->transfer->is_parameter) return machine_transfer(strand, act->code, act->lanes) == MACHINE_NEXT;
    if (act->lanes == UINT32_MAX) return machine_load_guessed(strand, act->code);
    const struct machine_transfer *transfer = act->code->transfer;
    const struct machine_use use = {transfer->space, transfer->use, transfer->whole_bytes};
    struct machine_spots spots;
    const enum alu_reach reach = machine_reach(strand, transfer->at, transfer->reach, use, act->lanes, &spots);
    if (reach == ALU_OUTSIDE) return false;
    machine_move_reached(strand, transfer, reach, act->lanes, &spots);
    return true;
}

// 0: some lanes are elsewhere.
static inline __attribute__((always_inline)) bool
do_act(const struct machine_course *course, const struct course_act *act, struct machine_strand *strand, uint32_t index)
{
    switch (act->doing) {
    case COURSE_COMPUTE:
        act->code->alu(&strand->registers, act->slot, act->code->choice, UINT32_MAX);
        return true;
    case COURSE_COMPUTE_SOME:
        act->code->alu(&strand->registers, act->slot, act->code->choice, act->lanes);
        return true;
    case COURSE_ADD_UP:
        act->code->handler(strand, act->code, act->lanes);
        return true;
    case COURSE_FETCH_AND_MOVE:
        fetch(act, place_of(act, index));
        // fall through
    case COURSE_MOVE:
        act->code->transfer->move_span(&strand->registers, act->slot, place_of(act, index));
        return true;
    case COURSE_MOVE_ROWS:
        machine_ramp_move(strand, act->code->transfer, &act->ramp, place_of(act, index));
        return true;
    case COURSE_MOVE_SOME:
        machine_ramp_move_some(strand, act->code->transfer, &act->ramp, place_of(act, index), act->lanes);
        return true;
    case COURSE_MOVE_REACHED:
        move_reached(strand, act, index);
        return true;
    case COURSE_FILL:
        fill(course, act, strand, index);
        return true;
    case COURSE_SET:
        *(uint32_t *)machine_slot(strand, act->number) = act->lanes;
        return true;
    default:
        return move_by_lanes(strand, act);
    }
}

// The act by warps from `warp` on, up to `end`.
static inline __attribute__((always_inline)) void do_by_all(const struct machine_course *course,
                                                            const struct course_act *act, struct machine_warp *warp,
                                                            const struct machine_warp *end)
{
    const struct machine_code *const code = act->code;
    const uint32_t *const slot = act->slot;
    if (act->doing == COURSE_COMPUTE) {
        alu_function *const alu = code->alu;
        const struct ptx_choice *const choice = code->choice;
        for (; warp < end; warp++) alu(&warp->strand[0].registers, slot, choice, UINT32_MAX);
    } else if (act->doing == COURSE_MOVE) {
        alu_span_mover *const move = code->transfer->move_span;
        uint8_t *at = place_of(act, warp->index);
        const int64_t rise = act->rise;
        for (; warp < end; warp++, at += rise) move(&warp->strand[0].registers, slot, at);
    } else {
        for (; warp < end; warp++) do_act(course, act, &warp->strand[0], warp->index);
    }
}

void machine_course_act_all(const struct machine_course *course, struct machine_cta *cta, uint32_t first,
                            uint32_t warps)
{
    const struct course_act *const end = course->act + course->acts;
    const uint32_t till = first + warps < cta->warps ? first + warps : cta->warps, behind = first + warps - till;
    struct machine_warp *const warp = cta->warp, *const from = warp + first, *const to = warp + till;
    for (const struct course_act *act = course->act; act < end; act++) {
        do_by_all(course, act, from, to);
        if (behind > 0) do_by_all(course, act, warp, warp + behind);
    }
}

const struct course_act *machine_course_act(const struct machine_course *course, struct machine_strand *strand,
                                            uint32_t index)
{
    const struct course_act *const end = course->act + course->acts;
    for (const struct course_act *act = course->act; act < end; act++)
        if (!do_act(course, act, strand, index)) return act;
    return NULL;
}
