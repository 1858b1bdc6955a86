// SPDX-License-Identifier: MIT
// Clusters. cluster_programs: every cluster runs one program, its CTAs together; thread 0 of an issuer does a step, and
// all threads that are left meet by barrier.cluster after it. A CTA that ends dumps its memory first. The kernels
// cluster_launch*: every CTA writes what it knows of its cluster; they differ in what they are compiled with.
#include "cluster_job.h"
#include "device.cuh"

// What an asynchronous operation is given to begin to arrive, and then to arrive in all its pieces, and what the machine
// is given after a CTA has ended.
static const long long SETTLE_CLOCKS = 200000, PIECES_CLOCKS = 6000, EXIT_CLOCKS = 20000;

// --- Meeting ---------------------------------------------------------------------------------------------------------

static __device__ void arrive()
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
}

static __device__ void wait()
{
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

// What any thread of the cluster did in the step is over for all. `warp` has not met yet in this step, unless it arrived
// early (split, warp 1).
static __device__ void meet_by(uint32_t meeting, uint32_t warp)
{
    switch (meeting) {
    case CLUSTER_MEET_ALIGNED:
        __syncwarp();
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        return;
    case CLUSTER_MEET_SPLIT:
        if (warp == 0) arrive();
        break;
    case CLUSTER_MEET_LANES:
        if (threadIdx.x % 32 >= 16) __nanosleep(200); // keeps the halves apart
        arrive();
        break;
    case CLUSTER_MEET_RELAXED:
        ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
        ptx::barrier_cluster_arrive(ptx::sem_relaxed);
        break;
    case CLUSTER_MEET_TWICE:
        arrive();
        arrive();
        break;
    case CLUSTER_MEET_UNARRIVED:
        wait();
        arrive();
        break;
    }
    wait();
}

// --- Data ------------------------------------------------------------------------------------------------------------

static __device__ void load(uint32_t from, uint32_t size, uint64_t *got)
{
    uint32_t value = 0;
    switch (size) {
    case 1:
        asm volatile("ld.shared::cluster.u8 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
        got[0] = value;
        break;
    case 2:
        asm volatile("ld.shared::cluster.u16 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
        got[0] = value;
        break;
    case 4:
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
        got[0] = value;
        break;
    case 8:
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(got[0]) : "r"(from) : "memory");
        break;
    case 16:
        asm volatile("ld.shared::cluster.v2.u64 {%0, %1}, [%2];" : "=l"(got[0]), "=l"(got[1]) : "r"(from) : "memory");
        break;
    }
}

static __device__ void store(uint32_t to, uint32_t size, uint64_t first, uint64_t second)
{
    uint32_t value = (uint32_t)first;
    switch (size) {
    case 1:
        asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(to), "r"(value) : "memory");
        break;
    case 2:
        asm volatile("st.shared::cluster.u16 [%0], %1;" ::"r"(to), "r"(value) : "memory");
        break;
    case 4:
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
        break;
    case 8:
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(to), "l"(first) : "memory");
        break;
    case 16:
        asm volatile("st.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(to), "l"(first), "l"(second) : "memory");
        break;
    }
}

static __device__ void reduce(uint32_t function, uint32_t to, uint64_t operand)
{
    uint32_t value = (uint32_t)operand;
    switch (function) {
#define RED_32(id, ptx)                                                                                                \
    case ATOMIC_##id:                                                                                                  \
        asm volatile("red.relaxed.cluster.shared::cluster." ptx " [%0], %1;" ::"r"(to), "r"(value) : "memory");        \
        break;
        RED_32(ADD_U32, "add.u32")
        RED_32(MIN_U32, "min.u32")
        RED_32(MAX_U32, "max.u32")
        RED_32(MIN_S32, "min.s32")
        RED_32(MAX_S32, "max.s32")
        RED_32(INC_U32, "inc.u32")
        RED_32(DEC_U32, "dec.u32")
        RED_32(AND_B32, "and.b32")
        RED_32(OR_B32, "or.b32")
        RED_32(XOR_B32, "xor.b32")
    case ATOMIC_ADD_U64:
        asm volatile("red.relaxed.cluster.shared::cluster.add.u64 [%0], %1;" ::"r"(to), "l"(operand) : "memory");
        break;
    }
}

static __device__ uint64_t atomic(uint32_t function, uint32_t to, uint64_t operand, uint64_t compare)
{
    uint32_t value = (uint32_t)operand, old = 0;
    uint64_t wide = 0;
    switch (function) {
#define ATOM_32(id, ptx)                                                                                               \
    case ATOMIC_##id:                                                                                                  \
        asm volatile("atom.relaxed.cluster.shared::cluster." ptx " %0, [%1], %2;"                                      \
                     : "=r"(old)                                                                                       \
                     : "r"(to), "r"(value)                                                                             \
                     : "memory");                                                                                      \
        return old;
        ATOM_32(ADD_U32, "add.u32")
        ATOM_32(MIN_U32, "min.u32")
        ATOM_32(MAX_U32, "max.u32")
        ATOM_32(MIN_S32, "min.s32")
        ATOM_32(MAX_S32, "max.s32")
        ATOM_32(INC_U32, "inc.u32")
        ATOM_32(DEC_U32, "dec.u32")
        ATOM_32(AND_B32, "and.b32")
        ATOM_32(OR_B32, "or.b32")
        ATOM_32(XOR_B32, "xor.b32")
        ATOM_32(EXCH_B32, "exch.b32")
    case ATOMIC_ADD_U64:
        asm volatile("atom.relaxed.cluster.shared::cluster.add.u64 %0, [%1], %2;"
                     : "=l"(wide)
                     : "r"(to), "l"(operand)
                     : "memory");
        return wide;
    case ATOMIC_EXCH_B64:
        asm volatile("atom.relaxed.cluster.shared::cluster.exch.b64 %0, [%1], %2;"
                     : "=l"(wide)
                     : "r"(to), "l"(operand)
                     : "memory");
        return wide;
    case ATOMIC_CAS_B32:
        asm volatile("atom.relaxed.cluster.shared::cluster.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(old)
                     : "r"(to), "r"((uint32_t)compare), "r"(value)
                     : "memory");
        return old;
    default:
        asm volatile("atom.relaxed.cluster.shared::cluster.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(wide)
                     : "r"(to), "l"(compare), "l"(operand)
                     : "memory");
        return wide;
    }
}

// --- Barriers --------------------------------------------------------------------------------------------------------

static __device__ void operate(uint32_t opcode, uint32_t barrier, uint32_t operand)
{
    switch (opcode) {
#define BARRIER(id, ptx)                                                                                               \
    case CLUSTER_OP_##id:                                                                                              \
        asm volatile(ptx ".shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(operand) : "memory");                 \
        break;
        BARRIER(ARRIVE, "mbarrier.arrive.release.cluster")
        BARRIER(ARRIVE_DROP, "mbarrier.arrive_drop.release.cluster")
        BARRIER(ARRIVE_EXPECT_TX, "mbarrier.arrive.expect_tx.release.cluster")
        BARRIER(ARRIVE_DROP_EXPECT_TX, "mbarrier.arrive_drop.expect_tx.release.cluster")
    case CLUSTER_OP_EXPECT_TX:
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, at_shared(barrier), operand);
        break;
    case CLUSTER_OP_COMPLETE_TX:
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier), "r"(operand)
                     : "memory");
        break;
    case CLUSTER_OP_INIT:
        ptx::mbarrier_init(at_shared(barrier), operand);
        break;
    }
}

// --- Asynchronous operations -----------------------------------------------------------------------------------------

#define ST_ASYNC  "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
#define RED_ASYNC "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."

static __device__ void store_async(uint32_t to, uint32_t size, uint64_t first, uint64_t second, uint32_t barrier)
{
    if (size == 4)
        asm volatile(ST_ASYNC ".b32 [%0], %1, [%2];" ::"r"(to), "r"((uint32_t)first), "r"(barrier) : "memory");
    else if (size == 8)
        asm volatile(ST_ASYNC ".b64 [%0], %1, [%2];" ::"r"(to), "l"(first), "r"(barrier) : "memory");
    else
        asm volatile(ST_ASYNC ".v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(first), "l"(second), "r"(barrier)
                     : "memory");
}

static __device__ void reduce_async(uint32_t function, uint32_t to, uint64_t operand, uint32_t barrier)
{
    uint32_t value = (uint32_t)operand;
    switch (function) {
#define RED_ASYNC_32(id, ptx)                                                                                          \
    case ATOMIC_##id:                                                                                                  \
        asm volatile(RED_ASYNC ptx " [%0], %1, [%2];" ::"r"(to), "r"(value), "r"(barrier) : "memory");                 \
        break;
        RED_ASYNC_32(ADD_U32, "add.u32")
        RED_ASYNC_32(MIN_U32, "min.u32")
        RED_ASYNC_32(MAX_U32, "max.u32")
        RED_ASYNC_32(MIN_S32, "min.s32")
        RED_ASYNC_32(MAX_S32, "max.s32")
        RED_ASYNC_32(INC_U32, "inc.u32")
        RED_ASYNC_32(DEC_U32, "dec.u32")
        RED_ASYNC_32(AND_B32, "and.b32")
        RED_ASYNC_32(OR_B32, "or.b32")
        RED_ASYNC_32(XOR_B32, "xor.b32")
    case ATOMIC_ADD_U64:
        asm volatile(RED_ASYNC "add.u64 [%0], %1, [%2];" ::"r"(to), "l"(operand), "r"(barrier) : "memory");
        break;
    }
}

static __device__ bool is_async(uint32_t opcode)
{
    return opcode >= CLUSTER_OP_ST_ASYNC && opcode <= CLUSTER_OP_MULTICAST;
}

static __device__ void issue_async(const cluster_step &step, uint32_t start, uint32_t data, uint32_t barrier,
                                   const char *arena)
{
    switch (step.opcode) {
    case CLUSTER_OP_ST_ASYNC:
        store_async(data, step.size_bytes, step.operand, step.compare, barrier);
        break;
    case CLUSTER_OP_RED_ASYNC:
        reduce_async(step.function, data, step.operand, barrier);
        break;
    case CLUSTER_OP_BULK: // the fences: after what the cluster's threads did by plain accesses before they met
        ptx::fence_proxy_async();
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, at_shared(data),
                           at_shared(start + CLUSTER_DATA_START - CLUSTER_BARRIER_START), step.size_bytes,
                           at_shared(barrier));
        break;
    case CLUSTER_OP_MULTICAST:
        ptx::fence_proxy_async();
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, at_shared(data), arena + step.operand, step.size_bytes,
                           at_shared(barrier), (uint16_t)step.target);
        break;
    }
}

static __device__ void store_and_exit(const cluster_step &step, uint32_t data, char *to)
{
    ptx::fence_proxy_async();
    if (step.opcode == CLUSTER_OP_REDUCE_EXIT)
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, reinterpret_cast<uint32_t *>(to),
                                  at_shared<uint32_t>(data), step.size_bytes);
    else
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, at_shared(data), step.size_bytes);
    if (step.opcode == CLUSTER_OP_COMMIT_EXIT) ptx::cp_async_bulk_commit_group();
}

// --- A program -------------------------------------------------------------------------------------------------------

static __device__ uint32_t target_of(const cluster_step &step, uint32_t rank, uint32_t ranks)
{
    if (step.opcode == CLUSTER_OP_MULTICAST) return rank;
    return step.target & CLUSTER_RING ? (rank + (step.target ^ CLUSTER_RING)) % ranks : step.target;
}

// `start` is the address of this CTA's first barrier; `got` is written where the step gives something.
static __device__ void execute(const cluster_step &step, uint32_t start, uint32_t rank, uint32_t ranks, uint64_t *got,
                               const char *arena)
{
    uint32_t target = target_of(step, rank, ranks);
    uint32_t data = start + CLUSTER_DATA_START - CLUSTER_BARRIER_START + step.offset_bytes;
    uint32_t barrier = start + 8 * step.barrier + step.skew_bytes;
    if (step.opcode != CLUSTER_OP_INIT) data = map_to_rank(data, target), barrier = map_to_rank(barrier, target);
    if (step.opcode == CLUSTER_OP_LD)
        load(data, step.size_bytes, got);
    else if (step.opcode == CLUSTER_OP_ST)
        store(data, step.size_bytes, step.operand, step.compare);
    else if (step.opcode == CLUSTER_OP_RED)
        reduce(step.function, data, step.operand);
    else if (step.opcode == CLUSTER_OP_ATOM)
        got[0] = atomic(step.function, data, step.operand, step.compare);
    else if (is_async(step.opcode))
        issue_async(step, start, data, barrier, arena);
    else
        operate(step.opcode, barrier, (uint32_t)step.operand);
}

// Whether something asynchronous comes to the CTA `rank`.
static __device__ bool is_reached(const cluster_step &step, uint32_t rank, uint32_t ranks)
{
    if (!is_async(step.opcode)) return false;
    if (step.opcode == CLUSTER_OP_MULTICAST) return step.target >> rank & 1;
    for (uint32_t issuer = 0; issuer < ranks; issuer++)
        if ((step.issuers >> issuer & 1) && target_of(step, issuer, ranks) == rank) return true;
    return false;
}

static __device__ void settle(uint32_t barrier, uint64_t before)
{
    wait_until(SETTLE_CLOCKS, [&] { return final_word(at_shared(barrier)) != before; });
    stay(PIECES_CLOCKS);
    ptx::fence_proxy_async();
}

static __device__ void start_cta(const cluster_job &job, char *shared, uint32_t start, uint32_t rank)
{
    char *data = shared + CLUSTER_DATA_START - CLUSTER_BARRIER_START;
    uint32_t bytes = job.has_store ? CLUSTER_FILLED_BYTES : CLUSTER_DATA_BYTES;
    if (threadIdx.x < CLUSTER_BARRIERS) {
        write_back(at_shared(start + 8 * threadIdx.x));
        reinterpret_cast<volatile uint64_t *>(shared)[threadIdx.x] = 0;
    }
    fill(data, 0, bytes, [&](uint32_t at) { return cluster_word(job.seed, rank, at); });
    __syncthreads();
    meet_by(CLUSTER_MEET_ALIGNED, threadIdx.x / 32);
}

// What is left of a CTA, by its thread 0, which is alive as long as the CTA is.
static __device__ void dump_cta(const cluster_job &job, char *output, const char *shared, uint32_t start, uint32_t rank,
                            uint32_t ranks)
{
    if (threadIdx.x != 0) return;
    uint64_t *to = reinterpret_cast<uint64_t *>(output + job.output + job.count * ranks * CLUSTER_GOT_BYTES +
                                                rank * CLUSTER_CTA_BYTES);
    const volatile uint64_t *data =
        reinterpret_cast<const volatile uint64_t *>(shared + CLUSTER_DATA_START - CLUSTER_BARRIER_START);
    for (uint32_t i = 0; i < CLUSTER_DATA_BYTES / 8; i++) *to++ = data[i];
    for (uint32_t i = 0; i < CLUSTER_BARRIERS; i++) *to++ = final_word(at_shared(start + 8 * i));
}

extern "C" __global__ void __launch_bounds__(CLUSTER_THREADS)
    cluster_programs(const cluster_job *jobs, char *output, const char *arena)
{
    extern __shared__ __align__(128) char shared[];
    const uint32_t rank = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank(), warp = threadIdx.x / 32;
    const uint32_t start = shared_address(shared);
    const cluster_job &job = jobs[blockIdx.x / ranks];
    start_cta(job, shared, start, rank);
    for (uint32_t i = 0; i < job.count; i++) {
        const cluster_step step = job.step[i];
        const bool is_issuer = step.issuers >> rank & 1, is_waited_for = is_reached(step, rank, ranks);
        uint64_t before = 0, got[2] = {0, 0};
        if (step.opcode >= CLUSTER_OP_STORE_EXIT) break;
        if (step.opcode == CLUSTER_OP_EXIT && is_issuer) {
            dump_cta(job, output, shared, start, rank, ranks);
            return;
        }
        if (step.opcode == CLUSTER_OP_EXIT_WARP && is_issuer && warp == 1) return;
        if (is_waited_for && threadIdx.x == 0) before = final_word(at_shared(start + 8 * step.barrier));
        if (is_async(step.opcode)) meet_by(CLUSTER_MEET_ALIGNED, warp);
        if (step.meeting == CLUSTER_MEET_SPLIT && warp == 1) arrive();
        if (is_issuer && threadIdx.x == 0 && step.opcode < CLUSTER_OP_EXIT_WARP) {
            execute(step, start, rank, ranks, got, arena);
            uint64_t *to = reinterpret_cast<uint64_t *>(output + job.output + (i * ranks + rank) * CLUSTER_GOT_BYTES);
            to[0] = got[0];
            to[1] = got[1];
        }
        if (is_waited_for && threadIdx.x == 0) settle(start + 8 * step.barrier, before);
        __syncwarp();
        meet_by(step.meeting, warp);
        if (step.opcode == CLUSTER_OP_EXIT) stay(EXIT_CLOCKS);
    }
    dump_cta(job, output, shared, start, rank, ranks);
    const cluster_step &last = job.step[job.count - 1];
    if (last.opcode < CLUSTER_OP_STORE_EXIT || !(last.issuers >> rank & 1) || threadIdx.x != 0) return;
    store_and_exit(last, start + CLUSTER_DATA_START - CLUSTER_BARRIER_START, output + job.global);
}

// --- Launches --------------------------------------------------------------------------------------------------------

#define READ_3(name, to)                                                                                               \
    asm volatile("mov.u32 %0, %%" name ".x; mov.u32 %1, %%" name ".y; mov.u32 %2, %%" name ".z;"                       \
                 : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]))

static __device__ void answer(const cluster_question &question, const char *shared)
{
    cluster_answers answers;
    uint64_t window, generic;
    if (question.output == 0 || threadIdx.x + threadIdx.y + threadIdx.z != 0) return;
    READ_3("ctaid", answers.ctaid);
    READ_3("clusterid", answers.clusterid);
    READ_3("nclusterid", answers.nclusterid);
    READ_3("cluster_ctaid", answers.cluster_ctaid);
    READ_3("cluster_nctaid", answers.cluster_nctaid);
    answers.cluster_ctarank = ptx::get_sreg_cluster_ctarank();
    answers.cluster_nctarank = ptx::get_sreg_cluster_nctarank();
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
                 : "=r"(answers.is_explicit_cluster));
    answers.own = shared_address(shared);
    answers.mapa = map_to_rank(question.address, question.rank);
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(answers.address_rank) : "r"(question.address));
    asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(window) : "l"((uint64_t)0));
    generic = window + question.offset;
    asm volatile("getctarank.u64 %0, %1;" : "=r"(answers.generic_rank) : "l"(generic));
    answers.generic_mapa = (uint64_t)map_to_rank((char *)generic, question.rank) - window;
    asm volatile("{ .reg .pred p, q; isspacep.shared::cta p, %2; isspacep.shared::cluster q, %2; selp.u32 %0, 1, 0, p; "
                 "selp.u32 %1, 1, 0, q; }"
                 : "=r"(answers.is_cta), "=r"(answers.is_cluster)
                 : "l"(generic));
    uint64_t cta = blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
    reinterpret_cast<cluster_answers *>(question.output)[cta] = answers;
}

#define LAUNCH(name, attributes)                                                                                       \
    extern "C" __global__ void attributes name(const cluster_question question)                                        \
    {                                                                                                                  \
        extern __shared__ __align__(128) char shared[];                                                                \
        answer(question, shared);                                                                                      \
    }
LAUNCH(cluster_launch, __launch_bounds__(1024))
LAUNCH(cluster_launch_2, __launch_bounds__(1024) __cluster_dims__(2, 1, 1))
LAUNCH(cluster_launch_1x2x2, __launch_bounds__(1024) __cluster_dims__(1, 2, 2))
LAUNCH(cluster_launch_16, __launch_bounds__(1024) __cluster_dims__(16, 1, 1))
LAUNCH(cluster_launch_max4, __launch_bounds__(128, 1, 4))

extern "C" __global__ void __launch_bounds__(1024) cluster_launch_static(const cluster_question question)
{
    __shared__ __align__(128) char fixed[4096];
    extern __shared__ __align__(128) char shared[];
    if (question.output == 1) fixed[threadIdx.x] = shared[threadIdx.x]; // never: keeps the static memory
    if (question.output == 1) __syncthreads();
    if (question.output == 1) shared[0] = fixed[question.rank];
    answer(question, shared);
}
