// SPDX-License-Identifier: MIT
// A hang in words: the roots with what is known of them, then who follows. Each line is one fact.
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "hang.h"
#include "report.h"
#include "where_text.h"

enum { PLACE_BYTES = 300, MOST_ROOTS = 3, MOST_PARTS = 3, SHOWN_BYTES = 200 };

// A text whose lines are counted.
struct paper {
    FILE *out;
    const struct machine_hang *hang;
    int lines, most; // most: 0, no limit
};

static bool has_room(const struct paper *paper, int lines)
{
    return paper->most == 0 || paper->lines + lines <= paper->most;
}

// --- Places ----------------------------------------------------------------------------------------------------------

static const char *place_text(const struct machine_where *where, bool is_whole, char *text, size_t bytes)
{
    const struct machine_caller at = machine_where_outer(where);
    if (where_place(&at, is_whole, text, bytes)[0] == '\0') snprintf(text, bytes, "PTX line %u", where->ptx_line);
    return text;
}

const char *hang_line(const struct machine *machine, uint32_t line, uint32_t called_at, char *text, size_t bytes)
{
    const struct machine_where where = machine_line_where(machine, line, called_at);
    return place_text(&where, false, text, bytes);
}

const char *hang_place(const struct hang_wait *wait, char *text, size_t bytes)
{
    return place_text(&wait->where, false, text, bytes);
}

// --- Who waits for what ----------------------------------------------------------------------------------------------

static const struct machine_strand *first_strand(const struct machine_hang *hang, uint32_t group)
{
    return hang->wait[group].strand[0];
}

static void print_cta(FILE *out, const struct machine_cta *cta)
{
    fprintf(out, "CTA (%u,%u,%u)", cta->ctaid[0], cta->ctaid[1], cta->ctaid[2]);
}

// "thread (32,0,0) of CTA (0,0,0) waits", "128 threads of CTA (77,0,0) wait", "16768 threads of 131 CTAs wait"
static void print_who(const struct paper *paper, uint32_t group, const char *one, const char *many)
{
    const struct hang_size size = hang_size(paper->hang, group);
    const struct hang_wait *wait = &paper->hang->wait[group];
    const uint32_t *thread = wait->where.thread;
    if (size.threads == 1)
        fprintf(paper->out, "thread (%u,%u,%u) of ", thread[0], thread[1], thread[2]);
    else
        fprintf(paper->out, "%llu threads of ", (unsigned long long)size.threads);
    if (size.ctas > 1)
        fprintf(paper->out, "%llu CTAs", (unsigned long long)size.ctas);
    else
        print_cta(paper->out, first_strand(paper->hang, group)->warp->cta);
    fprintf(paper->out, " %s", size.threads == 1 ? one : many);
}

static void print_mbarrier(FILE *out, const struct hang_wait *wait)
{
    const struct mbarrier_fields *now = &wait->barrier->now;
    fprintf(out, " for mbarrier %s", wait->barrier->name);
    if (wait->rank != wait->strand[0]->warp->cta->rank) fprintf(out, " of CTA %u in the cluster", wait->rank);
    if (wait->barrier->page == NULL) {
        fprintf(out, ", which nobody has initialised");
        return;
    }
    where_print_missing(out, now, wait->barrier->page->total.expect_bytes);
}

// Do all of a group poll one address?
static bool is_one_address(const struct machine_hang *hang, uint32_t group)
{
    for (uint32_t i = group; i < hang->waits; i++)
        if (hang->wait[i].group == group && hang->wait[i].address != hang->wait[group].address) return false;
    return true;
}

// " (generation + 4)", or nothing.
static void print_variable(FILE *out, const struct machine *machine, uint64_t address)
{
    uint64_t offset;
    char name[DEMANGLED_BYTES];
    const struct ptx_variable *variable = machine_module_variable_at(machine->launch->module, address, &offset);
    if (variable == NULL) return;
    demangle_variable(variable->name.at, variable->name.length, name, sizeof name);
    fprintf(out, offset > 0 ? " (%s + %llu)" : " (%s)", name, (unsigned long long)offset);
}

static void print_memory(FILE *out, const struct machine_hang *hang, const struct hang_wait *wait)
{
    const struct region *region = wait->is_known ? region_search(&wait->cluster->machine->global, wait->address) : NULL;
    const uint8_t *at = region_at(region, wait->address, sizeof(uint32_t), MEMORY_READS);
    uint32_t word;
    if (!wait->is_known) return;
    fprintf(out, " at %s0x%llx", is_one_address(hang, wait->group) ? "" : "several addresses, such as ",
            (unsigned long long)wait->address);
    print_variable(out, hang->machine, wait->address);
    if (at == NULL) return;
    memcpy(&word, at, sizeof word);
    fprintf(out, ", which is 0x%x", word);
}

static void print_what(FILE *out, const struct machine_hang *hang, const struct hang_wait *wait)
{
    switch (wait->what) {
    case HANG_MBARRIER:
        print_mbarrier(out, wait);
        break;
    case HANG_BARRIER:
        fprintf(out, " at barrier %u: %u of %u threads have come", wait->number, wait->come, wait->wanted);
        break;
    case HANG_CLUSTER:
        fprintf(out, " at barrier.cluster: %u of %u threads have come", wait->come, wait->wanted);
        break;
    case HANG_LANES:
        fprintf(out, " for other lanes of their warp");
        break;
    case HANG_REGISTERS:
        fprintf(out, " for registers: they want %u each, and can have %u", wait->wanted, wait->come);
        break;
    case HANG_PRODUCT:
        fprintf(out, " for other warps of their warpgroup at a wgmma");
        break;
    case HANG_MEMORY:
        print_memory(out, hang, wait);
        break;
    default:
        break;
    }
}

static void print_wait(const struct paper *paper, uint32_t group)
{
    const struct hang_wait *wait = &paper->hang->wait[group];
    if (wait->what == HANG_RUNS)
        print_who(paper, group, "runs", "run");
    else if (wait->what == HANG_MEMORY)
        print_who(paper, group, "polls memory", "poll memory");
    else
        print_who(paper, group, "waits", "wait");
    print_what(paper->out, paper->hang, wait);
}

// --- What is known of a root -----------------------------------------------------------------------------------------

static void print_instruction(struct paper *paper, const struct hang_wait *wait)
{
    const struct machine_where *where = &wait->where;
    char name[DEMANGLED_BYTES], text[SHOWN_BYTES];
    demangle_function(where->function.at, where->function.length, name, sizeof name);
    demangle_line(where->instruction.at, where->instruction.length, text, sizeof text);
    fprintf(paper->out, "\n  at %s, PTX line %u", name, where->ptx_line);
    where_print_lines(paper->out, where);
    fprintf(paper->out, ", CTA (%u,%u,%u), thread (%u,%u,%u): %s", where->cta[0], where->cta[1], where->cta[2],
            where->thread[0], where->thread[1], where->thread[2], text);
    paper->lines++;
}

static void print_barrier_state(struct paper *paper, const struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    char place[PLACE_BYTES];
    fprintf(paper->out, "\n  %s: shared address 0x%x", barrier->name, wait->number);
    if (wait->cluster->ctas > 1) fprintf(paper->out, " of CTA %u in the cluster", wait->rank);
    paper->lines++;
    if (barrier->page == NULL) return;
    fprintf(
        paper->out, ", made by init at %s; its phase %llu has parity %d",
        hang_line(wait->cluster->machine, barrier->page->init.line, barrier->page->init.called_at, place, sizeof place),
        (unsigned long long)barrier->page->phases, barrier->now.phase);
    if (wait->parity >= 0) fprintf(paper->out, ", the wait parity %d", wait->parity);
    if (barrier->now.error)
        fprintf(paper->out, "; its error bit is set: a remote or asynchronous operation broke a rule");
}

// Parts of one line are told of together: "4 warps at pipe.cu:12: 4 arrivals".
static bool is_told(const struct hang_part *part, uint32_t at, bool is_missing)
{
    for (uint32_t i = 0; i < at; i++)
        if (part[i].at.line == part[at].at.line && part[i].is_copy == part[at].is_copy &&
            (!is_missing || part[i].is_missing))
            return true;
    return false;
}

static void add_up(const struct hang_part *part, uint32_t parts, uint32_t at, bool is_missing, uint32_t *warps,
                   struct mbarrier_transaction *sum)
{
    for (uint32_t i = at; i < parts; i++) {
        if (part[i].at.line != part[at].at.line || part[i].is_copy != part[at].is_copy) continue;
        if (is_missing && !part[i].is_missing) continue;
        sum->arrivals += part[i].transaction.arrivals;
        sum->expect_bytes += part[i].transaction.expect_bytes;
        sum->complete_bytes += part[i].transaction.complete_bytes;
        (*warps)++;
    }
}

static void print_part(const struct paper *paper, const struct hang_wait *wait, const struct hang_part *part,
                       uint32_t parts, uint32_t at, bool is_missing)
{
    struct mbarrier_transaction sum = {0};
    char place[PLACE_BYTES];
    uint32_t warps = 0;
    add_up(part, parts, at, is_missing, &warps, &sum);
    fprintf(paper->out, " %s of ", part[at].is_copy ? "copies" : "instructions");
    if (warps > 1)
        fprintf(paper->out, "%u warps", warps);
    else if (part[at].warp != NULL)
        fprintf(paper->out, "warp %u", part[at].warp->index);
    else
        fprintf(paper->out, "another cluster");
    if (part[at].cta != NULL && part[at].cta->rank != wait->rank) fprintf(paper->out, " of CTA %u", part[at].cta->rank);
    fprintf(paper->out, " at %s",
            hang_line(wait->cluster->machine, part[at].line, part[at].called_at, place, sizeof place));
    if (sum.arrivals > 0)
        fprintf(paper->out, ", %llu arrival%s", (unsigned long long)sum.arrivals, sum.arrivals > 1 ? "s" : "");
    if (sum.expect_bytes > 0) fprintf(paper->out, ", %llu bytes expected", (unsigned long long)sum.expect_bytes);
    if (sum.complete_bytes > 0) fprintf(paper->out, ", %llu bytes brought", (unsigned long long)sum.complete_bytes);
}

static void print_parts(struct paper *paper, const struct hang_wait *wait, const char *what,
                        const struct hang_part *part, uint32_t parts, bool is_missing)
{
    int told = 0, left = 0;
    for (uint32_t i = 0; i < parts; i++) {
        if ((is_missing && !part[i].is_missing) || is_told(part, i, is_missing)) continue;
        if (paper->most > 0 && told == MOST_PARTS) {
            left++;
            continue;
        }
        fprintf(paper->out, told == 0 ? "\n    %s:" : ";", what);
        print_part(paper, wait, part, parts, i, is_missing);
        told++;
    }
    if (left > 0) fprintf(paper->out, "; and %d more (--verbose)", left);
    paper->lines += told > 0;
}

static void print_history(struct paper *paper, const struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    if (barrier->page == NULL) return;
    if (barrier->parts == 0) {
        fprintf(paper->out, "\n    nothing has come in this phase");
        paper->lines++;
    }
    print_parts(paper, wait, "came in this phase", barrier->part, barrier->parts, false);
    if (barrier->pattern == barrier->page)
        print_parts(paper, wait, "came in the phase before, but not in this one", barrier->before, barrier->befores,
                    true);
    else if (barrier->pattern != NULL)
        print_parts(paper, wait, "came to a barrier made with it, but not to this one", barrier->before,
                    barrier->befores, true);
}

static void print_likely(struct paper *paper, const struct hang_wait *wait)
{
    if (wait->likely[0] == '\0') return;
    fprintf(paper->out, "\n  Likely: %s", wait->likely);
    paper->lines++;
}

// Of several addresses it is the first.
static void print_writer(struct paper *paper, const struct hang_wait *wait)
{
    char text[2 * PLACE_BYTES] = "";
    struct machine_text to = {text, 0, sizeof text};
    if (wait->what != HANG_MEMORY || !wait->is_known || paper->hang->kind != MACHINE_HUNG) return;
    hang_tell_memory(paper->hang, wait, &to);
    fprintf(paper->out, "\n  0x%llx: %s", (unsigned long long)wait->address, text);
    paper->lines++;
}

static void print_details(struct paper *paper, const struct hang_wait *wait)
{
    print_instruction(paper, wait);
    print_writer(paper, wait);
    if (wait->barrier != NULL && has_room(paper, 4)) {
        print_barrier_state(paper, wait);
        print_history(paper, wait);
    }
    print_likely(paper, wait);
}

// --- The report ------------------------------------------------------------------------------------------------------

static void print_places(const struct paper *paper, const struct hang_wait *wait)
{
    char own[PLACE_BYTES], places[2 * PLACE_BYTES] = "";
    struct machine_text to = {places, 0, sizeof places};
    hang_add_places(&to, wait->likely, hang_place(wait, own, sizeof own));
    fputs(places, paper->out);
}

static const char *what_happened(const struct machine_hang *hang)
{
    return hang->kind == MACHINE_HUNG      ? "hangs"
           : hang->kind == MACHINE_TRAPPED ? "has waited in vain"
                                           : "was stopped at its limit";
}

static void print_head(struct paper *paper, uint32_t group, const char *kernel)
{
    const struct hang_wait *wait = &paper->hang->wait[group];
    char place[PLACE_BYTES];
    const bool is_known = machine_where_outer(&wait->where).line > 0;
    const char *at = is_known ? place_text(&wait->where, true, place, sizeof place) : "tmaref";
    fprintf(paper->out, "%s%s: error: kernel %s %s%s: ", paper->lines > 0 ? "\n" : "", at, kernel,
            paper->lines > 0 ? "also " : "", what_happened(paper->hang));
    print_wait(paper, group);
    if (machine_where_helper(&wait->where).line > 0) {
        const struct machine_caller helper = machine_where_helper(&wait->where);
        fprintf(paper->out, "; the wait is at %s", where_place(&helper, false, place, sizeof place));
    }
    print_places(paper, wait);
    paper->lines++;
}

static bool is_group(const struct machine_hang *hang, uint32_t at, bool is_root)
{
    return hang->wait[at].group == at && hang->wait[at].is_root == is_root;
}

static uint32_t count_groups(const struct machine_hang *hang, bool is_root)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < hang->waits; i++) groups += (uint32_t)is_group(hang, i, is_root);
    return groups;
}

// The next root to tell of: the surest first. `before`: the one that was told of last, NULL at first.
static const struct hang_wait *next_root(const struct machine_hang *hang, const struct hang_wait *before)
{
    const struct hang_wait *best = NULL;
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *wait = &hang->wait[i];
        if (!is_group(hang, i, true)) continue;
        if (before != NULL && (wait->score > before->score || (wait->score == before->score && wait <= before)))
            continue;
        if (best == NULL || wait->score > best->score) best = wait;
    }
    return best;
}

static void print_roots(struct paper *paper, const char *kernel)
{
    const uint32_t roots = count_groups(paper->hang, true);
    uint32_t told = 0;
    for (const struct hang_wait *wait = next_root(paper->hang, NULL); wait != NULL;
         wait = next_root(paper->hang, wait)) {
        if (told > 0 && (!has_room(paper, 6) || (paper->most > 0 && told == MOST_ROOTS))) break;
        print_head(paper, wait->group, kernel);
        print_details(paper, wait);
        told++;
    }
    if (told == roots) return;
    fprintf(paper->out, "\n  and %u more waits that depend on no other; --verbose shows all", roots - told);
    paper->lines++;
}

static void print_follower(struct paper *paper, uint32_t group)
{
    char place[PLACE_BYTES];
    fprintf(paper->out, "\n  follows: ");
    print_wait(paper, group);
    fprintf(paper->out, " (%s)", hang_place(&paper->hang->wait[group], place, sizeof place));
    paper->lines++;
}

static void print_followers(struct paper *paper)
{
    uint32_t left = count_groups(paper->hang, false);
    for (uint32_t i = 0; i < paper->hang->waits; i++) {
        if (!is_group(paper->hang, i, false)) continue;
        if (!has_room(paper, left > 1 ? 3 : 2)) break;
        print_follower(paper, i);
        left--;
    }
    if (left == 0) return;
    fprintf(paper->out, "\n  and %u more groups of threads that follow; --verbose shows all", left);
    paper->lines++;
}

void hang_print(FILE *out, const struct machine_hang *hang, bool is_whole)
{
    const struct ptx_name *name = &hang->machine->kernel->entry->source->name;
    char kernel[DEMANGLED_BYTES];
    struct paper paper = {out, hang, 0, is_whole ? 0 : HANG_LINES};
    demangle_function(name->at, name->length, kernel, sizeof kernel);
    if (hang->waits == 0) fprintf(out, "tmaref: error: kernel %s %s", kernel, what_happened(hang));
    print_roots(&paper, kernel);
    print_followers(&paper);
    fprintf(out, "\n  %s", hang->why);
}
