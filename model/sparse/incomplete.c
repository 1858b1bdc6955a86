// SPDX-License-Identifier: MIT
// Incomplete factors of a matrix by rows, with no entries but its own: LU (csrilu02) and Cholesky (csric02). The
// columns rise in each row. The matrix is factored in double precision, and rounded once.
#include <math.h>
#include <stdlib.h>

#include "cuda_api.h"
#include "dense.h"
#include "sparse.h"

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name
enum { ZERO_PIVOT = 9, NONE = -1 };

// csrilu02Info_t and csric02Info_t: the first row without a pivot, with the base of the matrix.
struct incomplete {
    int position;
};

struct job {
    const char *call;
    struct sparse_matrix a;
    struct incomplete *info;
    bool is_cholesky;
};

// Entries of rows, widened, and where the diagonal of each row is; -1: nowhere.
struct rows {
    struct complex_number *value;
    const int *offsets, *indices;
    int64_t *diagonal;
    int base;
};

static int64_t first_of(const struct rows *rows, int64_t row)
{
    return rows->offsets[row] - rows->base;
}

static void fail(const struct job *job, int64_t row)
{
    if (job->info->position == NONE) job->info->position = (int)row + job->a.base;
}

// Row i loses `factor` times row k, where both have an entry, from column k + 1 on; `from` is an entry of row i.
static void subtract_row(const struct rows *rows, struct complex_number factor, int64_t k, int64_t from, int64_t end)
{
    for (int64_t at = rows->diagonal[k] + 1; at < first_of(rows, k + 1); at++) {
        while (from < end && rows->indices[from] < rows->indices[at]) from++;
        if (from == end) return;
        if (rows->indices[from] != rows->indices[at]) continue;
        rows->value[from] = complex_difference(rows->value[from], complex_product(factor, rows->value[at]));
    }
}

static void factor_lu_row(const struct job *job, const struct rows *rows, int64_t row)
{
    const int64_t end = first_of(rows, row + 1);
    for (int64_t at = first_of(rows, row); at < end; at++) {
        const int64_t k = rows->indices[at] - rows->base;
        if (k >= row) break;
        if (rows->diagonal[k] < 0) continue;
        rows->value[at] = complex_quotient(rows->value[at], rows->value[rows->diagonal[k]]);
        subtract_row(rows, rows->value[at], k, at + 1, end);
    }
    if (rows->diagonal[row] < 0 || complex_square(rows->value[rows->diagonal[row]]) == 0) fail(job, row);
}

// The sum of products of the entries of rows i and k before column k, the second conjugated.
static struct complex_number common(const struct rows *rows, int64_t i, int64_t k)
{
    struct complex_number sum = {0, 0};
    int64_t of_k = first_of(rows, k);
    for (int64_t at = first_of(rows, i); at < first_of(rows, i + 1); at++) {
        if (rows->indices[at] - rows->base >= k) break;
        while (of_k < first_of(rows, k + 1) && rows->indices[of_k] < rows->indices[at]) of_k++;
        if (of_k < first_of(rows, k + 1) && rows->indices[of_k] == rows->indices[at])
            sum = complex_sum(sum, complex_product(rows->value[at], complex_adjoint(rows->value[of_k])));
    }
    return sum;
}

static void factor_cholesky_row(const struct job *job, const struct rows *rows, int64_t row)
{
    for (int64_t at = first_of(rows, row); at < first_of(rows, row + 1); at++) {
        const int64_t k = rows->indices[at] - rows->base;
        if (k >= row) break;
        if (rows->diagonal[k] < 0) continue;
        rows->value[at] =
            complex_quotient(complex_difference(rows->value[at], common(rows, row, k)), rows->value[rows->diagonal[k]]);
    }
    if (rows->diagonal[row] < 0) {
        fail(job, row);
        return;
    }
    struct complex_number *pivot = &rows->value[rows->diagonal[row]];
    const double rest = pivot->re - common(rows, row, row).re;
    if (!(rest > 0)) fail(job, row);
    *pivot = (struct complex_number){sqrt(rest), 0};
}

static void factor(const struct job *job, const struct rows *rows)
{
    const struct sparse_matrix *a = &job->a;
    struct sparse_walk walk = sparse_begin(a);
    for (int64_t row = 0; row < a->rows; row++) rows->diagonal[row] = NONE;
    while (sparse_next(&walk, job->call)) {
        double pair[2];
        sparse_read(a->values, a->type, walk.entry, pair);
        rows->value[walk.entry] = (struct complex_number){pair[0], pair[1]};
        if (walk.row == walk.column) rows->diagonal[walk.row] = walk.entry;
    }
    for (int64_t row = 0; row < a->rows; row++)
        if (job->is_cholesky)
            factor_cholesky_row(job, rows, row);
        else
            factor_lu_row(job, rows, row);
    for (walk = sparse_begin(a); sparse_next(&walk, job->call);) {
        const double pair[2] = {rows->value[walk.entry].re, rows->value[walk.entry].im};
        if (!job->is_cholesky || walk.column <= walk.row) sparse_write(a->values, a->type, walk.entry, pair);
    }
}

// Do all entries lie in the matrix? An offset that is wrong would lead elsewhere; sparse_next() tells of it.
static bool is_whole(const struct job *job)
{
    int64_t entries = 0, end = 0;
    for (int64_t row = 0; row < job->a.rows; row++) {
        const int64_t next = sparse_index(job->a.offsets, INDEX_32I, row + 1) - job->a.base;
        if (next < end || next > job->a.count) return false;
        end = next;
    }
    for (struct sparse_walk walk = sparse_begin(&job->a); sparse_next(&walk, job->call);) entries++;
    return entries == end;
}

static void run(void *its_job)
{
    const struct job *job = its_job;
    const struct rows rows = {malloc(((size_t)job->a.count + 1) * sizeof *rows.value), job->a.offsets, job->a.indices,
                              malloc(((size_t)job->a.rows + 1) * sizeof *rows.diagonal), job->a.base};
    job->info->position = NONE;
    if (rows.value == NULL || rows.diagonal == NULL)
        sparse_refuse(job->call, CUSPARSE_STATUS_ALLOC_FAILED, "the host has no memory for the rows");
    else if (!is_whole(job))
        sparse_refuse(job->call, CUSPARSE_STATUS_EXECUTION_FAILED,
                      "offsets or indices are wrong: nothing was factored");
    else
        factor(job, &rows);
    free(rows.diagonal);
    free(rows.value);
}

// --- Calls -----------------------------------------------------------------------------------------------------------

static enum cusparse_status submit(void *its_handle, const struct sparse_description *description, struct job *job)
{
    const struct sparse_handle *handle = sparse_handle_of(its_handle, job->call);
    if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    const int holds = description != NULL && job->info != NULL && job->a.rows >= 0 && job->a.count >= 0;
    enum cusparse_status error = sparse_require(holds, job->call, "a size, a descriptor or the info");
    if (error != CUSPARSE_STATUS_SUCCESS) return error;
    job->a.base = description->base;
    job->a.columns = job->a.rows;
    job->a.format = FORMAT_CSR, job->a.offset_type = job->a.index_type = INDEX_32I;
    error = sparse_check_matrix(handle, job->call, &job->a);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(handle, job->call, run, job, sizeof *job);
}

static enum cusparse_status zero_pivot(void *its_handle, const char *call, const struct incomplete *info, int *position)
{
    const struct sparse_handle *handle = sparse_handle_of(its_handle, call);
    if (handle == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (info == NULL || position == NULL) return sparse_require(0, call, "the info or the pointer to the position");
    const enum cusparse_status error = sparse_wait(handle, call);
    if (error == CUSPARSE_STATUS_SUCCESS) *position = info->position;
    return error != CUSPARSE_STATUS_SUCCESS || info->position == NONE ? error : (enum cusparse_status)ZERO_PIVOT;
}

// The stream may still write into what is destroyed.
#define INFO(create, destroy, pivot)                                                                                   \
    CALL(create)(struct incomplete * *info)                                                                            \
    {                                                                                                                  \
        if (info == NULL) return CUSPARSE_STATUS_INVALID_VALUE;                                                        \
        *info = malloc(sizeof **info);                                                                                 \
        if (*info == NULL) return CUSPARSE_STATUS_ALLOC_FAILED;                                                        \
        (*info)->position = NONE;                                                                                      \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    CALL(destroy)(struct incomplete * info)                                                                            \
    {                                                                                                                  \
        cuCtxSynchronize();                                                                                            \
        free(info);                                                                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    CALL(pivot)(void *handle, const struct incomplete *info, int *position)                                            \
    {                                                                                                                  \
        return zero_pivot(handle, __func__, info, position);                                                           \
    }
INFO(cusparseCreateCsrilu02Info, cusparseDestroyCsrilu02Info, cusparseXcsrilu02_zeroPivot)
INFO(cusparseCreateCsric02Info, cusparseDestroyCsric02Info, cusparseXcsric02_zeroPivot)

#define ARGUMENTS                                                                                                      \
    void *handle, int rows, int count, const struct sparse_description *description, void *values, void *offsets,      \
        void *indices, struct incomplete *info

#define INCOMPLETE(name, its_type, cholesky)                                                                           \
    CALL(name##_bufferSize)(ARGUMENTS, int *bytes)                                                                     \
    {                                                                                                                  \
        (void)rows, (void)count, (void)description, (void)values, (void)offsets, (void)indices, (void)info;            \
        if (sparse_handle_of(handle, __func__) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;                        \
        if (bytes == NULL) return sparse_require(0, __func__, "the pointer to the size");                              \
        *bytes = (int)sizeof(double[2]);                                                                               \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    CALL(name##_analysis)(ARGUMENTS, int policy, void *buffer)                                                         \
    {                                                                                                                  \
        (void)rows, (void)count, (void)description, (void)values, (void)offsets, (void)indices, (void)info;            \
        (void)policy, (void)buffer;                                                                                    \
        return sparse_handle_of(handle, __func__) == NULL ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_SUCCESS; \
    }                                                                                                                  \
    CALL(name)(ARGUMENTS, int policy, void *buffer)                                                                    \
    {                                                                                                                  \
        (void)policy, (void)buffer;                                                                                    \
        return submit(handle, description,                                                                             \
                      &(struct job){.call = __func__,                                                                  \
                                    .a = {.type = its_type,                                                            \
                                          .rows = rows,                                                                \
                                          .count = count,                                                              \
                                          .offsets = offsets,                                                          \
                                          .indices = indices,                                                          \
                                          .values = values},                                                           \
                                    .info = info,                                                                      \
                                    .is_cholesky = cholesky});                                                         \
    }

#define EACH(x, type)                                                                                                  \
    INCOMPLETE(cusparse##x##csrilu02, type, 0)                                                                         \
    INCOMPLETE(cusparse##x##csric02, type, 1)
EACH_TYPE(EACH)
