// SPDX-License-Identifier: MIT
// A misuse job on the model: which rule it breaks, and what it does to memory if none. It sees nothing but the job and
// the memories.
#ifndef TMAREF_MISUSE_MODEL_H
#define TMAREF_MISUSE_MODEL_H

#include "memory.h"
#include "misuse_job.h"
#include "rule.h"

// What a job can reach: the issuing CTA's shared memory, the job's own global memory (read and write), and the arena,
// which is only read. `maps` is the address of the job's own map.
struct misuse_memory {
    struct memory shared, own;
    const struct memory *arena;
    uint64_t maps;
};

// Runs `job` on memory that misuse_prepare() filled. `value` takes what the instruction writes to its register.
//   returns  RULE_OK or the first rule broken, in the hardware's order; memory is then as before
enum rule misuse_run(const struct misuse_job *job, const struct misuse_memory *memory, uint64_t *value);

// Fills both memories as the kernel does before it issues, and reads them as it does after: the output but for `value`.
void misuse_prepare(const struct misuse_job *job, const struct misuse_memory *memory);
void misuse_dump(const struct misuse_job *job, const struct misuse_memory *memory, struct misuse_output *output);

#endif
