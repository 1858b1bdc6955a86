// SPDX-License-Identifier: MIT
// What streams and captures ask of each other, and what other calls ask of captures.
#ifndef TMAREF_CAPTURE_H
#define TMAREF_CAPTURE_H

#include "work.h"

// Is this the default stream of all threads?
bool stream_is_of_all(const struct CUstream_st *stream);

// The number of this thread, which no later one gets again.
uint64_t stream_thread(void);

// One more node of what this stream captures.
enum cuda_result capture_add(struct driver *driver, struct CUstream_st *stream, const struct work *work);

// Forgets what the next node comes after.
void capture_forget(struct CUstream_st *stream);

// Takes all streams out of a capture; 0 if one of them had work that the origin does not wait for.
bool capture_leave(struct driver *driver, const struct CUstream_st *origin);

// Is this the default stream of all threads, and one that waits for it is captured? The second spoils those captures,
// and says so.
bool capture_holds(const struct driver *driver, const struct CUstream_st *stream);
enum cuda_result capture_refuse_held(struct driver *driver, const struct CUstream_st *stream);

// Makes a capture of no use: an action broke its rules.
void capture_spoil(struct driver *driver, uint64_t capture_id);

// Calls that could wait for the GPU are not allowed while a stream is captured, but in the modes that say so: what is
// captured is spoilt. The second is for calls that no mode allows.
enum cuda_result capture_check_safe(struct driver *driver);
enum cuda_result capture_check_none(struct driver *driver);

#endif
