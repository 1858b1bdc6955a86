// SPDX-License-Identifier: MIT
// What --why hears: of every write who made it, and of one that copies, whose bytes it copied.
#include "why.h"

#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "module.h"
#include "operation_part.h"
#include "parts.h"
#include "report.h"
#include "stop.h"

// One launch. site: of each line of the PTX that wrote, its site plus 1. ended: the CTAs that ended last.
enum { BUCKETS = 256 };
struct look_why_launch {
    struct look_why *why;
    const struct machine *machine;
    const struct machine_cluster *cluster;
    uint64_t cluster_number;
    uint32_t facts, sites, ended_next;
    uint32_t *site;
    int is_wanted, is_begun;
    struct why_cta *cta[BUCKETS];
    uint64_t ended[WHY_ENDED_CTAS];
    struct why_operation *live[BUCKETS];
    struct why_watch watch;
    const uint8_t *watched; // where the watched bytes are; NULL: not there
    const struct machine_cluster *watched_in;
};

static const char no_memory[] = "tmaref: why: there was not enough memory to keep who wrote what\n";

// --- Shared memory of CTAs -------------------------------------------------------------------------------------------

static struct why_cta *cta_of(struct look_why_launch *launch, uint64_t number)
{
    struct why_cta **first = &launch->cta[number % BUCKETS], *cta = *first;
    while (cta != NULL && cta->number != number) cta = cta->next;
    if (cta != NULL) return cta;
    cta = calloc(1, sizeof *cta);
    if (cta != NULL) cta->bytes = MACHINE_SHARED_BASE + launch->machine->shared_bytes;
    if (cta != NULL) cta->cell = calloc(cta->bytes + 1, sizeof *cta->cell);
    if (cta == NULL || cta->cell == NULL) {
        launch->why->keep.is_short = 1;
        free(cta);
        return NULL;
    }
    cta->number = number;
    cta->next = *first;
    return *first = cta;
}

static void free_cta(struct look_why_launch *launch, uint64_t number)
{
    struct why_cta **at = &launch->cta[number % BUCKETS];
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
    if (launch->ended_next > WHY_ENDED_CTAS) free_cta(launch, *slot);
    *slot = number;
}

// --- Operations ------------------------------------------------------------------------------------------------------

static struct why_operation **live_at(struct look_why_launch *launch, uint64_t cta, uint64_t number)
{
    struct why_operation **at = &launch->live[(cta * 31 + number) % BUCKETS];
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
        launch->why->keep.is_short = 1;
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
        of->is_copies = 1;
        of->operation.kind = OPERATION_CP_ASYNC;
        of->operation.issuer = who->rank;
        of->lanes = flight->lanes;
        of->bytes = copies->bytes;
        memcpy(of->read, copies->read, sizeof of->read);
        memcpy(of->from_address, copies->from_address, sizeof of->from_address);
        memcpy(of->to_address, copies->to_address, sizeof of->to_address);
    }
    struct why_operation **first = &launch->live[(who->cta * 31 + who->operation) % BUCKETS];
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

static uint32_t new_site(struct look_why_launch *launch, const struct event_origin *who)
{
    char place[1024], instruction[2 * DEMANGLED_BYTES];
    const struct machine_where where = machine_line_where(launch->machine, who->line, who->called_at);
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
static int bytes_of(struct look_why_launch *launch, const struct event_origin *who, uint32_t rank,
                    const struct why_operation *operation, struct why_bytes *at)
{
    const struct machine_cluster *cluster = operation != NULL ? operation->cluster : launch->cluster;
    if (rank != who->rank && (cluster == NULL || rank >= cluster->ctas)) return 0;
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
                      const struct why_writer *like, struct why_bytes at, uint32_t bytes, int adds)
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
                        const struct why_writer *like, struct why_bytes at, uint64_t bytes, int adds)
{
    for (uint32_t part; bytes > 0; bytes -= part, at.address += part) {
        part = (uint32_t)(WHY_CHUNK - at.address % WHY_CHUNK);
        if (part > bytes) part = (uint32_t)bytes;
        set_chunk(launch, operation, like, at, part, adds);
    }
}

// --- The place -------------------------------------------------------------------------------------------------------

// What the place holds; 0 where it is not mapped.
static int read_place(const struct look_why_launch *launch, const struct why_watch *watch, uint8_t *now)
{
    const struct global_memory *global = &launch->machine->global;
    if (watch->is_shared) {
        if (launch->watched != NULL) memcpy(now, launch->watched, watch->bytes);
        return launch->watched != NULL;
    }
    if (global_usable_bytes(global, watch->address, watch->bytes, MEMORY_READS) != watch->bytes) return 0;
    global_read(global, watch->address, now, watch->bytes);
    return 1;
}

static void see(const struct look_why_launch *launch, struct why_watch *watch)
{
    uint8_t now[WHY_MOST_WIDTH];
    if (watch->is_open && read_place(launch, watch, now)) why_watch_see(watch, now);
}

static void note(struct look_why_launch *launch, struct why_watch *watch, const struct event_origin *who,
                 struct why_bytes at, uint64_t step)
{
    const uint64_t first = at.address > watch->address ? at.address - watch->address : 0;
    struct why_entry entry = {.lanes = who->lanes, .first = (uint32_t)first, .step = step};
    uint8_t now[WHY_MOST_WIDTH];
    at.address = watch->address + first;
    why_get(&launch->why->keep, at, 1, &entry.writer);
    if (watch->is_remote) see(launch, watch);
    why_watch_add(watch, &entry, who->operation != 0 && read_place(launch, watch, now) ? now : NULL);
    if (at.cta != NULL && who->operation == 0) watch->is_remote = at.cta->number != who->cta;
}

// Steps of operations are numbers of their own, so that the pieces of one are one write.
static uint64_t step_of(const struct look_why_launch *launch, const struct event_origin *who)
{
    if (who->operation == 0) return launch->why->steps;
    return UINT64_C(1) << 63 | (uint64_t)launch->facts << 48 | who->cta << 32 | (who->operation & UINT32_MAX);
}

static void write_bytes(struct look_why_launch *launch, const struct event_origin *who, struct why_bytes at,
                        uint64_t bytes, const struct why_writer *like, int adds)
{
    const enum access_space space = at.cta != NULL ? SPACE_SHARED : SPACE_GLOBAL;
    const struct why_operation *operation = like->operation != 0 ? launch->why->keep.operation[like->operation] : NULL;
    set_writers(launch, operation, like, at, bytes, adds);
    if (why_watch_meets(&launch->why->global, space, at.address, bytes))
        note(launch, &launch->why->global, who, at, step_of(launch, who));
    if (at.cta != NULL && at.cta->number == launch->watch.cta &&
        why_watch_meets(&launch->watch, space, at.address, bytes))
        note(launch, &launch->watch, who, at, step_of(launch, who));
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

// --- The place in a launch -------------------------------------------------------------------------------------------

int why_is_outside(struct look_why *why, const char *of, uint64_t bytes)
{
    if (why->place.offset <= bytes && bytes - why->place.offset >= why->place.bytes) return 0;
    snprintf(why->wrong, sizeof why->wrong, "%s has %llu bytes: offset %llu with %u bytes is not in it", of,
             (unsigned long long)bytes, (unsigned long long)why->place.offset, why->place.bytes);
    return 1;
}

// The number of the CTA that is asked for; 0 if the grid has none.
static int find_cta(struct look_why *why, const struct why_launch_facts *facts, uint64_t *number)
{
    const uint32_t *cta = why->place.cta, *grid = facts->grid;
    const uint64_t all = (uint64_t)grid[0] * grid[1] * grid[2];
    *number = cta[0] + (uint64_t)grid[0] * (cta[1] + (uint64_t)grid[1] * cta[2]);
    if (why->place.ctas <= 1 ? *number < all : cta[0] < grid[0] && cta[1] < grid[1] && cta[2] < grid[2]) return 1;
    snprintf(why->wrong, sizeof why->wrong, "the grid of kernel %s has %u x %u x %u CTAs: there is no such CTA",
             facts->kernel, grid[0], grid[1], grid[2]);
    return 0;
}

static void find_shared(struct look_why_launch *launch, const struct why_launch_facts *facts)
{
    struct look_why *why = launch->why;
    char of[WHY_SHARED_NAME_BYTES + 300];
    for (uint32_t i = 0; i < facts->variables; i++) {
        const struct why_variable *variable = &facts->variable[i];
        if (strcmp(variable->name, why->place.name) != 0) continue;
        snprintf(of, sizeof of, "%s in kernel %s", variable->name, facts->kernel);
        if (why_is_outside(why, of, variable->bytes) || !find_cta(why, facts, &launch->watch.cta)) return;
        launch->watch.is_on = launch->watch.is_shared = launch->watch.is_known = 1;
        launch->watch.address = variable->at + why->place.offset;
        launch->watch.bytes = why->place.bytes;
        launch->watch.launch = launch->facts;
        return;
    }
}

static void take_variables(struct look_why_launch *launch, struct why_launch_facts *facts)
{
    const struct machine_kernel *kernel = launch->machine->kernel;
    facts->variable = calloc(kernel->shareds + 1, sizeof *facts->variable);
    for (uint32_t i = 0; i < kernel->shareds && facts->variable != NULL; i++) {
        const struct machine_variable *from = &kernel->shared[i];
        struct why_variable *to = &facts->variable[facts->variables++];
        demangle_variable(from->name.at, from->name.length, to->name, sizeof to->name);
        to->at = from->at;
        to->bytes = from->bytes > 0 ? from->bytes : launch->machine->launch->dynamic_shared_bytes;
    }
}

static void begin_launch(struct look_why_launch *launch, const struct machine_cluster *cluster)
{
    struct why_launch_facts *facts = &launch->why->keep.launch[launch->facts];
    launch->machine = cluster->machine;
    launch->is_begun = 1;
    take_variables(launch, facts);
    if (launch->is_wanted) find_shared(launch, facts);
}

// Another cluster runs: is the place in it?
static void find_watched(struct look_why_launch *launch, const struct machine_cluster *cluster)
{
    const struct why_watch *watch = &launch->watch;
    launch->cluster = cluster;
    launch->cluster_number = cluster->number;
    if (!watch->is_on) return;
    if (launch->watched_in == cluster) launch->watched = NULL;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        if (cluster->cta[rank].number != watch->cta) continue;
        launch->watched = cluster_memory_at(&cluster->shared, rank, (uint32_t)watch->address, watch->bytes);
        launch->watched_in = cluster;
    }
}

void look_why_before(struct look_why_launch *launch, const struct machine_step *step)
{
    const struct machine_cluster *cluster = step->warp->cta->cluster;
    if (!launch->is_begun) begin_launch(launch, cluster);
    if (launch->cluster != cluster || launch->cluster_number != cluster->number) find_watched(launch, cluster);
    launch->why->steps++;
}

void look_why_after(struct look_why_launch *launch)
{
    see(launch, &launch->watch);
    see(launch, &launch->why->global);
}

// --- Launches --------------------------------------------------------------------------------------------------------

// Counts the launch; returns which of its kernel it is, 0 without memory.
static uint64_t count_launch(struct look_why *why, const char *kernel)
{
    for (uint32_t i = 0; i < why->kernels; i++)
        if (strcmp(why->kernel[i].name, kernel) == 0) return ++why->kernel[i].launches;
    struct why_kernel *more = look_grow(why->kernel, &why->kernels_room, why->kernels + 1, sizeof *more);
    char *name = look_string(kernel, strlen(kernel));
    if (more != NULL) why->kernel = more;
    if (more == NULL || name == NULL) {
        free(name);
        return 0;
    }
    why->kernel[why->kernels++] = (struct why_kernel){name, 1};
    return 1;
}

struct look_why_launch *look_why_begin(struct look_why *why, const struct machine_launch *launch, const char *kernel)
{
    char name[DEMANGLED_BYTES];
    const struct why_place *place = &why->place;
    const struct ptx_name mangled = {kernel, (uint32_t)strlen(kernel)};
    struct look_why_launch *made = calloc(1, sizeof *made);
    demangle_function(kernel, strlen(kernel), name, sizeof name);
    struct why_launch_facts facts = {.kernel = look_string(name, strlen(name)), .number = count_launch(why, name)};
    memcpy(facts.grid, launch->grid, sizeof facts.grid);
    memcpy(facts.block, launch->block, sizeof facts.block);
    const uint32_t number = made != NULL ? why_add_launch(&why->keep, &facts) : UINT32_MAX;
    if (number == UINT32_MAX) {
        why->keep.is_short = 1;
        free(facts.kernel);
        free(made);
        return NULL;
    }
    made->why = why;
    made->facts = number;
    const int is_named =
        place->kernel[0] == '\0' || look_is_function(place->kernel, &mangled) || strcmp(place->kernel, name) == 0;
    if (is_named) why->named = facts.number;
    made->is_wanted = is_named && place->kind == WHY_NAME && !why->global.is_on &&
                      (place->launch == 0 || place->launch == facts.number);
    return made;
}

// The last launch that wrote there is told; if none has, the last in which the place was.
void look_why_end(struct look_why_launch *launch)
{
    struct look_why *why = launch->why;
    if (launch->watch.is_on && (launch->watch.count > 0 || why->shared.count == 0)) why->shared = launch->watch;
    for (int i = 0; i < BUCKETS; i++) {
        while (launch->cta[i] != NULL) free_cta(launch, launch->cta[i]->number);
        for (struct why_operation *of = launch->live[i]; of != NULL; of = of->next) of->cluster = NULL;
    }
    free(launch->site);
    free(launch);
}

// --- Begin and end ---------------------------------------------------------------------------------------------------

struct look_why *look_why_open(const struct look_options *options)
{
    struct look_why *why = calloc(1, sizeof *why);
    if (why == NULL) return NULL;
    why_place_read(options->why, &why->place);
    why->text = options->why;
    why->notes = options->notes;
    why->lines = options->lines;
    why->most = options->why_writes > 0 ? options->why_writes : WHY_TOLD;
    if (why->place.kind == WHY_ADDRESS) why_watch_global(why, why->place.number);
    return why;
}

void look_why_close(struct look_why *why)
{
    why_tell(why);
    if (why->keep.is_short) fputs(no_memory, stderr);
    why_drop(&why->keep);
    for (uint32_t i = 0; i < why->kernels; i++) free(why->kernel[i].name);
    free(why->kernel);
    free(why->area);
    free(why);
}
