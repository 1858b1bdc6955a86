// SPDX-License-Identifier: MIT
// Programs of cp.async, bulk stores and their groups. A CTA of two warps takes programs in turn: it fills memory, the
// thread of each step executes it alone, all meet after every step. A wait then looks at once at the destinations of
// the operations that have to be complete by then; at the end everything is waited for and dumped.
//
// What the instructions become in SASS (CUDA 13.0, sm_90a): wait_group N of both kinds is DEPBAR.LE SB0, min(N, 63), one
// and the same scoreboard of the warp, and the bulk one without .read adds CCTL.IVALL, which empties L1.
#include <cuda/ptx>

#include "async_job.h"

namespace ptx = cuda::ptx;

// A phase that has not completed after this many clocks never will; asynchronous arrivals land much sooner.
static const long long WAIT_CLOCKS = 20000, SETTLE_CLOCKS = 4000;

static __device__ void pause(long long clocks)
{
    for (long long start = clock64(); clock64() - start < clocks;) {
    }
}

// --- Instructions that cuda::ptx does not have in this form ------------------------------------------------------------

#define COPY(name, size)                                                                                               \
    if (op.form == CP_ASYNC_IGNORE_SRC)                                                                                \
        asm volatile("{ .reg .pred ignore; setp.ne.u32 ignore, %2, 0;\n"                                               \
                     "cp.async." name ".shared::cta.global [%0], [%1], " #size ", ignore; }" ::"r"(op.to),              \
                     "l"(op.from), "r"(op.number)                                                                      \
                     : "memory");                                                                                      \
    else if (op.form == CP_ASYNC_SRC_SIZE)                                                                             \
        asm volatile("cp.async." name ".shared::cta.global [%0], [%1], " #size ", %2;" ::"r"(op.to), "l"(op.from),      \
                     "r"(op.number)                                                                                    \
                     : "memory");                                                                                      \
    else                                                                                                               \
        asm volatile("cp.async." name ".shared::cta.global [%0], [%1], " #size ";" ::"r"(op.to), "l"(op.from)           \
                     : "memory");

static __device__ void copy(const async_op &op)
{
    if (op.opcode == ASYNC_OP_COPY_CG) {
        COPY("cg", 16)
    } else if (op.size_bytes == 16) {
        COPY("ca", 16)
    } else if (op.size_bytes == 8) {
        COPY("ca", 8)
    } else {
        COPY("ca", 4)
    }
}

static __device__ void bulk(uint32_t opcode, char *to, uint32_t from, uint32_t size)
{
    if (opcode == ASYNC_OP_STORE)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size)
                     : "memory");
    else if (opcode == ASYNC_OP_REDUCE)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(from),
                     "r"(size)
                     : "memory");
    else
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(to), "r"(size) : "memory");
}

static __device__ void wait(uint32_t opcode, uint32_t number)
{
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        if (opcode == ASYNC_OP_WAIT)                                                                                   \
            asm volatile("cp.async.wait_group " #n ";" ::: "memory");                                                  \
        else if (opcode == ASYNC_OP_BULK_WAIT)                                                                         \
            asm volatile("cp.async.bulk.wait_group " #n ";" ::: "memory");                                             \
        else                                                                                                           \
            asm volatile("cp.async.bulk.wait_group.read " #n ";" ::: "memory");                                        \
        break;
    switch (number) {
        ASYNC_WAIT_NUMBERS(CASE)
    default:
        __trap();
    }
#undef CASE
}

static __device__ void wait_all()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

static __device__ void arrive(uint32_t opcode, uint32_t barrier, uint32_t number)
{
    if (opcode == ASYNC_OP_COPIES_ARRIVE)
        asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
    else if (opcode == ASYNC_OP_COPIES_ARRIVE_NOINC)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
    else if (opcode == ASYNC_OP_ARRIVE)
        asm volatile("{ .reg .b64 token; mbarrier.arrive.shared::cta.b64 token, [%0], %1; }" ::"r"(barrier), "r"(number)
                     : "memory");
    else if (opcode == ASYNC_OP_EXPECT_TX)
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(number) : "memory");
    else
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(number)
                     : "memory");
}

static __device__ bool barrier_wait(uint64_t *barrier, uint32_t parity)
{
    for (long long start = clock64(); clock64() - start < WAIT_CLOCKS;)
        if (ptx::mbarrier_test_wait_parity(barrier, parity)) return true;
    return false;
}

// --- Is it there? ----------------------------------------------------------------------------------------------------

// A plain load, which L1 may answer; or one that asks L2, for what PTX does not promise to be visible.
static __device__ uint32_t load(const char *address, bool is_plain)
{
    uint32_t value;
    if (is_plain)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ bool copy_is_there(const async_job &job, int step, const char *shared)
{
    for (uint32_t at = 0; at < job.op[step].size_bytes; at += 4)
        if (*(volatile uint32_t *)(shared + job.op[step].to + at) != job.expected[step][at / 4]) return false;
    return true;
}

static __device__ uint32_t source_address(int step)
{
    return ASYNC_SOURCES + step * ASYNC_SOURCE_BYTES;
}

static __device__ bool bulk_is_there(const async_job &job, int step, const char *global, bool is_plain)
{
    uint32_t words = job.op[step].size_bytes / 4, found[ASYNC_SAMPLES];
    for (int i = 0; i < ASYNC_SAMPLES; i++)
        found[i] = load(global + job.global[step] + (words - 1) * i / (ASYNC_SAMPLES - 1) * 4, is_plain);
    for (int i = 0; i < ASYNC_SAMPLES; i++) {
        uint32_t at = (words - 1) * i / (ASYNC_SAMPLES - 1) * 4;
        uint32_t value = async_word(job.seed, ASYNC_SALT_SOURCES, source_address(step) + at);
        if (job.op[step].opcode == ASYNC_OP_REDUCE)
            value += async_word(job.seed, ASYNC_SALT_GLOBAL, job.global[step] + at);
        if (found[i] != value) return false;
    }
    return true;
}

// The operations of `must` that are complete, newest first, because those are the likeliest to be late.
static __device__ uint32_t look(const async_job &job, uint32_t must, const char *shared, const char *global,
                                bool is_plain)
{
    uint32_t there = 0;
    for (int step = ASYNC_MAX_OPS - 1; step >= 0; step--) {
        if (!(must >> step & 1)) continue;
        bool is_copy = job.op[step].opcode <= ASYNC_OP_COPY_CG;
        if (is_copy ? copy_is_there(job, step, shared) : bulk_is_there(job, step, global, is_plain))
            there |= 1u << step;
    }
    return there;
}

// --- A program -------------------------------------------------------------------------------------------------------

static __device__ void overwrite(const async_job &job, int step, char *shared)
{
    uint32_t *source = (uint32_t *)(shared + source_address(step));
    for (uint32_t i = 0; i < job.op[step].size_bytes / 4; i++) source[i] = ~source[i];
}

static __device__ void settle()
{
    wait_all();
    pause(SETTLE_CLOCKS);
}

// One step by one thread; returns what a wait saw.
static __device__ uint32_t execute(const async_job &job, int step, char *shared, char *global)
{
    async_op op = job.op[step];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(shared + ASYNC_SHARED_START) - ASYNC_SHARED_START, answer = 0;
    switch (op.opcode) {
    case ASYNC_OP_COPY_CA:
    case ASYNC_OP_COPY_CG:
        copy(op);
        return 0;
    case ASYNC_OP_STORE:
    case ASYNC_OP_REDUCE:
    case ASYNC_OP_PREFETCH:
        bulk(op.opcode, global + job.global[step], base + source_address(step), op.size_bytes);
        return 0;
    case ASYNC_OP_COMMIT:
        asm volatile("cp.async.commit_group;" ::: "memory");
        return 0;
    case ASYNC_OP_BULK_COMMIT:
        ptx::cp_async_bulk_commit_group();
        return 0;
    case ASYNC_OP_WAIT:
    case ASYNC_OP_BULK_WAIT:
    case ASYNC_OP_BULK_WAIT_READ:
        wait(op.opcode, op.number);
        break;
    case ASYNC_OP_WAIT_ALL:
        wait_all();
        break;
    case ASYNC_OP_OVERWRITE:
        overwrite(job, op.number, shared);
        return 0;
    case ASYNC_OP_BARRIER_WAIT:
        answer = barrier_wait((uint64_t *)(shared + ASYNC_BARRIER), op.number) ? ASYNC_ANSWER_BIT : 0;
        break;
    case ASYNC_OP_SETTLE:
        return 0;
    default:
        arrive(op.opcode, base + ASYNC_BARRIER, op.number);
        return 0;
    }
    return answer | look(job, job.must[step], shared, global, op.opcode == ASYNC_OP_BULK_WAIT);
}

static __device__ void fill(char *bytes, uint32_t size_bytes, uint32_t seed, uint32_t salt, uint32_t address)
{
    for (uint32_t at = 4 * threadIdx.x; at < size_bytes; at += 4 * ASYNC_THREADS)
        *(uint32_t *)(bytes + at) = async_word(seed, salt, address + at);
}

static __device__ void set_up(const async_job &job, char *shared, char *global)
{
    fill(shared + ASYNC_SLOTS, ASYNC_SLOT_BYTES * job.count, job.seed, ASYNC_SALT_SLOTS, ASYNC_SLOTS);
    for (int step = 0; step < job.count; step++)
        if (job.op[step].opcode == ASYNC_OP_STORE || job.op[step].opcode == ASYNC_OP_REDUCE)
            fill(shared + source_address(step), job.op[step].size_bytes, job.seed, ASYNC_SALT_SOURCES,
                 source_address(step));
    fill(global, job.global_bytes, job.seed, ASYNC_SALT_GLOBAL, 0);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init((uint64_t *)(shared + ASYNC_BARRIER), job.init);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __threadfence();
    ptx::fence_proxy_async();
    __syncthreads();
    // Old bytes into L1: a wait that does not empty it would show them.
    for (uint32_t at = 4 * threadIdx.x; at < job.global_bytes; at += 4 * ASYNC_THREADS) load(global + at, true);
    __syncthreads();
}

static __device__ void wait_for_everything(const async_job &job)
{
    bool arrives = false;
    for (int step = 0; step < job.count; step++)
        arrives |= job.op[step].opcode == ASYNC_OP_COPIES_ARRIVE || job.op[step].opcode == ASYNC_OP_COPIES_ARRIVE_NOINC;
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    wait_all();
    if (arrives) settle();
    __syncthreads();
}

static __device__ uint64_t barrier_word(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((uint32_t)__cvta_generic_to_shared(barrier)) : "memory");
    __threadfence_block();
    return *(volatile uint64_t *)barrier;
}

// The steps, by the threads that have any. Nothing in between takes long: operations are still under way at the wait.
static __device__ void run_steps(const async_job &job, char *shared, uint32_t *waits, char *global)
{
    uint32_t threads = job.threads == ASYNC_ONE_THREAD ? 1 : job.threads == ASYNC_SAME_WARP ? 32 : ASYNC_THREADS;
    if (threadIdx.x >= threads) return;
    for (int step = 0; step < job.count; step++) {
        uint32_t thread = job.op[step].thread * (job.threads == ASYNC_OTHER_WARP ? 32 : 1);
        if (job.op[step].opcode == ASYNC_OP_SETTLE) settle();
        if (threadIdx.x == thread) waits[step] = execute(job, step, shared, global);
        if (job.threads == ASYNC_SAME_WARP) __syncwarp();
        if (job.threads == ASYNC_OTHER_WARP) __syncthreads();
    }
}

static __device__ void run_job(const async_job &job, char *shared, char *output)
{
    char *global = output + async_windows_bytes(job.count);
    uint32_t *waits = (uint32_t *)(output + 16), *slots = (uint32_t *)(output + 16 + async_waits_bytes(job.count));
    set_up(job, shared, global);
    run_steps(job, shared, waits, global);
    __syncthreads();
    wait_for_everything(job);
    for (uint32_t at = threadIdx.x; at < ASYNC_SLOT_BYTES / 4 * job.count; at += ASYNC_THREADS)
        slots[at] = *(uint32_t *)(shared + ASYNC_SLOTS + 4 * at);
    if (threadIdx.x == 0) *(uint64_t *)output = barrier_word((uint64_t *)(shared + ASYNC_BARRIER));
    __syncthreads();
}

static __device__ void take_job(const async_job *job, char *to)
{
    static_assert(sizeof(async_job) <= ASYNC_JOB_BYTES, "a job fits its place");
    for (uint32_t at = 8 * threadIdx.x; at < sizeof *job; at += 8 * ASYNC_THREADS)
        *(uint64_t *)(to + at) = *(const uint64_t *)((const char *)job + at);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(ASYNC_THREADS) async_jobs(const async_job *jobs, int count, char *output)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = dynamic - ASYNC_SHARED_START; // shared + address is the byte at that address of this CTA
    if (__cvta_generic_to_shared(dynamic) != ASYNC_SHARED_START) __trap();
    const async_job &job = *(const async_job *)(shared + ASYNC_JOB);
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        take_job(&jobs[i], shared + ASYNC_JOB);
        run_job(job, shared, output + job.output);
    }
}
