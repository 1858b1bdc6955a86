// SPDX-License-Identifier: MIT
// Bulk copies and reductions, st.async and red.async, cp.async: one run of bytes. What lies in one region at either end
// moves at once, anything else by way of a buffer.
#include "linear.h"

#include <string.h>

#include "bulk.h"
#include "cp_async.h"
#include "operation_part.h"
#include "tell.h"

enum { GATHER_BYTES = 1024 };

uint64_t linear_bytes(const struct operation *o)
{
    if (operation_is_register(o->kind) || o->kind == OPERATION_CP_ASYNC) return o->size_bytes;
    return bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, o->size_bytes);
}

// --- The two ends ----------------------------------------------------------------------------------------------------

// `count` bytes of global memory, or of the shared memory of a CTA; `bytes` NULL: in more than one region.
struct end {
    uint8_t *bytes;
    uint64_t address;
};

static struct end global_end(const struct flight *f, uint64_t address, uint64_t count, enum memory_use use)
{
    const struct global_memory *global = f->memories.global;
    return (struct end){region_at(region_find(global, NULL, address), address, count, use), address};
}

static struct end shared_end(const struct flight *f, uint32_t rank, uint64_t address, uint64_t count)
{
    uint32_t place = operation_place((uint32_t)address);
    return (struct end){memory_at(&f->memories.cluster->cta[rank], place, count), place};
}

static struct end source_of(struct flight *f, uint64_t at, uint64_t count)
{
    const struct operation *o = &f->operation;
    if (operation_is_register(o->kind)) return (struct end){(uint8_t *)f->operation.value + at, 0};
    if (o->kind == OPERATION_BULK_LOAD) return global_end(f, o->from + at, count, MEMORY_READS);
    return shared_end(f, o->issuer, o->from + at, count);
}

static struct end destination_of(const struct flight *f, uint32_t rank, uint64_t at, uint64_t count)
{
    const struct operation *o = &f->operation;
    bool is_global = o->kind == OPERATION_BULK_STORE || o->kind == OPERATION_BULK_STORE_REDUCE;
    if (is_global) return global_end(f, o->to + at, count, MEMORY_WRITES);
    return shared_end(f, rank, o->to + at, count);
}

// --- The move --------------------------------------------------------------------------------------------------------

static bool is_reduction(enum operation_kind kind)
{
    return kind == OPERATION_BULK_STORE_REDUCE || kind == OPERATION_BULK_SEND_REDUCE || kind == OPERATION_RED_ASYNC;
}

static void put(const struct operation *o, uint8_t *to, const uint8_t *from, uint64_t count)
{
    if (is_reduction(o->kind))
        reduce_apply(o->op, o->dtype, to, from, (uint32_t)count / dtype_row(o->dtype)->size_bytes);
    else
        memmove(to, from, count);
}

// Over the border of two regions: of the two ends one at most is global memory.
static void put_over_border(const struct flight *f, struct end to, struct end from, uint64_t count)
{
    uint8_t bytes[GATHER_BYTES];
    const struct global_memory *global = f->memories.global;
    for (uint64_t done = 0, part; done < count; done += part) {
        part = count - done < GATHER_BYTES ? count - done : GATHER_BYTES;
        if (to.bytes != NULL) {
            global_read(global, from.address + done, bytes, part);
            put(&f->operation, to.bytes + done, bytes, part);
            continue;
        }
        global_read(global, to.address + done, bytes, part);
        put(&f->operation, bytes, from.bytes + done, part);
        global_write(global, to.address + done, bytes, part);
    }
}

// Where the ranges of a copy within a CTA overlap they move as memmove moves them: from the end, if the destination is
// the later one.
static bool is_backwards(struct flight *f)
{
    if (f->operation.kind != OPERATION_BULK_SEND) return false;
    const uint8_t *from = source_of(f, 0, f->all_bytes).bytes;
    const uint8_t *to = destination_of(f, (uint32_t)__builtin_ctz(f->targets), 0, f->all_bytes).bytes;
    return to > from && to < from + f->all_bytes;
}

static void move(struct flight *f, uint64_t at, uint64_t count)
{
    struct end from = source_of(f, at, count);
    uint32_t ranks = f->targets != 0 ? f->targets : 1; // global memory is one destination
    for (uint32_t rank = 0; ranks >> rank != 0; rank++) {
        if (!(ranks >> rank & 1)) continue;
        struct end to = destination_of(f, rank, at, count);
        if (to.bytes != NULL && from.bytes != NULL)
            put(&f->operation, to.bytes, from.bytes, count);
        else
            put_over_border(f, to, from, count);
    }
}

void linear_copy(const struct cp_async *copy, const struct global_memory *global, uint8_t *to)
{
    uint64_t start;
    uint32_t bytes;
    cp_async_source(copy, &start, &bytes);
    memset(to + bytes, 0, copy->size_bytes - bytes);
    global_read(global, start, to, bytes);
}

static void advance_cp_async(struct flight *f)
{
    const struct operation *o = &f->operation;
    const struct cp_async copy = {NULL, NULL, o->form, o->size_bytes, o->source_operand, o->from, o->to};
    uint64_t start;
    uint32_t bytes;
    cp_async_source(&copy, &start, &bytes);
    if (f->memories.global != NULL)
        linear_copy(&copy, f->memories.global, shared_end(f, o->issuer, o->to, o->size_bytes).bytes);
    tell_ends(f, start, bytes, operation_place((uint32_t)o->to), o->size_bytes);
}

bool linear_advance(struct flight *f, uint64_t most_bytes, uint64_t *bytes)
{
    const struct operation *o = &f->operation;
    uint64_t left = f->all_bytes - f->done_bytes, count = left < most_bytes ? left : most_bytes;
    *bytes = count;
    if (count == 0) return true;
    if (o->kind == OPERATION_CP_ASYNC) {
        advance_cp_async(f);
        return true;
    }
    bool moves = f->memories.global != NULL && o->kind != OPERATION_BULK_PREFETCH;
    uint64_t at = moves && is_backwards(f) ? left - count : f->done_bytes;
    if (moves) move(f, at, count);
    tell_ends(f, o->from + at, count, o->to + at, count);
    return count == left;
}
