// SPDX-License-Identifier: MIT
// Programs of cp.async, bulk stores and their groups. A CTA of two warps takes programs in turn: it fills memory, the
// thread of each step executes it alone, all meet after every step. A wait looks at the destinations of all operations
// before it, and again at once after it; at the end everything is waited for and dumped. One CTA runs on an SM: another
// one's waits would empty its L1.
//
// What the instructions become in SASS (CUDA 13.0, sm_90a): wait_group N of both kinds is DEPBAR.LE SB0, min(N, 63), one
// and the same scoreboard of the warp, and the bulk one without .read adds CCTL.IVALL, which empties L1.
#include "async_job.h"
#include "device.cuh"

// A phase that has not completed after this many clocks never will; asynchronous arrivals land much sooner.
static const long long WAIT_CLOCKS = 100000, SETTLE_CLOCKS = 4000;

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

static __device__ __forceinline__ void copy(const async_op &op)
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

static __device__ __forceinline__ void bulk(uint32_t opcode, char *to, uint32_t from, uint32_t size)
{
    if (opcode == ASYNC_OP_STORE)
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, at_shared(from), size);
    else if (opcode == ASYNC_OP_REDUCE)
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, reinterpret_cast<uint32_t *>(to),
                                  at_shared<uint32_t>(from), size);
    else
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(to), "r"(size) : "memory");
}

static __device__ __forceinline__ void wait(uint32_t opcode, uint32_t number)
{
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        if (opcode == ASYNC_OP_WAIT)                                                                                   \
            asm volatile("cp.async.wait_group " #n ";" ::: "memory");                                                  \
        else if (opcode == ASYNC_OP_BULK_WAIT)                                                                         \
            ptx::cp_async_bulk_wait_group(ptx::n32_t<n>());                                                            \
        else                                                                                                           \
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<n>());                                                       \
        break;
    switch (number) {
        ASYNC_WAIT_NUMBERS(CASE)
    default:
        __trap();
    }
#undef CASE
}

static __device__ __forceinline__ void wait_all()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

static __device__ __forceinline__ void arrive(uint32_t opcode, uint32_t barrier, uint32_t number)
{
    if (opcode == ASYNC_OP_COPIES_ARRIVE)
        asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
    else if (opcode == ASYNC_OP_COPIES_ARRIVE_NOINC)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
    else if (opcode == ASYNC_OP_ARRIVE)
        ptx::mbarrier_arrive(at_shared(barrier), number);
    else if (opcode == ASYNC_OP_EXPECT_TX)
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, at_shared(barrier), number);
    else
        complete_tx(at_shared(barrier), number);
}

static __device__ __forceinline__ bool barrier_wait(uint64_t *barrier, uint32_t parity)
{
    return wait_until(WAIT_CLOCKS, [&] { return ptx::mbarrier_test_wait_parity(barrier, parity); });
}

// --- Is it there? ----------------------------------------------------------------------------------------------------

// A plain load, which L1 may answer; or one that asks L2, for what PTX does not promise to be visible.
static __device__ __forceinline__ uint32_t load(const char *address, bool is_plain)
{
    uint32_t value;
    if (is_plain)
        asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ __forceinline__ uint32_t source_address(int step)
{
    return ASYNC_SOURCES + step * ASYNC_SOURCE_BYTES;
}

// What a lane looks at: the samples of one operation, and what they hold when it is complete; not those of a copy that
// must fault because of where it goes to.
struct sight {
    bool is_operation;
    const char *at[ASYNC_SAMPLES];
    uint32_t complete[ASYNC_SAMPLES];
};

static __device__ __forceinline__ sight sight_of(const async_job &job, uint32_t step, const char *shared,
                                                 const char *global)
{
    const async_op &op = job.op[step % ASYNC_MAX_OPS];
    bool is_copy = op.opcode <= ASYNC_OP_COPY_CG, can_be_seen = !is_copy || (op.to < ASYNC_SHARED_END && op.to % 4 == 0);
    sight s = {step < job.count && op.opcode <= ASYNC_OP_REDUCE && can_be_seen, {}, {}};
    if (!s.is_operation) return s;
    const char *to = is_copy ? shared + op.to : global + job.global[step];
    for (int i = 0; i < ASYNC_SAMPLES; i++) {
        s.at[i] = to + async_sample(op.size_bytes, i);
        s.complete[i] = job.expected[step][i];
    }
    return s;
}

// Bit i: the operation of step i, one of those before `step`, is complete. A whole warp looks, a lane for a step, and
// loads all samples before it looks at any: it takes no longer than one load. What has not been issued is loaded too: its
// old bytes are then in L1, and a wait that does not empty L1 shows them.
static __device__ __forceinline__ uint32_t look(const sight &s, uint32_t step, bool is_plain)
{
    uint32_t found[ASYNC_SAMPLES], different = 0;
    if (s.is_operation) {
        for (int i = 0; i < ASYNC_SAMPLES; i++) found[i] = load(s.at[i], is_plain);
        for (int i = 0; i < ASYNC_SAMPLES; i++) different |= found[i] ^ s.complete[i];
    }
    return __ballot_sync(~0u, s.is_operation && threadIdx.x % 32 < step && different == 0);
}

// --- A program -------------------------------------------------------------------------------------------------------

// Where a CTA's program finds its memory.
struct memories {
    char *shared, *global, *scratch;
    uint32_t *waits, *slots;
    async_look *looks;
};

static __device__ __forceinline__ void overwrite(const async_job &job, int step, char *shared)
{
    uint32_t *source = (uint32_t *)(shared + source_address(step));
    for (uint32_t i = 0; i < job.op[step].size_bytes / 4; i++) source[i] = ~source[i];
}

// Fills the queue of the copy engine with the slowest that it knows, so that what is issued next is late. Nobody looks
// at what comes of it; in the group of the operation that it delays.
static __device__ __forceinline__ void delay(uint32_t sources, char *scratch)
{
    for (int i = 0; i < ASYNC_BALLAST; i++)
        bulk(ASYNC_OP_REDUCE, scratch, sources + ASYNC_BALLAST_BYTES, ASYNC_BALLAST_BYTES);
}

static __device__ __forceinline__ void settle()
{
    wait_all();
    stay(SETTLE_CLOCKS);
}

// A step, but a commit or a wait for groups, by one thread; returns a barrier's answer.
static __device__ __forceinline__ uint32_t execute(const async_job &job, int step, const async_op &op,
                                                   const memories &memory)
{
    char *shared = memory.shared;
    uint32_t base = shared_address(shared + ASYNC_SHARED_START) - ASYNC_SHARED_START;
    switch (op.opcode) {
    case ASYNC_OP_COPY_CA:
    case ASYNC_OP_COPY_CG:
        copy(op);
        return 0;
    case ASYNC_OP_STORE:
    case ASYNC_OP_REDUCE:
        if (op.slow) delay(base + ASYNC_SOURCES, memory.scratch);
        [[fallthrough]];
    case ASYNC_OP_PREFETCH:
        bulk(op.opcode, memory.global + job.global[step], base + source_address(step), op.size_bytes);
        return 0;
    case ASYNC_OP_WAIT_ALL:
        wait_all();
        return 0;
    case ASYNC_OP_OVERWRITE:
        overwrite(job, op.number, shared);
        return 0;
    case ASYNC_OP_BARRIER_WAIT:
        return barrier_wait((uint64_t *)(shared + ASYNC_BARRIER), op.number) ? ASYNC_ANSWER_BIT : 0;
    case ASYNC_OP_SETTLE:
        return 0;
    default:
        arrive(op.opcode, base + ASYNC_BARRIER, op.number);
        return 0;
    }
}

static __device__ __forceinline__ bool is_group_wait(uint32_t opcode)
{
    return opcode == ASYNC_OP_WAIT || opcode == ASYNC_OP_BULK_WAIT || opcode == ASYNC_OP_BULK_WAIT_READ;
}

static __device__ __forceinline__ bool is_wait(uint32_t opcode)
{
    return is_group_wait(opcode) || opcode == ASYNC_OP_WAIT_ALL || opcode == ASYNC_OP_BARRIER_WAIT;
}

// A wait by lane `lane` of a warp, which looks with all of its lanes at once before and behind it.
static __device__ __forceinline__ void wait_and_look(const async_job &job, int step, const async_op &op, uint32_t lane,
                                                     const sight &s, const memories &memory)
{
    uint32_t answer = 0, before = look(s, step, true);
    if (threadIdx.x % 32 == lane) {
        if (is_group_wait(op.opcode))
            wait(op.opcode, op.number);
        else
            answer = execute(job, step, op, memory);
    }
    __syncwarp();
    uint32_t plain = look(s, step, true), after = look(s, step, false);
    if (threadIdx.x % 32 != lane) return;
    memory.waits[step] = answer | ((op.opcode == ASYNC_OP_BULK_WAIT ? plain : after) & job.must[step]);
    memory.looks[step] = {(uint16_t)before, (uint16_t)plain, (uint16_t)after};
}

// One step by lane `lane` of a warp; the commonest ones take the shortest way.
static __device__ __forceinline__ void run_step(const async_job &job, int step, const async_op &op, uint32_t lane,
                                                const sight &s, const memories &memory)
{
    if (is_wait(op.opcode)) return wait_and_look(job, step, op, lane, s, memory);
    if (threadIdx.x % 32 != lane) return;
    if (op.opcode == ASYNC_OP_BULK_COMMIT)
        ptx::cp_async_bulk_commit_group();
    else if (op.opcode == ASYNC_OP_COMMIT)
        asm volatile("cp.async.commit_group;" ::: "memory");
    else
        execute(job, step, op, memory);
}

static __device__ __forceinline__ void set_up(const async_job &job, char *shared, char *global)
{
    const auto word_of = [&](uint32_t salt) {
        return [&job, salt](uint32_t at) { return async_word(job.seed, salt, at); };
    };
    fill(shared, ASYNC_SLOTS, ASYNC_SLOTS + ASYNC_SLOT_BYTES * job.count, word_of(ASYNC_SALT_SLOTS));
    for (int step = 0; step < job.count; step++)
        if (job.op[step].opcode == ASYNC_OP_STORE || job.op[step].opcode == ASYNC_OP_REDUCE)
            fill(shared, source_address(step), source_address(step) + job.op[step].size_bytes,
                 word_of(ASYNC_SALT_SOURCES));
    fill(global, 0, job.global_bytes, word_of(ASYNC_SALT_GLOBAL));
    if (threadIdx.x == 0) start_barrier((uint64_t *)(shared + ASYNC_BARRIER), job.init);
    __threadfence();
    ptx::fence_proxy_async();
    __syncthreads();
}

static __device__ __forceinline__ void wait_for_everything(const async_job &job)
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

// The steps, by the warps that have any. Nothing in between takes long, so that operations are still under way at the
// wait: the next step is in registers when its turn comes.
static __device__ __forceinline__ void run_steps(const async_job &job, const memories &memory)
{
    bool is_other_warp = job.threads == ASYNC_OTHER_WARP;
    if (threadIdx.x >= 32 && !is_other_warp) return;
    const sight s = sight_of(job, threadIdx.x % 32, memory.shared, memory.global);
    async_op next = job.op[0];
    look(s, ASYNC_MAX_OPS, true);
    for (int step = 0, count = job.count; step < count; step++) {
        const async_op op = next;
        next = job.op[(step + 1) % ASYNC_MAX_OPS];
        uint32_t warp = is_other_warp ? op.thread : 0, lane = is_other_warp ? 0 : op.thread;
        if (op.opcode == ASYNC_OP_SETTLE) settle();
        if (threadIdx.x / 32 == warp) run_step(job, step, op, lane, s, memory);
        if (is_other_warp)
            __syncthreads();
        else
            __syncwarp();
    }
}

static __device__ __forceinline__ void run_job(const async_job &job, char *shared, char *output, char *scratch)
{
    memories memory = {.shared = shared, .global = output + async_windows_bytes(job.count), .scratch = scratch};
    memory.waits = (uint32_t *)(output + 16);
    memory.looks = (async_look *)(output + 16 + async_waits_bytes(job.count));
    memory.slots = (uint32_t *)((char *)memory.looks + async_looks_bytes(job.count));
    set_up(job, shared, memory.global);
    if (threadIdx.x < job.count) {
        memory.waits[threadIdx.x] = 0;
        memory.looks[threadIdx.x] = {0};
    }
    __syncthreads();
    run_steps(job, memory);
    __syncthreads();
    wait_for_everything(job);
    for (uint32_t at = threadIdx.x; at < ASYNC_SLOT_BYTES / 4 * job.count; at += ASYNC_THREADS)
        memory.slots[at] = *(uint32_t *)(shared + ASYNC_SLOTS + 4 * at);
    if (threadIdx.x == 0) *(uint64_t *)output = final_word((uint64_t *)(shared + ASYNC_BARRIER));
    __syncthreads();
}

static __device__ __forceinline__ void take_job(const async_job *job, char *to)
{
    static_assert(sizeof(async_job) <= ASYNC_JOB_BYTES, "a job fits its place");
    for (uint32_t at = 8 * threadIdx.x; at < sizeof *job; at += 8 * ASYNC_THREADS)
        *(uint64_t *)(to + at) = *(const uint64_t *)((const char *)job + at);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(ASYNC_THREADS) async_jobs(const async_job *jobs, int count, char *output, char *scratch)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, ASYNC_SHARED_START);
    const async_job &job = *(const async_job *)(shared + ASYNC_JOB);
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        take_job(&jobs[i], shared + ASYNC_JOB);
        run_job(job, shared, output + job.output, scratch + (size_t)blockIdx.x * ASYNC_BALLAST_BYTES);
    }
}
