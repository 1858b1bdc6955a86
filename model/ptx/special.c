// SPDX-License-Identifier: MIT
// The special registers by name.
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "program.h"

static const struct ptx_special_row rows[PTX_SPECIALS] = {
#define SPECIAL(name, spelling, type, parts) {spelling, PTX_TYPE_##type, parts},
#include "special.def"
};

const struct ptx_special_row *ptx_special_row(enum ptx_special special)
{
    assert((unsigned)special < PTX_SPECIALS);
    return &rows[special];
}

// Is the text the spelling, with a number below `parts` in place of its #? *number is that number.
static bool is_numbered(const char *spelling, const char *at, size_t length, int parts, uint8_t *number)
{
    const char *mark = strchr(spelling, '#');
    size_t before = (size_t)(mark - spelling), behind = strlen(mark + 1);
    if (length < before + behind + 1 || memcmp(spelling, at, before) != 0) return false;
    if (memcmp(mark + 1, at + length - behind, behind) != 0) return false;
    int value = 0;
    for (size_t i = before; i < length - behind; i++) {
        if (at[i] < '0' || at[i] > '9' || value > parts) return false;
        value = value * 10 + (at[i] - '0');
    }
    *number = (uint8_t)value;
    return value < parts;
}

static bool is_whole(const char *spelling, const char *at, size_t length, char part, int parts, uint8_t *number)
{
    if (strlen(spelling) != length || memcmp(spelling, at, length) != 0) return false;
    if ((part != 0) != (parts == 4)) return false;
    *number = (uint8_t)(part == 0 ? 0 : part == 'w' ? 3 : part - 'x');
    return true;
}

int ptx_special_find(const char *at, size_t length, char part, enum ptx_special *special, uint8_t *number)
{
    if (length < 2 || at[0] != '%') return 0;
    for (int i = 0; i < PTX_SPECIALS; i++) {
        const struct ptx_special_row *row = &rows[i];
        bool is_it = strchr(row->spelling, '#') != NULL
                         ? part == 0 && is_numbered(row->spelling, at + 1, length - 1, row->parts, number)
                         : is_whole(row->spelling, at + 1, length - 1, part, row->parts, number);
        if (!is_it) continue;
        *special = (enum ptx_special)i;
        return 1;
    }
    return 0;
}
