// SPDX-License-Identifier: MIT
// A library that has the driver's calls, a GPU's or the simulated one, and kernels run on it.
#ifndef TMAREF_TESTS_ALU_DEVICE_H
#define TMAREF_TESTS_ALU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

enum { DEVICE_BUFFERS = 3, DEVICE_BEST = 4 };

struct device;

// `path`: of libcuda.so.1. `bytes`: of each buffer that kernels get, up to the first 0. NULL with the reason in *why.
struct device *device_open(const char *path, const size_t bytes[DEVICE_BUFFERS], const char **why);

// Compiles PTX with level 0 to DEVICE_BEST of optimisation. 0 with the module, or the driver's error; what the compiler
// said is in `said`.
int device_module(struct device *device, const char *ptx, int level, void **module, char *said, size_t said_bytes);
void device_module_close(struct device *device, void *module);

// One launch. The kernel gets the address of each buffer, then the parameter `last`.
struct device_work {
    const char *kernel;
    int ctas, block;
    struct {
        const uint64_t *in; // NULL: cleared
        uint64_t *out;      // NULL: not read
        size_t words;
    } buffer[DEVICE_BUFFERS];
    void *last;
};

// 0, or the driver's error.
int device_run(struct device *device, void *module, const struct device_work *work);

#endif
