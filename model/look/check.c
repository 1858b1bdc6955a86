// SPDX-License-Identifier: MIT
// What is certainly wrong in how a kernel uses shared memory, though it may run to its end: reads of bytes that a copy
// in flight is still to write, writes over bytes that an operation in flight is still to read, a missing
// fence.proxy.async, mbarriers that were not initialised, or were again. It compares the times at which things were
// done in this run, in pieces of 16 bytes of a CTA's shared memory. It looks for no races that did not happen.
#include <stdlib.h>
#include <string.h>

#include "flight_item.h"
#include "module.h"
#include "parts.h"

enum { UNIT = 16, UNITS = (1 << 18) / UNIT, SHADOWS = 256, OPERATIONS = 4096, BARRIERS = 256, FINDINGS = 32 };

enum check_kind {
    CHECK_FENCE,
    CHECK_READ_EARLY,
    CHECK_PRODUCT_EARLY,
    CHECK_WRITTEN_UNDER,
    CHECK_SOURCE_WRITTEN,
    CHECK_SOURCE_COPIED,
    CHECK_NOT_INITIALISED,
    CHECK_INITIALISED_AGAIN,
    CHECK_UNEXPECTED,
};

// `first` is done at the first place of a finding, `second` at the second.
static const struct {
    const char *sentence, *first, *second, *advice;
} kinds[] = {
    [CHECK_FENCE] =
        {"fence.proxy.async is missing between plain writes to shared memory and the operation that reads them",
         "the operation", "the write",
         "Each thread that wrote must execute fence.proxy.async.shared::cta before the barrier in front of the "
         "operation. A GPU may read old bytes."},
    [CHECK_READ_EARLY] = {"a thread read shared memory that a copy in flight was still to write", "the read",
                          "the copy",
                          "Wait for the mbarrier of the copy, with the parity of its phase, before the read."},
    [CHECK_PRODUCT_EARLY] = {"a wgmma read shared memory that a copy in flight was still to write", "the wgmma",
                             "the copy", "Wait for the mbarrier of the copy before the wgmma."},
    [CHECK_WRITTEN_UNDER] = {"a thread wrote shared memory that a copy in flight was still to write", "the write",
                             "the copy", "Wait for the mbarrier of the copy before the write."},
    [CHECK_SOURCE_WRITTEN] =
        {"a thread wrote shared memory that an operation in flight was still to read", "the write", "the operation",
         "If the operation is to read what is written, put a barrier before it. If not, commit it, "
         "and wait for it (cp.async.bulk.wait_group.read) in its thread and then at a barrier, "
         "before the write."},
    [CHECK_SOURCE_COPIED] =
        {"a copy wrote shared memory that an operation in flight was still to read", "the copy", "the operation",
         "Wait for the operation (cp.async.bulk.wait_group.read, wgmma.wait_group) before the copy is "
         "issued."},
    [CHECK_NOT_INITIALISED] = {"an mbarrier was used that no mbarrier.init had created", "the use", NULL,
                               "Initialise it in one thread; all others use it behind a barrier of all threads, and "
                               "other CTAs behind barrier.cluster."},
    [CHECK_INITIALISED_AGAIN] =
        {"an mbarrier was initialised again without mbarrier.inval", "the init", "the init before it",
         "Initialise it once, in one thread. Each init starts at parity 0 and discards what has "
         "arrived."},
    [CHECK_UNEXPECTED] =
        {"a copy brought bytes to an mbarrier which nobody had expected at the end of the kernel", "the copy", NULL,
         "Arrive with expect_tx of the bytes of the copy; else the phase completes before they arrive."},
};

// Times are numbers of events, 0: never. `line`s are those of the PTX.
//   written, read  by a thread, weakly if read; taken: read by a wgmma; brought: written by a copy
struct check_unit {
    uint32_t written, read, taken, brought;
    uint32_t written_line, read_line, taken_line, brought_line;
};

// Since its init: whether there was one, and the bytes of the phase under way.
struct check_barrier {
    int is_used, is_live;
    uint32_t address, line, brought_line;
    uint64_t expected, brought;
};

// Of one CTA. fence: when a thread of it executed its last fence.proxy.async; units: how many may differ from 0;
// has_exited: all its threads have.
struct check_shadow {
    struct check_shadow *next;
    uint64_t cta;
    uint32_t fence, units;
    int has_exited;
    struct check_barrier barrier[BARRIERS];
    struct check_unit unit[UNITS];
};

// done: when its thread had waited for its sources to be read. cluster: valid until it has ended
struct check_operation {
    uint64_t cta, number;
    const struct machine_cluster *cluster;
    uint32_t warp, lanes, group, line, issued, done;
    enum async_kind async;
    int is_product;
};

struct check_finding {
    enum check_kind kind;
    uint32_t first, second;
    uint64_t cta, address;
    char place[2][1024];
};

// cluster: whose instruction is executed now; is_short: there was no memory for a CTA, and nothing is heard any more;
// is_full: there was no room for a finding
struct look_check {
    const char *kernel;
    const struct machine_cluster *cluster;
    uint32_t now;
    int is_short, is_full;
    uint32_t findings;
    struct check_finding finding[FINDINGS];
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
    for (uint32_t i = 0; i < check->findings; i++) {
        const struct check_finding *known = &check->finding[i];
        if (known->kind == kind && known->first == first && known->second == second) return;
    }
    check->is_full |= check->findings == FINDINGS;
    if (check->is_full) return;
    check->finding[check->findings++] =
        (struct check_finding){.kind = kind, .first = first, .second = second, .cta = cta, .address = address};
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
    memset(shadow->barrier, 0, sizeof shadow->barrier);
    memset(shadow->unit, 0, shadow->units * sizeof *shadow->unit);
    shadow->fence = shadow->units = 0;
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

static const struct check_operation *operation_of(struct look_check *check, const struct event_origin *who)
{
    const struct check_operation *operation = operation_at(check, who->cta, who->operation);
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
    } else if (event->access.order == ORDER_WEAK) {
        unit->read = check->now;
        unit->read_line = event->origin->line;
    }
}

static int is_before_its_end(uint32_t time, const struct check_operation *operation)
{
    return time > operation->issued && (operation->done == 0 || time < operation->done);
}

static void hear_source(struct look_check *check, const struct check_shadow *shadow, struct check_unit *unit,
                        const struct event *event, const struct check_operation *operation)
{
    const uint64_t address = event->access.address;
    if (unit->written > shadow->fence && unit->written < operation->issued && unit->written > unit->brought)
        find(check, CHECK_FENCE, shadow->cta, address, operation->line, unit->written_line);
    if (!operation->is_product && is_before_its_end(unit->written, operation))
        find(check, CHECK_SOURCE_WRITTEN, shadow->cta, address, unit->written_line, operation->line);
    if (is_before_its_end(unit->brought, operation))
        find(check, CHECK_SOURCE_COPIED, shadow->cta, address, unit->brought_line, operation->line);
    if (!operation->is_product) return;
    unit->taken = check->now;
    unit->taken_line = operation->line;
}

static void hear_destination(struct look_check *check, const struct check_shadow *shadow, struct check_unit *unit,
                             const struct event *event, const struct check_operation *operation)
{
    const uint64_t address = event->access.address;
    if (unit->read > operation->issued)
        find(check, CHECK_READ_EARLY, shadow->cta, address, unit->read_line, operation->line);
    if (unit->taken > operation->issued)
        find(check, CHECK_PRODUCT_EARLY, shadow->cta, address, unit->taken_line, operation->line);
    if (unit->written > operation->issued)
        find(check, CHECK_WRITTEN_UNDER, shadow->cta, address, unit->written_line, operation->line);
    unit->brought = check->now;
    unit->brought_line = operation->line;
}

static void hear_access(struct look_check *check, const struct event *event)
{
    const struct access *access = &event->access;
    const struct event_origin *who = event->origin;
    if (access->space != SPACE_SHARED || access->bytes == 0) return;
    const struct check_operation *operation = who->operation != 0 ? operation_of(check, who) : NULL;
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
    if (event->barrier.completes) barrier->expected = barrier->brought = 0;
}

static void hear_barrier(struct look_check *check, const struct event *event)
{
    const struct event_origin *who = event->origin;
    const uint32_t address = event->barrier.address;
    struct check_shadow *shadow = shadow_of_rank(check, who, event->barrier.rank);
    struct check_barrier *barrier = shadow != NULL ? barrier_of(shadow, address) : NULL;
    if (barrier == NULL) return;
    if (event->barrier.step == BARRIER_INIT) {
        if (barrier->is_live) find(check, CHECK_INITIALISED_AGAIN, shadow->cta, address, who->line, barrier->line);
        *barrier = (struct check_barrier){.is_used = 1, .is_live = 1, .address = address, .line = who->line};
    } else if (!barrier->is_live) {
        if (event->barrier.step != BARRIER_INVAL)
            find(check, CHECK_NOT_INITIALISED, shadow->cta, address, who->line, 0);
    } else if (event->barrier.step == BARRIER_INVAL) {
        barrier->is_live = 0;
    } else if (event->barrier.step == BARRIER_TRANSACTION) {
        hear_transaction(barrier, event);
    }
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

void look_check_hear(struct look_check *check, const struct event *event)
{
    if (is_over(check)) return;
    check->now++;
    if (event->kind == EVENT_ACCESS) hear_access(check, event);
    if (event->kind == EVENT_BARRIER) hear_barrier(check, event);
    if (event->kind == EVENT_GROUP && (event->group.step == GROUP_WAIT || event->group.step == GROUP_WAIT_READ))
        hear_wait(check, event);
    const int is_fence =
        event->kind == EVENT_FENCE && event->fence.kind == FENCE_PROXY && event->fence.proxy == PROXY_ASYNC;
    const int is_exit = event->kind == EVENT_RUN && event->run == RUN_CTA_EXIT;
    if (!is_fence && !is_exit) return;
    struct check_shadow *shadow = shadow_of(check, event->origin->cta, is_exit);
    if (shadow == NULL) return;
    if (is_fence) shadow->fence = check->now;
    if (is_exit) shadow->has_exited = 1;
}

void look_check_before(struct look_check *check, const struct machine_step *step)
{
    check->cluster = step->warp->cta->cluster;
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
                                                                              .async = flight->async,
                                                                              .is_product = is_product};
}

// --- Launches --------------------------------------------------------------------------------------------------------

struct look_check *look_check_open(const char *kernel)
{
    struct look_check *check = calloc(1, sizeof *check);
    if (check != NULL) check->kernel = kernel;
    return check;
}

// An instruction's own place, and the outermost that it was inlined at.
static void place_of_instruction(const struct machine_module *module, const struct ptx_function *source,
                                 const struct ptx_instruction *instruction, char *place, size_t bytes)
{
    uint32_t caller = source->location[instruction->location].inlined_at;
    look_place(module, source, instruction, place, bytes);
    if (instruction->location == 0 || caller == 0) return;
    while (source->location[caller].inlined_at != 0) caller = source->location[caller].inlined_at;
    const struct ptx_name file = ptx_file_name(module->front, source->location[caller].file);
    const size_t used = strlen(place);
    snprintf(place + used, bytes - used, ", inlined at %.*s:%u", (int)(file.length > 400 ? 400 : file.length), file.at,
             source->location[caller].line);
}

// The place of a line of the PTX, in any function of the launch.
static void place_of(const struct look_tally *tally, const struct machine_module *module, uint32_t line, char *place,
                     size_t bytes)
{
    snprintf(place, bytes, "PTX line %u", line);
    for (uint32_t f = 0; f < tally->count; f++) {
        const struct ptx_function *source = tally->item[f].function->source;
        for (uint32_t i = 0; i < source->instructions; i++)
            if (source->instruction[i].line == line)
                place_of_instruction(module, source, &source->instruction[i], place, bytes);
    }
}

static void set_places(const struct look_tally *tally, const struct machine_module *module,
                       struct check_finding *finding)
{
    place_of(tally, module, finding->first, finding->place[0], sizeof finding->place[0]);
    place_of(tally, module, finding->second, finding->place[1], sizeof finding->place[1]);
}

// An unrolled loop has one line of the source several times.
static int is_told(const struct look_check *check, const struct check_finding *finding)
{
    for (const struct check_finding *other = check->finding; other < finding; other++)
        if (other->kind == finding->kind && strcmp(other->place[0], finding->place[0]) == 0 &&
            strcmp(other->place[1], finding->place[1]) == 0)
            return 1;
    return 0;
}

static void print(const struct look_check *check, const struct check_finding *finding)
{
    fprintf(stderr, "tmaref: check: kernel %s: %s\n    %s: %s, CTA %llu, shared address %#llx\n", check->kernel,
            kinds[finding->kind].sentence, kinds[finding->kind].first, finding->place[0],
            (unsigned long long)finding->cta, (unsigned long long)finding->address);
    if (kinds[finding->kind].second != NULL)
        fprintf(stderr, "    %s: %s\n", kinds[finding->kind].second, finding->place[1]);
    fprintf(stderr, "    %s\n", kinds[finding->kind].advice);
}

void look_check_tell(struct look_check *check, const struct look_tally *tally, const struct machine_module *module)
{
    for (int i = 0; i < SHADOWS && !is_over(check); i++)
        for (const struct check_shadow *shadow = check->shadow[i]; shadow != NULL; shadow = shadow->next)
            if (shadow->has_exited) end_barriers(check, shadow);
    fflush(stdout);
    for (uint32_t i = 0; i < check->findings; i++) {
        set_places(tally, module, &check->finding[i]);
        if (!is_told(check, &check->finding[i])) print(check, &check->finding[i]);
    }
    if (check->is_full)
        fprintf(stderr, "tmaref: check: kernel %s: more was found, at other instructions. Mend this first\n",
                check->kernel);
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
