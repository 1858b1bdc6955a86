// SPDX-License-Identifier: MIT
// A cubin that has in it what it was made of: a section of a type of ours, behind all else, which other readers skip.
// Who makes cubins under `tmaref exec` puts it there (harness/exec/cubins), and the driver runs its PTX. Nothing here
// knows the driver.
#ifndef TMAREF_DRIVER_CUBIN_H
#define TMAREF_DRIVER_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of input, as cuLinkAddData numbers them.
enum cubin_kind { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM, INPUTS };

struct cubin_input {
    uint32_t kind;
    const char *name; // never NULL
    const void *data;
    size_t bytes;
};

// Is the image machine code for a GPU, linked or not? At least the header of its format must be readable.
bool cubin_is(const void *image, size_t bytes);

// The number of the GPU that it is for: 90 of sm_90 and sm_90a.
unsigned cubin_gpu(const void *image);

// A copy of the cubin with its inputs in it, which the caller frees. NULL if it is no cubin, or there is no memory.
void *cubin_with(const void *cubin, size_t bytes, const struct cubin_input *input, unsigned inputs,
                 size_t *whole_bytes);

// Its inputs, one after the other: `at` is 0 before the first. 0 behind the last, and where there is none. No more than
// `bytes` are read: SIZE_MAX if only the image says how long it is.
bool cubin_next(const void *image, size_t bytes, size_t *at, struct cubin_input *input);

#endif
