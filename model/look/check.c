// SPDX-License-Identifier: MIT
// What is certainly wrong in how a kernel uses shared memory, though it may run to its end: reads of bytes that a copy
// in flight is still to write, writes over bytes that an operation in flight is still to read, a missing
// fence.proxy.async, mbarriers that were not initialised, or were again. It compares the times at which things were
// done in this run, in pieces of 4 bytes of a CTA's shared memory: st.async brings no fewer. It looks for no races that
// did not happen.
#include <stdlib.h>
#include <string.h>

#include "check_found.h"
#include "flight_item.h"
#include "module.h"
#include "parts.h"

enum { UNIT = 4, UNITS = (1 << 18) / UNIT, SHADOWS = 256, OPERATIONS = 4096, BARRIERS = 256 };

// Times are numbers of events, 0: never. `line`s are those of the PTX.
//   written, read     by a thread, weakly if read; written_warp, read_warp: of which warp
//   taken, brought    read by an operation, written by a copy; issued: when that operation was
struct check_unit {
    uint32_t written, read, taken, brought;
    uint32_t written_line, read_line, taken_line, brought_line;
    uint32_t taken_issued, brought_issued, read_warp, written_warp;
};

// The last wait of a warp that returned: when, how many phases had completed, and whether one had since its wait
// before.
struct check_seen {
    uint32_t time, phases;
    int is_fresh;
};

// Since its init: whether there was one, the phases that completed, the bytes of the one under way, and who waited.
struct check_barrier {
    int is_used, is_live;
    uint32_t address, line, brought_line, phases;
    uint64_t expected, brought;
    struct check_seen seen[MACHINE_MOST_WARPS];
};

// Of a barrier of the CTA: the phase under way, with what its first arrival gave.
struct check_meeting {
    uint64_t phase;
    uint32_t threads, line;
};

// What fences of the async proxy cover of the writes of a CTA: those of a warp until its own last fence, and those of
// all until `others`, the latest time at which a warp that fenced had learnt of other warps before its fence.
struct check_fences {
    uint32_t own[MACHINE_MOST_WARPS], learnt[MACHINE_MOST_WARPS], others;
};

// Of one CTA. units: how many may differ from 0; has_exited: all its threads have.
struct check_shadow {
    struct check_shadow *next;
    uint64_t cta;
    uint32_t units;
    int has_exited;
    struct check_fences fences;
    struct check_meeting meeting[MACHINE_BARRIERS];
    struct check_barrier barrier[BARRIERS];
    struct check_unit unit[UNITS];
};

// done: when its thread had waited for its sources to be read. begun: when it first read one; the warps of a product
// issue it one after the other. cluster: valid until it has ended. barrier: its offset
struct check_operation {
    uint64_t cta, number;
    const struct machine_cluster *cluster;
    uint32_t warp, lanes, group, line, issued, begun, done, barrier;
    enum async_kind async;
    int is_product;
};

// cluster: whose instruction is executed now; is_short: there was no memory for a CTA, and nothing is heard any more;
// (nor is anything found)
struct look_check {
    const struct machine_cluster *cluster;
    uint32_t now;
    int is_short;
    struct check_found found;
    struct check_operation operation[OPERATIONS];
    struct check_shadow *shadow[SHADOWS];
};

static int is_over(const struct look_check *check)
{
    return check->now == UINT32_MAX || check->is_short;
}

// --- What was found --------------------------------------------------------------------------------------------------

// `address`: in the shared memory of `cta`.
static void find(struct look_check *check, enum check_kind kind, uint64_t cta, uint64_t address, uint32_t first,
                 uint32_t second)
{
    check_found_add(&check->found, &(struct check_finding){kind, first, second, cta, address});
}

// Of a CTA that has ended: where a kernel is stopped before, the expect_tx may be still to come.
static void end_barriers(struct look_check *check, const struct check_shadow *shadow)
{
    for (int i = 0; i < BARRIERS; i++) {
        const struct check_barrier *barrier = &shadow->barrier[i];
        if (barrier->is_live && barrier->brought > barrier->expected)
            find(check, CHECK_UNEXPECTED, shadow->cta, barrier->address, barrier->brought_line, 0);
    }
}

// --- Where it is kept ------------------------------------------------------------------------------------------------

// One of a CTA that has exited begins anew for the next.
static struct check_shadow *new_shadow(struct look_check *check, struct check_shadow **first)
{
    struct check_shadow *shadow = *first;
    while (shadow != NULL && !shadow->has_exited) shadow = shadow->next;
    if (shadow == NULL) {
        if ((shadow = calloc(1, sizeof *shadow)) == NULL) {
            check->is_short = 1;
            return NULL;
        }
        shadow->next = *first;
        return *first = shadow;
    }
    end_barriers(check, shadow);
    memset(shadow->meeting, 0, sizeof shadow->meeting);
    memset(shadow->barrier, 0, sizeof shadow->barrier);
    memset(shadow->unit, 0, shadow->units * sizeof *shadow->unit);
    memset(&shadow->fences, 0, sizeof shadow->fences);
    shadow->units = 0;
    shadow->has_exited = 0;
    return shadow;
}

// An operation may end after its CTA, whose shadow may be another's then: it begins none.
static struct check_shadow *shadow_of(struct look_check *check, uint64_t cta, int is_operation)
{
    struct check_shadow **first = &check->shadow[cta % SHADOWS], *shadow = *first;
    while (shadow != NULL && shadow->cta != cta) shadow = shadow->next;
    if (shadow != NULL || is_operation) return shadow;
    if ((shadow = new_shadow(check, first)) != NULL) shadow->cta = cta;
    return shadow;
}

static struct check_operation *operation_at(struct look_check *check, uint64_t cta, uint64_t number)
{
    return &check->operation[(cta * 31 + number) % OPERATIONS];
}

static struct check_operation *operation_of(struct look_check *check, const struct event_origin *who)
{
    struct check_operation *operation = operation_at(check, who->cta, who->operation);
    return operation->issued > 0 && operation->cta == who->cta && operation->number == who->operation ? operation
                                                                                                      : NULL;
}

// The shadow of the CTA of rank `rank` in the cluster of who does it; NULL where it is not known.
static struct check_shadow *shadow_of_rank(struct look_check *check, const struct event_origin *who, uint32_t rank)
{
    const struct check_operation *operation = who->operation != 0 ? operation_of(check, who) : NULL;
    const struct machine_cluster *cluster = operation != NULL ? operation->cluster : check->cluster;
    if (rank == who->rank) return shadow_of(check, who->cta, who->operation != 0);
    if (who->operation != 0 && operation == NULL) return NULL;
    return shadow_of(check, cluster->cta[rank].number, who->operation != 0);
}

static struct check_barrier *barrier_of(struct check_shadow *shadow, uint32_t address)
{
    for (uint32_t i = 0; i < BARRIERS; i++) {
        struct check_barrier *barrier = &shadow->barrier[(address / MBARRIER_BYTES + i) % BARRIERS];
        if (barrier->is_used && barrier->address != address) continue;
        barrier->is_used = 1;
        barrier->address = address;
        return barrier;
    }
    return NULL;
}

// --- What is heard ---------------------------------------------------------------------------------------------------

// Of a thread of another CTA nobody asks whether it executed a fence: what it wrote counts as fenced.
static void hear_thread(struct look_check *check, struct check_unit *unit, const struct event *event)
{
    if (event->access.rank != event->origin->rank) {
        if (event->access.kind != ACCESS_READ) unit->written = 0;
    } else if (event->access.kind != ACCESS_READ) {
        unit->written = check->now;
        unit->written_line = event->origin->line;
        unit->written_warp = event->origin->warp;
    } else if (event->access.order == ORDER_WEAK) {
        unit->read = check->now;
        unit->read_line = event->origin->line;
        unit->read_warp = event->origin->warp;
    }
}

static int is_before_its_end(uint32_t time, const struct check_operation *operation)
{
    return time > operation->issued && (operation->done == 0 || time < operation->done);
}

// Where the unit is, in the access.
static uint64_t address_of(const struct check_shadow *shadow, const struct check_unit *unit, const struct event *event)
{
    const uint64_t at = (uint64_t)(unit - shadow->unit) * UNIT;
    return at > event->access.address ? at : event->access.address;
}

static int is_fenced(const struct check_fences *fences, const struct check_unit *unit)
{
    return unit->written <= fences->others || unit->written <= fences->own[unit->written_warp % MACHINE_MOST_WARPS];
}

static void hear_source(struct look_check *check, const struct check_shadow *shadow, struct check_unit *unit,
                        const struct event *event, struct check_operation *operation)
{
    const uint64_t address = address_of(shadow, unit, event);
    if (operation->begun == 0) operation->begun = operation->is_product ? check->now : operation->issued;
    if (!is_fenced(&shadow->fences, unit) && unit->written < operation->issued && unit->written > unit->brought)
        find(check, CHECK_FENCE, shadow->cta, address, operation->line, unit->written_line);
    if (!operation->is_product && is_before_its_end(unit->written, operation))
        find(check, CHECK_SOURCE_WRITTEN, shadow->cta, address, unit->written_line, operation->line);
    if (is_before_its_end(unit->brought, operation)) {
        const int is_late = unit->brought_issued > operation->begun;
        find(check, is_late ? CHECK_SOURCE_COPIED : CHECK_OPERATION_EARLY, shadow->cta, address,
             is_late ? unit->brought_line : operation->line, is_late ? operation->line : unit->brought_line);
    }
    unit->taken = operation->done != 0 ? operation->done : check->now; // it is told when the bytes go on
    unit->taken_line = operation->line;
    unit->taken_issued = operation->begun;
}

// Had the warp waited for the phase before that of the copy, and for nothing that was not complete, when the copy was
// issued? Then it may still read what that phase brought: the copy came too soon, and not the read.
static int is_refill(struct check_shadow *shadow, uint32_t warp, const struct check_operation *operation)
{
    const struct check_barrier *barrier =
        operation->barrier != UINT32_MAX ? barrier_of(shadow, operation->barrier) : NULL;
    const struct check_seen *seen = barrier != NULL && warp < MACHINE_MOST_WARPS ? &barrier->seen[warp] : NULL;
    return seen != NULL && seen->is_fresh && seen->phases == barrier->phases && seen->time < operation->issued;
}

static void hear_destination(struct look_check *check, struct check_shadow *shadow, struct check_unit *unit,
                             const struct event *event, const struct check_operation *operation)
{
    const uint64_t address = address_of(shadow, unit, event);
    if (unit->read > operation->issued && is_refill(shadow, unit->read_warp, operation))
        find(check, CHECK_REFILLED, shadow->cta, address, operation->line, unit->read_line);
    else if (unit->read > operation->issued)
        find(check, CHECK_READ_EARLY, shadow->cta, address, unit->read_line, operation->line);
    if (unit->taken > operation->issued) {
        const int is_late = operation->issued > unit->taken_issued;
        find(check, is_late ? CHECK_SOURCE_COPIED : CHECK_OPERATION_EARLY, shadow->cta, address,
             is_late ? operation->line : unit->taken_line, is_late ? unit->taken_line : operation->line);
    }
    if (unit->written > operation->issued)
        find(check, CHECK_WRITTEN_UNDER, shadow->cta, address, unit->written_line, operation->line);
    unit->brought = check->now;
    unit->brought_line = operation->line;
    unit->brought_issued = operation->issued;
}

static void hear_access(struct look_check *check, const struct event *event)
{
    const struct access *access = &event->access;
    const struct event_origin *who = event->origin;
    if (access->space != SPACE_SHARED || access->bytes == 0) return;
    struct check_operation *operation = who->operation != 0 ? operation_of(check, who) : NULL;
    struct check_shadow *shadow = shadow_of_rank(check, who, access->rank);
    if (shadow == NULL || (who->operation != 0 && operation == NULL)) return;
    for (uint64_t i = access->address / UNIT; i <= (access->address + access->bytes - 1) / UNIT && i < UNITS; i++) {
        if (i >= shadow->units) shadow->units = (uint32_t)i + 1;
        if (operation == NULL)
            hear_thread(check, &shadow->unit[i], event);
        else if (access->kind == ACCESS_READ)
            hear_source(check, shadow, &shadow->unit[i], event, operation);
        else
            hear_destination(check, shadow, &shadow->unit[i], event, operation);
    }
}

static void hear_transaction(struct check_barrier *barrier, const struct event *event)
{
    const struct mbarrier_transaction *transaction = &event->barrier.transaction;
    barrier->expected += transaction->expect_bytes;
    barrier->brought += transaction->complete_bytes;
    if (transaction->complete_bytes > 0) barrier->brought_line = event->origin->line;
    if (!event->barrier.completes) return;
    barrier->expected = barrier->brought = 0;
    barrier->phases++;
}

static void hear_return(struct look_check *check, struct check_barrier *barrier, const struct event_origin *who)
{
    struct check_seen *seen = who->warp < MACHINE_MOST_WARPS ? &barrier->seen[who->warp] : NULL;
    if (seen == NULL) return;
    const int is_fresh = barrier->phases > seen->phases || (seen->is_fresh && barrier->phases == seen->phases);
    *seen = (struct check_seen){check->now, barrier->phases, is_fresh};
}

// Of a barrier that nobody had initialised before: the waits of a warp that have failed on it. Where one returned, the
// wait was told.
static void find_waits(struct look_check *check, const struct machine_warp *warp, const struct check_shadow *shadow,
                       const struct event_barrier *barrier)
{
    const struct flight_warp *flights = flight_warp_of(warp);
    for (int i = 0; i < FLIGHT_WAITS; i++) {
        const struct flight_wait *wait = &flights->wait[i];
        if (wait->lanes == 0 || wait->rank != barrier->rank || wait->address != barrier->address) continue;
        find(check, CHECK_NOT_INITIALISED, shadow->cta, barrier->address,
             wait->function->source->instruction[wait->code->instruction].line, 0);
    }
}

static void find_early_waits(struct look_check *check, const struct check_shadow *shadow,
                             const struct event_barrier *barrier)
{
    for (uint32_t i = 0; i < check->cluster->ctas; i++) {
        const struct machine_cta *cta = &check->cluster->cta[i];
        for (uint32_t j = 0; j < cta->warps; j++) find_waits(check, &cta->warp[j], shadow, barrier);
    }
}

static void hear_barrier(struct look_check *check, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const uint32_t address = event->barrier.address;
    struct check_shadow *shadow = shadow_of_rank(check, who, event->barrier.rank);
    struct check_barrier *barrier = shadow != NULL ? barrier_of(shadow, address) : NULL;
    if (barrier == NULL) return;
    if (event->barrier.step == BARRIER_INIT) {
        if (barrier->line == 0) find_early_waits(check, shadow, &event->barrier);
        if (barrier->is_live) find(check, CHECK_INITIALISED_AGAIN, shadow->cta, address, who->line, barrier->line);
        *barrier = (struct check_barrier){.is_used = 1, .is_live = 1, .address = address, .line = who->line};
    } else if (!barrier->is_live) {
        if (event->barrier.step != BARRIER_INVAL)
            find(check, CHECK_NOT_INITIALISED, shadow->cta, address, who->line, 0);
    } else if (event->barrier.step == BARRIER_INVAL) {
        barrier->is_live = 0;
    } else if (event->barrier.step == BARRIER_TRANSACTION) {
        hear_transaction(barrier, event);
    } else if (event->barrier.rank == who->rank) {
        hear_return(check, barrier, who);
    }
}

static void hear_meeting(struct look_check *check, const struct event *event)
{
    const struct event_meeting *of = &event->meeting;
    const struct event_origin *who = event->origin;
    if (of->kind != MEETING_CTA || of->step != MEETING_ARRIVE || of->number >= MACHINE_BARRIERS) return;
    struct check_shadow *shadow = shadow_of(check, who->cta, 0);
    struct check_meeting *first = shadow != NULL ? &shadow->meeting[of->number] : NULL;
    if (first == NULL) return;
    if (first->line == 0 || first->phase != of->phase)
        *first = (struct check_meeting){of->phase, of->threads, who->line};
    else if (first->threads != of->threads)
        find(check, CHECK_MEETING, who->cta, of->number, who->line, first->line);
}

// A wait for bulk operations: what its thread issued before has read its sources.
static void hear_wait(struct look_check *check, const struct event *event)
{
    const struct event_origin *who = event->origin;
    for (int i = 0; i < OPERATIONS; i++) {
        struct check_operation *operation = &check->operation[i];
        if (operation->issued == 0 || operation->done != 0 || operation->async != event->group.kind) continue;
        if (operation->cta == who->cta && operation->warp == who->warp && (operation->lanes & who->lanes) != 0 &&
            operation->group < event->group.group)
            operation->done = check->now;
    }
}

// What a warp does that shows it the writes of others made before.
static int is_lesson(const struct event *event)
{
    const struct access *access = &event->access;
    switch (event->kind) {
    case EVENT_ACCESS:
        return event->origin->operation == 0 && access->kind != ACCESS_WRITE && access->order != ORDER_WEAK;
    case EVENT_BARRIER:
        return event->origin->operation == 0 && event->barrier.step == BARRIER_WAIT;
    case EVENT_MEETING:
        return event->meeting.kind != MEETING_WARP && event->meeting.step == MEETING_WAIT;
    default:
        return 0;
    }
}

// One that hands writes of threads to the async proxy: an acquire does not.
static int is_proxy_fence(const struct event *event)
{
    return event->kind == EVENT_FENCE && event->fence.kind == FENCE_PROXY && event->fence.proxy == PROXY_ASYNC &&
           event->fence.order != ORDER_ACQUIRE;
}

static void hear_fences(struct look_check *check, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const int is_fence = is_proxy_fence(event);
    if ((!is_fence && !is_lesson(event)) || who->warp >= MACHINE_MOST_WARPS) return;
    struct check_shadow *shadow = shadow_of(check, who->cta, 0);
    if (shadow == NULL) return;
    struct check_fences *fences = &shadow->fences;
    if (!is_fence) fences->learnt[who->warp] = check->now;
    if (!is_fence) return;
    fences->own[who->warp] = check->now;
    if (fences->learnt[who->warp] > fences->others) fences->others = fences->learnt[who->warp];
}

void look_check_hear(struct look_check *check, const struct event *event)
{
    if (is_over(check)) return;
    check->now++;
    if (event->kind == EVENT_ACCESS) hear_access(check, event);
    if (event->kind == EVENT_BARRIER) hear_barrier(check, event);
    if (event->kind == EVENT_MEETING) hear_meeting(check, event);
    if (event->kind == EVENT_GROUP && (event->group.step == GROUP_WAIT || event->group.step == GROUP_WAIT_READ))
        hear_wait(check, event);
    hear_fences(check, event);
    if (event->kind != EVENT_RUN || event->run != RUN_CTA_EXIT) return;
    struct check_shadow *shadow = shadow_of(check, event->origin->cta, 1);
    if (shadow != NULL) shadow->has_exited = 1;
}

void look_check_before(struct look_check *check, const struct machine_step *step)
{
    check->cluster = step->warp->cta->cluster;
}

// The barrier that an operation tells, as an offset in the CTA; UINT32_MAX if it tells none.
static uint32_t barrier_operand(const struct machine_flight *flight)
{
    const struct operation *operation = &((const struct flight_operation *)flight)->flight.operation;
    if (flight->kind != FLIGHT_OPERATION || !operation_has_barrier(operation->kind)) return UINT32_MAX;
    return cluster_mapa(operation->barrier, 0);
}

void look_check_issue(struct look_check *check, const struct machine_flight *flight)
{
    const struct flight_operation *of = (const struct flight_operation *)flight;
    const int is_product = flight->kind == FLIGHT_PRODUCT;
    if (!is_product && flight->kind != FLIGHT_OPERATION) return;
    const struct event_origin *who = is_product ? &flight->teller.origin : &of->flight.teller.origin;
    if (is_over(check)) return;
    check->now++;
    *operation_at(check, who->cta, who->operation) = (struct check_operation){.cta = who->cta,
                                                                              .number = who->operation,
                                                                              .cluster = flight->warp->cta->cluster,
                                                                              .warp = who->warp,
                                                                              .lanes = who->lanes,
                                                                              .group = is_product ? 0 : of->group,
                                                                              .line = who->line,
                                                                              .issued = check->now,
                                                                              .barrier = barrier_operand(flight),
                                                                              .async = flight->async,
                                                                              .is_product = is_product};
}

// --- Launches --------------------------------------------------------------------------------------------------------

struct look_check *look_check_open(const char *kernel, const struct machine_launch *launch,
                                   const struct look_options *options)
{
    struct look_check *check = calloc(1, sizeof *check);
    if (check == NULL) return NULL;
    check->found.kernel = kernel;
    check->found.lines = options->lines;
    check->found.notes = options->notes;
    memcpy(check->found.grid, launch->grid, sizeof check->found.grid);
    return check;
}

void look_check_tell(struct look_check *check, const struct look_tally *tally, const struct machine_module *module)
{
    for (int i = 0; i < SHADOWS && !is_over(check); i++)
        for (const struct check_shadow *shadow = check->shadow[i]; shadow != NULL; shadow = shadow->next)
            if (shadow->has_exited) end_barriers(check, shadow);
    check_found_tell(&check->found, tally, module);
    if (check->is_short) fprintf(stderr, "tmaref: check: there was not enough memory to check all CTAs\n");
}

void look_check_close(struct look_check *check)
{
    for (int i = 0; i < SHADOWS; i++)
        for (struct check_shadow *shadow = check->shadow[i], *next; shadow != NULL; shadow = next) {
            next = shadow->next;
            free(shadow);
        }
    free(check);
}
