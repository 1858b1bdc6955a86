// SPDX-License-Identifier: MIT
// What --why hears: of every write who made it, and of one that copies, whose bytes it copied.
#include "why_launch.h"

#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "module.h"
#include "operation_part.h"
#include "parts.h"
#include "report.h"

// --- Shared memory of CTAs -------------------------------------------------------------------------------------------

static struct why_cta *cta_of(struct look_why_launch *launch, uint64_t number)
{
    struct why_cta **first = &launch->cta[number % WHY_LISTS], *cta = *first;
    while (cta != NULL && cta->number != number) cta = cta->next;
    if (cta != NULL) return cta;
    cta = calloc(1, sizeof *cta);
    if (cta != NULL) cta->bytes = MACHINE_SHARED_BASE + launch->machine->shared_bytes;
    if (cta != NULL) cta->cell = calloc(cta->bytes + 1, sizeof *cta->cell);
    if (cta == NULL || cta->cell == NULL) {
        launch->why->keep.is_short = true;
        free(cta);
        return NULL;
    }
    cta->number = number;
    cta->next = *first;
    return *first = cta;
}

void why_free_cta(struct look_why_launch *launch, uint64_t number)
{
    struct why_cta **at = &launch->cta[number % WHY_LISTS];
    while (*at != NULL && (*at)->number != number) at = &(*at)->next;
    struct why_cta *cta = *at;
    if (cta == NULL) return;
    *at = cta->next;
    free(cta->cell);
    free(cta);
}

static void end_cta(struct look_why_launch *launch, uint64_t number)
{
    uint64_t *slot = &launch->ended[launch->ended_next++ % WHY_ENDED_CTAS];
    if (launch->ended_next > WHY_ENDED_CTAS) why_free_cta(launch, *slot);
    *slot = number;
}

// --- Operations ------------------------------------------------------------------------------------------------------

static struct why_operation **live_at(struct look_why_launch *launch, uint64_t cta, uint64_t number)
{
    struct why_operation **at = &launch->live[(cta * 31 + number) % WHY_LISTS];
    while (*at != NULL && ((*at)->cta != cta || (*at)->number != number)) at = &(*at)->next;
    return at;
}

static const struct event_origin *origin_of(const struct machine_flight *flight)
{
    if (flight->kind == FLIGHT_OPERATION) return &((const struct flight_operation *)flight)->flight.teller.origin;
    return &flight->teller.origin;
}

static void issue(struct look_why_launch *launch, const struct machine_flight *flight)
{
    const struct event_origin *who = origin_of(flight);
    struct why_operation *of = calloc(1, sizeof *of);
    if (of == NULL || why_add_operation(&launch->why->keep, of) == UINT32_MAX) {
        launch->why->keep.is_short = true;
        free(of);
        return;
    }
    of->cta = (uint32_t)who->cta;
    of->number = who->operation;
    of->cluster = flight->warp->cta->cluster;
    if (flight->kind == FLIGHT_OPERATION) {
        of->operation = ((const struct flight_operation *)flight)->flight.operation;
    } else {
        const struct flight_copies *copies = (const struct flight_copies *)flight;
        of->is_copies = true;
        of->operation.kind = OPERATION_CP_ASYNC;
        of->operation.issuer = who->rank;
        of->lanes = flight->lanes;
        of->bytes = copies->bytes;
        memcpy(of->read, copies->read, sizeof of->read);
        memcpy(of->from_address, copies->from_address, sizeof of->from_address);
        memcpy(of->to_address, copies->to_address, sizeof of->to_address);
    }
    struct why_operation **first = &launch->live[(who->cta * 31 + who->operation) % WHY_LISTS];
    of->next = *first;
    *first = of;
}

static void done(struct look_why_launch *launch, const struct machine_flight *flight)
{
    const struct event_origin *who = origin_of(flight);
    struct why_operation **at = live_at(launch, who->cta, who->operation), *of = *at;
    if (of == NULL) return;
    *at = of->next;
    of->cluster = NULL;
    if (of->users > 0) return;
    launch->why->keep.operation[of->slot] = NULL;
    free(of);
}

void look_why_flight(struct look_why_launch *launch, const struct machine_flight *flight, int begins)
{
    if (flight->kind != FLIGHT_OPERATION && flight->kind != FLIGHT_COPIES) return;
    (begins ? issue : done)(launch, flight);
}

// --- Who writes ------------------------------------------------------------------------------------------------------

// The instruction of a line, in PTX that names no lines of a source.
static void find_instruction(const struct machine_module *module, struct machine_where *where)
{
    const struct ptx_program *program = machine_module_program(module);
    for (uint32_t f = 0; f < program->functions; f++) {
        const struct ptx_function *function = &program->function[f];
        for (uint32_t i = 0; i < function->instructions; i++)
            if (function->instruction[i].line == where->ptx_line)
                machine_where_source(where, module, function, &function->instruction[i]);
    }
}

static uint32_t new_site(struct look_why_launch *launch, const struct event_origin *who)
{
    char place[1024], instruction[2 * DEMANGLED_BYTES];
    struct machine_where where = machine_line_where(launch->machine, who->line, who->called_at);
    if (where.instruction.length == 0) find_instruction(launch->machine->launch->module, &where);
    const struct machine_caller own = machine_where_own(&where);
    char *file = look_string(own.file.at, own.line > 0 ? own.file.length : 0);
    machine_line_place(launch->machine, who->line, who->called_at, place, sizeof place);
    demangle_line(where.instruction.at, where.instruction.length, instruction, sizeof instruction);
    const struct why_site site = {place, file != NULL ? file : (char *)"", instruction, who->line, own.line};
    const uint32_t number = why_add_site(&launch->why->keep, &site);
    free(file);
    return number;
}

// The site of a line; a call into its function tells only the first time which one it was.
static uint32_t site_of(struct look_why_launch *launch, const struct event_origin *who)
{
    uint32_t *site = look_grow(launch->site, &launch->sites, who->line + 1, sizeof *site);
    if (site == NULL) return new_site(launch, who);
    launch->site = site;
    if (site[who->line] == 0) site[who->line] = new_site(launch, who) + 1;
    return site[who->line] - 1;
}

static struct why_writer writer_of(struct look_why_launch *launch, const struct event_origin *who,
                                   const struct why_operation *operation)
{
    return (struct why_writer){.launch = launch->facts,
                               .site = site_of(launch, who),
                               .cta = (uint32_t)who->cta,
                               .operation = operation != NULL ? operation->slot : 0,
                               .kind = operation != NULL ? WHY_OPERATION : WHY_THREAD,
                               .warp = (uint8_t)who->warp,
                               .lane = (uint8_t)(who->lanes != 0 ? __builtin_ctz(who->lanes) : 0)};
}

// An event's bytes, which may be of another CTA of the cluster. 0 where nobody knows of which.
static bool bytes_of(struct look_why_launch *launch, const struct event_origin *who, uint32_t rank,
                     const struct why_operation *operation, struct why_bytes *at)
{
    const struct machine_cluster *cluster = operation != NULL ? operation->cluster : launch->cluster;
    if (rank != who->rank && (cluster == NULL || rank >= cluster->ctas)) return false;
    at->cta = cta_of(launch, rank == who->rank ? who->cta : cluster->cta[rank].number);
    return at->cta != NULL;
}

// The writers of the bytes that an operation has copied to `at`, as they are now.
static void find_sources(struct look_why_launch *launch, const struct why_operation *operation, struct why_bytes at,
                         uint32_t bytes, uint32_t source[WHY_CHUNK])
{
    const enum access_space space = at.cta != NULL ? SPACE_SHARED : SPACE_GLOBAL;
    for (uint32_t i = 0; i < bytes; i++) {
        const struct why_source from = why_source_of(operation, space, at.address + i);
        struct why_bytes of = {NULL, from.address};
        source[i] = WHY_NOBODY;
        if (from.kind == WHY_FROM_SHARED) of.cta = cta_of(launch, operation->cta);
        if (from.kind == WHY_FROM_GLOBAL || of.cta != NULL) why_get(&launch->why->keep, of, 1, &source[i]);
    }
}

static void set_chunk(struct look_why_launch *launch, const struct why_operation *operation,
                      const struct why_writer *like, struct why_bytes at, uint32_t bytes, bool adds)
{
    uint32_t source[WHY_CHUNK] = {0}, before[WHY_CHUNK] = {0}, writer[WHY_CHUNK];
    struct why_keep *keep = &launch->why->keep;
    if (operation != NULL && !like->is_barrier) find_sources(launch, operation, at, bytes, source);
    if (adds) why_get(keep, at, bytes, before);
    for (uint32_t i = 0; i < bytes; i++) {
        struct why_writer new = *like;
        if (i > 0 && source[i] == source[i - 1] && before[i] == before[i - 1]) {
            writer[i] = writer[i - 1];
            continue;
        }
        new.source = source[i];
        new.previous = before[i];
        writer[i] = why_add_writer(keep, &new);
    }
    why_set(keep, at, bytes, writer);
}

static void set_writers(struct look_why_launch *launch, const struct why_operation *operation,
                        const struct why_writer *like, struct why_bytes at, uint64_t bytes, bool adds)
{
    for (uint32_t part; bytes > 0; bytes -= part, at.address += part) {
        part = (uint32_t)(WHY_CHUNK - at.address % WHY_CHUNK);
        if (part > bytes) part = (uint32_t)bytes;
        set_chunk(launch, operation, like, at, part, adds);
    }
}

// --- The place -------------------------------------------------------------------------------------------------------

// What the place holds; 0 where it is not mapped.
static bool read_place(const struct look_why_launch *launch, const struct why_watch *watch, uint8_t *now)
{
    const struct global_memory *global = &launch->machine->global;
    if (watch->is_shared) {
        if (launch->watched != NULL) memcpy(now, launch->watched, watch->bytes);
        return launch->watched != NULL;
    }
    if (global_usable_bytes(global, watch->address, watch->bytes, MEMORY_READS) != watch->bytes) return false;
    global_read(global, watch->address, now, watch->bytes);
    return true;
}

static void see(const struct look_why_launch *launch, struct why_watch *watch)
{
    uint8_t now[WHY_MOST_WIDTH];
    if (watch->is_open && read_place(launch, watch, now)) why_watch_see(watch, now);
}

// Steps of operations are numbers of their own, so that the pieces of one are one write.
static uint64_t step_of(const struct look_why_launch *launch, const struct event_origin *who)
{
    if (who->operation == 0) return launch->why->steps;
    return UINT64_C(1) << 63 | (uint64_t)launch->facts << 48 | who->cta << 32 | (who->operation & UINT32_MAX);
}

// The byte that an operation reads, as it is now; -1: nobody knows.
static int source_byte(const struct look_why_launch *launch, const struct why_operation *of,
                       const struct why_source *from)
{
    const struct global_memory *global = &launch->machine->global;
    uint8_t byte;
    if (from->kind == WHY_FROM_SHARED) {
        const uint8_t *at =
            cluster_memory_at(&of->cluster->shared, of->operation.issuer, (uint32_t)from->address, sizeof byte);
        return at != NULL ? *at : -1;
    }
    if (from->kind != WHY_FROM_GLOBAL || global_usable_bytes(global, from->address, 1, MEMORY_READS) != 1) return -1;
    global_read(global, from->address, &byte, sizeof byte);
    return byte;
}

// Has the operation brought other bytes than lie at its source, which no fence had shown it?
static bool is_stale(const struct look_why_launch *launch, const struct why_watch *watch, uint64_t end,
                     const struct why_entry *entry)
{
    const struct why_writer *writer = &launch->why->keep.writer[entry->writer];
    uint8_t now[WHY_MOST_WIDTH];
    if (entry->writer < WHY_WRITERS || writer->kind != WHY_OPERATION || writer->is_barrier) return false;
    const struct why_operation *of = launch->why->keep.operation[writer->operation];
    if (of->cluster == NULL || dtype_row(of->operation.map.dtype)->is_tf32) return false;
    if (!read_place(launch, watch, now)) return false;
    for (uint64_t i = entry->first; i < watch->bytes && watch->address + i < end; i++) {
        const enum access_space space = watch->is_shared ? SPACE_SHARED : SPACE_GLOBAL;
        const struct why_source from = why_source_of(of, space, watch->address + i);
        const int byte = source_byte(launch, of, &from);
        if (byte >= 0 && byte != now[i]) return true;
    }
    return false;
}

// A write from `at` to the address `end`, which adds to what is there or does not.
static void note(struct look_why_launch *launch, struct why_watch *watch, const struct event_origin *who,
                 struct why_bytes at, uint64_t end, bool adds)
{
    const uint64_t first = at.address > watch->address ? at.address - watch->address : 0;
    struct why_entry entry = {.lanes = who->lanes, .first = (uint32_t)first, .step = step_of(launch, who)};
    uint8_t now[WHY_MOST_WIDTH];
    at.address = watch->address + first;
    why_get(&launch->why->keep, at, 1, &entry.writer);
    entry.is_stale = !adds && is_stale(launch, watch, end, &entry);
    if (watch->is_remote) see(launch, watch);
    why_watch_add(watch, &entry, who->operation != 0 && read_place(launch, watch, now) ? now : NULL);
    if (at.cta != NULL && who->operation == 0) watch->is_remote = at.cta->number != who->cta;
}

static void write_bytes(struct look_why_launch *launch, const struct event_origin *who, struct why_bytes at,
                        uint64_t bytes, const struct why_writer *like, bool adds)
{
    const enum access_space space = at.cta != NULL ? SPACE_SHARED : SPACE_GLOBAL;
    const struct why_operation *operation = like->operation != 0 ? launch->why->keep.operation[like->operation] : NULL;
    set_writers(launch, operation, like, at, bytes, adds);
    if (why_watch_meets(&launch->why->global, space, at.address, bytes))
        note(launch, &launch->why->global, who, at, at.address + bytes, adds);
    if (at.cta != NULL && at.cta->number == launch->watch.cta &&
        why_watch_meets(&launch->watch, space, at.address, bytes))
        note(launch, &launch->watch, who, at, at.address + bytes, adds);
}

static void hear_access(struct look_why_launch *launch, const struct event *event)
{
    const struct access *access = &event->access;
    const struct event_origin *who = event->origin;
    struct why_bytes at = {NULL, access->address};
    if (access->kind == ACCESS_READ || access->proxy == PROXY_TENSORMAP || access->bytes == 0) return;
    const struct why_operation *operation = who->operation != 0 ? *live_at(launch, who->cta, who->operation) : NULL;
    if (access->space == SPACE_SHARED && !bytes_of(launch, who, access->rank, operation, &at)) return;
    const struct why_writer like = writer_of(launch, who, operation);
    write_bytes(launch, who, at, access->bytes, &like, access->kind == ACCESS_REDUCE);
}

static void hear_barrier(struct look_why_launch *launch, const struct event *event)
{
    const struct event_origin *who = event->origin;
    struct why_bytes at = {NULL, event->barrier.address};
    if (event->barrier.step == BARRIER_WAIT) return;
    const struct why_operation *operation = who->operation != 0 ? *live_at(launch, who->cta, who->operation) : NULL;
    if (!bytes_of(launch, who, event->barrier.rank, operation, &at)) return;
    struct why_writer like = writer_of(launch, who, operation);
    like.is_barrier = 1;
    write_bytes(launch, who, at, MBARRIER_BYTES, &like, event->barrier.step == BARRIER_TRANSACTION);
}

void look_why_hear(struct look_why_launch *launch, const struct event *event)
{
    if (!launch->is_begun) return;
    if (event->kind == EVENT_ACCESS) hear_access(launch, event);
    if (event->kind == EVENT_BARRIER) hear_barrier(launch, event);
    if (event->kind == EVENT_RUN && event->run == RUN_CTA_EXIT) end_cta(launch, event->origin->cta);
}

void look_why_after(struct look_why_launch *launch)
{
    see(launch, &launch->watch);
    see(launch, &launch->why->global);
}
