// SPDX-License-Identifier: MIT
// The simulated libcublas and libcublasLt: what their calls share. They make the driver's public calls and no others.
// Each product is a function of the host that its stream runs. Read numbers.h and product.h first.
#ifndef TMAREF_BLAS_BLAS_H
#define TMAREF_BLAS_BLAS_H

#include "cuda_abi.h"
#include "handle.h"
#include "product.h"
#include "refusal.h"

#define BLAS_VISIBLE __attribute__((visibility("default")))

// cublasStatus_t, as cublas_api.h has it.
enum cublas_status {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
};

enum cublas_operation { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublas_pointer_mode { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };

// What a cublasHandle_t and a cublasLtHandle_t point at; the first may stand for the second.
struct blas_handle {
    struct handle base;
    int pointer_mode, math_mode, atomics_mode, multiprocessors;
};

// NULL if it was never made, or was destroyed; the call returns NOT_INITIALIZED.
struct blas_handle *blas_handle_of(void *handle, const char *call);

// A handle of either library; makes the driver and a context ready.
enum cublas_status blas_create(struct blas_handle **handle);
enum cublas_status blas_destroy(struct blas_handle *handle, const char *call);

// Says on standard error why a call is refused; returns `status`.
#define blas_refuse(...) refusal_as(__VA_ARGS__)

// What a call that no file defines does.
int blas_missing(const char *call, int *was_told);

// The stream runs run(copy of `job`), when all before it is done. In a capture it becomes a node of the graph.
enum cublas_status blas_submit(const char *call, struct CUstream_st *stream, void (*run)(void *job), const void *job,
                               size_t bytes);

// The same for a product whose factors, types and sizes were checked: asks whether its matrices lie in memory of the
// device.
enum cublas_status blas_submit_product(const char *call, struct CUstream_st *stream, const struct product *job);

// Do the matrices of a product that are not of the host lie in memory of the device?
enum cublas_status blas_check_product(const char *call, const struct product *job);

// Is [at, at + bytes) memory that the device may access? `what` names it. EXECUTION_FAILED if not.
enum cublas_status blas_check_memory(const char *call, const char *what, const void *at, size_t bytes);

// cublasComputeType_t without its variants: those with PEDANTIC or FAST compute the same here. -1: there is none.
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72 };
int blas_compute_of(int compute_type);

// The type of alpha and beta; -1 where cuBLAS has no product of these types.
int blas_scale_type(int compute, int a, int b, int c);

// A factor of the host is read now, one of the device when the product runs.
struct factor blas_factor(int pointer_mode, int type, const void *at);

#endif
