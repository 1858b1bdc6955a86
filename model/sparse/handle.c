// SPDX-License-Identifier: MIT
// Handles and their settings, what the library says of itself, and the way of a call to its stream.
#include <stdlib.h>

#include "cuda_api.h"
#include "queue.h"
#include "refusal.h"
#include "sparse.h"

enum { VERSION_MAJOR = 12, VERSION_MINOR = 6, VERSION_PATCH = 3 };

static const struct handle_kind kind = {0x73707273,
                                        "cusparseCreate",
                                        CUSPARSE_STATUS_NOT_INITIALIZED,
                                        CUSPARSE_STATUS_ALLOC_FAILED,
                                        CUSPARSE_STATUS_INVALID_VALUE,
                                        {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH}};

// --- Refusals --------------------------------------------------------------------------------------------------------

int sparse_missing(const char *call, int *was_told)
{
    refusal_missing(call, "CUSPARSE_STATUS_NOT_SUPPORTED (10)", "", was_told);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

enum cusparse_status sparse_require(int holds, const char *call, const char *what)
{
    return holds ? CUSPARSE_STATUS_SUCCESS
                 : sparse_refuse(call, CUSPARSE_STATUS_INVALID_VALUE, "%s has a value that is not allowed", what);
}

// --- Handles ---------------------------------------------------------------------------------------------------------

struct sparse_handle *sparse_handle_of(void *handle, const char *call)
{
    return handle_is(&kind, handle, call) ? handle : NULL;
}

SPARSE_VISIBLE enum cusparse_status cusparseCreate(struct sparse_handle **handle)
{
    return handle_make(&kind, handle, sizeof **handle);
}

SPARSE_VISIBLE enum cusparse_status cusparseDestroy(struct sparse_handle *handle)
{
    return handle_destroy(&kind, handle, __func__);
}

#define SETTING(...) HANDLE_SETTING(SPARSE_VISIBLE enum cusparse_status, kind, struct sparse_handle, __VA_ARGS__)
SETTING(cusparseSetStream, cusparseGetStream, struct CUstream_st *, base.stream, 1)
SETTING(cusparseSetPointerMode, cusparseGetPointerMode, int, pointer_mode, value == MODE_HOST || value == MODE_DEVICE)

// --- What the library is ---------------------------------------------------------------------------------------------

SPARSE_VISIBLE enum cusparse_status cusparseGetVersion(struct sparse_handle *handle, int *version)
{
    (void)handle;
    if (version == NULL) return CUSPARSE_STATUS_INVALID_VALUE;
    *version = VERSION_MAJOR * 1000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_VISIBLE enum cusparse_status cusparseGetProperty(int property, int *value)
{
    return handle_version(&kind, property, value);
}

static const char *const names[] = {
    [CUSPARSE_STATUS_SUCCESS] = "CUSPARSE_STATUS_SUCCESS",
    [CUSPARSE_STATUS_NOT_INITIALIZED] = "CUSPARSE_STATUS_NOT_INITIALIZED",
    [CUSPARSE_STATUS_ALLOC_FAILED] = "CUSPARSE_STATUS_ALLOC_FAILED",
    [CUSPARSE_STATUS_INVALID_VALUE] = "CUSPARSE_STATUS_INVALID_VALUE",
    [CUSPARSE_STATUS_EXECUTION_FAILED] = "CUSPARSE_STATUS_EXECUTION_FAILED",
    [CUSPARSE_STATUS_NOT_SUPPORTED] = "CUSPARSE_STATUS_NOT_SUPPORTED",
};

SPARSE_VISIBLE const char *cusparseGetErrorName(unsigned status)
{
    return status < sizeof names / sizeof names[0] && names[status] != NULL ? names[status] : "unknown";
}

SPARSE_VISIBLE const char *cusparseGetErrorString(unsigned status)
{
    return cusparseGetErrorName(status);
}

// --- The way to the stream -------------------------------------------------------------------------------------------

enum cusparse_status sparse_submit(const struct sparse_handle *handle, const char *call, void (*run)(void *job),
                                   const void *job, size_t bytes)
{
    const enum cuda_result error = queue_run(handle->base.stream, run, job, bytes);
    if (error == CUDA_SUCCESS) return CUSPARSE_STATUS_SUCCESS;
    return sparse_refuse(call, CUSPARSE_STATUS_EXECUTION_FAILED, "the stream refuses work: CUDA error %d", (int)error);
}

enum cusparse_status sparse_wait(const struct sparse_handle *handle, const char *call)
{
    if (queue_is_captured(handle->base.stream)) return CUSPARSE_STATUS_SUCCESS;
    const enum cuda_result error = cuStreamSynchronize(handle->base.stream);
    if (error == CUDA_SUCCESS) return CUSPARSE_STATUS_SUCCESS;
    return sparse_refuse(call, CUSPARSE_STATUS_EXECUTION_FAILED, "the stream failed: CUDA error %d", (int)error);
}

enum cusparse_status sparse_check(const struct sparse_handle *handle, const char *call, const char *what,
                                  const void *at, int64_t bytes)
{
    const char *fault = queue_is_captured(handle->base.stream) ? NULL : queue_memory_fault(at, (size_t)bytes);
    if (fault == NULL) return CUSPARSE_STATUS_SUCCESS;
    return sparse_refuse(call, CUSPARSE_STATUS_EXECUTION_FAILED, "%s: the %lld bytes from %p on %s", what,
                         (long long)bytes, at, fault);
}

enum cusparse_status sparse_check_matrix(const struct sparse_handle *handle, const char *call,
                                         const struct sparse_matrix *it)
{
    enum cusparse_status error = CUSPARSE_STATUS_SUCCESS;
    if (sparse_offsets(it) > 0)
        error = sparse_check(handle, call, "the offsets of the matrix", it->offsets,
                             sparse_offsets(it) * sparse_index_bytes(it->offset_type));
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, call, "the indices of the matrix", it->indices,
                             sparse_indices(it) * sparse_index_bytes(it->index_type));
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(handle, call, "the values of the matrix", it->values,
                             it->count * (int64_t)numbers_bytes(it->type));
    return error;
}

enum cusparse_status sparse_check_dense(const struct sparse_handle *handle, const char *call, const char *what,
                                        const struct dense_matrix *it)
{
    if (it->rows == 0 || it->columns == 0) return CUSPARSE_STATUS_SUCCESS;
    return sparse_check(handle, call, what, it->values,
                        (dense_index(it, it->rows - 1, it->columns - 1) + 1) * (int64_t)numbers_bytes(it->type));
}

struct sparse_factor sparse_factor_of(const struct sparse_handle *handle, int type, const void *at)
{
    struct sparse_factor factor = {.type = type, .device = handle->pointer_mode == MODE_DEVICE ? at : NULL};
    if (factor.device == NULL) sparse_read(at, type, 0, factor.value);
    return factor;
}

void sparse_factor_value(const struct sparse_factor *factor, double to[2])
{
    to[0] = factor->value[0], to[1] = factor->value[1];
    if (factor->device != NULL) sparse_read(factor->device, factor->type, 0, to);
}
