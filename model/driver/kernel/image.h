// SPDX-License-Identifier: MIT
// What programs give as device code: text, fat binaries, what nvcc registers. Only its PTX is of use.
#ifndef TMAREF_DRIVER_IMAGE_H
#define TMAREF_DRIVER_IMAGE_H

#include "driver.h"

enum { IMAGE_ZEROS = 16 };

// A whole file with IMAGE_ZEROS behind it, as many as the smallest header has bytes; the caller frees it. NULL with
// errno.
void *image_file(const char *path, size_t *size_bytes);

// The PTX of an image, as text that ends in 0; the caller frees it. No more than `size_bytes` of the image are read:
// SIZE_MAX if only the image itself says how long it is, and then it may be the wrapper that nvcc makes. Of a program
// that nvlink made the text has the PTX of all units (units.h).
enum cuda_result image_text(struct driver *driver, const char *call, const void *image, size_t size_bytes, char **text,
                            size_t *bytes);

#endif
