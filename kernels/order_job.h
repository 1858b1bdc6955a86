// SPDX-License-Identifier: MIT
// What the order kernels and the harness agree on: a job makes many tries of one pattern, in which something is
// overwritten and read with one fence or scope, or without it, and counts the tries in which a word was from the wrong
// side. Plain C, included by both.
#ifndef TMAREF_ORDER_JOB_H
#define TMAREF_ORDER_JOB_H

#include <stdint.h>

#ifdef __CUDACC__
#define ORDER_DEVICE __device__
#else
#define ORDER_DEVICE
#endif

enum {
    ORDER_THREADS = 512,
    ORDER_PARTY = 256,    // the most threads that take part in a pattern; the warp behind them is the producer
    ORDER_PRODUCER = 256, // its first thread
    ORDER_HELPERS = 288,  // from here on, threads that disturb
    ORDER_MOST_BYTES = 16384,
    ORDER_WORDS_EACH = 16, // the most that a thread keeps in registers: ORDER_MOST_BYTES / 4 / ORDER_PARTY
    ORDER_DISTURBANCES = 48,
    ORDER_MOST_CTAS = 1024,
    ORDER_PRODUCT_THREADS = 128,
    ORDER_PRODUCT_BYTES = 2048,
    ORDER_JUNK_BYTES = 4096,
    ORDER_SHARED_BYTES = 2 * ORDER_MOST_BYTES + ORDER_JUNK_BYTES + 512, // struct memories of order.cu
};

// The patterns, each with a kernel: id, kernel, CTAs of its cluster (0: none).
//   STORE   threads write shared memory, and meet; a bulk store takes it
//   ALONE   the same by one thread
//   PRODUCT threads write shared memory, and meet; a wgmma takes it
//   LOAD    threads write global memory, and meet; a bulk load takes it
//   FLAG    the same, of what another CTA has written and told by a flag
//   ARRIVE  threads write another CTA's shared memory, and arrive there
//   THIRD   the same, in a CTA that is neither theirs nor the one that they tell
//   READ    threads read another CTA's shared memory, and arrive there; it is overwritten
//   OWN     threads read shared memory, and arrive or meet; a bulk load overwrites it
//   WAIT    a bulk store, a wait, and a read of what it has stored
#define ORDER_PATTERNS(X)                                                                                              \
    X(STORE, order_store, 0)                                                                                           \
    X(ALONE, order_alone, 0)                                                                                           \
    X(PRODUCT, order_product, 0)                                                                                       \
    X(LOAD, order_load, 0)                                                                                             \
    X(FLAG, order_flag, 2)                                                                                             \
    X(ARRIVE, order_arrive, 2)                                                                                         \
    X(THIRD, order_third, 3)                                                                                           \
    X(READ, order_read, 2)                                                                                             \
    X(OWN, order_own, 0)                                                                                               \
    X(WAIT, order_wait, 0)

// What orders: nothing; a proxy fence by the writers (readers) or by the thread that issues; __threadfence; the scope
// of an arrive; .read; bar.sync in place of an arrive.
enum order_guard {
    ORDER_GUARD_NOTHING,
    ORDER_GUARD_WRITERS,
    ORDER_GUARD_ISSUER,
    ORDER_GUARD_THREADFENCE,
    ORDER_GUARD_CTA,
    ORDER_GUARD_RELAXED,
    ORDER_GUARD_CLUSTER,
    ORDER_GUARD_CLUSTER_WAIT_CTA, // an arrive of the cluster, a wait of the CTA
    ORDER_GUARD_CLUSTER_FENCED,   // an arrive of the cluster, and a proxy fence by the thread that issues
    ORDER_GUARD_MEETING,          // bar.sync
    ORDER_GUARD_MEETING_FENCED,
};

// Who overwrites in READ.
enum { ORDER_NEVER, ORDER_MAY };

enum order_by { ORDER_BY_THREADS, ORDER_BY_LOAD, ORDER_BY_COPY };

// All that is tried: id, name in cases, pattern, guard, by whom, whether a try may go wrong by the memory model, and
// the litmus test (of tests/litmus, or that generate.py there writes) that is the same in small and that the model
// decides.
#define ORDER_TRIES(X)                                                                                                 \
    X(STORE_NOTHING, "store", STORE, NOTHING, THREADS, MAY, "store-barsync-none")                                      \
    X(STORE_WRITERS, "store, writers fence", STORE, WRITERS, THREADS, NEVER, "store-barsync-writer")                   \
    X(STORE_ISSUER, "store, issuer fences", STORE, ISSUER, THREADS, NEVER, "store-barsync-reader")                     \
    X(ALONE_NOTHING, "store of one thread", ALONE, NOTHING, THREADS, MAY, "alone-store-none")                          \
    X(ALONE_FENCE, "store of one thread, fence", ALONE, WRITERS, THREADS, NEVER, "alone-store-fence-proxy-async")      \
    X(PRODUCT_NOTHING, "wgmma", PRODUCT, NOTHING, THREADS, MAY, "wgmma-of-another-writer-without-fence")               \
    X(PRODUCT_WRITERS, "wgmma, writers fence", PRODUCT, WRITERS, THREADS, NEVER, "wgmma-of-another-writer")            \
    X(LOAD_NOTHING, "load", LOAD, NOTHING, THREADS, MAY, "load-cta-barsync-none")                                      \
    X(LOAD_WRITERS, "load, writers fence", LOAD, WRITERS, THREADS, NEVER, "load-cta-barsync-writer")                   \
    X(LOAD_THREADFENCE, "load, threadfence", LOAD, THREADFENCE, THREADS, MAY, "load-cta-barsync-threadfence")          \
    X(FLAG_NOTHING, "load behind a flag", FLAG, NOTHING, THREADS, MAY, "load-gpu-flag-release-gpu-none")               \
    X(FLAG_ISSUER, "load behind a flag, issuer fences", FLAG, ISSUER, THREADS, NEVER,                                  \
      "load-gpu-flag-release-gpu-reader")                                                                              \
    X(ARRIVE_CTA, "write, arrive.cta", ARRIVE, CTA, THREADS, MAY, "message-cluster-shared-mbar-release-acquire-cta")   \
    X(ARRIVE_RELAXED, "write, arrive.relaxed", ARRIVE, RELAXED, THREADS, MAY,                                          \
      "message-cluster-shared-mbar-relaxed-acquire-cluster")                                                           \
    X(ARRIVE_CLUSTER, "write, arrive.cluster", ARRIVE, CLUSTER, THREADS, NEVER,                                        \
      "message-cluster-shared-mbar-release-acquire-cluster")                                                           \
    X(ARRIVE_WAIT_CTA, "write, arrive.cluster, wait.cta", ARRIVE, CLUSTER_WAIT_CTA, THREADS, MAY,                      \
      "remote-arrive-wait-cta-scope")                                                                                  \
    X(THIRD_CTA, "write to a third CTA, arrive.cta", THIRD, CTA, THREADS, MAY, "third-mbar-release-acquire-cta")       \
    X(THIRD_CLUSTER, "write to a third CTA, arrive.cluster", THIRD, CLUSTER, THREADS, NEVER,                           \
      "third-mbar-release-acquire-cluster")                                                                            \
    X(READ_CTA, "remote read, arrive.cta", READ, CTA, THREADS, MAY, "refill-cluster-thread-mbar-release-acquire-cta")  \
    X(READ_RELAXED, "remote read, arrive.relaxed", READ, RELAXED, THREADS, MAY,                                        \
      "refill-cluster-thread-mbar-relaxed-acquire-cluster")                                                            \
    X(READ_CLUSTER, "remote read, arrive.cluster", READ, CLUSTER, THREADS, NEVER,                                      \
      "refill-cluster-thread-mbar-release-acquire-cluster")                                                            \
    X(READ_LOAD_CTA, "remote read, arrive.cta, load", READ, CTA, LOAD, MAY,                                            \
      "refill-cluster-bulk-mbar-release-acquire-cta")                                                                  \
    X(READ_LOAD_CLUSTER, "remote read, arrive.cluster, load", READ, CLUSTER, LOAD, MAY,                                \
      "refill-cluster-bulk-mbar-release-acquire-cluster")                                                              \
    X(READ_LOAD_FENCED, "remote read, arrive.cluster, fence, load", READ, CLUSTER_FENCED, LOAD, NEVER,                 \
      "refill-cluster-bulk-mbar-release-acquire-cluster-writer")                                                       \
    X(READ_COPY_CTA, "remote read, arrive.cta, copy", READ, CTA, COPY, MAY,                                            \
      "refill-cluster-bulk-mbar-release-acquire-cta")                                                                  \
    X(READ_COPY_FENCED, "remote read, arrive.cluster, fence, copy", READ, CLUSTER_FENCED, COPY, NEVER,                 \
      "refill-cluster-bulk-mbar-release-acquire-cluster-writer")                                                       \
    X(OWN_ARRIVE, "read, arrive, load", OWN, NOTHING, THREADS, MAY, "refill-cta-bulk-mbar-release-acquire-cta")        \
    X(OWN_FENCED, "read, arrive, fence, load", OWN, ISSUER, THREADS, NEVER,                                            \
      "refill-cta-bulk-mbar-release-acquire-cta-writer")                                                               \
    X(OWN_MEETING, "read, bar.sync, load", OWN, MEETING, THREADS, MAY, "refill-cta-bulk-barsync")                      \
    X(OWN_MEETING_FENCED, "read, bar.sync, fence, load", OWN, MEETING_FENCED, THREADS, NEVER,                          \
      "refill-cta-bulk-barsync-writer")                                                                                \
    X(WAIT_READ, "wait_group.read", WAIT, NOTHING, THREADS, MAY, "alone-after-wait_group-read")                        \
    X(WAIT_ALL, "wait_group", WAIT, WRITERS, THREADS, NEVER, "alone-after-wait_group")

enum order_pattern {
#define ID(id, kernel, cluster) ORDER_##id,
    ORDER_PATTERNS(ID)
#undef ID
        ORDER_PATTERN_COUNT
};

enum order_try {
#define ID(id, name, pattern, guard, by, may, litmus) ORDER_TRY_##id,
    ORDER_TRIES(ID)
#undef ID
        ORDER_TRY_COUNT
};

// `output`: where the result goes, in words: how many tries had a word of the wrong side, and how many had a word of
// neither side. `bytes` are written or read by `threads` threads, word after word, or (`conflicts`) so that the lanes
// of a warp are `bytes` / 128 words apart. `traffic`: the other warps write shared memory meanwhile, of a cluster also
// that of the next CTA.
struct order_job {
    uint64_t output;
    uint32_t guard, by, bytes, threads, conflicts, traffic, tries, seed;
};

enum { ORDER_OUTPUT_WORDS = 2 };

// The word of number `at` after the `round`-th time that it was written. The words of a round differ from those of the
// one before in every place.
ORDER_DEVICE static inline uint32_t order_word(uint32_t seed, uint32_t at, uint32_t round)
{
    uint32_t bits = (at + 1) * 0x9e3779b1u ^ seed;
    bits = (bits ^ bits >> 16) * 0x7feb352du;
    return (bits ^ bits >> 15) + round;
}

#endif
