// SPDX-License-Identifier: MIT
// What the files of the runtime share. The runtime is a layer over the driver's public calls: it knows the program's
// kernels and variables by the host's addresses, makes the primary context current, and keeps the last error.
#ifndef TMAREF_RUNTIME_H
#define TMAREF_RUNTIME_H

#include "cuda_api.h"
#include "runtime_api.h"

#define RUNTIME_VISIBLE __attribute__((visibility("default")))

// What the driver refuses from now on is told of this call; runtime_keep() ends it.
void runtime_speak_of(const char *call);

// Makes the driver and the primary context ready; says what a call on this thread would fail with. Speaks of `call`.
enum cudaError runtime_ready_of(const char *call);
#define runtime_ready() runtime_ready_of(__func__)

// How many devices there are.
enum cuda_result runtime_count(int *count);

// Keeps an error as the last one of this thread, and returns it. Says why, where the driver has not, and the error does
// not say it.
enum cudaError runtime_keep_of(const char *call, int error);
#define runtime_keep(error) runtime_keep_of(__func__, error)

// A call that is made of one of the driver's.
#define RUNTIME_CALL(name, parameters, call)                                                                           \
    RUNTIME_VISIBLE enum cudaError name parameters                                                                     \
    {                                                                                                                  \
        const enum cudaError ready = runtime_ready();                                                                  \
        return runtime_keep(ready != cudaSuccess ? (int)ready : (int)(call));                                          \
    }

// The same where the call needs no context: the driver is started, and an error of a kernel is of no account.
#define RUNTIME_BARE_CALL(name, parameters, call)                                                                      \
    RUNTIME_VISIBLE enum cudaError name parameters                                                                     \
    {                                                                                                                  \
        runtime_speak_of(__func__);                                                                                    \
        const enum cuda_result begun = cuInit(0);                                                                      \
        return runtime_keep(begun != CUDA_SUCCESS ? (int)begun : (int)(call));                                         \
    }

// The kernel of a host's function (or of a handle), the address and size of a variable of the program.
// `call` is who asks: what is no kernel is told.
enum cudaError runtime_kernel_of(const char *call, const void *function, struct CUkern_st **kernel);
#define runtime_kernel(function, kernel) runtime_kernel_of(__func__, function, kernel)
enum cudaError runtime_symbol(const void *symbol, unsigned long long *address, size_t *bytes);

// The other way: the host's function of a kernel of the program, and the handle itself of any other.
const void *runtime_host_of(struct CUkern_st *kernel);

// Where a part of a variable of the program lies.
enum cudaError runtime_symbol_part(const void *symbol, size_t offset, size_t bytes, void **to);

// Gives managed variables their addresses.
void runtime_place_managed(void);

// The answer of a call that the runtime has not: says so once, and why (refusals.h).
int runtime_missing(const char *name, const char *why, int *was_told);

// The bytes of one texel of an array, 0 if there is no such array.
size_t runtime_texel_bytes(const struct cudaArray *array);

// No stream: the call returns when the copy is done.
#define RUNTIME_WAITS ((struct CUstream_st *)UINTPTR_MAX)

#endif
