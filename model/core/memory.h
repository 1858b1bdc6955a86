// SPDX-License-Identifier: MIT
// Addressable memory with bounds: one range of bytes, and global memory, which is a table of such ranges with holes
// between them. The shared memories of a cluster are in cluster_memory.h. Bytes belong to the caller. One struct is for
// memory that is read and that is written, so `bytes` is no pointer to const; nothing is ever written to a region that
// is read-only, so a const array may be cast for one.
#ifndef TMAREF_MEMORY_H
#define TMAREF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// The shared memory of an SM of an H200 (MAX_SHARED_MEMORY_PER_MULTIPROCESSOR); addresses of a CTA's own end there.
enum { SM_SHARED_BYTES = 233472 };

// `bytes[0]` has address `base`; addresses base .. base + size_bytes - 1 are mapped, all others are not. `base` may be
// the address of `bytes` on the host, or any other number.
struct memory {
    uint8_t *bytes;
    uint64_t base;
    uint64_t size_bytes;
};

// Are the `count_bytes` bytes at `address` all in this range? `bytes` may be NULL: the answer needs the addresses
// alone.
static inline int memory_holds(const struct memory *memory, uint64_t address, uint64_t count_bytes)
{
    uint64_t offset = address - memory->base;
    return offset <= memory->size_bytes && count_bytes <= memory->size_bytes - offset;
}

// Where the `count_bytes` bytes at `address` are, or NULL if not all of them are mapped.
static inline uint8_t *memory_at(const struct memory *memory, uint64_t address, uint64_t count_bytes)
{
    return memory_holds(memory, address, count_bytes) ? memory->bytes + (address - memory->base) : NULL;
}

// --- Global memory ---------------------------------------------------------------------------------------------------

// One range of global memory: an allocation, or what is mapped of one. What is mapped read-only faults where it is
// written as if it were not there (700).
struct region {
    struct memory memory;
    int is_read_only;
};

// All regions that are mapped: `count` of them, in rising order of address. Regions do not overlap and are not empty.
// The last one may wrap around to address 0.
struct global_memory {
    const struct region *region;
    uint32_t count;
};

// What somebody wants to do with global memory.
enum memory_use { MEMORY_READS, MEMORY_WRITES };

// Where `count_bytes` bytes at `address` of `region`, which may be NULL, are, if all of them may be used so, else NULL.
static inline uint8_t *region_at(const struct region *region, uint64_t address, uint64_t count_bytes,
                                 enum memory_use use)
{
    if (region == NULL || (use == MEMORY_WRITES && region->is_read_only)) return NULL;
    return memory_at(&region->memory, address, count_bytes);
}

// The region that holds `address`, NULL if none does; found in the table.
const struct region *region_search(const struct global_memory *global, uint64_t address);

// The same, faster for a caller that asks often: `hit` is the region of its last answer, NULL at first. If `hit` holds
// `address`, one comparison is enough.
static inline const struct region *region_find(const struct global_memory *global, const struct region *hit,
                                               uint64_t address)
{
    if (hit == NULL && global->count > 0) hit = global->region;
    if (hit != NULL && address - hit->memory.base < hit->memory.size_bytes) return hit;
    return region_search(global, address);
}

// The region that is nearest to `address` at or below it, else the first; NULL where nothing is mapped. For findings.
const struct region *region_nearest(const struct global_memory *global, uint64_t address);

// How many of the `count_bytes` bytes from `address` on may be used so, up to the first that may not. Regions that
// touch are one, and address 0 is behind the last.
uint64_t global_usable_bytes(const struct global_memory *global, uint64_t address, uint64_t count_bytes,
                             enum memory_use use);

// Copies `count_bytes` bytes, which may all be used so, out of global memory or into it, over regions that touch.
void global_read(const struct global_memory *global, uint64_t address, void *to, uint64_t count_bytes);
void global_write(const struct global_memory *global, uint64_t address, const void *from, uint64_t count_bytes);

#endif
