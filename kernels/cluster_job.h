// SPDX-License-Identifier: MIT
// What the host hands to kernels/cluster.cu and what it gets back: plain C, the same bytes on both sides. The steps of
// a program are the model's struct cluster_step.
#ifndef TMAREF_CLUSTER_JOB_H
#define TMAREF_CLUSTER_JOB_H

#include "../model/sync/cluster_op.h"

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
