// SPDX-License-Identifier: MIT
// What a store is to others: whether somebody may wait for it, and whether it has changed anything.
#include <string.h>

#include "handler.h"
#include "noted.h"

// May others wait for what is stored? Not in local memory, where code without optimisation (nvcc -G) keeps even what a
// polling loop tries.
static bool is_for_others(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes)
{
    const enum ptx_word space = transfer->space;
    if (space != PTX_WORD_NONE && space != PTX_LOCAL && space != PTX_PARAM) return true;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint64_t address = machine_address(strand, transfer->at, (uint32_t)__builtin_ctz(lanes));
        if (machine_place(strand, space, address).space != PTX_LOCAL) return true;
    }
    return false;
}

static void note(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, uint64_t address)
{
    const struct machine_transfer *transfer = code->transfer;
    const bool is_word = transfer->parts == 1 && transfer->bytes <= sizeof(uint64_t);
    const uint64_t mask = transfer->bytes < sizeof(uint64_t) ? (UINT64_C(1) << 8 * transfer->bytes) - 1 : UINT64_MAX;
    const uint64_t value = is_word ? machine_value(strand, transfer->data, lane) & mask : 0;
    machine_note_write(strand, code, address, transfer->whole_bytes, is_word ? &value : NULL);
}

// A store of one lane: who polls for others stores what he finds into a word of the CTA, and most often finds the same.
static enum machine_next store_one(struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    const struct machine_transfer *transfer = code->transfer;
    const struct machine_place place =
        machine_place(strand, transfer->space, machine_address(strand, transfer->at, lane));
    uint8_t before[MACHINE_LOCAL_GRANULE];
    enum rule rule;
    const uint8_t *at = place.space == PTX_SHARED && transfer->whole_bytes <= sizeof before
                            ? machine_at(strand, place, lane, transfer->whole_bytes, MEMORY_READS, &rule)
                            : NULL;
    if (at != NULL) memcpy(before, at, transfer->whole_bytes);
    const enum machine_next next = machine_transfer(strand, code, 1u << lane);
    strand->warp->cta->cluster->vain += at != NULL && memcmp(before, at, transfer->whole_bytes) == 0;
    if (next == MACHINE_NEXT && place.space == PTX_GLOBAL) note(strand, code, lane, place.address);
    return next;
}

enum machine_next machine_store(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    if (!is_for_others(strand, code->transfer, lanes)) return machine_transfer(strand, code, lanes);
    machine_progress(strand);
    if ((lanes & (lanes - 1)) == 0) return store_one(strand, code, (uint32_t)__builtin_ctz(lanes));
    return machine_transfer(strand, code, lanes);
}
