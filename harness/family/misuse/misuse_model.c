// SPDX-License-Identifier: MIT
// Jobs of the family "misuse" on the model: each instruction asks the checks of the model about its operands.
#include "misuse_model.h"

#include <string.h>

#include "address_check.h"
#include "flight.h"
#include "mbarrier_operate.h"
#include "misuse_case.h"
#include "operand.h"
#include "prefetch.h"
#include "tensormap.h"

enum { WORD_BYTES = 4, TILE_DIMS = 2, IM2COL_DIMS = 3, MAP_BYTES = 128 };

// What one job is checked against; `map` is meaningful for instructions with one.
struct run {
    const struct misuse_job *job;
    const struct misuse_memory *memory;
    const struct memory *global; // that holds the job's global operand: its own, or the arena
    struct tensormap map;
};

static uint8_t *shared_at(const struct run *run, uint32_t address, uint32_t bytes)
{
    return memory_at(&run->memory->shared, address, bytes);
}

// --- copies, reductions and prefetches -------------------------------------------------------------------------------

static const enum operation_kind kinds[] = {
    [MISUSE_TILE_LOAD] = OPERATION_TENSOR_LOAD,         [MISUSE_TILE_STORE] = OPERATION_TENSOR_STORE,
    [MISUSE_TILE_REDUCE] = OPERATION_TENSOR_REDUCE,     [MISUSE_BULK_LOAD] = OPERATION_BULK_LOAD,
    [MISUSE_BULK_STORE] = OPERATION_BULK_STORE,         [MISUSE_BULK_REDUCE] = OPERATION_BULK_STORE_REDUCE,
    [MISUSE_BULK_SHARED] = OPERATION_BULK_SEND,         [MISUSE_PREFETCH_BULK] = OPERATION_BULK_PREFETCH,
    [MISUSE_PREFETCH_TILE] = OPERATION_TENSOR_PREFETCH, [MISUSE_PREFETCH_IM2COL] = OPERATION_TENSOR_PREFETCH};

static struct operation operation_of(const struct run *run)
{
    const struct misuse_job *job = run->job;
    const bool is_store = job->operation == MISUSE_BULK_STORE || job->operation == MISUSE_BULK_REDUCE;
    struct operation operation = {.kind = kinds[job->operation],
                                  .dims = TILE_DIMS,
                                  .map = run->map,
                                  .coord = {job->coord[0], job->coord[1], job->coord[2]},
                                  .offset = {(uint16_t)job->offset},
                                  .shared = job->shared,
                                  .from = is_store ? job->shared : job->global,
                                  .to = is_store ? job->global : job->shared,
                                  .size_bytes = job->size_bytes,
                                  .op = REDUCE_ADD,
                                  .dtype = DTYPE_UINT32,
                                  .barrier = job->barrier,
                                  .has_policy = job->has_hint != 0,
                                  .policy = job->policy};
    if (job->operation == MISUSE_BULK_SHARED) operation.from = job->other;
    if (job->operation == MISUSE_PREFETCH_TILE) operation.dims = (int)job->dims;
    if (job->operation == MISUSE_PREFETCH_IM2COL) operation.mode = TENSORMAP_IM2COL, operation.dims = IM2COL_DIMS;
    return operation;
}

// In the CTA's own memory, with the complete_tx on its barrier. A copy within shared memory is one of clusters alone.
static enum rule run_operation(const struct run *run)
{
    const struct operation operation = operation_of(run);
    const struct region region = {*run->global, 0};
    const struct global_memory global = {&region, 1};
    const struct cluster_memory cluster = {&run->memory->shared, 1, operation.kind == OPERATION_BULK_SEND, 0};
    const struct memories memories = {&global, &cluster};
    const struct mbarrier_unit unit = {&cluster, NULL};
    struct piece piece;
    enum rule rule = operation_run(&operation, &memories, NULL, &piece, NULL);
    if (rule != RULE_OK || piece.complete_bytes == 0) return rule;
    const struct mbarrier_transaction end = {.complete_bytes = piece.complete_bytes};
    mbarrier_land(&unit, 0, operand_place(run->job->barrier), &end, NULL, NULL);
    return RULE_OK;
}

// --- instructions around a map ---------------------------------------------------------------------------------------

// The pointer is to the job's own map, which is mapped, or into the arena, or wrong.
static enum rule prefetch_map(const struct run *run)
{
    const struct misuse_job *job = run->job;
    const struct memory arena = *run->memory->arena;
    const struct memory maps = {(uint8_t *)(uintptr_t)job->map, run->memory->maps, MAP_BYTES};
    bool is_wrong = (job->is_window & MISUSE_POINTER) != 0;
    bool is_map = job->pointer - maps.base < maps.size_bytes;
    const struct region region = {is_map ? maps : arena, 0};
    const struct global_memory global = {&region, !is_wrong};
    return map_prefetch_check(job->pointer, &global, NULL);
}

static enum rule run_copy_map(const struct run *run)
{
    const struct misuse_job *job = run->job;
    const uint64_t to = job->is_window & MISUSE_GLOBAL ? MISUSE_WINDOW + job->global : job->global;
    const struct region region = {*run->global, 0};
    const struct global_memory global = {&region, 1};
    enum rule rule = map_copy_check(job->shared, &run->memory->shared, to, MISUSE_WINDOW, &global, NULL);
    if (rule == RULE_OK)
        memcpy(memory_at(run->global, job->global, MAP_BYTES), shared_at(run, job->shared, MAP_BYTES), MAP_BYTES);
    return rule;
}

// --- plain accesses and barriers -------------------------------------------------------------------------------------

static enum rule run_shared(const struct run *run, uint64_t *value)
{
    const struct misuse_job *job = run->job;
    enum rule rule = shared_access_check(job->shared, WORD_BYTES, &run->memory->shared, NULL);
    if (rule != RULE_OK) return rule;
    uint8_t *at = shared_at(run, job->shared, WORD_BYTES);
    uint32_t word, stored = job->seed;
    memcpy(&word, at, sizeof word);
    if (job->operation != MISUSE_STORE_SHARED) *value = word;
    if (job->operation == MISUSE_ATOMIC_SHARED) stored += word;
    if (job->operation != MISUSE_LOAD_SHARED) memcpy(at, &stored, sizeof stored);
    return RULE_OK;
}

static enum rule run_global(const struct run *run, uint64_t *value)
{
    const struct misuse_job *job = run->job;
    const struct region region = {*run->global, 0};
    const struct global_memory global = {&region, 1};
    enum memory_use use = job->operation == MISUSE_LOAD_GLOBAL ? MEMORY_READS : MEMORY_WRITES;
    enum rule policy = job->has_hint ? cache_policy_check(job->policy, NULL) : RULE_OK;
    enum rule rule = rule_earlier(policy, global_access_check(job->global, WORD_BYTES, use, &global, NULL));
    if (rule != RULE_OK) return rule;
    uint8_t *at = memory_at(run->global, job->global, WORD_BYTES);
    uint32_t word;
    memcpy(&word, at, sizeof word);
    if (job->operation == MISUSE_LOAD_GLOBAL) *value = word;
    if (job->operation == MISUSE_STORE_GLOBAL) memcpy(at, &job->seed, sizeof job->seed);
    return RULE_OK;
}

// An address of a case is in the shared window, or far from it.
static enum rule set_generic(const struct misuse_job *job, const struct cluster_memory *cluster,
                             struct mbarrier_instruction *in)
{
    const uint64_t offset[MBARRIER_LANES] = {job->is_window & MISUSE_GLOBAL ? job->global : UINT64_MAX};
    return mbarrier_set_generic(cluster, in, offset, NULL);
}

// An operation on the barrier at a shared or a generic address.
static enum rule run_barrier(const struct run *run, uint64_t *value)
{
    static const uint32_t opcodes[] = {[MISUSE_INIT_SHARED] = MBARRIER_OP_INIT,
                                       [MISUSE_TEST_SHARED] = MBARRIER_OP_TEST_WAIT_PARITY,
                                       [MISUSE_EXPECT_SHARED] = MBARRIER_OP_EXPECT_TX,
                                       [MISUSE_ARRIVE_SHARED] = MBARRIER_OP_ARRIVE,
                                       [MISUSE_ARRIVE_GENERIC] = MBARRIER_OP_ARRIVE};
    static const uint32_t operands[] = {[MISUSE_INIT_SHARED] = MISUSE_INIT_COUNT,
                                        [MISUSE_EXPECT_SHARED] = MISUSE_EXPECT_BYTES,
                                        [MISUSE_ARRIVE_SHARED] = 1,
                                        [MISUSE_ARRIVE_GENERIC] = 1,
                                        [MISUSE_TEST_SHARED] = 0};
    uint8_t other[MISUSE_SHARED_BYTES] = {0}; // nobody looks at what is left there
    const struct memory memory[MISUSE_RANKS] = {run->memory->shared, {other, run->memory->shared.base, sizeof other}};
    const bool is_cluster = run->job->is_cluster != 0;
    const struct cluster_memory cluster = {memory, is_cluster ? MISUSE_RANKS : 1, is_cluster, 0};
    const struct mbarrier_unit unit = {&cluster, NULL};
    const uint32_t operation = run->job->operation;
    struct mbarrier_instruction in = {
        .opcode = opcodes[operation], .lanes = 1, .address = {run->job->barrier}, .operand = {operands[operation]}};
    struct mbarrier_answer answer;
    enum rule rule = operation == MISUSE_ARRIVE_GENERIC ? set_generic(run->job, &cluster, &in) : RULE_OK;
    if (rule != RULE_OK) return rule;
    rule = mbarrier_operate(&unit, &in, NULL, &answer, NULL);
    *value = operation == MISUSE_TEST_SHARED ? answer.ballot : answer.value[0] >> 32;
    return rule;
}

// --- a job -----------------------------------------------------------------------------------------------------------

enum rule misuse_run(const struct misuse_job *job, const struct misuse_memory *memory, uint64_t *value)
{
    struct run run = {.job = job, .memory = memory};
    struct tensormap_image image;
    memcpy(image.word, job->map, sizeof image.word);
    tensormap_decode(&image, &run.map, NULL);
    bool has_map = job->operation <= MISUSE_TILE_REDUCE;
    bool is_own = memory_at(&memory->own, has_map ? run.map.address : job->global, 0) != NULL;
    run.global = is_own ? &memory->own : memory->arena;
    *value = 0;
    switch (job->operation) {
    case MISUSE_PREFETCH_MAP:
        return prefetch_map(&run);
    case MISUSE_ACQUIRE_MAP:
        return map_acquire_check(job->pointer, NULL);
    case MISUSE_COPY_MAP:
        return run_copy_map(&run);
    case MISUSE_LOAD_SHARED:
    case MISUSE_STORE_SHARED:
    case MISUSE_ATOMIC_SHARED:
        return run_shared(&run, value);
    case MISUSE_ARRIVE_SHARED:
    case MISUSE_INIT_SHARED:
    case MISUSE_TEST_SHARED:
    case MISUSE_EXPECT_SHARED:
    case MISUSE_ARRIVE_GENERIC:
        return run_barrier(&run, value);
    case MISUSE_LOAD_GLOBAL:
    case MISUSE_STORE_GLOBAL:
        return run_global(&run, value);
    default:
        return run_operation(&run);
    }
}

static void put(const struct memory *memory, uint64_t offset, uint64_t word)
{
    memcpy(memory->bytes + offset, &word, sizeof word);
}

void misuse_prepare(const struct misuse_job *job, const struct misuse_memory *memory)
{
    for (uint32_t at = MISUSE_SHARED_START; at < MISUSE_SHARED_END; at += 8)
        put(&memory->shared, at - MISUSE_SHARED_START, at < MISUSE_FILL_START ? 0 : misuse_word(job->seed, at));
    for (uint32_t i = 0; i < MISUSE_BARRIERS; i++)
        put(&memory->shared, MISUSE_BARRIER_START - MISUSE_SHARED_START + 8 * i, mbarrier_init(1));
    for (uint32_t at = 0; at < MISUSE_GLOBAL_BYTES; at += 8) put(&memory->own, at, misuse_word(job->seed + 1, at));
}

// The sum over a CTA's memory. The other CTA's is as misuse_prepare() left it: no job writes there.
static uint64_t sum_of(const uint8_t *bytes)
{
    uint64_t sum = 0, word;
    for (uint32_t at = MISUSE_SHARED_START; at < MISUSE_SHARED_END; at += 8) {
        memcpy(&word, bytes + (at - MISUSE_SHARED_START), sizeof word);
        sum += word * (2 * at + 1);
    }
    return sum;
}

void misuse_dump(const struct misuse_job *job, const struct misuse_memory *memory, struct misuse_output *output)
{
    uint8_t other[MISUSE_SHARED_BYTES], own[MISUSE_GLOBAL_BYTES];
    const struct misuse_memory untouched = {.shared = {other, MISUSE_SHARED_START, sizeof other}, .own = {own, 0, 0}};
    const uint8_t *shared = memory->shared.bytes;
    memcpy(output->barrier, shared + (MISUSE_BARRIER_START - MISUSE_SHARED_START), sizeof output->barrier);
    memcpy(output->shared, shared + (MISUSE_DUMP_START - MISUSE_SHARED_START), sizeof output->shared);
    memcpy(output->global, memory->own.bytes, sizeof output->global);
    output->sum[0] = sum_of(shared);
    output->sum[1] = 0;
    output->unused = 0;
    if (!job->is_cluster) return;
    misuse_prepare(job, &untouched);
    output->sum[1] = sum_of(other);
}
