// SPDX-License-Identifier: MIT
// The PTX that ptxas keeps in a cubin with -lineinfo or -G.
#ifndef TMAREF_DRIVER_DEBUG_PTX_H
#define TMAREF_DRIVER_DEBUG_PTX_H

#include <stddef.h>

// It as text that ends in 0; the caller frees it. It stands in the section .nv_debug_ptx_txt, or in one for each unit
// where nvlink linked several: that of unit `unit`, 0 the first. Its lines have the numbers that they had. ptxas leaves
// the lines with .loc and .file empty; those of the tables of lines in the cubin are put back, without columns. NULL if
// there is none, or no memory. No more than `bytes` of the image are read: SIZE_MAX if only it says how long it is.
char *debug_ptx(const void *image, size_t bytes, unsigned unit, size_t *text_bytes);

#endif
