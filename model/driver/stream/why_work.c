// SPDX-License-Identifier: MIT
#include "why_work.h"

#include <string.h>

#include "who.h"
#include "why_host.h"

// The call under way. Names take long to find, and many copies come from one place.
static void tell_call(struct driver *driver)
{
    static struct who last;
    static char text[512];
    const struct who who = who_now();
    const size_t bytes = (size_t)who.frames * sizeof *who.frame;
    if (text[0] == '\0' || who.frames != last.frames || memcmp(who.frame, last.frame, bytes) != 0)
        who_tell(&who, text, sizeof text);
    last = who;
    look_why_call(driver->look, text);
}

void why_work_tell(struct driver *driver, const struct work *work)
{
    const struct work_copy *copy = &work->of.copy;
    const struct work_set *set = &work->of.set;
    if (!look_why_is_asked(driver->look)) return;
    if (work->type == NODE_MEMCPY && (copy->width == 0 || copy->height == 0 || copy->depth == 0)) return;
    tell_call(driver);
    if (work->type == NODE_MEMCPY && copy_is_pageable(driver, copy->to, copy->to_type)) return;
    const bool is_own = work->type == NODE_MEMCPY && copy_is_pageable(driver, copy->from, copy->from_type);
    for (size_t z = 0; work->type == NODE_MEMCPY && z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            look_why_write(driver->look, copy->to + z * copy->to_slice + y * copy->to_pitch,
                           is_own ? LOOK_WHY_OWN : copy->from + z * copy->from_slice + y * copy->from_pitch,
                           copy->width);
    for (size_t y = 0; work->type == NODE_MEMSET && y < set->height; y++)
        look_why_write(driver->look, set->to + y * set->pitch, 0, set->width * set->element_bytes);
}
