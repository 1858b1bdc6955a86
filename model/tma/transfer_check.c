// SPDX-License-Identifier: MIT
// The checks of every tensor copy and reduction, under the names that the rules have for loads or for stores.
#include "transfer_check.h"

#include "broken.h"
#include "global_check.h"
#include "move.h"
#include "operand.h"
#include "reduce.h"
#include "rules/im2col.h"
#include "rules/load.h"
#include "rules/reduce.h"
#include "rules/store.h"

enum { SHARED_ALIGN = 128 };
#define TRANSFER_DIM_MAX ((uint64_t)1 << 31)

const struct transfer_rules load_rules = {
    .map_format = RULE_LOAD_MAP_FORMAT,
    .map_address = RULE_LOAD_MAP_ADDRESS,
    .mode = RULE_LOAD_MODE,
    .rank = RULE_LOAD_RANK,
    .dim_limit = RULE_LOAD_DIM_LIMIT,
    .coord_align = RULE_LOAD_COORD_ALIGN,
    .smem_align = RULE_LOAD_SMEM_ALIGN,
    .smem_bounds = RULE_LOAD_SMEM_BOUNDS,
    .unmapped = RULE_LOAD_UNMAPPED,
    .shared_operand = "dstMem",
};

const struct transfer_rules store_rules = {
    .map_format = RULE_STORE_MAP_FORMAT,
    .map_address = RULE_OK, // nobody recorded a store through such a map
    .mode = RULE_STORE_MODE,
    .rank = RULE_STORE_RANK,
    .dim_limit = RULE_STORE_DIM_LIMIT,
    .coord_align = RULE_STORE_COORD_ALIGN,
    .smem_align = RULE_STORE_SMEM_ALIGN,
    .smem_bounds = RULE_STORE_SMEM_BOUNDS,
    .unmapped = RULE_STORE_UNMAPPED,
    .shared_operand = "srcMem",
};

struct transfer_report transfer_report_start(const struct transfer_rules *rules, struct findings *findings)
{
    findings_clear(findings);
    return (struct transfer_report){rules, findings, RULE_OK};
}

void transfer_broken(struct transfer_report *report, struct finding finding)
{
    finding_broken(report->findings, &report->first, finding);
}

// With interleave a row is pixels of 16 or 32 bytes, whatever the box; without, whole 16-byte pieces of one span.
static bool is_row_readable(const struct tensormap *map)
{
    if (map->interleave == INTERLEAVE_32B)
        for (int i = 1; i < map->rank; i++)
            if (map->stride[i] % 32 != 0) return false;
    if (map->interleave != INTERLEAVE_NONE) return map->interleave <= INTERLEAVE_32B && map->rank >= 3;
    uint32_t row_bytes = map->box[0] * dtype_row(map->dtype)->size_bytes, span = tensormap_span_bytes(map->swizzle);
    return row_bytes % CHUNK_BYTES == 0 && (map->swizzle == SWIZZLE_NONE || row_bytes <= span);
}

// Does it have what all that bytes decode to has? A struct may have been filled by hand, and not to its end; the box of
// a map that is not of the instruction's mode is not looked at.
static bool has_sizes(const struct tensormap *map, enum tensormap_mode mode)
{
    bool is_odd = map->swizzle > SWIZZLE_128B || map->mode > TENSORMAP_IM2COL;
    int boxes = map->mode != mode ? 0 : mode == TENSORMAP_TILED ? map->rank : 1;
    if (map->mode == mode && mode == TENSORMAP_IM2COL) is_odd |= map->pixels - 1 >= TENSORMAP_MAX_PIXELS;
    for (int i = 0; i < map->rank; i++) is_odd |= map->estride[i] - 1 >= TENSORMAP_MAX_ESTRIDE || map->dim[i] == 0;
    for (int i = 0; i < boxes; i++) is_odd |= map->box[i] - 1 >= TENSORMAP_MAX_BOX;
    return !is_odd;
}

static bool is_readable(const struct tensormap *map, enum tensormap_mode mode)
{
    if (map->rank < 1 || map->rank > TENSORMAP_MAX_RANK || (unsigned)map->dtype >= DTYPE_COUNT) return false;
    if (!has_sizes(map, mode)) return false;
    if (mode == TENSORMAP_IM2COL && map->mode == mode && map->rank < 3) return false; // no spatial dimension
    if (map->oob_fill != OOB_FILL_ZERO && !dtype_row(map->dtype)->is_float) return false;
    return is_row_readable(map);
}

bool transfer_map_readable(struct transfer_report *report, const struct tensormap *map, enum tensormap_mode mode)
{
    if (is_readable(map, mode)) return true;
    transfer_broken(report, FINDING(report->rules->map_format, "tensorMap", .value = 0));
    return false;
}

bool transfer_check_map(struct transfer_report *report, const struct tensormap *map, enum tensormap_mode mode, int dims)
{
    const struct transfer_rules *rules = report->rules;
    const uint64_t rank = (uint64_t)map->rank, most = TRANSFER_DIM_MAX;
    if (map->mode != mode)
        transfer_broken(report, FINDING(rules->mode, "load_mode", .value = map->mode, .limit = mode, .nearest = mode));
    if (map->rank != dims)
        transfer_broken(report, FINDING(rules->rank, "dim", .is_signed = 1, .value = (uint64_t)(int64_t)dims,
                                        .limit = rank, .nearest = rank));
    for (int i = 0; i < map->rank; i++)
        if (map->dim[i] > most)
            transfer_broken(report, FINDING_AT(rules->dim_limit, "globalDim", i, .value = map->dim[i], .limit = most,
                                               .nearest = most));
    return map->mode == mode && map->rank == dims;
}

void transfer_check_coord(struct transfer_report *report, const struct tensormap *map, int dims, const int32_t *coord)
{
    int32_t per_chunk = CHUNK_BYTES / (int32_t)dtype_row(map->dtype)->size_bytes;
    if (dims < 1 || map->interleave != INTERLEAVE_NONE || coord[0] % per_chunk == 0) return;
    transfer_broken(report, FINDING_AT(report->rules->coord_align, "tensorCoords", 0, .is_signed = 1,
                                       .value = (uint64_t)(int64_t)coord[0], .limit = (uint64_t)per_chunk,
                                       .nearest = (uint64_t)(int64_t)(coord[0] / per_chunk * per_chunk)));
}

// The type of as many bytes that has the operation, a float for a float where there is one; u32, which has all, where
// no type of the size does.
static enum dtype nearest_type(int op, enum dtype dtype)
{
    enum dtype nearest = DTYPE_UINT32;
    for (int is_float = !dtype_row(dtype)->is_float, tries = 0; tries < 2; tries++, is_float = !is_float)
        for (enum dtype type = DTYPE_COUNT; type-- > 0;)
            if (reduce_is_legal((enum reduce_op)op, type) && dtype_row(type)->is_float == is_float &&
                dtype_row(type)->size_bytes == dtype_row(dtype)->size_bytes)
                nearest = type;
    return nearest;
}

void transfer_check_type(struct transfer_report *report, const struct transfer *t)
{
    if (t->op == NO_OP || reduce_is_legal((enum reduce_op)t->op, t->map->dtype)) return;
    transfer_broken(report, FINDING(RULE_REDUCE_TYPE, "tensorDataType", .value = t->map->dtype, .limit = DTYPE_COUNT,
                                    .nearest = nearest_type(t->op, t->map->dtype)));
}

void transfer_check_signs(struct transfer_report *report, const struct transfer *t)
{
    for (int i = 0; i < t->map->rank && i < t->dims; i++)
        if (t->coord[i] < 0)
            transfer_broken(report, FINDING_AT(RULE_STORE_COORD_NEGATIVE, "tensorCoords", i, .is_signed = 1,
                                               .value = (uint64_t)(int64_t)t->coord[i]));
}

void transfer_check_address(struct transfer_report *report, const struct tensormap *map)
{
    uint64_t align = map->interleave == INTERLEAVE_32B ? 32 : 16, address = map->address;
    if (report->rules->map_address == RULE_OK || address % align == 0) return;
    transfer_broken(report, FINDING(report->rules->map_address, "globalAddress", .value = address, .limit = align,
                                    .nearest = address - address % align));
}

// The aligned place that is closest to `place` and from which `extent` bytes fit, or the first one.
static uint32_t nearest_place(const struct memory *memory, uint64_t extent, uint32_t place)
{
    uint64_t end = memory->base + memory->size_bytes;
    uint64_t first = (memory->base + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN, last = first;
    uint64_t aligned = (place + (uint64_t)SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
    if (extent <= end && end - extent > first) last = (end - extent) / SHARED_ALIGN * SHARED_ALIGN;
    return (uint32_t)(aligned < first ? first : aligned > last ? last : aligned);
}

// 715 and 716, whose limits do not depend on the box.
static void check_operand(struct transfer_report *report, uint32_t shared)
{
    const struct transfer_rules *rules = report->rules;
    operand_check(shared, rules->shared_operand, report->findings, &report->first);
    if (shared % SHARED_ALIGN != 0)
        transfer_broken(report,
                        FINDING(rules->smem_align, rules->shared_operand, .value = shared, .limit = SHARED_ALIGN));
}

// A box that does not lie in shared memory: too large for all of it, or at the wrong place.
static struct finding outside_shared(const struct transfer_rules *rules, uint64_t size, uint64_t extent, uint32_t place,
                                     uint32_t nearest)
{
    if (extent > size)
        return FINDING(rules->smem_bounds, "bytes of the box in shared memory", .value = extent, .limit = size,
                       .nearest = size);
    return FINDING(rules->smem_bounds, rules->shared_operand, .value = place, .limit = nearest, .nearest = nearest);
}

bool transfer_check_shared(struct transfer_report *report, const struct tensormap *map, uint64_t extent,
                           const struct memory *shared_memory, uint32_t shared)
{
    if (map->swizzle != SWIZZLE_NONE)
        extent = (extent + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES; // XOR moves in a line
    const char *operand = report->rules->shared_operand;
    uint32_t place = operand_place(shared);
    uint32_t nearest = report->findings == NULL ? 0 : nearest_place(shared_memory, extent, place);
    check_operand(report, shared);
    if (extent != 0 && !operand_fits(shared, extent, shared_memory))
        transfer_broken(report, outside_shared(report->rules, shared_memory->size_bytes, extent, place, nearest));
    for (int i = 0; report->findings != NULL && i < report->findings->count && i < FINDINGS_MAX; i++)
        if (report->findings->item[i].argument == operand) report->findings->item[i].nearest = nearest;
    return extent <= shared_memory->size_bytes;
}

void transfer_check_start(struct transfer_report *report, const struct im2col *column)
{
    int k;
    if (im2col_start_in_box(column, &k)) return;
    int64_t start = column->start[k], nearest = start < column->lower[k] ? column->lower[k] : column->upper[k];
    transfer_broken(report,
                    FINDING_AT(RULE_IM2COL_START, "tensorCoords", column->spatial + k, .is_signed = 1,
                               .value = (uint64_t)start, .limit = (uint64_t)nearest, .nearest = (uint64_t)nearest));
}

void transfer_report_unmapped(struct transfer_report *report, const struct global_memory *memory, uint64_t address)
{
    transfer_broken(report, global_byte_finding(memory, report->rules->unmapped, "address of an element", address));
}
