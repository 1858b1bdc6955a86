// SPDX-License-Identifier: MIT
// As much of the CUDA driver API as kernels made of text need.
#ifndef TMAREF_TESTS_ALU_DEVICE_H
#define TMAREF_TESTS_ALU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

struct device;

// Opens the first GPU; NULL: there is none, or no driver.
struct device *device_open(void);

// Compiles a module; NULL with a message in log if the driver refuses it.
void *device_module(struct device *device, const char *ptx, char *log, size_t log_bytes);
void device_module_close(struct device *device, void *module);

// Runs kernel `name` with blocks of 256 threads, `threads` of them in all: copies `in` and zeros for `out` to it, and
// `out` back. 0: done, else the CUDA error.
int device_run(struct device *device, void *module, const char *name, int threads, const uint64_t *in, size_t in_words,
               uint64_t *out, size_t out_words);

#endif
