// SPDX-License-Identifier: MIT
// What the host hands to kernels/cluster.cu and what it gets back: plain C, the same bytes on both sides. What the
// steps of a program do: the family's cluster_step.h.
#ifndef TMAREF_CLUSTER_JOB_H
#define TMAREF_CLUSTER_JOB_H

#include <stdint.h>

#include "../model/sync/atomic_form.h"

// A CTA's shared memory, by offset: the first 1 KiB is the system's, then four barriers, then the data. Programs see
// the first CLUSTER_DATA_BYTES of the data; only a store to global memory reads what lies behind.
enum {
    CLUSTER_CTAS = 16,
    CLUSTER_MAX_STEPS = 12,
    CLUSTER_BARRIERS = 4,
    CLUSTER_BARRIER_START = 1024,
    CLUSTER_DATA_START = CLUSTER_BARRIER_START + 8 * CLUSTER_BARRIERS + 96,
    CLUSTER_DATA_BYTES = 128,
    CLUSTER_FILLED_BYTES = 16384,
    CLUSTER_SHARED_END = CLUSTER_DATA_START + CLUSTER_FILLED_BYTES,
};

// What a step is, with the name that programs say. Those before init act on the CTA of `target` by shared::cluster.
// exit_warp: warp 1 ends; exit: the CTA ends. The last three store data in global memory (the first by
// cp.async.bulk, the second with a commit, the third by cp.reduce.async.bulk add.u32), wait for nothing and end.
#define CLUSTER_OPCODES(X)                                                                                             \
    X(LD, "ld")                                                                                                        \
    X(ST, "st")                                                                                                        \
    X(RED, "red")                                                                                                      \
    X(ATOM, "atom")                                                                                                    \
    X(ARRIVE, "arrive")                                                                                                \
    X(ARRIVE_DROP, "arrive_drop")                                                                                      \
    X(EXPECT_TX, "expect_tx")                                                                                          \
    X(COMPLETE_TX, "complete_tx")                                                                                      \
    X(ARRIVE_EXPECT_TX, "arrive.expect_tx")                                                                            \
    X(ARRIVE_DROP_EXPECT_TX, "arrive_drop.expect_tx")                                                                  \
    X(ST_ASYNC, "st.async")                                                                                            \
    X(RED_ASYNC, "red.async")                                                                                          \
    X(BULK, "bulk")                                                                                                    \
    X(MULTICAST, "multicast")                                                                                          \
    X(INIT, "init")                                                                                                    \
    X(EXIT_WARP, "exit_warp")                                                                                          \
    X(EXIT, "exit")                                                                                                    \
    X(STORE_EXIT, "store_exit")                                                                                        \
    X(COMMIT_EXIT, "store_commit_exit")                                                                                \
    X(REDUCE_EXIT, "reduce_exit")

#define CLUSTER_ENUMERATOR(id, name) CLUSTER_OP_##id,
enum cluster_opcode { CLUSTER_OPCODES(CLUSTER_ENUMERATOR) CLUSTER_OPS };
#undef CLUSTER_ENUMERATOR

// How the CTAs meet after a step, always by barrier.cluster: all threads at once; warp 1 before the step and warp 0
// after it; half a warp at a time; relaxed, after a fence; with two arrives; with a wait before the arrive.
#define CLUSTER_MEETINGS(X)                                                                                            \
    X(ALIGNED, "aligned")                                                                                              \
    X(SPLIT, "split") X(LANES, "lanes") X(RELAXED, "relaxed") X(TWICE, "twice") X(UNARRIVED, "unarrived")
#define CLUSTER_ENUMERATOR(id, name) CLUSTER_MEET_##id,
enum cluster_meeting { CLUSTER_MEETINGS(CLUSTER_ENUMERATOR) CLUSTER_MEETING_COUNT };
#undef CLUSTER_ENUMERATOR

// `target` | CLUSTER_RING: the CTA that many ranks on, modulo the cluster, a different one for every issuer.
#define CLUSTER_RING UINT32_C(0x100)

struct cluster_step {
    uint32_t opcode;       // enum cluster_opcode
    uint32_t issuers;      // bit r: thread 0 of the CTA of rank r does it
    uint32_t target;       // rank 0 .. 255, or CLUSTER_RING | distance; a mask of ranks for multicast
    uint32_t function;     // enum atomic_function: red and atom
    uint32_t size_bytes;   // ld, st, st.async, bulk, multicast and the stores at exit
    uint32_t offset_bytes; // of the data operand, from the start of the data
    uint32_t barrier;      // which of the target's four
    uint32_t skew_bytes;   // added to the barrier's address, 0 .. 7
    uint64_t operand;      // value, count or bytes; the offset of the source in the arena for multicast
    uint64_t compare;      // cas
    uint32_t meeting;      // enum cluster_meeting
    uint32_t zero;
};

enum { CLUSTER_THREADS = 64 };

#ifdef __CUDACC__
#define CLUSTER_DEVICE __host__ __device__
#else
#define CLUSTER_DEVICE
#endif

// One program. `output`: where its struct cluster_log lies behind the pointer of the launch; then, CLUSTER_CTA_BYTES
// for each CTA, its data and its barriers at its end; then, aligned to 16, what a store at exit writes.
struct cluster_job {
    uint64_t output, global;
    uint32_t seed, count, has_store, zero;
    struct cluster_step step[CLUSTER_MAX_STEPS];
};

enum { CLUSTER_CTA_BYTES = CLUSTER_DATA_BYTES + 8 * CLUSTER_BARRIERS, CLUSTER_GOT_BYTES = 16 };

// What a launch asks every CTA: the answers are in the order of struct cluster_answers.
struct cluster_question {
    uint64_t output;  // a struct cluster_answers for each CTA, x fastest; 0: no answers
    uint64_t offset;  // of a generic address, from the start of the shared window, modulo 2^64
    uint32_t address; // of shared::cluster
    uint32_t rank;
};

struct cluster_answers {
    uint32_t ctaid[3];
    uint32_t clusterid[3], nclusterid[3], cluster_ctaid[3], cluster_nctaid[3];
    uint32_t cluster_ctarank, cluster_nctarank, is_explicit_cluster;
    uint32_t own;                // the address of the start of the CTA's dynamic shared memory, less its offset
    uint32_t mapa, address_rank; // of `address`
    uint32_t generic_rank;       // of the generic address
    uint32_t is_cta, is_cluster; // isspacep of the generic address
    uint64_t generic_mapa;       // less the start of the shared window
};

// The 8 bytes at `offset` of the data of CTA `rank` before the first step; the store at exit finds those of rank 255.
CLUSTER_DEVICE static inline uint64_t cluster_word(uint32_t seed, uint32_t rank, uint32_t offset)
{
    uint64_t x = ((uint64_t)seed << 32 | rank << 24 | offset) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 27);
}

#endif
