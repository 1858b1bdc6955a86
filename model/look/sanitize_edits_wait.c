// SPDX-License-Identifier: MIT
// Waits for an mbarrier, and statements that move.
#include <string.h>

#include "sanitize_edit.h"

// The most that are tried.
enum { MOST_MOVES = 6, MOST_WAITS = 8, MOST_STAGES = 8 };

// --- Waits for an mbarrier -------------------------------------------------------------------------------------------

static void add_waits_at(struct sanitize_edits *edits, uint32_t line, const char *barrier, const char *behind)
{
    for (int parity = 0; parity < 2; parity++) {
        char text[REMEDY_TEXT_BYTES];
        sanitize_edit_wait_text(text, barrier, parity ? "1" : "0");
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, line, "%s%s", text, behind);
    }
}

// In a loop: each wait is for the next of so many mbarriers in a row, and the parity turns with each round.
static void add_turning_wait(struct sanitize_edits *edits, uint32_t line, const char *barrier, int stages)
{
    struct remedy_edit *edit = sanitize_edit_add(edits);
    sanitize_edit_put(edit, REMEDY_BEFORE, edits->body.first, ".reg .b32 %%turn; mov.b32 %%turn, 0;");
    if (stages == 1) {
        char text[REMEDY_TEXT_BYTES];
        sanitize_edit_wait_text(text, barrier, "%turn");
        sanitize_edit_put(edit, REMEDY_BEFORE, line, "%s xor.b32 %%turn, %%turn, 1;", text);
        return;
    }
    sanitize_edit_put(edit, REMEDY_BEFORE, line,
                      "{ .reg .pred %%p; .reg .b32 %%at, %%q; mov.b32 %%at, %.140s; rem.u32 %%q, %%turn, %d; "
                      "mad.lo.u32 %%at, %%q, 8, %%at; div.u32 %%q, %%turn, %d; and.b32 %%q, %%q, 1; "
                      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p, [%%at], %%q; @!%%p bra WAIT; "
                      "add.u32 %%turn, %%turn, 1; }",
                      barrier, stages, stages);
}

// Before the access, for the mbarrier of the copy, or for that at which the other side next arrived.
void sanitize_edits_wait(struct sanitize_edits *edits)
{
    char barrier[SANITIZE_NAME_BYTES];
    const struct sanitize_finding *finding = edits->finding;
    const char *name = finding->older.note_name;
    if (edits->newer == 0) return;
    if (finding->barrier[0] != '\0')
        sanitize_edit_barrier(edits, barrier, sizeof barrier);
    else if (!sanitize_edit_operand(name, barrier, sizeof barrier))
        return;
    add_waits_at(edits, edits->newer, barrier, "");
    for (int stages = 1; stages <= MOST_STAGES; stages++) add_turning_wait(edits, edits->newer, barrier, stages);
    add_waits_at(edits, edits->newer, barrier, " bar.sync 0;");
    const uint32_t branch = sanitize_edit_before_branch(edits, edits->newer);
    if (branch != edits->newer) add_waits_at(edits, branch, barrier, " bar.sync 0;");
}

// A wait that is there, with the other parity, or for the mbarrier of the copy.
static void alter_wait(struct sanitize_edits *edits, uint32_t line, const char *statement)
{
    char operand[SANITIZE_NAME_BYTES], barrier[SANITIZE_NAME_BYTES];
    const char *parity = strchr(statement, ']');
    if (!ptx_statement_address(statement, 0, operand, sizeof operand) || parity == NULL) return;
    parity += strspn(parity, "], \t");
    const int length = (int)strcspn(parity, ",; \t");
    if (strstr(statement, ".parity") != NULL)
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line,
                          "{ .reg .b32 %%q; xor.b32 %%q, %.*s, 1; %.*s%%q%s }", length, parity,
                          (int)(parity - statement), statement, parity + length);
    if (edits->finding->barrier[0] == '\0') return;
    sanitize_edit_barrier(edits, barrier, sizeof barrier);
    if (strcmp(operand, barrier) == 0) return;
    const char *address = strchr(statement, '[');
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line,
                      "{ .reg .b32 %%at; mov.b32 %%at, %.140s; %.*s[%%at%s }", barrier, (int)(address - statement),
                      statement, strchr(address, ']'));
}

// The same of a wait in a block of one line: "{ ... mbarrier.try_wait.parity p, [%bar], %parity; ... }".
static void alter_block(struct sanitize_edits *edits, uint32_t line, const char *text)
{
    const char *wait = strstr(text, "mbarrier.t"), *close = wait != NULL ? strchr(wait, ']') : NULL;
    const char *word = wait != NULL ? strstr(wait, "_wait.parity") : NULL;
    if (text[0] != '{' || close == NULL || word == NULL || word > close) return;
    const char *parity = close + 1 + strspn(close + 1, ", \t"), *end = strchr(parity, ';');
    const int length = (int)strcspn(parity, ",; \t");
    if (end == NULL || strstr(end, "mbarrier.") != NULL) return;
    const char *rest = parity + length;
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line,
                      "%.*s{ .reg .b32 %%other; xor.b32 %%other, %.*s, 1; %.*s%%other%.*s }%s", (int)(wait - text),
                      text, length, parity, (int)(parity - wait), wait, (int)(end + 1 - rest), rest, end + 1);
}

void sanitize_edits_alter_waits(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES];
    int count = 0;
    for (uint32_t line = edits->body.first; line < edits->body.last && count < MOST_WAITS; line++) {
        if (!ptx_body_has(&edits->body, line, "_wait.")) continue;
        const bool is_statement = ptx_body_statement(&edits->body, line, statement);
        const uint32_t before = edits->count;
        if (is_statement && sanitize_edit_is_wait(ptx_statement_word(statement))) alter_wait(edits, line, statement);
        if (!is_statement && ptx_body_text(&edits->body, line, statement)) alter_block(edits, line, statement);
        count += edits->count > before;
    }
}

// --- Waits for products ----------------------------------------------------------------------------------------------

// Behind the last product of the straight run, for all of them.
void sanitize_edits_products(struct sanitize_edits *edits)
{
    uint32_t last = 0;
    if (edits->older == 0 || !ptx_body_has(&edits->body, edits->older, "wgmma.mma_async")) return;
    for (uint32_t line = edits->older; line < edits->body.last && !ptx_body_parts(&edits->body, line); line++)
        if (ptx_body_has(&edits->body, line, "wgmma.mma_async")) last = line;
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEHIND, last,
                      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
}

// --- Statements that move --------------------------------------------------------------------------------------------

static const char *const orders[] = {"mbarrier.arrive",
                                     "fence.",
                                     "membar.",
                                     "bar.",
                                     "barrier.",
                                     "cp.async.wait_",
                                     "cp.async.commit",
                                     "cp.async.bulk.c",
                                     "cp.async.bulk.wait",
                                     "wgmma.fence",
                                     "wgmma.commit",
                                     "wgmma.wait",
                                     "griddepcontrol.",
                                     "st.release",
                                     "st.relaxed",
                                     "st.volatile",
                                     "red.",
                                     "atom."};

static bool is_order(const char *word)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (sanitize_edit_starts(word, orders[i])) return strstr(word, "wait_group.tensor") == NULL;
    return false;
}

// The next register at or behind `at`, and its length; NULL: there is none.
static const char *next_register(const char *at, size_t *length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    at = strchr(at, '%');
    *length = at != NULL ? 1 + strspn(at + 1, letters) : 0;
    return at;
}

// Has the text this register?
static bool has_register(const char *text, const char *name, size_t name_length)
{
    size_t length;
    for (const char *at = next_register(text, &length); at != NULL; at = next_register(at + length, &length))
        if (length == name_length && strncmp(at, name, length) == 0) return true;
    return false;
}

// May the one pass the other? No register that the one writes is in the other. What a statement writes is its first
// operand.
static bool may_pass(const char *one, const char *other)
{
    const char *both[2] = {one, other};
    for (int i = 0; i < 2; i++) {
        size_t length;
        const char *word = ptx_statement_word(both[i]), *operands = word + strcspn(word, " \t");
        const size_t first = strcspn(operands, ",[;");
        const char *at = next_register(operands, &length);
        if (at == NULL || (size_t)(at - operands) >= first) continue;
        if (has_register(both[1 - i], at, length)) return false;
    }
    return true;
}

// May the statement of `line` go to the line `to`, past what is between?
static bool may_move(const struct sanitize_edits *edits, uint32_t line, uint32_t to)
{
    char moved[PTX_STATEMENT_BYTES], other[PTX_STATEMENT_BYTES];
    if (!ptx_body_statement(&edits->body, line, moved)) return false;
    const uint32_t first = line < to ? line + 1 : to, last = line < to ? to : line - 1;
    for (uint32_t at = first; at <= last; at++)
        if (ptx_body_statement(&edits->body, at, other) && !may_pass(moved, other)) return false;
    return true;
}

// Does it tell other threads that the accesses of all are over? Then it may need a barrier in front of it.
static bool is_signal(const char *word)
{
    return sanitize_edit_starts(word, "st.") || sanitize_edit_starts(word, "red.") ||
           sanitize_edit_starts(word, "atom.") || sanitize_edit_starts(word, "mbarrier.arrive");
}

static void move(struct sanitize_edits *edits, uint32_t line, enum remedy_where where, uint32_t to)
{
    static const char *const fronts[] = {"", "bar.sync 0; ", "fence.acq_rel.gpu; "};
    char statement[PTX_STATEMENT_BYTES];
    if (!may_move(edits, line, to) || !ptx_body_statement(&edits->body, line, statement)) return;
    const int count = where == REMEDY_BEHIND && is_signal(ptx_statement_word(statement)) ? 3 : 1;
    for (int i = 0; i < count; i++) {
        struct remedy_edit *edit = sanitize_edit_add(edits);
        sanitize_edit_put(edit, REMEDY_INSTEAD, line, "%s", "");
        sanitize_edit_put(edit, where, to, "%s%.200s", fronts[i], statement);
    }
}

// An arrive of some lanes, in the block that ends in front of the access, goes behind that, under the condition of the
// block's branch.
static void move_under_guard(struct sanitize_edits *edits, uint32_t access)
{
    char arrive[PTX_STATEMENT_BYTES], branch[PTX_STATEMENT_BYTES];
    uint32_t line = access, label = 0;
    while (line > edits->body.first && line + SANITIZE_EDIT_WINDOW > access && !ptx_body_is_label(&edits->body, line))
        line--;
    for (label = line--; line > edits->body.first && line + SANITIZE_EDIT_WINDOW > label; line--) {
        if (ptx_body_parts(&edits->body, line)) return;
        if (ptx_body_statement(&edits->body, line, arrive) && sanitize_edit_starts(arrive, "mbarrier.arrive")) break;
    }
    for (uint32_t at = line; at > edits->body.first && at + SANITIZE_EDIT_WINDOW > line; at--) {
        if (!ptx_body_parts(&edits->body, at)) continue;
        if (!ptx_body_statement(&edits->body, at, branch) || branch[0] != '@') return;
        const bool is_not = branch[1] == '!';
        struct remedy_edit *edit = sanitize_edit_add(edits);
        sanitize_edit_put(edit, REMEDY_INSTEAD, line, "%s", "");
        sanitize_edit_put(edit, REMEDY_BEHIND, access, "bar.warp.sync -1; @%s%.*s %.200s", is_not ? "" : "!",
                          (int)strcspn(branch + 1 + is_not, " \t"), branch + 1 + is_not, arrive);
        return;
    }
}

// What orders, in front of the access: behind it; behind the access: in front of it. Not past a label or a branch.
static void add_moves_of(struct sanitize_edits *edits, uint32_t line, int step, enum remedy_where where)
{
    char statement[PTX_STATEMENT_BYTES];
    int count = 0;
    for (int i = 1; line > 0 && i < SANITIZE_EDIT_WINDOW && count < MOST_MOVES; i++) {
        const uint32_t at = line + (uint32_t)(step * i);
        if (at < edits->body.first || at >= edits->body.last || ptx_body_parts(&edits->body, at)) return;
        if (!ptx_body_statement(&edits->body, at, statement) || !is_order(ptx_statement_word(statement))) continue;
        move(edits, at, where, line);
        count++;
    }
}

// The access goes behind the loop of the wait that follows it.
static void move_behind_wait(struct sanitize_edits *edits, uint32_t line)
{
    char statement[PTX_STATEMENT_BYTES];
    bool has_wait = false;
    for (uint32_t at = line + 1; line > 0 && at < edits->body.last && at < line + SANITIZE_EDIT_WINDOW; at++) {
        if (!ptx_body_statement(&edits->body, at, statement)) continue;
        const char *word = ptx_statement_word(statement);
        has_wait |= sanitize_edit_is_wait(word);
        if (!sanitize_edit_starts(word, "bra")) continue;
        if (has_wait) move(edits, line, REMEDY_BEHIND, at);
        return;
    }
}

void sanitize_edits_move(struct sanitize_edits *edits)
{
    add_moves_of(edits, edits->newer, 1, REMEDY_BEFORE);
    add_moves_of(edits, edits->older, -1, REMEDY_BEHIND);
    add_moves_of(edits, edits->older, 1, REMEDY_BEFORE);
    add_moves_of(edits, edits->newer, -1, REMEDY_BEHIND);
    move_behind_wait(edits, edits->newer);
    if (edits->older > 0) move_under_guard(edits, edits->older);
}
