// SPDX-License-Identifier: MIT
// What streams and captures ask of each other.
#ifndef TMAREF_CAPTURE_H
#define TMAREF_CAPTURE_H

#include "work.h"

// Is this the default stream of all threads?
int stream_is_of_all(const struct CUstream_st *stream);

// The number of this thread, which no later one gets again.
uint64_t stream_thread(void);

// One more node of what this stream captures.
enum cuda_result capture_add(struct driver *driver, struct CUstream_st *stream, const struct work *work);

// Forgets what the next node comes after.
void capture_forget(struct CUstream_st *stream);

// Takes all streams out of a capture; 0 if one of them had work that the origin does not wait for.
int capture_leave(struct driver *driver, const struct CUstream_st *origin);

// Is this the default stream of all threads, and one that waits for it is captured? The second spoils those captures,
// and says so.
int capture_holds(const struct driver *driver, const struct CUstream_st *stream);
enum cuda_result capture_refuse_held(struct driver *driver, const struct CUstream_st *stream);

#endif
