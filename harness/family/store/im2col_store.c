// SPDX-License-Identifier: MIT
// Family "im2col_store": one im2col store or reduction. What it shares with the tiled ones is in store.c, the kernel
// too.
#include "family.h"
#include "store_case.h"

const struct family family_im2col_store = {
    .name = "im2col_store",
    .summary = "cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, im2col_no_offs: global memory around all that is "
               "written",
    .case_bytes = sizeof(struct store_case),
    .generate = im2col_store_generate,
    .fields = &im2col_store_fields,
    .windows = store_windows,
    .run_model = store_run_model,
    .jobs = &store_jobs,
    .kernels = "store",
    .explain = store_explain,
    .feature = store_feature,
};
