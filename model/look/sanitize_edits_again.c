// SPDX-License-Identifier: MIT
// Waits and arrivals from what the text has of them: the wait of a token, a wait that is there as a loop before the
// access, a wait that no branch goes past, and the announcement of what the copies of a phase bring.
#include <string.h>

#include "sanitize_edit.h"

// PAST_LINES: how far a branch goes past a wait.
enum { MOST_TOKENS = 8, MOST_AGAIN = 4, OPERAND_BYTES = 64, PAST_LINES = 200 };

// An mbarrier instruction with its token, or its parity.
struct operation {
    char barrier[OPERAND_BYTES], operand[OPERAND_BYTES];
};

static bool copy_operand(char *operand, const char *from)
{
    const size_t length = strcspn(from, ",; \t");
    if (length == 0 || length >= OPERAND_BYTES) return false;
    memcpy(operand, from, length);
    operand[length] = '\0';
    return true;
}

static const char *behind_address(const char *statement)
{
    const char *close = strchr(statement, ']');
    return close != NULL ? close + 1 + strspn(close + 1, ", \t") : "";
}

// "mbarrier.try_wait.shared.b64 %p, [%bar], %token;", or with .parity and a parity.
static bool is_wait(const char *statement, bool has_parity, struct operation *of)
{
    const char *word = ptx_statement_word(statement);
    return sanitize_edit_is_wait(word) && (strstr(word, ".parity") != NULL) == has_parity &&
           ptx_statement_address(statement, 0, of->barrier, sizeof of->barrier) &&
           copy_operand(of->operand, behind_address(statement));
}

// "mbarrier.arrive.shared.b64 %token, [%bar];"
static bool gives_token(const char *statement, struct operation *of)
{
    const char *word = ptx_statement_word(statement);
    const char *operand = word + strcspn(word, " \t");
    operand += strspn(operand, " \t");
    return sanitize_edit_starts(word, "mbarrier.arrive") && operand[0] == '%' &&
           ptx_statement_address(statement, 0, of->barrier, sizeof of->barrier) && copy_operand(of->operand, operand);
}

// --- Tokens ----------------------------------------------------------------------------------------------------------

static bool is_given(const struct sanitize_edits *edits, const char *token)
{
    char statement[PTX_STATEMENT_BYTES];
    struct operation of;
    for (uint32_t line = edits->body.first; line < edits->body.last; line++)
        if (ptx_body_statement(&edits->body, line, statement) && gives_token(statement, &of) &&
            strcmp(of.operand, token) == 0)
            return true;
    return false;
}

// The line, or that of the label in front of it: where its loop begins.
static uint32_t before_loop(const struct sanitize_edits *edits, uint32_t line)
{
    char statement[PTX_STATEMENT_BYTES];
    for (uint32_t at = line - 1; at > edits->body.first; at--) {
        if (ptx_body_is_label(&edits->body, at)) return at;
        if (ptx_body_statement(&edits->body, at, statement)) return line;
    }
    return line;
}

// In front of the first wait for a token that no arrive gives, the arrive.
static void give_tokens(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES], last[OPERAND_BYTES] = "";
    struct operation of;
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement) || !is_wait(statement, false, &of)) continue;
        if (strcmp(of.operand, last) == 0 || is_given(edits, of.operand)) continue;
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, before_loop(edits, line),
                          "mbarrier.arrive.shared::cta.b64 %s, [%s];", of.operand, of.barrier);
        strcpy(last, of.operand);
    }
}

// Behind an arrive, the nearest in front of the access first, the wait for the token that it gives.
static void await_tokens(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES];
    struct operation of;
    int count = 0;
    for (uint32_t i = 1, lines = edits->body.last - edits->body.first; i < lines && count < MOST_TOKENS; i++) {
        const uint32_t line = edits->body.first + (edits->newer - edits->body.first + lines - i) % lines;
        if (!ptx_body_statement(&edits->body, line, statement) || !gives_token(statement, &of)) continue;
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEHIND, line,
                          "{ .reg .pred %%p; WAIT: mbarrier.try_wait.shared::cta.b64 %%p, [%s], %s; @!%%p bra WAIT; }",
                          of.barrier, of.operand);
        count++;
    }
}

// --- Waits that are there --------------------------------------------------------------------------------------------

// Before the access, each of the last waits in front of it, as a loop.
static void repeat_waits(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES], text[REMEDY_TEXT_BYTES];
    struct operation of;
    int count = 0;
    for (uint32_t line = edits->newer; line > edits->body.first && count < MOST_AGAIN; line--) {
        if (!ptx_body_statement(&edits->body, line, statement) || !is_wait(statement, true, &of)) continue;
        sanitize_edit_wait_text(text, of.barrier, of.operand);
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, edits->newer, "%s", text);
        count++;
    }
}

// The line of the label; 0: it is not behind `line`, or no wait is between.
static uint32_t label_past_wait(const struct sanitize_edits *edits, uint32_t line, const char *label)
{
    char statement[PTX_STATEMENT_BYTES];
    bool has_wait = false;
    for (uint32_t at = line + 1; at < edits->body.last && at < line + PAST_LINES; at++) {
        if (ptx_body_is_label(&edits->body, at) && ptx_body_has(&edits->body, at, label)) return has_wait ? at : 0;
        if (ptx_body_statement(&edits->body, at, statement) && sanitize_edit_is_wait(ptx_statement_word(statement)))
            has_wait = true;
    }
    return 0;
}

// Without a branch that goes past a wait.
static void drop_branches(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES], label[OPERAND_BYTES];
    int count = 0;
    for (uint32_t line = edits->newer; line > edits->body.first && count < MOST_AGAIN; line--) {
        if (!ptx_body_statement(&edits->body, line, statement) || statement[0] != '@') continue;
        const char *word = ptx_statement_word(statement);
        if (!sanitize_edit_starts(word, "bra")) continue;
        const char *target = word + strcspn(word, " \t");
        if (!copy_operand(label, target + strspn(target, " \t")) || !label_past_wait(edits, line, label)) continue;
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line, "%s", "");
        count++;
    }
}

// --- Announcements ---------------------------------------------------------------------------------------------------

// In front of the first copy of a straight run to the mbarrier of this one.
static uint32_t first_copy(const struct sanitize_edits *edits, uint32_t line, const char *barrier)
{
    char statement[PTX_STATEMENT_BYTES], other[OPERAND_BYTES];
    uint32_t first = line;
    for (uint32_t at = line; at > edits->body.first && !ptx_body_parts(&edits->body, at); at--)
        if (ptx_body_statement(&edits->body, at, statement) &&
            sanitize_edit_starts(ptx_statement_word(statement), "cp.async.bulk") &&
            ptx_statement_address(statement, 2, other, sizeof other) && strcmp(other, barrier) == 0)
            first = at;
    return first;
}

// In front of the line, under the guard of the copy.
static void announce_bytes(struct sanitize_edits *edits, uint32_t line, const char *copy, const char *bytes)
{
    char barrier[OPERAND_BYTES];
    const int guard = copy[0] == '@' ? (int)strcspn(copy, " \t") : 0;
    if (!ptx_statement_address(copy, 2, barrier, sizeof barrier)) return;
    for (int i = 0; i < 2; i++)
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, line, "%.*s mbarrier.%s.b64 %s[%s], %s;", guard,
                          copy, i == 0 ? "arrive.expect_tx.shared::cta" : "expect_tx.relaxed.cta.shared::cta",
                          i == 0 ? "_, " : "", barrier, bytes);
}

// A copy whose mbarrier was told of fewer bytes than came: of those, or, as they may be others elsewhere, of its own.
static void announce(struct sanitize_edits *edits)
{
    char copy[PTX_STATEMENT_BYTES], barrier[OPERAND_BYTES], bytes[OPERAND_BYTES];
    if (edits->finding->unexpected == 0 || edits->older == 0 || !ptx_body_statement(&edits->body, edits->older, copy) ||
        !ptx_statement_address(copy, 2, barrier, sizeof barrier))
        return;
    snprintf(bytes, sizeof bytes, "%u", edits->finding->unexpected);
    announce_bytes(edits, first_copy(edits, edits->older, barrier), copy, bytes);
    const char *operand = strchr(strchr(copy, ']') + 1, ']') + 1;
    operand += strspn(operand, ", \t");
    if (operand[0] == '%' && copy_operand(bytes, operand)) announce_bytes(edits, edits->older, copy, bytes);
}

void sanitize_edits_again(struct sanitize_edits *edits)
{
    if (edits->newer == 0) return;
    announce(edits);
    give_tokens(edits);
    drop_branches(edits);
    repeat_waits(edits);
    await_tokens(edits);
}
