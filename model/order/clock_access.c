// SPDX-License-Identifier: MIT
// An access comes to the cells of its bytes.
#include <stdlib.h>

#include "apart.h"

// Chunks of a cell: in shared memory each warp of a CTA may have read it last; in global memory as many as there are
// may, and the last ones are enough to find a write behind them that nothing orders.
enum { SHARED_CHUNKS = 11, GLOBAL_CHUNKS = 4 };

struct shadow_page *order_page_spare(struct clock_order *order)
{
    struct shadow_page *page = order->spare;
    if (page == NULL) return calloc(1, sizeof *page);
    order->spare = page->next;
    return page;
}

static struct shadow_page *page_of(struct clock_order *order, struct order_cta *cta, uint64_t address)
{
    if (cta == NULL) return order_global_page(order, address);
    const uint64_t number = address / SHADOW_PAGE_BYTES;
    if (number >= ORDER_SHARED_PAGES) return NULL;
    struct shadow_page *page = cta->page[number];
    if (page != NULL) return page;
    page = order_page_spare(order);
    if (page == NULL) order->is_short = true;
    if (page == NULL) return NULL;
    page->number = number;
    return cta->page[number] = page;
}

static uint8_t flags_of(const struct access *access)
{
    if (access->kind == ACCESS_READ && access->order == ORDER_WEAK && access->proxy == PROXY_GENERIC)
        return access->is_constant ? SHADOW_CONSTANT : 0;
    return (uint8_t)((access->kind != ACCESS_READ ? SHADOW_WRITES : 0) |
                     (access->kind == ACCESS_REDUCE ? SHADOW_REDUCES : 0) |
                     (access->order != ORDER_WEAK ? SHADOW_STRONG : 0) |
                     (access->proxy == PROXY_ASYNC ? SHADOW_ASYNC : 0) |
                     (access->proxy == PROXY_TENSORMAP ? SHADOW_MAP : 0) | (access->is_constant ? SHADOW_CONSTANT : 0) |
                     (int)order_reach_of(access->scope) << SHADOW_REACH_SHIFT);
}

// Of a strong access of threads: vectors are as many accesses as they have elements, but that is not known here.
static uint8_t size_of(const struct event *event)
{
    const uint64_t bytes = event->access.each != 0 ? event->access.each : event->access.bytes;
    if (event->origin->operation != 0 || event->access.order == ORDER_WEAK || bytes < 4 || bytes > 16) return 0;
    return (uint8_t)((bytes == 4 ? 1 : bytes == 8 ? 2 : 3) << SHADOW_SIZE_SHIFT);
}

// Bytes of one wide cell: a bit each. cta NULL: of global memory
struct piece {
    struct order_cta *cta;
    struct shadow_page *page;
    uint64_t address, bytes;
};

static uint32_t wide_of(const struct piece *piece)
{
    return (uint32_t)(piece->address % SHADOW_PAGE_BYTES / SHADOW_WIDE_BYTES);
}

// Who reads what nobody has written is told once.
static void note_written(struct clock_order *order, const struct piece *piece, const struct shadow_entry *entry)
{
    uint64_t *written = &piece->page->written[wide_of(piece)], missing = piece->bytes & ~*written;
    const bool reads = (entry->flags & (SHADOW_WRITES | SHADOW_REDUCES)) != SHADOW_WRITES;
    *written |= piece->bytes;
    if (missing == 0 || !reads || (entry->flags & SHADOW_ASYNC)) return;
    const enum access_space space = piece->cta != NULL ? SPACE_SHARED : SPACE_GLOBAL;
    struct order_found found = {ORDER_UNWRITTEN, ORDER_NOT_PARTED, space, piece->cta, piece->address, 0, *entry,
                                *entry};
    for (; missing != 0; missing >>= SHADOW_CELL_BYTES, found.address += SHADOW_CELL_BYTES) {
        found.mask = (uint16_t)missing;
        if (found.mask != 0) order->found(order->context, &found);
    }
}

void order_note_init(struct clock_order *order, struct order_cta *home, uint32_t address)
{
    const struct shadow_entry init = {.flags = SHADOW_WRITES};
    const struct piece piece = {home, page_of(order, home, address), address / SHADOW_WIDE_BYTES * SHADOW_WIDE_BYTES,
                                UINT64_C(0xff) << address % SHADOW_WIDE_BYTES};
    if (piece.page != NULL) note_written(order, &piece, &init);
}

// What is known of warps of the CTA that makes an access, of threads, where only clocks decide: by the generic proxy,
// to global memory or to its own shared memory.
static struct shadow_judge judge_of(struct clock_order *order, const struct order_cta *home, uint32_t actor,
                                    uint8_t flags)
{
    const struct order_actor *by = &order->actor[actor];
    struct shadow_judge judge = {.chunks = home == NULL ? GLOBAL_CHUNKS : SHARED_CHUNKS,
                                 .keeps_reads = home == NULL,
                                 .context = order,
                                 .is_before = order_is_before};
    if (by->kind != ORDER_WARP || (flags & (SHADOW_ASYNC | SHADOW_MAP | SHADOW_CONSTANT)) != 0) return judge;
    if (home != NULL && home->index != by->cta) return judge;
    const struct clock_part *part = clock_part(order->by[0], by->cta);
    if (part == NULL) return judge;
    judge.first = actor - by->warp;
    judge.actors = part->slots < order->warps ? part->slots : order->warps;
    judge.time = part->time;
    return judge;
}

// In cells of 16 bytes.
static void add_narrow(struct clock_order *order, const struct piece *piece, struct shadow_entry *entry,
                       const struct shadow_judge *judge)
{
    uint64_t left = piece->bytes;
    struct shadow_cell *cell = &piece->page->cell[SHADOW_WIDE_CELLS * wide_of(piece)];
    order->address = piece->address;
    for (; left != 0; left >>= SHADOW_CELL_BYTES, cell++, order->address += SHADOW_CELL_BYTES) {
        entry->mask = (uint16_t)left;
        if (entry->mask != 0 && shadow_add(&order->pool, cell, entry, judge) == SHADOW_NO_MEMORY)
            order->is_short = true;
    }
}

// 0: it has to be done in cells of 16 bytes.
static bool add_wide(struct clock_order *order, const struct piece *piece, struct shadow_entry *entry,
                     struct shadow_judge *judge)
{
    const uint64_t first = (uint64_t)__builtin_ctzll(piece->bytes), past = 64 - (uint64_t)__builtin_clzll(piece->bytes);
    if ((piece->page->narrow >> wide_of(piece) & 1) || (first | past) % SHADOW_WORD_BYTES != 0) return false;
    entry->mask = (uint16_t)(((1u << (past - first) / SHADOW_WORD_BYTES) - 1) << first / SHADOW_WORD_BYTES);
    order->address = piece->address;
    order->is_wide = judge->is_wide = true;
    const enum shadow_added added = shadow_add(&order->pool, &piece->page->wide[wide_of(piece)], entry, judge);
    order->is_wide = judge->is_wide = false;
    if (added == SHADOW_NO_MEMORY) order->is_short = true;
    return added != SHADOW_CROWDED;
}

static void ask_grids(struct clock_order *order, const struct piece *piece, struct shadow_entry *entry)
{
    uint64_t left = piece->bytes;
    order->address = piece->address;
    for (; left != 0; left >>= SHADOW_CELL_BYTES, order->address += SHADOW_CELL_BYTES) {
        entry->mask = (uint16_t)left;
        if (entry->mask != 0) order_grid_access(order, entry);
    }
}

// Of a cluster that is followed by itself. Other clusters may be ordered by what is strong, and add what a reduction
// adds.
static void note_way(struct clock_order *order, const struct piece *piece, const struct shadow_entry *entry)
{
    const uint32_t flags = entry->flags & (SHADOW_WRITES | SHADOW_STRONG | SHADOW_REDUCES);
    const int is_noted = shadow_ways_add(&piece->page->ways, entry->line, flags, wide_of(piece), piece->bytes);
    order->again = is_noted == 1 ? order->again + 1 : 0;
    if (!is_noted || (flags & (SHADOW_STRONG | SHADOW_REDUCES))) order_apart_end(order->apart);
}

static void add_piece(struct clock_order *order, const struct piece *piece, struct shadow_entry *entry,
                      struct shadow_judge *judge)
{
    if (!add_wide(order, piece, entry, judge)) {
        const bool is_narrow = piece->page->narrow >> wide_of(piece) & true;
        if (!is_narrow && !shadow_narrow(&order->pool, piece->page, wide_of(piece))) order->is_short = true;
        if (order->is_short) return;
        add_narrow(order, piece, entry, judge);
    }
    if (order->repeats != ORDER_NOT_PARTED) return;
    if (piece->cta == NULL && order->apart != NULL) note_way(order, piece, entry);
    if (piece->cta != NULL || piece->page->is_fresh) note_written(order, piece, entry);
    if (piece->cta == NULL && order->before != NULL) ask_grids(order, piece, entry);
}

void order_access(struct clock_order *order, const struct event *event, uint32_t actor, uint32_t time)
{
    const struct access *access = &event->access;
    const uint64_t end = access->address + access->bytes;
    struct shadow_entry entry = {.actor = actor, .time = time, .line = event->origin->line, .flags = flags_of(access)};
    struct order_cta *cta = access->space == SPACE_SHARED ? order_peer(order, event->origin, access->rank) : NULL;
    if (order->is_short || (cta == NULL ? access->space == SPACE_SHARED : cta->has_exited)) return;
    if (cta == NULL && (entry.flags & SHADOW_STRONG)) order->global.has_strong = true;
    if (event->origin->lanes != 0) entry.lane = (uint8_t)__builtin_ctz(event->origin->lanes);
    if (access->order != ORDER_WEAK && order->repeats == ORDER_NOT_PARTED) entry.lane |= size_of(event);
    if (access->order != ORDER_WEAK && order->repeats != ORDER_NOT_PARTED) entry.flags |= SHADOW_OWNED;
    entry.lane |= (uint8_t)(order->repeats << SHADOW_SIZE_SHIFT);
    order->at = cta;
    order->space = access->space;
    if (cta != NULL && access->kind != ACCESS_READ && order->repeats == ORDER_NOT_PARTED)
        order_check_written(order, cta, access, &entry);
    struct shadow_judge judge = judge_of(order, cta, actor, entry.flags);
    struct piece piece = {.cta = cta};
    for (uint64_t at = access->address / SHADOW_WIDE_BYTES * SHADOW_WIDE_BYTES; at < end; at += SHADOW_WIDE_BYTES) {
        const uint64_t from = at > access->address ? 0 : access->address - at;
        if (piece.page == NULL || at % SHADOW_PAGE_BYTES == 0) piece.page = page_of(order, cta, at);
        if (piece.page == NULL) return;
        piece.address = at;
        piece.bytes = shadow_bits(from, end - at < SHADOW_WIDE_BYTES ? end - at : SHADOW_WIDE_BYTES);
        add_piece(order, &piece, &entry, &judge);
    }
}
