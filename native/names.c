// SPDX-License-Identifier: MIT
// What values are called, as the command takes them.
#include <stdio.h>

#include "map_names.h"
#include "report.h"
#include "text.h"
#include "version.h"

const char *native_version(void)
{
    return TMAREF_VERSION;
}

int64_t native_value(int which, const char *text, struct native_report *report)
{
    struct text why;
    uint32_t value;
    native_tell_nothing(report);
    if (map_value_find(
            (enum map_enum[]){MAP_DATA_TYPE, MAP_INTERLEAVE, MAP_SWIZZLE, MAP_L2_PROMOTION, MAP_OOB_FILL}[which], text,
            &value, &why))
        return value;
    snprintf(report->text, sizeof report->text, "%s", why.at);
    return -1;
}
