// SPDX-License-Identifier: MIT
// Who hears of a course: of each load and store he is told once, for all warps of the CTA, before the first one begins.
// So in each warp's order, and before memory changes.
#include "course_plan.h"
#include "looker.h"

static struct machine_step step_of(struct machine_course *course, const struct machine_code *code, uint32_t lanes)
{
    struct machine_strand *strand = &course->warp.strand[0];
    const struct machine_function *function = strand->frame->function;
    strand->pc = (uint32_t)(code - function->code);
    return (struct machine_step){strand, &course->warp, function, code, lanes};
}

void machine_course_show(struct machine_course *course, const struct machine_code *code)
{
    const struct machine_looker *looker = course->looker;
    const struct machine_step step = step_of(course, code, course->lanes);
    uint8_t *const is_shown = &course->is_shown[step.strand->pc];
    if (*is_shown) return;
    *is_shown = 1;
    looker->before(looker->context, &step);
    looker->after(looker->context, &step, MACHINE_NEXT);
}

void machine_course_tell(struct machine_course *course)
{
    const struct machine_looker *looker = course->looker;
    course->is_told = true;
    for (const struct course_act *act = course->act; act < course->act + course->acts; act++) {
        if (act->doing != COURSE_MOVE && act->doing != COURSE_FETCH_AND_MOVE && act->doing != COURSE_MOVE_ROWS &&
            act->doing != COURSE_MOVE_SOME)
            continue;
        // Lanes that have left load for nothing.
        const struct machine_crowd crowd = {course->warps, act->lanes, act->rise};
        const struct machine_step step = step_of(course, act->code, crowd.lanes);
        looker->before(looker->context, &step);
        machine_tell_ramp(step.strand, act->code, &act->ramp, looker, &crowd);
        looker->after(looker->context, &step, MACHINE_NEXT);
    }
}
