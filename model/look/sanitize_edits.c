// SPDX-License-Identifier: MIT
#include "sanitize_edit.h"

#include <stdarg.h>
#include <string.h>

// --- Edits -----------------------------------------------------------------------------------------------------------

struct remedy_edit *sanitize_edit_add(struct sanitize_edits *edits)
{
    if (edits->count < SANITIZE_EDITS) edits->count++;
    struct remedy_edit *edit = &edits->item[edits->count - 1];
    *edit = (struct remedy_edit){0};
    return edit;
}

static struct remedy_piece *add_piece(struct remedy_edit *edit, enum remedy_where where, uint32_t line)
{
    static struct remedy_piece lost;
    if (edit->count == REMEDY_PIECES) return &lost;
    struct remedy_piece *piece = &edit->piece[edit->count++];
    *piece = (struct remedy_piece){.where = where, .line = line};
    return piece;
}

void sanitize_edit_put(struct remedy_edit *edit, enum remedy_where where, uint32_t line, const char *format, ...)
{
    va_list list;
    struct remedy_piece *piece = add_piece(edit, where, line);
    va_start(list, format);
    vsnprintf(piece->text, sizeof piece->text, format, list);
    va_end(list);
}

void sanitize_edit_replace(struct remedy_edit *edit, uint32_t line, const char *from, const char *to)
{
    struct remedy_piece *piece = add_piece(edit, REMEDY_REPLACE, line);
    snprintf(piece->from, sizeof piece->from, "%s", from);
    snprintf(piece->text, sizeof piece->text, "%s", to);
}

bool sanitize_edit_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool sanitize_edit_is_wait(const char *word)
{
    return sanitize_edit_starts(word, "mbarrier.try_wait") || sanitize_edit_starts(word, "mbarrier.test_wait");
}

uint32_t sanitize_edit_before_branch(const struct sanitize_edits *edits, uint32_t line)
{
    char text[PTX_STATEMENT_BYTES];
    for (uint32_t at = line - 1; at > edits->body.first && at + SANITIZE_EDIT_WINDOW > line; at--)
        if (ptx_body_statement(&edits->body, at, text) && text[0] == '@' &&
            sanitize_edit_starts(ptx_statement_word(text), "bra"))
            return at;
    return line;
}

bool sanitize_edit_operand(const char *name, char *operand, size_t bytes)
{
    if (sanitize_edit_starts(name, "shared address ")) name += strlen("shared address ");
    for (const char *at = name; *at != '\0'; at++)
        if (strchr("+ $_%.", *at) == NULL && !(*at >= '0' && *at <= '9') && !((*at | 32) >= 'a' && (*at | 32) <= 'z'))
            return false;
    const int length = snprintf(operand, bytes, "%s", name);
    return length > 0 && (size_t)length < bytes;
}

// Does a line of the function declare it? Of other names people are told a part.
static bool is_declared(const struct sanitize_edits *edits, const char *name)
{
    char sized[SANITIZE_NAME_BYTES + 2], alone[SANITIZE_NAME_BYTES + 2];
    const int length = (int)strcspn(name, " +");
    snprintf(sized, sizeof sized, " %.*s[", length, name);
    snprintf(alone, sizeof alone, " %.*s;", length, name);
    for (uint32_t line = edits->body.first; line < edits->body.last; line++)
        if (ptx_body_has(&edits->body, line, ".shared") &&
            (ptx_body_has(&edits->body, line, sized) || ptx_body_has(&edits->body, line, alone)))
            return true;
    return false;
}

void sanitize_edit_barrier(const struct sanitize_edits *edits, char *operand, size_t bytes)
{
    const struct sanitize_finding *finding = edits->finding;
    if (!sanitize_edit_operand(finding->barrier, operand, bytes) || !is_declared(edits, operand))
        snprintf(operand, bytes, "0x%x", finding->barrier_at);
}

void sanitize_edit_wait_text(char *text, const char *barrier, const char *parity)
{
    if (barrier[0] < '0' || barrier[0] > '9')
        snprintf(
            text, REMEDY_TEXT_BYTES,
            "{ .reg .pred %%p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p, [%.140s], %.8s; @!%%p bra WAIT; }",
            barrier, parity);
    else // a number is no operand of its own
        snprintf(text, REMEDY_TEXT_BYTES,
                 "{ .reg .pred %%p; .reg .b32 %%at; mov.b32 %%at, %.140s; "
                 "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p, [%%at], %.8s; @!%%p bra WAIT; }",
                 barrier, parity);
}

// --- Which of them ---------------------------------------------------------------------------------------------------

typedef void sanitize_maker(struct sanitize_edits *edits);

// barrier: comes last, because one that some warps do not come by meets another.
static const struct {
    enum sanitize_kind kind;
    sanitize_maker *make[3], *barrier;
} rows[] = {
    {SANITIZE_READ_BEFORE_COPY,
     {sanitize_edits_alter_waits, sanitize_edits_again, sanitize_edits_wait},
     sanitize_edits_barrier},
    {SANITIZE_WRITE_BEFORE_COPY,
     {sanitize_edits_alter_waits, sanitize_edits_again, sanitize_edits_wait},
     sanitize_edits_barrier},
    {SANITIZE_OPERATION_BEFORE_COPY,
     {sanitize_edits_alter_waits, sanitize_edits_again, sanitize_edits_wait},
     sanitize_edits_barrier},
    {SANITIZE_COPIES, {sanitize_edits_alter_waits, sanitize_edits_again, sanitize_edits_wait}, sanitize_edits_barrier},
    {SANITIZE_REFILL, {sanitize_edits_alter_waits, sanitize_edits_again, sanitize_edits_wait}, sanitize_edits_barrier},
    {SANITIZE_OPERATION_BEFORE_WRITE, {sanitize_edits_again}, sanitize_edits_barrier_written},
    {SANITIZE_SOURCE_OVERWRITTEN, {sanitize_edits_alter_waits, sanitize_edits_again}, sanitize_edits_barrier},
    {SANITIZE_PRODUCT_OVERWRITTEN,
     {sanitize_edits_products, sanitize_edits_alter_waits, sanitize_edits_again},
     sanitize_edits_barrier},
    {SANITIZE_PRODUCT_REGISTER, {sanitize_edits_products}, NULL},
    {SANITIZE_PRODUCT_SOURCE, {sanitize_edits_products}, NULL},
    {SANITIZE_RACE, {sanitize_edits_alter_waits, sanitize_edits_again, sanitize_edits_sum}, sanitize_edits_barrier},
    {SANITIZE_GLOBAL_RACE, {sanitize_edits_fence, sanitize_edits_sum}, sanitize_edits_barrier_global},
    {SANITIZE_GLOBAL_SOURCE, {sanitize_edits_fence}, sanitize_edits_barrier_global},
    {SANITIZE_GLOBAL_LOAD, {sanitize_edits_again, sanitize_edits_wait}, sanitize_edits_barrier},
    {SANITIZE_MAP_FENCE, {sanitize_edits_map}, NULL},
    {SANITIZE_MAP_RACE, {sanitize_edits_map}, NULL},
    {SANITIZE_MAP_EDITED, {sanitize_edits_wait}, sanitize_edits_barrier},
    {SANITIZE_SCOPE, {sanitize_edits_scope}, NULL},
    {SANITIZE_EXIT, {sanitize_edits_products, sanitize_edits_end, sanitize_edits_alter_waits}, NULL},
    {SANITIZE_UNEXPECTED, {sanitize_edits_expect}, NULL},
    {SANITIZE_OVER_ARRIVAL,
     {sanitize_edits_count, sanitize_edits_alter_waits, sanitize_edits_again},
     sanitize_edits_barrier},
    {SANITIZE_UNINITIALISED, {sanitize_edits_init}, sanitize_edits_barrier},
    {SANITIZE_UNORDERED_INIT, {NULL}, sanitize_edits_barrier},
    {SANITIZE_BARRIER_WRITTEN, {sanitize_edits_inval}, sanitize_edits_barrier},
    {SANITIZE_INVAL, {NULL}, sanitize_edits_barrier},
    {SANITIZE_AGAIN, {sanitize_edits_drop}, NULL},
    {SANITIZE_DIVERGENT, {sanitize_edits_part}, NULL},
    {SANITIZE_MEETING, {sanitize_edits_number}, NULL},
    {SANITIZE_COUNT, {sanitize_edits_number}, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

void sanitize_edits_make(struct sanitize_edits *edits, const struct sanitize_finding *finding, const char *text)
{
    static const enum sanitize_kind meeting[] = {SANITIZE_RACE,        SANITIZE_REFILL,
                                                 SANITIZE_EXIT,        SANITIZE_UNORDERED_INIT,
                                                 SANITIZE_LANES,       SANITIZE_WRITE_BEFORE_COPY,
                                                 SANITIZE_GLOBAL_RACE, SANITIZE_OPERATION_BEFORE_WRITE,
                                                 SANITIZE_INVAL,       SANITIZE_SOURCE_OVERWRITTEN,
                                                 SANITIZE_SMALL_COPY,  SANITIZE_READ_BEFORE_COPY};
    const uint32_t newer = finding->newer.line, older = finding->older.is_before ? 0 : finding->older.line;
    size_t row = 0;
    edits->finding = finding;
    while (row < ROWS && rows[row].kind != finding->kind) row++;
    if (!ptx_body_find(&edits->body, text, newer > 0 ? newer : older)) return;
    edits->newer = newer;
    edits->older = older >= edits->body.first && older < edits->body.last ? older : 0;
    for (int i = 0; row < ROWS && i < 3; i++)
        if (rows[row].make[i] != NULL) rows[row].make[i](edits);
    sanitize_edits_move(edits);
    if (row < ROWS && rows[row].barrier != NULL) rows[row].barrier(edits);
    for (size_t i = 0; i < sizeof meeting / sizeof meeting[0]; i++)
        if (meeting[i] == finding->kind) sanitize_edits_meet(edits);
}
