// SPDX-License-Identifier: MIT
#include "lane_parts.h"

#include <stdlib.h>

#include "each.h"
#include "form_number.h"
#include "handler.h"

// behind: up to which count each lane is behind each other one
struct lane_parts {
    uint64_t last, behind[MACHINE_LANES][MACHINE_LANES];
};

// The lanes with which a lane meets, if others of the warp are left out; else 0.
static uint32_t part_of(const struct machine_step *step, uint32_t lane)
{
    if (step->code->choice->form != PTX_FORM_BAR_WARP_SYNC) return 0;
    const uint32_t *mask = machine_lanes(step->strand, step->code, 0), live = step->warp->live;
    return (mask[lane] & live) == live ? 0 : mask[lane] | UINT32_C(1) << lane;
}

static void meet(struct lane_parts *parts, uint32_t lane, uint32_t part, uint64_t count)
{
    uint64_t *behind = parts->behind[lane];
    for (EACH_BIT(with, part)) {
        for (int i = 0; i < MACHINE_LANES; i++)
            if (parts->behind[with][i] > behind[i]) behind[i] = parts->behind[with][i];
        behind[with] = count;
    }
}

bool lane_parts_meet(struct lane_parts **parts, const struct machine_step *step, uint64_t count)
{
    if (part_of(step, (uint32_t)__builtin_ctz(step->lanes)) == 0) return false;
    if (*parts == NULL) *parts = calloc(1, sizeof **parts);
    if (*parts == NULL) return false;
    for (EACH_BIT(lane, step->lanes)) meet(*parts, lane, part_of(step, lane), count);
    (*parts)->last = count;
    return true;
}

bool lane_parts_behind(const struct lane_parts *parts, uint32_t newer, uint32_t older, uint64_t at)
{
    if (parts == NULL) return false;
    if (older < MACHINE_LANES) return parts->behind[newer][older] >= at;
    for (int i = 0; i < MACHINE_LANES; i++)
        if (i != (int)newer && parts->behind[newer][i] >= at) return true;
    return false;
}

uint64_t lane_parts_last(const struct lane_parts *parts)
{
    return parts == NULL ? 0 : parts->last;
}
