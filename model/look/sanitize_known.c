// SPDX-License-Identifier: MIT
#include "sanitize_known.h"

#include <stdio.h>
#include <string.h>

#include "form_number.h"

static const struct sanitize_known rows[] = {
#define SANITIZED(first, last, level, what, how) {PTX_FORM_##first, PTX_FORM_##last, SANITIZE_##level, what, how},
#include "sanitize_forms.def"
#undef SANITIZED
};
enum { ROWS = sizeof rows / sizeof rows[0] };
_Static_assert(ROWS <= 64, "a bit for each row");
_Static_assert((int)PTX_FORMS <= (int)SANITIZE_MOST_FORMS, "a row for each form");

const struct sanitize_known *sanitize_known_row(uint32_t number)
{
    return number < ROWS ? &rows[number] : NULL;
}

void sanitize_ran_open(struct sanitize_ran *ran)
{
    memset(ran->row, SANITIZE_NO_ROW, sizeof ran->row);
    for (int i = 0; i < ROWS; i++)
        for (int form = rows[i].first; form <= (int)rows[i].last; form++) ran->row[form] = (uint8_t)i;
    ran->rows = 0;
    ran->has_launched = false;
}

// Behind what is there already.
static void add(char *text, size_t bytes, const char *what, const char *how)
{
    const size_t length = strlen(text);
    snprintf(text + length, bytes - length, "%s%s (%s)", length > 0 ? ", " : "", what, how);
}

bool sanitize_ran_unknown(const struct sanitize_ran *ran, char *text, size_t bytes)
{
    text[0] = '\0';
    for (int i = 0; i < ROWS; i++)
        if (rows[i].level == SANITIZE_NOT && (ran->rows >> i & 1)) add(text, bytes, rows[i].what, rows[i].how);
    if (ran->has_launched) add(text, bytes, "a launch by a kernel", "what the kernels share");
    return text[0] != '\0';
}
