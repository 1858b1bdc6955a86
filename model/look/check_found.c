// SPDX-License-Identifier: MIT
#include "check_found.h"

#include <string.h>

#include "demangle.h"
#include "json_text.h"
#include "module.h"
#include "note.h"
#include "plain.h"
#include "report.h"

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
    [CHECK_READ_EARLY] = {"CHECK_READ_EARLY", "a thread read shared memory that a copy in flight was still to write",
                          "the read", "the copy",
                          "Wait for the mbarrier of the copy, with the parity of its phase, before the read."},
    [CHECK_REFILLED] = {"CHECK_REFILLED", "a copy was issued into shared memory that a thread was still to read",
                        "the copy", "the read",
                        "Read before the arrive that lets the thread of the copy go on, and let that thread wait for "
                        "it before it issues the copy."},
    [CHECK_OPERATION_EARLY] = {"CHECK_OPERATION_EARLY",
                               "an operation read shared memory that a copy in flight was still to write",
                               "the operation", "the copy",
                               "Wait for the mbarrier of the copy before the operation is issued."},
    [CHECK_WRITTEN_UNDER] = {"CHECK_WRITTEN_UNDER",
                             "a thread wrote shared memory that a copy in flight was still to write", "the write",
                             "the copy", "Wait for the mbarrier of the copy before the write."},
    [CHECK_SOURCE_WRITTEN] =
        {"CHECK_SOURCE_WRITTEN", "a thread wrote shared memory that an operation in flight was still to read",
         "the write", "the operation",
         "If the operation is to read what is written, put a barrier before it. If not, commit it, "
         "and wait for it (cp.async.bulk.wait_group.read) in its thread and then at a barrier, "
         "before the write."},
    [CHECK_SOURCE_COPIED] =
        {"CHECK_SOURCE_COPIED", "a copy wrote shared memory that an operation in flight was still to read", "the copy",
         "the operation",
         "Wait for the operation (cp.async.bulk.wait_group.read, wgmma.wait_group) before the copy is "
         "issued."},
    [CHECK_NOT_INITIALISED] = {"CHECK_NOT_INITIALISED", "an mbarrier was used that no mbarrier.init had created",
                               "the use", NULL,
                               "Initialise it in one thread; all others use it behind a barrier of all threads, and "
                               "other CTAs behind barrier.cluster."},
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

// --- What is kept ----------------------------------------------------------------------------------------------------

static int is_same(const struct check_finding *one, const struct check_finding *other)
{
    return one->kind == other->kind && one->first == other->first && one->second == other->second;
}

void check_found_add(struct check_found *found, const struct check_finding *finding)
{
    uint32_t at = (finding->first * 31 + finding->second * 17 + (uint32_t)finding->kind) % CHECK_SLOTS;
    for (; found->slot[at] != 0; at = (at + 1) % CHECK_SLOTS)
        if (is_same(&found->item[found->slot[at] - 1], finding)) return;
    if (found->count == CHECK_KEPT) {
        found->lost++;
        return;
    }
    found->item[found->count] = *finding;
    found->slot[at] = (uint16_t)++found->count;
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

static int is_same_line(const struct machine_caller *one, const struct machine_caller *other)
{
    return one->line == other->line && one->file.length == other->file.length &&
           (one->file.length == 0 || memcmp(one->file.at, other->file.at, one->file.length) == 0);
}

// Do they come from the same lines of the source? Without lines each line of the PTX is one.
int look_is_same_place(const struct machine_where *one, const struct machine_where *other)
{
    const struct machine_caller a = {one->source_file, one->source_line}, b = {other->source_file, other->source_line};
    if (one->source_line == 0 && one->ptx_line != other->ptx_line) return 0;
    if (!is_same_line(&a, &b) || one->callers != other->callers) return 0;
    for (uint32_t i = 0; i < one->callers; i++)
        if (!is_same_line(&one->caller[i], &other->caller[i])) return 0;
    return 1;
}

// --- What is told ----------------------------------------------------------------------------------------------------

// A finding with its places: of the first, and of the second.
struct told {
    const struct check_finding *finding;
    struct machine_where where[2];
};

static void print_text(const struct check_found *found, const struct told *told)
{
    const enum check_kind kind = told->finding->kind;
    const struct machine_caller own = machine_where_own(&told->where[0]);
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
    const struct machine_caller own = machine_where_own(where);
    look_print_key(out, *before == '\0' ? "what" : "other_what", role, strlen(role));
    snprintf(key, sizeof key, "%sfile", before);
    look_print_key(out, key, where->source_file.at, where->source_file.length);
    fprintf(out, ", \"%sline\": %u, \"%sptx_line\": %u", before, where->source_line, before, where->ptx_line);
    snprintf(key, sizeof key, "%suser_file", before);
    look_print_key(out, key, own.file.at, own.file.length);
    fprintf(out, ", \"%suser_line\": %u", before, own.line);
}

static void print_json(FILE *out, const struct check_found *found, const struct told *told)
{
    const struct check_finding *finding = told->finding;
    const enum check_kind kind = finding->kind;
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

static int is_told(const struct told *told, uint32_t count, const struct told *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (told[i].finding->kind == one->finding->kind && look_is_same_place(&told[i].where[0], &one->where[0]) &&
            look_is_same_place(&told[i].where[1], &one->where[1]))
            return 1;
    return 0;
}

void check_found_tell(const struct check_found *found, const struct look_tally *tally,
                      const struct machine_module *module)
{
    struct told told[CHECK_TOLD];
    uint32_t count = 0, left_out = found->lost;
    struct json_line line;
    if (found->count == 0) return;
    note_add(found->notes, NOTE_ERROR);
    fflush(stdout);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct check_finding *finding = &found->item[i];
        const struct told one = {
            finding, {look_where_of(tally, module, finding->first), look_where_of(tally, module, finding->second)}};
        if (is_told(told, count, &one)) continue;
        left_out += count == CHECK_TOLD;
        if (count == CHECK_TOLD) continue;
        told[count++] = one;
        if (json_line_begin(&line, &found->lines)) {
            print_json(line.out, found, &one);
            json_line_tell(&line, &found->lines);
        }
        if (!found->lines.is_json) print_text(found, &one);
    }
    if (left_out > 0 && !found->lines.is_json)
        fprintf(stderr, "tmaref: check: %u more findings are left out, at other lines. Mend these first\n", left_out);
}
