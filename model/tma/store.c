// SPDX-License-Identifier: MIT
// Tensor stores and reductions of one CTA, into one range of global memory: checked and moved at once. One function for
// all of them, under the names of the instructions.
#include "store.h"

#include "im2col_store.h"
#include "operand.h"
#include "tensor.h"
#include "transfer_check.h"

enum use { CHECKED, RUN };

// A store (`op` NO_OP) or a reduction, of which `t` says all but the global memory.
static enum rule store(struct transfer t, const struct memory *global_memory, enum use use, struct findings *findings)
{
    const struct region region = {global_memory != NULL ? *global_memory : (struct memory){.size_bytes = 0}, 0};
    const struct global_memory global = {&region, 1};
    struct box box;
    t.global_memory = global_memory != NULL ? &global : NULL;
    enum rule rule = transfer_check_store(&t, &box, findings);
    if (rule != RULE_OK || use == CHECKED || operand_is_nowhere(t.shared)) return rule;
    const struct cluster_memory cluster = cluster_memory_alone(t.shared_memory);
    enum operation_kind kind = t.op == NO_OP ? OPERATION_TENSOR_STORE : OPERATION_TENSOR_REDUCE;
    struct tensor_mover mover = {kind, (enum reduce_op)t.op, 0, 0, t.shared, t.map, &global, &cluster, NULL};
    tensor_move(&mover, &box);
    return RULE_OK;
}

#define STORE(name, mode, use)                                                                                         \
    enum rule name(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,    \
                   const struct memory *shared_memory, uint32_t shared, struct findings *findings)                     \
    {                                                                                                                  \
        return store((struct transfer){NO_OP, mode, map, dims, coord, NULL, NULL, shared_memory, shared},              \
                     global_memory, use, findings);                                                                    \
    }
#define REDUCE(name, mode, use)                                                                                        \
    enum rule name(enum reduce_op op, const struct tensormap *map, int dims, const int32_t *coord,                     \
                   const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,            \
                   struct findings *findings)                                                                          \
    {                                                                                                                  \
        return store((struct transfer){transfer_op(op), mode, map, dims, coord, NULL, NULL, shared_memory, shared},    \
                     global_memory, use, findings);                                                                    \
    }

STORE(tile_store_check, TENSORMAP_TILED, CHECKED)
STORE(tile_store, TENSORMAP_TILED, RUN)
STORE(im2col_store_check, TENSORMAP_IM2COL, CHECKED)
STORE(im2col_store, TENSORMAP_IM2COL, RUN)
REDUCE(tile_reduce_check, TENSORMAP_TILED, CHECKED)
REDUCE(tile_reduce, TENSORMAP_TILED, RUN)
REDUCE(im2col_reduce_check, TENSORMAP_IM2COL, CHECKED)
REDUCE(im2col_reduce, TENSORMAP_IM2COL, RUN)
