// SPDX-License-Identifier: MIT
#include "core_tell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "gpu_core.h"
#include "where_text.h"

enum { MOST_ROOTS = 3, MOST_LINES = 15, MOST_MAPS = 3, SHOWN_BYTES = 200 };

struct paper {
    FILE *out;
    const struct core_report *report;
    int lines, most; // most: 0, no limit
};

static bool has_room(const struct paper *paper, int lines)
{
    return paper->most == 0 || paper->lines + lines <= paper->most;
}

// --- Names and places ------------------------------------------------------------------------------------------------

static const struct core_kernel *kernel_of(const struct core_report *report, const struct core_strand *strand)
{
    return core_kernel_of(report->state, core_strand_cta(report->state, strand));
}

// The number of an mbarrier in its array; -1 if it is in none.
static int64_t index_of(const struct core_kernel *kernel, uint32_t address)
{
    const uint64_t start = core_code_shared_start(kernel->code, address);
    const uint64_t bytes = start != UINT64_MAX ? core_code_shared_bytes(kernel->code, start) : 0;
    if (bytes == 0 || (address - start) % MBARRIER_BYTES != 0) return -1;
    return core_sites_is_array(&kernel->sites, start, bytes) ? (int64_t)((address - start) / MBARRIER_BYTES) : -1;
}

struct text core_shared_name(const struct core_report *report, const struct core_cta *cta, uint32_t address)
{
    const struct core_kernel *kernel = core_kernel_of(report->state, cta);
    char name[DEMANGLED_BYTES] = "";
    struct text text;
    text_set(&text, "at 0x%x", address);
    if (kernel == NULL) return text;
    core_code_kernel(kernel->code, kernel->function->name);
    const int64_t index = index_of(kernel, address);
    const uint64_t named = index >= 0 ? address - (uint64_t)index * MBARRIER_BYTES : address;
    if (core_code_shared_name(kernel->code, named, name, sizeof name) == 0) return text;
    text_set(&text, "%s", name);
    if (index >= 0) text_set(&text, "%s[%" PRId64 "]", name, index);
    return text;
}

struct text core_barrier_name(const struct core_report *report, const struct core_strand *strand)
{
    return core_shared_name(report, core_strand_cta(report->state, strand), strand->address);
}

static struct text place_text(const struct machine_where *where, bool is_whole)
{
    const struct machine_caller own = machine_where_own(where);
    struct text text;
    where_place(&own, is_whole, text.at, sizeof text.at);
    return text;
}

struct text core_place(const struct core_report *report, const struct core_function *function, uint64_t offset)
{
    struct machine_where where = {0};
    struct text text;
    for (uint32_t i = 0; i < report->state->codes; i++) {
        struct core_code *code = &report->state->code[i];
        if (function < code->function || function >= code->function + code->functions) continue;
        core_code_place(code, function, offset, &where);
    }
    text = place_text(&where, false);
    if (text.at[0] == '\0') text_set(&text, "+0x%" PRIx64, offset);
    return text;
}

static struct text kernel_name(const struct core_report *report, const struct core_strand *strand)
{
    const struct core_kernel *kernel = kernel_of(report, strand);
    struct text text;
    if (kernel == NULL)
        text_set(&text, "of unknown name");
    else
        demangle_function(kernel->function->name, strlen(kernel->function->name), text.at, sizeof text.at);
    return text;
}

// --- Who waits for what ----------------------------------------------------------------------------------------------

// "2 warps of 2 CTAs": exceptions are a warp's; trap is the threads'.
static void print_faulted(FILE *out, const struct core_report *report, const struct core_group *group)
{
    const struct core_cta *cta = core_strand_cta(report->state, group->first);
    fprintf(out, "%" PRIu64 " warp%s of ", group->strands, group->strands == 1 ? "" : "s");
    if (group->ctas > 1)
        fprintf(out, "%u CTAs ", group->ctas);
    else
        fprintf(out, "CTA (%u,%u,%u) ", cta->block[0], cta->block[1], cta->block[2]);
}

static void print_who(FILE *out, const struct core_report *report, const struct core_group *group, const char *one,
                      const char *many)
{
    const struct core_cta *cta = core_strand_cta(report->state, group->first);
    const struct core_warp *warp = &report->dump->warp[group->first->warp];
    const uint32_t *thread = warp->lane[__builtin_ctz(group->first->lanes)].thread;
    if (group->threads == 1)
        fprintf(out, "thread (%u,%u,%u) of ", thread[0], thread[1], thread[2]);
    else
        fprintf(out, "%" PRIu64 " threads of ", group->threads);
    if (group->ctas > 1)
        fprintf(out, "%u CTAs", group->ctas);
    else
        fprintf(out, "CTA (%u,%u,%u)", cta->block[0], cta->block[1], cta->block[2]);
    fprintf(out, " %s", group->threads == 1 ? one : many);
}

static void print_mbarrier(FILE *out, const struct core_report *report, const struct core_strand *strand)
{
    const struct core_cta *cta = core_strand_cta(report->state, strand);
    if (!strand->has_address) {
        fprintf(out, " for an mbarrier: the dump has no registers that say which");
        return;
    }
    fprintf(out, " for mbarrier %s", core_barrier_name(report, strand).at);
    if (strand->barrier_cta == UINT32_MAX)
        fprintf(out, " of a CTA that is not in the dump");
    else if (&report->dump->cta[strand->barrier_cta] != cta)
        fprintf(out, " of CTA %u in the cluster", core_cta_rank(&report->dump->cta[strand->barrier_cta]));
    if (!strand->has_word && strand->barrier_cta != UINT32_MAX) fprintf(out, ", whose word is not in the dump");
    const struct mbarrier_fields now = mbarrier_unpack(strand->word);
    if (strand->has_word) where_print_missing(out, &now, 0);
}

uint64_t core_threads_at(const struct core_report *report, const struct core_strand *strand)
{
    uint64_t threads = 0;
    for (uint32_t i = 0; i < report->state->strands; i++) {
        const struct core_strand *other = &report->state->strand[i];
        if (other->doing == strand->doing && other->named == strand->named &&
            core_strand_cta(report->state, other) == core_strand_cta(report->state, strand))
            threads += (unsigned)__builtin_popcount(other->lanes);
    }
    return threads;
}

uint32_t core_threads_wanted(const struct core_report *report, const struct core_strand *strand)
{
    const struct core_cta *cta = core_strand_cta(report->state, strand);
    if (strand->count != 0 || cta->grid >= report->dump->grids) return strand->count;
    const uint32_t *block = report->dump->grid[cta->grid].block;
    return block[0] * block[1] * block[2];
}

static void print_named(FILE *out, const struct core_report *report, const struct core_strand *strand)
{
    if (strand->named == SASS_ANY_NUMBER) {
        fprintf(out, " at a barrier whose number is in a register");
        return;
    }
    fprintf(out, " at barrier %u: %" PRIu64 " of %u threads stand there", strand->named,
            core_threads_at(report, strand), core_threads_wanted(report, strand));
}

static void print_polled(FILE *out, const struct core_strand *strand)
{
    if (!strand->has_address) return;
    fprintf(out, " at 0x%" PRIx64, strand->memory);
    if (strand->has_value) fprintf(out, ", which is 0x%x", strand->value);
}

static void print_fault(FILE *out, const struct core_report *report, const struct core_group *group)
{
    const struct core_strand *strand = group->first;
    int other, error = gpu_core_error(strand->exception, &other);
    if (strand->exception == 0) {
        print_who(out, report, group, "executed trap (a launch returns 719)", "executed trap (a launch returns 719)");
        return;
    }
    fprintf(out, "raised %s", core_exception_name(strand->exception).at);
    if (error != 0) fprintf(out, " (a launch returns %d", error);
    if (error != 0 && other != 0) fprintf(out, " or %d", other);
    if (error != 0) fprintf(out, ")");
}

static void print_wait(FILE *out, const struct core_report *report, const struct core_group *group)
{
    const struct core_strand *strand = group->first;
    switch (strand->doing) {
    case CORE_RUNS:
        print_who(out, report, group, "runs", "run");
        break;
    case CORE_FAULTED:
        if (strand->exception != 0) print_faulted(out, report, group);
        print_fault(out, report, group);
        break;
    case CORE_POLLS:
        print_who(out, report, group, "polls memory", "poll memory");
        print_polled(out, strand);
        break;
    default:
        print_who(out, report, group, "waits", "wait");
    }
    if (strand->doing == CORE_WAITS_MBARRIER) print_mbarrier(out, report, strand);
    if (strand->doing == CORE_WAITS_NAMED) print_named(out, report, strand);
    if (strand->doing == CORE_WAITS_CLUSTER) fprintf(out, " at barrier.cluster");
    if (strand->doing == CORE_WAITS_WARP) fprintf(out, " for other lanes of their warp");
    if (strand->doing == CORE_WAITS_REGISTERS)
        fprintf(out, " at setmaxnreg.inc for registers that other warps give back");
    if (strand->doing == CORE_WAITS_GRID) fprintf(out, " at griddepcontrol.wait for the kernel before theirs");
}

// --- What is known of a root -----------------------------------------------------------------------------------------

// ptxas names a function that it did not inline "$kernel$function".
static const char *callee_name(const char *name)
{
    const char *last = name[0] == '$' ? strrchr(name, '$') : NULL;
    return last != NULL ? last + 1 : name;
}

static void print_instruction(struct paper *paper, const struct core_strand *strand)
{
    const struct core_report *report = paper->report;
    const struct core_cta *cta = core_strand_cta(report->state, strand);
    char name[DEMANGLED_BYTES], instruction[SHOWN_BYTES];
    const char *callee = callee_name(strand->function->name);
    demangle_function(callee, strlen(callee), name, sizeof name);
    fprintf(paper->out, "\n  at %s+0x%" PRIx64, name, strand->home);
    where_print_lines(paper->out, &strand->where);
    fprintf(paper->out, ", CTA (%u,%u,%u), warp %u, lanes 0x%08x", cta->block[0], cta->block[1], cta->block[2],
            core_strand_warp(report->state, strand), strand->lanes);
    if (strand->where.instruction.length > 0) {
        demangle_line(strand->where.instruction.at, strand->where.instruction.length, instruction, sizeof instruction);
        fprintf(paper->out, ": %s", instruction);
    }
    paper->lines++;
}

static void print_barrier_state(struct paper *paper, const struct core_strand *strand)
{
    const struct mbarrier_fields now = mbarrier_unpack(strand->word);
    const struct text name = core_barrier_name(paper->report, strand);
    const struct text lines = core_arrival_lines(paper->report, strand);
    fprintf(paper->out,
            "\n  %s: shared address 0x%x, word 0x%016" PRIx64 "; its phase has parity %d, the wait parity %u", name.at,
            strand->address, strand->word, now.phase, strand->parity);
    if (now.error) fprintf(paper->out, "; its error bit is set: a remote or asynchronous operation broke a rule");
    paper->lines++;
    if (lines.at[0] == '\0') return;
    fprintf(paper->out, "\n    the kernel arrives at it, or expects or copies bytes to it, at %s", lines.at);
    paper->lines++;
}

static void print_details(struct paper *paper, const struct core_group *group)
{
    const struct core_strand *strand = group->first;
    print_instruction(paper, strand);
    if (strand->doing == CORE_WAITS_MBARRIER && strand->has_word) print_barrier_state(paper, strand);
    const struct text fault =
        strand->doing == CORE_FAULTED ? core_fault_text(paper->report, strand) : (struct text){""};
    if (fault.at[0] != '\0') {
        fprintf(paper->out, "\n  %s", fault.at);
        paper->lines++;
    }
    const struct text likely = core_likely(paper->report, strand);
    if (likely.at[0] == '\0') return;
    fprintf(paper->out, "\n  Likely: %s", likely.at);
    paper->lines++;
}

static bool is_root(const struct core_group *group)
{
    return group->first->doing == CORE_FAULTED || group->first->reason != CORE_NO_ROOT;
}

static void print_head(struct paper *paper, const struct core_group *group)
{
    const struct text place = place_text(&group->first->where, true);
    fprintf(paper->out, "%s%s: error: kernel %s %s%s: ", paper->lines > 0 ? "\n" : "",
            place.at[0] != '\0' ? place.at : "tmaref", kernel_name(paper->report, group->first).at,
            paper->lines > 0 ? "also " : "", group->first->doing == CORE_FAULTED ? "stopped" : "hangs");
    print_wait(paper->out, paper->report, group);
    paper->lines++;
}

// --- The rest --------------------------------------------------------------------------------------------------------

static void print_roots(struct paper *paper)
{
    const struct core_groups *groups = paper->report->groups;
    uint32_t roots = 0, told = 0;
    while (roots < groups->groups && is_root(&groups->group[roots])) roots++;
    for (; told < roots && (told == 0 || (has_room(paper, 6) && (paper->most == 0 || told < MOST_ROOTS))); told++) {
        print_head(paper, &groups->group[told]);
        print_details(paper, &groups->group[told]);
    }
    if (told == roots) return;
    fprintf(paper->out, "\n  and %u more waits that depend on no other; --verbose shows all", roots - told);
    paper->lines++;
}

// Beside a fault nobody follows: they are where they were when it stopped.
static void print_followers(struct paper *paper)
{
    const struct core_groups *groups = paper->report->groups;
    const char *word = groups->groups > 0 && groups->group[0].first->doing == CORE_FAULTED ? "beside it" : "follows";
    uint32_t at = 0;
    while (at < groups->groups && is_root(&groups->group[at])) at++;
    for (; at < groups->groups && has_room(paper, groups->groups - at > 1 ? 4 : 3); at++) {
        const struct core_strand *strand = groups->group[at].first;
        fprintf(paper->out, "%s%s: ", paper->lines > 0 ? "\n  " : "", word);
        print_wait(paper->out, paper->report, &groups->group[at]);
        if (strand->function != NULL)
            fprintf(paper->out, " (%s)", core_place(paper->report, strand->function, strand->line).at);
        paper->lines++;
    }
    if (at == groups->groups) return;
    fprintf(paper->out, "\n  and %u more groups of threads; --verbose shows all", groups->groups - at);
    paper->lines++;
}

static bool is_same_state(const struct core_state *state, const struct core_barrier *one,
                          const struct core_barrier *other)
{
    return one->address == other->address && one->word == other->word &&
           state->dump->cta[one->cta].grid == state->dump->cta[other->cta].grid;
}

// One line for the CTAs whose barrier at an address has the same word.
static void print_barrier(struct paper *paper, uint32_t number)
{
    const struct core_barriers *barriers = paper->report->barriers;
    const struct core_barrier *barrier = &barriers->barrier[number];
    const struct core_cta *cta = &paper->report->dump->cta[barrier->cta];
    const struct mbarrier_fields now = mbarrier_unpack(barrier->word);
    uint32_t ctas = 0;
    for (uint32_t i = 0; i < barriers->barriers; i++) {
        const bool is_same = is_same_state(paper->report->state, barrier, &barriers->barrier[i]);
        if (is_same && i < number) return; // told
        ctas += (uint32_t)is_same;
    }
    fprintf(paper->out, "\n  mbarrier %s (0x%x) of ", core_shared_name(paper->report, cta, barrier->address).at,
            barrier->address);
    if (ctas > 1)
        fprintf(paper->out, "%u CTAs", ctas);
    else
        fprintf(paper->out, "CTA (%u,%u,%u)", cta->block[0], cta->block[1], cta->block[2]);
    fprintf(paper->out, ": word 0x%016" PRIx64 ": parity %d, %u of %u arrivals missing", barrier->word, now.phase,
            now.pending, now.expected);
    if (now.tx > 0) fprintf(paper->out, ", %d bytes missing", now.tx);
    if (now.tx < 0) fprintf(paper->out, ", %d bytes too many", -now.tx);
    if (now.error) fprintf(paper->out, ", error bit set");
}

static void print_maps(struct paper *paper)
{
    const struct core_maps *maps = paper->report->maps;
    uint32_t told = 0;
    for (; told < maps->maps && (paper->most == 0 || (told < MOST_MAPS && has_room(paper, 2))); told++) {
        const struct core_map *map = &maps->map[told];
        fprintf(paper->out, "\n  tensor map in %s: %s", core_map_place(paper->report, map).at, core_map_text(map).at);
        paper->lines++;
    }
    if (told < maps->maps) fprintf(paper->out, "\n  and %u more tensor maps; --verbose shows all", maps->maps - told);
}

// Is the machine code of a told wait without lines?
static bool lacks_lines(const struct core_report *report)
{
    for (uint32_t i = 0; i < report->groups->groups; i++) {
        const struct core_strand *strand = report->groups->group[i].first;
        if (strand->function != NULL && strand->where.source_line == 0) return true;
    }
    return false;
}

// A dump is one moment, and does not say whether the kernel gets on.
static bool runs_beside_waits(const struct core_groups *groups)
{
    if (groups->groups == 0 || groups->group[0].first->doing == CORE_FAULTED) return false;
    for (uint32_t i = 0; i < groups->groups; i++)
        if (groups->group[i].first->doing == CORE_RUNS) return true;
    return false;
}

// A dump of the driver's may be of a process whose kernels had all ended.
static void print_nothing(FILE *out, const struct core_dump *dump)
{
    fprintf(out, "tmaref: no thread is in the dump: %s",
            dump->grids > 0 ? "its kernels had ended when it was written" : "no kernel ran when it was written");
}

static void tell(FILE *out, const struct core_report *report, bool is_whole)
{
    struct paper paper = {out, report, 0, is_whole ? 0 : MOST_LINES};
    const struct core_device *device = &report->dump->device[0];
    if (report->groups->groups == 0) print_nothing(out, report->dump);
    print_roots(&paper);
    print_followers(&paper);
    for (uint32_t i = 0; is_whole && i < report->barriers->barriers; i++) print_barrier(&paper, i);
    print_maps(&paper);
    if (runs_beside_waits(report->groups))
        fprintf(out,
                "\n  some threads run: a dump is one moment, and in a kernel that gets on these waits are no mistake");
    if (lacks_lines(report))
        fprintf(out,
                "\n  compile with nvcc -lineinfo: then lines of the source and names of mbarriers are in the dump");
    fprintf(out, "\n  read from the dump of %s (sm_%u%u): %u CTA%s and %u warp%s were on it\n",
            device->name[0] != '\0' ? device->name : "a GPU", device->major, device->minor, report->dump->ctas,
            report->dump->ctas == 1 ? "" : "s", report->dump->warps, report->dump->warps == 1 ? "" : "s");
}

// Names in a dump are bytes that anyone may have written: what a terminal would obey is written out.
static void print_plain(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '\n' || (byte >= ' ' && byte != 0x7f))
            fputc(byte, out);
        else if (byte == '\t')
            fputc(' ', out);
        else
            fprintf(out, "\\x%02x", byte);
    }
}

void core_tell(FILE *out, const struct core_report *report, bool is_whole)
{
    char *text = NULL;
    size_t bytes;
    FILE *paper = open_memstream(&text, &bytes);
    if (paper == NULL) return;
    tell(paper, report, is_whole);
    fclose(paper);
    print_plain(out, text);
    free(text);
}
