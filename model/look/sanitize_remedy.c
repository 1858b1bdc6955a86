// SPDX-License-Identifier: MIT
#include "sanitize_remedy.h"

#include <stdio.h>
#include <stdlib.h>

#include "sanitize_edit.h"
#include "sanitize_edits.h"
#include "sanitize_spread.h"

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

static bool make_row(const struct sanitize_finding *finding, int row, struct remedy_edit *edit)
{
    struct remedy_piece *piece = &edit->piece[0];
    *edit = (struct remedy_edit){.count = 1};
    piece->where = rows[row].where;
    piece->line = rows[row].side == OF_OLDER ? finding->older.line : finding->newer.line;
    snprintf(piece->text, sizeof piece->text, "%s", rows[row].text);
    snprintf(piece->from, sizeof piece->from, "%s", rows[row].from);
    return piece->line != 0;
}

// Does it mend all? An edit that mends more than the best so far is kept in `remedy`.
static bool try_edit(const struct remedy_trier *trier, const struct sanitize_finding *finding,
                     const struct remedy_edit *edit, uint32_t errors, struct sanitize_remedy *remedy)
{
    const struct remedy_aim aim = {(uint32_t)finding->kind, finding->older.line, finding->newer.line,
                                   !finding->older.is_before};
    struct remedy_result result;
    if (!trier->try(trier->context, edit, &aim, NULL, &result)) return false;
    remedy->tried++;
    if (!result.is_over || result.is_there || result.errors >= errors) return false;
    if (remedy->mended == SANITIZE_MENDS_IT && result.errors >= remedy->errors) return false;
    remedy->mended = result.errors == 0 ? SANITIZE_MENDS_ALL : SANITIZE_MENDS_IT;
    remedy->edit = *edit;
    remedy->errors = result.errors;
    return result.errors == 0;
}

static void add_rows(struct sanitize_edits *edits, const struct sanitize_finding *finding)
{
    struct remedy_edit edit;
    for (int row = 0; row < ROWS; row++)
        if (rows[row].kind == finding->kind && make_row(finding, row, &edit)) *sanitize_edit_add(edits) = edit;
}

void sanitize_remedy_find(const struct remedy_trier *trier, const struct sanitize_finding *finding, const char *text,
                          uint32_t errors, bool at_copies, struct sanitize_remedy *remedy)
{
    struct sanitize_edits *edits = malloc(sizeof *edits);
    if (edits == NULL) return;
    edits->count = 0;
    add_rows(edits, finding);
    sanitize_edits_make(edits, finding, text);
    for (uint32_t i = 0; i < edits->count; i++) {
        struct remedy_edit *edit = &edits->item[i];
        if (edit->count == 0 || (at_copies && !sanitize_spread(edit, text))) continue;
        if (try_edit(trier, finding, edit, errors, remedy)) break;
    }
    free(edits);
    if (remedy->tried > 0 && remedy->mended == SANITIZE_NOT_TRIED) remedy->mended = SANITIZE_MENDS_NOT;
}
