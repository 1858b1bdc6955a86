// SPDX-License-Identifier: MIT
// Events from walks. A run gives a range of global and one of shared memory; both grow while the next run goes
// on where the last ended. Shared ranges are swizzled when they are told: whole 16-byte chunks, line by line.
#include "observe.h"

#include "im2col.h"
#include "move.h"
#include "swizzle.h"
#include "tile.h"

// A stretch of one space that has not been told yet; `end` 0: none.
struct stretch {
    uint64_t start, end;
};

struct telling {
    const struct teller *teller;
    struct access global, shared; // all but the range
    enum tensormap_swizzle swizzle;
    uint32_t ctas; // whose shared memory
    struct stretch global_stretch, shared_stretch;
};

static void tell_range(const struct teller *teller, const struct access *as, struct stretch stretch)
{
    event_tell_access(teller, *as, stretch.start, stretch.end - stretch.start);
}

// The swizzled chunks of `stretch`, which lies in one line, in rising order.
static void tell_line(const struct telling *telling, const struct access *as, struct stretch stretch,
                      struct stretch *told)
{
    uint64_t line = stretch.start / LINE_BYTES * LINE_BYTES;
    uint32_t xor = swizzle_xor(telling->swizzle, (uint32_t)line);
    for (uint64_t chunk = line; chunk < line + LINE_BYTES; chunk += CHUNK_BYTES) {
        uint64_t before = chunk ^ xor; // where the chunk was before swizzling
        if (before < stretch.start || before >= stretch.end) continue;
        if (told->end != chunk) {
            tell_range(telling->teller, as, *told);
            told->start = chunk;
        }
        told->end = chunk + CHUNK_BYTES;
    }
}

static void tell_shared(const struct telling *telling, struct stretch stretch, uint32_t cta)
{
    struct access as = telling->shared;
    struct stretch told = {0, 0};
    as.rank = cta;
    if (telling->swizzle == SWIZZLE_NONE) {
        tell_range(telling->teller, &as, stretch);
        return;
    }
    for (uint64_t at = stretch.start, end; at < stretch.end; at = end) {
        end = (at / LINE_BYTES + 1) * LINE_BYTES;
        if (end > stretch.end) end = stretch.end;
        tell_line(telling, &as, (struct stretch){at, end}, &told);
    }
    tell_range(telling->teller, &as, told);
}

static void flush_shared(struct telling *telling)
{
    for (uint32_t cta = 0; telling->ctas >> cta != 0 && cta < 32; cta++)
        if (telling->ctas >> cta & 1) tell_shared(telling, telling->shared_stretch, cta);
}

static void add_global(struct telling *telling, uint64_t address, uint64_t bytes)
{
    struct stretch *stretch = &telling->global_stretch;
    if (stretch->end != address || stretch->end == 0) {
        tell_range(telling->teller, &telling->global, *stretch);
        stretch->start = address;
    }
    stretch->end = address + bytes;
}

static void add_shared(struct telling *telling, uint32_t address, uint32_t bytes)
{
    struct stretch *stretch = &telling->shared_stretch;
    if (stretch->end != address || stretch->end == 0) {
        flush_shared(telling);
        stretch->start = address;
    }
    stretch->end = (uint64_t)address + bytes;
}

// Does the operation do something with out-of-bounds bytes?
static int has_fill(const struct tensor_operation *operation)
{
    return operation->kind == TENSOR_LOAD;
}

static void add_run(struct telling *telling, const struct tensor_operation *operation, const struct tile_run *run)
{
    if (!run->is_fill) add_global(telling, run->address, run->bytes);
    if (operation->kind == TENSOR_PREFETCH || (run->is_fill && !has_fill(operation))) return;
    add_shared(telling, operation->shared + run->offset, run->bytes);
}

static void add_rows(struct telling *telling, const struct tensor_operation *operation, const struct tile *tile,
                     struct tile_run *run, uint32_t rows)
{
    if (run->is_fill && !has_fill(operation)) return;
    for (; rows > 0; rows--) {
        add_run(telling, operation, run);
        run->offset += tile->pitch_bytes;
        run->address += tile->row_step_bytes;
    }
}

// Every run of the operation; returns the bytes that a load's complete_tx counts.
static uint64_t walk(struct telling *telling, const struct tensor_operation *operation)
{
    const struct tensormap *map = operation->map;
    int is_store = operation->kind == TENSOR_STORE || operation->kind == TENSOR_REDUCE;
    struct tile_run run;
    if (map->mode == TENSORMAP_IM2COL) {
        struct im2col column =
            is_store ? im2col_of_store(map, operation->coord) : im2col_of(map, operation->coord, operation->offset);
        for (struct im2col_walk walk = im2col_walk(&column); im2col_next(&walk, &run);)
            add_run(telling, operation, &run);
        return im2col_transaction_bytes(&column);
    }
    struct tile tile = is_store ? tile_of_store(map, operation->coord) : tile_of(map, operation->coord);
    struct tile_walk walk = tile_walk(&tile);
    for (uint32_t rows; (rows = tile_next_rows(&walk, &run)) > 0;) add_rows(telling, operation, &tile, &run, rows);
    return tile_transaction_bytes(&tile);
}

// Each of the CTAs' barriers hears of `bytes` bytes. Their phases are the barriers' own (sync/mbarrier.h): not told.
static void tell_complete(const struct teller *teller, uint32_t ctas, uint32_t barrier, uint64_t bytes)
{
    struct event event = {.kind = EVENT_BARRIER,
                          .barrier = {.step = BARRIER_TRANSACTION,
                                      .order = ORDER_RELAXED,
                                      .scope = SCOPE_CLUSTER,
                                      .address = barrier,
                                      .transaction = {.complete_bytes = bytes}}};
    for (uint32_t rank = 0; rank < 32 && bytes > 0; rank++) {
        event.barrier.rank = rank;
        if (ctas >> rank & 1) event_tell(teller, event);
    }
}

void tensor_observe(const struct tensor_operation *operation, const struct teller *teller)
{
    int is_load = operation->kind == TENSOR_LOAD, is_reduction = operation->kind == TENSOR_REDUCE;
    int is_read = is_load || operation->kind == TENSOR_PREFETCH;
    struct telling telling = {
        .teller = teller,
        .global = {.kind = is_read        ? ACCESS_READ
                           : is_reduction ? ACCESS_REDUCE
                                          : ACCESS_WRITE,
                   .proxy = PROXY_ASYNC,
                   .order = is_reduction ? ORDER_RELAXED : ORDER_WEAK,
                   .scope = is_reduction ? SCOPE_GPU : SCOPE_NONE,
                   .space = SPACE_GLOBAL},
        .shared = {.kind = is_load ? ACCESS_WRITE : ACCESS_READ, .proxy = PROXY_ASYNC, .space = SPACE_SHARED},
        .swizzle = operation->map->swizzle,
        .ctas = is_load ? operation->ctas : UINT32_C(1) << teller->origin.rank,
    };
    struct access map = {.proxy = PROXY_TENSORMAP, .space = SPACE_GLOBAL};
    event_tell_access(teller, map, operation->map_address, TENSORMAP_BYTES);
    uint64_t bytes = walk(&telling, operation);
    tell_range(teller, &telling.global, telling.global_stretch);
    flush_shared(&telling);
    if (is_load) tell_complete(teller, operation->ctas, operation->barrier, bytes);
}

// How strong the accesses of one end are: the destination of a reduction is relaxed.
static struct access end_of(const struct bulk *bulk, int is_destination, int is_reduction, const struct teller *teller)
{
    struct access access = {.rank = teller->origin.rank};
    int is_global = is_destination ? bulk_is_to_global(bulk->form) : bulk_is_from_global(bulk->form);
    access.space = is_global ? SPACE_GLOBAL : SPACE_SHARED;
    access.proxy = bulk->form == BULK_REGISTERS_TO_OTHER ? PROXY_GENERIC : PROXY_ASYNC;
    access.kind = !is_destination ? ACCESS_READ : is_reduction ? ACCESS_REDUCE : ACCESS_WRITE;
    if (!is_destination || !is_reduction) return access;
    access.order = ORDER_RELAXED;
    access.scope = access.proxy == PROXY_ASYNC ? SCOPE_GPU : SCOPE_CLUSTER;
    return access;
}

void bulk_observe(const struct bulk *bulk, int is_reduction, uint32_t barrier, uint32_t ctas,
                  const struct teller *teller)
{
    uint32_t bytes = bulk_moved_bytes(bulk->form, bulk->size_bytes);
    struct access from = end_of(bulk, 0, is_reduction, teller), to = end_of(bulk, 1, is_reduction, teller);
    if (bulk->form != BULK_REGISTERS_TO_OTHER) event_tell_access(teller, from, bulk->from, bytes);
    if (bulk_is_to_global(bulk->form)) {
        event_tell_access(teller, to, bulk->to, bytes);
        return;
    }
    for (to.rank = 0; to.rank < 32; to.rank++)
        if (ctas >> to.rank & 1) event_tell_access(teller, to, bulk->to, bytes);
    tell_complete(teller, ctas, barrier, bytes);
}

void cp_async_observe(const struct cp_async *copy, const struct teller *teller)
{
    const uint32_t rank = teller->origin.rank;
    const struct access from = {.kind = ACCESS_READ, .space = SPACE_GLOBAL, .rank = rank};
    const struct access to = {.kind = ACCESS_WRITE, .space = SPACE_SHARED, .rank = rank};
    uint64_t start;
    uint32_t bytes;
    cp_async_source(copy, &start, &bytes);
    event_tell_access(teller, from, start, bytes);
    event_tell_access(teller, to, copy->to, copy->size_bytes);
}

static void tell_map(enum access_kind kind, enum access_space space, uint64_t address, const struct teller *teller)
{
    const struct access access = {.kind = kind, .space = space, .rank = teller->origin.rank};
    event_tell_access(teller, access, address, TENSORMAP_BYTES);
}

void map_replace_observe(enum access_space space, uint64_t address, const struct teller *teller)
{
    tell_map(ACCESS_READ, space, address, teller);
    tell_map(ACCESS_WRITE, space, address, teller);
}

void map_copy_observe(uint32_t from, uint64_t to, const struct teller *teller)
{
    tell_map(ACCESS_READ, SPACE_SHARED, from, teller);
    tell_map(ACCESS_WRITE, SPACE_GLOBAL, to, teller);
}
