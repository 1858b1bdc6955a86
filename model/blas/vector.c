// SPDX-License-Identifier: MIT
// Level 1: calls of vectors. Most are products with the number 1.
#include "vector.h"

#include <math.h>

#include "cuda_api.h"

static const void *first_of(const struct vector *vector)
{
    const int64_t first = vector->step < 0 ? (1 - vector->count) * vector->step : 0;
    return (const uint8_t *)vector->at + first * (int64_t)numbers_bytes(vector->type);
}

struct matrix vector_column(const struct vector *vector)
{
    return (struct matrix){.at = (void *)first_of(vector), .type = vector->type, .row_step = vector->step};
}

struct matrix vector_row(const struct vector *vector)
{
    return (struct matrix){.at = (void *)first_of(vector), .type = vector->type, .column_step = vector->step};
}

struct matrix vector_unit(int type)
{
    return (struct matrix){
        .at = (void *)product_one, .type = numbers_is_complex(type) ? CUDA_C_64F : CUDA_R_64F, .is_host = true};
}

struct factor vector_factor_one(void)
{
    return (struct factor){.value = {1}};
}

enum cublas_status vector_result(const char *call, const struct blas_handle *handle, enum cublas_status status)
{
    if (status != CUBLAS_STATUS_SUCCESS || handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return status;
    if (cuStreamSynchronize(handle->base.stream) == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
    return blas_refuse(call, CUBLAS_STATUS_EXECUTION_FAILED,
                       "the result goes to the host, and the stream cannot be waited for. Set the pointer mode DEVICE");
}

// y = alpha * x + beta * y, where beta is 0 or 1.
static enum cublas_status add(const char *call, void *its_handle, const void *alpha, int alpha_type,
                              const struct vector *x, const struct vector *y, bool has_y)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (numbers_bytes(x->type) == 0 || numbers_bytes(y->type) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (x->count <= 0) return CUBLAS_STATUS_SUCCESS;
    const struct matrix to = vector_column(y);
    const struct product job = {.m = x->count,
                                .n = 1,
                                .k = 1,
                                .batches = 1,
                                .a = vector_column(x),
                                .b = vector_unit(x->type),
                                .c = to,
                                .d = to,
                                .alpha = alpha == NULL ? vector_factor_one()
                                                       : blas_factor(handle->pointer_mode, alpha_type, alpha),
                                .beta = {.value = {has_y}}};
    return blas_submit_product(call, handle->base.stream, &job);
}

static enum cublas_status dot(const char *call, void *its_handle, const struct vector *x, const struct vector *y,
                              bool is_conjugate, void *result, int result_type)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (result == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    if (numbers_bytes(x->type) == 0 || x->type != y->type || numbers_bytes(result_type) == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool is_host = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    struct product job = {.m = 1,
                          .n = 1,
                          .k = x->count > 0 ? x->count : 0,
                          .batches = 1,
                          .a = vector_row(x),
                          .b = vector_column(y),
                          .d = {.at = result, .type = result_type, .is_host = is_host},
                          .alpha = vector_factor_one()};
    job.a.is_conjugate = is_conjugate;
    return vector_result(call, handle, blas_submit_product(call, handle->base.stream, &job));
}

// --- Numbers of one vector -------------------------------------------------------------------------------------------

enum reduction_kind { NORM, SUM, GREATEST, LEAST };

struct reduction {
    enum reduction_kind kind;
    struct vector x;
    void *result;
    int result_type; // of NORM and SUM
    int index_bytes; // of GREATEST and LEAST
};

// |x|, of complex numbers |re| + |im|; NORM takes the squares.
static long double size_of(const struct reduction *job, int64_t i)
{
    double part[2] = {0};
    const int reals = 1 + numbers_is_complex(job->x.type);
    numbers_widen(numbers_real(job->x.type), job->x.at, reals * i * job->x.step, 1, reals, part);
    if (job->kind == NORM) return (long double)part[0] * part[0] + (long double)part[1] * part[1];
    return (long double)fabs(part[0]) + (long double)fabs(part[1]);
}

static void put_index(const struct reduction *job, int64_t index)
{
    if (job->index_bytes == sizeof(int64_t))
        *(int64_t *)job->result = index;
    else
        *(int32_t *)job->result = (int32_t)index;
}

// Counted from 1; of equals the first. 0: there is none.
static void find(const struct reduction *job, int64_t count)
{
    int64_t found = 0;
    long double best = 0;
    for (int64_t i = 0; i < count; i++) {
        const long double size = size_of(job, i);
        if (found != 0 && (job->kind == GREATEST ? size <= best : size >= best)) continue;
        found = i + 1;
        best = size;
    }
    put_index(job, found);
}

static void reduce(void *its_job)
{
    const struct reduction *job = its_job;
    const int64_t count = job->x.step > 0 ? job->x.count : 0;
    long double sum = 0;
    if (job->kind >= GREATEST) {
        find(job, count);
        return;
    }
    for (int64_t i = 0; i < count; i++) sum += size_of(job, i);
    numbers_put((enum number_type)job->result_type, job->result, 0, (double)(job->kind == NORM ? sqrtl(sum) : sum));
}

static enum cublas_status reduction(const char *call, void *its_handle, const struct reduction *job)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    enum cublas_status error = CUBLAS_STATUS_SUCCESS;
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (job->result == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    if (numbers_bytes(job->x.type) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (job->x.count > 0 && job->x.step > 0)
        error = blas_check_memory(call, "x", job->x.at,
                                  (size_t)((job->x.count - 1) * job->x.step + 1) * numbers_bytes(job->x.type));
    if (error == CUBLAS_STATUS_SUCCESS) error = blas_submit(call, handle->base.stream, reduce, job, sizeof *job);
    return vector_result(call, handle, error);
}

// --- The calls: of 32 bits, and of 64 (_64) --------------------------------------------------------------------------

#define X(type)                                                                                                        \
    &(struct vector)                                                                                                   \
    {                                                                                                                  \
        x, type, n, incx                                                                                               \
    }
#define Y(type)                                                                                                        \
    &(struct vector)                                                                                                   \
    {                                                                                                                  \
        y, type, n, incy                                                                                               \
    }

#define AXPY(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *alpha, const void *x, size incx, void *y,   \
                                         size incy)                                                                    \
    {                                                                                                                  \
        return alpha == NULL ? CUBLAS_STATUS_INVALID_VALUE : add(__func__, handle, alpha, type, X(type), Y(type), 1);  \
    }
#define SCAL(name, size, alpha_type, type)                                                                             \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *alpha, void *x, size incx)                  \
    {                                                                                                                  \
        return alpha == NULL ? CUBLAS_STATUS_INVALID_VALUE                                                             \
                             : add(__func__, handle, alpha, alpha_type, X(type), X(type), 0);                          \
    }
#define COPY(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, size incx, void *y, size incy)           \
    {                                                                                                                  \
        return add(__func__, handle, NULL, type, X(type), Y(type), 0);                                                 \
    }
#define COPY_EX(name, size)                                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, int type_x, size incx, void *y,          \
                                         int type_y, size incy)                                                        \
    {                                                                                                                  \
        return add(__func__, handle, NULL, type_x, X(type_x), Y(type_y), 0);                                           \
    }
#define INDEX_EX(name, size, kind)                                                                                     \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, int type, size incx, void *result)       \
    {                                                                                                                  \
        return reduction(__func__, handle, &(struct reduction){kind, {x, type, n, incx}, result, 0, sizeof(size)});    \
    }
#define DOT(name, size, type, is_conjugate)                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, size incx, const void *y, size incy,     \
                                         void *result)                                                                 \
    {                                                                                                                  \
        return dot(__func__, handle, X(type), Y(type), is_conjugate, result, type);                                    \
    }
#define REDUCE(name, size, kind, type, result_type)                                                                    \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, size incx, void *result)                 \
    {                                                                                                                  \
        return reduction(__func__, handle,                                                                             \
                         &(struct reduction){kind, {x, type, n, incx}, result, result_type, sizeof(size)});            \
    }
#define AXPY_EX(name, size)                                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *alpha, int alpha_type, const void *x,       \
                                         int type_x, size incx, void *y, int type_y, size incy, int execution)         \
    {                                                                                                                  \
        (void)execution;                                                                                               \
        return alpha == NULL ? CUBLAS_STATUS_INVALID_VALUE                                                             \
                             : add(__func__, handle, alpha, alpha_type, X(type_x), Y(type_y), 1);                      \
    }
#define SCAL_EX(name, size)                                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *alpha, int alpha_type, void *x, int type,   \
                                         size incx, int execution)                                                     \
    {                                                                                                                  \
        (void)execution;                                                                                               \
        return alpha == NULL ? CUBLAS_STATUS_INVALID_VALUE                                                             \
                             : add(__func__, handle, alpha, alpha_type, X(type), X(type), 0);                          \
    }
#define DOT_EX(name, size, is_conjugate)                                                                               \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, int type_x, size incx, const void *y,    \
                                         int type_y, size incy, void *result, int result_type, int execution)          \
    {                                                                                                                  \
        (void)execution;                                                                                               \
        return dot(__func__, handle, X(type_x), Y(type_y), is_conjugate, result, result_type);                         \
    }
#define REDUCE_EX(name, size, kind)                                                                                    \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, const void *x, int type, size incx, void *result,       \
                                         int result_type, int execution)                                               \
    {                                                                                                                  \
        (void)execution;                                                                                               \
        return reduction(__func__, handle,                                                                             \
                         &(struct reduction){kind, {x, type, n, incx}, result, result_type, sizeof(size)});            \
    }

#define EACH(x, type)                                                                                                  \
    BOTH(AXPY, cublas##x##axpy_v2, type)                                                                               \
    BOTH(SCAL, cublas##x##scal_v2, type, type)                                                                         \
    BOTH(COPY, cublas##x##copy_v2, type)
#define EACH_REDUCED(in, x, type, real)                                                                                \
    BOTH(REDUCE, cublas##x##nrm2_v2, NORM, type, real)                                                                 \
    BOTH(REDUCE, cublas##x##asum_v2, SUM, type, real)                                                                  \
    BOTH(REDUCE, cublasI##in##amax_v2, GREATEST, type, 0)                                                              \
    BOTH(REDUCE, cublasI##in##amin_v2, LEAST, type, 0)

EACH_TYPE(EACH)
EACH_REDUCED(s, S, CUDA_R_32F, CUDA_R_32F)
EACH_REDUCED(d, D, CUDA_R_64F, CUDA_R_64F)
EACH_REDUCED(c, Sc, CUDA_C_32F, CUDA_R_32F)
EACH_REDUCED(z, Dz, CUDA_C_64F, CUDA_R_64F)
BOTH(SCAL, cublasCsscal_v2, CUDA_R_32F, CUDA_C_32F)
BOTH(SCAL, cublasZdscal_v2, CUDA_R_64F, CUDA_C_64F)
BOTH(DOT, cublasSdot_v2, CUDA_R_32F, 0)
BOTH(DOT, cublasDdot_v2, CUDA_R_64F, 0)
BOTH(DOT, cublasCdotu_v2, CUDA_C_32F, 0)
BOTH(DOT, cublasCdotc_v2, CUDA_C_32F, 1)
BOTH(DOT, cublasZdotu_v2, CUDA_C_64F, 0)
BOTH(DOT, cublasZdotc_v2, CUDA_C_64F, 1)
BOTH_ANY(COPY_EX, cublasCopyEx)
BOTH(INDEX_EX, cublasIamaxEx, GREATEST)
BOTH(INDEX_EX, cublasIaminEx, LEAST)
BOTH_ANY(AXPY_EX, cublasAxpyEx)
BOTH_ANY(SCAL_EX, cublasScalEx)
BOTH(DOT_EX, cublasDotEx, 0)
BOTH(DOT_EX, cublasDotcEx, 1)
BOTH(REDUCE_EX, cublasNrm2Ex, NORM)
BOTH(REDUCE_EX, cublasAsumEx, SUM)
