// SPDX-License-Identifier: MIT
// What is under way on streams. A thread of the host keeps the driver's lock while its kernel runs. Where nobody of the
// kernel gets on, it may wait for what another thread does: that thread is let in, and its kernel runs in between. What
// waits for memory that others write is left to be done later (later.h). Work that comes behind either of them waits
// for it, as streams say.
#ifndef TMAREF_TURNS_H
#define TMAREF_TURNS_H

#include "driver.h"

enum { NO_THREAD = 0 };

// What is done on a stream now, or later.
//   exec    what is launched, behind its launches on whatever stream; NULL: other work
//   thread  in whose call, from turn_begin() to turn_end(); NO_THREAD: later, and it is a struct later
//   number  rising, in the order of `next`
//   times   behind what its work is, on which track, and which work: of the history (sanitize_order.h)
struct turn {
    const struct CUstream_st *stream;
    const struct CUgraphExec_st *exec;
    uint64_t thread, number;
    struct history_times *times;
    uint32_t track, work;
    struct turn *next;
};

// The order of streams: each in itself, and the default one of all threads with those that do not ask to be left out.
bool stream_is_behind(const struct CUstream_st *stream, const struct CUstream_st *other);

// Waits for what calls of other threads do that comes before, and begins. An error if a kernel failed, or the stream or
// `exec` went meanwhile: the turn has not begun then.
enum cuda_result turn_begin(struct driver *driver, struct turn *turn, const struct CUstream_st *stream,
                            const struct CUgraphExec_st *exec);
void turn_end(struct driver *driver, struct turn *turn);

// Behind all others.
void turn_add(struct driver *driver, struct turn *turn);

// Is a turn that came earlier still under way, behind which this one is?
bool turn_is_held_up(const struct driver *driver, const struct turn *turn);

// The turn of that number, NULL if it has ended.
struct turn *turn_of(const struct driver *driver, uint64_t number);

// Does another thread do work on this stream, or will it be done later? Of the default stream of all threads, on those
// that block it too. NULL: anything at all.
bool turns_are_on(const struct driver *driver, const struct CUstream_st *stream);

// Will something be done later that comes before new work on this stream?
bool turns_are_later(const struct driver *driver, const struct CUstream_st *stream, const struct CUgraphExec_st *exec);

// Waits until there is nothing on the stream; nothing before new work that is done later, or in calls of other threads.
void turns_wait(struct driver *driver, const struct CUstream_st *stream);
void turns_wait_for_later(struct driver *driver, const struct CUstream_st *stream, const struct CUgraphExec_st *exec);
void turns_wait_for_calls(struct driver *driver, const struct CUstream_st *stream);

// Lets other threads in, if one of them is at the door. For machine_launch.meanwhile, with the driver as context.
void turns_let(void *driver);

#endif
