// SPDX-License-Identifier: MIT
// What prefetch.cu does, from its job alone: CTA by CTA, made of the model's bulk copies and mbarriers.
#ifndef TMAREF_PREFETCH_MODEL_H
#define TMAREF_PREFETCH_MODEL_H

#include "memory.h"
#include "prefetch_job.h"
#include "rule.h"

// The whole grid, CTA after CTA.
//   job      `source` and `destination` are addresses in the two memories, which may be one; `barriers` and `shared`
//            are addresses of this process
//   returns  RULE_OK or the first rule broken; what was written until then stays
enum rule prefetch_model(uint32_t ctas, const struct prefetch_job *job, const struct memory *source,
                         const struct memory *destination);

#endif
