// SPDX-License-Identifier: MIT
// Copies: every kind by the one call that the library has for all, many boxes one after the other.
#include <string.h>

#include "bank.h"
#include "boundary.h"
#include "box.h"
#include "copy.h"
#include "flight.h"
#include "hopper.h"
#include "im2col_load.h"
#include "native_report.h"
#include "slice.h"
#include "swizzle.h"

enum { SLICE_NUMBERS = 10 };
enum { BARRIER_ROOM = 16, MAP_ADDRESS = 64 }; // any address will do that is a multiple of 64

static struct box first_box(const struct tensormap *map)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    static const uint16_t offset[IM2COL_MAX_SPATIAL];
    struct box box;
    box_start(&box, map->mode, map, coord, offset);
    return box;
}

uint64_t native_box_bytes(const uint8_t *image)
{
    struct tensormap map;
    if (!boundary_map(image, &map)) return 0;
    struct box box = first_box(&map);
    const uint64_t span = map.swizzle == SWIZZLE_NONE ? 1 : tensormap_span_bytes(map.swizzle);
    return (box_extent_bytes(&box) + span - 1) / span * span;
}

uint64_t native_transaction_bytes(const uint8_t *image)
{
    struct tensormap map;
    if (!boundary_map(image, &map)) return 0;
    struct box box = first_box(&map);
    return box_transaction_bytes(&box);
}

int64_t native_runs(const uint8_t *image, const int32_t *coord, const uint16_t *offset, int64_t most,
                    struct native_run *run)
{
    struct tensormap map;
    struct box box;
    if (!boundary_map(image, &map)) return 0;
    box_start(&box, map.mode, &map, coord, offset);
    struct box_walk walk = box_walk(&box);
    struct tile_run next;
    int64_t count = 0;
    while (count < most &&
           (map.mode == TENSORMAP_IM2COL ? im2col_next(&walk.pixels, &next) : tile_next(&walk.rows, &next)))
        run[count++] = (struct native_run){next.address, next.offset, next.bytes, next.is_fill, 0};
    return count;
}

void native_box_steps(const uint8_t *image, uint32_t *steps, uint64_t *extent)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    struct tensormap map;
    memset(steps, 0, TENSORMAP_MAX_RANK * sizeof *steps);
    memset(extent, 0, TENSORMAP_MAX_RANK * sizeof *extent);
    if (!boundary_map(image, &map)) return;
    struct tile tile = tile_of(&map, coord);
    memcpy(steps, tile.steps, sizeof tile.steps);
    for (int i = 0; i < map.rank; i++) extent[i] = slice_extent(&map, i);
}

// The dimensions of the instruction for a map: bits of a rank may say more than PTX has.
static int dims_of(const struct tensormap *map)
{
    return map->rank < TENSORMAP_MAX_RANK ? map->rank : TENSORMAP_MAX_RANK;
}

// Where global memory is mapped nobody knows here.
void native_load_check(const uint8_t *image, const int32_t *coord, uint32_t shared, struct native_report *report)
{
    static const uint16_t offset[IM2COL_MAX_SPATIAL];
    const struct memory cta = {NULL, 0, SM_SHARED_BYTES};
    struct tensormap map;
    struct findings findings;
    boundary_map(image, &map); // the check says what is wrong with any map
    if (map.mode == TENSORMAP_IM2COL)
        im2col_load_check(&map, dims_of(&map), coord, offset, NULL, &cta, shared, &findings);
    else
        tile_load_check(&map, dims_of(&map), coord, NULL, &cta, shared, &findings);
    native_tell(report, findings_first_broken(&findings), &findings);
}

// A launch has clusters of 1 to 16 CTAs.
static int is_cluster(const uint32_t *size)
{
    uint64_t ctas = 1;
    for (int i = 0; i < 3 && ctas - 1 < CLUSTER_MEMORY_MAX_CTAS; i++) ctas *= size[i];
    return ctas - 1 < CLUSTER_MEMORY_MAX_CTAS;
}

void native_slice(const uint8_t *image, const uint32_t *size, int along, uint32_t rank, const int32_t *coord,
                  const uint64_t *tile, int64_t *result)
{
    const struct cluster_shape shape = {{size[0], size[1], size[2]}};
    struct tensormap map;
    memset(result, 0, SLICE_NUMBERS * sizeof *result);
    if (!boundary_map(image, &map) || !is_cluster(size) || rank >= slice_cluster_ctas(&shape)) return;
    uint32_t index = slice_group_index(&shape, along, rank), slices = slice_count(&map, tile);
    result[0] = slice_group_ctas(&shape, along);
    result[1] = index;
    result[2] = slice_group_mask(&shape, along, rank);
    result[4] = slices;
    if (index >= slices) return;
    struct slice slice = slice_of(&map, coord, tile, index);
    result[3] = (int64_t)slice.offset_bytes;
    for (int i = 0; i < TENSORMAP_MAX_RANK; i++) result[5 + i] = slice.coord[i];
}

// The instruction without what differs from box to box. The barrier is behind the box.
static struct operation operation_of(const struct native_copy *copy, uint64_t pitch_bytes)
{
    struct operation operation = {.kind = (enum operation_kind)copy->kind,
                                  .issuer = copy->issuer,
                                  .map_address = MAP_ADDRESS,
                                  .map_location = MAP_IN_PARAM,
                                  .op = (enum reduce_op)copy->op,
                                  .dtype = (enum dtype)copy->dtype,
                                  .size_bytes = copy->size_bytes,
                                  .is_multicast = copy->is_multicast,
                                  .mask = copy->mask};
    uint32_t rank = copy->issuer << SHARED_RANK_SHIFT;
    operation.shared = rank | copy->shared;
    operation.barrier = rank | ((copy->shared + (uint32_t)pitch_bytes - BARRIER_ROOM + 7) & ~7u);
    if (copy->image != NULL) {
        boundary_map(copy->image, &operation.map); // of a map that is none the operation's check tells
        operation.mode = operation.map.mode;
        operation.dims = dims_of(&operation.map);
    }
    return operation;
}

static void set_box(struct operation *operation, const int32_t *coord, const uint16_t *offset, const uint64_t *address)
{
    if (coord != NULL) memcpy(operation->coord, coord, sizeof operation->coord);
    if (offset != NULL) memcpy(operation->offset, offset, sizeof operation->offset);
    if (address == NULL) return;
    operation->from = operation->kind == OPERATION_BULK_LOAD ? *address : operation->shared;
    operation->to = operation->kind == OPERATION_BULK_LOAD ? operation->shared : *address;
}

// What no instruction has: refused, before any of it is used as an index.
static int is_instruction(const struct native_copy *copy, uint64_t pitch_bytes, struct native_report *report)
{
    const struct {
        const char *argument;
        uint64_t value, least, past;
    } numbers[] = {
        {"kind", (uint32_t)copy->kind, 0, OPERATION_ST_ASYNC},
        {"CTAs of the cluster", copy->ctas, 1, CLUSTER_MEMORY_MAX_CTAS + 1},
        {"rank of the issuing CTA", copy->issuer, 0, copy->ctas},
        {"op", (uint32_t)copy->op, 0, REDUCE_OPS},
        {"dtype", (uint32_t)copy->dtype, 0, DTYPE_COUNT},
        {"bytes of shared memory", pitch_bytes, BARRIER_ROOM, SM_SHARED_BYTES + BARRIER_ROOM + 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].value >= numbers[i].least && numbers[i].value < numbers[i].past) continue;
        boundary_refuse(report, numbers[i].argument, numbers[i].value);
        return 0;
    }
    if (copy->kind > OPERATION_TENSOR_PREFETCH || copy->image != NULL) return 1;
    boundary_refuse(report, "tensorMap", 0);
    return 0;
}

int64_t native_copy(const struct native_copy *copy, int64_t count, const int32_t *coord, const uint16_t *offset,
                    const uint64_t *address, const struct native_memory *memory, uint8_t *tiles, uint64_t pitch_bytes,
                    struct native_report *report)
{
    const struct region region = {{memory->bytes, memory->base, memory->size_bytes}, memory->is_read_only};
    const struct global_memory global = {&region, region.memory.size_bytes > 0};
    struct memory cta[CLUSTER_MEMORY_MAX_CTAS];
    if (!is_instruction(copy, pitch_bytes, report)) return 0;
    const uint32_t ctas = copy->ctas;
    const struct cluster_memory cluster = {cta, ctas, ctas > 1, 0};
    const struct memories memories = {&global, &cluster};
    struct operation operation = operation_of(copy, pitch_bytes);
    struct findings findings;
    native_tell_nothing(report);
    for (int64_t i = 0; i < count; i++) {
        for (uint32_t rank = 0; rank < ctas; rank++, tiles += pitch_bytes)
            cta[rank] = (struct memory){tiles, copy->shared, pitch_bytes};
        set_box(&operation, coord != NULL ? coord + i * TENSORMAP_MAX_RANK : NULL,
                offset != NULL ? offset + i * IM2COL_MAX_SPATIAL : NULL, address != NULL ? address + i : NULL);
        enum rule rule = operation_run(&operation, &memories, NULL, NULL, NULL);
        if (rule == RULE_OK) continue;
        operation_check(&operation, &memories, &findings);
        native_tell(report, rule, &findings);
        return i;
    }
    return count;
}

void native_swizzle(int mode, int64_t count, const uint32_t *address, uint32_t *place)
{
    for (int64_t i = 0; i < count; i++)
        place[i] =
            (unsigned)mode <= SWIZZLE_128B ? swizzle_apply((enum tensormap_swizzle)mode, address[i]) : address[i];
}

void native_bank(int is_store, const uint32_t *address, uint32_t active, uint32_t bytes, int *result,
                 struct native_report *report)
{
    struct bank_report bank = {0};
    enum rule rule = bank_count(is_store ? BANK_STORE : BANK_LOAD, address, active, bytes, &bank);
    struct findings findings = {.count = rule != RULE_OK};
    if (rule != RULE_OK)
        findings.item[0] =
            (struct finding){.rule = rule, .argument = "address", .index = -1, .nearest = bytes, .limit = bytes};
    result[0] = bank.wavefronts;
    result[1] = bank.clocks;
    result[2] = bank.ideal;
    native_tell(report, rule, &findings);
}
