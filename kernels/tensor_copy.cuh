// SPDX-License-Identifier: MIT
// Tensor copies of any rank: it is part of the instruction.
#ifndef TMAREF_TENSOR_COPY_CUH
#define TMAREF_TENSOR_COPY_CUH

#include "device.cuh"

// Calls `f` with the number, 1 to 5, as a constant.
template <class Function>
static __device__ __forceinline__ void with_constant(uint32_t number, Function f)
{
    switch (number) {
    case 1: f(ptx::n32_t<1>()); break;
    case 2: f(ptx::n32_t<2>()); break;
    case 3: f(ptx::n32_t<3>()); break;
    case 4: f(ptx::n32_t<4>()); break;
    case 5: f(ptx::n32_t<5>()); break;
    }
}

// Calls `f` with an array of the first `dims` coordinates.
template <class Function>
static __device__ __forceinline__ void with_coordinates(uint32_t dims, const int32_t *coord, Function f)
{
    with_constant(dims, [&](auto rank) {
        int32_t c[rank.value];
        for (int i = 0; i < rank.value; i++) c[i] = coord[i];
        f(c);
    });
}

static __device__ void load_tile(uint32_t dims, const void *map, const int32_t *coord, void *to, uint64_t *barrier)
{
    with_coordinates(dims, coord, [&](auto &c) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, barrier);
    });
}

static __device__ void store_tile(uint32_t dims, const void *map, const int32_t *coord, const void *from)
{
    with_coordinates(dims, coord, [&](auto &c) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
    });
}

// cuda::ptx has no im2col loads.
#define IM2COL(dims, coordinates, barrier, offsets, ...)                                                               \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes "           \
                 "[%0], [%1, {" coordinates "}], [" barrier "], {" offsets "};" ::"r"(shared_address(to)),             \
                 "l"(map), __VA_ARGS__                                                                                 \
                 : "memory")

static __device__ void load_im2col(uint32_t dims, const void *map, const int32_t *c, const uint16_t *o, void *to,
                                   uint64_t *barrier)
{
    uint32_t signal = shared_address(barrier);
    switch (dims) {
    case 3:
        IM2COL("3d", "%2, %3, %4", "%5", "%6", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(signal), "h"(o[0]));
        break;
    case 4:
        IM2COL("4d", "%2, %3, %4, %5", "%6", "%7, %8", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(signal),
                    "h"(o[0]), "h"(o[1]));
        break;
    case 5:
        IM2COL("5d", "%2, %3, %4, %5, %6", "%7", "%8, %9, %10", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]),
                    "r"(c[4]), "r"(signal), "h"(o[0]), "h"(o[1]), "h"(o[2]));
        break;
    }
}
#undef IM2COL

#endif
