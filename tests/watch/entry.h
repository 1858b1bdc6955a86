// SPDX-License-Identifier: MIT
// How a watched test program gets at a driver function. entry_direct.c is linked with the driver; entry_dynamic.c finds
// it at run time, in the ways that real programs do.
#ifndef TMAREF_TEST_ENTRY_H
#define TMAREF_TEST_ENTRY_H

// The driver function `name`, found in the way called `way`; NULL if there is no such way or no such function.
void *entry_find(const char *way, const char *name);

#endif
