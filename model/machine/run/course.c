// SPDX-License-Identifier: MIT
#include "course.h"

#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "even.h"
#include "movers.h"
#include "ramps.h"
#include "special.h"
#include "warp.h"

// Instructions of a course, fewer than a turn has, and what is left of them. How far ahead memory is asked for, in
// CTAs.
enum { MOST_CODES = 1000, MOST_ACTS = 1000, LEAST_WARPS = 2, LINE = 64, TURNS = 4 };

enum doing { FILL, COMPUTE, MOVE, FETCH_AND_MOVE, MOVE_ROWS, MOVE_SOME, LOAD };

// What a warp does of an instruction, or in front of one.
//   slot   of its registers: of what computes, and of what moves
//   at     where its first lane is in memory, for warp 0; rise: from warp to warp
//   ahead  how far in front of it memory is asked for; bytes: how many
//   ramp   whose lanes are written, or at which they lie, for warp 0
//   lanes  those that store
struct act {
    enum doing doing;
    const struct machine_code *code;
    const uint32_t *slot;
    uint8_t *at;
    int64_t rise, ahead;
    struct machine_ramp ramp;
    uint32_t number, bytes, lanes;
};

//   warp    stands for all warps of the CTA: its registers are theirs, one after the other, and its rows are all of
//           theirs
//   rows    of a warp
//   fills   how often each ramp's lanes are written
//   is_made of each instruction: it has made what is the same in every CTA
//   fixed   predicates that are known; varied: those that lanes make; seen: of the fixed, those that lanes read
//   lanes   of each warp, that have not gone on to `end`, where the others wait for them to leave; 0: nobody has
//   is_wrong  the CTA takes no course; is_never: it meets an instruction that is on none
//   pause   so many CTAs are not tried; failures: in a row
struct machine_course {
    struct machine_warp warp;
    struct act act[MOST_ACTS];
    uint32_t acts, codes, stores;
    uint64_t threads;
    uint8_t fills[UINT8_MAX + 1], *is_made;
    uint64_t fixed, varied, seen;
    uint32_t lanes, end;
    uint32_t pause, failures, warps, rows;
    int is_open, is_wrong, is_never;
};

// --- Begin -----------------------------------------------------------------------------------------------------------

static uint64_t lane_of(const void *row, uint32_t file, uint32_t lane)
{
    return file == PTX_FILE_32 ? ((const uint32_t *)row)[lane] : ((const uint64_t *)row)[lane];
}

static const void *row_of(struct machine_course *course, uint32_t place)
{
    return machine_slot(&course->warp.strand[0], course->warp.ramps->place[place].slot);
}

// Do the lanes of warp `index` go on as those of the first ones have begun?
static int goes_on(struct machine_course *course, uint32_t index, uint32_t place)
{
    struct machine_warp *warp = &course->warp;
    struct machine_ramp *ramp = &warp->ramp[place];
    const uint32_t file = warp->ramps->place[place].file, first = index * MACHINE_LANES;
    const void *row = row_of(course, place);
    if (index == 1 && warp->width == MACHINE_LANES) ramp->rise = (int64_t)(lane_of(row, file, 0) - ramp->first);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t across = (first + lane) % warp->width * (uint64_t)ramp->step,
                       down = (first + lane) / warp->width * (uint64_t)ramp->rise;
        if (lane_of(row, file, lane) != ramp->first + across + down) return 0;
    }
    return 1;
}

// What all warps have from the beginning: is it ramps of the whole CTA?
static int open_ramps(struct machine_course *course)
{
    struct machine_warp *warp = &course->warp;
    const struct machine_ramps *ramps = warp->ramps;
    int are_ramps = warp->is_even;
    for (uint32_t index = 0; are_ramps && index < course->warps; index++) {
        warp->index = index;
        machine_special_set(warp);
        for (uint32_t i = ramps->registers; i < ramps->count; i++) are_ramps &= goes_on(course, index, i);
    }
    warp->index = 0;
    course->rows = MACHINE_LANES / warp->width;
    warp->last_row = (int32_t)(course->warps * course->rows) - 1;
    return are_ramps;
}

static struct machine_course *open_course(struct machine_cluster *cluster)
{
    struct machine_course *course = calloc(1, sizeof *course);
    const uint32_t *block = cluster->machine->launch->block;
    if (course == NULL) return NULL;
    course->warps = block[0] * block[1] * block[2] / MACHINE_LANES;
    course->is_made = calloc(cluster->machine->kernel->entry->codes + 1u, 1);
    if (course->is_made == NULL || !machine_warp_start(&course->warp, &cluster->cta[0], 0, UINT32_MAX)) return course;
    machine_special_set(&course->warp);
    machine_even_start(&course->warp, 1);
    course->is_open = open_ramps(course);
    return course;
}

void machine_course_forget(struct machine_course *course)
{
    if (course != NULL) memset(course->warp.hit, 0, sizeof course->warp.hit);
}

void machine_course_free(struct machine_course *course)
{
    if (course == NULL) return;
    machine_warp_free(&course->warp);
    free(course->is_made);
    free(course);
}

// --- What is found out -----------------------------------------------------------------------------------------------

// Of the row of a warp the lowest lane, and what they rise by inside of it.
static struct machine_ramp of_first(const struct machine_warp *warp, const struct machine_ramp *ramp)
{
    return (struct machine_ramp){ramp->first, ramp->step, warp->width == MACHINE_LANES ? 0 : ramp->rise};
}

static int64_t rise_of(const struct machine_course *course, const struct machine_ramp *ramp)
{
    return (int64_t)((uint64_t)ramp->rise * course->rows);
}

static struct act *add(struct machine_course *course, enum doing doing, const struct machine_code *code)
{
    if (course->acts == MOST_ACTS) course->is_wrong = 1;
    if (course->acts == MOST_ACTS) course->acts = 0;
    struct act *act = &course->act[course->acts++];
    act->doing = doing;
    act->code = code;
    return act;
}

static void add_fill(struct machine_course *course, uint32_t number)
{
    const struct machine_warp *warp = &course->warp;
    const struct machine_ramp *ramp = &warp->ramp[number];
    if (course->fills[number] < UINT8_MAX) course->fills[number]++;
    struct act *act = add(course, FILL, NULL);
    act->at = warp->entry->slots + (warp->ramps->place[number].slot - MACHINE_IN_FRAME);
    act->rise = rise_of(course, ramp);
    act->ramp = of_first(warp, ramp);
    act->number = number;
}

static void fill_late(struct machine_course *course, uint64_t ramps)
{
    for (uint64_t left = course->warp.late & ramps; left != 0; left &= left - 1)
        add_fill(course, (uint32_t)__builtin_ctzll(left));
    course->warp.late &= ~ramps;
}

// A predicate that is known from here on, the same for all: what was known of it before must not be needed any more.
static void fix(struct machine_course *course, uint64_t predicates)
{
    if ((predicates & (course->seen | course->varied)) != 0) course->is_wrong = 1;
    course->fixed |= predicates;
}

// Lanes read and write predicates.
static void vary(struct machine_course *course, const struct machine_course_code *what)
{
    if ((what->writes & course->fixed) != 0) course->is_wrong = 1;
    course->varied |= what->writes;
    course->seen |= what->reads & course->fixed;
}

static void add_lanes(struct machine_course *course, const struct machine_ramp_code *as,
                      const struct machine_code *code, const struct machine_course_code *what)
{
    const struct machine_warp *warp = &course->warp;
    if (what->kind == MACHINE_COURSE_LOGIC && (what->reads & ~course->fixed) == 0) {
        machine_compute(&warp->strand[0], code, UINT32_MAX);
        fix(course, what->writes);
        return;
    }
    const int loads = what->kind == MACHINE_COURSE_LOADS;
    if (what->kind == MACHINE_COURSE_NEVER) course->is_wrong = course->is_never = 1;
    if (loads && course->stores > 0) course->is_wrong = 1; // it may come out otherwise
    vary(course, what);
    fill_late(course, as->lanes | as->at_lanes);
    add(course, loads ? LOAD : COMPUTE, code)->slot = code->operands <= MACHINE_FEW_OPERANDS ? code->few : code->many;
}

static void add_move(struct machine_course *course, const struct machine_ramp_code *as, const struct machine_code *code)
{
    struct machine_warp *warp = &course->warp;
    const struct machine_transfer *transfer = code->transfer;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)((uint8_t *)warp->ramp + as->at);
    uint8_t *const at = machine_ramp_place(&warp->strand[0], as, ramp);
    if (at == NULL) {
        course->is_wrong = 1;
        return;
    }
    const struct machine_ramp first = of_first(warp, ramp);
    const uint64_t bytes = transfer->whole_bytes;
    const int are_side_by_side = first.step == (int64_t)bytes &&
                                 first.rise == (int64_t)(warp->width % MACHINE_LANES * bytes) &&
                                 transfer->move_span != NULL;
    uintptr_t *const last = &warp->row[as->hit];
    const int is_new = *last == 0 || as->follows || transfer->guess == MACHINE_GUESS_SHARED;
    fill_late(course, as->lanes);
    const int64_t ahead = is_new ? 0 : TURNS * (int64_t)((uintptr_t)at - *last);
    const int are_some = course->lanes != UINT32_MAX && transfer->use == MEMORY_WRITES;
    struct act *act = add(course, !are_side_by_side ? MOVE_ROWS : ahead == 0 ? MOVE : FETCH_AND_MOVE, code);
    if (are_some) act->doing = MOVE_SOME;
    act->lanes = course->lanes;
    act->slot = transfer->slot;
    act->at = at;
    act->rise = rise_of(course, ramp);
    act->ahead = ahead;
    act->ramp = first;
    act->bytes = (uint32_t)bytes * MACHINE_LANES;
    *last = (uintptr_t)at;
    course->stores += transfer->use == MEMORY_WRITES;
}

// Some lanes leave the kernel, where the others will come too. These go on first, for they are further up.
static int part(struct machine_course *course, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_kernel *kernel = course->warp.cta->cluster->machine->kernel;
    const uint32_t left = course->lanes & ~lanes, pc = (uint32_t)(code - kernel->entry->code);
    const int ends = kernel->course[code->target].kind == MACHINE_COURSE_ENDS &&
                     kernel->entry->code[code->target].guarded == MACHINE_ALL;
    if (code->kind != MACHINE_BRANCH || !ends || code->target <= pc) return 0;
    if ((course->end != 0 && course->end != code->target) || (left & (left - 1)) == 0) return 0;
    course->end = code->target;
    course->lanes = left;
    return 1;
}

// The guard of an instruction holds for all, or for none, or those leave for which it holds; else the course is wrong.
static int is_guarded_off(struct machine_course *course, const struct machine_code *code,
                          const struct machine_course_code *what)
{
    const uint32_t guard = *(const uint32_t *)machine_slot(&course->warp.strand[0], code->guard),
                   lanes = course->lanes & (code->guarded == MACHINE_IF ? guard : ~guard);
    if ((what->guard & course->fixed) == 0) course->is_wrong = 1;
    if (lanes == course->lanes) return 0;
    course->threads += machine_count_of(lanes);
    if (lanes != 0 && !part(course, code, lanes)) course->is_wrong = 1;
    return 1;
}

static void fill_now(const struct machine_warp *warp, uint32_t number)
{
    const struct machine_ramp_place *place = &warp->ramps->place[number];
    const struct machine_ramp ramp = of_first(warp, &warp->ramp[number]);
    if (number >= warp->ramps->registers) return;
    warp->ramps->fill[place->file == PTX_FILE_64](warp->entry->slots + (place->slot - MACHINE_IN_FRAME), ramp.first,
                                                  ramp.step, ramp.rise, warp->width);
}

// A comparison that comes out otherwise from lane to lane, but not from warp to warp; 0: it is none.
static int compare_lanes(struct machine_course *course, const struct machine_ramp_code *as,
                         const struct machine_code *code, const struct machine_course_code *what)
{
    const struct machine_warp *warp = &course->warp;
    uint32_t number[2];
    for (int i = 0; i < 2; i++) {
        number[i] = as->from[i] / sizeof(struct machine_ramp);
        if (warp->ramp[number[i]].rise != 0) return 0;
    }
    if (what->kind != MACHINE_COURSE_LANES) return 0;
    fill_now(warp, number[0]);
    fill_now(warp, number[1]);
    machine_compute(&warp->strand[0], code, UINT32_MAX);
    fix(course, what->writes);
    return 1;
}

// What depends on no CTA is made once.
static void add_even(struct machine_course *course, const struct machine_ramp_code *as, const struct machine_code *code,
                     const struct machine_course_code *what)
{
    struct machine_warp *warp = &course->warp;
    uint8_t *is_made = &course->is_made[as - warp->ramps->code];
    if (!*is_made) {
        const enum machine_even even = as->run((uint8_t *)warp->ramp, as, &warp->strand[0]);
        if (even == MACHINE_BY_LANES) {
            if (!compare_lanes(course, as, code, what)) add_lanes(course, as, code, what);
            return;
        }
        if (even != MACHINE_EVEN) course->is_wrong = 1;
        *is_made = even == MACHINE_EVEN && what->is_same;
    }
    warp->late |= as->writes;
    if (as->written_at_once) add_fill(course, as->to / sizeof(struct machine_ramp));
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
    if (course->end != 0 && course->end != pc) course->is_wrong = 1;
    course->threads += MACHINE_LANES;
}

// Follows the instructions to the end; 0 if the course does not lead there.
static int follow(struct machine_course *course)
{
    const struct machine_kernel *kernel = course->warp.cta->cluster->machine->kernel;
    const struct machine_code *const first = kernel->entry->code;
    const struct machine_ramp_code *const table = kernel->ramps.code;
    uint32_t pc = 0, codes = 0;
    while (!course->is_wrong && codes < MOST_CODES) {
        const struct machine_code *code = &first[pc];
        const struct machine_ramp_code *as = &table[pc];
        const struct machine_course_code *what = &kernel->course[pc++];
        codes++;
        if (code->guarded != MACHINE_ALL && is_guarded_off(course, code, what)) continue;
        if (what->kind == MACHINE_COURSE_ENDS) {
            meet(course, pc - 1);
            break;
        }
        course->threads += machine_count_of(course->lanes);
        if (as->moves)
            add_move(course, as, code);
        else if (as->run != NULL)
            add_even(course, as, code, what);
        else if (what->kind == MACHINE_COURSE_JUMP)
            jump(course, code, &pc);
        else
            add_lanes(course, as, code, what);
    }
    course->codes = codes;
    return !course->is_wrong && codes < MOST_CODES;
}

static void renew(struct machine_course *course, struct machine_cta *cta)
{
    struct machine_warp *warp = &course->warp;
    const struct machine_ramps *ramps = warp->ramps;
    warp->cta = cta;
    memset(warp->reached, 0, sizeof warp->reached);
    memset(course->fills, 0, ramps->count);
    warp->late = 0;
    for (uint32_t i = ramps->registers; i < ramps->registers + ramps->renews; i++)
        warp->ramp[i].first = machine_special_of_warp(warp, ramps->place[i].renewed);
    course->acts = course->stores = course->end = 0;
    course->lanes = UINT32_MAX;
    course->threads = course->fixed = course->varied = course->seen = 0;
    course->is_wrong = course->is_never = 0;
}

// --- Running ---------------------------------------------------------------------------------------------------------

static void fill(const struct machine_warp *warp, const struct act *act, uint32_t index)
{
    const uint64_t first = act->ramp.first + index * (uint64_t)act->rise;
    const int is_wide = warp->ramps->place[act->number].file == PTX_FILE_64;
    warp->ramps->fill[is_wide](act->at, first, act->ramp.step, act->ramp.rise, warp->width);
}

// What is the same for all warps, and written once, is written now.
static void fill_same(struct machine_course *course)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < course->acts; i++) {
        const struct act *act = &course->act[i];
        const int is_same = (act->rise | act->ramp.step | act->ramp.rise) == 0;
        if (act->doing == FILL && is_same && course->fills[act->number] == 1) {
            fill(&course->warp, act, 0);
            continue;
        }
        if (kept != i) course->act[kept] = *act;
        kept++;
    }
    course->acts = kept;
}

static int may_take(const struct machine_cluster *cluster)
{
    const struct machine *machine = cluster->machine;
    const enum machine_policy policy = machine->launch->schedule.policy;
    const uint32_t *block = machine->launch->block, threads = block[0] * block[1] * block[2];
    if (machine->kernel->course == NULL || cluster->ctas != 1 || machine_is_weak(machine)) return 0;
    if (policy == MACHINE_PCT || policy == MACHINE_DELAY) return 0;
    if (machine->launch->observer != NULL || machine->launch->looker != NULL) return 0;
    // The warps of the first CTA of all have what they need when another one is to start them.
    return threads % MACHINE_LANES == 0 && threads >= LEAST_WARPS * MACHINE_LANES &&
           cluster->cta[0].warp[threads / MACHINE_LANES - 1].slots != NULL;
}

// Where one does not take a course, the next ones may not either. Grids are often powers of two wide: pauses are none,
// lest the same column is tried each time.
static void note_failure(struct machine_course *course)
{
    static const uint8_t pause[] = {0, 0, 1, 2, 4, 7, 12, 20, 33, 54, 87, 141, 229};
    if (course->is_never) course->failures = sizeof pause - 1;
    course->pause = pause[course->failures];
    if (course->failures + 1 < sizeof pause) course->failures++;
}

int machine_course_plan(struct machine_cluster *cluster)
{
    if (!may_take(cluster)) return 0;
    if (cluster->course == NULL) cluster->course = open_course(cluster);
    struct machine_course *const course = cluster->course;
    if (course == NULL || !course->is_open) return 0;
    if (course->pause > 0) {
        course->pause--;
        return 0;
    }
    renew(course, &cluster->cta[0]);
    if (!follow(course)) {
        note_failure(course);
        return 0;
    }
    course->failures = 0;
    fill_same(course);
    cluster->to_start = course->warps == MACHINE_LANES ? UINT32_MAX : (1u << course->warps) - 1;
    return 1;
}

static uint8_t *place_of(const struct act *act, uint32_t index)
{
    return act->at + (int64_t)index * act->rise;
}

static void fetch(const struct act *act, const uint8_t *at)
{
    for (uint32_t i = 0; i < act->bytes; i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)act->ahead + i), 0, 2);
}

uint32_t machine_course_run(struct machine_cluster *cluster, uint32_t index)
{
    struct machine_course *const course = cluster->course;
    struct machine_warp *const warp = &course->warp;
    struct machine_strand *const strand = &warp->strand[0];
    const struct act *const end = course->act + course->acts;
    warp->carry = 0;
    for (const struct act *act = course->act; act < end; act++) {
        switch (act->doing) {
        case COMPUTE:
            act->code->alu(&strand->registers, act->slot, act->code->choice, UINT32_MAX);
            break;
        case FETCH_AND_MOVE:
            fetch(act, place_of(act, index));
            // fall through
        case MOVE:
            act->code->transfer->move_span(&strand->registers, act->slot, place_of(act, index));
            break;
        case MOVE_ROWS:
            machine_ramp_move(strand, act->code->transfer, &act->ramp, place_of(act, index));
            break;
        case MOVE_SOME:
            machine_ramp_move_some(strand, act->code->transfer, &act->ramp, place_of(act, index), act->lanes);
            break;
        case FILL:
            fill(warp, act, index);
            break;
        case LOAD:
            strand->pc = (uint32_t)(act->code - strand->frame->function->code);
            if (!machine_load_guessed(strand, act->code)) return 0;
        }
    }
    cluster->to_start &= ~(1u << index);
    cluster->progress += course->stores + 1;
    cluster->executed += course->codes;
    cluster->thread_instructions += course->threads;
    return course->codes;
}
