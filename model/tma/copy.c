// SPDX-License-Identifier: MIT
// Moves the runs of a walk into shared memory: bounds and alignment first, then one XOR constant per 128-byte line.
#include "copy.h"

#include <string.h>

#include "swizzle.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16, SHARED_ALIGN = 128, CACHE_LINE_BYTES = 64, PREFETCH_ROWS = 12 };
#define LOAD_DIM_MAX ((uint64_t)1 << 31)

uint16_t oob_fill_pattern(enum tensormap_oob_fill fill)
{
    return fill == OOB_FILL_NAN_REQUEST_ZERO_FMA ? 0x7ff7 : 0;
}

uint32_t tf32_round(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7fffffff, infinity = 0x7f800000, dropped = 13;
    if (magnitude > infinity) return 0x7fffe000;
    if (magnitude == infinity) return bits;
    uint32_t tie_to_even = bits >> dropped & 1;
    return (bits + (1u << (dropped - 1)) - 1 + tie_to_even) & ~((1u << dropped) - 1);
}

static void broken(struct findings *findings, enum rule *first, struct finding finding)
{
    if (*first == RULE_OK) *first = finding.rule;
    finding_add(findings, finding);
}

// Is the map one that the hardware decodes at all? Its bits past the fields a load reads do not matter.
static int is_loadable(const struct tensormap *map)
{
    if (map->rank < 1 || map->rank > TENSORMAP_MAX_RANK || (unsigned)map->dtype >= DTYPE_COUNT) return 0;
    if (map->interleave > INTERLEAVE_32B || (map->interleave != INTERLEAVE_NONE && map->rank < 3)) return 0;
    return map->box[0] * dtype_row(map->dtype)->size_bytes % CHUNK_BYTES == 0;
}

// The 715 faults: rules LOAD_MODE, LOAD_RANK, LOAD_DIM_LIMIT, LOAD_COORD_ALIGN.
static enum rule check_instruction(const struct tensormap *map, int dims, const int32_t *coord,
                                   struct findings *findings)
{
    enum rule first = RULE_OK;
    if (map->mode != TENSORMAP_TILED)
        broken(findings, &first, (struct finding){RULE_LOAD_MODE, "load_mode", -1, 0, map->mode, 0, 0});
    if (map->rank != dims)
        broken(
            findings, &first,
            (struct finding){RULE_LOAD_RANK, "dim", -1, 0, (uint64_t)dims, (uint64_t)map->rank, (uint64_t)map->rank});
    for (int i = 0; i < map->rank; i++)
        if (map->dim[i] > LOAD_DIM_MAX)
            broken(findings, &first,
                   (struct finding){RULE_LOAD_DIM_LIMIT, "globalDim", i, 0, map->dim[i], LOAD_DIM_MAX, LOAD_DIM_MAX});
    int32_t per_chunk = CHUNK_BYTES / (int32_t)dtype_row(map->dtype)->size_bytes;
    if (map->interleave == INTERLEAVE_NONE && coord[0] % per_chunk != 0)
        broken(findings, &first,
               (struct finding){RULE_LOAD_COORD_ALIGN, "tensorCoords", 0, 1, (uint64_t)(int64_t)coord[0],
                                (uint64_t)per_chunk, (uint64_t)(int64_t)(coord[0] / per_chunk * per_chunk)});
    return first;
}

// The part of dimension i that is in bounds: the least and greatest index; 0 if there is none.
static int bounds_of(const struct tile *tile, int i, int64_t *least, int64_t *greatest)
{
    const struct tensormap *map = tile->map;
    int64_t by = i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
    int64_t start = tile->coord[i], last = start + by * (int64_t)(tile->steps[i] - 1), dim = (int64_t)map->dim[i];
    *least = start >= 0 ? start : start + (-start + by - 1) / by * by;
    *greatest = last < dim ? last : start + (dim - 1 - start) / by * by;
    return *least < dim && *greatest >= *least; // and *least >= 0
}

// The first byte that a load reads and that is not mapped, run by run; 0 if there is none. Addresses wrap at 2^64.
static int find_unmapped(const struct tile *tile, const struct memory *memory, uint64_t *address)
{
    struct tile_run run;
    for (struct tile_walk walk = tile_walk(tile); tile_next(&walk, &run);) {
        if (run.is_fill || memory_at(memory, run.address, run.bytes) != NULL) continue;
        *address = memory_at(memory, run.address, 1) == NULL ? run.address : memory->base + memory->size_bytes;
        return 1;
    }
    return 0;
}

// Does all that is read lie between the least and the greatest element, and these in mapped memory? Elements in bounds
// are a product of ranges, so that this is the whole answer unless addresses wrap or the answer is no.
static int is_surely_mapped(const struct tile *tile, const struct memory *memory)
{
    const struct tensormap *map = tile->map;
    unsigned __int128 low = map->address, high = map->address;
    for (int i = 0; i < map->rank; i++) {
        int64_t least, greatest;
        if (!bounds_of(tile, i, &least, &greatest)) return 1;
        low += (unsigned __int128)(uint64_t)least * map->stride[i];
        high += (unsigned __int128)(uint64_t)greatest * map->stride[i];
    }
    return low >= memory->base && high + map->stride[0] <= (unsigned __int128)memory->base + memory->size_bytes;
}

// The 700 faults of the source: rules LOAD_BASE_UNMAPPED, LOAD_UNMAPPED. The box fits shared memory.
static enum rule check_source(const struct tile *tile, const struct memory *memory, struct findings *findings)
{
    const struct tensormap *map = tile->map;
    enum rule first = RULE_OK;
    int first_outside = 0;
    uint64_t end = memory->base + memory->size_bytes, unmapped;
    for (int i = 0; i < map->rank; i++) first_outside |= tile->coord[i] < 0 || tile->coord[i] >= (int64_t)map->dim[i];
    if (first_outside && memory_at(memory, map->address, 1) == NULL)
        broken(findings, &first,
               (struct finding){RULE_LOAD_BASE_UNMAPPED, "globalAddress", -1, 0, map->address, end, memory->base});
    if (!is_surely_mapped(tile, memory) && find_unmapped(tile, memory, &unmapped))
        broken(findings, &first,
               (struct finding){RULE_LOAD_UNMAPPED, "address of an element", -1, 0, unmapped, end, memory->base});
    return first;
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

enum rule tile_load_check(const struct tensormap *map, int dims, const int32_t *coord,
                          const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                          struct findings *findings)
{
    if (!is_loadable(map)) {
        finding_add(findings, (struct finding){RULE_LOAD_MAP_FORMAT, "tensorMap", -1, 0, 0, 0, 0});
        return RULE_LOAD_MAP_FORMAT;
    }
    enum rule first = check_instruction(map, dims, coord, findings);
    if (shared % SHARED_ALIGN != 0)
        broken(findings, &first,
               (struct finding){RULE_LOAD_SMEM_ALIGN, "dstMem", -1, 0, shared, SHARED_ALIGN,
                                (shared + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN});
    if (map->mode != TENSORMAP_TILED) return first;
    struct tile tile = tile_of(map, coord);
    uint64_t extent = tile_extent_bytes(&tile);
    if (map->swizzle != SWIZZLE_NONE)
        extent = (extent + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES; // XOR moves in a line
    if (memory_at(shared_memory, shared, extent) == NULL)
        broken(findings, &first, outside_shared(shared_memory, shared, extent));
    if (extent > shared_memory->size_bytes) return first;
    enum rule source = check_source(&tile, global_memory, findings);
    return first != RULE_OK ? first : source;
}

// Where a load writes: shared address `base` is at `bytes`.
struct sink {
    uint8_t *bytes;
    uint32_t base;
    enum tensormap_swizzle swizzle;
};

// Copies `count` bytes to shared address `to`; a piece never crosses a 128-byte line, where the XOR changes.
static void put_bytes(const struct sink *sink, uint32_t to, const uint8_t *from, uint32_t count)
{
    if (sink->swizzle == SWIZZLE_NONE) {
        memcpy(sink->bytes + (to - sink->base), from, count);
        return;
    }
    while (count > 0) {
        uint32_t xor = swizzle_xor(sink->swizzle, to), piece = CHUNK_BYTES - to % CHUNK_BYTES;
        if (to % LINE_BYTES == 0 && count >= LINE_BYTES) {
            uint8_t *line = sink->bytes + (to - sink->base);
            for (uint32_t chunk = 0; chunk < LINE_BYTES; chunk += CHUNK_BYTES)
                memcpy(line + (chunk ^ xor), from + chunk, CHUNK_BYTES);
            to += LINE_BYTES, from += LINE_BYTES, count -= LINE_BYTES;
            continue;
        }
        if (piece > count) piece = count;
        memcpy(sink->bytes + ((to ^ xor) - sink->base), from, piece);
        to += piece, from += piece, count -= piece;
    }
}

static void put_fill(const struct sink *sink, uint32_t to, uint16_t pattern, uint32_t count)
{
    uint16_t line[LINE_BYTES / 2];
    for (int i = 0; i < LINE_BYTES / 2; i++) line[i] = pattern;
    for (uint32_t done = 0; done < count; done += LINE_BYTES) {
        uint32_t piece = count - done < LINE_BYTES ? count - done : LINE_BYTES;
        put_bytes(sink, to + done, (const uint8_t *)line, piece);
    }
}

// TF32 runs are converted a line at a time on their way.
static void put_tf32(const struct sink *sink, uint32_t to, const uint8_t *from, uint32_t count)
{
    uint32_t line[LINE_BYTES / 4];
    for (uint32_t done = 0; done < count; done += LINE_BYTES) {
        uint32_t piece = count - done < LINE_BYTES ? count - done : LINE_BYTES;
        memcpy(line, from + done, piece);
        for (uint32_t i = 0; i < piece / 4; i++) line[i] = tf32_round(line[i]);
        put_bytes(sink, to + done, (const uint8_t *)line, piece);
    }
}

// Asks for a row that comes later: rows of a tensor lie far apart, where no hardware prefetcher looks.
static void prefetch_row(const uint8_t *from, uint64_t step_bytes, uint32_t count)
{
    uintptr_t row = (uintptr_t)from + PREFETCH_ROWS * step_bytes;
    for (uint32_t line = 0; line < count; line += CACHE_LINE_BYTES) __builtin_prefetch((const void *)(row + line));
}

// Copies `rows` rows, all like `run`.
static void put_rows(const struct sink *sink, const struct tile *tile, const struct tile_run *run, uint32_t rows,
                     uint32_t to, const uint8_t *from)
{
    int is_tf32 = dtype_row(tile->map->dtype)->is_tf32;
    for (uint32_t row = 0; row < rows; row++) {
        if (row + PREFETCH_ROWS < rows) prefetch_row(from, tile->row_step_bytes, run->bytes);
        if (is_tf32)
            put_tf32(sink, to, from, run->bytes);
        else
            put_bytes(sink, to, from, run->bytes);
        to += tile->pitch_bytes;
        from += tile->row_step_bytes;
    }
}

enum rule tile_load(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                    const struct memory *shared_memory, uint32_t shared, uint32_t *transaction_bytes)
{
    enum rule rule = tile_load_check(map, dims, coord, global_memory, shared_memory, shared, NULL);
    if (rule != RULE_OK) return rule;

    struct tile tile = tile_of(map, coord);
    struct tile_walk walk = tile_walk(&tile);
    struct sink sink = {shared_memory->bytes, (uint32_t)shared_memory->base, map->swizzle};
    uint16_t fill = oob_fill_pattern(map->oob_fill);
    struct tile_run run;
    for (uint32_t rows; (rows = tile_next_rows(&walk, &run)) > 0;) {
        uint32_t to = shared + run.offset;
        if (!run.is_fill)
            put_rows(&sink, &tile, &run, rows, to, global_memory->bytes + (run.address - global_memory->base));
        else
            for (uint32_t row = 0; row < rows; row++) put_fill(&sink, to + row * tile.pitch_bytes, fill, run.bytes);
    }
    *transaction_bytes = (uint32_t)tile_transaction_bytes(&tile);
    return RULE_OK;
}
