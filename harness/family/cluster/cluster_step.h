// SPDX-License-Identifier: MIT
// Runs programs on the CTAs of a cluster: remote loads, stores, atomics, barrier operations and copies by
// shared::cluster, CTAs that exit early, and stores that nobody waits for. All CTAs meet after every step, so that what
// a step leaves does not depend on who was faster. Each step is made of the model's instructions (cluster_access.h,
// mbarrier_operate.h); here are the names, what a program may say, and what the asynchronous ones deliver.
#ifndef TMAREF_CLUSTER_STEP_H
#define TMAREF_CLUSTER_STEP_H

#include <stdbool.h>

#include "../../../kernels/cluster_job.h"
#include "atomic.h"
#include "cluster.h"
#include "mbarrier_operate.h"

// One CTA: its data, from CLUSTER_DATA_START on, is the caller's memory; its barriers are words, all 0 at the start.
struct cluster_cta {
    uint8_t *data;
    uint64_t word[CLUSTER_BARRIERS];
    bool has_exited;
};

// The cluster, and the global memory that multicast reads (`arena`) and a store at exit writes (`global`). `ctas` is 1
// to 16; `is_cluster` is 0 for a launch without the cluster attribute (then ctas is 1).
struct cluster_machine {
    uint32_t ctas;
    bool is_cluster;
    const struct memory *arena, *global;
    struct cluster_cta cta[CLUSTER_CTAS];
};

// What the issuers of a step got from ld (up to 16 bytes) and atom (the old value); 0 for all others.
struct cluster_answer {
    uint64_t got[CLUSTER_CTAS][2];
};

const char *cluster_opcode_name(uint32_t opcode);
const char *cluster_function_name(uint32_t function);
const char *cluster_meeting_name(uint32_t meeting);

// What operations are and need, as bits of opcodes: stores at exit; asynchronous ones; a data operand with its size and
// offset; a barrier; a function.
enum {
    CLUSTER_STORES_AT_EXIT = 1 << CLUSTER_OP_STORE_EXIT | 1 << CLUSTER_OP_COMMIT_EXIT | 1 << CLUSTER_OP_REDUCE_EXIT,
    CLUSTER_ASYNC = (2 << CLUSTER_OP_MULTICAST) - (1 << CLUSTER_OP_ST_ASYNC),
    CLUSTER_WITH_DATA = ((2 << CLUSTER_OP_ATOM) - 1) | CLUSTER_ASYNC,
    CLUSTER_WITH_BARRIER = (2 << CLUSTER_OP_INIT) - (1 << CLUSTER_OP_ARRIVE),
    CLUSTER_WITH_FUNCTION = 1 << CLUSTER_OP_RED | 1 << CLUSTER_OP_ATOM | 1 << CLUSTER_OP_RED_ASYNC,
};

static inline bool cluster_is(uint32_t opcode, int kinds)
{
    return (1 << opcode & kinds) != 0;
}

// The bytes that a step's data operand takes at its target.
uint32_t cluster_data_bytes(const struct cluster_step *step);

// The rank that `issuer` of a cluster of `ctas` acts on; for multicast the lowest of the mask.
uint32_t cluster_target(const struct cluster_step *step, uint32_t issuer, uint32_t ctas);

// NULL if step `index` of a program of `count` steps can be run by `ctas` CTAs and its result does not depend on who is
// faster, else a sentence that says why not.
const char *cluster_step_illegal(const struct cluster_step *program, int index, int count, uint32_t ctas);

// Runs one legal step.
//   returns  RULE_OK, or the rule whose fault ends the program
//   source   PTX ISA 9.1 "State spaces: shared", mapa, barrier.cluster; traces cluster, cluster_fault
enum rule cluster_step(struct cluster_machine *machine, const struct cluster_step *step, struct cluster_answer *answer);

#endif
