// SPDX-License-Identifier: MIT
#include "course.h"

#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "course_plan.h"
#include "each.h"
#include "even.h"
#include "grid.h"
#include "handler.h"
#include "levels.h"
#include "looker.h"
#include "special.h"
#include "warp.h"

enum { LEAST_WARPS = 2 };

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
static bool goes_on(struct machine_course *course, uint32_t index, uint32_t place)
{
    struct machine_warp *warp = &course->warp;
    struct machine_ramp *ramp = &warp->ramp[place];
    const uint32_t file = warp->ramps->place[place].file, first = index * MACHINE_LANES;
    const void *row = row_of(course, place);
    if (index == 1 && warp->width == MACHINE_LANES) ramp->rise = (int64_t)(lane_of(row, file, 0) - ramp->first);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t across = (first + lane) % warp->width * (uint64_t)ramp->step,
                       down = (first + lane) / warp->width * (uint64_t)ramp->rise;
        if (lane_of(row, file, lane) != ramp->first + across + down) return false;
    }
    return true;
}

// What all warps have from the beginning: is it ramps of the whole CTA?
static bool open_ramps(struct machine_course *course)
{
    struct machine_warp *warp = &course->warp;
    const struct machine_ramps *ramps = warp->ramps;
    bool are_ramps = warp->is_even;
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
    course->alike = calloc(cluster->machine->kernel->entry->codes + 1u, 1);
    course->fails = calloc(cluster->machine->kernel->entry->codes + 1u, 1);
    course->is_shown = calloc(cluster->machine->kernel->entry->codes + 1u, 1);
    if (course->is_made == NULL || course->alike == NULL || course->fails == NULL || course->is_shown == NULL ||
        !machine_warp_start(&course->warp, &cluster->cta[0], 0, UINT32_MAX))
        return course;
    machine_special_set(&course->warp);
    machine_even_start(&course->warp, true);
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
    free(course->alike);
    free(course->fails);
    free(course->is_shown);
    free(course);
}

// --- Which CTAs take one ---------------------------------------------------------------------------------------------

static bool hears_rows(const struct machine_cluster *cluster)
{
    const struct machine_looker *looker = machine_looker(cluster);
    return looker != NULL && looker->rows != NULL && looker->lanes != NULL && looker->skips_plain;
}

static bool may_take(const struct machine_cluster *cluster)
{
    const struct machine *machine = cluster->machine;
    const enum machine_policy policy = machine->launch->schedule.policy;
    const uint32_t *block = machine->launch->block, threads = block[0] * block[1] * block[2];
    if (machine->kernel->course == NULL || cluster->ctas != 1 || machine_is_weak(machine)) return false;
    if (policy == MACHINE_PCT || policy == MACHINE_DELAY) return false;
    if ((machine->launch->observer != NULL || machine->launch->looker != NULL) && !hears_rows(cluster)) return false;
    // The warps of the first CTA of all have what they need when another one is to start them.
    return threads % MACHINE_LANES == 0 && threads >= LEAST_WARPS * MACHINE_LANES &&
           cluster->cta[0].warp[threads / MACHINE_LANES - 1].slots != NULL;
}

// Each warp has what ramps take.
static bool have_ramps(const struct machine_cluster *cluster, uint32_t warps)
{
    for (uint32_t i = 0; i < warps; i++)
        if (cluster->cta[0].warp[i].ramp == NULL) return false;
    return true;
}

// The first part is found out: do warps use the same registers, or each its own? 0: neither.
static bool choose_registers(struct machine_course *course, const struct machine_cluster *cluster)
{
    course->is_own = course->meets != NULL || cluster->machine->kernel->again.clears > 0;
    if (course->is_own) return !course->needs_same && have_ramps(cluster, course->warps);
    return !course->is_mixed;
}

bool machine_course_plan(struct machine_cluster *cluster)
{
    if (!may_take(cluster)) return false;
    if (cluster->course == NULL) cluster->course = open_course(cluster);
    struct machine_course *const course = cluster->course;
    if (course == NULL || !course->is_open) return false;
    if (course->pause > 0) {
        course->pause--;
        return false;
    }
    course->looker = machine_looker(cluster);
    course->is_told = false;
    machine_course_renew(course, &cluster->cta[0]);
    course->part = course->done = 0;
    if (!machine_course_follow(course) || !choose_registers(course, cluster)) {
        machine_course_fail(course);
        return false;
    }
    course->gone = course->codes;
    cluster->to_start = course->warps == MACHINE_LANES ? UINT32_MAX : (1u << course->warps) - 1;
    if (course->is_own) memset(course->phases, 0, sizeof course->phases);
    if (course->is_own) memset(course->waited_at, 0, sizeof course->waited_at);
    if (course->is_own) return false;
    course->failures = 0;
    machine_course_fill_same(course);
    return true;
}

// --- Running ---------------------------------------------------------------------------------------------------------

// Warps one behind the other that go the part in this round, from `first` on.
//   carried  instructions that the first one has executed in this turn, up to the barrier in front; 0: it begins its turn
//   gone     so many have gone it; used: instructions in the turn of the last of them; meets: it came as the last of all
struct way {
    struct machine_cluster *cluster;
    struct machine_course *course;
    struct machine_cta *cta;
    struct machine_round *round;
    uint32_t first, warps, carried, gone, used;
    bool meets;
};

static uint32_t index_of(const struct way *way, uint32_t number)
{
    const uint32_t index = way->first + number;
    return index < way->cta->warps ? index : index - way->cta->warps;
}

static struct machine_warp *warp_of(const struct way *way, uint32_t number)
{
    return &way->cta->warp[index_of(way, number)];
}

static void count(const struct way *way, uint64_t codes, uint64_t threads)
{
    way->cluster->executed += codes;
    way->cluster->thread_instructions += threads;
    way->round->used += codes;
}

// Who waited at the barrier in front of the part has that instruction once more.
static uint32_t has_retry(const struct way *way, uint32_t number)
{
    return way->course->part > 0 && (number > 0 || way->carried == 0);
}

static void end(const struct way *way, uint32_t used)
{
    way->cluster->progress += way->gone * (uint64_t)way->course->stores;
    for (uint32_t i = 0; i < way->gone; i++) {
        struct machine_warp *const warp = warp_of(way, i);
        way->course->done |= 1u << warp->index;
        way->cluster->to_start &= ~(1u << warp->index);
        machine_warp_end(warp);
        machine_warp_ended(warp, i == 0 ? way->used : used, way->round);
    }
}

// The last warp has come to the barrier.
static void complete(const struct way *way)
{
    struct machine_course *const course = way->course;
    course->phases[machine_barrier_number(&course->warp.strand[0], course->meets)]++;
    course->met[course->part % MACHINE_MET] = course->meets;
    way->cluster->progress++;
    way->cluster->vain++; // as of any barrier of the CTA
}

// All wait at the barrier; but the one that comes as the last of all completes it.
static void wait(struct way *way)
{
    struct machine_course *const course = way->course;
    const uint64_t stores = course->stores;
    uint64_t progress = way->cluster->progress;
    uint32_t done = course->done;
    for (uint32_t i = 0, index = way->first; i < way->gone; i++) {
        progress += stores;
        done |= 1u << index;
        if (done != way->cluster->to_start) course->waited_at[index] = progress;
        if (++index == way->cta->warps) index = 0;
    }
    way->meets = done == way->cluster->to_start;
    way->cluster->progress = progress;
    course->done = done;
    if (way->meets) complete(way);
}

// Those that have gone the part have executed it, and the barrier.
static void settle(struct way *way)
{
    const struct machine_course *const course = way->course;
    const uint32_t waits = course->meets != NULL, retries = course->part > 0, more = course->codes + waits;
    const uint32_t gone = way->gone, first = way->carried + has_retry(way, 0) + more, others = retries + more;
    const uint32_t visits = gone * (retries + waits) - (way->carried > 0);
    if (gone == 0) return;
    count(way, gone * (uint64_t)course->codes + visits, gone * course->threads + visits * MACHINE_LANES);
    way->used = first;
    if (way->round->longest < first) way->round->longest = first;
    if (way->round->longest < others && gone > 1) way->round->longest = others;
    if (waits)
        wait(way);
    else
        end(way, others);
    if (gone > 1) way->used = others;
}

// NULL, or what the warp behind those that have gone cannot do.
static const struct course_act *go_each(struct way *way)
{
    const struct course_act *act = NULL;
    for (way->gone = 0; way->gone < way->warps; way->gone++) {
        struct machine_warp *const warp = warp_of(way, way->gone);
        act = machine_course_act(way->course, &warp->strand[0], warp->index);
        if (act != NULL) break;
    }
    return act;
}

// The part, by all warps of the way. 0: those behind `gone` have left the course, and the first of these is on its way
// through its turn.
static bool go_part(struct way *way)
{
    struct machine_course *const course = way->course;
    const struct course_act *act = NULL;
    const bool is_long = way->carried + course->codes >= COURSE_MOST_CODES;
    way->gone = 0;
    if (course->is_by_acts && !is_long)
        machine_course_act_all(course, way->cta, way->first, way->gone = way->warps);
    else if (!is_long)
        act = go_each(way);
    settle(way);
    if (!is_long && act == NULL) return true;
    struct machine_warp *const warp = warp_of(way, way->gone);
    const uint32_t retries = has_retry(way, way->gone);
    count(way, retries, retries * MACHINE_LANES);
    way->used = retries + (way->gone == 0 ? way->carried : 0);
    machine_course_end(way->cluster, warp->index, is_long ? 0 : act->before);
    count(way, course->codes, course->threads);
    way->cluster->progress += course->stores;
    way->used += course->codes;
    return false;
}

// Does the course lead on from this barrier, as far as is known? Now and then it is tried again.
static bool may_begin(struct machine_course *course)
{
    enum { ENOUGH = 2 };
    uint8_t *const fails = &course->fails[course->to];
    course->is_at_begin = *fails >= ENOUGH;
    *fails = (uint8_t)(*fails + course->is_at_begin);
    return !course->is_at_begin;
}

static bool follow(struct machine_course *course)
{
    uint8_t *const fails = &course->fails[course->to];
    const bool leads_on = machine_course_follow(course) && !course->needs_same;
    *fails = (uint8_t)(*fails + !leads_on);
    return leads_on;
}

// The part behind a barrier at which all are, which goes on with who came last. 0: there is none, and all have left.
static bool begin_part(struct way *way)
{
    struct machine_course *const course = way->course;
    struct machine_warp *const last = warp_of(way, way->warps - 1);
    course->part++;
    course->done = 0;
    way->first = last->index;
    way->carried = way->used;
    if (!may_begin(course) || !follow(course)) {
        way->gone = 0;
        machine_course_end(way->cluster, last->index, 0);
        return false;
    }
    course->gone += course->codes;
    if (course->meets == NULL) course->failures = 0;
    return true;
}

// How many warps from `first` on have not gone the part: at most `most`.
static uint32_t count_ready(const struct way *way, uint32_t most)
{
    const uint64_t done = way->course->done, all = done | done << way->cta->warps | UINT64_C(1) << 63;
    const uint32_t ready = (uint32_t)__builtin_ctzll(all >> way->first);
    return ready < most ? ready : most;
}

// Turns of warps that have their own registers.
static uint32_t go_own(struct way *way, uint32_t most, int *is_off)
{
    uint32_t passed = 0;
    *is_off = 1;
    do {
        way->warps = count_ready(way, most - passed);
        if (way->warps == 0)
            machine_course_end(way->cluster, COURSE_NOBODY, 0); // who waits has nothing to do, so this does not happen
        if (way->warps == 0 || !go_part(way)) return passed + way->gone;
        passed += way->warps;
        if (way->course->meets == NULL || !way->meets) {
            *is_off = 0;
            return passed;
        }
        passed--;
    } while (begin_part(way));
    return passed;
}

// All of it, by a warp that uses the registers of all. 0: something is elsewhere.
static uint32_t go_same(struct machine_cluster *cluster, uint32_t index, struct machine_round *round)
{
    struct machine_course *const course = cluster->course;
    course->warp.carry = 0;
    if (machine_course_act(course, &course->warp.strand[0], index) != NULL) return 0;
    cluster->to_start &= ~(1u << index);
    cluster->progress += course->stores + 1;
    cluster->executed += course->codes;
    cluster->thread_instructions += course->threads;
    round->used += course->codes;
    if (course->codes > round->longest) round->longest = course->codes;
    machine_warp_ended(&cluster->cta[0].warp[index], course->codes, round);
    return 1;
}

uint32_t machine_course_run(struct machine_cluster *cluster, uint32_t first, uint32_t most, struct machine_round *round,
                            struct machine_off *off)
{
    uint32_t passed = 0;
    off->used = 0;
    if (cluster->course->looker != NULL && !cluster->course->is_told) machine_course_tell(cluster->course);
    if (!cluster->course->is_own) {
        while (passed < most && first + passed < cluster->course->warps && go_same(cluster, first + passed, round))
            passed++;
        off->is_off = passed == 0;
        return passed;
    }
    struct way way = {cluster, cluster->course, &cluster->cta[0], round, .first = first};
    passed = go_own(&way, most, &off->is_off);
    off->used = off->is_off ? way.used : 0;
    return passed;
}
