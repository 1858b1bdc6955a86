// SPDX-License-Identifier: MIT
#ifndef TMAREF_DRIVER_LINKING_H
#define TMAREF_DRIVER_LINKING_H

#include "driver.h"

// The PTX of a cubin's inputs (cubin.h), as cuLink* makes one text of it; the caller frees it.
enum cuda_result link_inputs(struct driver *driver, const char *call, const void *cubin, size_t size_bytes, char **text,
                             size_t *bytes);

#endif
