// SPDX-License-Identifier: MIT
// Launches of the time before cuLaunchKernel: a function keeps its block's shape and its parameters.
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "driver.h"

enum { PARAMETERS_MOST_BYTES = 4096, MOST_THREADS = 1024, MOST_DEEP = 64, MOST_SHARED_BYTES = 232448 };

struct old_launch {
    unsigned block[3], shared_bytes, bytes;
    unsigned char parameters[PARAMETERS_MOST_BYTES];
};

// What the function keeps, made when it is first asked for; NULL if there is no memory.
static struct old_launch *launch_of(struct CUfunc_st *function)
{
    if (function->old != NULL) return function->old;
    function->old = calloc(1, sizeof *function->old);
    if (function->old != NULL) memcpy(function->old->block, (unsigned[]){1, 1, 1}, sizeof function->old->block);
    return function->old;
}

static enum cuda_result check(struct driver *driver, struct CUfunc_st *function)
{
    if (driver_usable(driver) != CUDA_SUCCESS) return driver_usable(driver);
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    return launch_of(function) != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_VISIBLE enum cuda_result cuFuncSetBlockShape(struct CUfunc_st *function, int x, int y, int z)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, function);
    if (error != CUDA_SUCCESS) return error;
    if (x <= 0 || y <= 0 || z <= 0 || x > MOST_THREADS || y > MOST_THREADS || z > MOST_DEEP)
        return CUDA_ERROR_INVALID_VALUE;
    if (x * y * z > MOST_THREADS) return CUDA_ERROR_INVALID_VALUE;
    memcpy(function->old->block, (unsigned[]){(unsigned)x, (unsigned)y, (unsigned)z}, sizeof function->old->block);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuFuncSetSharedSize(struct CUfunc_st *function, unsigned bytes)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, function);
    if (error != CUDA_SUCCESS) return error;
    if (bytes > MOST_SHARED_BYTES) return CUDA_ERROR_INVALID_VALUE;
    function->old->shared_bytes = bytes;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuParamSetSize(struct CUfunc_st *function, unsigned bytes)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, function);
    if (error != CUDA_SUCCESS) return error;
    if (bytes > PARAMETERS_MOST_BYTES) return CUDA_ERROR_INVALID_VALUE;
    function->old->bytes = bytes;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuParamSetv(struct CUfunc_st *function, int offset, void *from, unsigned bytes)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, function);
    if (error != CUDA_SUCCESS) return error;
    if (offset < 0 || offset > PARAMETERS_MOST_BYTES || bytes > PARAMETERS_MOST_BYTES - (unsigned)offset)
        return CUDA_ERROR_INVALID_VALUE;
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    memcpy(function->old->parameters + offset, from, bytes);
    return CUDA_SUCCESS;
}

DRIVER_CALL(cuParamSeti, (struct CUfunc_st * function, int offset, unsigned value),
            cuParamSetv(function, offset, &value, sizeof value))
DRIVER_CALL(cuParamSetf, (struct CUfunc_st * function, int offset, float value),
            cuParamSetv(function, offset, &value, sizeof value))

DRIVER_VISIBLE enum cuda_result cuLaunchGridAsync(struct CUfunc_st *function, int width, int height,
                                                  struct CUstream_st *stream)
{
    enum { END, POINTER, BYTES };
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, function);
    if (error != CUDA_SUCCESS) return error;
    if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
    struct old_launch *old = function->old;
    size_t bytes = old->bytes;
    void *extra[] = {(void *)POINTER, old->parameters, (void *)BYTES, &bytes, (void *)END};
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, old->block[0], old->block[1], old->block[2],
                          old->shared_bytes, stream, NULL, extra);
}

DRIVER_CALL(cuLaunchGrid, (struct CUfunc_st * function, int width, int height),
            cuLaunchGridAsync(function, width, height, NULL))
DRIVER_CALL(cuLaunch, (struct CUfunc_st * function), cuLaunchGrid(function, 1, 1))
