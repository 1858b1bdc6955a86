// SPDX-License-Identifier: MIT
// Events from the bytes that move. Shared ranges of a swizzled box are swizzled when they are told: whole 16-byte
// chunks, line by line.
#include "tell.h"

#include "operation_part.h"
#include "swizzle.h"

static void tell_stretch(const struct teller *teller, const struct access *as, struct stretch stretch)
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
            tell_stretch(telling->teller, as, *told);
            told->start = chunk;
        }
        told->end = chunk + CHUNK_BYTES;
    }
}

static void tell_shared(const struct telling *telling, struct stretch stretch, uint32_t rank)
{
    struct access as = telling->shared;
    struct stretch told = {0, 0};
    as.rank = rank;
    if (telling->swizzle == SWIZZLE_NONE) {
        tell_stretch(telling->teller, &as, stretch);
        return;
    }
    for (uint64_t at = stretch.start, end; at < stretch.end; at = end) {
        end = (at / LINE_BYTES + 1) * LINE_BYTES;
        if (end > stretch.end) end = stretch.end;
        tell_line(telling, &as, (struct stretch){at, end}, &told);
    }
    tell_stretch(telling->teller, &as, told);
}

static void flush_shared(struct telling *telling)
{
    for (uint32_t rank = 0; telling->ctas >> rank != 0 && rank < 32; rank++)
        if (telling->ctas >> rank & 1) tell_shared(telling, telling->shared_stretch, rank);
}

static void add_global(struct telling *telling, uint64_t address, uint64_t bytes)
{
    struct stretch *stretch = &telling->global_stretch;
    if (stretch->end != address || stretch->end == 0) {
        tell_stretch(telling->teller, &telling->global, *stretch);
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

// How strong the destination of a reduction is: relaxed; all else is weak. st.async and red.async read registers, and
// write through the generic proxy: no document puts them in the async proxy. So does cp.async.
static struct access destination_of(enum operation_kind kind)
{
    bool is_reduction = kind == OPERATION_TENSOR_REDUCE || kind == OPERATION_BULK_STORE_REDUCE ||
                        kind == OPERATION_BULK_SEND_REDUCE || kind == OPERATION_RED_ASYNC;
    bool is_generic = operation_is_register(kind) || kind == OPERATION_CP_ASYNC;
    struct access access = {.kind = is_reduction ? ACCESS_REDUCE : ACCESS_WRITE,
                            .proxy = is_generic ? PROXY_GENERIC : PROXY_ASYNC};
    if (!is_reduction) return access;
    access.order = ORDER_RELAXED;
    access.scope = is_generic ? SCOPE_CLUSTER : SCOPE_GPU;
    return access;
}

// The access of one end: the destination, or the source, which is read.
static struct access end_of(const struct flight *f, bool is_destination, enum access_space space)
{
    struct access access = destination_of(f->operation.kind);
    if (!is_destination) access = (struct access){.kind = ACCESS_READ, .proxy = access.proxy};
    access.space = space;
    access.rank = space == SPACE_SHARED ? f->operation.issuer : 0;
    return access;
}

struct telling telling_of(const struct flight *f)
{
    bool is_load = f->operation.kind == OPERATION_TENSOR_LOAD;
    bool is_read = is_load || f->operation.kind == OPERATION_TENSOR_PREFETCH;
    return (struct telling){.teller = &f->teller,
                            .global = end_of(f, !is_read, SPACE_GLOBAL),
                            .shared = end_of(f, is_load, SPACE_SHARED),
                            .swizzle = f->operation.map.swizzle,
                            .ctas = is_load ? f->targets : UINT32_C(1) << f->operation.issuer};
}

void tell_map(const struct flight *f)
{
    const struct access map = {.proxy = PROXY_TENSORMAP, .space = SPACE_GLOBAL};
    event_tell_access(&f->teller, map, f->operation.map_address, TENSORMAP_BYTES);
}

void tell_rows(struct telling *telling, const struct flight *f, const struct rows *rows, const struct tile_run *run)
{
    bool has_shared = f->operation.kind != OPERATION_TENSOR_PREFETCH;
    uint32_t shared = operation_place(f->operation.shared) + run->offset;
    uint64_t address = run->address;
    for (uint32_t row = 0; row < rows->count; row++) {
        if (!run->is_fill) add_global(telling, address, rows->bytes);
        if (has_shared) add_shared(telling, shared, rows->bytes);
        shared += rows->pitch_bytes;
        address += rows->step_bytes;
    }
}

void tell_rest(struct telling *telling)
{
    tell_stretch(telling->teller, &telling->global, telling->global_stretch);
    flush_shared(telling);
}

// An address of shared memory is told without its rank.
static void tell_end(const struct flight *f, struct access as, uint64_t address, uint64_t bytes)
{
    if (as.space == SPACE_SHARED) address = operation_place((uint32_t)address);
    event_tell_access(&f->teller, as, address, bytes);
}

void tell_ends(const struct flight *f, uint64_t from, uint64_t from_bytes, uint64_t to, uint64_t to_bytes)
{
    enum operation_kind kind = f->operation.kind;
    bool is_from_global = kind == OPERATION_BULK_LOAD || kind == OPERATION_BULK_PREFETCH || kind == OPERATION_CP_ASYNC;
    bool is_to_global = kind == OPERATION_BULK_STORE || kind == OPERATION_BULK_STORE_REDUCE;
    if (f->teller.observer == NULL) return;
    struct access access = end_of(f, true, is_to_global ? SPACE_GLOBAL : SPACE_SHARED);
    if (!operation_is_register(kind))
        tell_end(f, end_of(f, false, is_from_global ? SPACE_GLOBAL : SPACE_SHARED), from, from_bytes);
    if (is_to_global) tell_end(f, access, to, to_bytes);
    for (access.rank = 0; f->targets >> access.rank != 0; access.rank++)
        if (f->targets >> access.rank & 1) tell_end(f, access, to, to_bytes);
}
