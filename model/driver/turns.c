// SPDX-License-Identifier: MIT
#include "turns.h"

#include <time.h>

#include "capture.h"

// The order of streams: each in itself, and the default one of all threads with those that do not ask to be left out.
static int is_behind(const struct CUstream_st *stream, const struct CUstream_st *other)
{
    if (stream == other) return 1;
    if (stream->context != other->context) return 0;
    if (!stream_is_of_all(stream) && !stream_is_of_all(other)) return 0;
    return ((stream->flags | other->flags) & CU_STREAM_NON_BLOCKING) == 0;
}

static int is_held_up(const struct driver *driver, const struct CUstream_st *stream, const struct CUgraphExec_st *exec)
{
    for (const struct turn *turn = driver->turns; turn != NULL; turn = turn->next) {
        const int is_same = exec != NULL && turn->exec == exec;
        if (turn->thread != stream_thread() && (stream == NULL || is_same || is_behind(stream, turn->stream))) return 1;
    }
    return 0;
}

int turns_are_before(const struct driver *driver, const struct CUstream_st *stream)
{
    return is_held_up(driver, stream, NULL);
}

void turns_wait(struct driver *driver, const struct CUstream_st *stream)
{
    while (turns_are_before(driver, stream)) driver_wait(driver);
}

enum cuda_result turn_begin(struct driver *driver, struct turn *turn, const struct CUstream_st *stream,
                            const struct CUgraphExec_st *exec)
{
    while (is_held_up(driver, stream, exec)) driver_wait(driver);
    if (driver_usable(driver) != CUDA_SUCCESS) return driver_usable(driver);
    if (!object_is(stream, OBJECT_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
    if (exec != NULL && !object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    *turn = (struct turn){stream, exec, stream_thread(), driver->turns};
    driver->turns = turn;
    return CUDA_SUCCESS;
}

void turn_end(struct driver *driver, struct turn *turn)
{
    struct turn **at = &driver->turns;
    while (*at != turn) at = &(*at)->next;
    *at = turn->next;
    driver->turns_ended++;
    atomic_fetch_add(&driver->waiting, driver->sleeping);
    driver->sleeping = 0;
    pthread_cond_broadcast(&driver->ended);
}

void turns_let(void *context)
{
    struct driver *driver = context;
    const struct timespec moment = {.tv_nsec = 20000};
    if (atomic_load(&driver->waiting) == 0) return;
    const int held = driver_release(driver);
    nanosleep(&moment, NULL); // the lock is not fair
    driver_retake(driver, held);
}
