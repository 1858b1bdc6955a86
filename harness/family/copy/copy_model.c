// SPDX-License-Identifier: MIT
#include "copy_model.h"
#include "result.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bulk.h"
#include "copy.h"
#include "mbarrier.h"
#include "multicast.h"
#include "store.h"
#include "swizzle.h"

// --- Where tiles are -------------------------------------------------------------------------------------------------

static void coordinates(const struct copy_job *job, const uint32_t *index, uint32_t box, int32_t *coord)
{
    for (int i = 0; i < COPY_MAX_RANK; i++) {
        coord[i] = (int32_t)((index[i] * job->cut[i] + box % job->cut[i]) * job->box[i]);
        box /= job->cut[i];
    }
}

// The tile of the CTA at blockIdx `block`, and that of a number.
static void tile_of_cta(const struct copy_job *job, const uint32_t *block, uint32_t *index)
{
    for (uint32_t i = 0; i < COPY_MAX_RANK; i++) {
        uint32_t direction = job->rank - 1 - i;
        index[i] = i < job->rank ? block[direction] / job->share[direction] : 0;
    }
}

static void tile_of_number(const struct copy_job *job, uint32_t number, uint32_t *index)
{
    for (int i = 0; i < COPY_MAX_RANK; i++) {
        index[i] = number % job->tiles[i];
        number /= job->tiles[i];
    }
}

static uint32_t cta_number(const struct copy_machine *machine, const uint32_t *block)
{
    return block[0] + machine->grid[0] * (block[1] + machine->grid[1] * block[2]);
}

// --- A cluster -------------------------------------------------------------------------------------------------------

struct cluster {
    uint8_t *bytes; // of all shared memories: too much for the stack
    struct memory cta[COPY_GROUP];
    uint64_t word[COPY_GROUP];
    uint32_t block[COPY_GROUP][3]; // blockIdx
    uint32_t ctas;
};

static uint32_t at_least_1(uint32_t number)
{
    return number > 0 ? number : 1;
}

// The zeroed shared memories of `ctas` CTAs, for the caller to free.
static uint8_t *open_shared(size_t ctas)
{
    uint8_t *bytes = calloc(ctas, SM_SHARED_BYTES);
    if (bytes != NULL) return bytes;
    fprintf(stderr, "tmaref: not enough memory for the shared memory of %zu CTAs\n", ctas);
    abort();
}

static struct cluster open_cluster(void)
{
    return (struct cluster){.bytes = open_shared(COPY_GROUP)};
}

// Cluster `number`: the grid's clusters are counted x first, as its CTAs are.
static void start_cluster(const struct copy_machine *machine, uint32_t number, struct cluster *cluster)
{
    uint32_t size[3], first[3];
    for (int i = 0; i < 3; i++) {
        size[i] = at_least_1(machine->cluster[i]);
        first[i] = number % (machine->grid[i] / size[i]) * size[i];
        number /= machine->grid[i] / size[i];
    }
    cluster->ctas = size[0] * size[1] * size[2];
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        cluster->cta[rank] =
            (struct memory){cluster->bytes + (size_t)rank * SM_SHARED_BYTES, COPY_SHARED_START, machine->shared_bytes};
        cluster->word[rank] = mbarrier_init(1);
        cluster->block[rank][0] = first[0] + rank % size[0];
        cluster->block[rank][1] = first[1] + rank / size[0] % size[1];
        cluster->block[rank][2] = first[2] + rank / size[0] / size[1];
    }
}

// That of a CTA of a launch without clusters; its `bytes` are to be freed.
static struct memory open_cta(uint32_t size_bytes)
{
    return (struct memory){open_shared(1), COPY_SHARED_START, size_bytes};
}

static uint32_t clusters_of(const struct copy_machine *machine)
{
    uint32_t count = 1;
    for (int i = 0; i < 3; i++) count *= machine->grid[i] / at_least_1(machine->cluster[i]);
    return count;
}

static void fill_canaries(const struct copy_job *job, const struct memory *cta, uint32_t number, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += 4)
        put_u32(memory_at(cta, job->shared + at, 4), copy_canary(number, job->shared + at));
}

// Box `box` of the tile at `index` to `shared` of the CTA `rank`, or of all CTAs of its mask.
static enum rule load_box(const struct copy_machine *machine, const struct copy_job *job, struct cluster *cluster,
                          uint32_t rank, const uint32_t *index, uint32_t box, uint32_t shared)
{
    struct cluster_load load = {.cluster.cta = cluster->cta,
                                .cluster.ctas = cluster->ctas,
                                .cluster.is_cluster = machine->cluster[0] > 0,
                                .issuer = rank,
                                .is_multicast = (int)job->is_multicast,
                                .mask = job->mask[rank],
                                .to_rank = rank,
                                .shared = shared + box * job->box_pitch_bytes,
                                .barrier_rank = rank};
    int32_t coord[TENSORMAP_MAX_RANK] = {0};
    uint32_t complete, targets = multicast_targets(&load);
    coordinates(job, index, box, coord);
    enum rule rule = multicast_tile_load(&machine->map, (int)job->rank, coord, machine->source, &load, &complete, NULL);
    if (rule != RULE_OK) return rule;
    for (uint32_t to = 0; to < cluster->ctas; to++)
        if (targets >> to & 1)
            mbarrier_transact_remote(&cluster->word[to], &(struct mbarrier_transaction){.complete_bytes = complete});
    return RULE_OK;
}

// What each CTA loads of one tile: its box for all, or all boxes for itself.
static enum rule load_tile(const struct copy_machine *machine, const struct copy_job *job, struct cluster *cluster,
                           uint32_t rank, const uint32_t *index, uint32_t shared)
{
    enum rule rule = RULE_OK;
    struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = job->load_bytes};
    if ((rule = mbarrier_transact(&cluster->word[rank], &announce)) != RULE_OK) return rule;
    if (job->is_multicast) return load_box(machine, job, cluster, rank, index, job->slice[rank], shared);
    for (uint32_t box = 0; box < job->boxes && rule == RULE_OK; box++)
        rule = load_box(machine, job, cluster, rank, index, box, shared);
    return rule;
}

// The tiles of one cluster, and what its CTAs leave.
static enum rule load_cluster(const struct copy_machine *machine, const struct copy_job *job, struct cluster *cluster)
{
    uint8_t *output = (uint8_t *)(uintptr_t)job->output;
    uint32_t index[COPY_MAX_RANK], rank;
    enum rule rule = RULE_OK;
    for (rank = 0; rank < cluster->ctas; rank++)
        fill_canaries(job, &cluster->cta[rank], cta_number(machine, cluster->block[rank]), job->dump_bytes);
    for (rank = 0; rank < cluster->ctas && rule == RULE_OK; rank++) {
        tile_of_cta(job, cluster->block[rank], index);
        rule = load_tile(machine, job, cluster, rank, index, job->shared);
    }
    for (rank = 0; rank < cluster->ctas && rule == RULE_OK; rank++) {
        uint32_t cta = cta_number(machine, cluster->block[rank]);
        memcpy(output + (size_t)cta * job->dump_bytes, memory_at(&cluster->cta[rank], job->shared, 0), job->dump_bytes);
        memcpy((uint8_t *)(uintptr_t)job->words + 8 * cta, &cluster->word[rank], 8);
    }
    return rule;
}

enum rule copy_model_load(const struct copy_machine *machine, const struct copy_job *job)
{
    struct cluster cluster = open_cluster();
    enum rule rule = RULE_OK;
    for (uint32_t number = 0; number < clusters_of(machine) && rule == RULE_OK; number++) {
        start_cluster(machine, number, &cluster);
        rule = load_cluster(machine, job, &cluster);
    }
    free(cluster.bytes);
    return rule;
}

// --- Stores ----------------------------------------------------------------------------------------------------------

static void fill_tile(const struct copy_job *job, const struct memory *cta, uint32_t number)
{
    for (uint32_t at = 0; at < job->dump_bytes; at += 8) {
        uint32_t flat = swizzle_apply((enum tensormap_swizzle)job->swizzle, job->shared + at) - job->shared;
        put_u64(memory_at(cta, job->shared + at, 8), job->fill == COPY_ROWS
                                                         ? copy_numbers(job->data_type, flat / job->row_bytes)
                                                         : store_pattern(job->seed + number, job->data_type, at / 8));
    }
}

// A store, or the reduction that the job names.
static enum rule put_box(const struct copy_machine *machine, const struct tensormap *map, const struct copy_job *job,
                         const int32_t *coord, const struct memory *cta, uint32_t shared)
{
    enum reduce_op op = (enum reduce_op)(job->operation - 1);
    return job->operation == 0 ? tile_store(map, (int)job->rank, coord, machine->destination, cta, shared, NULL)
                               : tile_reduce(op, map, (int)job->rank, coord, machine->destination, cta, shared, NULL);
}

enum rule copy_model_store(const struct copy_machine *machine, const struct copy_job *job)
{
    const struct memory cta = open_cta(machine->shared_bytes);
    uint32_t ctas = machine->grid[0] * machine->grid[1] * machine->grid[2];
    enum rule rule = RULE_OK;
    for (uint32_t number = 0; number < ctas && rule == RULE_OK; number++) {
        const uint32_t block[3] = {number % machine->grid[0], number / machine->grid[0] % machine->grid[1],
                                   number / machine->grid[0] / machine->grid[1]};
        uint32_t index[COPY_MAX_RANK];
        int32_t coord[TENSORMAP_MAX_RANK] = {0};
        fill_tile(job, &cta, number);
        tile_of_cta(job, block, index);
        index[job->rank - 1] %= job->tiles[job->rank - 1]; // several CTAs have the same tile
        coordinates(job, index, 0, coord);
        rule = put_box(machine, &machine->map, job, coord, &cta, job->shared);
    }
    free(cta.bytes);
    return rule;
}

// --- Rings -----------------------------------------------------------------------------------------------------------

// The order in which CTAs come to their tiles cannot be seen: tile after tile, in the stage that its CTA has for it.
enum rule copy_model_tiles(const struct copy_machine *machine, const struct copy_job *job)
{
    const struct memory cta = open_cta(machine->shared_bytes);
    enum rule rule = RULE_OK;
    for (uint32_t number = 0; number < job->count && rule == RULE_OK; number++) {
        uint32_t index[COPY_MAX_RANK], complete;
        uint32_t shared = job->shared + number / machine->grid[0] % job->stages * job->tile_bytes; // of a ring
        int32_t coord[TENSORMAP_MAX_RANK] = {0};
        tile_of_number(job, number, index);
        coordinates(job, index, 0, coord);
        rule = tile_load(&machine->map, (int)job->rank, coord, machine->source, &cta, shared, &complete, NULL);
        if (rule == RULE_OK) rule = put_box(machine, &machine->to, job, coord, &cta, shared);
    }
    free(cta.bytes);
    return rule;
}

// Round `round` of a cluster: each CTA loads a tile into the same stage; dumped is each at its place.
static enum rule stream_round(const struct copy_machine *machine, const struct copy_job *job, struct cluster *cluster,
                              uint32_t number, uint32_t count, uint32_t round)
{
    uint32_t clusters = clusters_of(machine), most = (job->count + clusters - 1) / clusters;
    uint32_t shared = job->shared + round % job->stages * job->tile_bytes, index[COPY_MAX_RANK];
    uint8_t *output = (uint8_t *)(uintptr_t)job->output + (size_t)number * cluster->ctas * most * job->tile_bytes;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        tile_of_number(job, number + (round + rank * job->stagger) % count * clusters, index);
        enum rule rule = load_tile(machine, job, cluster, rank, index, shared);
        if (rule != RULE_OK) return rule;
    }
    for (uint32_t rank = 0; rank < cluster->ctas; rank++) {
        uint32_t place = (round + rank * job->stagger) % count;
        memcpy(output + ((size_t)rank * most + place) * job->tile_bytes,
               memory_at(&cluster->cta[rank], shared, job->tile_bytes), job->tile_bytes);
    }
    return RULE_OK;
}

enum rule copy_model_stream(const struct copy_machine *machine, const struct copy_job *job)
{
    uint32_t clusters = clusters_of(machine);
    struct cluster cluster = open_cluster();
    enum rule rule = RULE_OK;
    for (uint32_t number = 0; number < clusters && number < job->count; number++) {
        uint32_t count = (job->count - number + clusters - 1) / clusters;
        start_cluster(machine, number, &cluster);
        for (uint32_t rank = 0; rank < cluster.ctas; rank++)
            fill_canaries(job, &cluster.cta[rank], number * cluster.ctas + rank, job->stages * job->tile_bytes);
        for (uint32_t round = 0; round < count && rule == RULE_OK; round++)
            rule = stream_round(machine, job, &cluster, number, count, round);
    }
    free(cluster.bytes);
    return rule;
}

static enum rule copy_through_registers(const struct copy_machine *machine, const struct copy_flat *job, uint64_t from)
{
    uint64_t count = job->size_bytes - from;
    uint8_t *to = memory_at(machine->destination, job->to + from, count);
    const uint8_t *source = memory_at(machine->source, job->from + from, count);
    assert(to != NULL && source != NULL); // the generator and the reader see to it
    memcpy(to, source, count);
    return RULE_OK;
}

// Chunk by chunk through shared memory; the bytes past the last multiple of 16 go through registers.
enum rule copy_model_bytes(const struct copy_machine *machine, const struct copy_flat *job)
{
    const struct memory cta = open_cta(machine->shared_bytes);
    const uint64_t end = job->size_bytes / 16 * 16;
    enum rule rule = RULE_OK;
    for (uint64_t at = 0; at < end && rule == RULE_OK; at += job->chunk_bytes) {
        uint32_t size = (uint32_t)(end - at < job->chunk_bytes ? end - at : job->chunk_bytes), complete;
        struct bulk load = {BULK_GLOBAL_TO_SHARED, machine->source, &cta, job->from + at, COPY_TILE_START, size};
        struct bulk store = {BULK_SHARED_TO_GLOBAL, &cta, machine->destination, COPY_TILE_START, job->to + at, size};
        rule = bulk_copy(&load, &complete, NULL);
        if (rule == RULE_OK) rule = bulk_copy(&store, &complete, NULL);
    }
    free(cta.bytes);
    return rule == RULE_OK ? copy_through_registers(machine, job, end) : rule;
}

enum rule copy_model_vector(const struct copy_machine *machine, const struct copy_flat *job)
{
    return copy_through_registers(machine, job, 0);
}

enum rule copy_model_vector_add(const struct copy_machine *machine, const struct copy_flat *job)
{
    uint8_t *to = memory_at(machine->destination, job->to, job->size_bytes);
    const uint8_t *from = memory_at(machine->source, job->from, job->size_bytes);
    assert(to != NULL && from != NULL);
    reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, to, from, (uint32_t)(job->size_bytes / 4));
    return RULE_OK;
}
