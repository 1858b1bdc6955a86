// SPDX-License-Identifier: MIT
#include "sanitize_found.h"

#include <string.h>

#include "apart.h"
#include "check_found.h"
#include "demangle.h"
#include "json_text.h"
#include "note.h"
#include "plain.h"
#include "sanitize_confirm.h"
#include "sanitize_lint.h"
#include "sanitize_verdict.h"
#include "suppress.h"
#include "told_before.h"
#include "where_text.h"

static const char *const edges[] = {
    [ORDER_EDGE_NONE] = "",
    [ORDER_EDGE_MBARRIER] = "mbarrier",
    [ORDER_EDGE_CTA] = "barrier of the CTA",
    [ORDER_EDGE_CLUSTER] = "barrier.cluster",
    [ORDER_EDGE_FENCE] = "a fence",
    [ORDER_EDGE_PROXY] = "fence.proxy.async",
    [ORDER_EDGE_GROUP] = "a group",
    [ORDER_EDGE_MEMORY] = "a strong access",
};

// --- What is kept ----------------------------------------------------------------------------------------------------

bool sanitize_found_again(struct sanitize_found *found, const struct sanitize_finding *finding)
{
    for (uint32_t i = 0; i < found->count; i++) {
        struct sanitize_finding *one = &found->item[i];
        if (one->kind != finding->kind || one->older.line != finding->older.line ||
            one->newer.line != finding->newer.line)
            continue;
        one->seen++;
        return true;
    }
    return false;
}

void sanitize_found_add(struct sanitize_found *found, const struct sanitize_finding *finding)
{
    if (sanitize_found_again(found, finding)) return;
    if (found->count == SANITIZE_KEPT) {
        found->lost++;
        return;
    }
    found->item[found->count] = *finding;
    found->item[found->count++].seen = 1;
}

// --- What is told ----------------------------------------------------------------------------------------------------

// A finding, and where its lines are: of each side, and of the notes of each.
struct told {
    const struct sanitize_finding *finding;
    struct machine_where newer, older, acquired, released;
    struct sanitize_remedy remedy;
    struct machine_where edited[REMEDY_PIECES]; // of the remedy
    const char *confirmed; // the schedule under which it shows, and with the remedy does not; NULL: none
};

static bool has_older(const struct sanitize_finding *finding)
{
    return sanitize_text(finding->kind)->older != NULL && finding->older.line != 0;
}

static bool is_of_barrier(const struct sanitize_finding *finding)
{
    return finding->kind == SANITIZE_MEETING || finding->kind == SANITIZE_DIVERGENT || finding->kind == SANITIZE_COUNT;
}

static bool is_of_register(const struct sanitize_finding *finding)
{
    return finding->bytes == 0;
}

// The one side of an exit is the older.
static const struct sanitize_side *main_side(const struct sanitize_finding *finding)
{
    return finding->kind == SANITIZE_EXIT ? &finding->older : &finding->newer;
}

// "copy.h:5, inlined at tile.cu:14", or "PTX line 25".
static void print_place(const struct machine_where *where)
{
    const struct machine_caller inner = {where->source_file, where->source_line};
    char text[256];
    if (where->source_line == 0) {
        fprintf(stderr, "PTX line %u", where->ptx_line);
        return;
    }
    plain_printf(stderr, "%s", where_place(&inner, false, text, sizeof text));
    if (where->callers > 0)
        plain_printf(stderr, ", inlined at %s",
                     where_place(&where->caller[where->callers - 1], false, text, sizeof text));
}

// The launch that made an access: `depth` launches in front of this one.
static const struct sanitize_front *front_of(const struct sanitize_found *found, const struct sanitize_side *side)
{
    const struct sanitize_front *front = found->front;
    for (int i = 1; i < side->is_before && front != NULL; i++) front = front->next;
    return side->is_before ? front : NULL;
}

static const uint32_t *grid_of(const struct sanitize_found *found, const struct sanitize_side *side)
{
    const struct sanitize_front *front = front_of(found, side);
    return front != NULL ? front->grid : found->grid;
}

static const uint32_t *block_of(const struct sanitize_found *found, const struct sanitize_side *side)
{
    const struct sanitize_front *front = front_of(found, side);
    return front != NULL ? front->block : found->block;
}

static void print_thread(const struct sanitize_found *found, const struct sanitize_side *side)
{
    const uint32_t thread = side->warp * 32 + side->lane, *block = block_of(found, side), *grid = grid_of(found, side);
    if (side->cta == ORDER_ANY_CTA) return;
    fprintf(stderr, ", CTA (%llu,%llu,%llu)", (unsigned long long)(side->cta % grid[0]),
            (unsigned long long)(side->cta / grid[0] % grid[1]), (unsigned long long)(side->cta / grid[0] / grid[1]));
    if (side->is_product)
        fprintf(stderr, ", warps %u to %u, async proxy", side->warp, side->warp + 3);
    else
        fprintf(stderr, ", thread (%u,%u,%u), %s proxy", thread % block[0], thread / block[0] % block[1],
                thread / block[0] / block[1], side->flags & SHADOW_ASYNC ? "async" : "generic");
}

static void print_side(const struct sanitize_found *found, const char *role, const struct sanitize_side *side,
                       const struct machine_where *where)
{
    const struct sanitize_front *front = front_of(found, side);
    fprintf(stderr, "    %s: ", role);
    print_place(where);
    if (front != NULL) plain_printf(stderr, ", kernel %s in front of it", front->kernel);
    print_thread(found, side);
}

static void print_note(const char *before, const char *never, const struct sanitize_side *side,
                       const struct machine_where *where)
{
    fprintf(stderr, "%s", side->note.edge == ORDER_EDGE_NONE ? never : before);
    if (side->note.edge == ORDER_EDGE_NONE) return;
    print_place(where);
    fprintf(stderr, " (%s", edges[side->note.edge]);
    if (side->note.edge == ORDER_EDGE_MBARRIER) plain_printf(stderr, " %s", side->note_name);
    if (side->note.edge == ORDER_EDGE_CTA) fprintf(stderr, " %u", side->note.number);
    fprintf(stderr, ")");
}

static void print_why(const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum sanitize_kind kind = finding->kind;
    fprintf(stderr, "    missing: %s", sanitize_missing(finding));
    if (finding->barrier[0] != '\0') plain_printf(stderr, "; the copy completes on mbarrier %s", finding->barrier);
    fputc('\n', stderr);
    if (!has_older(finding) || (is_of_register(finding) && kind != SANITIZE_MEETING) || sanitize_is_of_lanes(finding) ||
        kind == SANITIZE_LAYOUT || kind == SANITIZE_LINEAR)
        return;
    if (!finding->older.is_product && !finding->older.is_before) {
        fprintf(stderr, "    %s: ", sanitize_text(kind)->older);
        print_note("its thread next released at ", "its thread has released nothing since", &finding->older,
                   &told->released);
        fputc('\n', stderr);
    }
    if (finding->newer.is_product) return;
    fprintf(stderr, "    %s: ", sanitize_text(kind)->newer);
    print_note("its thread last acquired at ", "its thread had acquired nothing", &finding->newer, &told->acquired);
    fputc('\n', stderr);
}

static void print_bytes(const struct sanitize_finding *finding)
{
    plain_printf(stderr, ", %u bytes at %s", finding->bytes, finding->name);
    if (finding->space == SPACE_SHARED) fprintf(stderr, " of CTA %llu", (unsigned long long)finding->cta);
    fputc('\n', stderr);
}

static const char *const wheres[] = {"before", "behind", "in", "in place of"};

static void print_piece(const struct remedy_piece *piece, const struct machine_where *where)
{
    if (piece->where == REMEDY_REPLACE)
        fprintf(stderr, "'%s' for '%s' in", piece->text, piece->from);
    else if (piece->where == REMEDY_INSTEAD && piece->text[0] == '\0')
        fprintf(stderr, "without");
    else
        fprintf(stderr, "%s %s", piece->text, wheres[piece->where]);
    fprintf(stderr, " PTX line %u (", piece->line);
    print_place(where);
    fprintf(stderr, ")");
    if (piece->copies == 0) return;
    fprintf(stderr, " and %s (line%s", piece->copies == 1 ? "its copy" : "its copies", piece->copies == 1 ? "" : "s");
    for (uint32_t i = 0; i < piece->copies; i++) fprintf(stderr, "%s %u", i > 0 ? "," : "", piece->copy[i]);
    fprintf(stderr, ")");
}

static void print_edit(const struct told *told)
{
    const struct remedy_edit *edit = &told->remedy.edit;
    for (uint32_t i = 0; i < edit->count; i++) {
        if (i > 0) fprintf(stderr, ", and ");
        print_piece(&edit->piece[i], &told->edited[i]);
    }
}

static void print_remedy(const struct told *told)
{
    fprintf(stderr, "    remedy: ");
    if (told->remedy.mended == SANITIZE_NOT_TRIED)
        fprintf(stderr, "none was tried: there is no edit for it");
    else if (told->remedy.mended == SANITIZE_MENDS_NOT)
        fprintf(stderr, "%u edits were tried, and none mends this", told->remedy.tried);
    else
        print_edit(told);
    if (told->remedy.mended == SANITIZE_MENDS_ALL) fprintf(stderr, ": tried, and with it the run is clean");
    if (told->remedy.mended == SANITIZE_MENDS_IT)
        fprintf(stderr, ": tried, and with it this finding is gone; the run has %u other%s", told->remedy.errors,
                told->remedy.errors == 1 ? "" : "s");
    fputc('\n', stderr);
    if (told->confirmed != NULL)
        fprintf(stderr, "    confirmed: under %s the launch ends otherwise; with the remedy it does not\n",
                told->confirmed);
}

static void print_text(const struct sanitize_found *found, const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum sanitize_kind kind = finding->kind;
    const struct machine_where *main = finding->kind == SANITIZE_EXIT ? &told->older : &told->newer;
    const struct machine_caller own = machine_where_lead(main);
    char kernel[DEMANGLED_BYTES];
    demangle_function(found->kernel, strlen(found->kernel), kernel, sizeof kernel);
    if (own.line != 0)
        plain_printf(stderr, "%.*s:%u: ", (int)own.file.length, own.file.at, own.line);
    else
        plain_printf(stderr, "tmaref: ");
    plain_printf(stderr, "%s: sanitize: kernel %s: %s: %s\n", sanitize_is_advice(kind) ? "note" : "error", kernel,
                 sanitize_text(kind)->sentence, finding->name);
    print_side(found, sanitize_text(kind)->newer, main_side(finding), main);
    if (is_of_register(finding))
        fprintf(stderr, ", %s\n", finding->name);
    else
        print_bytes(finding);
    if (has_older(finding)) {
        print_side(found, sanitize_text(kind)->older, &finding->older, &told->older);
        fputc('\n', stderr);
    }
    print_why(told);
    fprintf(stderr, "    %s\n", sanitize_advice(finding));
    if (found->trier != NULL && !sanitize_is_advice(kind)) print_remedy(told);
}

// --- For machines ----------------------------------------------------------------------------------------------------

static void print_json_side(FILE *out, const struct sanitize_found *found, const char *before, const char *role,
                            const struct sanitize_side *side, const struct machine_where *where)
{
    const uint32_t thread = side->warp * 32 + side->lane, *block = block_of(found, side), *grid = grid_of(found, side);
    look_print_json_place(out, role, where, before);
    if (side->cta == ORDER_ANY_CTA) return;
    fprintf(out, ", \"%scta\": [%llu, %llu, %llu], \"%sthread\": [%u, %u, %u], \"%sproxy\": \"%s\"", before,
            (unsigned long long)(side->cta % grid[0]), (unsigned long long)(side->cta / grid[0] % grid[1]),
            (unsigned long long)(side->cta / grid[0] / grid[1]), before, thread % block[0],
            thread / block[0] % block[1], thread / block[0] / block[1], before,
            side->flags & SHADOW_ASYNC ? "async" : "generic");
}

static void print_json_copies(FILE *out, const struct remedy_piece *piece)
{
    if (piece->copies == 0) return;
    fprintf(out, ", \"copies\": [");
    for (uint32_t i = 0; i < piece->copies; i++) fprintf(out, "%s%u", i > 0 ? ", " : "", piece->copy[i]);
    fprintf(out, "]");
}

static void print_json_remedy(FILE *out, const struct told *told)
{
    const struct sanitize_remedy *remedy = &told->remedy;
    static const char *const mended[] = {"not tried", "clean", "gone", "none"};
    fprintf(out, ", \"remedy\": \"%s\"", mended[remedy->mended]);
    if (remedy->mended != SANITIZE_MENDS_ALL && remedy->mended != SANITIZE_MENDS_IT) return;
    fprintf(out, ", \"remedy_edits\": [");
    for (uint32_t i = 0; i < remedy->edit.count; i++) {
        const struct remedy_piece *piece = &remedy->edit.piece[i];
        fprintf(out, "%s{\"where\": \"%s\", \"ptx_line\": %u", i > 0 ? ", " : "", wheres[piece->where], piece->line);
        look_print_key(out, "text", piece->text, strlen(piece->text));
        if (piece->where == REMEDY_REPLACE) look_print_key(out, "replaces", piece->from, strlen(piece->from));
        print_json_copies(out, piece);
        fprintf(out, "}");
    }
    fprintf(out, "]");
    if (told->confirmed != NULL) look_print_key(out, "confirmed", told->confirmed, strlen(told->confirmed));
}

static void print_json(FILE *out, const struct sanitize_found *found, const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum sanitize_kind kind = finding->kind;
    char signature[DEMANGLED_BYTES];
    const size_t length = demangle_function(found->kernel, strlen(found->kernel), signature, sizeof signature);
    fprintf(out, "{\"sanitize\": \"%s\"", sanitize_text(kind)->id);
    look_print_key(out, "kernel", found->kernel, strlen(found->kernel));
    look_print_key(out, "signature", signature, length);
    look_print_key(out, "message", sanitize_text(kind)->sentence, strlen(sanitize_text(kind)->sentence));
    print_json_side(out, found, "", sanitize_text(kind)->newer, main_side(finding),
                    finding->kind == SANITIZE_EXIT ? &told->older : &told->newer);
    if (has_older(finding))
        print_json_side(out, found, "other_", sanitize_text(kind)->older, &finding->older, &told->older);
    const struct sanitize_front *front = front_of(found, &finding->older);
    if (front != NULL) look_print_key(out, "other_kernel", front->kernel, strlen(front->kernel));
    look_print_key(out, "name", finding->name, strlen(finding->name));
    look_print_key(out, "mbarrier", finding->barrier, strlen(finding->barrier));
    fprintf(out, ", \"address\": \"0x%llx\", \"bytes\": %u, \"space\": \"%s\", \"times\": %llu",
            (unsigned long long)finding->address, finding->bytes,
            is_of_barrier(finding)    ? "barrier"
            : is_of_register(finding) ? "register"
                                      : access_space_name(finding->space),
            (unsigned long long)finding->seen);
    if (finding->space == SPACE_SHARED && !is_of_register(finding))
        fprintf(out, ", \"memory_cta\": %llu", (unsigned long long)finding->cta);
    look_print_key(out, "missing", sanitize_missing(finding), strlen(sanitize_missing(finding)));
    look_print_key(out, "advice", sanitize_advice(finding), strlen(sanitize_advice(finding)));
    fprintf(out, ", \"level\": \"%s\"", sanitize_is_advice(kind) ? "note" : "error");
    if (found->trier != NULL && !sanitize_is_advice(kind)) print_json_remedy(out, told);
    fprintf(out, "}");
}

// An exchange by volatile accesses, or in step, is told once: it has a pair of lines for each of its steps.
static bool is_alike(const struct told *one, const struct told *other)
{
    const enum sanitize_kind kind = one->finding->kind;
    const bool are_of_lanes = sanitize_is_of_lanes(one->finding) && sanitize_is_of_lanes(other->finding);
    if (kind != other->finding->kind) return false;
    if (are_of_lanes && (kind == SANITIZE_VOLATILE || kind == SANITIZE_IN_STEP)) return true;
    return look_is_same_place(&one->newer, &other->newer) && look_is_same_place(&one->older, &other->older);
}

static bool is_told(const struct told *told, uint32_t count, const struct told *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_alike(&told[i], one)) return true;
    return false;
}

bool sanitize_found_follows(const struct sanitize_found *found, const struct sanitize_finding *finding)
{
    if (finding->barrier[0] == '\0' || finding->kind == SANITIZE_UNEXPECTED) return false;
    for (uint32_t i = 0; i < found->count; i++)
        if (found->item[i].kind == SANITIZE_UNEXPECTED && strcmp(found->item[i].barrier, finding->barrier) == 0)
            return true;
    return false;
}

// There is no room: an error is told in place of the latest advice.
static uint32_t instead_of(const struct told *told, const struct sanitize_finding *finding)
{
    uint32_t at = sanitize_is_advice(finding->kind) ? 0 : SANITIZE_TOLD;
    while (at > 0 && !sanitize_is_advice(told[at - 1].finding->kind)) at--;
    return at > 0 ? at - 1 : SANITIZE_TOLD;
}

// How many findings there are that are no advice, each at its lines; `gather` them into told[].
static uint32_t gather(const struct sanitize_found *found, const struct look_tally *tally,
                       const struct machine_module *module, struct told *told, struct sanitize_untold *left)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct sanitize_finding *finding = &found->item[i];
        const struct sanitize_front *front = front_of(found, &finding->older);
        const struct told one = {.finding = finding,
                                 .newer = look_where_of(tally, module, finding->newer.line),
                                 .older = look_where_of(front != NULL ? &front->tally : tally,
                                                        front != NULL ? front->module : module, finding->older.line),
                                 .acquired = look_where_of(tally, module, finding->newer.note.line),
                                 .released = look_where_of(tally, module, finding->older.note.line)};
        const struct machine_where *const place[2] = {&one.newer, &one.older};
        if (sanitize_found_follows(found, finding) || is_told(told, count, &one)) continue;
        if (suppressions_have(found->suppressions, sanitize_text(finding->kind)->id, found->kernel, place)) {
            left->suppressed++;
            continue;
        }
        left->out += count == SANITIZE_TOLD;
        const uint32_t at = count < SANITIZE_TOLD ? count++ : instead_of(told, finding);
        if (at < SANITIZE_TOLD) told[at] = one;
    }
    return count;
}

// Is the finding that was to go still there?
static bool is_aim(const struct remedy_aim *aim, const struct sanitize_finding *finding)
{
    return (uint32_t)finding->kind == aim->kind && finding->newer.line == aim->newer &&
           (finding->older.line == aim->older || !aim->is_older_here);
}

static void give_result(const struct sanitize_found *found, uint32_t errors, uint32_t advice, const char *incomplete)
{
    found->result->advice = advice;
    found->result->is_over = incomplete == NULL;
    found->result->errors = errors;
    for (uint32_t i = 0; i < found->count; i++) found->result->is_there |= is_aim(found->aim, &found->item[i]);
}

// What the launch was of, and how many findings it has.
struct tried {
    const struct look_tally *tally;
    const struct machine_module *module;
    uint32_t errors;
};

static void find_remedy(const struct sanitize_found *found, struct told *told, const struct sanitize_confirm *confirm,
                        const struct tried *tried, bool at_copies)
{
    sanitize_remedy_find(found->trier, told->finding, machine_module_text(tried->module), tried->errors, at_copies,
                         &told->remedy);
    for (uint32_t i = 0; i < told->remedy.edit.count; i++)
        told->edited[i] = look_where_of(tried->tally, tried->module, told->remedy.edit.piece[i].line);
    if (told->remedy.mended == SANITIZE_MENDS_ALL && sanitize_confirm_edit(found->trier, confirm, &told->remedy.edit))
        told->confirmed = confirm->schedule;
}

// What leaves the run clean mends every finding: nothing else is tried then. The smallest edits come first: none is
// made at copies of its line before each has been tried alone.
static void find_remedies(const struct sanitize_found *found, struct told *told, uint32_t count,
                          const struct sanitize_confirm *confirm, const struct tried *tried)
{
    const struct told *clean = NULL;
    for (uint32_t i = 0; i < 2 * count && clean == NULL; i++) {
        struct told *one = &told[i % count];
        if (sanitize_is_advice(one->finding->kind)) continue;
        find_remedy(found, one, confirm, tried, i >= count);
        if (one->remedy.mended == SANITIZE_MENDS_ALL) clean = one;
    }
    for (uint32_t i = 0; i < count && clean != NULL; i++) {
        if (sanitize_is_advice(told[i].finding->kind)) continue;
        told[i].remedy = clean->remedy;
        memcpy(told[i].edited, clean->edited, sizeof told[i].edited);
        told[i].confirmed = clean->confirmed;
    }
}

// Leaves those that no launch in front has told.
static uint32_t keep_fresh(const struct sanitize_found *found, struct told *told, uint32_t count)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct machine_where *const place[2] = {&told[i].newer, &told[i].older};
        if (!told_before_add(found->before, sanitize_text(told[i].finding->kind)->id, found->kernel, place))
            told[fresh++] = told[i];
    }
    return fresh;
}

void sanitize_found_tell(const struct sanitize_found *found, const struct look_tally *tally,
                         const struct machine_module *module, const char *incomplete)
{
    struct told told[SANITIZE_TOLD];
    uint32_t advice = 0;
    struct sanitize_untold left = {.out = found->lost};
    const uint32_t count = gather(found, tally, module, told, &left);
    for (uint32_t i = 0; i < count; i++) advice += sanitize_is_advice(told[i].finding->kind) != 0;
    if (found->result != NULL) {
        give_result(found, count - advice, advice, incomplete);
        return;
    }
    fflush(stdout);
    struct json_line line;
    struct sanitize_confirm confirm = {.schedule = ""};
    const uint32_t fresh = keep_fresh(found, told, count);
    left.again = count - fresh;
    if (found->trier != NULL && count > advice && fresh > 0) {
        confirm = sanitize_confirm_launch(found->trier);
        find_remedies(found, told, fresh, &confirm, &(struct tried){tally, module, count - advice});
    }
    for (uint32_t i = 0; i < fresh; i++) {
        if (json_line_begin(&line, &found->lines)) {
            print_json(line.out, found, &told[i]);
            json_line_tell(&line, &found->lines);
        }
        if (!found->lines.is_json) print_text(found, &told[i]);
    }
    if (left.out > 0 && fresh > 0 && !found->lines.is_json)
        fprintf(stderr, "tmaref: sanitize: %u more findings are left out, at other lines. Mend these first\n",
                left.out);
    if (count > advice) note_add(found->notes, NOTE_ERROR);
    sanitize_verdict_tell(found, count - advice + found->works, &left, incomplete);
    if (confirm.is_tried && !found->lines.is_json) sanitize_verdict_confirm(found, &confirm);
    if (found->lint != NULL)
        sanitize_lint_launch(found->lint, found, tally, module,
                             &(struct sanitize_lint_seen){count == advice && incomplete == NULL, advice});
}
