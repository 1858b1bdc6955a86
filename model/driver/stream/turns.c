// SPDX-License-Identifier: MIT
#include "turns.h"

#include <time.h>

#include "capture.h"
#include "sanitize_order.h"
#include "work.h"

bool stream_is_behind(const struct CUstream_st *stream, const struct CUstream_st *other)
{
    if (stream == other) return true;
    if (stream->context != other->context) return false;
    if (!stream_is_of_all(stream) && !stream_is_of_all(other)) return false;
    return ((stream->flags | other->flags) & CU_STREAM_NON_BLOCKING) == 0;
}

static bool holds_up(const struct turn *turn, const struct CUstream_st *stream, const struct CUgraphExec_st *exec)
{
    return stream == NULL || (exec != NULL && turn->exec == exec) || stream_is_behind(stream, turn->stream);
}

static bool is_of_other(const struct turn *turn)
{
    return turn->thread != NO_THREAD && turn->thread != stream_thread();
}

static bool is_held_up_by_call(const struct driver *driver, const struct CUstream_st *stream,
                               const struct CUgraphExec_st *exec)
{
    for (const struct turn *turn = driver->turns; turn != NULL; turn = turn->next)
        if (is_of_other(turn) && holds_up(turn, stream, exec)) return true;
    return false;
}

bool turns_are_later(const struct driver *driver, const struct CUstream_st *stream, const struct CUgraphExec_st *exec)
{
    for (const struct turn *turn = driver->turns; turn != NULL; turn = turn->next)
        if (turn->thread == NO_THREAD && holds_up(turn, stream, exec)) return true;
    return false;
}

bool turn_is_held_up(const struct driver *driver, const struct turn *turn)
{
    for (const struct turn *other = driver->turns; other != turn; other = other->next)
        if (holds_up(other, turn->stream, turn->exec)) return true;
    return false;
}

struct turn *turn_of(const struct driver *driver, uint64_t number)
{
    struct turn *turn = driver->turns;
    while (turn != NULL && turn->number != number) turn = turn->next;
    return turn;
}

// A stream that blocks the default one of all threads is itself done when its own work is, as an H200 says.
bool turns_are_on(const struct driver *driver, const struct CUstream_st *stream)
{
    const bool is_wide = stream == NULL || stream_is_of_all(stream);
    for (const struct turn *turn = driver->turns; turn != NULL; turn = turn->next) {
        if (turn->thread != NO_THREAD && !is_of_other(turn)) continue;
        if (is_wide ? holds_up(turn, stream, NULL) : turn->stream == stream) return true;
    }
    return false;
}

// A function of the program that is called later has no other thread to wait for.
void turns_wait(struct driver *driver, const struct CUstream_st *stream)
{
    kernel_forget_primary(driver);
    while (stream_thread() != driver->later_thread && turns_are_on(driver, stream)) driver_wait(driver);
    sanitize_order_wait(driver, (struct CUstream_st *)(uintptr_t)stream);
}

void turns_wait_for_later(struct driver *driver, const struct CUstream_st *stream, const struct CUgraphExec_st *exec)
{
    while (stream_thread() != driver->later_thread && turns_are_later(driver, stream, exec)) driver_wait(driver);
}

void turns_wait_for_calls(struct driver *driver, const struct CUstream_st *stream)
{
    while (is_held_up_by_call(driver, stream, NULL)) driver_wait(driver);
}

void turn_add(struct driver *driver, struct turn *turn)
{
    struct turn **at = &driver->turns;
    while (*at != NULL) at = &(*at)->next;
    *at = turn;
    turn->next = NULL;
    turn->number = ++driver->turns_begun;
}

enum cuda_result turn_begin(struct driver *driver, struct turn *turn, const struct CUstream_st *stream,
                            const struct CUgraphExec_st *exec)
{
    while (is_held_up_by_call(driver, stream, exec)) driver_wait(driver);
    if (driver_usable(driver) != CUDA_SUCCESS) return driver_usable(driver);
    if (!object_is(stream, OBJECT_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
    if (exec != NULL && !object_is(exec, OBJECT_GRAPH_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    *turn = (struct turn){.stream = stream, .exec = exec, .thread = stream_thread()};
    turn_add(driver, turn);
    sanitize_order_begin(driver, turn);
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
