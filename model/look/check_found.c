// SPDX-License-Identifier: MIT
#include "check_found.h"

#include <string.h>

#include "demangle.h"
#include "json_text.h"
#include "module.h"
#include "note.h"
#include "plain.h"
#include "report.h"
#include "told_before.h"

enum check_kind {
    CHECK_FENCE,
    CHECK_READ_EARLY,
    CHECK_REFILLED,
    CHECK_OPERATION_EARLY,
    CHECK_WRITTEN_UNDER,
    CHECK_SOURCE_WRITTEN,
    CHECK_SOURCE_COPIED,
    CHECK_NOT_INITIALISED,
    CHECK_INIT_UNORDERED,
    CHECK_INVALIDATED,
    CHECK_INITIALISED_AGAIN,
    CHECK_UNEXPECTED,
    CHECK_MEETING,
    CHECK_NONE,
};

// `first` is done at the first place of a finding, `second` at the second.
static const struct {
    const char *id, *sentence, *first, *second, *advice;
} kinds[] = {
    [CHECK_FENCE] =
        {"CHECK_FENCE",
         "fence.proxy.async is missing between plain writes to shared memory and the operation that reads them",
         "the operation", "the write",
         "Each thread that wrote must execute fence.proxy.async.shared::cta before the barrier in front of the "
         "operation. A GPU may read old bytes."},
    [CHECK_READ_EARLY] = {"CHECK_READ_EARLY", "a thread read shared memory that a copy in flight may still write",
                          "the read", "the copy",
                          "Wait for the mbarrier of the copy, with the parity of its phase, before the read."},
    [CHECK_REFILLED] = {"CHECK_REFILLED", "a copy was issued into shared memory that a thread may still read",
                        "the copy", "the read",
                        "Read before the arrive that lets the thread of the copy go on, and let that thread wait for "
                        "it before it issues the copy."},
    [CHECK_OPERATION_EARLY] = {"CHECK_OPERATION_EARLY",
                               "an operation read shared memory that a copy in flight may still write", "the operation",
                               "the copy", "Wait for the mbarrier of the copy before the operation is issued."},
    [CHECK_WRITTEN_UNDER] = {"CHECK_WRITTEN_UNDER",
                             "a thread wrote shared memory that a copy in flight may still write", "the write",
                             "the copy", "Wait for the mbarrier of the copy before the write."},
    [CHECK_SOURCE_WRITTEN] =
        {"CHECK_SOURCE_WRITTEN", "a thread wrote shared memory that an operation in flight may still read", "the write",
         "the operation",
         "If the operation is to read what is written, put a barrier before it. If not, commit it, "
         "and wait for it (cp.async.bulk.wait_group.read) in its thread and then at a barrier, "
         "before the write."},
    [CHECK_SOURCE_COPIED] =
        {"CHECK_SOURCE_COPIED", "a copy wrote shared memory that an operation in flight may still read", "the copy",
         "the operation",
         "Wait for the operation (cp.async.bulk.wait_group.read, wgmma.wait_group) before the copy is "
         "issued."},
    [CHECK_NOT_INITIALISED] = {"CHECK_NOT_INITIALISED", "an mbarrier was used that no mbarrier.init had created",
                               "the use", NULL,
                               "Initialise it in one thread; all others use it behind a barrier of all threads, and "
                               "other CTAs behind barrier.cluster."},
    [CHECK_INIT_UNORDERED] = {"CHECK_NOT_INITIALISED",
                              "an mbarrier was used that no mbarrier.init had created for certain: nothing orders the "
                              "two",
                              "the use", "the init",
                              "Put a barrier of all threads behind the init; where another CTA uses it, "
                              "fence.mbarrier_init and barrier.cluster."},
    [CHECK_INVALIDATED] =
        {"CHECK_NOT_INITIALISED",
         "an mbarrier was used that no mbarrier.init had created for certain: its inval may come first", "the use",
         "the inval", "Put a barrier of all threads between the last use and mbarrier.inval."},
    [CHECK_INITIALISED_AGAIN] =
        {"CHECK_INITIALISED_AGAIN", "an mbarrier was initialised again without mbarrier.inval", "the init",
         "the init before it",
         "Initialise it once, in one thread. Each init starts at parity 0 and discards what has "
         "arrived."},
    [CHECK_UNEXPECTED] =
        {"CHECK_UNEXPECTED", "a copy brought bytes to an mbarrier which nobody had expected at the end of the kernel",
         "the copy", NULL,
         "Arrive with expect_tx of the bytes of the copy; else the phase completes before they arrive."},
    [CHECK_MEETING] = {"CHECK_MEETING", "threads gave one barrier of the CTA different numbers of threads",
                       "the arrival", "the arrival before it",
                       "All threads that meet at a barrier give the same number: bar.sync 1, 96 in each of them."},
};

// --- What is told of what the sanitizer found -------------------------------------------------------------------------

// A kernel may poll for bytes with a strong read.
static bool polls(const struct sanitize_side *side)
{
    return (side->flags & SHADOW_STRONG) && !(side->flags & SHADOW_WRITES);
}

static enum check_kind overwritten_by(const struct sanitize_side *side)
{
    return side->is_operation ? CHECK_SOURCE_COPIED : CHECK_SOURCE_WRITTEN;
}

static enum check_kind kind_of(const struct sanitize_finding *finding)
{
    switch (finding->kind) {
    case SANITIZE_FENCE:
        return CHECK_FENCE;
    case SANITIZE_READ_BEFORE_COPY:
        return polls(&finding->newer) ? CHECK_NONE : CHECK_READ_EARLY;
    case SANITIZE_REFILL:
        if (finding->older.flags & SHADOW_WRITES) return CHECK_WRITTEN_UNDER;
        return polls(&finding->older) ? CHECK_NONE : CHECK_REFILLED;
    case SANITIZE_OPERATION_BEFORE_COPY:
        return CHECK_OPERATION_EARLY;
    case SANITIZE_WRITE_BEFORE_COPY:
        return CHECK_WRITTEN_UNDER;
    case SANITIZE_OPERATION_BEFORE_WRITE:
        return CHECK_SOURCE_WRITTEN;
    case SANITIZE_SOURCE_OVERWRITTEN:
    case SANITIZE_PRODUCT_OVERWRITTEN:
        return overwritten_by(&finding->newer);
    case SANITIZE_UNINITIALISED:
        return CHECK_NOT_INITIALISED;
    case SANITIZE_UNORDERED_INIT:
        return CHECK_INIT_UNORDERED;
    case SANITIZE_INVAL:
        return CHECK_INVALIDATED;
    case SANITIZE_AGAIN:
        return CHECK_INITIALISED_AGAIN;
    case SANITIZE_UNEXPECTED:
        return CHECK_UNEXPECTED;
    case SANITIZE_COUNT:
        return CHECK_MEETING;
    default:
        return CHECK_NONE;
    }
}

bool check_tells(const struct sanitize_finding *finding)
{
    return kind_of(finding) != CHECK_NONE;
}

// The sides of two are told the other way round: what should come behind comes first.
static bool is_turned(const struct sanitize_finding *finding)
{
    return finding->kind == SANITIZE_OPERATION_BEFORE_WRITE || finding->kind == SANITIZE_INVAL ||
           (finding->kind == SANITIZE_REFILL && (finding->older.flags & SHADOW_WRITES));
}

// --- Where it is -----------------------------------------------------------------------------------------------------

// Where a line of the PTX comes from, in any function of the launch.
struct machine_where look_where_of(const struct look_tally *tally, const struct machine_module *module, uint32_t line)
{
    struct machine_where where = {.ptx_line = line};
    for (uint32_t f = 0; f < tally->count; f++) {
        const struct ptx_function *source = tally->item[f].function->source;
        for (uint32_t i = 0; i < source->instructions; i++)
            if (source->instruction[i].line == line)
                machine_where_source(&where, module, source, &source->instruction[i]);
    }
    return where;
}

// "copy.h:5, inlined at tile.cu:14", or "PTX line 25".
static void print_place(const struct machine_where *where)
{
    if (where->source_line == 0) {
        fprintf(stderr, "PTX line %u", where->ptx_line);
        return;
    }
    plain_printf(stderr, "%.*s:%u", (int)where->source_file.length, where->source_file.at, where->source_line);
    if (where->callers == 0) return;
    const struct machine_caller *last = &where->caller[where->callers - 1];
    plain_printf(stderr, ", %s %.*s:%u", machine_where_joined(where), (int)last->file.length, last->file.at,
                 last->line);
}

static bool is_same_line(const struct machine_caller *one, const struct machine_caller *other)
{
    return one->line == other->line && one->file.length == other->file.length &&
           (one->file.length == 0 || memcmp(one->file.at, other->file.at, one->file.length) == 0);
}

// Do they come from the same lines of the source, as far as a report shows them? Without lines each line of the PTX is
// one.
bool look_is_same_place(const struct machine_where *one, const struct machine_where *other)
{
    const struct machine_caller a = {one->source_file, one->source_line}, b = {other->source_file, other->source_line};
    const struct machine_caller lead = machine_where_lead(one), its_lead = machine_where_lead(other);
    if (one->source_line == 0 && one->ptx_line != other->ptx_line) return false;
    if (!is_same_line(&a, &b) || !is_same_line(&lead, &its_lead)) return false;
    if (one->callers == 0 || other->callers == 0) return one->callers == other->callers;
    return is_same_line(&one->caller[one->callers - 1], &other->caller[other->callers - 1]);
}

// --- What is told ----------------------------------------------------------------------------------------------------

// A finding with its places: of the first, and of the second.
struct told {
    const struct sanitize_finding *finding;
    enum check_kind kind;
    struct machine_where where[2];
};

static struct told told_of(const struct sanitize_finding *finding, const struct look_tally *tally,
                           const struct machine_module *module)
{
    const bool turned = is_turned(finding);
    const uint32_t first = turned ? finding->older.line : finding->newer.line;
    const uint32_t second = turned ? finding->newer.line : finding->older.line;
    return (struct told){
        finding, kind_of(finding), {look_where_of(tally, module, first), look_where_of(tally, module, second)}};
}

static void print_text(const struct sanitize_found *found, const struct told *told)
{
    const enum check_kind kind = told->kind;
    const struct machine_caller own = machine_where_lead(&told->where[0]);
    char kernel[DEMANGLED_BYTES];
    demangle_function(found->kernel, strlen(found->kernel), kernel, sizeof kernel);
    if (own.line != 0)
        plain_printf(stderr, "%.*s:%u: ", (int)own.file.length, own.file.at, own.line);
    else
        plain_printf(stderr, "tmaref: ");
    plain_printf(stderr, "error: check: kernel %s: %s\n    %s: ", kernel, kinds[kind].sentence, kinds[kind].first);
    print_place(&told->where[0]);
    fprintf(stderr, ", CTA %llu, %s%llx\n", (unsigned long long)told->finding->cta,
            kind == CHECK_MEETING ? "barrier 0x" : "shared address 0x", (unsigned long long)told->finding->address);
    if (kinds[kind].second != NULL) {
        fprintf(stderr, "    %s: ", kinds[kind].second);
        print_place(&told->where[1]);
        fputc('\n', stderr);
    }
    fprintf(stderr, "    %s\n", kinds[kind].advice);
}

void look_print_key(FILE *out, const char *key, const char *text, size_t length)
{
    fprintf(out, ", \"%s\": ", key);
    json_text(out, text, length);
}

void look_print_json_place(FILE *out, const char *role, const struct machine_where *where, const char *before)
{
    char key[32];
    const struct machine_caller own = machine_where_lead(where);
    look_print_key(out, *before == '\0' ? "what" : "other_what", role, strlen(role));
    snprintf(key, sizeof key, "%sfile", before);
    look_print_key(out, key, where->source_file.at, where->source_file.length);
    fprintf(out, ", \"%sline\": %u, \"%sptx_line\": %u", before, where->source_line, before, where->ptx_line);
    snprintf(key, sizeof key, "%suser_file", before);
    look_print_key(out, key, own.file.at, own.file.length);
    fprintf(out, ", \"%suser_line\": %u", before, own.line);
}

static void print_json(FILE *out, const struct sanitize_found *found, const struct told *told)
{
    const struct sanitize_finding *finding = told->finding;
    const enum check_kind kind = told->kind;
    char signature[DEMANGLED_BYTES];
    const size_t length = demangle_function(found->kernel, strlen(found->kernel), signature, sizeof signature);
    fprintf(out, "{\"check\": \"%s\"", kinds[kind].id);
    look_print_key(out, "kernel", found->kernel, strlen(found->kernel));
    look_print_key(out, "signature", signature, length);
    look_print_key(out, "message", kinds[kind].sentence, strlen(kinds[kind].sentence));
    look_print_json_place(out, kinds[kind].first, &told->where[0], "");
    if (kinds[kind].second != NULL) look_print_json_place(out, kinds[kind].second, &told->where[1], "other_");
    fprintf(out, ", \"cta\": [%llu, %llu, %llu], \"address\": \"0x%llx\"",
            (unsigned long long)(finding->cta % found->grid[0]),
            (unsigned long long)(finding->cta / found->grid[0] % found->grid[1]),
            (unsigned long long)(finding->cta / found->grid[0] / found->grid[1]), (unsigned long long)finding->address);
    look_print_key(out, "advice", kinds[kind].advice, strlen(kinds[kind].advice));
    fprintf(out, "}");
}

static bool is_told(const struct told *told, uint32_t count, const struct told *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (told[i].kind == one->kind && look_is_same_place(&told[i].where[0], &one->where[0]) &&
            look_is_same_place(&told[i].where[1], &one->where[1]))
            return true;
    return false;
}

void check_found_tell(const struct sanitize_found *found, const struct look_tally *tally,
                      const struct machine_module *module)
{
    struct told told[SANITIZE_TOLD];
    uint32_t count = 0, left_out = found->lost;
    struct json_line line;
    if (found->count == 0) return;
    note_add(found->notes, NOTE_ERROR);
    fflush(stdout);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct told one = told_of(&found->item[i], tally, module);
        if (sanitize_found_follows(found, one.finding) || is_told(told, count, &one)) continue;
        left_out += count == SANITIZE_TOLD;
        if (count == SANITIZE_TOLD) continue;
        told[count++] = one;
        const struct machine_where *const place[2] = {&one.where[0], &one.where[1]};
        if (told_before_add(found->before, kinds[one.kind].id, found->kernel, place)) continue;
        if (json_line_begin(&line, &found->lines)) {
            print_json(line.out, found, &one);
            json_line_tell(&line, &found->lines);
        }
        if (!found->lines.is_json) print_text(found, &one);
    }
    if (left_out > 0 && !found->lines.is_json)
        fprintf(stderr, "tmaref: check: %u more findings are left out, at other lines. Mend these first\n", left_out);
}
