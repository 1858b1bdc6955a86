// SPDX-License-Identifier: MIT
#include "why_launch.h"

#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "module.h"
#include "parts.h"
#include "stop.h"

static const char no_memory[] = "tmaref: why: there was not enough memory to keep who wrote what\n";

// --- The place in a launch -------------------------------------------------------------------------------------------

bool why_is_outside(struct look_why *why, const char *of, uint64_t bytes)
{
    if (why->place.offset <= bytes && bytes - why->place.offset >= why->place.bytes) return false;
    snprintf(why->wrong, sizeof why->wrong, "%s has %llu bytes: offset %llu with %u bytes is not in it", of,
             (unsigned long long)bytes, (unsigned long long)why->place.offset, why->place.bytes);
    return true;
}

// The number of the CTA that is asked for; 0 if the grid has none.
static bool find_cta(struct look_why *why, const struct why_launch_facts *facts, uint64_t *number)
{
    const uint32_t *cta = why->place.cta, *grid = facts->grid;
    const uint64_t all = (uint64_t)grid[0] * grid[1] * grid[2];
    *number = cta[0] + (uint64_t)grid[0] * (cta[1] + (uint64_t)grid[1] * cta[2]);
    if (why->place.ctas <= 1 ? *number < all : cta[0] < grid[0] && cta[1] < grid[1] && cta[2] < grid[2]) return true;
    snprintf(why->wrong, sizeof why->wrong, "the grid of kernel %s has %u x %u x %u CTAs: there is no such CTA",
             facts->kernel, grid[0], grid[1], grid[2]);
    return false;
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
        launch->watch.is_on = launch->watch.is_shared = launch->watch.is_known = true;
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
    launch->is_begun = true;
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
    why_make_room(launch->why);
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
        why->keep.is_short = true;
        free(facts.kernel);
        free(made);
        return NULL;
    }
    made->why = why;
    made->next = why->under_way;
    why->under_way = made;
    made->facts = number;
    const bool is_named =
        place->kernel[0] == '\0' || look_is_function(place->kernel, &mangled) || strcmp(place->kernel, name) == 0;
    if (is_named) why->named = facts.number;
    made->is_wanted = is_named && place->kind == WHY_NAME && !why->global.is_on &&
                      (place->launch == 0 || place->launch == facts.number);
    return made;
}

void look_why_break(const struct look_why_launch *launch)
{
    const struct look_why *why = launch->why;
    why_tell_now(why, why->global.is_on ? &why->global : &launch->watch);
}

static void mark_watch(struct why_keep *keep, const struct why_watch *watch)
{
    for (uint64_t i = 0; i < watch->count && i < WHY_MOST_TOLD; i++) why_mark(keep, &watch->entry[i].writer, 1);
}

void why_make_room(struct look_why *why)
{
    struct why_keep *keep = &why->keep;
    if (!why_is_full(keep) || keep->is_short || !why_sweep_begin(keep)) return;
    mark_watch(keep, &why->global);
    mark_watch(keep, &why->shared);
    for (const struct look_why_launch *launch = why->under_way; launch != NULL; launch = launch->next) {
        mark_watch(keep, &launch->watch);
        for (int i = 0; i < WHY_LISTS; i++)
            for (const struct why_cta *cta = launch->cta[i]; cta != NULL; cta = cta->next)
                why_mark(keep, cta->cell, cta->bytes);
    }
    why_sweep(keep);
    keep->is_short |= why_is_full(keep); // nobody is looked for again and again
}

// The last launch that wrote there is told; if none has, the last in which the place was.
void look_why_end(struct look_why_launch *launch)
{
    struct look_why *why = launch->why;
    struct look_why_launch **at = &why->under_way;
    while (*at != launch) at = &(*at)->next;
    *at = launch->next;
    if (launch->watch.is_on && (launch->watch.count > 0 || why->shared.count == 0)) why->shared = launch->watch;
    for (int i = 0; i < WHY_LISTS; i++) {
        while (launch->cta[i] != NULL) why_free_cta(launch, launch->cta[i]->number);
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
