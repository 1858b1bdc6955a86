// SPDX-License-Identifier: MIT
// Calls that need not know of each other, made side by side on threads of this process.
#ifndef TMAREF_SIDE_BY_SIDE_H
#define TMAREF_SIDE_BY_SIDE_H

// How many run side by side: as many as asked for, or 0: as many as this machine has processors; never more than 64.
enum { MOST_SIDE_BY_SIDE = 64 };
int side_by_side(int asked);

// Calls run(i, context) for each i from `first` to `end` - 1, on `threads` threads (0 and 1: on this one). Returns when
// all have returned.
void threads_run(int threads, int first, int end, void (*run)(int i, void *context), void *context);

#endif
