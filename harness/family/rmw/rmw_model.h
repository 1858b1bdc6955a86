// SPDX-License-Identifier: MIT
// What a kernel of rmw.cu does, from its job alone: CTA by CTA, made of the model's bulk copies, cp.async and
// mbarriers.
#ifndef TMAREF_RMW_MODEL_H
#define TMAREF_RMW_MODEL_H

#include "memory.h"
#include "rmw_job.h"
#include "rule.h"

// What carries a tile to shared memory. Only the first looks at addresses: they are multiples of 16, or it faults.
enum rmw_path {
    RMW_BULK,     // cp.async.bulk, counted in bytes by the barrier
    RMW_CP_ASYNC, // cp.async of 4 or 8 bytes, counted by cp.async.mbarrier.arrive
    RMW_PLAIN,    // loads and stores of the thread that calls
};

// cuda::memcpy_async chooses by the alignment of the type, or of the aligned_size_t where there is one, when it is
// compiled; it never looks at the addresses (CCCL 3.0, cuda/__memcpy_async).
enum rmw_path rmw_path(enum rmw_form form, enum rmw_type type);

// Bytes of an element, which are its alignment too.
uint32_t rmw_element_bytes(enum rmw_type type);

// Element + 1, as the SM computes it: integers wrap, floats round to nearest even and keep subnormals.
void rmw_add_1(enum rmw_type type, uint8_t *element);

// The whole grid, CTA after CTA.
//   job      `data` is an address in `global`; `before`, `after` and `log` are addresses of this process
//   returns  RULE_OK or the first rule broken; what was written until then stays
enum rule rmw_model(enum rmw_form form, enum rmw_type type, uint32_t threads, const struct rmw_job *job,
                    const struct memory *global);

#endif
