// SPDX-License-Identifier: MIT
// Kernels of several threads of the host. A thread keeps the driver's lock while its kernel runs. Where nobody of the
// kernel gets on, it may wait for what another thread does: that thread is let in, and its kernel runs in between.
// Work that comes behind a running kernel waits for it, as streams say.
#ifndef TMAREF_TURNS_H
#define TMAREF_TURNS_H

#include "driver.h"

// What a thread does on a stream now, from turn_begin() to turn_end().
//   exec   what is launched, behind its launches on whatever stream; NULL: other work
struct turn {
    const struct CUstream_st *stream;
    const struct CUgraphExec_st *exec;
    uint64_t thread;
    struct turn *next;
};

// Waits for what other threads do that comes before, and begins. An error if a kernel failed, or the stream or
// `exec` went meanwhile: the turn has not begun then.
enum cuda_result turn_begin(struct driver *driver, struct turn *turn, const struct CUstream_st *stream,
                            const struct CUgraphExec_st *exec);
void turn_end(struct driver *driver, struct turn *turn);

// Does another thread do what comes before new work on this stream? NULL: anything at all.
int turns_are_before(const struct driver *driver, const struct CUstream_st *stream);

// Waits until there is nothing of that kind.
void turns_wait(struct driver *driver, const struct CUstream_st *stream);

// Lets other threads in, if one of them is at the door. For machine_launch.meanwhile, with the driver as context.
void turns_let(void *driver);

#endif
