// SPDX-License-Identifier: MIT
#include "sync_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight_item.h"
#include "form_number.h"
#include "hang.h"
#include "mbarrier.h"
#include "report.h"
#include "where_text.h"

enum { MOST_STEPS = 4000000, NAME_BYTES = 128, PLACE_BYTES = 512, SEEN_SLOTS = 4096 };

struct sync_log {
    FILE *out;
    char *path;
    uint64_t steps;
    uint32_t places;
    bool is_short; // there was no memory for all
};

// Strong reads of one instruction, which a warp makes over and over while it polls: only the last ones are written,
// when the warp makes another step, or somebody else is about to change what was read. accesses: 0, or how many there
// are.
struct poll {
    struct event_origin origin;
    struct access access[MACHINE_LANES];
    uint32_t accesses;
};

// A warp, the first CTA of its cluster, and the step that each of its lanes made last.
struct seen_warp {
    struct seen_warp *next;
    uint64_t cta, cluster;
    uint32_t warp;
    uint64_t last[MACHINE_LANES];
    struct poll poll;
};

struct seen_barrier {
    struct seen_barrier *next;
    uint64_t cluster;
    uint32_t rank, address;
};

// place: of each line of the PTX; 0: it has none yet. cluster: that of the step
struct sync_log_launch {
    struct sync_log *log;
    uint64_t number;
    struct machine_step step;    // that is executed now
    bool has_access, has_issued; // it has made a strong access; it has begun an operation
    uint32_t polls;              // of how many warps reads are not written yet
    struct machine_cluster *cluster;
    uint32_t *place, places;
    struct seen_warp *warp[SEEN_SLOTS];
    struct seen_barrier *barrier[SEEN_SLOTS];
};

// --- Tables ----------------------------------------------------------------------------------------------------------

static void put_cta(const struct sync_log_launch *launch, uint32_t rank)
{
    const uint32_t *at = launch->cluster->cta[rank].ctaid;
    fprintf(launch->log->out, "C %llu %llu %u %u,%u,%u %u\n", (unsigned long long)launch->number,
            (unsigned long long)launch->cluster->cta[0].number, rank, at[0], at[1], at[2],
            launch->cluster->cta[rank].warps);
}

// The warp that an event is of, whose first one is of a step. NULL without memory.
static struct seen_warp *warp_of(struct sync_log_launch *launch, uint64_t cta, uint32_t rank, uint32_t warp)
{
    struct seen_warp **slot = &launch->warp[(cta * 37 + warp) % SEEN_SLOTS], *at = *slot;
    while (at != NULL && (at->cta != cta || at->warp != warp)) at = at->next;
    if (at != NULL) return at;
    at = calloc(1, sizeof *at);
    launch->log->is_short |= at == NULL;
    if (at == NULL) return NULL;
    *at = (struct seen_warp){.next = *slot, .cta = cta, .cluster = launch->cluster->cta[0].number, .warp = warp};
    *slot = at;
    put_cta(launch, rank);
    return at;
}

static void name_barrier(struct sync_log_launch *launch, uint32_t rank, uint32_t address)
{
    const uint64_t cluster = launch->cluster->cta[0].number;
    struct seen_barrier **slot = &launch->barrier[(cluster * 53 + rank * 7 + address / MBARRIER_BYTES) % SEEN_SLOTS];
    char name[NAME_BYTES];
    for (const struct seen_barrier *at = *slot; at != NULL; at = at->next)
        if (at->cluster == cluster && at->rank == rank && at->address == address) return;
    struct seen_barrier *more = calloc(1, sizeof *more);
    launch->log->is_short |= more == NULL;
    if (more == NULL) return;
    *more = (struct seen_barrier){*slot, cluster, rank, address};
    *slot = more;
    hang_name(launch->cluster, rank, address, name, sizeof name);
    fprintf(launch->log->out, "B %llu %llu %u %u %s\n", (unsigned long long)launch->number, (unsigned long long)cluster,
            rank, address, name);
}

static void name_place(const struct sync_log_launch *launch, uint32_t line, char text[PLACE_BYTES])
{
    const struct machine_step *step = &launch->step;
    snprintf(text, PLACE_BYTES, "PTX line %u", line);
    if (step->strand == NULL || step->code->instruction >= step->function->source->instructions ||
        step->function->source->instruction[step->code->instruction].line != line)
        return;
    const struct machine_where where = machine_where(step->strand, step->code, (uint32_t)__builtin_ctz(step->lanes));
    const struct machine_caller lead = machine_where_lead(&where);
    if (lead.line > 0) where_place(&lead, false, text, PLACE_BYTES);
}

// The number of a place, of a line of the PTX.
static uint32_t place_of(struct sync_log_launch *launch, uint32_t line)
{
    char text[PLACE_BYTES];
    uint32_t *more = look_grow(launch->place, &launch->places, line + 1, sizeof *more);
    launch->log->is_short |= more == NULL;
    if (more == NULL) return 0;
    launch->place = more;
    if (launch->place[line] == 0) {
        launch->place[line] = ++launch->log->places;
        name_place(launch, line, text);
        fprintf(launch->log->out, "P %u %s\n", launch->place[line], text);
    }
    return launch->place[line];
}

// --- Steps -----------------------------------------------------------------------------------------------------------

static void flush_poll(struct sync_log_launch *launch, struct seen_warp *warp);

// Begins the line of a step; 0 if there are as many as may be.
static bool begin(struct sync_log_launch *launch, const struct event_origin *who)
{
    struct sync_log *log = launch->log;
    if (launch->cluster == NULL || log->steps >= MOST_STEPS) return false;
    struct seen_warp *warp = warp_of(launch, who->cta, who->rank, who->warp);
    if (warp == NULL) return false;
    if (who->operation == 0) flush_poll(launch, warp);
    if (++log->steps == MOST_STEPS) fprintf(log->out, "full\n");
    for (uint32_t lane = 0; lane < MACHINE_LANES && who->operation == 0; lane++)
        if (who->lanes >> lane & 1) warp->last[lane] = log->steps;
    const uint32_t place = place_of(launch, who->line);
    fprintf(log->out, "s %llu %llu %u %u %x %llu %u ", (unsigned long long)launch->number,
            (unsigned long long)warp->cluster, who->rank, who->warp, who->lanes, (unsigned long long)who->operation,
            place);
    return true;
}

__attribute__((format(printf, 3, 4))) static void add(struct sync_log_launch *launch, const struct event_origin *who,
                                                      const char *format, ...)
{
    va_list list;
    if (!begin(launch, who)) return;
    va_start(list, format);
    vfprintf(launch->log->out, format, list);
    va_end(list);
}

static bool is_token(const struct machine_step *step)
{
    if (step->code == NULL || step->code->choice == NULL) return false;
    const uint16_t form = step->code->choice->form;
    return form == PTX_FORM_MBARRIER_TEST_WAIT || form == PTX_FORM_MBARRIER_TEST_WAIT_SCOPED ||
           form == PTX_FORM_MBARRIER_TRY_WAIT || form == PTX_FORM_MBARRIER_TRY_WAIT_SCOPED;
}

static uint32_t count_of(const struct sync_log_launch *launch, uint32_t rank, uint32_t address)
{
    uint64_t word = 0;
    const uint8_t *at = cluster_memory_at(&launch->cluster->shared, rank, address, sizeof word);
    if (at != NULL) memcpy(&word, at, sizeof word);
    return mbarrier_unpack(word).expected;
}

static void hear_barrier(struct sync_log_launch *launch, const struct event_origin *who,
                         const struct event_barrier *barrier)
{
    const struct mbarrier_transaction *moves = &barrier->transaction;
    const uint32_t rank = barrier->rank, address = barrier->address;
    if (who->operation == 0) name_barrier(launch, rank, address);
    switch (barrier->step) {
    case BARRIER_INIT:
        add(launch, who, "i %u %u %u\n", rank, address, count_of(launch, rank, address));
        break;
    case BARRIER_INVAL:
        add(launch, who, "v %u %u\n", rank, address);
        break;
    case BARRIER_TRANSACTION:
        add(launch, who, "t %u %u %llu %llu %llu %d\n", rank, address, (unsigned long long)moves->arrivals,
            (unsigned long long)moves->expect_bytes, (unsigned long long)moves->complete_bytes, moves->drop);
        break;
    case BARRIER_WAIT:
        add(launch, who, "%c %u %u %d\n", is_token(&launch->step) ? 'k' : 'w', rank, address, barrier->phase);
        break;
    case BARRIER_ERROR:
        add(launch, who, "e %u %u\n", rank, address);
    }
}

// A warp counts as its 32 threads when all lanes that live have come.
static void hear_meeting(struct sync_log_launch *launch, const struct event_origin *who,
                         const struct event_meeting *meeting)
{
    const uint32_t live = launch->cluster->cta[who->rank].warp[who->warp].live;
    const uint32_t come = (uint32_t)__builtin_popcount(who->lanes);
    const bool is_warp = meeting->kind == MEETING_WARP;
    const uint32_t number = is_warp ? meeting->threads : meeting->number;
    if (meeting->step == MEETING_WAIT) {
        add(launch, who, "M %d %u\n", (int)meeting->kind, number);
        return;
    }
    const uint32_t threads = is_warp ? (uint32_t)__builtin_popcount(meeting->threads & live) : meeting->threads;
    add(launch, who, "A %d %u %u %u\n", (int)meeting->kind, number, threads,
        !is_warp && who->lanes == live ? (uint32_t)MACHINE_LANES : come);
}

// Does the instruction add to memory without looking at it, so that others that do may change places with it?
static bool is_blind(const struct machine_step *step)
{
    if (step->code == NULL || step->code->choice == NULL) return false;
    return strncmp(ptx_form_row(step->code->choice->form)->opcode, "red", strlen("red")) == 0;
}

// The first access of an instruction is a step, the others follow it.
static void write_access(struct sync_log_launch *launch, const struct seen_warp *warp, const struct event_origin *who,
                         const struct access *access, char word, bool is_first)
{
    const unsigned long long address = access->address, bytes = access->bytes;
    if (is_first)
        add(launch, who, "f %c %d %u %llu %llu\n", word, (int)access->space, access->rank, address, bytes);
    else
        fprintf(launch->log->out, "g %llu %llu %c %d %u %llu %llu\n", (unsigned long long)launch->number,
                (unsigned long long)warp->cluster, word, (int)access->space, access->rank, address, bytes);
}

static void flush_poll(struct sync_log_launch *launch, struct seen_warp *warp)
{
    const struct poll poll = warp->poll;
    launch->polls -= poll.accesses > 0;
    warp->poll.accesses = 0; // before: what is written is a step, too
    for (uint32_t i = 0; i < poll.accesses; i++) write_access(launch, warp, &poll.origin, &poll.access[i], 'R', i == 0);
}

static bool overlaps(const struct poll *poll, const struct access *access)
{
    for (uint32_t i = 0; i < poll->accesses; i++) {
        const struct access *read = &poll->access[i];
        if (read->space == access->space && (read->space == SPACE_GLOBAL || read->rank == access->rank) &&
            read->address < access->address + access->bytes && access->address < read->address + read->bytes)
            return true;
    }
    return false;
}

static void flush_polls(struct sync_log_launch *launch, const struct access *access)
{
    for (int i = 0; i < SEEN_SLOTS && launch->polls > 0; i++)
        for (struct seen_warp *at = launch->warp[i]; at != NULL; at = at->next)
            if (overlaps(&at->poll, access)) flush_poll(launch, at);
}

static void hear_read(struct sync_log_launch *launch, struct seen_warp *warp, const struct event_origin *who,
                      const struct access *access)
{
    struct poll *poll = &warp->poll;
    const bool is_again = poll->accesses > 0 && poll->origin.line == who->line;
    if (!launch->has_access && is_again && poll->access[0].address == access->address) {
        launch->polls--;
        poll->accesses = 0;
    }
    if (!launch->has_access) flush_poll(launch, warp);
    if (poll->accesses == 0) {
        launch->polls++;
        poll->origin = *who;
        place_of(launch, who->line); // which only its own step can name
    }
    if (poll->accesses < MACHINE_LANES) poll->access[poll->accesses++] = *access;
}

static void hear_strong(struct sync_log_launch *launch, const struct event_origin *who, const struct access *access)
{
    struct seen_warp *warp = warp_of(launch, who->cta, who->rank, who->warp);
    struct event_origin all = *who;
    if (warp == NULL || who->operation != 0 || access->bytes == 0) return;
    all.lanes = launch->step.lanes;
    if (access->kind == ACCESS_READ) {
        hear_read(launch, warp, &all, access);
    } else {
        const char word = access->kind == ACCESS_WRITE ? 'W' : is_blind(&launch->step) ? 'A' : 'U';
        flush_polls(launch, access);
        write_access(launch, warp, &all, access, word, !launch->has_access);
    }
    launch->has_access = true;
}

void sync_log_hear(struct sync_log_launch *launch, const struct event *event)
{
    const struct event_origin *who = event->origin;
    if (launch->cluster == NULL) return;
    if (event->kind == EVENT_BARRIER) hear_barrier(launch, who, &event->barrier);
    if (event->kind == EVENT_MEETING) hear_meeting(launch, who, &event->meeting);
    if (event->kind == EVENT_RUN && event->run == RUN_EXIT) add(launch, who, "x\n");
    if (event->kind == EVENT_ACCESS && event->access.order != ORDER_WEAK) hear_strong(launch, who, &event->access);
}

// --- What the machine tells ------------------------------------------------------------------------------------------

// Is it an instruction at which lanes wait for each other, without an event?
static bool is_join(const struct machine_step *step)
{
    if (step->code->choice == NULL) return false;
    const uint16_t form = step->code->choice->form;
    return form == PTX_FORM_SHFL || form == PTX_FORM_VOTE || form == PTX_FORM_VOTE_BALLOT ||
           form == PTX_FORM_MATCH_ANY || form == PTX_FORM_MATCH_ALL || form == PTX_FORM_REDUX_INT ||
           form == PTX_FORM_REDUX_BITS || form == PTX_FORM_ELECT ||
           step->code->choice->word[PTX_CLASS_ALIGNED] != PTX_WORD_NONE;
}

void sync_log_before(struct sync_log_launch *launch, const struct machine_step *step)
{
    launch->step = *step;
    launch->has_access = launch->has_issued = false;
    launch->cluster = step->warp->cta->cluster;
    if (!is_join(step) || (step->lanes & (step->lanes - 1)) == 0) return;
    const struct machine_cta *cta = step->warp->cta;
    const struct seen_warp *warp = warp_of(launch, cta->number, cta->rank, step->warp->index);
    const struct event_origin who = {.cta = cta->number,
                                     .rank = cta->rank,
                                     .warp = step->warp->index,
                                     .lanes = step->lanes,
                                     .line = step->function->source->instruction[step->code->instruction].line};
    const uint32_t first = (uint32_t)__builtin_ctz(step->lanes);
    bool are_apart = false;
    for (uint32_t lane = first; warp != NULL && lane < MACHINE_LANES; lane++)
        if (step->lanes >> lane & 1) are_apart |= warp->last[lane] != warp->last[first];
    if (are_apart) add(launch, &who, "J\n");
}

// The operations of one instruction are issued by one step of its lanes.
void sync_log_flight(struct sync_log_launch *launch, const struct machine_flight *flight, int begins)
{
    const bool is_operation = flight->kind == FLIGHT_OPERATION;
    const struct event_origin *who =
        is_operation ? &((const struct flight_operation *)flight)->flight.teller.origin : &flight->teller.origin;
    if (!begins || flight->kind == FLIGHT_PRODUCT || flight->kind == FLIGHT_COPIES || launch->cluster == NULL) return;
    const struct seen_warp *warp = warp_of(launch, who->cta, who->rank, who->warp);
    struct event_origin issue = *who;
    issue.operation = 0;
    issue.lanes = launch->step.lanes;
    if (!launch->has_issued)
        add(launch, &issue, "S %llu\n", (unsigned long long)who->operation);
    else if (warp != NULL)
        fprintf(launch->log->out, "h %llu %llu %llu\n", (unsigned long long)launch->number,
                (unsigned long long)warp->cluster, (unsigned long long)who->operation);
    launch->has_issued = true;
}

// --- Files -----------------------------------------------------------------------------------------------------------

struct sync_log *sync_log_open(const char *path, const char *run)
{
    struct sync_log *log = calloc(1, sizeof *log);
    if (log == NULL || (log->path = look_string(path, strlen(path))) == NULL) {
        free(log);
        return NULL;
    }
    log->out = look_file_open(&log->path, run);
    if (log->out != NULL) {
        fprintf(log->out, "tmaref sync 1 %s\n", run);
        if (look_file_share(log->out)) return log;
    }
    free(log->path);
    free(log);
    return NULL;
}

struct sync_log_launch *sync_log_begin(struct sync_log *log, const char *kernel, uint64_t number)
{
    struct sync_log_launch *launch = calloc(1, sizeof *launch);
    log->is_short |= launch == NULL;
    if (launch == NULL) return NULL;
    launch->log = log;
    launch->number = number;
    fprintf(log->out, "L %llu %s\n", (unsigned long long)number, kernel);
    return launch;
}

void sync_log_end(struct sync_log_launch *launch)
{
    for (int i = 0; i < SEEN_SLOTS; i++) {
        for (struct seen_warp *at = launch->warp[i], *next; at != NULL; at = next) {
            next = at->next;
            free(at);
        }
        for (struct seen_barrier *at = launch->barrier[i], *next; at != NULL; at = next) {
            next = at->next;
            free(at);
        }
    }
    fflush(launch->log->out); // a program may end without closing it
    free(launch->place);
    free(launch);
}

bool sync_log_close(struct sync_log *log, char *why, size_t why_bytes)
{
    if (log->is_short) fprintf(log->out, "full\n");
    const bool ok = look_file_close(log->out, log->path, 0);
    if (!ok) snprintf(why, why_bytes, "cannot write %s: %s", log->path, strerror(errno));
    free(log->path);
    free(log);
    return ok;
}
