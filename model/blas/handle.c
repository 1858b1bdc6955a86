// SPDX-License-Identifier: MIT
// Handles and their settings, and what the library says of itself.
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "queue.h"
#include "refusal.h"

enum { MARK = 0x626c6173, VERSION_MAJOR = 13, VERSION_MINOR = 1, VERSION_PATCH = 0, MULTIPROCESSORS = 132 };

// --- Refusals --------------------------------------------------------------------------------------------------------

enum cublas_status blas_refuse(const char *call, enum cublas_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal_tell(call, format, arguments);
    va_end(arguments);
    return status;
}

int blas_missing(const char *call, int *was_told)
{
    refusal_missing(call, "CUBLAS_STATUS_NOT_SUPPORTED (15)", "", was_told);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

// --- Handles ---------------------------------------------------------------------------------------------------------

struct blas_handle *blas_handle_of(void *handle, const char *call)
{
    struct blas_handle *known = handle;
    if (known != NULL && known->mark == MARK) return known;
    blas_refuse(call, CUBLAS_STATUS_NOT_INITIALIZED, "the handle was never made by cublasCreate, or was destroyed");
    return NULL;
}

enum cublas_status blas_create(struct blas_handle **handle)
{
    if (handle == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    if (!queue_make_ready()) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof **handle);
    if (*handle == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
    **handle = (struct blas_handle){.mark = MARK};
    return CUBLAS_STATUS_SUCCESS;
}

enum cublas_status blas_destroy(struct blas_handle *handle, const char *call)
{
    if (blas_handle_of(handle, call) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->mark = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_VISIBLE enum cublas_status cublasCreate_v2(struct blas_handle **handle)
{
    return blas_create(handle);
}

BLAS_VISIBLE enum cublas_status cublasDestroy_v2(struct blas_handle *handle)
{
    return blas_destroy(handle, __func__);
}

// A setting of the handle, and how it is asked for.
#define SETTING(set, get, type, member, is_allowed)                                                                    \
    BLAS_VISIBLE enum cublas_status set(struct blas_handle *handle, type value)                                        \
    {                                                                                                                  \
        if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;                            \
        if (!(is_allowed)) return CUBLAS_STATUS_INVALID_VALUE;                                                         \
        handle->member = value;                                                                                        \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    BLAS_VISIBLE enum cublas_status get(struct blas_handle *handle, type *value)                                       \
    {                                                                                                                  \
        if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;                            \
        if (value == NULL) return CUBLAS_STATUS_INVALID_VALUE;                                                         \
        *value = handle->member;                                                                                       \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }

SETTING(cublasSetStream_v2, cublasGetStream_v2, struct CUstream_st *, stream, 1)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, pointer_mode,
        value == CUBLAS_POINTER_MODE_HOST || value == CUBLAS_POINTER_MODE_DEVICE)
SETTING(cublasSetMathMode, cublasGetMathMode, int, math_mode, value >= 0 && value < 32)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, int, atomics_mode, value == 0 || value == 1)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, multiprocessors, value >= 0 && value <= MULTIPROCESSORS)

// Products need no memory of the program's.
BLAS_VISIBLE enum cublas_status cublasSetWorkspace_v2(struct blas_handle *handle, void *workspace, size_t bytes)
{
    enum { ALIGNMENT = 256 };
    (void)bytes;
    if (blas_handle_of(handle, __func__) == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    return (uintptr_t)workspace % ALIGNMENT == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// --- What the library is ---------------------------------------------------------------------------------------------

BLAS_VISIBLE enum cublas_status cublasGetVersion_v2(struct blas_handle *handle, int *version)
{
    (void)handle;
    if (version == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    *version = VERSION_MAJOR * 10000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_VISIBLE size_t cublasLtGetVersion(void)
{
    return VERSION_MAJOR * 10000 + VERSION_MINOR * 100 + VERSION_PATCH;
}

BLAS_VISIBLE size_t cublasGetCudartVersion(void)
{
    return VERSION_MAJOR * 1000;
}

BLAS_VISIBLE size_t cublasLtGetCudartVersion(void)
{
    return cublasGetCudartVersion();
}

BLAS_VISIBLE enum cublas_status cublasGetProperty(int property, int *value)
{
    static const int properties[] = {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH};
    if (value == NULL || property < 0 || property > 2) return CUBLAS_STATUS_INVALID_VALUE;
    *value = properties[property];
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_VISIBLE enum cublas_status cublasLtGetProperty(int property, int *value)
{
    return cublasGetProperty(property, value);
}

BLAS_VISIBLE const char *cublasGetStatusName(enum cublas_status status)
{
    switch (status) {
#define NAME(name)                                                                                                     \
    case name:                                                                                                         \
        return #name;
        NAME(CUBLAS_STATUS_SUCCESS)
        NAME(CUBLAS_STATUS_NOT_INITIALIZED)
        NAME(CUBLAS_STATUS_ALLOC_FAILED)
        NAME(CUBLAS_STATUS_INVALID_VALUE)
        NAME(CUBLAS_STATUS_ARCH_MISMATCH)
        NAME(CUBLAS_STATUS_MAPPING_ERROR)
        NAME(CUBLAS_STATUS_EXECUTION_FAILED)
        NAME(CUBLAS_STATUS_INTERNAL_ERROR)
        NAME(CUBLAS_STATUS_NOT_SUPPORTED)
        NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef NAME
    default:
        return "unknown";
    }
}

BLAS_VISIBLE const char *cublasGetStatusString(enum cublas_status status)
{
    return cublasGetStatusName(status);
}

BLAS_VISIBLE const char *cublasLtGetStatusName(enum cublas_status status)
{
    return cublasGetStatusName(status);
}

BLAS_VISIBLE const char *cublasLtGetStatusString(enum cublas_status status)
{
    return cublasGetStatusName(status);
}
