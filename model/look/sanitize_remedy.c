// SPDX-License-Identifier: MIT
#include "sanitize_remedy.h"

#include <stdio.h>

enum side { OF_NEWER, OF_OLDER };

static const struct {
    enum sanitize_kind kind;
    enum side side;
    enum remedy_where where;
    const char *from, *text;
} rows[] = {
#define REMEDY(kind, side, where, from, text) {SANITIZE_##kind, OF_##side, REMEDY_##where, from, text},
#include "sanitize_remedies.def"
#undef REMEDY
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int try_row(const struct remedy_trier *trier, const struct sanitize_finding *finding, int row,
                   struct remedy_edit *edit, struct remedy_result *result)
{
    const struct remedy_aim aim = {(uint32_t)finding->kind, finding->older.line, finding->newer.line,
                                   !finding->older.is_before};
    *edit = (struct remedy_edit){rows[row].where,
                                 rows[row].side == OF_OLDER ? finding->older.line : finding->newer.line, "", ""};
    snprintf(edit->text, sizeof edit->text, "%s", rows[row].text);
    snprintf(edit->from, sizeof edit->from, "%s", rows[row].from);
    return edit->line != 0 && trier->try(trier->context, edit, &aim, NULL, result);
}

struct sanitize_remedy sanitize_remedy_find(const struct remedy_trier *trier, const struct sanitize_finding *finding,
                                            uint32_t errors)
{
    struct sanitize_remedy remedy = {.mended = SANITIZE_NOT_TRIED};
    for (int row = 0; row < ROWS; row++) {
        struct remedy_result result;
        struct remedy_edit edit;
        if (rows[row].kind != finding->kind || !try_row(trier, finding, row, &edit, &result)) continue;
        remedy.tried++;
        if (!result.is_over || result.is_there || result.errors >= errors) continue;
        if (remedy.mended == SANITIZE_MENDS_IT && result.errors >= remedy.errors) continue;
        remedy.mended = result.errors == 0 ? SANITIZE_MENDS_ALL : SANITIZE_MENDS_IT;
        remedy.edit = edit;
        remedy.errors = result.errors;
        if (result.errors == 0) return remedy;
    }
    if (remedy.tried > 0 && remedy.mended == SANITIZE_NOT_TRIED) remedy.mended = SANITIZE_MENDS_NOT;
    return remedy;
}
