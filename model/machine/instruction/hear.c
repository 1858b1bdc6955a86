// SPDX-License-Identifier: MIT
// Accesses as events, with the order and the scope that the words of the instruction say.
#include "handler.h"

#include <string.h>

#include "each.h"
#include "looker.h"

enum access_order machine_order_of(const struct ptx_choice *choice, enum access_kind kind)
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

// Who hears of lanes that access memory in one way.
struct ears {
    const struct teller *teller;
    const struct machine_looker *looker; // NULL: nobody looks
};

static struct ears ears_of(const struct machine_strand *strand, const struct teller *teller)
{
    return (struct ears){teller, machine_looker(strand->warp->cta->cluster)};
}

static void tell_row(const struct ears *ears, const struct event *event)
{
    if (ears->looker != NULL && ears->looker->rows != NULL)
        ears->looker->rows(ears->looker->context, event, &(struct machine_rows){.rows = 1, .warps = 1});
    else
        ears->teller->observer->hear(ears->teller->observer->context, event);
}

// Lanes that lie in ranges of so few are told at once.
enum { FEW = 2 };
static bool hears_lanes(const struct ears *ears)
{
    return ears->looker != NULL && ears->looker->lanes != NULL;
}

// Lanes that lie anywhere.
static void tell_lanes(const struct ears *ears, struct teller *room, struct event *event, uint32_t lanes,
                       const uint64_t address[MACHINE_LANES])
{
    room->origin.lanes = lanes;
    ears->looker->lanes(ears->looker->context, event, address);
}

// Weak accesses of lanes to one memory as whole ranges: of lanes that all have the same bytes, or of which each goes on
// where the one before it ends.
static void tell_ranges(const struct ears *ears, struct teller *room, struct event *event, uint32_t lanes,
                        const uint64_t address[MACHINE_LANES])
{
    const uint64_t bytes = event->access.bytes;
    event->access.each = bytes;
    if (event->access.kind == ACCESS_REDUCE) {
        tell_lanes(ears, room, event, lanes, address);
        return;
    }
    while (lanes != 0) {
        const uint64_t begin = address[__builtin_ctz(lanes)];
        uint32_t left = lanes & (lanes - 1);
        const uint64_t step = left != 0 && address[__builtin_ctz(left)] != begin ? bytes : 0;
        uint64_t last = begin;
        for (; left != 0 && address[__builtin_ctz(left)] == last + step; left &= left - 1) last += step;
        if (left != 0 && hears_lanes(ears) && __builtin_popcount(lanes & ~left) <= FEW) {
            event->access.bytes = bytes;
            tell_lanes(ears, room, event, lanes, address);
            return;
        }
        room->origin.lanes = lanes & ~left;
        event->access.address = begin;
        event->access.bytes = last + bytes - begin;
        tell_row(ears, event);
        lanes = left;
    }
}

// Where an access goes: to shared memory of the CTA of that rank, or to one of these.
enum { HOME_GLOBAL = -1, HOME_LOCAL = -2 };

// *address becomes what an event says.
static int home_of(const struct machine_strand *strand, enum ptx_word space, uint64_t *address)
{
    const struct machine_place place = machine_place(strand, space, *address);
    *address = place.address;
    if (place.space == PTX_LOCAL) return HOME_LOCAL;
    if (place.space != PTX_SHARED && place.space != PTX_SHARED_CLUSTER) return HOME_GLOBAL;
    *address %= SHARED_WINDOW_BYTES;
    return (int)(place.space == PTX_SHARED ? strand->warp->cta->rank : (uint32_t)place.address >> SHARED_RANK_SHIFT);
}

static void set_home(const struct machine_strand *strand, struct event *event, int home)
{
    event->access.space = home == HOME_GLOBAL ? SPACE_GLOBAL : SPACE_SHARED;
    event->access.rank = home == HOME_GLOBAL ? strand->warp->cta->rank : (uint32_t)home;
}

// The same of lanes that may go to several memories.
static void tell_homes(const struct machine_strand *strand, const struct ears *ears, struct teller *room,
                       struct event *event, enum ptx_word space, uint32_t lanes, const uint64_t address[MACHINE_LANES])
{
    uint64_t at[MACHINE_LANES];
    int home[MACHINE_LANES];
    memcpy(at, address, sizeof at);
    for (EACH_BIT(lane, lanes)) home[lane] = home_of(strand, space, &at[lane]);
    while (lanes != 0) {
        const int first = home[__builtin_ctz(lanes)];
        uint32_t left = lanes & (lanes - 1);
        while (left != 0 && home[__builtin_ctz(left)] == first) left &= left - 1;
        set_home(strand, event, first);
        if (first != HOME_LOCAL) tell_ranges(ears, room, event, lanes & ~left, at);
        lanes = left;
    }
}

// Is it one event of all lanes? Of atomics only who hears lanes knows what they do.
static bool is_one(const struct ears *ears, const struct access *access)
{
    return access->kind == ACCESS_REDUCE ? access->order == ORDER_RELAXED && hears_lanes(ears)
                                         : access->order == ORDER_WEAK;
}

static void tell_at_once(const struct machine_strand *strand, const struct ears *ears, struct teller *room,
                         struct event *event, enum ptx_word space, uint32_t lanes,
                         const uint64_t address[MACHINE_LANES])
{
    uint64_t at[MACHINE_LANES];
    if (space == PTX_GLOBAL) {
        set_home(strand, event, HOME_GLOBAL);
        tell_ranges(ears, room, event, lanes, address);
    } else if (space == PTX_SHARED || space == PTX_SHARED_CTA) {
        for (int lane = 0; lane < MACHINE_LANES; lane++) at[lane] = address[lane] % SHARED_WINDOW_BYTES;
        set_home(strand, event, (int)strand->warp->cta->rank);
        tell_ranges(ears, room, event, lanes, at);
    } else {
        tell_homes(strand, ears, room, event, space, lanes, address);
    }
}

// All lanes are told by one event, which is not built anew for each: copying it costs more than all that hears it.
void machine_tell_access(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                         enum access_kind kind, const uint64_t address[MACHINE_LANES], uint32_t bytes)
{
    const struct ptx_choice *choice = code->choice;
    enum ptx_word space = (enum ptx_word)(choice->spaces > 0 ? choice->space[0] : PTX_WORD_NONE);
    struct teller room;
    struct event event = {.kind = EVENT_ACCESS, .access = {.kind = kind, .order = machine_order_of(choice, kind)}};
    const struct teller *teller = machine_teller(strand, code, 0, &room);
    if (teller == NULL || teller->observer == NULL || bytes == 0) return;
    event.origin = &room.origin;
    event.access.scope = scope_of(choice, event.access.order);
    event.access.is_constant = choice->word[PTX_CLASS_NC] == PTX_NC;
    event.access.bytes = bytes;
    const struct ears ears = ears_of(strand, teller);
    if (strand->warp->cta->cluster->machine->launch->hears_ranges && is_one(&ears, &event.access)) {
        tell_at_once(strand, &ears, &room, &event, space, lanes, address);
        return;
    }
    for (EACH_BIT(lane, lanes)) {
        uint64_t at = address[lane];
        const int home = home_of(strand, space, &at);
        if (home == HOME_LOCAL) continue;
        room.origin.lanes = 1u << lane;
        set_home(strand, &event, home);
        event.access.address = at;
        teller->observer->hear(teller->observer->context, &event);
    }
}

// Lanes that lie neither at one place nor side by side, row by row, or some of them. Of shared memory each may be a row
// itself.
static void tell_apart(const struct machine_warp *warp, const struct ears *ears, struct teller *room,
                       struct event *event, const struct machine_ramp *ramp, uint32_t lanes)
{
    uint64_t at[MACHINE_LANES];
    const bool are_all = warp->width == MACHINE_LANES && lanes == UINT32_MAX;
    if (are_all && event->access.space == SPACE_SHARED && ears->looker->rows != NULL) {
        const struct machine_rows all = {.rows = MACHINE_LANES, .warps = 1, .rise = (uint64_t)ramp->step};
        room->origin.lanes = lanes;
        ears->looker->rows(ears->looker->context, event, &all);
        return;
    }
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        at[lane] = event->access.address + lane % warp->width * (uint64_t)ramp->step +
                   lane / warp->width * (uint64_t)ramp->rise;
    tell_ranges(ears, room, event, lanes, at);
}

static void tell_rows(const struct machine_warp *warp, const struct ears *ears, struct teller *room,
                      struct event *event, const struct machine_ramp *ramp, const struct machine_crowd *crowd)
{
    const uint64_t each = event->access.bytes, row = ramp->step != 0 ? each * warp->width : each;
    const bool are_one = (uint64_t)ramp->rise == (ramp->step != 0 ? row : 0) || warp->width == MACHINE_LANES;
    const uint32_t rows = are_one ? 1 : MACHINE_LANES / warp->width;
    const uint32_t lanes = are_one ? UINT32_MAX : (UINT32_C(1) << warp->width) - 1;
    event->access.bytes = are_one && ramp->step != 0 ? each * MACHINE_LANES : row;
    if (ears->looker->rows != NULL) {
        const struct machine_rows all = {rows, crowd->warps, (uint64_t)ramp->rise, (uint64_t)crowd->rise};
        room->origin.lanes = UINT32_MAX;
        ears->looker->rows(ears->looker->context, event, &all);
        return;
    }
    for (uint32_t i = 0; i < rows; i++, event->access.address += (uint64_t)ramp->rise) {
        room->origin.lanes = lanes << warp->width % MACHINE_LANES * i;
        ears->teller->observer->hear(ears->teller->observer->context, event);
    }
}

static void tell_each(const struct machine_warp *warp, const struct ears *ears, struct teller *room,
                      struct event *event, const struct machine_ramp *ramp, const struct machine_crowd *crowd)
{
    const uint64_t begin = event->access.address, bytes = event->access.bytes;
    for (uint32_t i = 0; i < crowd->warps; i++, room->origin.warp++) {
        event->access.address = begin + i * (uint64_t)crowd->rise;
        event->access.bytes = bytes;
        tell_apart(warp, ears, room, event, ramp, crowd->lanes);
    }
}

void machine_tell_ramp(const struct machine_strand *strand, const struct machine_code *code,
                       const struct machine_ramp *ramp, const struct machine_looker *looker,
                       const struct machine_crowd *crowd)
{
    const struct machine_transfer *transfer = code->transfer;
    const uint64_t bytes = transfer->whole_bytes, begin = ramp->first + (uint64_t)transfer->at->add;
    const bool is_shared = transfer->guess == MACHINE_GUESS_SHARED;
    struct teller room;
    const struct teller *teller = machine_teller(strand, code, 0, &room);
    struct event event = {.kind = EVENT_ACCESS,
                          .origin = &room.origin,
                          .access = {.kind = transfer->use == MEMORY_READS ? ACCESS_READ : ACCESS_WRITE,
                                     .is_constant = code->choice->word[PTX_CLASS_NC] == PTX_NC,
                                     .address = is_shared ? begin % SHARED_WINDOW_BYTES : begin,
                                     .bytes = bytes,
                                     .each = bytes}};
    if (teller->observer == NULL) return;
    set_home(strand, &event, is_shared ? (int)strand->warp->cta->rank : (int)HOME_GLOBAL);
    const struct ears ears = {teller, looker};
    const bool are_rows = ramp->step == 0 || ramp->step == (int64_t)bytes;
    (are_rows && crowd->lanes == UINT32_MAX ? tell_rows : tell_each)(strand->warp, &ears, &room, &event, ramp, crowd);
}
