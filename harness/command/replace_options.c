// SPDX-License-Identifier: MIT
#include "command/replace_options.h"

#include <stdio.h>
#include <string.h>

#include "command.h"

// The value of a field: a number, or the name of an element type.
static int read_value(const char *text, struct replace_op *op)
{
    enum dtype dtype = dtype_find(text);
    if (parse_u64(text, UINT64_MAX, &op->value)) return 1;
    if (op->field != REPLACE_ELEMTYPE || dtype == DTYPE_COUNT) return 0;
    op->value = replace_elemtype(dtype);
    return 1;
}

int replace_option_read(const char *text, struct replace_op *op, struct text *why)
{
    char name[64];
    const char *value = strchr(text, '=');
    uint64_t ordinal = 0;
    snprintf(name, sizeof name, "%.*s", (int)(value != NULL ? value - text : 0), text);
    char *colon = strchr(name, ':');
    if (colon != NULL) *colon = '\0';
    op->field = replace_field_find(name);
    if (value == NULL || op->field == REPLACE_FIELDS)
        return text_fail(why, "'%s' is not FIELD=VALUE or FIELD:ORDINAL=VALUE with a field of tensormap.replace", text);
    int ok = (colon == NULL || parse_u64(colon + 1, REPLACE_ORDINALS - 1, &ordinal)) && read_value(value + 1, op);
    op->ordinal = (uint32_t)ordinal;
    if (ok && replace_is_legal(op)) return 1;
    return text_fail(why, "'%s': the assembler takes no such ordinal or value for %s", text, name);
}
