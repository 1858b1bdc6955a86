// SPDX-License-Identifier: MIT
#include "load_check.h"

#include "move.h"

enum { SHARED_ALIGN = 128 };
#define LOAD_DIM_MAX ((uint64_t)1 << 31)

void load_broken(struct findings *findings, enum rule *first, struct finding finding)
{
    if (*first == RULE_OK) *first = finding.rule;
    finding_add(findings, finding);
}

int load_map_readable(const struct tensormap *map)
{
    if (map->rank < 1 || map->rank > TENSORMAP_MAX_RANK || (unsigned)map->dtype >= DTYPE_COUNT) return 0;
    if (map->interleave > INTERLEAVE_32B || (map->interleave != INTERLEAVE_NONE && map->rank < 3)) return 0;
    return map->box[0] * dtype_row(map->dtype)->size_bytes % CHUNK_BYTES == 0;
}

void load_check_instruction(const struct tensormap *map, enum tensormap_mode mode, int dims, const int32_t *coord,
                            struct findings *findings, enum rule *first)
{
    if (map->mode != mode)
        load_broken(findings, first, (struct finding){RULE_LOAD_MODE, "load_mode", -1, 0, map->mode, mode, mode});
    if (map->rank != dims)
        load_broken(
            findings, first,
            (struct finding){RULE_LOAD_RANK, "dim", -1, 0, (uint64_t)dims, (uint64_t)map->rank, (uint64_t)map->rank});
    for (int i = 0; i < map->rank; i++)
        if (map->dim[i] > LOAD_DIM_MAX)
            load_broken(
                findings, first,
                (struct finding){RULE_LOAD_DIM_LIMIT, "globalDim", i, 0, map->dim[i], LOAD_DIM_MAX, LOAD_DIM_MAX});
    int32_t per_chunk = CHUNK_BYTES / (int32_t)dtype_row(map->dtype)->size_bytes;
    if (map->interleave == INTERLEAVE_NONE && coord[0] % per_chunk != 0)
        load_broken(findings, first,
                    (struct finding){RULE_LOAD_COORD_ALIGN, "tensorCoords", 0, 1, (uint64_t)(int64_t)coord[0],
                                     (uint64_t)per_chunk, (uint64_t)(int64_t)(coord[0] / per_chunk * per_chunk)});
}

void load_check_align(uint32_t shared, struct findings *findings, enum rule *first)
{
    if (shared % SHARED_ALIGN != 0)
        load_broken(findings, first,
                    (struct finding){RULE_LOAD_SMEM_ALIGN, "dstMem", -1, 0, shared, SHARED_ALIGN,
                                     (shared + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN});
}

// A box that does not lie in shared memory: too large for all of it, or at the wrong place.
static struct finding outside_shared(const struct memory *memory, uint32_t shared, uint64_t extent)
{
    uint64_t size = memory->size_bytes, first = (memory->base + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
    uint64_t last = (memory->base + size - extent) / SHARED_ALIGN * SHARED_ALIGN, limit = shared < first ? first : last;
    if (extent > size)
        return (struct finding){RULE_LOAD_SMEM_BOUNDS, "bytes of the box in shared memory", -1, 0, extent, size, size};
    return (struct finding){RULE_LOAD_SMEM_BOUNDS, "dstMem", -1, 0, shared, limit, limit};
}

int load_check_bounds(const struct tensormap *map, uint64_t extent, const struct memory *shared_memory, uint32_t shared,
                      struct findings *findings, enum rule *first)
{
    if (map->swizzle != SWIZZLE_NONE)
        extent = (extent + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES; // XOR moves in a line
    if (memory_at(shared_memory, shared, extent) == NULL)
        load_broken(findings, first, outside_shared(shared_memory, shared, extent));
    return extent <= shared_memory->size_bytes;
}

void load_check_base(const struct tensormap *map, int first_outside, const struct memory *memory,
                     struct findings *findings, enum rule *first)
{
    uint64_t end = memory->base + memory->size_bytes;
    if (first_outside && memory_at(memory, map->address, 1) == NULL)
        load_broken(findings, first,
                    (struct finding){RULE_LOAD_BASE_UNMAPPED, "globalAddress", -1, 0, map->address, end, memory->base});
}

void load_report_unmapped(const struct memory *memory, uint64_t address, struct findings *findings, enum rule *first)
{
    uint64_t end = memory->base + memory->size_bytes;
    uint64_t unmapped = memory_at(memory, address, 1) == NULL ? address : end;
    load_broken(findings, first,
                (struct finding){RULE_LOAD_UNMAPPED, "address of an element", -1, 0, unmapped, end, memory->base});
}
