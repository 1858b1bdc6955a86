// SPDX-License-Identifier: MIT
// cublas<t>tpttr and trttp: a packed triangle becomes that of a matrix, and the other way round.
#include <string.h>

#include "queue.h"
#include "shaped.h"

struct repacking {
    struct shape from, to;
};

static void repack(void *its_job)
{
    const struct repacking *job = its_job;
    const size_t bytes = numbers_bytes(job->from.type);
    for (int64_t column = 0; column < job->from.columns; column++)
        for (int64_t row = 0; row < job->from.rows; row++) {
            const int64_t at = shape_place(&job->from, row, column), to = shape_place(&job->to, row, column);
            if (at >= 0)
                memcpy((uint8_t *)job->to.at + to * (int64_t)bytes, (const uint8_t *)job->from.at + at * (int64_t)bytes,
                       bytes);
        }
}

static enum cublas_status submit(const struct shaped_call *call, int fill, const struct repacking *job)
{
    const struct blas_handle *handle = blas_handle_of(call->handle, call->name);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int64_t n = job->from.rows, leading = job->from.leading + job->to.leading;
    enum cublas_status error =
        shaped_check(call, fill >> 1 == 0 && n >= 0 && leading >= (n > 1 ? n : 1), "uplo, n, lda");
    if (error != CUBLAS_STATUS_SUCCESS || n == 0) return error;
    if (!queue_is_captured(handle->base.stream)) {
        error = blas_check_memory(call->name, "the source", job->from.at, shape_bytes(&job->from));
        if (error == CUBLAS_STATUS_SUCCESS)
            error = blas_check_memory(call->name, "the result", job->to.at, shape_bytes(&job->to));
    }
    return error != CUBLAS_STATUS_SUCCESS ? error
                                          : blas_submit(call->name, handle->base.stream, repack, job, sizeof *job);
}

static struct shape triangle(const void *at, int type, int fill, int64_t n, int64_t leading)
{
    return (struct shape){.at = (void *)at,
                          .type = type,
                          .kind = leading == 0 ? SHAPE_PACKED : SHAPE_TRIANGLE,
                          .is_lower = fill == 0,
                          .rows = n,
                          .columns = n,
                          .leading = leading};
}

#define REPACK(x, type)                                                                                                \
    BLAS_VISIBLE enum cublas_status cublas##x##tpttr(void *handle, int fill, int n, const void *packed, void *a,       \
                                                     int lda)                                                          \
    {                                                                                                                  \
        return submit(&(struct shaped_call){__func__, handle, type}, fill,                                             \
                      &(struct repacking){triangle(packed, type, fill, n, 0), triangle(a, type, fill, n, lda)});       \
    }                                                                                                                  \
    BLAS_VISIBLE enum cublas_status cublas##x##trttp(void *handle, int fill, int n, const void *a, int lda,            \
                                                     void *packed)                                                     \
    {                                                                                                                  \
        return submit(&(struct shaped_call){__func__, handle, type}, fill,                                             \
                      &(struct repacking){triangle(a, type, fill, n, lda), triangle(packed, type, fill, n, 0)});       \
    }
EACH_TYPE(REPACK)
