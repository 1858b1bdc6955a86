// SPDX-License-Identifier: MIT
// The slow bulk operation: what moves, which addresses may hold it, then byte by byte or element by element.
#include "slow_store.h"

static bool is_from_registers(const struct slow_bulk *bulk)
{
    return bulk->form == BULK_REGISTERS_TO_OTHER;
}

static bool is_to_other(const struct slow_bulk *bulk)
{
    return bulk->form == BULK_GLOBAL_TO_OTHER || bulk->form == BULK_SHARED_TO_OTHER || is_from_registers(bulk);
}

// What PTX lists for a destination in global memory; to shared memory goes less.
static bool is_listed(const struct slow_bulk *bulk, enum slow_mutant mutant)
{
    enum dtype dtype = bulk->dtype;
    bool is_choice = bulk->op == REDUCE_MIN || bulk->op == REDUCE_MAX;
    bool is_count = bulk->op == REDUCE_INC || bulk->op == REDUCE_DEC;
    bool is_bits = bulk->op == REDUCE_AND || bulk->op == REDUCE_OR || bulk->op == REDUCE_XOR;
    if (is_bits) return dtype == DTYPE_UINT32 || dtype == DTYPE_UINT64; // .b32, .b64
    if (is_count) return dtype == DTYPE_UINT32;
    if (dtype == DTYPE_UINT32 || dtype == DTYPE_INT32 || dtype == DTYPE_UINT64) return true;
    if (dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16) return true;
    if (dtype == DTYPE_INT64) return is_choice || mutant == SLOW_BULK_S64_ADD;
    if (dtype == DTYPE_FLOAT32) return !is_choice || mutant == SLOW_BULK_F32_MIN;
    return dtype == DTYPE_FLOAT64 && !is_choice;
}

static bool is_accepted(const struct slow_bulk *bulk, enum slow_mutant mutant)
{
    bool is_integer = bulk->dtype <= DTYPE_INT64;
    bool is_64 = bulk->dtype == DTYPE_UINT64 || bulk->dtype == DTYPE_INT64;
    if (bulk->form == BULK_GLOBAL_TO_SHARED || bulk->form == BULK_GLOBAL_TO_OTHER) return false;
    if (!is_listed(bulk, mutant)) return false;
    if (bulk->form == BULK_SHARED_TO_GLOBAL) return true;
    if (!is_integer) return mutant == SLOW_BULK_OTHER_FLOATS;
    return !is_64 || bulk->op == REDUCE_ADD || mutant == SLOW_BULK_OTHER_64;
}

// Which bytes move: whole units of 16, 16 bits of them; from registers all.
static uint32_t moved_bytes(const struct slow_bulk *bulk, enum slow_mutant mutant)
{
    uint32_t size = bulk->size_bytes;
    if (is_from_registers(bulk) && mutant != SLOW_BULK_SIZE_ROUNDED_ASYNC) return size;
    if (mutant == SLOW_BULK_SIZE_EXACT) return size;
    if (mutant == SLOW_BULK_SIZE_32_BITS) return size / 16 * 16;
    if (mutant == SLOW_BULK_SIZE_16_BITS) return size % 65536 / 16 * 16;
    uint32_t units = size / 16 + (mutant == SLOW_BULK_SIZE_UP && size % 16 != 0);
    return units % 65536 * 16;
}

static bool is_misaligned(const struct slow_bulk *bulk, enum slow_mutant mutant)
{
    uint64_t alignment = mutant == SLOW_BULK_ALIGN_8 ? 8 : 16;
    if (is_from_registers(bulk)) {
        alignment = bulk->size_bytes;
        if (mutant == SLOW_BULK_ASYNC_ALIGN_4) alignment = 4;
        if (mutant == SLOW_BULK_ASYNC_ALIGN_16) alignment = 16;
        return bulk->to % alignment != 0;
    }
    return (bulk->from % alignment != 0 && mutant != SLOW_BULK_ALIGN_SOURCE) || bulk->to % alignment != 0;
}

static bool is_inside(uint64_t address, uint64_t base, uint64_t count_bytes)
{
    return address >= base && address - base < count_bytes;
}

// The fault of the byte at `at`, or 0.
static int fault_at(const struct slow_bulk *bulk, uint64_t at, enum slow_mutant mutant)
{
    uint64_t limit = mutant == SLOW_BULK_LIMIT_227 ? 227 * 1024 : 228 * 1024;
    bool is_read = is_inside(bulk->from + at, bulk->source_base, bulk->source_bytes);
    bool is_written = is_inside(bulk->to + at, bulk->destination_base, bulk->destination_bytes);
    bool is_local = bulk->form == BULK_GLOBAL_TO_SHARED,
         is_cluster = is_to_other(bulk) || bulk->form == BULK_SHARED_TO_OWN;
    if (!is_read && mutant != SLOW_BULK_SOURCE_ANY) return 700;
    if (is_written) return 0;
    if (is_local) return mutant == SLOW_BULK_OWN_719 ? 719 : 700;
    if (!is_cluster || mutant == SLOW_BULK_REMOTE_700) return 700;
    return bulk->to + at >= limit && mutant != SLOW_BULK_LIMIT_719 ? 700 : 719;
}

// 700 at any byte wins over 719 at another.
static int fault_of_range(const struct slow_bulk *bulk, uint32_t moved, enum slow_mutant mutant)
{
    int first = mutant == SLOW_BULK_REMOTE_FIRST ? 719 : 700, other = 0;
    for (uint64_t at = 0; at < moved; at++) {
        int fault = fault_at(bulk, at, mutant);
        if (fault == first) return fault;
        if (fault != 0) other = fault;
        if (fault == 719 && mutant == SLOW_BULK_LIMIT_START) return 719;
        if (mutant == SLOW_BULK_STARTS) break;
    }
    return other;
}

static int fault_of(const struct slow_bulk *bulk, uint32_t moved, enum slow_mutant mutant)
{
    bool misaligned = is_misaligned(bulk, mutant);
    if (moved == 0) return misaligned && mutant == SLOW_BULK_ALIGN_EMPTY ? 716 : 0;
    if (misaligned && mutant != SLOW_BULK_ALIGN_LAST) return 716;
    int fault = fault_of_range(bulk, moved, mutant);
    return fault == 0 && misaligned ? 716 : fault;
}

static uint32_t element_bytes(const struct slow_bulk *bulk)
{
    if (!bulk->is_reduction) return 1;
    if (bulk->dtype == DTYPE_FLOAT16 || bulk->dtype == DTYPE_BFLOAT16) return 2;
    return bulk->dtype == DTYPE_UINT64 || bulk->dtype == DTYPE_INT64 || bulk->dtype == DTYPE_FLOAT64 ? 8 : 4;
}

// Bytes that a misreading lets through are left out.
static void move(const struct slow_bulk *bulk, const uint8_t *source, uint8_t *destination, uint32_t moved)
{
    uint32_t element = element_bytes(bulk);
    for (uint64_t at = 0; at + element <= moved; at += element) {
        uint64_t last = at + element - 1;
        if (!is_inside(bulk->to + at, bulk->destination_base, bulk->destination_bytes)) continue;
        if (!is_inside(bulk->to + last, bulk->destination_base, bulk->destination_bytes)) continue;
        if (!is_inside(bulk->from + at, bulk->source_base, bulk->source_bytes)) continue;
        if (!is_inside(bulk->from + last, bulk->source_base, bulk->source_bytes)) continue;
        const uint8_t *from = source + (bulk->from + at - bulk->source_base);
        uint8_t *to = destination + (bulk->to + at - bulk->destination_base);
        if (bulk->is_reduction)
            slow_reduce_bytes(bulk->op, bulk->dtype, to, from, element, SLOW_NONE);
        else
            *to = *from;
    }
}

int slow_bulk(const struct slow_bulk *bulk, const uint8_t *source, uint8_t *destination, uint32_t *tx_bytes,
              enum slow_mutant mutant)
{
    uint32_t moved = moved_bytes(bulk, mutant);
    if (bulk->is_reduction && !is_accepted(bulk, mutant)) return SLOW_REFUSED;
    int fault = fault_of(bulk, moved, mutant);
    if (fault != 0) return fault;
    move(bulk, source, destination, moved);
    *tx_bytes = mutant == SLOW_BULK_TX_OPERAND ? bulk->size_bytes : moved;
    if (bulk->form == BULK_SHARED_TO_GLOBAL && mutant != SLOW_BULK_TX_GLOBAL) *tx_bytes = 0;
    return 0;
}
