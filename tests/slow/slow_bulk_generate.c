// SPDX-License-Identifier: MIT
// Random bulk operations, biased to limits: sizes around multiples of 16 and of 2^20, ranges at both ends of both
// memories and of the SM's shared memory, and now and then one that is not aligned.
#include <string.h>

#include "slow_store.h"

enum { END_OF_SM = 233472 };

static uint32_t choose_size(struct slow_random *random)
{
    switch (slow_between(random, 0, 19)) {
    case 0:
        return (uint32_t)slow_between(random, 0, 48);
    case 1:
        return (uint32_t)slow_between(random, 1, 4095) << 20 | (uint32_t)slow_between(random, 0, 48);
    case 2:
        return (uint32_t)slow_between(random, 1, 2000);
    case 3:
        if (slow_chance(random, 80)) return 16 * (uint32_t)slow_between(random, 1, 100);
        return (uint32_t)slow_between(random, 0xfffe0, 0x100010);
    case 4:
        return 65536 + (uint32_t)slow_between(random, -40, 40);
    default:
        return 16 * (uint32_t)slow_between(random, 1, 40);
    }
}

// The bytes of registers: st.async has 4, 8, 16; red.async those of its type.
static uint32_t choose_registers(struct slow_random *random, struct slow_bulk *bulk)
{
    if (bulk->is_reduction) return bulk->dtype == DTYPE_UINT64 || bulk->dtype == DTYPE_INT64 ? 8 : 4;
    return 4u << slow_between(random, 0, 2);
}

static void choose_memories(struct slow_random *random, struct slow_bulk *bulk)
{
    bool is_from_global = bulk->form == BULK_GLOBAL_TO_SHARED || bulk->form == BULK_GLOBAL_TO_OTHER;
    bulk->source_base = is_from_global ? SLOW_GMEM_BASE : SLOW_SMEM_BASE;
    bulk->source_bytes = is_from_global ? SLOW_GMEM_BYTES : SLOW_SMEM_BYTES;
    bulk->destination_base = bulk->form == BULK_SHARED_TO_GLOBAL ? SLOW_GMEM_BASE : SLOW_SMEM_BASE;
    bulk->destination_bytes = bulk->form == BULK_SHARED_TO_GLOBAL ? SLOW_GMEM_BYTES : SLOW_SMEM_BYTES;
    if (bulk->form == BULK_REGISTERS_TO_OTHER) {
        bulk->source_base = 0;
        bulk->source_bytes = 16;
    }
    bool is_to_other = bulk->form == BULK_REGISTERS_TO_OTHER || bulk->form == BULK_SHARED_TO_OTHER;
    if (is_to_other && slow_chance(random, 10)) bulk->destination_base = END_OF_SM - SLOW_SMEM_BYTES;
    if (slow_chance(random, 4)) bulk->destination_bytes -= 128 * (uint64_t)slow_between(random, 1, 8);
}

// An address such that `size` bytes lie in the memory, or leave it at its end, or begin past it.
static uint64_t choose_address(struct slow_random *random, uint64_t base, uint64_t bytes, uint32_t size)
{
    uint64_t room = bytes > size ? bytes - size : 0;
    uint64_t at = (uint64_t)slow_between(random, 0, (int64_t)room) / 16 * 16;
    if (slow_chance(random, 6)) at = room / 16 * 16;
    if (slow_chance(random, 2)) at = room / 16 * 16 + 16 * (uint64_t)slow_between(random, 0, 3);
    if (slow_chance(random, 1)) at = bytes + 16 * (uint64_t)slow_between(random, 0, 64);
    return base + at + (slow_chance(random, 3) ? (uint64_t)slow_between(random, 0, 15) : 0);
}

// The two ranges of a copy within one memory: an overlap has no defined result.
static bool overlap(const struct slow_bulk *bulk)
{
    return bulk->from < bulk->to + bulk->size_bytes && bulk->to < bulk->from + bulk->size_bytes;
}

void slow_generate_bulk(struct slow_random *random, struct slow_bulk *bulk)
{
    memset(bulk, 0, sizeof *bulk);
    bulk->form = (enum bulk_form)slow_between(random, 0, BULK_FORMS - 1);
    bulk->is_reduction = slow_chance(random, 60);
    if (bulk->is_reduction && bulk->form < BULK_SHARED_TO_GLOBAL && slow_chance(random, 95)) {
        bulk->form = BULK_SHARED_TO_GLOBAL;
    }
    for (int i = 0; i < 6; i++) {
        bulk->op = (enum reduce_op)slow_between(random, 0, REDUCE_OPS - 1);
        bulk->dtype = (enum dtype)slow_between(random, DTYPE_UINT32, DTYPE_BFLOAT16);
        bool is_for_other = bulk->dtype <= DTYPE_UINT64 || bulk->form == BULK_SHARED_TO_GLOBAL;
        if (is_for_other && slow_reduce_is_legal(bulk->op, bulk->dtype, SLOW_NONE)) break;
    }
    choose_memories(random, bulk);
    bulk->size_bytes = choose_size(random);
    if (bulk->form == BULK_REGISTERS_TO_OTHER) bulk->size_bytes = choose_registers(random, bulk);
    uint32_t room = bulk->size_bytes / 16 % 65536 * 16;
    bulk->from = choose_address(random, bulk->source_base, bulk->source_bytes, room);
    bulk->to = choose_address(random, bulk->destination_base, bulk->destination_bytes, room);
    if (bulk->form == BULK_REGISTERS_TO_OTHER) {
        bulk->from = 0;
        if (slow_chance(random, 50)) bulk->to += 4 * (uint64_t)slow_between(random, 0, 3);
    }
    if (slow_chance(random, 1)) bulk->to = bulk->destination_base > SLOW_SMEM_BASE ? END_OF_SM - 16 : END_OF_SM;
    if (bulk->form == BULK_SHARED_TO_OWN && overlap(bulk)) bulk->form = BULK_SHARED_TO_OTHER;
}
