// SPDX-License-Identifier: MIT
// The state of a hang as JSON: docs/hang.schema.json says which keys there are.
#include "tell_hang.h"

#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "report.h"

static const char *const kinds[HANG_WHATS] = {
    [HANG_RUNS] = "nothing",         [HANG_MEMORY] = "memory",           [HANG_MBARRIER] = "mbarrier",
    [HANG_BARRIER] = "barrier",      [HANG_CLUSTER] = "barrier.cluster", [HANG_LANES] = "lanes",
    [HANG_REGISTERS] = "setmaxnreg", [HANG_PRODUCT] = "wgmma",
};

static void print_string(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": ", key);
    json_text(out, text, strlen(text));
}

static void print_triple(FILE *out, const char *key, const uint32_t value[3])
{
    fprintf(out, "\"%s\": [%u, %u, %u]", key, value[0], value[1], value[2]);
}

static void print_line(FILE *out, const struct machine *machine, uint32_t line, uint32_t called_at)
{
    const struct machine_where where = machine_line_where(machine, line, called_at);
    const struct machine_caller at = machine_where_outer(&where);
    fprintf(out, "\"ptx_line\": %u", line);
    if (at.line == 0) return;
    fprintf(out, ", \"line\": %u, \"file\": ", at.line);
    json_text(out, at.file.at, at.file.length);
}

static void print_place(FILE *out, const struct hang_wait *wait)
{
    const struct machine_caller at = machine_where_outer(&wait->where);
    fprintf(out, "\"place\": {\"ptx_line\": %u", wait->where.ptx_line);
    if (at.line > 0) {
        fprintf(out, ", \"line\": %u, \"file\": ", at.line);
        json_text(out, at.file.at, at.file.length);
    }
    fprintf(out, ", \"instruction\": ");
    json_text(out, wait->where.instruction.at, wait->where.instruction.length);
    fprintf(out, "}");
}

static void print_strands(FILE *out, const struct hang_wait *wait)
{
    fprintf(out, "\"threads\": [");
    for (uint32_t i = 0; i < wait->strands; i++) {
        const struct machine_warp *warp = wait->strand[i]->warp;
        fprintf(out, "%s{", i == 0 ? "" : ", ");
        print_triple(out, "cta", warp->cta->ctaid);
        fprintf(out, ", \"warp\": %u, \"lanes\": \"0x%08x\"}", warp->index, wait->strand[i]->lanes);
    }
    fprintf(out, "]");
}

static void print_part(FILE *out, const struct machine *machine, const struct hang_part *part)
{
    fprintf(out, "{\"by\": \"%s\", ", part->is_copy ? "copy" : "instruction");
    if (part->warp != NULL) {
        print_triple(out, "cta", part->cta->ctaid);
        fprintf(out, ", \"warp\": %u, \"exited\": %s, ", part->warp->index, part->warp->live == 0 ? "true" : "false");
    }
    fprintf(out, "\"missing\": %s, \"arrivals\": %llu, \"expected_bytes\": %llu, \"bytes\": %llu, ",
            part->is_missing ? "true" : "false", (unsigned long long)part->transaction.arrivals,
            (unsigned long long)part->transaction.expect_bytes, (unsigned long long)part->transaction.complete_bytes);
    print_line(out, machine, part->line, part->called_at);
    fprintf(out, "}");
}

static void print_parts(FILE *out, const char *key, const struct machine *machine, const struct hang_part *part,
                        uint32_t parts)
{
    fprintf(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < parts; i++) {
        if (i > 0) fprintf(out, ", ");
        print_part(out, machine, &part[i]);
    }
    fprintf(out, "]");
}

static void print_barrier(FILE *out, const struct hang_wait *wait)
{
    const struct hang_barrier *barrier = wait->barrier;
    const struct machine *machine = wait->cluster->machine;
    fprintf(out, "\"barrier\": {");
    print_string(out, "name", barrier->name);
    fprintf(out, ", \"address\": \"0x%x\", ", wait->number);
    print_triple(out, "cta", wait->cluster->cta[wait->rank].ctaid);
    fprintf(out, ", \"parity\": %d, \"pending\": %u, \"count\": %u, \"tx\": %d, \"inits\": %llu, \"phases\": %llu",
            barrier->now.phase, barrier->now.pending, barrier->now.expected, barrier->now.tx,
            (unsigned long long)(barrier->page != NULL ? barrier->page->inits : 0),
            (unsigned long long)(barrier->page != NULL ? barrier->page->phases : 0));
    if (barrier->page != NULL) {
        fprintf(out, ", \"init\": {");
        print_line(out, machine, barrier->page->init.line, barrier->page->init.called_at);
        fprintf(out, "}");
    }
    fprintf(out, ", \"history\": {\"of_another\": %s",
            barrier->pattern != NULL && barrier->pattern != barrier->page ? "true" : "false");
    print_parts(out, "this_phase", machine, barrier->part, barrier->parts);
    print_parts(out, "phase_before", machine, barrier->before, barrier->befores);
    fprintf(out, "}}");
}

// What the first line of the text shows behind "see".
static void print_see(FILE *out, const struct hang_wait *wait)
{
    char own[160];
    struct hang_see see[HANG_MOST_SEEN];
    const uint32_t places = hang_see(wait->likely, hang_place(wait, own, sizeof own), see);
    fprintf(out, ", \"see\": [");
    for (uint32_t i = 0; i < places; i++) {
        fputs(i > 0 ? ", " : "", out);
        json_text(out, see[i].at, (size_t)see[i].length);
    }
    fprintf(out, "]");
}

static void print_wait(FILE *out, const struct hang_wait *wait)
{
    fprintf(out, "{\"wait\": \"%s\", \"root\": %s, \"group\": %u, ", kinds[wait->what],
            wait->is_root ? "true" : "false", wait->group);
    print_place(out, wait);
    fprintf(out, ", ");
    print_strands(out, wait);
    if (wait->parity >= 0) fprintf(out, ", \"parity\": %d", wait->parity);
    if (wait->what == HANG_BARRIER) fprintf(out, ", \"number\": %u", wait->number);
    if (wait->wanted > 0) fprintf(out, ", \"come\": %u, \"wanted\": %u", wait->come, wait->wanted);
    if (wait->is_known) fprintf(out, ", \"address\": \"0x%llx\"", (unsigned long long)wait->address);
    fprintf(out, ", ");
    if (wait->barrier != NULL) {
        print_barrier(out, wait);
        fprintf(out, ", ");
    }
    print_string(out, "likely", wait->likely);
    print_see(out, wait);
    fprintf(out, "}");
}

// The roots alone, by their place in the list of waits, then the waits.
static void print_json(FILE *out, const struct machine_hang *hang)
{
    const char *comma = "";
    fprintf(out, "{\"version\": 1, ");
    print_string(out, "why", hang->why);
    fprintf(out, ", \"roots\": [");
    for (uint32_t i = 0; i < hang->waits; i++) {
        if (!hang->wait[i].is_root || hang->wait[i].group != i) continue;
        fprintf(out, "%s%u", comma, i);
        comma = ", ";
    }
    fprintf(out, "], \"waits\": [");
    for (uint32_t i = 0; i < hang->waits; i++) {
        if (i > 0) fprintf(out, ", ");
        print_wait(out, &hang->wait[i]);
    }
    fprintf(out, "]}");
}

void hang_report(const struct driver *driver, const struct machine_hang *hang, struct hang_told *told)
{
    const bool is_json = driver->options.json != 0;
    size_t length;
    FILE *text = is_json ? NULL : open_memstream(&told->text, &length);
    if (text != NULL) {
        hang_print(text, hang, driver->options.verbose != 0);
        fclose(text);
    }
    FILE *json = is_json || driver->options.findings[0] != '\0' ? open_memstream(&told->json, &length) : NULL;
    if (json != NULL) {
        print_json(json, hang);
        fclose(json);
    }
}

void hang_told_free(struct hang_told *told)
{
    free(told->text);
    free(told->json);
    *told = (struct hang_told){.text = NULL};
}
