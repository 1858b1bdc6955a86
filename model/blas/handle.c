// SPDX-License-Identifier: MIT
// Handles and their settings, and what the library says of itself.
#include "blas.h"
#include "queue.h"
#include "refusal.h"

enum { VERSION_MAJOR = 13, VERSION_MINOR = 1, VERSION_PATCH = 0, MULTIPROCESSORS = 132 };

static const struct handle_kind kind = {0x626c6173,
                                        "cublasCreate",
                                        CUBLAS_STATUS_NOT_INITIALIZED,
                                        CUBLAS_STATUS_ALLOC_FAILED,
                                        CUBLAS_STATUS_INVALID_VALUE,
                                        {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH}};

// --- Refusals --------------------------------------------------------------------------------------------------------

int blas_missing(const char *call, int *was_told)
{
    refusal_missing(call, "CUBLAS_STATUS_NOT_SUPPORTED (15)", "", was_told);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

// --- Handles ---------------------------------------------------------------------------------------------------------

struct blas_handle *blas_handle_of(void *handle, const char *call)
{
    return handle_is(&kind, handle, call) ? handle : NULL;
}

enum cublas_status blas_create(struct blas_handle **handle)
{
    return handle_make(&kind, handle, sizeof **handle);
}

enum cublas_status blas_destroy(struct blas_handle *handle, const char *call)
{
    return handle_destroy(&kind, handle, call);
}

BLAS_VISIBLE enum cublas_status cublasCreate_v2(struct blas_handle **handle)
{
    return blas_create(handle);
}

BLAS_VISIBLE enum cublas_status cublasDestroy_v2(struct blas_handle *handle)
{
    return blas_destroy(handle, __func__);
}

#define SETTING(...) HANDLE_SETTING(BLAS_VISIBLE enum cublas_status, kind, struct blas_handle, __VA_ARGS__)
SETTING(cublasSetStream_v2, cublasGetStream_v2, struct CUstream_st *, base.stream, 1)
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
    return handle_version(&kind, property, value);
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
