// SPDX-License-Identifier: MIT
// Addresses, ranks and launches of clusters. The checks of a launch stand in the order in which the driver looks.
#include "cluster.h"

#include <stddef.h>

#include "broken.h"
#include "rules/cluster.h"
#include "rules/launch.h"

#define OFFSET_MASK ((UINT32_C(1) << SHARED_RANK_SHIFT) - 1)

uint32_t cluster_mapa(uint32_t address, uint32_t rank)
{
    return (address & OFFSET_MASK) | rank << SHARED_RANK_SHIFT;
}

uint32_t cluster_address_rank(uint32_t address)
{
    return address >> SHARED_RANK_SHIFT;
}

uint64_t cluster_mapa_generic(uint64_t address, uint32_t rank)
{
    return (address & ~(uint64_t)UINT32_MAX) | cluster_mapa((uint32_t)address, rank);
}

uint32_t cluster_generic_rank(uint64_t address)
{
    return cluster_address_rank((uint32_t)address);
}

int cluster_is_shared_cta(uint64_t offset, uint32_t rank)
{
    return offset >> SHARED_RANK_SHIFT == rank;
}

int cluster_is_shared_cluster(uint64_t offset)
{
    return offset < SHARED_GENERIC_BYTES;
}

uint32_t cluster_rank(const uint32_t cluster[3], const uint32_t ctaid[3])
{
    return ctaid[0] + cluster[0] * (ctaid[1] + cluster[1] * ctaid[2]);
}

// --- Launches --------------------------------------------------------------------------------------------------------

// A check in progress: the first rule broken so far.
struct check {
    const struct cluster_launch *launch;
    struct findings *findings;
    enum rule first;
};

static void broken(struct check *check, enum rule rule, const char *argument, int index, uint64_t value, uint64_t limit)
{
    finding_add(check->findings, FINDING_AT(rule, argument, index, .value = value, .limit = limit, .nearest = limit));
    if (check->first == RULE_OK) check->first = rule;
}

static void at_least_1(struct check *check, enum rule rule, const char *argument, const uint32_t dim[3])
{
    for (int i = 0; i < 3; i++)
        if (dim[i] == 0) broken(check, rule, argument, i, 0, 1);
}

static uint64_t product(const uint32_t dim[3])
{
    uint64_t xy = (uint64_t)dim[0] * dim[1];
    return dim[2] != 0 && xy > UINT64_MAX / dim[2] ? UINT64_MAX : xy * dim[2];
}

// The clusters that the launch makes: the attribute's, else the kernel's, else NULL.
static const uint32_t *cluster_of(const struct cluster_launch *launch)
{
    if (launch->has_cluster) return launch->cluster;
    return launch->compiled_cluster[0] != 0 ? launch->compiled_cluster : NULL;
}

static void check_block(struct check *check)
{
    const struct cluster_launch *launch = check->launch;
    const uint32_t most[3] = {LAUNCH_MAX_THREADS, LAUNCH_MAX_THREADS, LAUNCH_MAX_BLOCK_Z};
    const uint64_t threads = product(launch->block);
    at_least_1(check, RULE_LAUNCH_BLOCK, "blockDim", launch->block);
    for (int i = 0; i < 3; i++)
        if (launch->block[i] > most[i]) broken(check, RULE_LAUNCH_BLOCK, "blockDim", i, launch->block[i], most[i]);
    if (threads > launch->compiled_threads)
        broken(check, RULE_LAUNCH_BLOCK, "threads of a block", -1, threads, launch->compiled_threads);
}

static void check_grid(struct check *check)
{
    const uint32_t most[3] = {LAUNCH_MAX_GRID_X, LAUNCH_MAX_GRID_YZ, LAUNCH_MAX_GRID_YZ};
    at_least_1(check, RULE_LAUNCH_GRID, "gridDim", check->launch->grid);
    for (int i = 0; i < 3; i++)
        if (check->launch->grid[i] > most[i])
            broken(check, RULE_LAUNCH_GRID, "gridDim", i, check->launch->grid[i], most[i]);
}

// What the kernel was compiled with, and the attribute against it. A 0 behind the first number leaves that one open.
static void check_compiled(struct check *check)
{
    const struct cluster_launch *launch = check->launch;
    if (launch->compiled_cluster[0] == 0) return;
    for (int i = 0; i < 3; i++)
        if (launch->has_cluster && launch->compiled_cluster[i] != 0 &&
            launch->cluster[i] != launch->compiled_cluster[i])
            broken(check, RULE_CLUSTER_COMPILED, "clusterDim", i, launch->cluster[i], launch->compiled_cluster[i]);
}

static void check_cluster(struct check *check, const uint32_t cluster[3])
{
    const struct cluster_launch *launch = check->launch;
    const uint64_t ctas = product(cluster);
    if (ctas > CLUSTER_MAX_PORTABLE && !launch->non_portable)
        broken(check, RULE_CLUSTER_SIZE_PORTABLE, "CTAs of a cluster", -1, ctas, CLUSTER_MAX_PORTABLE);
    if (launch->compiled_max_cluster != 0 && ctas > launch->compiled_max_cluster)
        broken(check, RULE_CLUSTER_COMPILED, "CTAs of a cluster", -1, ctas, launch->compiled_max_cluster);
    for (int i = 0; i < 3; i++)
        if (cluster[i] != 0 && launch->grid[i] % cluster[i] != 0)
            broken(check, RULE_CLUSTER_GRID_DIVISIBLE, "gridDim", i, launch->grid[i], cluster[i]);
}

static void check_shared(struct check *check)
{
    const struct cluster_launch *launch = check->launch;
    uint32_t allowed = LAUNCH_DEFAULT_SHARED_BYTES - launch->static_shared_bytes;
    if (launch->allows_shared) allowed = launch->allowed_shared_bytes;
    if (launch->shared_bytes > allowed)
        broken(check, RULE_LAUNCH_SHARED_BYTES, "sharedMemBytes", -1, launch->shared_bytes, allowed);
}

enum rule cluster_launch_check(const struct cluster_launch *launch, struct findings *findings)
{
    struct check check = {launch, findings, RULE_OK};
    const uint32_t most = LAUNCH_MAX_SHARED_BYTES - launch->static_shared_bytes;
    const uint32_t *cluster = cluster_of(launch);
    findings_clear(findings);
    if (launch->allows_shared && launch->allowed_shared_bytes > most)
        broken(&check, RULE_LAUNCH_SHARED_ALLOWED, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", -1,
               launch->allowed_shared_bytes, most);
    check_block(&check);
    if (cluster != NULL) at_least_1(&check, RULE_CLUSTER_SIZE, "clusterDim", cluster);
    check_grid(&check);
    check_compiled(&check);
    if (cluster != NULL) check_cluster(&check, cluster);
    check_shared(&check);
    if (cluster != NULL && product(cluster) > CLUSTER_MAX)
        broken(&check, RULE_CLUSTER_SIZE, "CTAs of a cluster", -1, product(cluster), CLUSTER_MAX);
    return check.first;
}

struct cluster_registers cluster_registers(const struct cluster_launch *launch, const uint32_t ctaid[3])
{
    static const uint32_t alone[3] = {1, 1, 1};
    const uint32_t *given = cluster_of(launch), *cluster = given != NULL ? given : alone;
    struct cluster_registers registers = {.is_explicit_cluster = given != NULL};
    for (int i = 0; i < 3; i++) {
        registers.clusterid[i] = ctaid[i] / cluster[i];
        registers.nclusterid[i] = launch->grid[i] / cluster[i];
        registers.cluster_ctaid[i] = ctaid[i] % cluster[i];
        registers.cluster_nctaid[i] = cluster[i];
    }
    registers.cluster_ctarank = cluster_rank(cluster, registers.cluster_ctaid);
    registers.cluster_nctarank = cluster[0] * cluster[1] * cluster[2];
    return registers;
}
