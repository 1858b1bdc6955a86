// SPDX-License-Identifier: MIT
#include "course_plan.h"

#include <string.h>

#include "decoder.h"
#include "going.h"
#include "handler.h"
#include "movers.h"
#include "ramps.h"
#include "special.h"

enum { TURNS = 4 }; // how far ahead memory is asked for, in CTAs

struct machine_ramp machine_course_first(const struct machine_course *course, const struct machine_ramp *ramp)
{
    return (struct machine_ramp){ramp->first, ramp->step, course->warp.width == MACHINE_LANES ? 0 : ramp->rise};
}

int64_t machine_course_rise(const struct machine_course *course, const struct machine_ramp *ramp)
{
    return (int64_t)((uint64_t)ramp->rise * course->rows);
}

static struct course_act *add(struct machine_course *course, enum course_doing doing, const struct machine_code *code)
{
    if (course->acts == COURSE_MOST_ACTS) course->is_wrong = true;
    if (course->acts == COURSE_MOST_ACTS) course->acts = 0;
    struct course_act *act = &course->act[course->acts++];
    act->doing = doing;
    act->code = code;
    return act;
}

static void add_fill(struct machine_course *course, uint32_t number)
{
    const struct machine_ramp *ramp = &course->warp.ramp[number];
    if (course->fills[number] < UINT8_MAX) course->fills[number]++;
    struct course_act *act = add(course, COURSE_FILL, NULL);
    act->rise = machine_course_rise(course, ramp);
    act->ramp = machine_course_first(course, ramp);
    act->number = number;
}

static void fill_late(struct machine_course *course, uint64_t ramps)
{
    for (uint64_t left = course->warp.late & ramps; left != 0; left &= left - 1)
        add_fill(course, (uint32_t)__builtin_ctzll(left));
    course->warp.late &= ~ramps;
}

// Predicates that are known from here on.
static void fix(struct machine_course *course, uint64_t predicates)
{
    course->fixed |= predicates;
    course->set &= ~predicates;
}

static uint32_t predicate_slot(const struct machine_course *course, uint32_t bit)
{
    return course->warp.cta->cluster->machine->kernel->predicate[bit];
}

// Lanes read and write predicates. Those that are known are in no warp's registers up to then.
static void vary(struct machine_course *course, const struct machine_course_code *what)
{
    // Where some lanes go on alone, the others keep what they have.
    const uint64_t needed = what->reads | (course->join != 0 ? what->writes : 0);
    for (uint64_t left = needed & course->fixed & ~course->set; left != 0; left &= left - 1) {
        struct course_act *act = add(course, COURSE_SET, NULL);
        act->number = predicate_slot(course, (uint32_t)__builtin_ctzll(left));
        act->lanes = *(const uint32_t *)machine_slot(&course->warp.strand[0], act->number);
    }
    course->set |= needed & course->fixed;
    course->fixed &= ~what->writes;
}

static bool are_alike(const struct machine_transfer *a, const struct machine_transfer *b)
{
    return a->use == b->use && a->whole_bytes == b->whole_bytes && a->at->add == b->at->add;
}

// Where the lanes of each warp are that go by a ramp which is none; NULL: it is not known yet, or some are elsewhere.
static struct course_reach *reach_of(struct machine_course *course, uint32_t number,
                                     const struct machine_transfer *transfer)
{
    struct machine_cta *const cta = course->warp.cta;
    uint32_t i = 0;
    if (course->apart_in[number] >= course->part || transfer->guess != MACHINE_GUESS_SHARED) return NULL;
    while (i < course->reaches && i < COURSE_REACHES &&
           (course->reach[i].number != number || !are_alike(course->reach[i].transfer, transfer)))
        i++;
    const bool is_known = i < course->reaches && i < COURSE_REACHES;
    if (!is_known) i = course->reaches % COURSE_REACHES;
    struct course_reach *const reach = &course->reach[i];
    // Those that the part has already are not given away.
    if (!is_known && (course->reaches_of_part >> i & 1) != 0) return NULL;
    course->reaches_of_part |= 1u << i;
    if (is_known) return reach;
    reach->number = UINT32_MAX;
    for (uint32_t w = 0; w < course->warps; w++) {
        reach->reach[w] = machine_reach_guessed(&cta->warp[w].strand[0], transfer, &reach->spots[w]);
        if (reach->reach[w] == ALU_OUTSIDE) return NULL;
    }
    course->reaches++;
    reach->number = number;
    reach->transfer = transfer;
    return reach;
}

static void forget_reach(struct machine_course *course, uint32_t number)
{
    for (uint32_t i = 0; i < COURSE_REACHES; i++)
        if (course->reach[i].number == number) course->reach[i].number = UINT32_MAX;
}

// What is done lane by lane, where the lanes may be elsewhere than they most often are: a load, or a store.
static void add_by_lanes(struct machine_course *course, const struct machine_ramp_code *as,
                         const struct machine_code *code, bool is_store)
{
    const bool are_some = course->lanes != UINT32_MAX && course->join == 0;
    if (course->looker != NULL) course->is_wrong = course->is_never = true;
    const bool knows = as->moves && !course->is_again && course->join == 0;
    struct course_reach *const reach = knows ? reach_of(course, machine_course_number(as->at), code->transfer) : NULL;
    struct course_act *const act = add(course, reach != NULL ? COURSE_MOVE_REACHED : COURSE_BY_LANES, code);
    act->reach = reach;
    act->before = course->codes - 1;
    act->lanes = course->join != 0 ? course->lanes : UINT32_MAX;
    // Where all warps use the same registers, a warp that leaves begins anew.
    course->is_mixed |= course->stores > 0;
    course->needs_same |= are_some && reach == NULL;
    if (are_some && is_store) course->is_wrong = true;
    course->stores += (uint32_t)is_store;
}

static bool is_all_ones(const struct machine_course *course, const struct machine_course_code *what)
{
    if (course->lanes != UINT32_MAX || what->mask == MACHINE_MASK_FULL) return course->lanes == UINT32_MAX;
    const struct machine_ramp *ramp = &course->warp.ramp[what->mask - 1];
    return !course->is_apart[what->mask - 1] && (ramp->step | ramp->rise) == 0 && (uint32_t)ramp->first == UINT32_MAX;
}

static void add_compute(struct machine_course *course, const struct machine_code *code)
{
    const bool is_some = course->join != 0;
    const enum course_doing doing = code->handler == machine_add_up ? COURSE_ADD_UP
                                    : is_some                       ? COURSE_COMPUTE_SOME
                                                                    : COURSE_COMPUTE;
    struct course_act *act = add(course, doing, code);
    act->slot = code->operands <= MACHINE_FEW_OPERANDS ? code->few : code->many;
    act->lanes = is_some ? course->lanes : UINT32_MAX;
}

static void add_lanes(struct machine_course *course, const struct machine_ramp_code *as,
                      const struct machine_code *code, const struct machine_course_code *what)
{
    const struct machine_warp *warp = &course->warp;
    const bool is_load = what->kind == MACHINE_COURSE_LOADS, is_store = what->kind == MACHINE_COURSE_STORES;
    if (what->kind == MACHINE_COURSE_LOGIC && (what->reads & ~course->fixed) == 0 && course->join == 0) {
        machine_compute(&warp->strand[0], code, UINT32_MAX);
        fix(course, what->writes);
        return;
    }
    if (what->kind == MACHINE_COURSE_NEVER) course->is_wrong = course->is_never = true;
    if (what->mask != 0 && !is_all_ones(course, what)) course->is_wrong = true;
    vary(course, what);
    fill_late(course, as->lanes | as->at_lanes);
    if (is_load || is_store)
        add_by_lanes(course, as, code, is_store);
    else
        add_compute(course, code);
}

static void add_move(struct machine_course *course, const struct machine_ramp_code *as, const struct machine_code *code)
{
    struct machine_warp *warp = &course->warp;
    const struct machine_transfer *transfer = code->transfer;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)((uint8_t *)warp->ramp + as->at);
    if (course->looker != NULL && transfer->guess == MACHINE_GUESS_SHARED) course->is_wrong = course->is_never = true;
    fill_late(course, as->lanes);
    course->stores += transfer->use == MEMORY_WRITES;
    if (course->is_again) return;
    uint8_t *const at = machine_ramp_place(&warp->strand[0], as, ramp);
    if (at == NULL) {
        course->is_wrong = true;
        return;
    }
    const struct machine_ramp first = machine_course_first(course, ramp);
    const uint64_t bytes = transfer->whole_bytes;
    const bool are_side_by_side = first.step == (int64_t)bytes &&
                                  first.rise == (int64_t)(warp->width % MACHINE_LANES * bytes) &&
                                  transfer->move_span != NULL;
    uintptr_t *const last = &warp->row[as->hit];
    const bool is_new = *last == 0 || as->follows || transfer->guess == MACHINE_GUESS_SHARED;
    const int64_t ahead = is_new ? 0 : TURNS * (int64_t)((uintptr_t)at - *last);
    const bool are_some = course->lanes != UINT32_MAX && (transfer->use == MEMORY_WRITES || course->join != 0);
    struct course_act *act = add(course,
                                 !are_side_by_side ? COURSE_MOVE_ROWS
                                 : ahead == 0      ? COURSE_MOVE
                                                   : COURSE_FETCH_AND_MOVE,
                                 code);
    if (are_some) act->doing = COURSE_MOVE_SOME;
    act->lanes = course->lanes;
    act->slot = transfer->slot;
    act->at = at;
    act->rise = machine_course_rise(course, ramp);
    act->ahead = ahead;
    act->ramp = first;
    act->bytes = (uint32_t)bytes * MACHINE_LANES;
    *last = (uintptr_t)at;
}

// Some lanes go on further down, where the others will come too: these go first, for they are further up. If all end
// there, nobody waits for those that have gone.
static bool part(struct machine_course *course, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_kernel *kernel = course->warp.cta->cluster->machine->kernel;
    const uint32_t left = course->lanes & ~lanes, pc = (uint32_t)(code - kernel->entry->code);
    if (code->kind != MACHINE_BRANCH || code->target <= pc || course->join != 0) return false;
    const bool ends = kernel->course[code->target].kind == MACHINE_COURSE_ENDS &&
                      kernel->entry->code[code->target].guarded == MACHINE_ALL;
    if (!ends) {
        if (course->lanes != UINT32_MAX) return false;
        course->lanes = left;
        course->join = code->target;
        return true;
    }
    if ((course->end != 0 && course->end != code->target) || (left & (left - 1)) == 0) return false;
    course->end = code->target;
    course->lanes = left;
    return true;
}

// The guard of an instruction holds for all, or for none, or those leave for which it holds; else the course is wrong.
static bool is_guarded_off(struct machine_course *course, const struct machine_code *code,
                           const struct machine_course_code *what)
{
    const uint32_t guard = *(const uint32_t *)machine_slot(&course->warp.strand[0], code->guard),
                   lanes = course->lanes & (code->guarded == MACHINE_IF ? guard : ~guard);
    if ((what->guard & course->fixed) == 0) course->is_wrong = true;
    if (lanes == course->lanes) return false;
    course->threads += machine_count_of(lanes);
    if (lanes != 0 && !part(course, code, lanes)) course->is_wrong = true;
    return true;
}

static void fill_now(const struct machine_course *course, uint32_t number)
{
    const struct machine_warp *warp = &course->warp;
    const struct machine_ramp_place *place = &warp->ramps->place[number];
    const struct machine_ramp ramp = machine_course_first(course, &warp->ramp[number]);
    if (number >= warp->ramps->registers || course->is_apart[number]) return;
    warp->ramps->fill[place->file == PTX_FILE_64](warp->entry->slots + (place->slot - MACHINE_IN_FRAME), ramp.first,
                                                  ramp.step, ramp.rise, warp->width);
}

// A comparison that comes out otherwise from lane to lane, but not from warp to warp; 0: it is none.
static bool compare_lanes(struct machine_course *course, const struct machine_ramp_code *as,
                          const struct machine_code *code, const struct machine_course_code *what)
{
    const struct machine_warp *warp = &course->warp;
    uint32_t number[2];
    for (int i = 0; i < 2; i++) {
        number[i] = machine_course_number(as->from[i]);
        const bool is_apart = course->is_apart[number[i]];
        if (is_apart ? !course->is_alike[number[i]] : warp->ramp[number[i]].rise != 0) return false;
    }
    if (what->kind != MACHINE_COURSE_LANES) return false;
    fill_now(course, number[0]);
    fill_now(course, number[1]);
    machine_compute(&warp->strand[0], code, UINT32_MAX);
    fix(course, what->writes);
    return true;
}

static bool reads_apart(const struct machine_course *course, const struct machine_ramp_code *as,
                        const struct machine_code *code, const struct machine_course_code *what)
{
    const uint32_t first = what->writes != 0 ? 2 : 1; // behind the predicate of a comparison, and what may come with it
    if (course->aparts == 0 || code->handler == machine_run_transfer) return false;
    for (uint32_t i = first; i < code->operands; i++)
        if (course->is_apart[machine_course_number(as->from[i - first])]) return true;
    return false;
}

static void set_apart(struct machine_course *course, const struct machine_ramp_code *as, bool is_apart)
{
    uint8_t *const of = &course->is_apart[machine_course_number(as->to)];
    if (*of) forget_reach(course, machine_course_number(as->to));
    course->aparts += (uint32_t)is_apart - *of;
    course->apart_in[machine_course_number(as->to)] = course->part;
    *of = (uint8_t)is_apart;
}

// What makes no ramp of these ramps, though it does of others. A comparison may come out otherwise from lane to lane.
static void add_uneven(struct machine_course *course, const struct machine_ramp_code *as,
                       const struct machine_code *code, const struct machine_course_code *what)
{
    add_lanes(course, as, code, what);
    if (what->writes != 0) return;
    course->warp.late &= ~as->writes;
    const bool is_alike = course->join == 0 && machine_course_is_alike(course, as, code, what);
    set_apart(course, as, true);
    course->is_alike[machine_course_number(as->to)] = (uint8_t)is_alike;
}

// What depends on no CTA is made once.
static void add_even(struct machine_course *course, const struct machine_ramp_code *as, const struct machine_code *code,
                     const struct machine_course_code *what)
{
    struct machine_warp *warp = &course->warp;
    uint8_t *is_made = &course->is_made[as - warp->ramps->code];
    if (!*is_made || course->join != 0) {
        const bool is_apart = course->join != 0 || reads_apart(course, as, code, what);
        const enum machine_even even = is_apart ? MACHINE_UNEVEN : as->run((uint8_t *)warp->ramp, as, &warp->strand[0]);
        if (even == MACHINE_IN_ANOTHER_WAY) course->is_wrong = true;
        if (even != MACHINE_EVEN && what->writes != 0 && course->join == 0 && compare_lanes(course, as, code, what))
            return;
        if (even != MACHINE_EVEN) {
            add_uneven(course, as, code, what);
            return;
        }
        *is_made = (uint8_t)what->is_same;
    }
    if (course->aparts > 0 && what->writes == 0) set_apart(course, as, false);
    warp->late |= as->writes;
    if (as->written_at_once) add_fill(course, machine_course_number(as->to));
    fix(course, what->writes);
}

static void jump(struct machine_course *course, const struct machine_code *code, uint32_t *pc)
{
    memset(course->warp.reached, 0, sizeof course->warp.reached);
    *pc = code->target;
}

// All lanes leave at `pc`.
static void meet(struct machine_course *course, uint32_t pc)
{
    if (course->end != 0 && course->end != pc) course->is_wrong = true;
    course->threads += MACHINE_LANES;
}

// Where the CTA's threads meet, all of them have to be.
static void end_part(struct machine_course *course, const struct machine_code *code)
{
    course->meets = code;
    if (course->lanes != UINT32_MAX) course->is_wrong = true;
    if (course->looker != NULL) course->is_wrong = course->is_never = true;
}

// The lanes that have gone on meet the others.
static void join(struct machine_course *course)
{
    if (course->join == 0) return;
    course->lanes = UINT32_MAX;
    course->join = 0;
}

// The instruction at `to`, which is none at which a part ends.
static void add_code(struct machine_course *course, const struct machine_code *code,
                     const struct machine_course_code *what)
{
    const struct machine_ramp_code *const as = &course->warp.ramps->code[course->to++];
    course->codes++;
    if (as->run != NULL && !as->moves) { // most often; it has no guard
        course->threads += machine_count_of(course->lanes);
        add_even(course, as, code, what);
        return;
    }
    if (course->join != 0 && (what->kind == MACHINE_COURSE_ENDS || what->kind == MACHINE_COURSE_JUMP))
        course->is_wrong = true;
    if (code->guarded != MACHINE_ALL && is_guarded_off(course, code, what)) return;
    if (course->looker != NULL) machine_course_show(course, code);
    if (what->kind == MACHINE_COURSE_ENDS) {
        meet(course, course->to - 1);
        course->has_ended = true;
        return;
    }
    course->threads += machine_count_of(course->lanes);
    if (as->moves && !course->is_apart[machine_course_number(as->at)])
        add_move(course, as, code);
    else if (what->kind == MACHINE_COURSE_JUMP)
        jump(course, code, &course->to);
    else
        add_lanes(course, as, code, what);
}

// May it be gone act by act? No warp may load or store where another one stores in between.
static bool is_by_acts(const struct machine_course *course)
{
    enum { FEW = 12 }; // whose registers of all warps are in the host's nearest cache
    uint32_t moves = 0;
    for (uint32_t i = 0; i < course->acts; i++) {
        const enum course_doing doing = course->act[i].doing;
        if (doing == COURSE_BY_LANES) return false;
        moves += doing >= COURSE_MOVE;
    }
    return course->acts <= FEW && (course->stores == 0 || moves == 1);
}

bool machine_course_follow(struct machine_course *course)
{
    const struct machine_kernel *kernel = course->warp.cta->cluster->machine->kernel;
    course->to += course->meets != NULL;
    course->acts = course->codes = course->stores = course->reaches_of_part = 0;
    course->threads = 0;
    course->meets = NULL;
    memset(course->warp.reached, 0, sizeof course->warp.reached);
    while (!course->is_wrong && !course->has_ended && course->codes < course->until) {
        const struct machine_code *code = &kernel->entry->code[course->to];
        const struct machine_course_code *what = &kernel->course[course->to];
        if (course->to == course->join) join(course);
        if (what->kind == MACHINE_COURSE_MEETS) {
            end_part(course, code);
            break;
        }
        add_code(course, code, what);
    }
    course->is_by_acts = (course->part > 0 || course->meets != NULL) && is_by_acts(course);
    return !course->is_wrong && course->codes < COURSE_MOST_CODES;
}

static void clear_ramps(struct machine_course *course)
{
    const struct machine_ramps *ramps = course->warp.ramps;
    const struct machine_kernel *kernel = course->warp.cta->cluster->machine->kernel;
    if (kernel->again.clears == 0) return;
    memset(course->is_made, 0, kernel->entry->codes);
    for (uint32_t i = 0; i < ramps->clears; i++) course->warp.ramp[ramps->cleared[i]] = (struct machine_ramp){0};
}

void machine_course_renew(struct machine_course *course, struct machine_cta *cta)
{
    struct machine_warp *warp = &course->warp;
    const struct machine_ramps *ramps = warp->ramps;
    warp->cta = cta;
    memset(course->fills, 0, ramps->count);
    if (course->aparts > 0) memset(course->is_apart, 0, ramps->count);
    warp->late = 0;
    for (uint32_t i = ramps->registers; i < ramps->registers + ramps->renews; i++)
        warp->ramp[i].first = machine_special_of_warp(warp, ramps->place[i].renewed);
    clear_ramps(course);
    course->end = course->join = course->to = course->aparts = course->reaches = course->looks = 0;
    course->meets = NULL;
    course->lanes = UINT32_MAX;
    course->until = COURSE_MOST_CODES;
    course->fixed = course->set = 0;
    course->is_at_begin = course->is_wrong = course->is_never = course->is_mixed = course->needs_same =
        course->has_ended = false;
}
