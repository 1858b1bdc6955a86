// SPDX-License-Identifier: MIT
// What the libraries that compute on the processor do with a call: a function of the host runs in the stream, in a
// graph as one of its nodes.
#ifndef TMAREF_BLAS_QUEUE_H
#define TMAREF_BLAS_QUEUE_H

#include <stdbool.h>

#include "cuda_abi.h"

// The stream runs run(copy of `job`), when all before it is done. In a capture it becomes a node of the graph.
enum cuda_result queue_run(struct CUstream_st *stream, void (*run)(void *job), const void *job, size_t bytes);

// Does the stream's work go into a graph? What that allocates has no memory yet.
bool queue_is_captured(struct CUstream_st *stream);

// NULL if [at, at + bytes) is memory that the device may access, else what is wrong with it.
const char *queue_memory_fault(const void *at, size_t bytes);

// Makes the driver ready, and the primary context current unless the thread has one; 0 if there is no device.
bool queue_make_ready(void);

#endif
