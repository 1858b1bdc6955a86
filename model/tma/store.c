// SPDX-License-Identifier: MIT
// Tensor stores and reductions of one CTA, into one range of global memory: checked and moved at once. One function for
// all of them, under the names of the instructions.
#include "store.h"

#include "im2col_store.h"
#include "operand.h"
#include "tensor.h"
#include "transfer_check.h"

// A store (`op` NO_OP) or a reduction, which is only checked or runs.
static enum rule store(enum tensormap_mode mode, int op, int runs, const struct tensormap *map, int dims,
                       const int32_t *coord, const struct memory *global_memory, const struct memory *shared_memory,
                       uint32_t shared, struct findings *findings)
{
    const struct region region = {global_memory != NULL ? *global_memory : (struct memory){.size_bytes = 0}, 0};
    const struct global_memory global = {&region, 1};
    const struct transfer t = {
        op, mode, map, dims, coord, NULL, global_memory != NULL ? &global : NULL, shared_memory, shared};
    struct box box;
    enum rule rule = transfer_check_store(&t, &box, findings);
    if (rule != RULE_OK || !runs || operand_is_nowhere(shared)) return rule;
    const struct cluster_memory cluster = cluster_memory_alone(shared_memory);
    enum operation_kind kind = op == NO_OP ? OPERATION_TENSOR_STORE : OPERATION_TENSOR_REDUCE;
    struct tensor_mover mover = {kind, (enum reduce_op)op, 0, 0, shared, map, &global, &cluster, NULL};
    tensor_move(&mover, &box);
    return RULE_OK;
}

enum rule tile_store_check(const struct tensormap *map, int dims, const int32_t *coord,
                           const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                           struct findings *findings)
{
    return store(TENSORMAP_TILED, NO_OP, 0, map, dims, coord, global_memory, shared_memory, shared, findings);
}

enum rule tile_reduce_check(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings)
{
    return store(TENSORMAP_TILED, transfer_op(op), 0, map, dims, coord, global_memory, shared_memory, shared, findings);
}

enum rule tile_store(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                     const struct memory *shared_memory, uint32_t shared, struct findings *findings)
{
    return store(TENSORMAP_TILED, NO_OP, 1, map, dims, coord, global_memory, shared_memory, shared, findings);
}

enum rule tile_reduce(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                      struct findings *findings)
{
    return store(TENSORMAP_TILED, transfer_op(op), 1, map, dims, coord, global_memory, shared_memory, shared, findings);
}

enum rule im2col_store_check(const struct tensormap *map, int dims, const int32_t *coord,
                             const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                             struct findings *findings)
{
    return store(TENSORMAP_IM2COL, NO_OP, 0, map, dims, coord, global_memory, shared_memory, shared, findings);
}

enum rule im2col_reduce_check(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                              const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                              struct findings *findings)
{
    return store(TENSORMAP_IM2COL, transfer_op(op), 0, map, dims, coord, global_memory, shared_memory, shared,
                 findings);
}

enum rule im2col_store(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                       const struct memory *shared_memory, uint32_t shared, struct findings *findings)
{
    return store(TENSORMAP_IM2COL, NO_OP, 1, map, dims, coord, global_memory, shared_memory, shared, findings);
}

enum rule im2col_reduce(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,
                        const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                        struct findings *findings)
{
    return store(TENSORMAP_IM2COL, transfer_op(op), 1, map, dims, coord, global_memory, shared_memory, shared,
                 findings);
}
