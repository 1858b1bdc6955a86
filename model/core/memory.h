// SPDX-License-Identifier: MIT
// A piece of addressable memory with bounds: global memory, or one CTA's shared memory. Bytes belong to the caller.
#ifndef TMAREF_MEMORY_H
#define TMAREF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// The shared memory of an SM of an H200 (MAX_SHARED_MEMORY_PER_MULTIPROCESSOR); addresses of a CTA's own end there.
enum { SM_SHARED_BYTES = 233472 };

// `bytes[0]` has address `base`; addresses base .. base + size_bytes - 1 are mapped, all others are not.
struct memory {
    uint8_t *bytes;
    uint64_t base;
    uint64_t size_bytes;
};

// Where the `count_bytes` bytes at `address` are, or NULL if not all of them are mapped.
static inline uint8_t *memory_at(const struct memory *memory, uint64_t address, uint64_t count_bytes)
{
    uint64_t offset = address - memory->base;
    if (offset > memory->size_bytes || count_bytes > memory->size_bytes - offset) return NULL;
    return memory->bytes + offset;
}

#endif
