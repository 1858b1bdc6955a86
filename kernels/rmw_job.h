// SPDX-License-Identifier: MIT
// What the rmw kernels and the harness agree on: which kernels there are, and where a CTA keeps its tile. Plain C,
// included by both.
#ifndef TMAREF_RMW_JOB_H
#define TMAREF_RMW_JOB_H

#include <stdint.h>

enum {
    RMW_MAX_THREADS = 256,
    RMW_BARRIER_BYTES = 128,   // two mbarriers lie in front of the first guard
    RMW_GUARD_BYTES = 128,     // in front of the tile and behind it
    RMW_PITCH_BYTES = 128,     // a tile has a multiple of this
    RMW_SHARED_START = 1024,   // first shared address of a CTA's own memory: the system keeps 1 KiB on sm_90
    RMW_SHARED_BYTES = 232448, // the most dynamic shared memory that a CTA may have
};

// How a tile gets to shared memory: the model's name, the one in cases, and whether a bulk copy is asked for by the
// call itself. The others leave it to the alignment that the compiler knows of.
#define RMW_FORMS_LIST(ROW)                                                                                            \
    ROW(MEMCPY_ASYNC_ALIGNED, memcpy_async_aligned, 1) /* cuda::memcpy_async, the size an aligned_size_t<16> */        \
    ROW(MEMCPY_ASYNC, memcpy_async, 0)                 /* the same, the size a number of bytes */                      \
    ROW(MEMCPY_ASYNC_GROUP, memcpy_async_group, 0)     /* the same, by all threads of the CTA together */              \
    ROW(MEMCPY_ASYNC_TX, memcpy_async_tx, 1)           /* cuda::device::memcpy_async_tx */                             \
    ROW(CP_ASYNC_BULK, cp_async_bulk, 1)               /* cuda::ptx::cp_async_bulk */

// The types of elements: the model's name, the one in cases, C++'s, and bytes, which are the alignment too.
#define RMW_TYPES_LIST(ROW)                                                                                            \
    ROW(U8, u8, uint8_t, 1)                                                                                            \
    ROW(F16, f16, __half, 2)                                                                                           \
    ROW(U32, u32, uint32_t, 4)                                                                                         \
    ROW(F32, f32, float, 4)                                                                                            \
    ROW(U64, u64, uint64_t, 8)                                                                                         \
    ROW(F64, f64, double, 8)                                                                                           \
    ROW(U32X4, u32x4, uint4, 16)

// Which thread starts the copies: one that elect.sync picks, or the one whose threadIdx.x is 0.
#define RMW_ISSUERS_LIST(ROW) ROW(ELECTED, elected) ROW(THREAD0, thread0)

enum rmw_form {
#define RMW_ID(id, name, is_bulk) RMW_##id,
    RMW_FORMS_LIST(RMW_ID)
#undef RMW_ID
        RMW_FORMS
};
enum rmw_type {
#define RMW_ID(id, name, type, bytes) RMW_##id,
    RMW_TYPES_LIST(RMW_ID)
#undef RMW_ID
        RMW_TYPES
};
enum rmw_issuer {
#define RMW_ID(id, name) RMW_##id,
    RMW_ISSUERS_LIST(RMW_ID)
#undef RMW_ID
        RMW_ISSUERS
};

// What memcpy_async returns, and for the form that returns nothing.
enum { RMW_FULFILLED_NONE, RMW_FULFILLED_ASYNC, RMW_FULFILLED_UNTOLD };

// What a CTA leaves in the log: the barrier's word in the end; the bytes of a bulk copy that the call announced to its
// barrier, 0 where it makes a cp.async or copies at once, and for MEMCPY_ASYNC_GROUP, whose threads need not be at the
// same place; and what the call returned.
struct rmw_log {
    uint64_t word;
    uint32_t bulk_bytes, fulfilled;
};

// Adds 1 to `count` elements at `data`, `tile` of them by each CTA; the last one may have fewer. `before`, `after` and
// `log` are 0, or where every CTA's tile with its guards goes as it was loaded and as it is stored, and its struct
// rmw_log; then shared memory is filled before.
struct rmw_job {
    uint64_t data, before, after, log;
    uint64_t count;
    uint32_t tile;
};

#ifdef __CUDACC__
#define RMW_HOST_DEVICE __host__ __device__
#else
#define RMW_HOST_DEVICE
#endif

// A tile and its guards, in the dump; and the dynamic shared memory of the launch.
RMW_HOST_DEVICE static inline uint32_t rmw_guarded_bytes(uint32_t tile_bytes)
{
    return 2 * RMW_GUARD_BYTES + (tile_bytes + RMW_PITCH_BYTES - 1) / RMW_PITCH_BYTES * RMW_PITCH_BYTES;
}

RMW_HOST_DEVICE static inline uint32_t rmw_shared_bytes(uint32_t tile_bytes)
{
    return RMW_BARRIER_BYTES + rmw_guarded_bytes(tile_bytes);
}

// What the 4 bytes at `offset` of the guarded tile hold before.
RMW_HOST_DEVICE static inline uint32_t rmw_canary(uint32_t offset)
{
    return 0xca7a0000u ^ offset;
}

#endif
