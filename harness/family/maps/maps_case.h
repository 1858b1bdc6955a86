// SPDX-License-Identifier: MIT
// A batch of tensors as data, and the way in which their maps reach the kernel that uses them.
#ifndef TMAREF_MAPS_CASE_H
#define TMAREF_MAPS_CASE_H

#include "family.h"
#include "maps_job.h"
#include "result.h"
#include "store_case.h"

// A __grid_constant__ parameter; a __constant__ variable; global memory, written by the host; global memory, written by
// a kernel with tensormap.replace, from a template of the host's or from zeros.
enum maps_way { MAPS_PARAM, MAPS_CONSTANT, MAPS_GLOBAL, MAPS_TEMPLATE, MAPS_ZEROS, MAPS_WAYS };

// `count` (1 to MAPS_BATCH) tensors: of each a box is loaded, changed and stored back. A tensor is a store of the
// family store, which also says what global memory holds before.
struct maps_case {
    uint32_t way, count;
    struct store_case tensor[MAPS_BATCH];
};

// The host's template for maps that a kernel makes: rank 1, UINT8.
struct map_args maps_template(void);

// What is done with tensor `tensor`; addresses in device memory are 0.
struct maps_task maps_task(const struct maps_case *test_case, uint32_t tensor);

// The fields of a tensor's map, as a kernel takes them.
struct maps_fields maps_fields(const struct map_args *args);

// The result's windows, three for each tensor: map, shared memory, global memory, which is at a multiple of 256; and
// what global memory holds before the kernel.
void maps_windows(const void *test_case, struct result *result);
void maps_fill(const void *test_case, const struct result *result);
enum { MAPS_WINDOW_MAP, MAPS_WINDOW_SHARED, MAPS_WINDOW_GLOBAL, MAPS_WINDOWS };

// Runs a case on the model. Returns the first rule broken; shared and global windows are then undefined.
enum rule maps_run(const void *test_case, struct result *result);

int maps_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results);

#endif
