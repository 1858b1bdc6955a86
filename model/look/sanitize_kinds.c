// SPDX-License-Identifier: MIT
// What is said of each kind of finding.
#include "sanitize_found.h"

#include <string.h>

#define SANITIZE_LANES_MEET "__syncwarp() between a lane's access and another lane's release or wait"

static const struct sanitize_text kinds[] = {
    [SANITIZE_RACE] = {"SANITIZE_RACE", "nothing orders two accesses of threads to the same bytes, and one is a write",
                       "the access", "the other", "a barrier, or a release by the one thread that the other acquires",
                       "Put __syncthreads() (bar.sync) between them; cluster.sync() between CTAs of a cluster."},
    [SANITIZE_LANES] = {"SANITIZE_LANES",
                        "nothing orders two accesses of lanes of one warp to the same bytes, and one is a write",
                        "the access", "the other", "__syncwarp() between the two",
                        "Put __syncwarp() (bar.warp.sync) between them: lanes of a warp need not run in step."},
    [SANITIZE_UPDATE] = {"SANITIZE_UPDATE",
                         "lanes of one warp read the same bytes and write them in one instruction: one update is kept",
                         "the write", "the read", "an update that is one operation",
                         "Use atomicAdd() or the like (red, atom), or let one lane do it. No barrier helps."},
    [SANITIZE_GLOBAL_RACE] =
        {"SANITIZE_GLOBAL_RACE", "nothing orders two accesses to the same bytes of global memory, and one is a write",
         "the access", "the other", "a release by the one thread that the other acquires, of scopes that reach both",
         "In a CTA, put __syncthreads() (bar.sync) between them. Between CTAs, release behind the first "
         "(__threadfence() and an atomic, or red.release.gpu) and acquire before the second (ld.acquire.gpu, or a "
         "read of that word and __threadfence()); or split the kernel in two."},
    [SANITIZE_SCOPE] = {"SANITIZE_SCOPE", "the scope of an atomic access does not reach the other thread", "the access",
                        "the other", "a scope that reaches both threads",
                        "Use the scope .gpu between CTAs (.cluster in a cluster), on both sides."},
    [SANITIZE_READ_BEFORE_COPY] =
        {"SANITIZE_READ_BEFORE_COPY", "a thread may read bytes before a copy has written them", "the read", "the copy",
         "a wait that acquires the phase in which the copy completes",
         "Wait for the mbarrier of the copy (mbarrier.try_wait.parity, with the parity of its phase) before the read."},
    [SANITIZE_WRITE_BEFORE_COPY] = {"SANITIZE_WRITE_BEFORE_COPY", "a thread may write bytes while a copy writes them",
                                    "the write", "the copy",
                                    "a wait that acquires the phase in which the copy completes",
                                    "Wait for the mbarrier of the copy (mbarrier.try_wait.parity) before the write."},
    [SANITIZE_OPERATION_BEFORE_COPY] =
        {"SANITIZE_OPERATION_BEFORE_COPY", "an operation may read bytes before a copy has written them",
         "the operation", "the copy", "a wait that acquires the phase in which the copy completes",
         "Wait for the mbarrier of the copy (mbarrier.try_wait.parity, with the parity of its phase) before the "
         "operation is issued."},
    [SANITIZE_OPERATION_BEFORE_WRITE] =
        {"SANITIZE_OPERATION_BEFORE_WRITE", "an operation may read bytes before a thread has written them",
         "the operation", "the write", "a barrier between the write and the issue",
         "Put fence.proxy.async and then __syncthreads() (bar.sync) between the write and the operation."},
    [SANITIZE_REFILL] = {"SANITIZE_REFILL", "a copy may overwrite bytes that a thread still uses", "the copy",
                         "the thread's access", "a release by that thread that the copy's thread acquires",
                         "Let the thread arrive (mbarrier.arrive) behind its last access, and the thread of the copy "
                         "wait for it before it issues the copy."},
    [SANITIZE_SOURCE_OVERWRITTEN] =
        {"SANITIZE_SOURCE_OVERWRITTEN", "bytes may be overwritten that an operation still reads", "the write",
         "the operation", "a wait for the operation by its thread",
         "Commit the operation and wait for it in its thread (cp.async.bulk.commit_group, "
         "cp.async.bulk.wait_group.read 0), then let that thread meet the others at a barrier, before the write."},
    [SANITIZE_PRODUCT_OVERWRITTEN] =
        {"SANITIZE_PRODUCT_OVERWRITTEN", "bytes may be overwritten that a wgmma still reads", "the write", "the wgmma",
         "a wait for the wgmma by each of its warps, which the writer then acquires",
         "Execute wgmma.commit_group and wgmma.wait_group before the arrive that lets the writer go on, and let the "
         "writer wait for that arrive."},
    [SANITIZE_PRODUCT_REGISTER] =
        {"SANITIZE_PRODUCT_REGISTER", "a register is used that a wgmma may not have written yet", "the use",
         "the wgmma", "a wait for the wgmma by the warp that uses the register",
         "Execute wgmma.commit_group and wgmma.wait_group, with a number that covers the group, before the use."},
    [SANITIZE_PRODUCT_SOURCE] =
        {"SANITIZE_PRODUCT_SOURCE", "a register is overwritten that a wgmma may still read", "the write", "the wgmma",
         "a wait for the wgmma by the warp that writes the register",
         "Execute wgmma.commit_group and wgmma.wait_group before the write, or give the next A other registers."},
    [SANITIZE_PRODUCT_FENCE] =
        {"SANITIZE_PRODUCT_FENCE", "wgmma.fence is missing between the use of a register and a wgmma that takes it",
         "the wgmma", "the use", "a wgmma.fence of all four warps behind the use",
         "Execute wgmma.fence.sync.aligned (warpgroup_arrive() in CUTLASS) in front of the first wgmma of each batch."},
    [SANITIZE_SMALL_COPY] = {"SANITIZE_SMALL_COPY", "bytes may be used before a cp.async has written them", "the use",
                             "the cp.async", "a wait for the cp.async by its thread",
                             "Execute cp.async.commit_group and cp.async.wait_group 0 (or cp.async.wait_all) in the "
                             "threads that copy, and then a barrier of all threads, before the use."},
    [SANITIZE_COPIES] = {"SANITIZE_COPIES", "two copies may write the same bytes in either order", "the copy",
                         "the other copy", "a wait for the one before the other is issued",
                         "Wait for the mbarrier of the first copy before the second is issued, or give them bytes of "
                         "their own."},
    [SANITIZE_FENCE] = {"SANITIZE_FENCE", "fence.proxy.async is missing between a thread's write and an operation",
                        "the operation", "the write", "a fence of the async proxy between the two",
                        "Execute fence.proxy.async.shared::cta in each thread that writes, before the barrier in front "
                        "of the operation. A GPU may read old bytes."},
    [SANITIZE_GLOBAL_FENCE] =
        {"SANITIZE_GLOBAL_FENCE",
         "fence.proxy.async is missing between a thread's write to global memory and an operation", "the operation",
         "the write", "a fence of the async proxy between the two",
         "Execute fence.proxy.async.global in the thread that issues the operation, behind what orders it after the "
         "write. A GPU may read old bytes."},
    [SANITIZE_GLOBAL_STORE] =
        {"SANITIZE_GLOBAL_STORE", "bytes of global memory may be used before a bulk store has written them", "the use",
         "the store", "a wait for the writes of the store by its thread, which the user then acquires",
         "Execute cp.async.bulk.commit_group and cp.async.bulk.wait_group 0, without .read, in the thread of the "
         "store; "
         "then let that thread release (red.release.gpu, or __syncthreads() in a CTA) and the user acquire."},
    [SANITIZE_GLOBAL_SOURCE] =
        {"SANITIZE_GLOBAL_SOURCE", "an operation may read global memory before a thread has written it",
         "the operation", "the write", "a release by the writer that the thread of the operation acquires",
         "Release behind the write (red.release.gpu, or __syncthreads() in a CTA), acquire before the operation, and "
         "execute fence.proxy.async.global behind that."},
    [SANITIZE_GLOBAL_LOAD] =
        {"SANITIZE_GLOBAL_LOAD", "global memory may be overwritten that an operation still reads", "the write",
         "the operation", "a wait for the operation, which the writer then acquires",
         "Wait for the mbarrier of the operation before the write; if another thread writes, release and acquire "
         "between the two."},
    [SANITIZE_MAP_FENCE] =
        {"SANITIZE_MAP_FENCE", "a fence of the tensormap proxy is missing between the edit of a map and its use",
         "the use", "the edit", "a release behind the edit, and an acquire before the use",
         "Execute fence.proxy.tensormap::generic.release.gpu (or tensormap.cp_fenceproxy) behind the edit, and "
         "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before the use."},
    [SANITIZE_MAP_RACE] =
        {"SANITIZE_MAP_RACE", "nothing orders the edit of a tensor map and its use", "the use", "the edit",
         "a release by the editor that the user acquires",
         "Put a barrier, or a release and an acquire, between the two, with the release and the acquire of "
         "fence.proxy.tensormap on their sides of it."},
    [SANITIZE_MAP_EDITED] = {"SANITIZE_MAP_EDITED", "a tensor map may be edited while an operation still uses it",
                             "the edit", "the operation", "a wait for the operation, which the editor then acquires",
                             "Wait for the mbarrier or the group of the operation before the edit."},
    [SANITIZE_GRID_EARLY] = {"SANITIZE_GRID_EARLY",
                             "a programmatic launch may use memory before the launch in front of it has written it",
                             "the use", "the write", "griddepcontrol.wait in a thread that this one is ordered behind",
                             "Execute griddepcontrol.wait (cudaGridDependencySynchronize()) before the use: in each "
                             "thread, or in one, with "
                             "a barrier behind it."},
    [SANITIZE_GRID_OVERWRITES] =
        {"SANITIZE_GRID_OVERWRITES",
         "a programmatic launch may overwrite memory that the launch in front of it still reads", "the write",
         "the read", "griddepcontrol.wait in a thread that this one is ordered behind",
         "Execute griddepcontrol.wait (cudaGridDependencySynchronize()) before the write: in each thread, or in one, "
         "with a barrier behind it."},
    [SANITIZE_EXIT] = {"SANITIZE_EXIT", "a CTA may exit while its shared memory is still in use", "the use", NULL,
                       "a wait for the operation, or a barrier of the cluster, before the CTA exits",
                       "Wait for the operation before its CTA exits (its mbarrier, or cp.async.bulk.wait_group.read "
                       "0); if another CTA uses the memory, let all CTAs meet at cluster.sync() behind the last use."},
    [SANITIZE_UNINITIALISED] =
        {"SANITIZE_UNINITIALISED", "an mbarrier is used that no mbarrier.init has created", "the use", NULL,
         "an init before it",
         "Initialise it in one thread; all others use it behind __syncthreads(), and other CTAs behind "
         "cluster.sync()."},
    [SANITIZE_UNORDERED_INIT] =
        {"SANITIZE_UNORDERED_INIT", "an mbarrier may be used before it is initialised", "the use", "the init",
         "a barrier between the init and the use",
         "Put __syncthreads() (bar.sync) behind the init; where another CTA uses it, fence.mbarrier_init and "
         "cluster.sync()."},
    [SANITIZE_AGAIN] = {"SANITIZE_AGAIN", "an mbarrier was initialised again without mbarrier.inval", "the init",
                        "the init before it", "mbarrier.inval between them",
                        "Initialise it once, in one thread. Each init discards what has arrived."},
    [SANITIZE_UNEXPECTED] =
        {"SANITIZE_UNEXPECTED", "a copy brings bytes to an mbarrier that no expect_tx announces", "the copy", NULL,
         "an expect_tx of all bytes in the phase of the copy",
         "Arrive with expect_tx of the bytes of the copy (mbarrier.arrive.expect_tx); else the phase completes before "
         "they arrive."},
    [SANITIZE_OVER_ARRIVAL] =
        {"SANITIZE_OVER_ARRIVAL",
         "a thread may arrive at an mbarrier in a phase that others have not completed without it", "the arrival",
         "the arrival before", "a wait for the phase before, which the arriving thread acquires",
         "Initialise the mbarrier with the number of all arrivals of a phase, and let each thread wait between two of "
         "its own."},
    [SANITIZE_ABSENT_LANE] = {"SANITIZE_ABSENT_LANE", "a shuffle reads the register of a lane that does not execute it",
                              "the shuffle", NULL, "the lane that is read, at the same shuffle",
                              "Let all lanes of the warp execute the shuffle, those without data with a neutral value; "
                              "or read from lanes of "
                              "the mask alone."},
    [SANITIZE_MEMBERMASK] = {"SANITIZE_MEMBERMASK", "a lane executes an instruction whose membermask leaves it out",
                             "the instruction", NULL, "the lane that executes it, in the mask",
                             "Name in the mask the lanes that execute the instruction, or let only those of the mask "
                             "come there. PTX leaves open what others get, and whether they wait."},
    [SANITIZE_BARRIER_WRITTEN] = {"SANITIZE_BARRIER_WRITTEN", "a write goes over an mbarrier that is in use",
                                  "the write", "the init of the mbarrier", "mbarrier.inval before the write",
                                  "Give the data other bytes; or let one thread execute mbarrier.inval behind the last "
                                  "wait of all threads, with a barrier on both sides of it."},
    [SANITIZE_CONSTANT] = {"SANITIZE_CONSTANT", "ld.global.nc reads what the same kernel has written", "the read",
                           "the write", "nothing orders the two: ld.global.nc may read what a cache kept from before",
                           "Read by ld.global: no __ldg(), and no const __restrict__ on the pointer, for memory that "
                           "the kernel writes."},
    [SANITIZE_MEETING] =
        {"SANITIZE_MEETING", "a warp may arrive at a barrier in a phase in which others meet without it", "the arrival",
         "an arrival of the phase before", "an order between the end of that phase and this arrival",
         "Give each group of warps a barrier number of its own (bar.sync); or let the warp wait for something that "
         "comes behind the phase before it arrives again."},
    [SANITIZE_INVAL] = {"SANITIZE_INVAL", "an mbarrier may be invalidated while a thread still uses it", "the inval",
                        "the use", "a barrier between the use and the inval",
                        "Put __syncthreads() (bar.sync) between the last wait at the mbarrier and mbarrier.inval."},
    [SANITIZE_DIVERGENT] =
        {"SANITIZE_DIVERGENT", "lanes of one warp arrive at a barrier by two instructions, and one is .aligned",
         "the arrival", "the other", "one instruction that all lanes of the warp execute together",
         "Take __syncthreads() or cluster.sync() out of the branch. Lanes that part may use barrier.sync, or "
         "barrier.cluster, without .aligned."},
    [SANITIZE_COUNT] = {"SANITIZE_COUNT", "threads give one barrier of the CTA different numbers of threads",
                        "the arrival", "the arrival before it", "one number of threads in all of them",
                        "Give the same number in each: bar.sync 1, 96 where 96 threads meet. PTX leaves it open what "
                        "happens else."},
    [SANITIZE_SETMAXNREG] = {"SANITIZE_SETMAXNREG",
                             "a warp executes setmaxnreg again before it has met the others of its warpgroup",
                             "the setmaxnreg", "one of another warp before it",
                             "a barrier of the warpgroup between the two",
                             "Let the 128 threads meet (bar.sync 1, 128) between the two setmaxnreg. PTX leaves it "
                             "open what happens else."},
    [SANITIZE_LAYOUT] =
        {"SANITIZE_LAYOUT", "bytes are read with another swizzle than a copy has laid them with", "the reader",
         "the copy", "one swizzle for both",
         "Give the descriptor (bits 63:62) or the tensor map of the reader the swizzle of the map of the copy."},
    [SANITIZE_STREAMS] =
        {"SANITIZE_STREAMS",
         "nothing orders two works of streams that access the same bytes of global memory, and one writes", "the work",
         "the other", "an event, or a wait of the host, between the two",
         "Record an event behind the other on its stream (cudaEventRecord) and let the stream of this work wait for it "
         "(cudaStreamWaitEvent) before it is submitted; or submit both to one stream. Two nodes of a graph need an "
         "edge (cudaGraphAddDependencies)."},
    [SANITIZE_STREAM_FREED] =
        {"SANITIZE_STREAM_FREED", "memory may be freed while work of another stream still uses it", "the free",
         "the work", "an event, or a wait of the host, between the work and the free",
         "Free it on the stream of the work, or record an event behind the work (cudaEventRecord) and let the stream "
         "of the free wait for it (cudaStreamWaitEvent)."},
    [SANITIZE_STREAM_NEW] =
        {"SANITIZE_STREAM_NEW", "memory may be used before the stream that allocates it has come to that", "the work",
         "the allocation", "an event, or a wait of the host, between the allocation and the work",
         "Use it on the stream of cudaMallocAsync, or record an event behind the allocation (cudaEventRecord) and let "
         "the stream of the work wait for it (cudaStreamWaitEvent)."},
    [SANITIZE_HOST] = {"SANITIZE_HOST", "the host accesses memory that work of a stream still uses", "the access",
                       "the work", "a wait of the host for the work",
                       "Wait before the access: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize."},
    [SANITIZE_SMALL_COPY_FENCE] =
        {"SANITIZE_SMALL_COPY_FENCE", "fence.proxy.async is missing between a cp.async and an operation",
         "the operation", "the cp.async", "a fence of the async proxy between the two",
         "cp.async writes in the generic proxy: execute fence.proxy.async.shared::cta behind its wait. Some libraries "
         "leave it out."},
    [SANITIZE_PRODUCT_WARPS] =
        {"SANITIZE_PRODUCT_WARPS",
         "bytes may be overwritten that a wgmma still reads: not all of its warps have waited", "the write",
         "the wgmma", "a wait for the wgmma by each of its warps, which the writer then acquires",
         "Let each of the four warps arrive behind its wgmma.wait_group, or let them meet (bar.sync of 128 threads) "
         "before "
         "one of them arrives. An H200 ends the products of each warp apart. Some libraries let one warp arrive."},
    [SANITIZE_IN_STEP] =
        {"SANITIZE_IN_STEP", "two accesses are ordered only if lanes of a warp run in step", "the access", "the other",
         SANITIZE_LANES_MEET,
         "Put __syncwarp() (bar.warp.sync) before one lane arrives, releases or issues for all, and behind its wait."},
    [SANITIZE_GUESS] =
        {"SANITIZE_GUESS",
         "a plain read of what others change by atomics, which an atomic of the same thread then checks", "the access",
         "the other", "a read that is an atomic access itself",
         "Read by ld.relaxed.gpu (volatile, or cuda::atomic_ref), as the compiler may do a plain read twice. The "
         "atomic (atom.cas, min or max) takes an old value for a guess."},
    [SANITIZE_UNWRITTEN] = {"SANITIZE_UNWRITTEN", "a thread reads shared memory that nothing has written", "the read",
                            NULL, "a write to the bytes by a thread or a copy",
                            "Write it first, or do not read it: shared memory holds what another CTA left there."},
    [SANITIZE_GLOBAL_UNWRITTEN] =
        {"SANITIZE_GLOBAL_UNWRITTEN", "a thread reads memory of cudaMalloc that nothing has written", "the read", NULL,
         "a write to the bytes by the host, a copy or a kernel",
         "Write it first (cudaMemset, cudaMemcpy): on a GPU it holds what was there before, here it is 0."},
    [SANITIZE_BARRIER_RANK] =
        {"SANITIZE_BARRIER_RANK", "an operation names an mbarrier of another CTA than its destination's",
         "the operation", NULL, "mapa of the same rank for both",
         "Pass the mbarrier of the CTA whose memory is written. An H200 ignores the rank of the mbarrier and tells the "
         "one at that offset there."},
    [SANITIZE_LINEAR] = {"SANITIZE_LINEAR", "threads access as if it had no swizzle what a tensor copy swizzles",
                         "the reader", "who laid it", "the same swizzle in the addresses of the threads",
                         "Compute the addresses with the swizzle of the map (of 128 bytes: chunk of 16 bytes ^ line of "
                         "128 bytes % 8), or "
                         "encode the map without one. Where the order does not matter, as in a sum, nothing is wrong."},
    [SANITIZE_SIZES] = {"SANITIZE_SIZES",
                        "two strong accesses of different sizes to the same bytes, and one is a write", "the access",
                        "the other", "an order, or one size for both",
                        "Access the bytes with one size everywhere. PTX takes such a pair for a race, whatever its "
                        "scopes."},
    [SANITIZE_VOLATILE] = {"SANITIZE_VOLATILE", "lanes of a warp exchange bytes by volatile accesses alone",
                           "the access", "the other", "__syncwarp() (bar.warp.sync) between the two",
                           "Put __syncwarp() between them. volatile orders nothing, and since Volta the lanes of a "
                           "warp need not go together."},
    [SANITIZE_SAME_VALUE] = {"SANITIZE_SAME_VALUE",
                             "nothing orders two writes to the same bytes; both wrote the same value in this run",
                             "the write", "the other",
                             "a release by the one thread that the other acquires, of scopes that reach both",
                             "Let one thread write, or use an atomic (st.relaxed.gpu, atomicExch)."},
};

const struct sanitize_text *sanitize_text(enum sanitize_kind kind)
{
    return &kinds[kind];
}

bool sanitize_is_of_lanes(const struct sanitize_finding *finding)
{
    const struct sanitize_side *newer = &finding->newer, *older = &finding->older;
    const bool may_be = finding->kind == SANITIZE_SAME_VALUE || finding->kind == SANITIZE_IN_STEP;
    const bool is_same = may_be && !((newer->flags | older->flags) & SHADOW_ASYNC) && newer->cta == older->cta &&
                         newer->warp == older->warp && !older->is_before;
    return is_same || finding->kind == SANITIZE_LANES || finding->kind == SANITIZE_VOLATILE ||
           finding->kind == SANITIZE_UPDATE;
}

const char *sanitize_missing(const struct sanitize_finding *finding)
{
    if (finding->is_parted) return SANITIZE_LANES_MEET;
    const bool may_be = finding->kind == SANITIZE_SAME_VALUE || finding->kind == SANITIZE_IN_STEP;
    return kinds[may_be && sanitize_is_of_lanes(finding) ? SANITIZE_LANES : finding->kind].missing;
}

const char *sanitize_advice(const struct sanitize_finding *finding)
{
    if (finding->kind == SANITIZE_IN_STEP && sanitize_is_of_lanes(finding)) return kinds[SANITIZE_LANES].advice;
    return finding->is_parted
               ? "Put __syncwarp() (bar.warp.sync) between them: a release covers what its own lane did, "
                 "and a wait tells its own lane."
               : kinds[finding->kind].advice;
}

bool sanitize_has_rule(const char *id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].id != NULL && strcmp(kinds[i].id, id) == 0) return true;
    return false;
}

bool sanitize_is_advice(enum sanitize_kind kind)
{
    return kind >= SANITIZE_SMALL_COPY_FENCE;
}
