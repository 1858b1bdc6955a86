// SPDX-License-Identifier: MIT
// Files of numpy.save(): what a .npy file says of its elements, and these laid out as a tensor map has them.
#ifndef TMAREF_NPY_H
#define TMAREF_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensormap.h"
#include "text.h"

enum { NPY_MAX_RANK = 8 };

//   kind       'f', 'i', 'u', 'b' or 'V' as numpy has it; item_bytes: of an element
//   is_big     the other byte order
//   is_fortran the first index is innermost
//   data       where the elements begin in the file, and how many bytes of them it has
struct npy {
    char kind, descr[16];
    uint32_t item_bytes;
    bool is_big, is_fortran;
    int rank;
    uint64_t shape[NPY_MAX_RANK];
    size_t data, data_bytes;
};

int npy_is(const char *file, size_t size);

// What the file says; 0 with a sentence in `why` if it is cut short or of a kind that is not read here.
int npy_read(const char *file, size_t size, struct npy *npy, struct text *why);

// Do type, order and shape agree with the tensor of the map? 0 with a sentence in `why`.
int npy_check(const struct npy *npy, const struct tensormap *map, struct text *why);

// The elements with the strides of the map, `size` bytes of the caller's; what lies between rows stays.
void npy_lay_out(const struct npy *npy, const char *file, const struct tensormap *map, uint8_t *to);

#endif
