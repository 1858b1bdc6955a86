// SPDX-License-Identifier: MIT
// What is no ramp of the CTA, but the same lanes in each warp: a thread's place in its warp, %tid.x & 31. Then it is
// known once for all of them, as the same in all lanes is.
#include <string.h>

#include "course_plan.h"
#include "handler.h"

enum { MOST_LOOKS = 16, ROW_BYTES = MACHINE_LANES * sizeof(uint64_t) }; // looks: in a CTA

// The registers that the instruction reads, as warp `index` has them; 0: they cannot be had.
static bool fill_sources(const struct machine_course *course, const struct machine_ramp_code *as,
                         const struct machine_code *code, uint32_t index)
{
    const struct machine_warp *warp = &course->warp;
    for (uint32_t i = 1; i < code->operands; i++) {
        const uint32_t number = machine_course_number(as->from[i - 1]);
        const struct machine_ramp_place *place = &warp->ramps->place[number];
        const struct machine_ramp *ramp = &warp->ramp[number], first = machine_course_first(course, ramp);
        if (course->is_apart[number] && (!course->is_alike[number] || as->from[i - 1] == as->to)) return false;
        if (number >= warp->ramps->registers && ramp->rise != 0) return false;
        if (course->is_apart[number] || number >= warp->ramps->registers) continue;
        warp->ramps->fill[place->file == PTX_FILE_64](machine_slot(&warp->strand[0], place->slot),
                                                      first.first + index * (uint64_t)machine_course_rise(course, ramp),
                                                      first.step, first.rise, warp->width);
    }
    return true;
}

static bool are_alike(const struct machine_course *course, const struct machine_ramp_code *as,
                      const struct machine_code *code)
{
    const struct machine_warp *warp = &course->warp;
    const struct machine_ramp_place *place = &warp->ramps->place[machine_course_number(as->to)];
    const size_t bytes = place->file == PTX_FILE_64 ? ROW_BYTES : ROW_BYTES / 2;
    const void *row = machine_slot(&warp->strand[0], place->slot);
    uint8_t first[ROW_BYTES];
    for (uint32_t index = 0; index < course->warps; index++) {
        if (!fill_sources(course, as, code, index)) return false;
        machine_compute(&warp->strand[0], code, UINT32_MAX);
        if (index == 0) memcpy(first, row, bytes);
        if (memcmp(first, row, bytes) != 0) return false;
    }
    return true;
}

bool machine_course_is_alike(struct machine_course *course, const struct machine_ramp_code *as,
                             const struct machine_code *code, const struct machine_course_code *what)
{
    enum { UNKNOWN, ALIKE, UNLIKE };
    uint8_t *const known = &course->alike[as - course->warp.ramps->code];
    const bool may_change = course->warp.cta->cluster->machine->kernel->again.clears > 0;
    if (!what->is_same || what->writes != 0 || code->handler != NULL || code->alu == NULL) return false;
    if (*known != UNKNOWN && !may_change) return *known == ALIKE;
    if (course->looks++ >= MOST_LOOKS) return false;
    *known = are_alike(course, as, code) ? ALIKE : UNLIKE;
    return *known == ALIKE;
}
