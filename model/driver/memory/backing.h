// SPDX-License-Identifier: MIT
// Memory of cuMemCreate: behind a handle is a file in memory, so that it can be mapped at several addresses, and in
// other processes.
#ifndef TMAREF_BACKING_H
#define TMAREF_BACKING_H

#include "driver.h"

// What memory that is mapped comes in.
#define BACKING_GRANULARITY ((size_t)2 << 20)

// The handle is `id`, which nothing else ever is. It is given back when nobody holds the handle any more and it is
// mapped nowhere; until then the handle can be used.
struct backing {
    struct object object;
    uint64_t id, size_bytes;
    uint64_t counted_bytes; // of the device's memory: 0 where another handle counts them
    int file;
    uint32_t holders, mappings;
    struct cuda_mem_allocation_prop prop;
};

struct backing *backing_of(const struct driver *driver, uint64_t handle);
bool backing_is_on_host(const struct backing *backing);

uint64_t backing_used(const struct backing *backing); // bytes that somebody has written

bool backing_is_own(const struct backing *backing); // it is mapped once, and no other process can have it

// For a forked process: what is mapped becomes memory of its own with the same bytes. 0: that cannot be.
bool backing_own(const struct allocation *allocation);

// Gives it back, if it is time.
void backing_leave(struct driver *driver, struct backing *backing);

#endif
