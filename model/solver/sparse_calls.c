// SPDX-License-Identifier: MIT
// cusolverSp: systems of sparse equations, alone and in batches, and other orders of the rows. Those of the device wait
// for what is before in the stream, because they give a number of the host.
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "queue.h"
#include "solver.h"
#include "sparse.h"
#include "sparse_rows.h"

static const struct handle_kind kind = {0x736f7370,
                                        "cusolverSpCreate",
                                        CUSOLVER_STATUS_NOT_INITIALIZED,
                                        CUSOLVER_STATUS_ALLOC_FAILED,
                                        CUSOLVER_STATUS_INVALID_VALUE,
                                        {12, 0, 4}};

#define CALL(name) SOLVER_VISIBLE enum cusolver_status name

CALL(cusolverSpCreate)(struct handle **handle)
{
    return handle_make(&kind, handle, sizeof **handle);
}

CALL(cusolverSpDestroy)(struct handle *handle)
{
    return handle_destroy(&kind, handle, __func__);
}

HANDLE_SETTING(SOLVER_VISIBLE enum cusolver_status, kind, struct handle, cusolverSpSetStream, cusolverSpGetStream,
               struct CUstream_st *, stream, 1)

// --- What calls share ------------------------------------------------------------------------------------------------

// A matrix of a call, and who calls. is_host: all of its memory is the host's.
struct asked {
    const char *call;
    const struct handle *handle;
    struct sparse_rows a;
    int64_t count;
    bool is_host;
};

static enum cusolver_status check_bytes(const struct asked *asked, const char *what, const void *at, int64_t bytes)
{
    if (asked->is_host) return solver_require(at != NULL || bytes == 0, asked->call, what);
    const char *fault = queue_memory_fault(at, (size_t)bytes);
    if (fault == NULL) return CUSOLVER_STATUS_SUCCESS;
    return solver_refuse(asked->call, CUSOLVER_STATUS_EXECUTION_FAILED, "%s: the %lld bytes from %p on %s", what,
                         (long long)bytes, at, fault);
}

// Sizes and memory, and what is before in the stream is done. Values and what is beside a pattern have their own
// checks.
static enum cusolver_status check(const struct asked *asked)
{
    const int64_t n = asked->a.n, bytes = (int64_t)sizeof(int);
    if (!handle_is(&kind, asked->handle, asked->call)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    enum cusolver_status error =
        solver_require(n >= 0 && asked->count >= 0 && asked->a.ends != NULL, asked->call, "n, m, nnz or csrEndPtr");
    if (error != CUSOLVER_STATUS_SUCCESS || n == 0) return error;
    if (!asked->is_host && cuStreamSynchronize(asked->handle->stream) != CUDA_SUCCESS)
        return solver_refuse(asked->call, CUSOLVER_STATUS_EXECUTION_FAILED,
                             "the stream cannot be waited for, and the call gives a number of the host");
    error = check_bytes(asked, "csrRowPtr", asked->a.offsets, (n + 1) * bytes);
    if (error == CUSOLVER_STATUS_SUCCESS)
        error = check_bytes(asked, "csrColInd", asked->a.columns, asked->count * bytes);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    for (int64_t row = 0; row < n; row++)
        if (asked->a.ends[row] - asked->a.base > asked->count)
            return solver_refuse(asked->call, CUSOLVER_STATUS_INVALID_VALUE, "row %lld ends at %d, and nnz is %lld",
                                 (long long)row, asked->a.ends[row], (long long)asked->count);
    const int64_t fault = sparse_rows_fault(&asked->a);
    return fault < 0 ? CUSOLVER_STATUS_SUCCESS
                     : solver_refuse(asked->call, CUSOLVER_STATUS_INVALID_VALUE,
                                     "row %lld of the matrix has an offset or a column that is outside of it, counted "
                                     "from %d",
                                     (long long)fault, asked->a.base);
}

static struct sparse_rows rows_of(int64_t n, int type, const struct sparse_description *description, const void *values,
                                  const int *offsets)
{
    const int base = description == NULL ? 0 : description->base;
    return (struct sparse_rows){n, base, type, offsets, offsets + 1, NULL, values};
}

// x becomes the solution of A x = b.
static int64_t solve(const struct sparse_rows *a, double tolerance, bool is_definite, const void *b, void *x)
{
    struct dense right = dense_read(b, a->type, a->n, 1, a->n);
    const int64_t result = right.at == NULL ? SPARSE_NO_MEMORY : sparse_rows_solve(a, tolerance, is_definite, right.at);
    if (result == SPARSE_SOLVED) dense_write(x, a->type, a->n, &right);
    free(right.at);
    return result;
}

// The right side, the solution, and what is said of a matrix that has none.
struct system {
    const void *b;
    void *x;
    double tolerance;
    bool is_definite;
    int *singularity;
};

static enum cusolver_status solve_system(const struct asked *asked, const struct system *system)
{
    const int64_t bytes = (int64_t)numbers_bytes(asked->a.type);
    enum cusolver_status error = check(asked);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    if (system->singularity == NULL) return solver_require(false, asked->call, "the pointer to the singularity");
    error = check_bytes(asked, "csrVal", asked->a.values, asked->count * bytes);
    if (error == CUSOLVER_STATUS_SUCCESS) error = check_bytes(asked, "b", system->b, asked->a.n * bytes);
    if (error == CUSOLVER_STATUS_SUCCESS) error = check_bytes(asked, "x", system->x, asked->a.n * bytes);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    const int64_t result = solve(&asked->a, system->tolerance, system->is_definite, system->b, system->x);
    if (result == SPARSE_NO_MEMORY) return CUSOLVER_STATUS_ALLOC_FAILED;
    *system->singularity = (int)result;
    return CUSOLVER_STATUS_SUCCESS;
}

// --- Systems ---------------------------------------------------------------------------------------------------------

#define SYSTEM(name, number_type, of_type, host, definite)                                                             \
    CALL(name)                                                                                                         \
    (void *handle, int n, int count, const struct sparse_description *description, const void *values,                 \
     const int *offsets, const int *columns, const void *b, number_type tolerance, int reorder, void *x,               \
     int *singularity)                                                                                                 \
    {                                                                                                                  \
        struct asked asked = {__func__, handle, rows_of(n, of_type, description, values, offsets), count, host};       \
        (void)reorder;                                                                                                 \
        asked.a.columns = columns;                                                                                     \
        return solve_system(&asked, &(struct system){b, x, (double)tolerance, definite, singularity});                 \
    }
#define SYSTEMS(x, number_type, of_type)                                                                               \
    SYSTEM(cusolverSp##x##csrlsvqr, number_type, of_type, 0, 0)                                                        \
    SYSTEM(cusolverSp##x##csrlsvqrHost, number_type, of_type, 1, 0)                                                    \
    SYSTEM(cusolverSp##x##csrlsvchol, number_type, of_type, 0, 1)                                                      \
    SYSTEM(cusolverSp##x##csrlsvcholHost, number_type, of_type, 1, 1)                                                  \
    SYSTEM(cusolverSp##x##csrlsvluHost, number_type, of_type, 1, 0)

SYSTEMS(S, float, CUDA_R_32F)
SYSTEMS(D, double, CUDA_R_64F)
SYSTEMS(C, float, CUDA_C_32F)
SYSTEMS(Z, double, CUDA_C_64F)

// --- Batches: one pattern, and other numbers in each -----------------------------------------------------------------

struct batch {
    const char *call;
    struct sparse_rows a;
    int64_t count, batches;
    const uint8_t *b;
    uint8_t *x;
};

static void run_batch(void *its_job)
{
    const struct batch *job = its_job;
    struct sparse_rows a = job->a;
    const int64_t bytes = (int64_t)numbers_bytes(a.type);
    for (int64_t i = 0; i < job->batches; i++) {
        a.values = (const uint8_t *)job->a.values + i * job->count * bytes;
        const int64_t result = solve(&a, 0, false, job->b + i * a.n * bytes, job->x + i * a.n * bytes);
        if (result == SPARSE_SOLVED) continue;
        solver_refuse(job->call, CUSOLVER_STATUS_EXECUTION_FAILED,
                      result == SPARSE_NO_MEMORY ? "the host has no memory for matrix %lld"
                                                 : "matrix %lld is singular, so its x is left alone",
                      (long long)i + 1);
    }
}

static enum cusolver_status solve_batch(const struct asked *asked, int64_t rows, const void *b, void *x,
                                        int64_t batches)
{
    const int64_t bytes = (int64_t)numbers_bytes(asked->a.type);
    if (rows != asked->a.n)
        return solver_refuse(asked->call, CUSOLVER_STATUS_NOT_SUPPORTED,
                             "m is %lld and n is %lld; tmaref solves square systems alone", (long long)rows,
                             (long long)asked->a.n);
    enum cusolver_status error = check(asked);
    if (error == CUSOLVER_STATUS_SUCCESS) error = solver_require(batches > 0, asked->call, "batchSize");
    if (error == CUSOLVER_STATUS_SUCCESS)
        error = check_bytes(asked, "csrVal", asked->a.values, asked->count * batches * bytes);
    if (error == CUSOLVER_STATUS_SUCCESS) error = check_bytes(asked, "b", b, rows * batches * bytes);
    if (error == CUSOLVER_STATUS_SUCCESS) error = check_bytes(asked, "x", x, rows * batches * bytes);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    const struct batch job = {asked->call, asked->a, asked->count, batches, b, x};
    return queue_run(asked->handle->stream, run_batch, &job, sizeof job) == CUDA_SUCCESS
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_EXECUTION_FAILED;
}

// What an analysis finds is found again by each solution, so it holds nothing.
CALL(cusolverSpCreateCsrqrInfo)(void **info)
{
    if (info == NULL) return solver_require(false, __func__, "the pointer to the info");
    *info = calloc(1, 1);
    return *info != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

CALL(cusolverSpDestroyCsrqrInfo)(void *info)
{
    free(info);
    return CUSOLVER_STATUS_SUCCESS;
}

CALL(cusolverSpXcsrqrAnalysisBatched)
(void *handle, int m, int n, int count, const struct sparse_description *description, const int *offsets,
 const int *columns, void *info)
{
    struct asked asked = {__func__, handle, rows_of(n, CUDA_R_64F, description, NULL, offsets), count, false};
    asked.a.columns = columns;
    (void)m;
    return info == NULL ? solver_require(false, __func__, "the info") : check(&asked);
}

#define BATCHED(x, of_type)                                                                                            \
    CALL(cusolverSp##x##csrqrBufferInfoBatched)                                                                        \
    (void *handle, int m, int n, int count, const struct sparse_description *description, const void *values,          \
     const int *offsets, const int *columns, int batches, void *info, size_t *inside, size_t *workspace)               \
    {                                                                                                                  \
        (void)m, (void)n, (void)count, (void)description, (void)values, (void)offsets, (void)columns, (void)batches;   \
        if (!handle_is(&kind, handle, __func__)) return CUSOLVER_STATUS_NOT_INITIALIZED;                               \
        if (info == NULL || inside == NULL || workspace == NULL) return solver_require(0, __func__, "a pointer");      \
        *inside = *workspace = 16;                                                                                     \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    CALL(cusolverSp##x##csrqrsvBatched)                                                                                \
    (void *handle, int m, int n, int count, const struct sparse_description *description, const void *values,          \
     const int *offsets, const int *columns, const void *b, void *its_x, int batches, void *info, void *work)          \
    {                                                                                                                  \
        struct asked asked = {__func__, handle, rows_of(n, of_type, description, values, offsets), count, 0};          \
        (void)info, (void)work;                                                                                        \
        asked.a.columns = columns;                                                                                     \
        return solve_batch(&asked, m, b, its_x, batches);                                                              \
    }
EACH_TYPE(BATCHED)

// --- Orders ----------------------------------------------------------------------------------------------------------

static enum cusolver_status order(const struct asked *asked, int *to)
{
    const enum cusolver_status error = check(asked);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    if (to == NULL) return solver_require(false, asked->call, "p");
    int64_t *found = malloc(((size_t)asked->a.n + 1) * sizeof *found);
    const bool has_memory = found != NULL && sparse_rows_order(&asked->a, found);
    for (int64_t i = 0; has_memory && i < asked->a.n; i++) to[i] = (int)found[i];
    free(found);
    return has_memory ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

#define ORDER(name)                                                                                                    \
    CALL(name)                                                                                                         \
    (void *handle, int n, int count, const struct sparse_description *description, const int *offsets,                 \
     const int *columns, int *p)                                                                                       \
    {                                                                                                                  \
        struct asked asked = {__func__, handle, rows_of(n, CUDA_R_64F, description, NULL, offsets), count, 1};         \
        asked.a.columns = columns;                                                                                     \
        return order(&asked, p);                                                                                       \
    }
ORDER(cusolverSpXcsrsymrcmHost)
ORDER(cusolverSpXcsrsymmdqHost)
ORDER(cusolverSpXcsrsymamdHost)

CALL(cusolverSpXcsrmetisndHost)
(void *handle, int n, int count, const struct sparse_description *description, const int *offsets, const int *columns,
 const int64_t *options, int *p)
{
    struct asked asked = {__func__, handle, rows_of(n, CUDA_R_64F, description, NULL, offsets), count, true};
    (void)options;
    asked.a.columns = columns;
    return order(&asked, p);
}

static bool has_element(const struct sparse_rows *a, int64_t row, int column)
{
    for (int64_t i = a->offsets[row] - a->base; i < a->ends[row] - a->base; i++)
        if (a->columns[i] == column) return true;
    return false;
}

// Of the pattern; numbers are not asked for.
CALL(cusolverSpXcsrissymHost)
(void *handle, int n, int count, const struct sparse_description *description, const int *offsets, const int *ends,
 const int *columns, int *is_symmetric)
{
    struct asked asked = {__func__, handle, rows_of(n, CUDA_R_64F, description, NULL, offsets), count, true};
    asked.a.columns = columns;
    asked.a.ends = ends;
    const enum cusolver_status error = check(&asked);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    if (is_symmetric == NULL) return solver_require(false, __func__, "issym");
    *is_symmetric = 1;
    for (int64_t row = 0; row < n && *is_symmetric; row++)
        for (int64_t i = offsets[row] - asked.a.base; i < ends[row] - asked.a.base && *is_symmetric; i++)
            *is_symmetric = has_element(&asked.a, columns[i] - asked.a.base, (int)row + asked.a.base);
    return CUSOLVER_STATUS_SUCCESS;
}

// Where each column goes.
static int *turned(const int *order_of, int64_t count)
{
    int *to = malloc(((size_t)count + 1) * sizeof *to);
    for (int64_t i = 0; to != NULL && i < count; i++) to[i] = -1;
    for (int64_t i = 0; to != NULL && i < count; i++)
        if (order_of[i] >= 0 && order_of[i] < count) to[order_of[i]] = (int)i;
    for (int64_t i = 0; to != NULL && i < count; i++)
        if (to[i] < 0) {
            free(to);
            return NULL;
        }
    return to;
}

// Row i of B is row p[i] of A, with its columns in their new places, in rising order.
static void permute(const struct sparse_rows *a, const int *p, const int *place, int *const to[3], const int *map)
{
    enum { OFFSETS, COLUMNS, MAP };
    int at = 0;
    for (int64_t row = 0; row < a->n; row++) {
        const int first = at;
        to[OFFSETS][row] = first + a->base;
        for (int i = a->offsets[p[row]] - a->base; i < a->ends[p[row]] - a->base; i++, at++) {
            const int column = place[a->columns[i] - a->base] + a->base;
            int j = at;
            for (; j > first && to[COLUMNS][j - 1] > column; j--)
                to[COLUMNS][j] = to[COLUMNS][j - 1], to[MAP][j] = to[MAP][j - 1];
            to[COLUMNS][j] = column;
            to[MAP][j] = map[i];
        }
    }
    to[OFFSETS][a->n] = at + a->base;
}

CALL(cusolverSpXcsrperm_bufferSizeHost)
(void *handle, int m, int n, int count, const struct sparse_description *description, const int *offsets,
 const int *columns, const int *p, const int *q, size_t *bytes)
{
    (void)m, (void)n, (void)count, (void)description, (void)offsets, (void)columns, (void)p, (void)q;
    if (!handle_is(&kind, handle, __func__)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (bytes == NULL) return solver_require(false, __func__, "the pointer to the size");
    *bytes = 16;
    return CUSOLVER_STATUS_SUCCESS;
}

CALL(cusolverSpXcsrpermHost)
(void *handle, int m, int n, int count, const struct sparse_description *description, int *offsets, int *columns,
 const int *p, const int *q, int *map, void *work)
{
    struct asked asked = {__func__, handle, rows_of(n, CUDA_R_64F, description, NULL, offsets), count, true};
    (void)work;
    asked.a.columns = columns;
    enum cusolver_status error = check(&asked);
    if (error != CUSOLVER_STATUS_SUCCESS) return error;
    if (m != n)
        return solver_refuse(__func__, CUSOLVER_STATUS_NOT_SUPPORTED, "m is %d and n is %d; tmaref has square alone", m,
                             n);
    if (p == NULL || q == NULL || map == NULL) return solver_require(false, __func__, "p, q or map");
    const size_t elements = (size_t)count + 1, rows = (size_t)n + 1;
    int *place = turned(q, n), *rows_of_p = turned(p, n);
    int *const to[] = {malloc(rows * sizeof(int)), malloc(elements * sizeof(int)), malloc(elements * sizeof(int))};
    const bool has_memory = to[0] != NULL && to[1] != NULL && to[2] != NULL;
    error = solver_require(place != NULL && rows_of_p != NULL, __func__, "p or q");
    if (error == CUSOLVER_STATUS_SUCCESS && has_memory) {
        permute(&asked.a, p, place, to, map);
        memcpy(offsets, to[0], rows * sizeof(int));
        memcpy(columns, to[1], (elements - 1) * sizeof(int));
        memcpy(map, to[2], (elements - 1) * sizeof(int));
    }
    for (int i = 0; i < 3; i++) free(to[i]);
    free(rows_of_p);
    free(place);
    return has_memory || error != CUSOLVER_STATUS_SUCCESS ? error : CUSOLVER_STATUS_ALLOC_FAILED;
}
