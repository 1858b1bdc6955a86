// SPDX-License-Identifier: MIT
// A launch that hangs or was stopped at its limit: its report in words, or as JSON.
#ifndef TMAREF_TELL_HANG_H
#define TMAREF_TELL_HANG_H

#include "driver.h"
#include "hang.h"

// What the options ask for: words, of which the last line lacks the error behind it, and the value of a key of JSON.
// NULL where it is not wanted, or without memory.
struct hang_told {
    char *text, *json;
};
void hang_report(const struct driver *driver, const struct machine_hang *hang, struct hang_told *told);
void hang_told_free(struct hang_told *told);

#endif
