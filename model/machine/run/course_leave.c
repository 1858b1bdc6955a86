// SPDX-License-Identifier: MIT
// How warps leave a course: each goes on by itself where it is, with the registers, the barriers and the counts that it
// would have, had it come there alone.
#include <string.h>

#include "barrier.h"
#include "course.h"
#include "course_plan.h"
#include "each.h"
#include "even.h"
#include "handler.h"

enum { LEAST_GONE = 100, CALM = 32 };

void machine_course_fail(struct machine_course *course)
{
    static const uint8_t pause[] = {0, 0, 1, 2, 4, 7, 12, 20, 33, 54, 87, 141, 229};
    if (course->is_never) course->failures = sizeof pause - 1;
    course->pause = pause[course->failures];
    if (course->failures + 1 < sizeof pause) course->failures++;
}

// The same part once more, from the first instruction of the CTA on, up to `until` instructions of it. Memory is not
// looked for again.
static void repeat(struct machine_course *course, struct machine_cta *cta, uint32_t until)
{
    machine_course_renew(course, cta);
    memset(course->is_made, 0, cta->cluster->machine->kernel->entry->codes);
    course->is_again = true;
    for (uint32_t i = 0; i < course->part; i++) machine_course_follow(course);
    course->until = until;
    if (until > 0) machine_course_follow(course);
    course->is_again = false;
}

// Predicates that no warp has in its own registers yet.
static void put_predicates(const struct machine_course *course, const struct machine_strand *strand)
{
    const uint32_t *slot = strand->warp->cta->cluster->machine->kernel->predicate;
    for (uint64_t left = course->fixed; left != 0; left &= left - 1) {
        const uint32_t at = slot[__builtin_ctzll(left)];
        *(uint32_t *)machine_slot(strand, at) = *(const uint32_t *)machine_slot(&course->warp.strand[0], at);
    }
}

// The ramps of the warp alone; 0: one of them is none.
static bool put_ramps(const struct machine_course *course, struct machine_warp *warp)
{
    const struct machine_ramps *ramps = warp->ramps;
    bool are_ramps = true;
    for (uint32_t i = 0; i < ramps->registers; i++) {
        const struct machine_ramp_place *place = &ramps->place[i];
        struct machine_ramp *to = &warp->ramp[i];
        if (course->is_apart[i]) {
            const void *row = machine_slot(&warp->strand[0], place->slot);
            are_ramps &= machine_even_read(to, row, place->file, warp->width);
            continue;
        }
        *to = machine_course_first(course, &course->warp.ramp[i]);
        to->first += warp->index * (uint64_t)machine_course_rise(course, &course->warp.ramp[i]);
        if (place->file == PTX_FILE_32) to->first = (uint32_t)to->first;
    }
    warp->late = course->warp.late;
    return are_ramps;
}

// What the warp has met in the parts behind it, and whether it waits at the barrier at the end of the one under way.
static void put_meetings(const struct machine_course *course, struct machine_warp *warp, int waits)
{
    const uint32_t meets = course->part + (uint32_t)waits, first = meets > MACHINE_MET ? meets - MACHINE_MET : 0;
    warp->meets = first;
    for (uint32_t i = first; i < course->part; i++) machine_barrier_met(warp, course->met[i % MACHINE_MET]);
    if (waits) machine_barrier_met(warp, course->meets);
    warp->strand[0].waiting_at = warp->blocked_at = course->waited_at[warp->index];
}

// The warp goes on at `pc` by itself.
static void put(const struct machine_course *course, struct machine_warp *warp, uint32_t pc)
{
    warp->strand[0].pc = pc;
    warp->is_again = false;
    if (course->join != 0) machine_move(&warp->strand[0], ~course->lanes, course->join);
    put_predicates(course, &warp->strand[0]);
    const bool is_even = put_ramps(course, warp) && warp->is_even;
    warp->is_known = is_even;
    if (!is_even) machine_even_part(warp);
}

// Barriers are as the parts behind have left them.
static void put_barriers(const struct machine_course *course, struct machine_cta *cta)
{
    for (uint32_t i = 0; i < MACHINE_BARRIERS; i++)
        if (course->phases[i] > 0) machine_barrier_resume(cta, i, course->phases[i]);
}

// Those that have gone the part wait at its end.
static void put_waiting(struct machine_course *course, struct machine_cta *cta, uint32_t done)
{
    repeat(course, cta, COURSE_MOST_CODES);
    const uint32_t number = machine_barrier_number(&course->warp.strand[0], course->meets);
    if (course->phases[number] == 0) machine_barrier_resume(cta, number, 0);
    for (EACH_BIT(index, done)) {
        struct machine_warp *const warp = &cta->warp[index];
        put_meetings(course, warp, 1);
        machine_barrier_come_all(warp, course->meets);
        put(course, warp, course->to);
    }
}

// From where a part begins on behind `before` instructions of it, or behind the barrier in front.
static void go_to(struct machine_course *course, uint32_t before)
{
    if (before == 0) course->to++;
    if (before == 0) return;
    course->until = before;
    course->is_again = true;
    machine_course_follow(course);
    course->is_again = false;
}

void machine_course_end(struct machine_cluster *cluster, uint32_t who, uint32_t before)
{
    struct machine_course *const course = cluster->course;
    struct machine_cta *const cta = &cluster->cta[0];
    const uint32_t mine = who == COURSE_NOBODY ? 0 : 1u << who, done = cluster->to_start & course->done,
                   others = cluster->to_start & ~course->done & ~mine;
    cluster->to_start = 0;
    if (course->gone < LEAST_GONE) machine_course_fail(course);
    put_barriers(course, cta);
    if (done != 0) put_waiting(course, cta, done);
    if (!course->is_at_begin) repeat(course, cta, 0);
    course->codes = course->stores = 0;
    course->threads = 0;
    for (EACH_BIT(index, course->part > 0 ? others : 0)) {
        struct machine_warp *const warp = &cta->warp[index];
        put_meetings(course, warp, 0);
        warp->begun = UINT32_MAX; // it waited, and may go on
        put(course, warp, course->to);
    }
    if (who == COURSE_NOBODY || course->part + before == 0) return;
    go_to(course, before);
    put_meetings(course, &cta->warp[who], 0);
    cta->warp[who].begun = 0;
    put(course, &cta->warp[who], course->to);
}

void machine_course_leave(struct machine_cluster *cluster)
{
    if (cluster->to_start != 0 && cluster->course->is_own) machine_course_end(cluster, COURSE_NOBODY, 0);
}

void machine_course_look(struct machine_cluster *cluster)
{
    if (cluster->calm >= CALM || cluster->still >= CALM || cluster->idle >= CALM) machine_course_leave(cluster);
}
