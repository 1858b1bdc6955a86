// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <stdatomic.h>
#include <stdio.h>

static _Thread_local enum cudaError last_error;
static _Thread_local unsigned ready_for; // one more than the resets there had been, 0: not yet
static atomic_uint resets;

// Is this thread one that used the device before it was reset, and nobody uses it since?
static int is_reset(void)
{
    unsigned flags;
    int is_active = 0;
    return ready_for != 0 && cuDevicePrimaryCtxGetState(0, &flags, &is_active) == CUDA_SUCCESS && !is_active;
}

int runtime_reset(void)
{
    const enum cuda_result error = cuDevicePrimaryCtxReset_v2(0);
    if (error == CUDA_SUCCESS) resets++;
    return (int)error;
}

enum cudaError runtime_ready(void)
{
    struct CUctx_st *context;
    const unsigned now = resets + 1;
    if (ready_for == now && cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL) return cudaSuccess;
    enum cuda_result error = cuInit(0);
    if (error == CUDA_SUCCESS) error = cuCtxGetCurrent(&context);
    if (error == CUDA_SUCCESS && (context == NULL || is_reset())) error = cuDevicePrimaryCtxRetain(&context, 0);
    if (error == CUDA_SUCCESS) error = cuCtxSetCurrent(context);
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    ready_for = now;
    runtime_place_managed();
    return cudaSuccess;
}

enum cudaError runtime_keep(int error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = (enum cudaError)error;
    return (enum cudaError)error;
}

int runtime_missing(const char *name, int *was_told)
{
    if (!*was_told) {
        *was_told = 1;
        fflush(stdout);
        fprintf(stderr, "tmaref: %s: tmaref exec does not have this call; it answers 801\n", name);
    }
    return (int)runtime_keep(cudaErrorNotSupported);
}

// An error of a kernel stays: the driver says it again with every call.
static enum cudaError sticky_error(void)
{
    return ready_for != 0 ? (enum cudaError)cuCtxSynchronize() : cudaSuccess;
}

RUNTIME_VISIBLE enum cudaError cudaPeekAtLastError(void)
{
    const enum cudaError sticky = sticky_error();
    return sticky != cudaSuccess ? sticky : last_error;
}

RUNTIME_VISIBLE enum cudaError cudaGetLastError(void)
{
    const enum cudaError error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

RUNTIME_VISIBLE const char *cudaGetErrorName(enum cudaError error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(number, driver, runtime, text)                                                                  \
    case number:                                                                                                       \
        return #runtime;
#define RUNTIME_ERROR_ROW(number, name, text)                                                                          \
    case number:                                                                                                       \
        return #name;
#include "errors.def"
    default:
        return "unrecognized error code";
    }
}

RUNTIME_VISIBLE const char *cudaGetErrorString(enum cudaError error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(number, driver, runtime, text)                                                                  \
    case number:                                                                                                       \
        return text;
#define RUNTIME_ERROR_ROW(number, name, text)                                                                          \
    case number:                                                                                                       \
        return text;
#include "errors.def"
    default:
        return "unrecognized error code";
    }
}
