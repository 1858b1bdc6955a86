// SPDX-License-Identifier: MIT
// The simulated libcusparse: what its calls share. A call becomes a function of the host that its stream runs, in
// double precision; each result is rounded once.
//   blocks.c       matrices that consist of blocks, or are filled up; batches
//   entries.c      the entries of a sparse matrix, one after the other
//   product.c      products with vectors and matrices, and systems of triangles
//   spgemm.c       products of sparse matrices
//   bands.c        systems of three and five diagonals
//   geam.c         sums of sparse matrices
//   incomplete.c   incomplete factors
//   convert.c      other formats
//   vectors.c      sparse vectors, and entries that are put in order
//   descriptors.c  matrices and vectors as the program describes them
//   handle.c       handles, versions, memory
#ifndef TMAREF_SPARSE_SPARSE_H
#define TMAREF_SPARSE_SPARSE_H

#include "cuda_abi.h"
#include "handle.h"
#include "numbers.h"
#include "refusal.h"

#define SPARSE_VISIBLE __attribute__((visibility("default")))

// cusparseStatus_t, as cusparse.h has it.
enum cusparse_status {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10
};

// cusparseFormat_t, cusparseIndexType_t, cusparseOrder_t, cusparseOperation_t, cusparsePointerMode_t
enum { FORMAT_CSR = 1, FORMAT_CSC = 2, FORMAT_COO = 3, FORMAT_ELL = 5, FORMAT_BSR = 6, FORMAT_SLICED_ELL = 7 };
enum { INDEX_16U = 1, INDEX_32I = 2, INDEX_64I = 3 };
enum { ORDER_COLUMN = 1, ORDER_ROW = 2 };
enum { OPERATION_PLAIN, OPERATION_TRANSPOSED, OPERATION_ADJOINT };
enum { MODE_HOST, MODE_DEVICE };

struct sparse_handle {
    struct handle base;
    int pointer_mode;
};

// Of COO, `offsets` are the rows of the entries. `count` is the number of entries; where blocks are stored, of their
// elements, and where rows are filled up, of these too.
struct sparse_matrix {
    int format, offset_type, index_type, base, type, fill, diagonal;
    int64_t rows, columns, count;
    void *offsets, *indices, *values;
    int64_t block_rows, block_columns; // of BSR and blocked ELL; of sliced ELL the rows of a slice
    int64_t width;                     // of blocked ELL: columns that are stored
    int block_order;                   // of BSR
    int64_t given;                     // of sliced ELL: entries besides what is filled up
    struct sparse_batches {
        int count;
        int64_t offsets, indices, values; // how far one matrix lies behind the other
    } batches;
};

struct sparse_vector {
    int64_t size, count;
    void *indices, *values;
    int index_type, base, type;
};

struct dense_vector {
    int64_t size;
    void *values;
    int type;
};

struct dense_matrix {
    int64_t rows, columns, leading;
    void *values;
    int type, order;
    int batches;
    int64_t stride;
};

// Of the older calls (cusparseMatDescr_t).
struct sparse_description {
    int type, fill, diagonal, base;
};

// A number, or where one is in memory of the device.
struct sparse_factor {
    int type;
    const void *device;
    double value[2];
};

// NULL if it was never made, or was destroyed; the call returns NOT_INITIALIZED.
struct sparse_handle *sparse_handle_of(void *handle, const char *call);

// The stream runs run(copy of `job`), when all before it is done.
enum cusparse_status sparse_submit(const struct sparse_handle *handle, const char *call, void (*run)(void *job),
                                   const void *job, size_t bytes);

// Waits for what is before in the stream; a capture is not waited for.
enum cusparse_status sparse_wait(const struct sparse_handle *handle, const char *call);

// Is [at, at + bytes) memory that the device may access? In a capture, nobody is asked.
enum cusparse_status sparse_check(const struct sparse_handle *handle, const char *call, const char *what,
                                  const void *at, int64_t bytes);
enum cusparse_status sparse_check_matrix(const struct sparse_handle *handle, const char *call,
                                         const struct sparse_matrix *matrix);
enum cusparse_status sparse_check_dense(const struct sparse_handle *handle, const char *call, const char *what,
                                        const struct dense_matrix *matrix);

enum cusparse_status sparse_require(int holds, const char *call, const char *what);
#define sparse_refuse(...) refusal_as(__VA_ARGS__)

// What a call that no file defines does.
int sparse_missing(const char *call, int *was_told);

// A factor of the host is read now, one of the device when the job runs.
struct sparse_factor sparse_factor_of(const struct sparse_handle *handle, int type, const void *at);
void sparse_factor_value(const struct sparse_factor *factor, double to[2]);

// --- Elements --------------------------------------------------------------------------------------------------------

int64_t sparse_index_bytes(int type); // 0: there is no such type
int64_t sparse_index(const void *indices, int type, int64_t at);
void sparse_set_index(void *indices, int type, int64_t at, int64_t value);

// Real and imaginary part; of reals that is 0.
void sparse_read(const void *at, int type, int64_t index, double to[2]);
void sparse_write(void *at, int type, int64_t index, const double from[2]);

// Where element (row, column) of a dense matrix is.
static inline int64_t dense_index(const struct dense_matrix *matrix, int64_t row, int64_t column)
{
    return matrix->order == ORDER_ROW ? row * matrix->leading + column : row + column * matrix->leading;
}

// How many numbers of offsets and of indices a matrix has.
int64_t sparse_offsets(const struct sparse_matrix *matrix);
int64_t sparse_indices(const struct sparse_matrix *matrix);

// Keeps a description for the program, which frees it.
enum cusparse_status sparse_keep_matrix(const char *call, void **to, const struct sparse_matrix *matrix);

// The matrices of a batch.
struct sparse_matrix sparse_of_batch(const struct sparse_matrix *matrix, int64_t batch);
struct dense_matrix dense_of_batch(const struct dense_matrix *matrix, int64_t batch);

// One entry after the other, in the order that they lie in. What only fills up is passed over.
struct sparse_walk {
    const struct sparse_matrix *matrix;
    int64_t at, end, major;
    int64_t row, column, entry; // of the last sparse_next()
};

struct sparse_walk sparse_begin(const struct sparse_matrix *matrix);

// 0 at the end. An entry outside of the matrix ends the walk, and is told.
bool sparse_next(struct sparse_walk *walk, const char *call);

#endif
