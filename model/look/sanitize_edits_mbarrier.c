// SPDX-License-Identifier: MIT
// The end of a CTA, and the inits, counts and bytes of mbarriers.
#include <stdlib.h>
#include <string.h>

#include "sanitize_edit.h"

// --- The end of a CTA ------------------------------------------------------------------------------------------------

// Before each end of the kernel; none where there are more than an edit holds.
static void add_at_ends(struct sanitize_edits *edits, const char *text)
{
    char statement[PTX_STATEMENT_BYTES];
    struct remedy_edit *edit = sanitize_edit_add(edits);
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement)) continue;
        const char *word = ptx_statement_word(statement);
        if (strcmp(word, "ret;") != 0 && strcmp(word, "exit;") != 0) continue;
        sanitize_edit_put(edit, REMEDY_BEFORE, line, "%s", text);
    }
}

// The CTA of this rank waits, and then all meet.
static void add_end_wait(struct sanitize_edits *edits, int rank, const char *barrier)
{
    char text[REMEDY_TEXT_BYTES];
    snprintf(text, sizeof text,
             "{ .reg .pred %%p; .reg .b32 %%r; mov.u32 %%r, %%cluster_ctarank; setp.ne.u32 %%p, %%r, %d; @%%p bra O; "
             "mov.b32 %%r, %.60s; WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p, [%%r], 0; @!%%p bra WAIT; O: }",
             rank, barrier);
    add_at_ends(edits, text);
}

void sanitize_edits_end(struct sanitize_edits *edits)
{
    char barrier[SANITIZE_NAME_BYTES], text[REMEDY_TEXT_BYTES];
    add_at_ends(edits, "barrier.cluster.arrive; barrier.cluster.wait;");
    add_at_ends(edits, "cp.async.wait_all;");
    add_at_ends(edits, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
    if (edits->finding->barrier[0] == '\0') return;
    sanitize_edit_barrier(edits, barrier, sizeof barrier);
    for (int parity = 0; parity < 2; parity++) {
        sanitize_edit_wait_text(text, barrier, parity ? "1" : "0");
        add_at_ends(edits, text);
    }
    for (int rank = 0; rank < 2; rank++) add_end_wait(edits, rank, barrier);
}

// --- mbarriers -------------------------------------------------------------------------------------------------------

static void add_expect(struct sanitize_edits *edits, uint32_t line, const char *guard, const char *barrier,
                       const char *bytes)
{
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, line,
                      "%s mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%.60s], %.40s;", guard, barrier, bytes);
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, line,
                      "%s mbarrier.arrive.expect_tx.shared::cta.b64 _, [%.60s], %.40s;", guard, barrier, bytes);
}

// The announcement that another mbarrier got, to that of the copy.
static void turn_expects(struct sanitize_edits *edits, const char *barrier)
{
    char statement[PTX_STATEMENT_BYTES], other[PTX_STATEMENT_BYTES], from[PTX_STATEMENT_BYTES + 2];
    char to[PTX_STATEMENT_BYTES + 2];
    snprintf(to, sizeof to, "[%s]", barrier);
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement) || strstr(statement, "expect_tx") == NULL) continue;
        if (!ptx_statement_address(statement, 0, other, sizeof other) || strcmp(other, barrier) == 0) continue;
        snprintf(from, sizeof from, "[%s]", other);
        sanitize_edit_replace(sanitize_edit_add(edits), line, from, to);
    }
}

// The last arrive at the mbarrier of the copy in front of it; the copy itself if there is none near.
static uint32_t arrive_before(const struct sanitize_edits *edits, uint32_t line, const char *barrier)
{
    char statement[PTX_STATEMENT_BYTES], other[PTX_STATEMENT_BYTES];
    for (uint32_t at = line - 1; at > edits->body.first && at + SANITIZE_EDIT_WINDOW > line; at--)
        if (ptx_body_statement(&edits->body, at, statement) && strstr(statement, "mbarrier.arrive") != NULL &&
            ptx_statement_address(statement, 0, other, sizeof other) && strcmp(other, barrier) == 0)
            return at;
    return line;
}

// Of a copy whose bytes nobody announced: `size` is its operand, or a power of two.
void sanitize_edits_expect(struct sanitize_edits *edits)
{
    char copy[PTX_STATEMENT_BYTES], barrier[PTX_STATEMENT_BYTES], guard[PTX_STATEMENT_BYTES] = "", size[16];
    const uint32_t line = edits->newer > 0 ? edits->newer : edits->older;
    if (line == 0 || !ptx_body_statement(&edits->body, line, copy)) return;
    if (!ptx_statement_address(copy, 2, barrier, sizeof barrier)) return;
    if (copy[0] == '@') snprintf(guard, sizeof guard, "%.*s", (int)strcspn(copy, " \t"), copy);
    turn_expects(edits, barrier);
    const uint32_t at = arrive_before(edits, line, barrier);
    const char *operand = strchr(strchr(copy, ']') + 1, ']') + 1;
    operand += strspn(operand, ", \t");
    if (operand[0] != '[') {
        snprintf(size, sizeof size, "%.*s", (int)strcspn(operand, ", \t"), operand);
        add_expect(edits, at, guard, barrier, size);
        return;
    }
    snprintf(size, sizeof size, "%u", edits->finding->unexpected);
    add_expect(edits, at, guard, barrier, size);
    for (int bytes = 128; bytes <= 65536; bytes *= 2) {
        snprintf(size, sizeof size, "%d", bytes);
        add_expect(edits, at, guard, barrier, size);
    }
}

// Other counts of the inits.
void sanitize_edits_count(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES], text[PTX_STATEMENT_BYTES];
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement)) continue;
        const char *count = strrchr(statement, ',');
        if (!sanitize_edit_starts(ptx_statement_word(statement), "mbarrier.init") || count == NULL) continue;
        const long number = strtol(count + 1, NULL, 10);
        const long others[] = {number + 1, number - 1, 2 * number, 4 * number, 32 * number};
        for (size_t i = 0; number > 0 && i < sizeof others / sizeof others[0]; i++) {
            if (others[i] <= 0) continue;
            snprintf(text, sizeof text, "%.*s, %ld;", (int)(count - statement), statement, others[i]);
            sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line, "%s", text);
        }
    }
}

// One thread, and all wait for it: where the kernel begins, or before the access.
static void add_init(struct sanitize_edits *edits, const char *word, const char *count)
{
    char operand[SANITIZE_NAME_BYTES], statement[PTX_STATEMENT_BYTES], text[REMEDY_TEXT_BYTES];
    uint32_t line = edits->body.first;
    if (edits->newer == 0 || !sanitize_edit_operand(edits->finding->name, operand, sizeof operand)) return;
    while (line < edits->newer && !ptx_body_statement(&edits->body, line, statement)) line++;
    operand[60] = '\0';
    snprintf(text, sizeof text, "mov.u32 %%t, %s; @%%p %s.shared::cta.b64 [%%t]%s;", operand, word, count);
    for (int i = 0; i < 3; i++)
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE,
                          i == 0   ? line
                          : i == 1 ? edits->newer
                                   : sanitize_edit_before_branch(edits, edits->newer),
                          "{ .reg .pred %%p; .reg .b32 %%t, %%n; mov.u32 %%t, %%tid.x; mov.u32 %%n, %%ntid.x; "
                          "setp.eq.u32 %%p, %%t, 0; %s %s bar.sync 0; }",
                          i == 0 ? "" : "bar.sync 0;", text);
}

static void drop_invals(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES];
    for (uint32_t line = edits->body.first; line < edits->body.last; line++)
        if (ptx_body_statement(&edits->body, line, statement) &&
            sanitize_edit_starts(ptx_statement_word(statement), "mbarrier.inval"))
            sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line, "%s", "");
}

void sanitize_edits_part(struct sanitize_edits *edits)
{
    for (int i = 0; i < 2; i++) {
        struct remedy_edit *edit = sanitize_edit_add(edits);
        if (edits->newer > 0)
            sanitize_edit_replace(edit, edits->newer, i == 0 ? "bar.sync" : ".aligned", i == 0 ? "barrier.sync" : "");
        if (edits->older > 0 && edits->older != edits->newer)
            sanitize_edit_replace(edit, edits->older, i == 0 ? "bar.sync" : ".aligned", i == 0 ? "barrier.sync" : "");
    }
}

// One more beside each that is there, with its count.
static void repeat_inits(struct sanitize_edits *edits)
{
    char statement[PTX_STATEMENT_BYTES];
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement)) continue;
        const char *word = ptx_statement_word(statement), *count = strrchr(statement, ',');
        if (!sanitize_edit_starts(word, "mbarrier.init") || count == NULL) continue;
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEHIND, line,
                          "{ .reg .b32 %%at; mov.b32 %%at, 0x%x; %.*smbarrier.init.shared::cta.b64 [%%at]%.60s }",
                          (uint32_t)edits->finding->address, (int)(word - statement), statement, count);
    }
}

void sanitize_edits_init(struct sanitize_edits *edits)
{
    repeat_inits(edits);
    add_init(edits, "mbarrier.init", ", 1");
    add_init(edits, "mbarrier.init", ", %n"); // of all threads of the CTA, as that of cuda::barrier often is
    drop_invals(edits);
}

void sanitize_edits_inval(struct sanitize_edits *edits)
{
    add_init(edits, "mbarrier.inval", "");
}

// Without the second init; or with an inval in front of it, behind a wait for what came before.
void sanitize_edits_drop(struct sanitize_edits *edits)
{
    char init[PTX_STATEMENT_BYTES], barrier[PTX_STATEMENT_BYTES], wait[REMEDY_TEXT_BYTES];
    if (edits->newer == 0) return;
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, edits->newer, "%s", "");
    if (!ptx_body_statement(&edits->body, edits->newer, init)) return;
    if (!ptx_statement_address(init, 0, barrier, sizeof barrier)) return;
    const int guard = init[0] == '@' ? (int)strcspn(init, " \t") : 0;
    for (int i = 0; i < 3; i++) {
        sanitize_edit_wait_text(wait, barrier, i == 1 ? "0" : "1");
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, edits->newer,
                          "%s %.*s mbarrier.inval.shared::cta.b64 [%.60s];", i == 0 ? "" : wait, guard, init, barrier);
    }
}
