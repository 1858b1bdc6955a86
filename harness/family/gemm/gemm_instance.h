// SPDX-License-Identifier: MIT
// The GEMM kernels that are compiled, one row each, for whoever chooses one, launches it or says its name.
#ifndef TMAREF_GEMM_INSTANCE_H
#define TMAREF_GEMM_INSTANCE_H

#include "gemm/gemm_job.h"

// "bf16", "f16", "e4m3", "e5m2", "f32" and NULL, by enum gemm_type.
extern const char *const gemm_type_names[];

// The row of an instance, < gemm_instance_count(): those of gemm_job.h, then the baseline of cp_async_job.h.
const struct gemm_instance *gemm_instance_row(uint32_t instance);
uint32_t gemm_instance_count(void);

#endif
