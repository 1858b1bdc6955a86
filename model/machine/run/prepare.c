// SPDX-License-Identifier: MIT
#include "prepare.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "hopper.h"
#include "module.h"

enum { PARAMETERS_ALIGN = 64 };

// --- Memory ----------------------------------------------------------------------------------------------------------

static int by_base(const void *a, const void *b)
{
    const struct region *one = a, *other = b;
    return one->memory.base < other->memory.base ? -1 : one->memory.base > other->memory.base;
}

static bool holds(const struct global_memory *global, const struct region *region)
{
    for (uint32_t i = 0; global != NULL && i < global->count; i++)
        if (global->region[i].memory.base == region->memory.base) return true;
    return false;
}

// The table of regions, and those that were before it: who waits may still know a region of theirs.
struct machine_map {
    struct machine_map *before;
    struct region region[];
};

bool machine_map_memory(struct machine *machine, const struct global_memory *given)
{
    const struct machine_launch *launch = machine->launch;
    struct region own[MACHINE_MODULE_REGIONS + 2];
    uint32_t owned = machine_module_regions(launch->module, own), count = given == NULL ? 0 : given->count;
    uint64_t bytes = machine->kernel->facts.parameter_bytes;
    if (launch->heap != NULL) own[owned++] = (struct region){machine_heap_memory(launch->heap), 0};
    own[owned++] = (struct region){{machine->parameters, (uint64_t)(uintptr_t)machine->parameters, bytes}, 1};
    struct machine_map *map = calloc(1, sizeof *map + (count + owned) * sizeof *map->region);
    if (map == NULL) return false;
    if (count > 0) memcpy(map->region, given->region, count * sizeof *map->region);
    for (uint32_t i = 0; i < owned; i++)
        if (own[i].memory.size_bytes > 0 && !holds(given, &own[i])) map->region[count++] = own[i];
    qsort(map->region, count, sizeof *map->region, by_base);
    map->before = machine->map;
    machine->map = map;
    machine->global = (struct global_memory){map->region, count};
    return true;
}

static bool copy_parameters(struct machine *machine)
{
    uint64_t bytes = machine->kernel->facts.parameter_bytes;
    machine->parameters = aligned_alloc(PARAMETERS_ALIGN, (bytes / PARAMETERS_ALIGN + 1) * PARAMETERS_ALIGN);
    if (machine->parameters == NULL) return false;
    memset(machine->parameters, 0, (bytes / PARAMETERS_ALIGN + 1) * PARAMETERS_ALIGN);
    if (bytes > 0) memcpy(machine->parameters, machine->launch->parameters, bytes);
    return true;
}

// --- The launch ------------------------------------------------------------------------------------------------------

static struct cluster_launch shape_of(const struct machine_launch *launch, const struct machine_kernel_facts *facts)
{
    struct cluster_launch shape = {.non_portable = 1, .allows_shared = 1, .has_cluster = launch->cluster[0] > 0};
    memcpy(shape.grid, launch->grid, sizeof shape.grid);
    memcpy(shape.block, launch->block, sizeof shape.block);
    memcpy(shape.cluster, launch->cluster, sizeof shape.cluster);
    memcpy(shape.compiled_cluster, facts->reqnctapercluster, sizeof shape.compiled_cluster);
    shape.shared_bytes =
        launch->dynamic_shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)launch->dynamic_shared_bytes;
    shape.allowed_shared_bytes = shape.shared_bytes;
    shape.compiled_threads = facts->max_threads;
    shape.compiled_max_cluster = facts->max_cluster_rank;
    shape.static_shared_bytes = facts->static_shared_bytes > LAUNCH_MAX_SHARED_BYTES
                                    ? LAUNCH_MAX_SHARED_BYTES
                                    : (uint32_t)facts->static_shared_bytes;
    return shape;
}

static uint64_t shared_bytes_of(const struct machine *machine)
{
    enum { GRANULE = 128 };
    uint64_t end = machine->kernel->dynamic_shared_at + machine->launch->dynamic_shared_bytes - MACHINE_SHARED_BASE;
    if (machine->launch->dynamic_shared_bytes == 0) end = machine->kernel->facts.static_shared_bytes;
    return (end + GRANULE - 1) / GRANULE * GRANULE;
}

// How many clusters an H200 runs at once, at least one: a launch whose CTAs wait for each other goes on.
uint32_t machine_most_residents(const struct machine *machine)
{
    const uint32_t *block = machine->launch->block;
    uint32_t threads = (block[0] * block[1] * block[2] + MACHINE_LANES - 1) / MACHINE_LANES * MACHINE_LANES;
    uint64_t by_threads = SM_MOST_THREADS / threads;
    uint64_t by_shared = SM_SHARED_BYTES / (machine->shared_bytes + MACHINE_SHARED_BASE);
    uint64_t each = by_threads < by_shared ? by_threads : by_shared;
    if (each > SM_MOST_CTAS) each = SM_MOST_CTAS;
    uint64_t clusters = each * H200_SMS / machine->ctas;
    return clusters == 0 ? 1 : (uint32_t)clusters;
}

static void refuse(struct machine_outcome *outcome, enum rule rule, const char *message)
{
    outcome->kind = MACHINE_REFUSED;
    outcome->rule = rule;
    outcome->cuda_error = rule == RULE_OK ? 1 : rule_cuda_error(rule);
    snprintf(outcome->message, sizeof outcome->message, "%s", message);
}

static bool check(struct machine *machine)
{
    const struct machine_launch *launch = machine->launch;
    struct ptx_errors errors;
    machine->kernel = machine_module_decoded(launch->module, launch->kernel, &errors);
    if (machine->kernel == NULL) {
        refuse(machine->outcome, RULE_OK, errors.count > 0 ? errors.item[0].message : "no memory to decode the kernel");
        return false;
    }
    machine->shape = shape_of(launch, &machine->kernel->facts);
    const enum rule rule = cluster_launch_check(&machine->shape, NULL);
    if (rule != RULE_OK) refuse(machine->outcome, rule, rule_row(rule)->sentence);
    return rule == RULE_OK;
}

bool machine_prepare(struct machine *machine)
{
    if (!check(machine)) return false;
    machine->first = cluster_registers(&machine->shape, (const uint32_t[3]){0, 0, 0});
    machine->ctas = machine->first.cluster_nctarank;
    machine->shared_bytes = shared_bytes_of(machine);
    if (copy_parameters(machine) && machine_map_memory(machine, machine->launch->global)) return true;
    machine->outcome->kind = MACHINE_NO_MEMORY;
    return false;
}

void machine_unprepare(struct machine *machine)
{
    for (struct machine_map *map = machine->map, *before; map != NULL; map = before) {
        before = map->before;
        free(map);
    }
    free(machine->parameters);
    free(machine->note);
}

void machine_combine_lock(const struct machine *machine)
{
    if (machine->combined_lock != NULL) pthread_mutex_lock(machine->combined_lock);
}

void machine_combine_unlock(const struct machine *machine)
{
    if (machine->combined_lock != NULL) pthread_mutex_unlock(machine->combined_lock);
}
