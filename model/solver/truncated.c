// SPDX-License-Identifier: MIT
// The greatest singular values of a matrix, with their vectors. All are computed, and the others are left out.
#include "cuda_api.h"
#include "solver.h"

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name
#define UNUSED     (void)

enum { VALUES = 1, LEFT = 2, RIGHT = 3 };

// One matrix, or the first of a batch whose matrices and results lie these numbers of elements apart.
struct truncated {
    struct solver_svd it;
    int64_t rank, batches, strides[SOLVER_MOST_MATRICES];
    bool has_left, has_right;
    double *residuals; // of the host, one of each; or NULL
};

static void *behind(const struct solver_matrix *matrix, int64_t elements)
{
    return (char *)matrix->at + elements * (int64_t)numbers_bytes(matrix->type);
}

static struct solver_job job_of(const char *call, const struct truncated *all, int64_t batch)
{
    const struct solver_svd *it = &all->it;
    struct solver_job job = {.call = call,
                             .run = solver_run_svd,
                             .matrix = {it->a, it->values},
                             .info = it->info == NULL ? NULL : it->info + batch,
                             .residual = all->residuals == NULL ? NULL : all->residuals + batch};
    job.matrix[VALUES].rows = all->rank;
    if (all->has_left) job.matrix[LEFT] = it->left, job.matrix[LEFT].columns = all->rank;
    if (all->has_right) job.matrix[RIGHT] = it->right, job.matrix[RIGHT].columns = all->rank;
    for (int i = 0; i < SOLVER_MOST_MATRICES; i++)
        if (job.matrix[i].at != NULL) job.matrix[i].at = behind(&job.matrix[i], batch * all->strides[i]);
    return job;
}

static enum cusolver_status svd_of_rank(const char *call, void *handle, const struct truncated *all)
{
    enum cusolver_status error =
        solver_require(all->rank >= 0 && all->rank <= solver_lesser(all->it.a.rows, all->it.a.columns), call, "rank");
    for (int64_t batch = 0; batch < all->batches && error == CUSOLVER_STATUS_SUCCESS; batch++) {
        const struct solver_job job = job_of(call, all, batch);
        error = solver_submit(handle, &job);
    }
    if (error != CUSOLVER_STATUS_SUCCESS || all->residuals == NULL) return error;
    if (cuStreamSynchronize(solver_handle_of(handle, call)->base.stream) == CUDA_SUCCESS) return error;
    return solver_refuse(call, CUSOLVER_STATUS_EXECUTION_FAILED,
                         "the stream cannot be waited for, and h_R_nrmF is the host's");
}

#define GESVDA(x, type)                                                                                                \
    CALL(cusolverDn##x##gesvdaStridedBatched_bufferSize)                                                               \
    (void *handle, int mode, int rank, int m, int n, const void *a, int lda, long long a_stride, const void *values,   \
     long long values_stride, const void *u, int ldu, long long u_stride, const void *v, int ldv, long long v_stride,  \
     int *work, int batches)                                                                                           \
    {                                                                                                                  \
        UNUSED mode, UNUSED rank, UNUSED m, UNUSED n, UNUSED a, UNUSED lda, UNUSED a_stride, UNUSED values;            \
        UNUSED values_stride, UNUSED u, UNUSED ldu, UNUSED u_stride, UNUSED v, UNUSED ldv, UNUSED v_stride;            \
        UNUSED batches;                                                                                                \
        return solver_work(handle, __func__, work);                                                                    \
    }                                                                                                                  \
    CALL(cusolverDn##x##gesvdaStridedBatched)                                                                          \
    (void *handle, int mode, int rank, int m, int n, const void *a, int lda, long long a_stride, void *values,         \
     long long values_stride, void *u, int ldu, long long u_stride, void *v, int ldv, long long v_stride, void *work,  \
     int size, int *info, double *residuals, int batches)                                                              \
    {                                                                                                                  \
        UNUSED work, UNUSED size;                                                                                      \
        return svd_of_rank(__func__, handle,                                                                           \
                           &(struct truncated){.it = {.a = solver_matrix_of(type, a, m, n, lda),                       \
                                                      .values = solver_vector_of(numbers_real(type), values, rank),    \
                                                      .left = solver_matrix_of(type, u, m, rank, ldu),                 \
                                                      .right = solver_matrix_of(type, v, n, rank, ldv),                \
                                                      .info = info},                                                   \
                                               .rank = rank,                                                           \
                                               .batches = batches,                                                     \
                                               .strides = {a_stride, values_stride, u_stride, v_stride},               \
                                               .has_left = mode == VECTORS,                                            \
                                               .has_right = mode == VECTORS,                                           \
                                               .residuals = residuals});                                               \
    }
EACH_TYPE(GESVDA)

CALL(cusolverDnXgesvdr_bufferSize)
(void *handle, const void *parameters, signed char left_job, signed char right_job, int64_t m, int64_t n, int64_t rank,
 int64_t more, int64_t iterations, int type, const void *a, int64_t lda, int type_of_values, const void *values,
 int type_of_u, const void *u, int64_t ldu, int type_of_v, const void *v, int64_t ldv, int compute, size_t *device,
 size_t *host)
{
    int one;
    UNUSED parameters, UNUSED left_job, UNUSED right_job, UNUSED m, UNUSED n, UNUSED rank, UNUSED more;
    UNUSED iterations, UNUSED type, UNUSED a, UNUSED lda, UNUSED type_of_values, UNUSED values, UNUSED type_of_u;
    UNUSED u, UNUSED ldu, UNUSED type_of_v, UNUSED v, UNUSED ldv, UNUSED compute;
    if (device == NULL || host == NULL) return solver_require(false, __func__, "a pointer to a size");
    *device = 16, *host = 0;
    return solver_work(handle, __func__, &one);
}

// By a random choice of columns; oversampling and iterations would change only how near the result is.
CALL(cusolverDnXgesvdr)
(void *handle, const void *parameters, signed char left_job, signed char right_job, int64_t m, int64_t n, int64_t rank,
 int64_t more, int64_t iterations, int type, void *a, int64_t lda, int type_of_values, void *values, int type_of_u,
 void *u, int64_t ldu, int type_of_v, void *v, int64_t ldv, int compute, void *device, size_t device_bytes, void *host,
 size_t host_bytes, int *info)
{
    UNUSED parameters, UNUSED iterations, UNUSED compute, UNUSED device, UNUSED device_bytes, UNUSED host;
    UNUSED host_bytes;
    const enum cusolver_status error =
        solver_require(more >= 0 && rank + more <= solver_lesser(m, n), __func__, "k or p, of which the sum");
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    return svd_of_rank(__func__, handle,
                       &(struct truncated){.it = {.a = solver_matrix_of(type, a, m, n, lda),
                                                  .values = solver_vector_of(type_of_values, values, rank),
                                                  .left = solver_matrix_of(type_of_u, u, m, rank, ldu),
                                                  .right = solver_matrix_of(type_of_v, v, n, rank, ldv),
                                                  .info = info},
                                           .rank = rank,
                                           .batches = 1,
                                           .has_left = left_job == 'S',
                                           .has_right = right_job == 'S'});
}
