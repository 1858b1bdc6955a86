// SPDX-License-Identifier: MIT
// Steps barrier programs on the hardware, one program per cluster of two CTAs of one warp: CTA 0 owns the barriers
// and executes, CTA 1 executes the steps of issuer "remote". One step is one warp instruction, executed by exactly the
// lanes of its mask: the hardware sums over the lanes that are active together. After a step the word is read
// through mbarrier.inval, which writes the live word back to shared memory and changes nothing.
//
// What the steps become in SASS (CUDA 13.0, sm_90a), which decides what the model has to say:
//   init                 an ALU negation, then SYNCS.EXCH.64 in a loop over the distinct counts of the warp
//   arrive / arrive_drop SYNCS.ARRIVE.TRANS64[.OPTOUT].ART0, one, with a 32-bit count register per lane
//   .noComplete          SYNCS.ARRIVE.TRANS64.TMASK[.OPTOUT].ART0 in a loop over the distinct counts; the token is
//                        then high half + popc(lower lanes of the transaction) * count << 11, in 32 bits
//   expect_tx            SYNCS.ARRIVE.TRANS64.RED.A0TR      complete_tx  SYNCS.ARRIVE.TRANS64.RED.A0TX
//   arrive.expect_tx     SYNCS.ARRIVE.TRANS64: one arrival per lane and the register's bytes
//   shared::cluster      the same with .RED (no token)
//   test_wait, try_wait  SYNCS.PHASECHK.TRANS64[.TRYWAIT], parity << 31 or the token's high half in a register
//   inval                SYNCS.CCTL.IV                      pending_count no barrier access at all
// The summing itself happens in the barrier unit: SASS does not show at what width it wraps.
#include "device.cuh"
#include "mbarrier_program.h"

// What a lane got from a step.
struct answer {
    uint32_t value, predicate;
};

// --- Instructions that cuda::ptx does not have -----------------------------------------------------------------------

static __device__ void mbarrier_complete_tx_cluster(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

// The .shared::cta forms of arrive_drop: one operand, a token back.
#define ARRIVE_DROP(name, instruction)                                                                                 \
    static __device__ uint64_t name(uint64_t *barrier, uint32_t operand)                                               \
    {                                                                                                                  \
        uint64_t token;                                                                                                \
        asm volatile(instruction " %0, [%1], %2;"                                                                      \
                     : "=l"(token)                                                                                     \
                     : "r"(shared_address(barrier)), "r"(operand)                                                      \
                     : "memory");                                                                                      \
        return token;                                                                                                  \
    }
ARRIVE_DROP(mbarrier_arrive_drop, "mbarrier.arrive_drop.shared::cta.b64")
ARRIVE_DROP(mbarrier_arrive_drop_no_complete, "mbarrier.arrive_drop.noComplete.shared::cta.b64")
ARRIVE_DROP(mbarrier_arrive_drop_expect_tx, "mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64")

static __device__ void mbarrier_arrive_drop_cluster(uint64_t *barrier, uint32_t count)
{
    asm volatile("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(count)
                 : "memory");
}

static __device__ void mbarrier_arrive_drop_expect_tx_cluster(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ uint32_t mbarrier_pending_count(uint64_t token)
{
    uint32_t count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}

// --- One step --------------------------------------------------------------------------------------------------------

static __device__ uint32_t high_half(uint64_t token)
{
    return static_cast<uint32_t>(token >> 32);
}

static __device__ answer execute_wait(uint32_t opcode, uint64_t *barrier, uint32_t operand, uint64_t token)
{
    switch (opcode) {
    case MBARRIER_OP_TEST_WAIT:
        return {0, ptx::mbarrier_test_wait(barrier, token)};
    case MBARRIER_OP_TEST_WAIT_PARITY:
        return {0, ptx::mbarrier_test_wait_parity(barrier, operand)};
    case MBARRIER_OP_TRY_WAIT: // once: it ends by itself after some microseconds
        return {0, ptx::mbarrier_try_wait(barrier, token)};
    default:
        return {0, ptx::mbarrier_try_wait_parity(barrier, operand)};
    }
}

static __device__ answer execute_cta(const mbarrier_op &op, uint64_t *barrier, uint32_t operand, uint64_t token)
{
    switch (op.opcode) {
    case MBARRIER_OP_WORD:
        write_back(barrier);
        *static_cast<volatile uint64_t *>(barrier) = op.word;
        return {};
    case MBARRIER_OP_INIT:
        ptx::mbarrier_init(barrier, operand);
        return {};
    case MBARRIER_OP_INVAL:
        write_back(barrier);
        return {};
    case MBARRIER_OP_ARRIVE:
        return {high_half(ptx::mbarrier_arrive(barrier, operand)), 0};
    case MBARRIER_OP_ARRIVE_NO_COMPLETE:
        return {high_half(ptx::mbarrier_arrive_no_complete(barrier, operand)), 0};
    case MBARRIER_OP_ARRIVE_DROP:
        return {high_half(mbarrier_arrive_drop(barrier, operand)), 0};
    case MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE:
        return {high_half(mbarrier_arrive_drop_no_complete(barrier, operand)), 0};
    case MBARRIER_OP_EXPECT_TX:
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier, operand);
        return {};
    case MBARRIER_OP_COMPLETE_TX:
        complete_tx(barrier, operand);
        return {};
    case MBARRIER_OP_ARRIVE_EXPECT_TX:
        return {high_half(ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                                         operand)),
                0};
    case MBARRIER_OP_ARRIVE_DROP_EXPECT_TX:
        return {high_half(mbarrier_arrive_drop_expect_tx(barrier, operand)), 0};
    case MBARRIER_OP_PENDING_COUNT:
        return {mbarrier_pending_count(token), 0};
    default:
        return execute_wait(op.opcode, barrier, operand, token);
    }
}

// The operations that exist on shared::cluster; none gives a token.
static __device__ void execute_cluster(uint32_t opcode, uint64_t *barrier, uint32_t operand)
{
    switch (opcode) {
    case MBARRIER_OP_ARRIVE:
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, barrier, operand);
        break;
    case MBARRIER_OP_ARRIVE_DROP:
        mbarrier_arrive_drop_cluster(barrier, operand);
        break;
    case MBARRIER_OP_EXPECT_TX:
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, barrier, operand);
        break;
    case MBARRIER_OP_COMPLETE_TX:
        mbarrier_complete_tx_cluster(barrier, operand);
        break;
    case MBARRIER_OP_ARRIVE_EXPECT_TX:
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, barrier, operand);
        break;
    case MBARRIER_OP_ARRIVE_DROP_EXPECT_TX:
        mbarrier_arrive_drop_expect_tx_cluster(barrier, operand);
        break;
    }
}

// Executes a step with the lanes of its mask and logs what the lanes got. `slots` is this CTA's own array.
static __device__ void execute(const mbarrier_op &op, uint64_t *slots, mbarrier_log *log, mbarrier_record *record)
{
    uint32_t lane = threadIdx.x, operand = op.operand + lane * op.step;
    uint32_t high = op.token == MBARRIER_TOKEN_OPERAND ? operand : log->record[op.token].lane[lane];
    uint32_t slot = (op.barrier + static_cast<uint32_t>(op.spread >> 2 * lane)) % MBARRIER_SLOTS;
    uint64_t *barrier = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(slots + slot) + op.offset_bytes);
    if (op.issuer != MBARRIER_ISSUER_CTA) barrier = map_to_rank(barrier, 0);
    uint32_t active = 0;
    answer got = {};

    __syncwarp();
    if (op.lanes >> lane & 1) {
        active = __activemask();
        if (op.issuer == MBARRIER_ISSUER_CTA)
            got = execute_cta(op, barrier, operand, static_cast<uint64_t>(high) << 32);
        else
            execute_cluster(op.opcode, barrier, operand);
    }
    __syncwarp();

    uint32_t ballot = __ballot_sync(~0u, got.predicate != 0);
    active = __reduce_or_sync(~0u, active);
    record->lane[lane] = got.value;
    if (lane == 0) record->ballot = ballot;
    if (lane == 0) record->active = active;
}

// --- A program -------------------------------------------------------------------------------------------------------

static __device__ void clear_slots(uint64_t *slots)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < MBARRIER_SLOTS; i++) {
            write_back(slots + i);
            *static_cast<volatile uint64_t *>(slots + i) = 0;
        }
        __threadfence_block();
    }
    __syncwarp();
}

static __device__ void run_program(const mbarrier_program *program, mbarrier_log *log, uint64_t *slots, uint32_t rank)
{
    if (rank == 0) clear_slots(slots);
    uint32_t count = min(program->count, static_cast<uint32_t>(MBARRIER_MAX_OPS));
    for (uint32_t i = 0; i < count; i++) {
        const mbarrier_op op = program->op[i];
        bool remote = op.issuer == MBARRIER_ISSUER_REMOTE;
        if (remote) meet_cluster();
        if (rank == (remote ? 1 : 0)) execute(op, slots, log, &log->record[i]);
        if (remote) meet_cluster();
        if (rank == 0 && threadIdx.x == 0) log->record[i].word = final_word(slots + op.barrier);
        __syncwarp();
    }
    if (rank == 0 && threadIdx.x < MBARRIER_SLOTS) log->last[threadIdx.x] = final_word(slots + threadIdx.x);
    __syncwarp();
}

// Launch with 32 threads a block, in clusters of two, or without clusters when no program has a remote step.
extern "C" __global__ void __launch_bounds__(32)
    mbarrier_programs(const mbarrier_program *programs, mbarrier_log *logs, uint32_t count)
{
    __shared__ alignas(128) uint64_t slots[MBARRIER_SLOTS];
    uint32_t rank = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank();
    for (uint32_t i = blockIdx.x / ranks; i < count; i += gridDim.x / ranks)
        if (rank == 0 || programs[i].remote) run_program(&programs[i], &logs[i], slots, rank);
}
