// SPDX-License-Identifier: MIT
// Does it matter? A launch with findings is done again under other schedules: does it leave other bytes in memory? And
// with the edit that mends a finding?
#ifndef TMAREF_LOOK_SANITIZE_CONFIRM_H
#define TMAREF_LOOK_SANITIZE_CONFIRM_H

#include "sanitize_remedy.h"

#pragma GCC visibility push(hidden)

// schedule: as it is typed, of the first under which the launch ends otherwise, "" if none was found. fails: it does
// not end there. is_tried: the launch could be done again, and ended.
struct sanitize_confirm {
    bool is_tried, fails;
    const char *schedule;
    struct remedy_schedule as;
};
struct sanitize_confirm sanitize_confirm_launch(const struct remedy_trier *trier);

// Does the launch with that edit end there as it ends under its own schedule?
bool sanitize_confirm_edit(const struct remedy_trier *trier, const struct sanitize_confirm *confirm,
                           const struct remedy_edit *edit);

#pragma GCC visibility pop

#endif
