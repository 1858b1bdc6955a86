// SPDX-License-Identifier: MIT
// What latency.cu and the host agree on: what is measured, and by how much memory. Plain C, included by both.
#ifndef TMAREF_LATENCY_JOB_H
#define TMAREF_LATENCY_JOB_H

#include <stdint.h>

// X(name, what one round is). A round is timed by thread 0 of CTA 0, from before the first instruction until the value
// or the bytes are there; of words and bar.sync the mean of LATENCY_WORDS, one after the other.
#define LATENCY_KINDS(X)                                                                                               \
    X(CLOCK, "two reads of the clock")                                                                                 \
    X(SHARED_WORD, "ld.shared")                                                                                        \
    X(REMOTE_WORD, "ld.shared::cluster from another CTA")                                                              \
    X(GLOBAL_WORD, "ld.global.cg")                                                                                     \
    X(COPY_16, "cp.async of 16 bytes, until wait_all")                                                                 \
    X(BULK_LOAD, "bulk load, until its barrier")                                                                       \
    X(TENSOR_LOAD, "tensor load, until its barrier")                                                                   \
    X(BULK_STORE_READ, "bulk store, until wait_group.read")                                                            \
    X(BULK_STORE, "bulk store, until wait_group")                                                                      \
    X(BULK_REMOTE, "bulk copy to another CTA, half of there and back")                                                 \
    X(SYNCTHREADS, "bar.sync of the CTA")                                                                              \
    X(CLUSTER_SYNC, "barrier.cluster arrive and wait")                                                                 \
    X(CLUSTER_SYNC_RELAXED, "barrier.cluster arrive.relaxed and wait")

enum latency_kind {
#define ROW(name, text) LATENCY_##name,
    LATENCY_KINDS(ROW)
#undef ROW
};

enum {
    LATENCY_ROUNDS = 33,
    LATENCY_WORDS = 32,
    LATENCY_CLOCKS = 128, // in dynamic shared memory the clocks of the rounds lie behind the barrier,
    LATENCY_DATA = 1024,  // and behind them the data
    LATENCY_MOST_BYTES = 1 << 17,
    LATENCY_SHARED_BYTES = LATENCY_DATA + LATENCY_MOST_BYTES,
    LATENCY_ROW_BYTES = 128, // of the tensor map's rows; a box has up to 256 of them
    LATENCY_TENSOR_MOST_BYTES = 256 * LATENCY_ROW_BYTES,
};

// `clocks`: where LATENCY_ROUNDS words go. `from` and `to` hold zeros; round i is at `stride_bytes` * i from there: 0
// for what lies in L2 from the first round on.
struct latency_job {
    uint64_t from, to, clocks;
    uint32_t kind, size_bytes, stride_bytes;
};

#endif
