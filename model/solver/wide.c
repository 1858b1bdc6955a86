// SPDX-License-Identifier: MIT
// The calls with sizes of 64 bits, which name the types of their matrices (cusolverDnX*).
#include "solver.h"

static enum cusolver_status sizes(void *handle, const char *call, size_t *device, size_t *host)
{
    enum { BYTES = 16 }; // an element of the largest type
    if (solver_handle_of(handle, call) == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (device == NULL || host == NULL) return solver_require(false, call, "a pointer to a size");
    *device = BYTES;
    *host = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

// What all calls have at their end.
struct work {
    void *device;
    size_t device_bytes;
    void *host;
    size_t host_bytes;
};

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name
#define WORK       void *device, size_t device_bytes, void *host, size_t host_bytes
#define IGNORE_WORK                                                                                                    \
    (void)(struct work)                                                                                                \
    {                                                                                                                  \
        device, device_bytes, host, host_bytes                                                                         \
    }

CALL(cusolverDnXgetrf_bufferSize)
(void *handle, void *parameters, int64_t m, int64_t n, int type, const void *a, int64_t lda, int compute,
 size_t *device, size_t *host)
{
    (void)parameters, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXgetrf)
(void *handle, void *parameters, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots, int compute,
 WORK, int *info)
{
    const struct solver_job job =
        solver_lu_job(__func__, solver_matrix_of(type, a, m, n, lda), pivots, SOLVER_WIDE_INTEGER, info);
    IGNORE_WORK, (void)parameters, (void)compute;
    return solver_submit(handle, &job);
}

CALL(cusolverDnXgetrs)
(void *handle, void *parameters, int operation, int64_t n, int64_t count, int type, const void *a, int64_t lda,
 const int64_t *pivots, int type_of_b, void *b, int64_t ldb, int *info)
{
    (void)parameters;
    return solver_solve_lu(__func__, handle, operation,
                           &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),
                                                           solver_matrix_of(type_of_b, b, n, count, ldb)},
                                                .integers = (void *)pivots,
                                                .integer_bytes = SOLVER_WIDE_INTEGER,
                                                .info = info});
}

CALL(cusolverDnXpotrf_bufferSize)
(void *handle, void *parameters, int fill, int64_t n, int type, const void *a, int64_t lda, int compute, size_t *device,
 size_t *host)
{
    (void)parameters, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXpotrf)
(void *handle, void *parameters, int fill, int64_t n, int type, void *a, int64_t lda, int compute, WORK, int *info)
{
    IGNORE_WORK, (void)parameters, (void)compute;
    return solver_cholesky(__func__, handle, fill,
                           &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda)}, .info = info});
}

CALL(cusolverDnXpotrs)
(void *handle, void *parameters, int fill, int64_t n, int64_t count, int type, const void *a, int64_t lda,
 int type_of_b, void *b, int64_t ldb, int *info)
{
    (void)parameters;
    return solver_cholesky(__func__, handle, fill,
                           &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),
                                                           solver_matrix_of(type_of_b, b, n, count, ldb)},
                                                .info = info});
}

CALL(cusolverDnXgeqrf_bufferSize)
(void *handle, void *parameters, int64_t m, int64_t n, int type, const void *a, int64_t lda, int type_of_tau,
 const void *tau, int compute, size_t *device, size_t *host)
{
    (void)parameters, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)type_of_tau, (void)tau, (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXgeqrf)
(void *handle, void *parameters, int64_t m, int64_t n, int type, void *a, int64_t lda, int type_of_tau, void *tau,
 int compute, WORK, int *info)
{
    const struct solver_job job = solver_qr_job(__func__, solver_matrix_of(type, a, m, n, lda), type_of_tau, tau, info);
    IGNORE_WORK, (void)parameters, (void)compute;
    return solver_submit(handle, &job);
}

CALL(cusolverDnXsyevd_bufferSize)
(void *handle, void *parameters, int mode, int fill, int64_t n, int type, const void *a, int64_t lda,
 int type_of_values, const void *values, int compute, size_t *device, size_t *host)
{
    (void)parameters, (void)mode, (void)fill, (void)n, (void)type, (void)a, (void)lda;
    (void)type_of_values, (void)values, (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXsyevd)
(void *handle, void *parameters, int mode, int fill, int64_t n, int type, void *a, int64_t lda, int type_of_values,
 void *values, int compute, WORK, int *info)
{
    IGNORE_WORK, (void)parameters, (void)compute;
    return solver_eigen(__func__, handle, mode, fill,
                        &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),
                                                        solver_vector_of(type_of_values, values, n)},
                                             .info = info});
}

CALL(cusolverDnXsyevdx_bufferSize)
(void *handle, void *parameters, int mode, int kind, int fill, int64_t n, int type, const void *a, int64_t lda,
 const void *low, const void *high, int64_t first, int64_t last, const int64_t *found, int type_of_values,
 const void *values, int compute, size_t *device, size_t *host)
{
    (void)parameters, (void)mode, (void)kind, (void)fill, (void)n, (void)type, (void)a, (void)lda, (void)low;
    (void)high, (void)first, (void)last, (void)found, (void)type_of_values, (void)values, (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXsyevdx)
(void *handle, void *parameters, int mode, int kind, int fill, int64_t n, int type, void *a, int64_t lda,
 const void *low, const void *high, int64_t first, int64_t last, int64_t *found, int type_of_values, void *values,
 int compute, WORK, int *info)
{
    double bounds[2] = {0, 0};
    IGNORE_WORK, (void)parameters, (void)compute;
    if (kind == RANGE_VALUES && (low == NULL || high == NULL)) return solver_require(false, __func__, "vl or vu");
    if (kind == RANGE_VALUES) {
        numbers_widen(numbers_real(type_of_values), low, 0, 1, 1, &bounds[0]);
        numbers_widen(numbers_real(type_of_values), high, 0, 1, 1, &bounds[1]);
    }
    return solver_eigen_of(
        __func__, handle, mode, fill,
        &(struct solver_job){
            .matrix = {solver_matrix_of(type, a, n, n, lda), solver_vector_of(type_of_values, values, n)},
            .info = info,
            .range = {kind, sizeof *found, bounds[0], bounds[1], first, last, found}});
}

CALL(cusolverDnXsyevBatched_bufferSize)
(void *handle, void *parameters, int mode, int fill, int64_t n, int type, const void *a, int64_t lda,
 int type_of_values, const void *values, int compute, size_t *device, size_t *host, int64_t batches)
{
    (void)parameters, (void)mode, (void)fill, (void)n, (void)type, (void)a, (void)lda;
    (void)type_of_values, (void)values, (void)compute, (void)batches;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXsyevBatched)
(void *handle, void *parameters, int mode, int fill, int64_t n, int type, void *a, int64_t lda, int type_of_values,
 void *values, int compute, WORK, int *info, int64_t batches)
{
    IGNORE_WORK, (void)parameters, (void)compute;
    return solver_eigen(__func__, handle, mode, fill,
                        &(struct solver_job){.matrix = {solver_matrix_of(type, a, n, n, lda),
                                                        solver_vector_of(type_of_values, values, n)},
                                             .batches = batches,
                                             .info = info});
}

CALL(cusolverDnXgesvd_bufferSize)
(void *handle, void *parameters, signed char left_job, signed char right_job, int64_t m, int64_t n, int type,
 const void *a, int64_t lda, int type_of_values, const void *values, int type_of_u, const void *u, int64_t ldu,
 int type_of_vt, const void *vt, int64_t ldvt, int compute, size_t *device, size_t *host)
{
    (void)parameters, (void)left_job, (void)right_job, (void)m, (void)n, (void)type, (void)a, (void)lda;
    (void)type_of_values, (void)values, (void)type_of_u, (void)u, (void)ldu, (void)type_of_vt, (void)vt, (void)ldvt;
    (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXgesvd)
(void *handle, void *parameters, signed char left_job, signed char right_job, int64_t m, int64_t n, int type, void *a,
 int64_t lda, int type_of_values, void *values, int type_of_u, void *u, int64_t ldu, int type_of_vt, void *vt,
 int64_t ldvt, int compute, WORK, int *info)
{
    IGNORE_WORK, (void)parameters, (void)compute;
    return solver_svd(__func__, handle,
                      &(struct solver_svd){.left_job = left_job,
                                           .right_job = right_job,
                                           .a = solver_matrix_of(type, a, m, n, lda),
                                           .values = solver_vector_of(type_of_values, values, solver_lesser(m, n)),
                                           .left = solver_matrix_of(type_of_u, u, m, m, ldu),
                                           .right = solver_matrix_of(type_of_vt, vt, n, n, ldvt),
                                           .info = info});
}

CALL(cusolverDnXgeev_bufferSize)
(void *handle, void *parameters, int left_mode, int mode, int64_t n, int type, const void *a, int64_t lda,
 int type_of_values, const void *values, int type_of_left, const void *left, int64_t ld_left, int type_of_right,
 const void *right, int64_t ld_right, int compute, size_t *device, size_t *host)
{
    (void)parameters, (void)left_mode, (void)mode, (void)n, (void)type, (void)a, (void)lda, (void)type_of_values;
    (void)values, (void)type_of_left, (void)left, (void)ld_left, (void)type_of_right, (void)right, (void)ld_right;
    (void)compute;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXgeev)
(void *handle, void *parameters, int left_mode, int mode, int64_t n, int type, void *a, int64_t lda, int type_of_values,
 void *values, int type_of_left, void *left, int64_t ld_left, int type_of_right, void *right, int64_t ld_right,
 int compute, WORK, int *info)
{
    const bool has_vectors = mode == VECTORS,
               are_pairs = numbers_is_complex(type) || numbers_is_complex(type_of_values);
    IGNORE_WORK, (void)parameters, (void)type_of_left, (void)left, (void)ld_left, (void)compute;
    if (left_mode != NO_VECTORS)
        return solver_refuse(__func__, CUSOLVER_STATUS_INVALID_VALUE, "jobvl is %d; cuSOLVER has no left vectors",
                             left_mode);
    struct solver_job job = {.call = __func__,
                             .run = solver_run_general,
                             .matrix = {solver_matrix_of(type, a, n, n, lda),
                                        solver_vector_of(type_of_values, values, are_pairs ? n : 2 * n)},
                             .info = info};
    if (has_vectors) job.matrix[2] = solver_matrix_of(type_of_right, right, n, n, ld_right);
    return solver_submit(handle, &job);
}

CALL(cusolverDnXtrtri_bufferSize)
(void *handle, int fill, int diagonal, int64_t n, int type, const void *a, int64_t lda, size_t *device, size_t *host)
{
    (void)fill, (void)diagonal, (void)n, (void)type, (void)a, (void)lda;
    return sizes(handle, __func__, device, host);
}

CALL(cusolverDnXtrtri)(void *handle, int fill, int diagonal, int64_t n, int type, void *a, int64_t lda, WORK, int *info)
{
    IGNORE_WORK;
    const enum cusolver_status error = solver_require((fill | diagonal) >> 1 == 0, __func__, "uplo or diag");
    const struct solver_job job = {.call = __func__,
                                   .run = solver_run_triangle_inverse,
                                   .matrix = {solver_matrix_of(type, a, n, n, lda)},
                                   .is_lower = fill == FILL_LOWER,
                                   .mode = diagonal,
                                   .info = info};
    return error != CUSOLVER_STATUS_SUCCESS ? error : solver_submit(handle, &job);
}
