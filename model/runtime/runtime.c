// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

#include "missing_why.h"
#include "runtime_error.h"

static _Thread_local enum cudaError last_error;
static _Thread_local int is_ready;

// What the driver says of the current context, and does nothing else.
static enum cuda_result state_of_current(void)
{
    return cuCtxGetStreamPriorityRange(NULL, NULL);
}

// Was the current context destroyed, as the primary one by a reset?
static int is_gone(void)
{
    return state_of_current() == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Counted once, when the runtime begins at the latest: a child of fork(), which has no driver, still knows.
enum cuda_result runtime_count(int *count)
{
    static int known;
    if (count == NULL) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = known > 0 ? CUDA_SUCCESS : cuInit(0);
    if (error == CUDA_SUCCESS && known == 0) error = cuDeviceGetCount(&known);
    if (error == CUDA_SUCCESS) *count = known;
    return error;
}

enum cudaError runtime_ready(void)
{
    int devices;
    struct CUctx_st *context;
    if (is_ready && cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL && !is_gone()) return cudaSuccess;
    enum cuda_result error = cuInit(0);
    if (error == CUDA_SUCCESS) error = runtime_count(&devices);
    if (error == CUDA_SUCCESS) error = cuCtxGetCurrent(&context);
    const int is_new = error == CUDA_SUCCESS && (context == NULL || is_gone());
    struct CUctx_st *const was = is_new ? context : NULL;
    if (is_new) error = cuDevicePrimaryCtxRetain(&context, 0);
    if (error == CUDA_SUCCESS) error = cuCtxSetCurrent(context);
    if (is_new && error == CUDA_SUCCESS && state_of_current() != CUDA_SUCCESS) {
        cuCtxSetCurrent(was); // a device on which a kernel failed is of no more use, whatever the process resets
        return cudaErrorDevicesUnavailable;
    }
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    is_ready = 1;
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
    const char *quiet = getenv("TMAREF_QUIET"); // the driver's option
    const int is_quiet = quiet != NULL && strcmp(quiet, "1") == 0;
    if (!*was_told && !is_quiet) {
        *was_told = 1;
        fflush(stdout);
        fprintf(stderr, "tmaref: %s: tmaref exec does not have this call; it answers 801%s\n", name, missing_why(name));
    }
    return (int)runtime_keep(cudaErrorNotSupported);
}

RUNTIME_VISIBLE enum cudaError cudaPeekAtLastError(void)
{
    return last_error;
}

// An error of a kernel comes again with the next call that needs the device.
RUNTIME_VISIBLE enum cudaError cudaGetLastError(void)
{
    const enum cudaError error = last_error;
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
    return runtime_error_text((int)error);
}
