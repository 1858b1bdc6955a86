// SPDX-License-Identifier: MIT
// Releases with their acquires, and barriers with what a proxy needs on their sides.
#include <string.h>

#include "sanitize_edit.h"

static bool is_strong(const char *word)
{
    return sanitize_edit_starts(word, "atom.") || sanitize_edit_starts(word, "red.") ||
           strstr(word, ".relaxed.") != NULL || strstr(word, ".release.") != NULL ||
           strstr(word, ".acquire.") != NULL || strstr(word, ".volatile.") != NULL;
}

// The next strong access behind the older one; where there is none in its straight run, the line behind that.
static uint32_t strong_behind(const struct sanitize_edits *edits, uint32_t line)
{
    char statement[PTX_STATEMENT_BYTES];
    for (uint32_t at = line + 1; at < edits->body.last && at < line + SANITIZE_EDIT_WINDOW; at++)
        if (ptx_body_statement(&edits->body, at, statement) && is_strong(ptx_statement_word(statement))) return at;
    return 0;
}

static void add_strong_access(struct sanitize_edits *edits, uint32_t line, uint32_t other)
{
    char statement[PTX_STATEMENT_BYTES], text[PTX_STATEMENT_BYTES];
    if (line == 0 || other == 0 || !ptx_body_statement(&edits->body, line, statement)) return;
    if (!ptx_body_statement(&edits->body, other, text) || !is_strong(ptx_statement_word(text))) return;
    if (sanitize_edit_starts(ptx_statement_word(statement), "ld.global."))
        sanitize_edit_replace(sanitize_edit_add(edits), line, "ld.", "ld.relaxed.gpu.");
    if (sanitize_edit_starts(ptx_statement_word(statement), "st.global."))
        sanitize_edit_replace(sanitize_edit_add(edits), line, "st.", "st.relaxed.gpu.");
}

// A fence in front of the strong access that releases, and one in front of the access that it is for.
void sanitize_edits_fence(struct sanitize_edits *edits)
{
    static const char fence[] = "fence.acq_rel.gpu;";
    const uint32_t release = edits->older > 0 ? strong_behind(edits, edits->older) : 0;
    add_strong_access(edits, edits->newer, edits->older);
    add_strong_access(edits, edits->older, edits->newer);
    if (release > 0) sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, release, "%s", fence);
    if (edits->newer > 0) sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, edits->newer, "%s", fence);
    if (edits->newer == 0 || edits->older == 0) return;
    for (int i = 0; i < 2; i++) {
        const char *const async = i == 0 ? "" : " fence.proxy.async;";
        struct remedy_edit *edit = sanitize_edit_add(edits);
        sanitize_edit_put(edit, release > 0 ? REMEDY_BEFORE : REMEDY_BEHIND, release > 0 ? release : edits->older, "%s",
                          fence);
        sanitize_edit_put(edit, REMEDY_BEFORE, edits->newer, "%s%s", fence, async);
    }
}

// A barrier of the CTA where all of its threads come by, with what a proxy needs on both sides.
static void add_barriers(struct sanitize_edits *edits, const char *release, const char *acquire)
{
    if (edits->newer == 0) return;
    const uint32_t branch = sanitize_edit_before_branch(edits, edits->newer);
    for (int i = 0; i < 4; i++) {
        const uint32_t at = i < 2 ? edits->newer : branch;
        if (i >= 2 && branch == edits->newer) return;
        struct remedy_edit *edit = sanitize_edit_add(edits);
        if (release[0] != '\0' && edits->older > 0) sanitize_edit_put(edit, REMEDY_BEHIND, edits->older, "%s", release);
        if (i % 2 == 0) sanitize_edit_put(edit, REMEDY_BEFORE, at, "bar.sync 0;");
        if (i % 2 != 0) sanitize_edit_put(edit, REMEDY_BEFORE, at, "barrier.cluster.arrive; barrier.cluster.wait;");
        if (acquire[0] != '\0') sanitize_edit_put(edit, REMEDY_BEFORE, edits->newer, "%s", acquire);
    }
}

// Without the number of threads, a barrier of the CTA is for all of them.
static bool drop_number(const struct sanitize_edits *edits, struct remedy_edit *edit, uint32_t line)
{
    char statement[PTX_STATEMENT_BYTES];
    if (line == 0 || !ptx_body_statement(&edits->body, line, statement) || strstr(statement, ".sync") == NULL)
        return false;
    const char *operands = ptx_statement_word(statement), *comma = strchr(operands, ',');
    if (!sanitize_edit_starts(operands, "bar") || comma == NULL) return false;
    sanitize_edit_put(edit, REMEDY_INSTEAD, line, "%.*s;", (int)(comma - statement), statement);
    return true;
}

// Where a barrier's number of threads stands; NULL: it has none.
static const char *number_of(const struct sanitize_edits *edits, uint32_t line, char statement[PTX_STATEMENT_BYTES])
{
    if (line == 0 || !ptx_body_statement(&edits->body, line, statement)) return NULL;
    const char *comma = strchr(statement, ',');
    return comma != NULL && sanitize_edit_starts(ptx_statement_word(statement), "bar") ? comma + 1 : NULL;
}

// The constant that the function gives this register, if it gives it but one; else the operand.
static void constant_of(const struct sanitize_edits *edits, const char *operand, char *constant, size_t bytes)
{
    char statement[PTX_STATEMENT_BYTES];
    const size_t length = strcspn(operand, ", \t;");
    snprintf(constant, bytes, "%.*s", (int)length, operand);
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement) || !sanitize_edit_starts(statement, "mov.")) continue;
        const char *to = statement + strcspn(statement, " \t"), *from = strchr(statement, ',');
        to += strspn(to, " \t");
        if (from == NULL || strncmp(to, operand, length) != 0 || to + length != from) continue;
        from += 1 + strspn(from + 1, " \t");
        if (from[0] >= '0' && from[0] <= '9') snprintf(constant, bytes, "%.*s", (int)strcspn(from, ";"), from);
        return;
    }
}

// The number of the other side.
static void add_number(struct sanitize_edits *edits, uint32_t line, uint32_t other)
{
    char statement[PTX_STATEMENT_BYTES], of_other[PTX_STATEMENT_BYTES], constant[REMEDY_FROM_BYTES];
    const char *own = number_of(edits, line, statement), *number = number_of(edits, other, of_other);
    if (own == NULL || number == NULL) return;
    constant_of(edits, number + strspn(number, " \t"), constant, sizeof constant);
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_INSTEAD, line, "%.*s %s;", (int)(own - statement), statement,
                      constant);
}

void sanitize_edits_number(struct sanitize_edits *edits)
{
    struct remedy_edit edit = {0};
    add_number(edits, edits->newer, edits->older);
    add_number(edits, edits->older, edits->newer);
    if (drop_number(edits, &edit, edits->newer)) *sanitize_edit_add(edits) = edit;
    if (edits->older == edits->newer) return;
    edit.count = 0;
    if (drop_number(edits, &edit, edits->older)) *sanitize_edit_add(edits) = edit;
    if (edit.count > 0 && drop_number(edits, &edit, edits->newer)) *sanitize_edit_add(edits) = edit;
}

// --- Barriers that all threads come by -------------------------------------------------------------------------------

enum { MOST_LABELS = 4, MOST_HALVES = 4 };

static void add_meeting(struct sanitize_edits *edits, enum remedy_where where, uint32_t line)
{
    sanitize_edit_put(sanitize_edit_add(edits), where, line, "bar.sync 0;");
    sanitize_edit_put(sanitize_edit_add(edits), where, line, "barrier.cluster.arrive; barrier.cluster.wait;");
}

// Where the threads of either side have met others already.
static void meet_at_note(struct sanitize_edits *edits, const struct order_note *note)
{
    const bool is_meeting = note->edge == ORDER_EDGE_CTA || note->edge == ORDER_EDGE_CLUSTER;
    if (is_meeting && note->line >= edits->body.first && note->line < edits->body.last)
        add_meeting(edits, REMEDY_BEHIND, note->line);
}

// Where the straight run of the older access ends.
static void meet_at_end(struct sanitize_edits *edits)
{
    uint32_t line = edits->older;
    if (line == 0) return;
    while (line < edits->body.last && !ptx_body_parts(&edits->body, line)) line++;
    if (line < edits->body.last) add_meeting(edits, REMEDY_BEFORE, line);
}

// Where the branches behind an access come together again.
static void meet_behind(struct sanitize_edits *edits, uint32_t line)
{
    char statement[PTX_STATEMENT_BYTES];
    int labels = 0;
    bool is_behind = 0;
    for (; line > 0 && line < edits->body.last && labels < MOST_LABELS; line++) {
        if (ptx_body_is_label(&edits->body, line)) is_behind = true;
        if (!is_behind || !ptx_body_statement(&edits->body, line, statement)) continue;
        add_meeting(edits, REMEDY_BEFORE, line);
        is_behind = false;
        labels++;
    }
}

// The other half of a barrier of the cluster, and the release that one lacks.
static void complete_clusters(struct sanitize_edits *edits)
{
    static const char relaxed[] = "barrier.cluster.arrive.relaxed";
    char statement[PTX_STATEMENT_BYTES];
    int count = 0;
    for (uint32_t line = edits->body.first; line < edits->body.last && count < MOST_HALVES; line++) {
        if (!ptx_body_statement(&edits->body, line, statement)) continue;
        const char *word = ptx_statement_word(statement);
        const bool arrives = sanitize_edit_starts(word, "barrier.cluster.arrive");
        if (!arrives && !sanitize_edit_starts(word, "barrier.cluster.wait")) continue;
        if (sanitize_edit_starts(word, relaxed))
            sanitize_edit_replace(sanitize_edit_add(edits), line, ".relaxed", ".release");
        sanitize_edit_put(sanitize_edit_add(edits), arrives ? REMEDY_BEHIND : REMEDY_BEFORE, line,
                          arrives ? "barrier.cluster.wait;" : "barrier.cluster.arrive;");
        count++;
    }
}

// Behind the older access, of all threads but a warp or a group of warps that only copies.
static void meet_without(struct sanitize_edits *edits)
{
    static const int without[] = {32, 128};
    for (size_t i = 0; edits->older > 0 && i < sizeof without / sizeof without[0]; i++)
        sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEHIND, edits->older,
                          "{ .reg .b32 %%n; mov.u32 %%n, %%ntid.x; sub.u32 %%n, %%n, %d; bar.sync 15, %%n; }",
                          without[i]);
}

void sanitize_edits_meet(struct sanitize_edits *edits)
{
    complete_clusters(edits);
    meet_at_note(edits, &edits->finding->older.note);
    meet_at_note(edits, &edits->finding->newer.note);
    meet_at_end(edits);
    meet_behind(edits, edits->older);
    meet_behind(edits, edits->newer);
    meet_without(edits);
    if (edits->older == 0) return;
    const uint32_t branch = sanitize_edit_before_branch(edits, edits->older);
    add_meeting(edits, REMEDY_BEFORE, branch);
}

void sanitize_edits_map(struct sanitize_edits *edits)
{
    static const char release[] = "fence.proxy.tensormap::generic.release.gpu;";
    char statement[PTX_STATEMENT_BYTES], address[PTX_STATEMENT_BYTES], acquire[REMEDY_TEXT_BYTES] = "";
    if (edits->newer == 0 || !ptx_body_statement(&edits->body, edits->newer, statement)) return;
    const int number = strstr(statement, ".global.shared::cta") != NULL ? 0 : 1;
    if (ptx_statement_address(statement, number, address, sizeof address)) {
        address[strcspn(address, ", \t")] = '\0';
        snprintf(acquire, sizeof acquire, "fence.proxy.tensormap::generic.acquire.gpu [%.100s], 128;", address);
    }
    if (edits->older > 0) sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEHIND, edits->older, "%s", release);
    if (acquire[0] == '\0') return;
    sanitize_edit_put(sanitize_edit_add(edits), REMEDY_BEFORE, edits->newer, "%s", acquire);
    if (edits->older == 0) return;
    struct remedy_edit *edit = sanitize_edit_add(edits);
    sanitize_edit_put(edit, REMEDY_BEHIND, edits->older, "%s", release);
    sanitize_edit_put(edit, REMEDY_BEFORE, edits->newer, "%s", acquire);
    add_barriers(edits, release, acquire);
}

void sanitize_edits_scope(struct sanitize_edits *edits)
{
    static const char *const narrow[] = {".cta", ".cluster"};
    for (int i = 0; i < 4 && edits->newer > 0 && edits->older > 0; i++) {
        struct remedy_edit *edit = sanitize_edit_add(edits);
        sanitize_edit_replace(edit, edits->newer, narrow[i / 2], ".gpu");
        sanitize_edit_replace(edit, edits->older, narrow[i % 2], ".gpu");
    }
}

void sanitize_edits_barrier(struct sanitize_edits *edits)
{
    add_barriers(edits, "", "");
}

void sanitize_edits_barrier_written(struct sanitize_edits *edits)
{
    add_barriers(edits, "fence.proxy.async;", "");
}

void sanitize_edits_barrier_global(struct sanitize_edits *edits)
{
    add_barriers(edits, "fence.proxy.async;", "fence.proxy.async;");
}
