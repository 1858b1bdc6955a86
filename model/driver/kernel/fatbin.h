// SPDX-License-Identifier: MIT
// The containers that nvcc puts device code into: which PTX of a fat binary is the best for sm_90a, as text.
#ifndef TMAREF_FATBIN_H
#define TMAREF_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_result {
    FATBIN_OK,
    FATBIN_BROKEN,  // not a fat binary, or one whose sizes do not fit
    FATBIN_EMPTY,   // no code at all
    FATBIN_NO_PTX,  // machine code alone
    FATBIN_TOO_NEW, // PTX for later GPUs, or with features of another one, alone
    FATBIN_PACKED,  // PTX that cannot be unpacked
    FATBIN_BOMB,    // it unpacks to what no compiler wrote
    FATBIN_NO_MEMORY,
};

// What is in a container, to tell of it.
struct fatbin_contents {
    uint32_t entries, ptx; // how many of all kinds, and of PTX
};

// Is this the start of a fat binary? It may be shorter than the magic number, if a byte 0 ends it.
bool fatbin_is(const void *image);

// The bytes of a fat binary that says its own size, and of which `size_bytes` are there (SIZE_MAX if that is not
// known); 0 if `image` is none. At least the 16 bytes of a header must be readable.
enum { FATBIN_HEADER_BYTES = 16 };
size_t fatbin_bytes(const void *image, size_t size_bytes);

// The best PTX, as text that ends in 0; the caller frees it. `contents` is always filled in.
enum fatbin_result fatbin_ptx(const void *image, size_t size_bytes, char **text, size_t *text_bytes,
                              struct fatbin_contents *contents);

// The PTX for the nearest later GPU, of a fat binary that has machine code for ours, but no PTX that fits: a GPU runs
// the machine code. FATBIN_TOO_NEW if there is none. The caller frees the text.
enum fatbin_result fatbin_newer_ptx(const void *image, size_t size_bytes, char **text, size_t *text_bytes);

// A part of a program may have nothing for this GPU: libcudadevrt is such a one. What it defines stays open.
bool fatbin_is_for_others(enum fatbin_result result);

// A sentence about a result, with what to do.
const char *fatbin_advice(enum fatbin_result result);

#endif
