// SPDX-License-Identifier: MIT
// What values are called, as the command takes them.
#include <stdio.h>

#include "map_names.h"
#include "native_report.h"
#include "text.h"
#include "version_text.h"

const char *native_version(void)
{
    return TMAREF_VERSION_TEXT;
}

int64_t native_value(int which, const char *text, struct native_report *report)
{
    struct text why;
    uint32_t value;
    static const enum map_enum enums[] = {MAP_DATA_TYPE, MAP_INTERLEAVE, MAP_SWIZZLE, MAP_L2_PROMOTION, MAP_OOB_FILL};
    native_tell_nothing(report);
    text_set(&why, "is of no enum of the driver");
    if ((unsigned)which < sizeof enums / sizeof *enums && map_value_find(enums[which], text, &value, &why))
        return value;
    snprintf(report->text, sizeof report->text, "%s", why.at);
    return -1;
}
