// SPDX-License-Identifier: MIT
// The device code in a host's object, and in a library (ar) of such objects, as nvcc makes them.
#ifndef TMAREF_DRIVER_OBJECT_H
#define TMAREF_DRIVER_OBJECT_H

#include <stddef.h>

// Takes a fat binary of the member `name` of a library, of an object itself: NULL. 0 goes on, another number ends it.
// A member that is damaged is told of with a fat binary of NULL: it is left out, as an H200's driver does.
typedef int object_take(void *of, const char *name, const void *fatbin, size_t bytes);

enum { OBJECT_DAMAGED = -1 }; // or it is neither an object nor a library; nothing was taken

// Each fat binary of the image, in order. 0, OBJECT_DAMAGED, or what `take` ended it with.
int object_fatbins(const void *image, size_t bytes, object_take *take, void *of);

#endif
