// SPDX-License-Identifier: MIT
// The simulated libcusolver: what its calls share. A call becomes a function of the host that its stream runs, in
// double precision; each result is rounded once.
//   generalized.c           eigenvalues of two matrices, and of matrices that are not Hermitian (schur.c)
//   inverse.c               inverses, and systems that are solved at once
//   sparse_rows.c           elimination of sparse equations; dense arithmetic (dense.h) is factor.c and orthogonal.c of
//                           libcublas
//   job.c                   matrices of the device: checked, read and written
//   linear.c                systems: LU, Cholesky, QR
//   spectral.c              eigenvalues and singular values
//   truncated.c             the greatest singular values
//   wide.c                  the calls of both with int64_t
//   sparse_calls.c          cusolverSp
//   handle.c                handles, parameters, versions
#ifndef TMAREF_SOLVER_SOLVER_H
#define TMAREF_SOLVER_SOLVER_H

#include "cuda_abi.h"
#include "dense.h"
#include "handle.h"
#include "numbers.h"
#include "refusal.h"

#define SOLVER_VISIBLE __attribute__((visibility("default")))

// cusolverStatus_t, as cusolver_common.h has it.
enum cusolver_status {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED = 1,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9
};

// cublasFillMode_t, cublasSideMode_t, cusolverEigMode_t
enum { FILL_LOWER = 0, FILL_UPPER = 1, SIDE_LEFT = 0, SIDE_RIGHT = 1, NO_VECTORS = 0, VECTORS = 1 };

// A matrix of the device. Without `at`, or without columns, there is none.
struct solver_matrix {
    void *at;
    int type;
    int64_t rows, columns, leading;
};

enum { SOLVER_MOST_MATRICES = 4 };

// Which eigenvalues: all, those of (low, high], or from the `first` to the `last` of their rising order, from 1 on. How
// many were found goes to the host.
enum solver_range_kind { RANGE_ALL, RANGE_ORDER = 1002, RANGE_VALUES = 1003 };
struct solver_range {
    int kind, found_bytes;
    double low, high;
    int64_t first, last;
    void *found;
};

// What a call is given. `integers` are pivots, of `integer_bytes` each; info is an int of the device.
struct solver_job {
    const char *call;
    void (*run)(const struct solver_job *job);
    struct solver_matrix matrix[SOLVER_MOST_MATRICES];
    int64_t count; // of reflections
    bool is_lower;
    int operation;
    bool is_right;
    int mode;
    bool has_right_rows;
    void *integers;
    int64_t integer_count;
    int integer_bytes;
    int *info;
    bool has_one_info; // for all of a batch
    int64_t batches;   // of one call: 0 for a call of one
    struct solver_range range;
    double *residual;      // of the host: the norm of what a matrix has besides the singular values that are written
    void *const *array[2]; // of the device: where the first two matrices are; else each lies behind the one before
};

struct solver_handle {
    struct handle base;
    int deterministic;
};

// NULL if it was never made, or was destroyed; the call returns NOT_INITIALIZED.
struct solver_handle *solver_handle_of(void *handle, const char *call);

// Checks sizes and memory, and gives the job to the stream.
enum cusolver_status solver_submit(void *handle, const struct solver_job *job);

// Says which argument is wrong unless `holds`.
enum cusolver_status solver_require(bool holds, const char *call, const char *what);

#define solver_refuse(...) refusal_as(__VA_ARGS__)

// What a call that no file defines does.
int solver_missing(const char *call, int *was_told);

// The calls that ask how large a workspace is. None is needed, so it is one element.
enum cusolver_status solver_work(void *handle, const char *call, int *work);

// --- Matrices --------------------------------------------------------------------------------------------------------

struct solver_matrix solver_matrix_of(int type, const void *at, int64_t rows, int64_t columns, int64_t leading);
struct solver_matrix solver_vector_of(int type, const void *at, int64_t count);

static inline int64_t solver_lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// A copy without gaps, NULL at `at` if there is no memory; and back.
struct dense solver_read(const struct solver_matrix *from);
void solver_write(const struct solver_matrix *to, const struct dense *from);
void solver_write_reals(const struct solver_matrix *to, const double *from);

struct dense solver_adjoint(const struct dense *from);

void solver_set_info(const struct solver_job *job, int64_t info);

// There is no memory for the job: says so, and sets info to -1.
void solver_give_up(const struct solver_job *job);

// --- What calls with int and with int64_t share ----------------------------------------------------------------------

enum { SOLVER_INTEGER = 4, SOLVER_WIDE_INTEGER = 8 }; // bytes of a pivot

struct solver_job solver_lu_job(const char *call, struct solver_matrix a, void *pivots, int bytes, int *info);
enum cusolver_status solver_solve_lu(const char *call, void *handle, int operation, const struct solver_job *rest);

// A factorization, or with a second matrix the solution.
enum cusolver_status solver_cholesky(const char *call, void *handle, int fill, const struct solver_job *rest);
struct solver_job solver_qr_job(const char *call, struct solver_matrix a, int type_of_tau, void *tau, int *info);

// Of the matrix, and its values as the second.
enum cusolver_status solver_eigen(const char *call, void *handle, int mode, int fill, const struct solver_job *rest);

// The same, and waits for how many there are.
enum cusolver_status solver_eigen_of(const char *call, void *handle, int mode, int fill, const struct solver_job *rest);

// The other triangle of a Hermitian matrix, and a diagonal without imaginary parts.
void solver_make_hermitian(const struct dense *a, bool is_lower);

// Eigenvalues and right eigenvectors of any square matrix: of reals the values are two rows of reals, or pairs.
void solver_run_general(const struct solver_job *job);

// The inverse of a triangle; mode: its diagonal is all 1.
void solver_run_triangle_inverse(const struct solver_job *job);

// Singular values, as many as the second matrix has rows, and vectors, as many as the third and fourth have columns.
void solver_run_svd(const struct solver_job *job);

struct solver_svd {
    int left_job, right_job; // 'A', 'S', 'O', 'N'
    struct solver_matrix a, values, left, right;
    int *info;
};
enum cusolver_status solver_svd(const char *call, void *handle, const struct solver_svd *it);

#endif
