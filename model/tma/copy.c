// SPDX-License-Identifier: MIT
// Tensor loads of one CTA, out of one range of global memory: checked and moved at once.
#include "copy.h"

#include "im2col_load.h"
#include "operand.h"
#include "tensor.h"
#include "transfer_check.h"

enum rule tile_map_check(const struct tensormap *map, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    if (!transfer_map_readable(&report, map, map->mode)) return report.first;
    transfer_check_map(&report, map, map->mode, map->rank);
    transfer_check_address(&report, map);
    return report.first;
}

// `memory` NULL: nobody asks what is mapped.
static enum rule check_load(struct transfer t, const struct memory *memory, struct findings *findings)
{
    const struct region region = {memory != NULL ? *memory : (struct memory){.size_bytes = 0}, 0};
    const struct global_memory global = {&region, 1};
    struct box box;
    if (memory != NULL) t.global_memory = &global;
    return transfer_check_load(&t, &box, findings);
}

enum rule tile_load_check(const struct tensormap *map, int dims, const int32_t *coord,
                          const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                          struct findings *findings)
{
    return check_load((struct transfer){NO_OP, TENSORMAP_TILED, map, dims, coord, NULL, NULL, shared_memory, shared},
                      global_memory, findings);
}

enum rule im2col_load_check(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                            const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                            struct findings *findings)
{
    return check_load((struct transfer){NO_OP, TENSORMAP_IM2COL, map, dims, coord, offset, NULL, shared_memory, shared},
                      global_memory, findings);
}

static enum rule load(const struct transfer *t, uint32_t *transaction_bytes, struct findings *findings)
{
    struct box box;
    enum rule rule = transfer_check_load(t, &box, findings);
    if (rule != RULE_OK) return rule;
    const struct cluster_memory cluster = cluster_memory_alone(t->shared_memory);
    struct tensor_mover mover = {OPERATION_TENSOR_LOAD, REDUCE_OPS, 0,   1, t->shared, t->map,
                                 t->global_memory,      &cluster,   NULL};
    *transaction_bytes = 0;
    if (operand_is_nowhere(t->shared)) return RULE_OK;
    tensor_move(&mover, &box);
    *transaction_bytes = (uint32_t)box_transaction_bytes(&box);
    return RULE_OK;
}

enum rule tile_load(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                    const struct memory *shared_memory, uint32_t shared, uint32_t *transaction_bytes,
                    struct findings *findings)
{
    const struct region region = {*global_memory, 0};
    const struct global_memory global = {&region, 1};
    const struct transfer t = {NO_OP, TENSORMAP_TILED, map, dims, coord, NULL, &global, shared_memory, shared};
    return load(&t, transaction_bytes, findings);
}

enum rule im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                      const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                      uint32_t *transaction_bytes, struct findings *findings)
{
    const struct region region = {*global_memory, 0};
    const struct global_memory global = {&region, 1};
    const struct transfer t = {NO_OP, TENSORMAP_IM2COL, map, dims, coord, offset, &global, shared_memory, shared};
    return load(&t, transaction_bytes, findings);
}
