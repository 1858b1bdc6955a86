// SPDX-License-Identifier: MIT
// How far --sanitize follows what ran: the verdict of a launch that ran something else is not clean.
#ifndef TMAREF_LOOK_SANITIZE_KNOWN_H
#define TMAREF_LOOK_SANITIZE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Levels as sanitize_forms.def says them.
enum sanitize_level { SANITIZE_NOTHING, SANITIZE_EXACT, SANITIZE_COARSE, SANITIZE_NOT };

// A row of sanitize_forms.def, by number; NULL behind the last. first, last: enum ptx_form_number
struct sanitize_known {
    uint16_t first, last;
    enum sanitize_level level;
    const char *what, *how;
};
const struct sanitize_known *sanitize_known_row(uint32_t number);

// Which rows the forms that ran belong to: a bit for each. Functions of registers alone have no row.
enum { SANITIZE_NO_ROW = 255, SANITIZE_MOST_FORMS = 1024 };
struct sanitize_ran {
    uint8_t row[SANITIZE_MOST_FORMS];
    uint64_t rows;
    bool has_launched; // a kernel has launched another
};
void sanitize_ran_open(struct sanitize_ran *ran);

static inline void sanitize_ran_note(struct sanitize_ran *ran, int form)
{
    const uint8_t row = ran->row[form];
    if (row != SANITIZE_NO_ROW) ran->rows |= UINT64_C(1) << row;
}

// What ran and is not followed, as a list for people; 0 if all is.
bool sanitize_ran_unknown(const struct sanitize_ran *ran, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
