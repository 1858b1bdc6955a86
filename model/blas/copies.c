// SPDX-License-Identifier: MIT
// cublasSetVector, SetMatrix and the like: copies of rows of bytes between the host and the device.
#include "blas.h"
#include "cuda_api.h"

struct rows {
    int64_t count, bytes;
    const void *from;
    int64_t from_pitch;
    void *to;
    int64_t to_pitch;
};

static enum cublas_status copy(const char *call, struct rows rows, struct CUstream_st *stream, int is_async)
{
    enum { UNIFIED = 4 }; // CU_MEMORYTYPE_UNIFIED
    if (rows.count < 0 || rows.bytes < 0 || rows.from_pitch < rows.bytes || rows.to_pitch < rows.bytes)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE,
                           "%lld rows of %lld bytes, %lld apart in the source and %lld in the destination",
                           (long long)rows.count, (long long)rows.bytes, (long long)rows.from_pitch,
                           (long long)rows.to_pitch);
    if (rows.count == 0 || rows.bytes == 0) return CUBLAS_STATUS_SUCCESS;
    const struct CUDA_MEMCPY2D_st box = {.srcMemoryType = UNIFIED,
                                         .srcDevice = (uintptr_t)rows.from,
                                         .srcPitch = (size_t)rows.from_pitch,
                                         .dstMemoryType = UNIFIED,
                                         .dstDevice = (uintptr_t)rows.to,
                                         .dstPitch = (size_t)rows.to_pitch,
                                         .WidthInBytes = (size_t)rows.bytes,
                                         .Height = (size_t)rows.count};
    const enum cuda_result error = is_async ? cuMemcpy2DAsync_v2(&box, stream) : cuMemcpy2DUnaligned_v2(&box);
    if (error == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(call, CUBLAS_STATUS_MAPPING_ERROR, "the copy is refused: CUDA error %d", (int)error);
}

// A vector is a matrix whose columns are its elements.
#define VECTOR(name, size)                                                                                             \
    BLAS_VISIBLE enum cublas_status name(size n, size bytes, const void *x, size incx, void *y, size incy)             \
    {                                                                                                                  \
        return copy(__func__, (struct rows){n, bytes, x, (int64_t)incx * bytes, y, (int64_t)incy * bytes}, NULL, 0);   \
    }
#define VECTOR_ASYNC(name, size)                                                                                       \
    BLAS_VISIBLE enum cublas_status name(size n, size bytes, const void *x, size incx, void *y, size incy,             \
                                         struct CUstream_st *stream)                                                   \
    {                                                                                                                  \
        return copy(__func__, (struct rows){n, bytes, x, (int64_t)incx * bytes, y, (int64_t)incy * bytes}, stream, 1); \
    }
#define COLUMNS ((struct rows){columns, (int64_t)rows * bytes, a, (int64_t)lda * bytes, b, (int64_t)ldb * bytes})
#define MATRIX(name, size)                                                                                             \
    BLAS_VISIBLE enum cublas_status name(size rows, size columns, size bytes, const void *a, size lda, void *b,        \
                                         size ldb)                                                                     \
    {                                                                                                                  \
        return copy(__func__, COLUMNS, NULL, 0);                                                                       \
    }
#define MATRIX_ASYNC(name, size)                                                                                       \
    BLAS_VISIBLE enum cublas_status name(size rows, size columns, size bytes, const void *a, size lda, void *b,        \
                                         size ldb, struct CUstream_st *stream)                                         \
    {                                                                                                                  \
        return copy(__func__, COLUMNS, stream, 1);                                                                     \
    }

BOTH_ANY(VECTOR, cublasSetVector)
BOTH_ANY(VECTOR, cublasGetVector)
BOTH_ANY(VECTOR_ASYNC, cublasSetVectorAsync)
BOTH_ANY(VECTOR_ASYNC, cublasGetVectorAsync)
BOTH_ANY(MATRIX, cublasSetMatrix)
BOTH_ANY(MATRIX, cublasGetMatrix)
BOTH_ANY(MATRIX_ASYNC, cublasSetMatrixAsync)
BOTH_ANY(MATRIX_ASYNC, cublasGetMatrixAsync)
