// SPDX-License-Identifier: MIT
// What the files of the stand-in GPU share; see standin_gpu.c.
#ifndef TMAREF_STANDIN_H
#define TMAREF_STANDIN_H

#include <stdint.h>

#include "cuda_abi.h"
#include "late.h"
#include "maps_job.h"
#include "memory.h"
#include "rule.h"

// Does to this process what STANDIN_TROUBLE wants of the case that holds `number`; nothing for any other.
void meet_trouble(uint64_t number);

// The memory that was mapped: the arena.
const struct memory *standin_mapped(void);

// The host's memory that the device may read.
const struct memory *standin_far(void);

// How the kernel that runs was launched, and its name.
const struct cuda_launch_config *standin_config(void);
const char *standin_kernel(void);

// Whether the launch of `function` is itself a case; what is wrong with an attribute that is set for it (and kept), and
// with the launch.
int standin_is_launch(const char *function);
enum rule standin_attribute(const char *function, enum cuda_function_attribute attribute, int value);
enum rule standin_launch(const char *function, const struct cuda_launch_config *config);

// The variables maps_constants of maps.cu and late_wait of late.cuh.
extern struct maps_batch standin_maps_constants;
extern struct late standin_late;

// The kernels that have a file of their own.
enum rule async_jobs(void **parameters);
enum rule bank_jobs(void **parameters);
enum rule bulk_jobs(void **parameters);
enum rule copy_load(void **parameters); // and copy_multicast
enum rule copy_store(void **parameters);
enum rule copy_stream(void **parameters);
enum rule copy_tiles(void **parameters); // and copy_ring
enum rule copy_bytes(void **parameters);
enum rule copy_vector(void **parameters);
enum rule copy_vector_add(void **parameters);
enum rule misuse_jobs(void **parameters);
enum rule maps_encode_template(void **parameters);
enum rule maps_encode_zeros(void **parameters);
enum rule maps_use_constant(void **parameters);
enum rule maps_use_global(void **parameters);
enum rule maps_use_param(void **parameters);
enum rule multicast_jobs(void **parameters);
enum rule diagnose_jobs(void **parameters);
enum rule gemm_kernels(void **parameters);
enum rule gemm_cp_async_kernels(void **parameters);
enum rule gemm_layout_kernels(void **parameters);
enum rule ladder_kernels(void **parameters);
enum rule cluster_launches(void **parameters);
enum rule cluster_programs(void **parameters);
enum rule prefetch_kernel(void **parameters);
enum rule histogram_global(void **parameters);
enum rule histogram_missing(void **parameters);
enum rule histogram_own(void **parameters);
enum rule histogram_sync(void **parameters);
enum rule replace_jobs(void **parameters);
enum rule rmw_kernels(void **parameters);
enum rule softmax_merge_parts_128(void **parameters);
enum rule softmax_merge_parts_64(void **parameters);
enum rule softmax_part_128(void **parameters);
enum rule softmax_part_64(void **parameters);
enum rule softmax_pull_128(void **parameters);
enum rule softmax_pull_64(void **parameters);
enum rule softmax_push_128(void **parameters);
enum rule softmax_push_64(void **parameters);
enum rule store_jobs(void **parameters);
enum rule transpose_1(void **parameters);
enum rule transpose_2(void **parameters);
enum rule transpose_4(void **parameters);
enum rule transpose_8(void **parameters);
enum rule transpose_16(void **parameters);
enum rule transpose_article(void **parameters);
enum rule wgmma_jobs(void **parameters);
enum rule mma_jobs(void **parameters);
enum rule matrix_jobs(void **parameters);
enum rule setmaxnreg_jobs(void **parameters);
enum rule wgmma_order_jobs(void **parameters);

#endif
