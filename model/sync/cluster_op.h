// SPDX-License-Identifier: MIT
// One step of a program that runs on the CTAs of a cluster, as plain data: the same bytes go to the model and to the
// kernel, so this file is C and CUDA and includes nothing of ours. What a step does: cluster_step.h.
#ifndef TMAREF_CLUSTER_OP_H
#define TMAREF_CLUSTER_OP_H

#include <stdint.h>

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

// What red and atom do: X(id, PTX, bytes, does red have it too). `cas` compares with `compare`.
#define CLUSTER_FUNCTIONS(X)                                                                                           \
    X(ADD_U32, "add.u32", 4, 1)                                                                                        \
    X(MIN_U32, "min.u32", 4, 1)                                                                                        \
    X(MAX_U32, "max.u32", 4, 1)                                                                                        \
    X(MIN_S32, "min.s32", 4, 1)                                                                                        \
    X(MAX_S32, "max.s32", 4, 1)                                                                                        \
    X(INC_U32, "inc.u32", 4, 1)                                                                                        \
    X(DEC_U32, "dec.u32", 4, 1)                                                                                        \
    X(AND_B32, "and.b32", 4, 1)                                                                                        \
    X(OR_B32, "or.b32", 4, 1)                                                                                          \
    X(XOR_B32, "xor.b32", 4, 1)                                                                                        \
    X(ADD_U64, "add.u64", 8, 1)                                                                                        \
    X(EXCH_B32, "exch.b32", 4, 0)                                                                                      \
    X(EXCH_B64, "exch.b64", 8, 0)                                                                                      \
    X(CAS_B32, "cas.b32", 4, 0)                                                                                        \
    X(CAS_B64, "cas.b64", 8, 0)

#define CLUSTER_ENUMERATOR(id, ptx, bytes, is_red) CLUSTER_##id,
enum cluster_function { CLUSTER_FUNCTIONS(CLUSTER_ENUMERATOR) CLUSTER_FUNCTION_COUNT };
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
    uint32_t function;     // enum cluster_function: red and atom
    uint32_t size_bytes;   // ld, st, st.async, bulk, multicast and the stores at exit
    uint32_t offset_bytes; // of the data operand, from the start of the data
    uint32_t barrier;      // which of the target's four
    uint32_t skew_bytes;   // added to the barrier's address, 0 .. 7
    uint64_t operand;      // value, count or bytes; the offset of the source in the arena for multicast
    uint64_t compare;      // cas
    uint32_t meeting;      // enum cluster_meeting
    uint32_t zero;
};

#endif
