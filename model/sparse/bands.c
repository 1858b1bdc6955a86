// SPDX-License-Identifier: MIT
// Systems of three or five diagonals: gtsv2, gtsvInterleavedBatch, gpsvInterleavedBatch. Rows are exchanged for the
// greatest pivot, also by the calls that need not.
#include <stdlib.h>

#include "dense.h"
#include "sparse.h"

enum { MOST_REACH = 2, WIDEST = 2 * MOST_REACH + 1 };

// The diagonals from the lowest to the highest, `reach` of them on each side; element i belongs to row i. x is the
// right side, then the solution. Rows lie row_step apart, batches batch_step, right sides of one matrix `leading`.
struct bands {
    const char *call;
    int type, reach;
    int64_t rows, columns, batches, row_step, batch_step, leading;
    const void *diagonal[WIDEST];
    void *x;
};

typedef struct complex_number number;

static number read_at(const struct bands *job, const void *from, int64_t at)
{
    double pair[2];
    sparse_read(from, job->type, at, pair);
    return (number){pair[0], pair[1]};
}

// A row whose numbers begin with the column that is next to be eliminated.
struct row {
    number at[WIDEST], right;
};

static struct row row_of(const struct bands *job, int64_t row, int64_t first, int64_t batch, int64_t column)
{
    struct row to = {0};
    const int64_t place = row * job->row_step + batch * job->batch_step;
    for (int i = 0; i <= 2 * job->reach; i++) {
        const int64_t offset = first + i - row + job->reach;
        if (first + i < job->rows && offset >= 0 && offset <= 2 * job->reach)
            to.at[i] = read_at(job, job->diagonal[offset], place);
    }
    to.right = read_at(job, job->x, place + column * job->leading);
    return to;
}

static void eliminate(struct row *row, const struct row *pivot, int width)
{
    const number factor = complex_quotient(row->at[0], pivot->at[0]);
    for (int i = 1; i < width; i++)
        row->at[i - 1] = complex_difference(row->at[i], complex_product(factor, pivot->at[i]));
    row->at[width - 1] = (number){0, 0};
    row->right = complex_difference(row->right, complex_product(factor, pivot->right));
}

// The rows under way are those that have a number in the column: `reach` more than the one that is done next.
static void solve(const struct bands *job, int64_t batch, int64_t column, struct row *done)
{
    struct row window[MOST_REACH + 1];
    const int width = 2 * job->reach + 1;
    int64_t rows = 0, next = 0;
    for (int64_t k = 0; k < job->rows; k++) {
        int best = 0;
        for (; rows <= job->reach && next < job->rows; next++) window[rows++] = row_of(job, next, k, batch, column);
        for (int i = 1; i < rows; i++)
            if (complex_square(window[i].at[0]) > complex_square(window[best].at[0])) best = i;
        done[k] = window[best];
        window[best] = window[0];
        for (int i = 1; i < rows; i++) {
            eliminate(&window[i], &done[k], width);
            window[i - 1] = window[i];
        }
        rows--;
    }
    for (int64_t k = job->rows - 1; k >= 0; k--) {
        for (int i = 1; i < width && k + i < job->rows; i++)
            done[k].right = complex_difference(done[k].right, complex_product(done[k].at[i], done[k + i].right));
        done[k].right = complex_quotient(done[k].right, done[k].at[0]);
        sparse_write(job->x, job->type, k * job->row_step + batch * job->batch_step + column * job->leading,
                     (const double[]){done[k].right.re, done[k].right.im});
    }
}

static void run(void *its_job)
{
    const struct bands *job = its_job;
    struct row *done = malloc(((size_t)job->rows + 1) * sizeof *done);
    for (int64_t batch = 0; done != NULL && batch < job->batches; batch++)
        for (int64_t column = 0; column < job->columns; column++) solve(job, batch, column, done);
    if (done == NULL) sparse_refuse(job->call, CUSPARSE_STATUS_ALLOC_FAILED, "the host has no memory for its rows");
    free(done);
}

static enum cusparse_status submit(void *handle, const struct bands *job)
{
    const struct sparse_handle *known = sparse_handle_of(handle, job->call);
    if (known == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    const int64_t bytes = (int64_t)numbers_bytes(job->type);
    enum cusparse_status error = sparse_require(
        job->rows >= 0 && job->columns >= 0 && job->batches >= 0 && (job->columns <= 1 || job->leading >= job->rows) &&
            (job->batches <= 1 || job->row_step > 1 || job->batch_step >= job->rows),
        job->call, "m, n, ldb, batchCount or batchStride");
    if (error != CUSPARSE_STATUS_SUCCESS || job->rows == 0 || job->columns == 0 || job->batches == 0) return error;
    const int64_t last = (job->rows - 1) * job->row_step + (job->batches - 1) * job->batch_step;
    for (int i = 0; i <= 2 * job->reach && error == CUSPARSE_STATUS_SUCCESS; i++)
        error = sparse_check(known, job->call, "a diagonal", job->diagonal[i], (last + 1) * bytes);
    if (error == CUSPARSE_STATUS_SUCCESS)
        error = sparse_check(known, job->call, "the right side", job->x,
                             (last + (job->columns - 1) * job->leading + 1) * bytes);
    return error != CUSPARSE_STATUS_SUCCESS ? error : sparse_submit(known, job->call, run, job, sizeof *job);
}

// No buffer is needed.
static enum cusparse_status buffer(void *handle, const char *call, size_t *bytes)
{
    if (sparse_handle_of(handle, call) == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return sparse_require(0, call, "the pointer to the size");
    *bytes = 16;
    return CUSPARSE_STATUS_SUCCESS;
}

#define CALL(name) SPARSE_VISIBLE enum cusparse_status name
#define UNUSED     (void)
#define THREE      const void *dl, const void *d, const void *du
#define NO_THREE   UNUSED dl, UNUSED d, UNUSED du
#define GTSV(name, its_type)                                                                                           \
    CALL(name##_bufferSizeExt)(void *handle, int m, int n, THREE, const void *b, int ldb, size_t *bytes)               \
    {                                                                                                                  \
        NO_THREE, UNUSED m, UNUSED n, UNUSED b, UNUSED ldb;                                                            \
        return buffer(handle, __func__, bytes);                                                                        \
    }                                                                                                                  \
    CALL(name)(void *handle, int m, int n, THREE, void *b, int ldb, void *work)                                        \
    {                                                                                                                  \
        UNUSED work;                                                                                                   \
        return submit(handle, &(struct bands){__func__, its_type, 1, m, n, 1, 1, 0, ldb, {dl, d, du}, b});             \
    }
#define STRIDED(name, its_type)                                                                                        \
    CALL(name##_bufferSizeExt)                                                                                         \
    (void *handle, int m, THREE, const void *x, int batches, int batch_step, size_t *bytes)                            \
    {                                                                                                                  \
        NO_THREE, UNUSED m, UNUSED x, UNUSED batches, UNUSED batch_step;                                               \
        return buffer(handle, __func__, bytes);                                                                        \
    }                                                                                                                  \
    CALL(name)(void *handle, int m, THREE, void *x, int batches, int batch_step, void *work)                           \
    {                                                                                                                  \
        UNUSED work;                                                                                                   \
        return submit(handle,                                                                                          \
                      &(struct bands){__func__, its_type, 1, m, 1, batches, 1, batch_step, 0, {dl, d, du}, x});        \
    }
#define INTERLEAVED(name, its_type)                                                                                    \
    CALL(name##_bufferSizeExt)                                                                                         \
    (void *handle, int algorithm, int m, THREE, const void *x, int batches, size_t *bytes)                             \
    {                                                                                                                  \
        NO_THREE, UNUSED algorithm, UNUSED m, UNUSED x, UNUSED batches;                                                \
        return buffer(handle, __func__, bytes);                                                                        \
    }                                                                                                                  \
    CALL(name)(void *handle, int algorithm, int m, THREE, void *x, int batches, void *work)                            \
    {                                                                                                                  \
        UNUSED work, UNUSED algorithm;                                                                                 \
        return submit(handle, &(struct bands){__func__, its_type, 1, m, 1, batches, batches, 1, 0, {dl, d, du}, x});   \
    }
#define FIVE(name, its_type)                                                                                           \
    CALL(name##_bufferSizeExt)                                                                                         \
    (void *handle, int algorithm, int m, const void *ds, THREE, const void *dw, const void *x, int batches,            \
     size_t *bytes)                                                                                                    \
    {                                                                                                                  \
        NO_THREE, UNUSED algorithm, UNUSED m, UNUSED ds, UNUSED dw, UNUSED x, UNUSED batches;                          \
        return buffer(handle, __func__, bytes);                                                                        \
    }                                                                                                                  \
    CALL(name)                                                                                                         \
    (void *handle, int algorithm, int m, const void *ds, THREE, const void *dw, void *x, int batches, void *work)      \
    {                                                                                                                  \
        UNUSED work, UNUSED algorithm;                                                                                 \
        return submit(handle,                                                                                          \
                      &(struct bands){__func__, its_type, 2, m, 1, batches, batches, 1, 0, {ds, dl, d, du, dw}, x});   \
    }
#define EACH(x, type)                                                                                                  \
    GTSV(cusparse##x##gtsv2, type)                                                                                     \
    GTSV(cusparse##x##gtsv2_nopivot, type)                                                                             \
    STRIDED(cusparse##x##gtsv2StridedBatch, type)                                                                      \
    INTERLEAVED(cusparse##x##gtsvInterleavedBatch, type)                                                               \
    FIVE(cusparse##x##gpsvInterleavedBatch, type)
EACH_TYPE(EACH)
