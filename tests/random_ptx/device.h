// SPDX-License-Identifier: MIT
// A library that has the driver's calls, and one program run on it.
#ifndef TMAREF_TESTS_RANDOM_PTX_DEVICE_H
#define TMAREF_TESTS_RANDOM_PTX_DEVICE_H

#include <stddef.h>
#include <stdint.h>

// What goes into and comes out of one launch of `kernel`.
struct device_work {
    const char *ptx;
    int level, block, ctas;
    const uint64_t *input;
    size_t input_words, log_words, memory_words;
    uint64_t *log, *memory; // come back; memory goes in, too
};

struct device;

// `path`: of libcuda.so.1; NULL with the reason in *why.
struct device *device_open(const char *path, const char **why);

// 0, or the driver's error; what the compiler said is in `said`.
int device_run(struct device *device, const struct device_work *work, char *said, size_t said_bytes);

#endif
