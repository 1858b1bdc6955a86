// SPDX-License-Identifier: MIT
// Accesses as events, with the order and the scope that the words of the instruction say.
#include "handler.h"

#include "each.h"

static enum access_order order_of(const struct ptx_choice *choice, enum access_kind kind)
{
    switch ((enum ptx_word)choice->word[PTX_CLASS_ORDER]) {
    case PTX_RELAXED:
        return ORDER_RELAXED;
    case PTX_ACQUIRE:
        return ORDER_ACQUIRE;
    case PTX_RELEASE:
        return ORDER_RELEASE;
    case PTX_ACQ_REL:
        return ORDER_ACQ_REL;
    case PTX_VOLATILE:
        return ORDER_VOLATILE;
    case PTX_MMIO:
        return ORDER_MMIO;
    default:
        return kind == ACCESS_REDUCE ? ORDER_RELAXED : ORDER_WEAK;
    }
}

static enum access_scope scope_of(const struct ptx_choice *choice, enum access_order order)
{
    switch ((enum ptx_word)choice->word[PTX_CLASS_SCOPE]) {
    case PTX_CTA:
        return SCOPE_CTA;
    case PTX_CLUSTER:
        return SCOPE_CLUSTER;
    case PTX_GPU:
        return SCOPE_GPU;
    case PTX_SYS:
        return SCOPE_SYS;
    default:
        return order == ORDER_WEAK ? SCOPE_NONE : order == ORDER_VOLATILE ? SCOPE_SYS : SCOPE_GPU;
    }
}

// Weak accesses to global memory as whole ranges: of lanes that all have the same bytes, or of which each goes on where
// the one before it ends.
static void tell_ranges(const struct teller *teller, struct teller *room, struct event *event, uint32_t lanes,
                        const uint64_t address[MACHINE_LANES])
{
    const uint64_t bytes = event->access.bytes;
    event->access.each = bytes;
    while (lanes != 0) {
        const uint64_t begin = address[__builtin_ctz(lanes)];
        uint32_t left = lanes & (lanes - 1);
        const uint64_t step = left != 0 && address[__builtin_ctz(left)] != begin ? bytes : 0;
        uint64_t last = begin;
        for (; left != 0 && address[__builtin_ctz(left)] == last + step; left &= left - 1) last += step;
        room->origin.lanes = lanes & ~left;
        event->access.address = begin;
        event->access.bytes = last + bytes - begin;
        teller->observer->hear(teller->observer->context, event);
        lanes = left;
    }
}

// All lanes are told by one event, which is not built anew for each: copying it costs more than all that hears it.
void machine_tell_access(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                         enum access_kind kind, const uint64_t address[MACHINE_LANES], uint32_t bytes)
{
    const struct ptx_choice *choice = code->choice;
    enum ptx_word space = (enum ptx_word)(choice->spaces > 0 ? choice->space[0] : PTX_WORD_NONE);
    struct teller room;
    struct event event = {.kind = EVENT_ACCESS, .access = {.kind = kind, .order = order_of(choice, kind)}};
    const struct teller *teller = machine_teller(strand, code, 0, &room);
    if (teller == NULL || teller->observer == NULL || bytes == 0) return;
    event.origin = &room.origin;
    event.access.scope = scope_of(choice, event.access.order);
    event.access.is_constant = choice->word[PTX_CLASS_NC] == PTX_NC;
    event.access.bytes = bytes;
    if (strand->warp->cta->cluster->machine->launch->hears_ranges && space == PTX_GLOBAL && kind != ACCESS_REDUCE &&
        event.access.order == ORDER_WEAK) {
        event.access.space = SPACE_GLOBAL;
        event.access.rank = strand->warp->cta->rank;
        tell_ranges(teller, &room, &event, lanes, address);
        return;
    }
    for (EACH_BIT(lane, lanes)) {
        const struct machine_place place = machine_place(strand, space, address[lane]);
        const int is_far = place.space == PTX_SHARED_CLUSTER, is_shared = place.space == PTX_SHARED || is_far;
        if (place.space == PTX_LOCAL) continue;
        room.origin.lanes = 1u << lane;
        event.access.space = is_shared ? SPACE_SHARED : SPACE_GLOBAL;
        event.access.rank = is_far ? (uint32_t)place.address >> SHARED_RANK_SHIFT : strand->warp->cta->rank;
        event.access.address = is_shared ? place.address % SHARED_WINDOW_BYTES : place.address;
        teller->observer->hear(teller->observer->context, &event);
    }
}
