// SPDX-License-Identifier: MIT
// What happened when, as a file in the trace event format, which Perfetto (ui.perfetto.dev) loads: a process for each
// CTA; in it a row for the CTA, for each warp and for each mbarrier, a curve of each mbarrier's missing bytes, and
// asynchronous operations from their issue to their end. One tick of the machine's clock is shown as a nanosecond.
// A launch begins behind all that the file has; the CTAs of one begin together: each cluster has a clock of its own.
#include "look_trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight_item.h"
#include "json_text.h"
#include "module.h"
#include "report.h"

enum { MOST_EVENTS = 1000000, GAP = 100, ROW_CTA = 0, ROW_WARPS = 1, ROW_BARRIERS = 1000 };

// The program's locale may have another decimal point than JSON: microseconds are printed from integers.
#define MICROSECONDS       "%llu.%03u"
#define THOUSANDTHS(ticks) (unsigned long long)(ticks) / 1000, (unsigned)((ticks) % 1000)

// A row in which spans follow each other. `what` is the source line of the open one, 0: none is open.
struct span {
    uint64_t what, begin, end;
    const struct machine_function *function;
    uint32_t instruction;
};

struct barrier_row {
    uint32_t address, row;
    bool is_open;
    uint64_t begin, latest, phases;
    struct mbarrier_transaction sum;
};

struct cta {
    const struct machine_cluster *cluster;
    uint64_t number, begin, end;
    uint32_t rank, process, warps, barriers, barrier_room, ctaid[3];
    struct span *warp;
    struct barrier_row *barrier;
    bool is_shown, is_done; // its name is in the file; its end was told
};

struct flying {
    const struct machine_flight *flight;
    uint64_t id, operation, last;
    uint32_t process;
    bool is_shown; // its begin is in the file
    char name[48];
};

// The file. until: the tick behind all events that it has.
struct look_trace {
    FILE *out;
    char *path;
    uint32_t processes;
    uint64_t until, events, operations, launches, lost;
    bool is_short;  // there was no memory for all
    int error;      // the first that writing had
    bool is_ending; // what the file shows: its end comes into the file, however many events that has
};

// A launch: its ticks count from `start`.
struct look_trace_launch {
    struct look_trace *file;
    const char *kernel;
    struct machine_module *module;
    const struct machine_code *code; // that is executed now
    struct cta *cta;
    struct flying *flying;
    uint32_t ctas, cta_room, flyings, flying_room;
    uint64_t number, start, latest;
};

// --- Events of the format --------------------------------------------------------------------------------------------

// Begins one; 0 if there are as many as may be. `what` is what follows the time.
__attribute__((format(printf, 6, 7))) static bool begin_event(struct look_trace_launch *trace, const char *phase,
                                                              uint32_t process, uint32_t row, uint64_t tick,
                                                              const char *format, ...)
{
    va_list list;
    if (trace->file->events >= MOST_EVENTS && !trace->file->is_ending) {
        trace->file->lost++;
        return false;
    }
    fprintf(trace->file->out, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":" MICROSECONDS,
            trace->file->events++ > 0 ? ",\n" : "", phase, process, row, THOUSANDTHS(trace->start + tick));
    if (tick > trace->latest) trace->latest = tick;
    if (trace->start + tick + GAP > trace->file->until) trace->file->until = trace->start + tick + GAP;
    va_start(list, format);
    vfprintf(trace->file->out, format, list);
    va_end(list);
    return true;
}

static void put_name(const struct look_trace_launch *trace, const char *name)
{
    fprintf(trace->file->out, ",\"name\":");
    json_text(trace->file->out, name, strlen(name));
}

static void put_meta(struct look_trace_launch *trace, const char *what, uint32_t process, uint32_t row,
                     const char *name)
{
    if (!begin_event(trace, "M", process, row, 0, ",\"name\":\"%s\",\"args\":{\"name\":", what)) return;
    json_text(trace->file->out, name, strlen(name));
    fprintf(trace->file->out, "}}");
}

// --- CTAs ------------------------------------------------------------------------------------------------------------

static struct cta *find_cta(const struct look_trace_launch *trace, const struct machine_cluster *cluster, uint32_t rank)
{
    for (uint32_t i = trace->ctas; i-- > 0;)
        if (trace->cta[i].cluster == cluster && trace->cta[i].rank == rank) return &trace->cta[i];
    return NULL;
}

static struct cta *cta_of_number(const struct look_trace_launch *trace, uint64_t number)
{
    for (uint32_t i = trace->ctas; i-- > 0;)
        if (trace->cta[i].number == number) return &trace->cta[i];
    return NULL;
}

static void name_cta(struct look_trace_launch *trace, const struct cta *cta)
{
    char name[256];
    snprintf(name, sizeof name, "launch %llu, %.160s: CTA (%u,%u,%u)", (unsigned long long)trace->number, trace->kernel,
             cta->ctaid[0], cta->ctaid[1], cta->ctaid[2]);
    put_meta(trace, "process_name", cta->process, ROW_CTA, name);
    put_meta(trace, "thread_name", cta->process, ROW_CTA, "CTA");
    for (uint32_t i = 0; i < cta->warps; i++) {
        snprintf(name, sizeof name, "warp %u", i);
        put_meta(trace, "thread_name", cta->process, ROW_WARPS + i, name);
    }
}

static struct cta *open_cta(struct look_trace_launch *trace, const struct machine_cta *from)
{
    struct cta *more = look_grow(trace->cta, &trace->cta_room, trace->ctas + 1, sizeof *more);
    struct span *spans = more == NULL ? NULL : calloc(from->warps + 1u, sizeof *spans);
    if (more != NULL) trace->cta = more;
    trace->file->is_short |= spans == NULL;
    if (spans == NULL) return NULL;
    struct cta *cta = &more[trace->ctas++];
    *cta = (struct cta){.cluster = from->cluster,
                        .number = from->number,
                        .rank = from->rank,
                        .begin = machine_now(from->cluster),
                        .process = ++trace->file->processes,
                        .warps = from->warps,
                        .warp = spans,
                        .is_shown = trace->file->events < MOST_EVENTS};
    memcpy(cta->ctaid, from->ctaid, sizeof cta->ctaid);
    name_cta(trace, cta);
    return cta;
}

// --- Warps -----------------------------------------------------------------------------------------------------------

static void end_span(struct look_trace_launch *trace, const struct cta *cta, uint32_t warp)
{
    struct span *span = &cta->warp[warp];
    char place[512];
    if (span->what == 0) return;
    const struct ptx_function *source = span->function->source;
    const struct ptx_instruction *instruction = &source->instruction[span->instruction];
    look_place(trace->module, source, instruction, place, sizeof place);
    const char *slash = strrchr(place, '/');
    span->what = 0;
    if (!begin_event(trace, "X", cta->process, ROW_WARPS + warp, span->begin, ",\"dur\":" MICROSECONDS,
                     THOUSANDTHS(span->end - span->begin)))
        return;
    put_name(trace, slash != NULL ? slash + 1 : place);
    fprintf(trace->file->out, ",\"args\":{\"place\":");
    json_text(trace->file->out, place, strlen(place));
    fprintf(trace->file->out, ",\"PTX line\":%u}}", instruction->line);
}

// The line of the source, or where there is none that of the PTX, as a number of its own.
static uint64_t line_of(const struct machine_step *step)
{
    const struct ptx_function *source = step->function->source;
    const struct ptx_instruction *instruction = &source->instruction[step->code->instruction];
    const struct ptx_location *at = &source->location[instruction->location];
    return instruction->location == 0 ? (uint64_t)1 << 63 | instruction->line
                                      : (uint64_t)(at->file + 1) << 32 | at->line;
}

void look_trace_before(struct look_trace_launch *trace, const struct machine_step *step)
{
    const struct machine_warp *warp = step->warp;
    const struct machine_cluster *cluster = warp->cta->cluster;
    struct cta *cta = find_cta(trace, cluster, warp->cta->rank);
    if (cta == NULL) cta = open_cta(trace, warp->cta);
    trace->code = step->code;
    if (cta == NULL || step->code->instruction >= step->function->source->instructions) return;
    struct span *span = &cta->warp[warp->index];
    uint64_t now = machine_now(cluster), what = line_of(step);
    if (span->what != what) {
        end_span(trace, cta, warp->index);
        *span = (struct span){what, now, now + 1, step->function, step->code->instruction};
    }
    span->end = cta->end = now + 1;
}

// --- Asynchronous operations -----------------------------------------------------------------------------------------

static void begin_flight(struct look_trace_launch *trace, const struct machine_flight *flight)
{
    const struct machine_cta *from = flight->warp->cta;
    const struct cta *cta = find_cta(trace, from->cluster, from->rank);
    struct flying *more = look_grow(trace->flying, &trace->flying_room, trace->flyings + 1, sizeof *more);
    trace->file->is_short |= more == NULL;
    if (more == NULL || cta == NULL) return;
    trace->flying = more;
    struct flying *flying = &more[trace->flyings++];
    *flying = (struct flying){.flight = flight, .id = ++trace->file->operations, .process = cta->process};
    const int form = trace->code != NULL && trace->code->choice != NULL ? trace->code->choice->form : -1;
    snprintf(flying->name, sizeof flying->name, "%s", form < 0 ? "operation" : ptx_form_row(form)->opcode);
    flying->last = machine_now(from->cluster);
    if (flight->kind == FLIGHT_OPERATION)
        flying->operation = ((const struct flight_operation *)flight)->flight.teller.origin.operation;
    flying->is_shown = begin_event(trace, "b", flying->process, ROW_WARPS + flight->warp->index, flying->last,
                                   ",\"cat\":\"asynchronous\",\"id\":%llu", (unsigned long long)flying->id);
    if (!flying->is_shown) return;
    put_name(trace, flying->name);
    fprintf(trace->file->out, ",\"args\":{\"PTX line\":%u,\"warp\":%u", machine_flight_line(flight),
            flight->warp->index);
    const struct operation *o = &((const struct flight_operation *)flight)->flight.operation;
    if (flight->kind == FLIGHT_OPERATION)
        fprintf(trace->file->out, ",\"bytes\":%u", o->map_address != 0 ? o->map.box_bytes : o->size_bytes);
    if (flight->kind == FLIGHT_OPERATION && operation_has_barrier(o->kind))
        fprintf(trace->file->out, ",\"barrier\":\"%#x\"", cluster_mapa(o->barrier, 0));
    fprintf(trace->file->out, "}}");
}

static void end_flight(struct look_trace_launch *trace, uint32_t i, uint64_t tick)
{
    struct flying *flying = &trace->flying[i];
    trace->file->is_ending = flying->is_shown;
    if (begin_event(trace, "e", flying->process, 0, tick, ",\"cat\":\"asynchronous\",\"id\":%llu",
                    (unsigned long long)flying->id)) {
        put_name(trace, flying->name);
        fprintf(trace->file->out, "}");
    }
    trace->file->is_ending = false;
    *flying = trace->flying[--trace->flyings];
}

void look_trace_flight(struct look_trace_launch *trace, const struct machine_flight *flight, int begins)
{
    if (begins) {
        begin_flight(trace, flight);
        return;
    }
    for (uint32_t i = 0; i < trace->flyings; i++) {
        if (trace->flying[i].flight != flight) continue;
        uint64_t now = machine_now(flight->warp->cta->cluster);
        end_flight(trace, i, now > trace->flying[i].last ? now : trace->flying[i].last + 1);
        return;
    }
}

// --- Barriers --------------------------------------------------------------------------------------------------------

static void name_text(const struct cta *cta, uint32_t address, char *text, size_t bytes)
{
    char name[96] = "";
    if (cta->cluster != NULL) machine_shared_name(cta->cluster->machine, address, name, sizeof name);
    snprintf(text, bytes, "mbarrier %s%s%#x", name, name[0] != '\0' ? " at " : "", address);
}

static struct barrier_row *barrier_of(struct look_trace_launch *trace, struct cta *cta, uint32_t address)
{
    char name[128];
    for (uint32_t i = 0; i < cta->barriers; i++)
        if (cta->barrier[i].address == address) return &cta->barrier[i];
    struct barrier_row *more = look_grow(cta->barrier, &cta->barrier_room, cta->barriers + 1, sizeof *more);
    trace->file->is_short |= more == NULL;
    if (more == NULL) return NULL;
    cta->barrier = more;
    struct barrier_row *row = &more[cta->barriers];
    *row = (struct barrier_row){.address = address, .row = ROW_BARRIERS + cta->barriers};
    cta->barriers++;
    name_text(cta, address, name, sizeof name);
    put_meta(trace, "thread_name", cta->process, row->row, name);
    return row;
}

static void end_phase(struct look_trace_launch *trace, const struct cta *cta, struct barrier_row *row, uint64_t tick,
                      const char *how)
{
    if (row->is_open &&
        begin_event(trace, "X", cta->process, row->row, row->begin,
                    ",\"dur\":" MICROSECONDS ",\"name\":\"phase %llu%s\",\"args\":{\"arrivals\":%llu,\"bytes "
                    "expected\":%llu,\"bytes completed\":%llu,\"parity\":%llu}}",
                    THOUSANDTHS(tick > row->begin ? tick - row->begin : 1), (unsigned long long)row->phases, how,
                    (unsigned long long)row->sum.arrivals, (unsigned long long)row->sum.expect_bytes,
                    (unsigned long long)row->sum.complete_bytes, (unsigned long long)row->phases % 2))
        row->is_open = false;
    row->begin = tick;
    row->sum = (struct mbarrier_transaction){0};
}

// What a transaction brings, as a mark in the row and as a point of the curve.
static void mark(struct look_trace_launch *trace, const struct cta *cta, const struct barrier_row *row, uint64_t tick,
                 const struct event *event)
{
    const struct mbarrier_transaction *t = &event->barrier.transaction;
    if (begin_event(trace, "i", cta->process, row->row, tick,
                    ",\"s\":\"t\",\"name\":\"%s\",\"args\":{\"arrivals\":%llu,\"expects\":%llu,\"completes\":%llu,\"by "
                    "CTA\":%llu,\"by warp\":%u,\"PTX line\":%u}}",
                    t->complete_bytes > 0 ? "complete_tx"
                    : t->expect_bytes > 0 ? "expect_tx"
                                          : "arrive",
                    (unsigned long long)t->arrivals, (unsigned long long)t->expect_bytes,
                    (unsigned long long)t->complete_bytes, (unsigned long long)event->origin->cta, event->origin->warp,
                    event->origin->line) &&
        (t->expect_bytes > 0 || t->complete_bytes > 0))
        begin_event(trace, "C", cta->process, row->row, tick,
                    ",\"name\":\"missing bytes of %#x\",\"args\":{\"bytes\":%lld}}", row->address,
                    (long long)(row->sum.expect_bytes - row->sum.complete_bytes));
}

// Warps run side by side, one after the other: what comes later at a barrier is not told to be earlier, nor a copy's
// end before its issue.
static uint64_t barrier_tick(const struct look_trace_launch *trace, const struct cta *teller, const struct cta *cta,
                             struct barrier_row *row, uint64_t operation)
{
    uint64_t now = machine_now(cta->cluster);
    if (now < row->latest) now = row->latest;
    for (uint32_t i = 0; operation != 0 && i < trace->flyings; i++) {
        const struct flying *flying = &trace->flying[i];
        if (flying->process == teller->process && flying->operation == operation && now <= flying->last)
            now = flying->last + 1;
    }
    row->latest = now;
    return now;
}

static void hear_barrier(struct look_trace_launch *trace, const struct event *event)
{
    const struct event_barrier *barrier = &event->barrier;
    const struct cta *teller = cta_of_number(trace, event->origin->cta);
    struct cta *cta = teller == NULL ? NULL : find_cta(trace, teller->cluster, barrier->rank);
    if (cta == NULL || cta->is_done) return;
    struct barrier_row *row = barrier_of(trace, cta, barrier->address);
    if (row == NULL) return;
    uint64_t now = barrier_tick(trace, teller, cta, row, event->origin->operation);
    switch (barrier->step) {
    case BARRIER_INIT:
        end_phase(trace, cta, row, now, " (made anew)");
        row->phases = 0;
        row->is_open = true;
        return;
    case BARRIER_INVAL:
        end_phase(trace, cta, row, now, " (dropped)");
        row->is_open = false;
        return;
    case BARRIER_TRANSACTION:
        row->sum.arrivals += barrier->transaction.arrivals;
        row->sum.expect_bytes += barrier->transaction.expect_bytes;
        row->sum.complete_bytes += barrier->transaction.complete_bytes;
        mark(trace, cta, row, now, event);
        if (!barrier->completes) return;
        end_phase(trace, cta, row, now, "");
        row->phases++;
        row->is_open = true;
        return;
    default:
        return;
    }
}

// Ends the file, and goes back: it is whole after each launch, however the program ends.
static void close_list(struct look_trace *trace)
{
    static const char end[] = "\n]}\n";
    errno = 0;
    if (fputs(end, trace->out) < 0 || fflush(trace->out) != 0 || ferror(trace->out))
        if (trace->error == 0) trace->error = errno != 0 ? errno : EIO;
    fseek(trace->out, -(long)(sizeof end - 1), SEEK_CUR);
}

// --- Ends ------------------------------------------------------------------------------------------------------------

static void end_cta(struct look_trace_launch *trace, struct cta *cta, const char *how)
{
    if (cta->is_done) return;
    trace->file->is_ending = cta->is_shown;
    for (uint32_t i = 0; i < cta->warps; i++) end_span(trace, cta, i);
    for (uint32_t i = 0; i < cta->barriers; i++) end_phase(trace, cta, &cta->barrier[i], cta->end, " (not complete)");
    begin_event(trace, "X", cta->process, ROW_CTA, cta->begin,
                ",\"dur\":" MICROSECONDS ",\"name\":\"CTA (%u,%u,%u)%s\"}", THOUSANDTHS(cta->end - cta->begin),
                cta->ctaid[0], cta->ctaid[1], cta->ctaid[2], how);
    trace->file->is_ending = false;
    cta->is_done = true;
}

static void free_cta(struct cta *cta)
{
    free(cta->warp);
    free(cta->barrier);
}

// Forgets the CTAs of a cluster that is over: another one may lie where it lay.
static void forget_cluster(struct look_trace_launch *trace, const struct machine_cluster *cluster)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < trace->ctas; i++)
        if (trace->cta[i].cluster == cluster && !trace->cta[i].is_done) return;
    for (uint32_t i = 0; i < trace->ctas; i++)
        if (trace->cta[i].cluster == cluster)
            free_cta(&trace->cta[i]);
        else
            trace->cta[kept++] = trace->cta[i];
    trace->ctas = kept;
}

void look_trace_hear(struct look_trace_launch *trace, const struct event *event)
{
    if (event->kind == EVENT_BARRIER) hear_barrier(trace, event);
    if (event->kind != EVENT_RUN || event->run != RUN_CTA_EXIT) return;
    struct cta *cta = cta_of_number(trace, event->origin->cta);
    if (cta == NULL) return;
    const struct machine_cluster *cluster = cta->cluster;
    end_cta(trace, cta, "");
    if (cluster->live_ctas <= 1) forget_cluster(trace, cluster);
}

void look_trace_end(struct look_trace_launch *trace)
{
    while (trace->flyings > 0) end_flight(trace, 0, trace->latest);
    for (uint32_t i = 0; i < trace->ctas; i++) {
        trace->cta[i].cluster = NULL; // it is no more
        end_cta(trace, &trace->cta[i], " (did not end)");
        free_cta(&trace->cta[i]);
    }
    close_list(trace->file);
    free(trace->cta);
    free(trace->flying);
    free(trace);
}

// --- The file --------------------------------------------------------------------------------------------------------

struct look_trace *look_trace_open(const char *path, const char *run)
{
    struct look_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL) return NULL;
    trace->path = look_string(path, strlen(path));
    trace->out = trace->path == NULL ? NULL : look_file_open(&trace->path, run);
    if (trace->path != NULL && trace->out != NULL) {
        fprintf(
            trace->out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"run\":\"%s\",\"tick shown as 1 ns\":\"the machine's clock: "
            "instructions, not cycles\"},\"traceEvents\":[\n",
            run);
        look_file_share(trace->out);
        return trace;
    }
    if (trace->out != NULL) fclose(trace->out);
    free(trace->path);
    free(trace);
    return NULL;
}

struct look_trace_launch *look_trace_begin(struct look_trace *trace, const char *kernel, struct machine_module *module)
{
    struct look_trace_launch *launch = calloc(1, sizeof *launch);
    trace->launches++;
    trace->is_short |= launch == NULL;
    if (launch == NULL) return NULL;
    *launch = (struct look_trace_launch){
        .file = trace, .kernel = kernel, .module = module, .number = trace->launches, .start = trace->until};
    return launch;
}

bool look_trace_close(struct look_trace *trace, char *why, size_t why_bytes)
{
    close_list(trace);
    const bool is_written = look_file_close(trace->out, trace->path, trace->error);
    if (!is_written)
        snprintf(why, why_bytes, "the trace %s could not be written, and was removed: %s", trace->path,
                 strerror(errno));
    if (trace->is_short) fprintf(stderr, "tmaref: there was no memory for all of the trace %s\n", trace->path);
    if (trace->lost > 0)
        fprintf(stderr, "tmaref: the trace %s holds the first %d events; %llu more are left out\n", trace->path,
                MOST_EVENTS, (unsigned long long)trace->lost);
    free(trace->path);
    free(trace);
    return is_written;
}
