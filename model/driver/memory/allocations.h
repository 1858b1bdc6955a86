// SPDX-License-Identifier: MIT
// The memory that kernels may touch: allocations of the host's memory whose addresses are the host's own, and what was
// registered. No two touch, but for those that were mapped side by side (cuMemMap): an access past the end of one
// faults. Not for two threads at once.
#ifndef TMAREF_ALLOCATIONS_H
#define TMAREF_ALLOCATIONS_H

#include <stdbool.h>

#include "memory.h"
#include "ranges.h"
#include "who.h"

struct backing;
struct CUmemPoolHandle_st;

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_MANAGED,
    ALLOCATION_PINNED,     // cuMemAllocHost, cuMemHostAlloc
    ALLOCATION_REGISTERED, // memory of the program's own
    ALLOCATION_MODULE,     // variables of a module
    ALLOCATION_MAPPED,     // cuMemMap
    ALLOCATION_HOST_POOL,  // cuMemAllocAsync, of a pool on the host
    ALLOCATION_GRAPH,      // of a node of a graph (graph_memory.h)
    ALLOCATION_IPC,        // another process's (ipc.c)
    ALLOCATION_POOL_IPC,   // another process's, of a pool (pool_share.c)
};

struct allocation {
    uint64_t address, size_bytes, id;
    enum allocation_kind kind;
    uint32_t flags;               // of the call that made it
    bool is_read_only, is_hidden; // hidden: the device has no access to it
    bool is_on_host;              // mapped, of the host
    const void *owner;            // the context or module that it goes with
    struct backing *backing;      // what cuMemMap mapped, from `offset` on
    uint64_t offset;
    struct CUmemPoolHandle_st *pool; // of cuMemAllocAsync, NULL when it was destroyed
    struct ranges ranges;            // of managed memory: what was said of its parts
    uint32_t holders;                // of a node of a graph: how many allocate it; another process's: opened how often
    int shared_file;                 // that other processes open (ipc.c), plus 1; 0: none
    uint64_t shared_inode;           // of another process's file
    struct who maker;
};

// Memory that is not there any more.
struct freed {
    uint64_t address, size_bytes;
    struct who maker, ender;
};

enum { FREED_MOST = 256 };

struct allocations {
    struct allocation *item; // in rising order of address
    uint32_t count, room;
    uint64_t next_id, device_bytes; // device_bytes: in use, of cuMemCreate too, against the size of the device's memory
    struct region *region;          // of those that are not hidden, made anew when something has changed
    uint32_t region_room;
    bool has_changed;
    bool are_pages_whole;  // kernels may touch device memory to the end of its last page of 2 MiB, as on a GPU
    uint64_t regions_made; // how often
    struct global_memory global;
    struct freed freed[FREED_MOST]; // the last that were given back: number n is at n % FREED_MOST
    uint64_t freed_count;
};

// Is it within what the device has? That of cuMemCreate is counted where it is made.
bool allocation_is_of_device(enum allocation_kind kind);

// What is left of the device's memory: 0 where memory of other processes takes more than there is.
uint64_t allocations_left(const struct allocations *allocations, uint64_t memory_bytes);

// New memory, zero; 0 if there is none. Lies at a multiple of 4096.
uint64_t allocations_make(struct allocations *allocations, uint64_t size_bytes, enum allocation_kind kind,
                          uint32_t flags, const void *owner);

// Memory that somebody else has: 0 if a part of it is known already, or there is no memory for the table.
bool allocations_add(struct allocations *allocations, const struct allocation *allocation);

// The allocation that holds an address, or NULL. Good until the next change.
struct allocation *allocations_find(const struct allocations *allocations, uint64_t address);

// May a GPU let a kernel touch this address unseen, because it is in the last page of device memory that ends before
// it? An H200 maps whole pages: a kernel reads and writes to the end of the page of 2 MiB, and gets 700 behind it.
bool allocations_page_holds(const struct allocations *allocations, uint64_t address);

// From now on it counts in the pool.
void allocation_join(struct allocation *allocation, struct CUmemPoolHandle_st *pool);

// What is left of a pool that goes counts nowhere.
void allocations_leave_pool(struct allocations *allocations, const struct CUmemPoolHandle_st *pool);

// Whether kernels may touch what the pool has.
void allocations_hide_pool(struct allocations *allocations, const struct CUmemPoolHandle_st *pool, bool is_hidden);

// Forgets an allocation; gives its memory back if it was made here.
void allocations_remove(struct allocations *allocations, struct allocation *allocation);

// The same for all that go with an owner, NULL: all.
void allocations_remove_owned(struct allocations *allocations, const void *owner);

// What is known of the memory that holds an address, or held it: "which cudaMalloc (...) allocated", "128 bytes at
// 0x1000 that cudaMalloc (...) allocated and cudaFree (...) freed". Returns the length of the text, 0 where nothing is
// known.
size_t allocations_describe(const struct allocations *allocations, uint64_t address, char *text, size_t bytes);

// Of `pages` pages of the host, up to 32, from that of the address on: a bit for each that is cuMemAlloc's, and that
// nobody has touched yet. The kernel of the host knows. 0 where it does not say.
uint32_t allocations_untouched(const struct allocations *allocations, uint64_t address, uint32_t pages);

// The page of the host with that address, of which that was so, is as before: zero, and nobody has touched it.
void allocations_untouch(const struct allocations *allocations, uint64_t address);

// Can no other process, and no other address, see what is written?
bool allocations_are_own(const struct allocations *allocations);

// The regions of all that a kernel may touch. Good until the next change.
const struct global_memory *allocations_regions(struct allocations *allocations);

#endif
