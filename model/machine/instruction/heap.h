// SPDX-License-Identifier: MIT
// The heap of kernels: pieces of one block of memory. Nothing of it is kept inside the block, so that no kernel can
// break it. Calls are safe from several threads at once.
#ifndef TMAREF_MACHINE_HEAP_H
#define TMAREF_MACHINE_HEAP_H

#include <stdbool.h>

#include "machine.h"

#pragma GCC visibility push(hidden)

// Its bytes, as a region of global memory.
struct memory machine_heap_memory(const struct machine_heap *heap);

// malloc(): an address that is a multiple of 16, or 0.
uint64_t machine_heap_take(struct machine_heap *heap, uint64_t bytes);

// free(): 1, or 0 if no piece begins there. Of address 0: nothing.
bool machine_heap_give(struct machine_heap *heap, uint64_t address);

#pragma GCC visibility pop

#endif
