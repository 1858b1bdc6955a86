// SPDX-License-Identifier: MIT
// How far the memory of the process can be read from an address on: what a program passes without its length is bounded
// by that, not by what it says of itself.
#ifndef TMAREF_DRIVER_READABLE_H
#define TMAREF_DRIVER_READABLE_H

#include <stddef.h>
#include <stdint.h>

// Bytes; 0 if not even the first can be read.
size_t readable_bytes(const void *from);

#endif
