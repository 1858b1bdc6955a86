// SPDX-License-Identifier: MIT
// What the misuse kernel and the harness agree on: one job is one instruction with operands that may be wrong, and both
// know what memory holds before it. Plain C, included by both.
#ifndef TMAREF_MISUSE_JOB_H
#define TMAREF_MISUSE_JOB_H

#include <stdint.h>

// The operands that an instruction takes: bits of the third column.
enum misuse_operand {
    MISUSE_SHARED = 1,   // data in shared memory
    MISUSE_OTHER = 2,    // the source in shared memory, where `shared` is the destination
    MISUSE_BARRIER = 4,  // the mbarrier that is told
    MISUSE_GLOBAL = 8,   // data in global memory
    MISUSE_MAP = 16,     // a tensor map whose tensor lies at `global`, and coordinates
    MISUSE_POINTER = 32, // the address of a map, which is not read
    MISUSE_HINT = 64,    // may have .L2::cache_hint
    MISUSE_SIZE = 128,   // a number of bytes
    MISUSE_CLUSTER = 256 // runs in a cluster only
};

// Every instruction that is tried: X(id, name in a case, operands). One row per instruction, and no other list.
#define MISUSE_OPERATIONS(X)                                                                                           \
    X(TILE_LOAD, "tile_load", MISUSE_SHARED | MISUSE_BARRIER | MISUSE_MAP | MISUSE_HINT)                               \
    X(TILE_STORE, "tile_store", MISUSE_SHARED | MISUSE_MAP | MISUSE_HINT)                                              \
    X(TILE_REDUCE, "tile_reduce", MISUSE_SHARED | MISUSE_MAP | MISUSE_HINT)                                            \
    X(BULK_LOAD, "bulk_load", MISUSE_SHARED | MISUSE_BARRIER | MISUSE_GLOBAL | MISUSE_SIZE | MISUSE_HINT)              \
    X(BULK_STORE, "bulk_store", MISUSE_SHARED | MISUSE_GLOBAL | MISUSE_SIZE | MISUSE_HINT)                             \
    X(BULK_REDUCE, "bulk_reduce", MISUSE_SHARED | MISUSE_GLOBAL | MISUSE_SIZE | MISUSE_HINT)                           \
    X(BULK_SHARED, "bulk_shared", MISUSE_SHARED | MISUSE_OTHER | MISUSE_BARRIER | MISUSE_SIZE | MISUSE_CLUSTER)        \
    X(PREFETCH_BULK, "prefetch_bulk", MISUSE_GLOBAL | MISUSE_SIZE | MISUSE_HINT)                                       \
    X(PREFETCH_TILE, "prefetch_tile", MISUSE_MAP | MISUSE_HINT)                                                        \
    X(PREFETCH_IM2COL, "prefetch_im2col", MISUSE_MAP | MISUSE_HINT)                                                    \
    X(PREFETCH_MAP, "prefetch_map", MISUSE_POINTER)                                                                    \
    X(ACQUIRE_MAP, "acquire_map", MISUSE_POINTER)                                                                      \
    X(COPY_MAP, "copy_map", MISUSE_SHARED | MISUSE_GLOBAL)                                                             \
    X(LOAD_SHARED, "load_shared", MISUSE_SHARED)                                                                       \
    X(STORE_SHARED, "store_shared", MISUSE_SHARED)                                                                     \
    X(ATOMIC_SHARED, "atomic_shared", MISUSE_SHARED)                                                                   \
    X(ARRIVE_SHARED, "arrive_shared", MISUSE_BARRIER)                                                                  \
    X(INIT_SHARED, "init_shared", MISUSE_BARRIER)                                                                      \
    X(TEST_SHARED, "test_shared", MISUSE_BARRIER)                                                                      \
    X(EXPECT_SHARED, "expect_shared", MISUSE_BARRIER)                                                                  \
    X(ARRIVE_GENERIC, "arrive_generic", MISUSE_GLOBAL)                                                                 \
    X(LOAD_GLOBAL, "load_global", MISUSE_GLOBAL | MISUSE_HINT)                                                         \
    X(STORE_GLOBAL, "store_global", MISUSE_GLOBAL | MISUSE_HINT)

enum misuse_operation {
#define ID(id, name, operands) MISUSE_##id,
    MISUSE_OPERATIONS(ID)
#undef ID
        MISUSE_COUNT
};

// Shared addresses: a CTA's memory, of which the first bytes are barriers, and what is dumped of it and of global
// memory.
enum {
    MISUSE_SHARED_START = 1024, // the system keeps what lies below
    MISUSE_SHARED_BYTES = 16384,
    MISUSE_SHARED_END = MISUSE_SHARED_START + MISUSE_SHARED_BYTES,
    MISUSE_BARRIERS = 4,
    MISUSE_BARRIER_START = MISUSE_SHARED_START,
    MISUSE_FILL_START = MISUSE_SHARED_START + 128, // words from here on hold misuse_word()
    MISUSE_DUMP_START = 4096,
    MISUSE_DUMP_BYTES = 512,
    MISUSE_GLOBAL_BYTES = 1024,
    MISUSE_RANKS = 2,
    MISUSE_INIT_COUNT = 3,    // what init_shared makes of a barrier
    MISUSE_EXPECT_BYTES = 64, // what expect_shared expects
    MISUSE_THREADS = 128
};

// What comes back: barrier words; a sum over each CTA's memory, which changes when any byte does; the register that the
// instruction wrote; the dumps. The job's own global memory is `global`, filled before.
struct misuse_output {
    uint64_t barrier[MISUSE_BARRIERS], sum[MISUSE_RANKS], value, unused;
    uint64_t shared[MISUSE_DUMP_BYTES / 8], global[MISUSE_GLOBAL_BYTES / 8];
};

// `map` is a CUtensorMap, at a 64-byte boundary. `global` and `pointer` are device addresses; where `is_window` has the
// operand's bit they are shared addresses, to be taken as generic ones. `dropped` is the place of a barrier operand
// whose word is to be written back before it is read, or 0. `is_cluster`: the launch has clusters.
struct misuse_job {
    uint64_t map[16];
    uint64_t global, pointer, policy, output;
    int32_t coord[3];
    uint32_t operation, dims, has_hint, is_window;
    uint32_t shared, other, barrier, dropped, size_bytes, offset, seed;
    uint64_t is_cluster, unused[4];
};

// The 8 bytes at `address` (a multiple of 8) before the operation.
#ifdef __CUDACC__
__device__
#endif
    static inline uint64_t
    misuse_word(uint32_t seed, uint64_t address)
{
    uint64_t x = ((uint64_t)seed << 32 | (address >> 3 & 0xffffffff)) + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

#endif
