// SPDX-License-Identifier: MIT
// Memory that runs out where a test wants it: the program stands in for the allocations of the C library (malloc,
// calloc, realloc, aligned_alloc and the maps of memory).
#ifndef TMAREF_TESTS_FAILING_MEMORY_H
#define TMAREF_TESTS_FAILING_MEMORY_H

#include <stdbool.h>

// Of this thread: how many allocations go well before one fails; below 0: all do. And whether one has failed.
extern _Thread_local long memory_left;
extern _Thread_local bool memory_has_failed;
// Of all threads: how many pieces are held that malloc and its kin gave.
extern long memory_pieces;

#endif
