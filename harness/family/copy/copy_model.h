// SPDX-License-Identifier: MIT
// What a launch of a kernel of copy.cu does, composed of loads, stores and multicasts of the model: one CTA, or
// cluster, after the other. The family runs it.
#ifndef TMAREF_COPY_MODEL_H
#define TMAREF_COPY_MODEL_H

#include "copy_job.h"
#include "memory.h"
#include "rule.h"
#include "tensormap.h"

// The launch beside its job. `cluster` 0: without the attribute. `map` is what CTAs load from or store to, `to` the
// destination of copy_tiles and copy_ring. Loads read `source`; stores write `destination`.
struct copy_machine {
    uint32_t grid[3], cluster[3];
    uint32_t shared_bytes;
    struct tensormap map, to;
    const struct memory *source, *destination;
};

// The kernels of the same names. The job's `output` and `words` are addresses in this process, and what lies there is
// as after the kernel. Return RULE_OK, or the first rule that a CTA breaks.
enum rule copy_model_load(const struct copy_machine *machine, const struct copy_job *job); // and copy_multicast
enum rule copy_model_store(const struct copy_machine *machine, const struct copy_job *job);
enum rule copy_model_tiles(const struct copy_machine *machine, const struct copy_job *job); // and copy_ring
enum rule copy_model_stream(const struct copy_machine *machine, const struct copy_job *job);

enum rule copy_model_bytes(const struct copy_machine *machine, const struct copy_flat *job);
enum rule copy_model_vector(const struct copy_machine *machine, const struct copy_flat *job);
enum rule copy_model_vector_add(const struct copy_machine *machine, const struct copy_flat *job);

#endif
