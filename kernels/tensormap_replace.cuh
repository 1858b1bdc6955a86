// SPDX-License-Identifier: MIT
// tensormap.replace for kernels that learn at run time what to replace: replace(ptx::space_shared or ptx::space_global,
// map, instruction). Whoever replaces publishes the map afterwards.
#ifndef TMAREF_TENSORMAP_REPLACE_CUH
#define TMAREF_TENSORMAP_REPLACE_CUH

#include "../model/map/replace_op.h"
#include "tensor_copy.cuh"

// tensormap.replace takes ordinals and enumerations as immediates: a switch over all of them.
template <typename ordinal_t, typename space_t>
static __device__ void replace_ordinal(space_t space, void *map, ordinal_t ordinal, const replace_op &op)
{
    uint32_t value = (uint32_t)op.value;
    switch (op.field) {
    case REPLACE_BOX_DIM:
        ptx::tensormap_replace_box_dim(space, map, ordinal, value);
        break;
    case REPLACE_GLOBAL_DIM:
        ptx::tensormap_replace_global_dim(space, map, ordinal, value);
        break;
    case REPLACE_GLOBAL_STRIDE:
        ptx::tensormap_replace_global_stride(space, map, ordinal, op.value);
        break;
    case REPLACE_ELEMENT_STRIDE:
        ptx::tensormap_replace_element_stride(space, map, ordinal, value);
        break;
    }
}

template <int i, typename space_t>
static __device__ void replace_immediate(space_t space, void *map, const replace_op &op)
{
    ptx::n32_t<i> value;
    if (op.value != i) return;
    if (op.field == REPLACE_ELEMTYPE) ptx::tensormap_replace_elemtype(space, map, value);
    if constexpr (i < REPLACE_INTERLEAVES)
        if (op.field == REPLACE_INTERLEAVE_LAYOUT) ptx::tensormap_replace_interleave_layout(space, map, value);
    if constexpr (i < REPLACE_SWIZZLES)
        if (op.field == REPLACE_SWIZZLE_MODE) ptx::tensormap_replace_swizzle_mode(space, map, value);
    if constexpr (i < REPLACE_FILLS)
        if (op.field == REPLACE_FILL_MODE) ptx::tensormap_replace_fill_mode(space, map, value);
}

template <int i, typename space_t>
static __device__ void replace_immediates(space_t space, void *map, const replace_op &op)
{
    if constexpr (i < REPLACE_ELEMTYPES) {
        replace_immediate<i>(space, map, op);
        replace_immediates<i + 1>(space, map, op);
    }
}

template <typename space_t>
static __device__ void replace(space_t space, void *map, const replace_op &op)
{
    if (op.field == REPLACE_GLOBAL_ADDRESS) return ptx::tensormap_replace_global_address(space, map, op.value);
    if (op.field == REPLACE_RANK) return ptx::tensormap_replace_rank(space, map, (uint32_t)op.value);
    if (op.field >= REPLACE_ELEMTYPE) return replace_immediates<0>(space, map, op);
    with_constant(op.ordinal + 1, [&](auto n) { replace_ordinal(space, map, ptx::n32_t<n.value - 1>(), op); });
}

#endif
