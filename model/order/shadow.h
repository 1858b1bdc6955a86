// SPDX-License-Identifier: MIT
// Who accessed which bytes last: cells of 16 bytes, each with the accesses that no later one stands for. As long as all
// come as whole words of 4 bytes, one wide cell has 64 bytes, whose mask says which words. A cell knows
// nothing of order: its owner says of each access that it meets whether the two are ordered (clock_order.h).
#ifndef TMAREF_ORDER_SHADOW_H
#define TMAREF_ORDER_SHADOW_H

#include "clock.h"

#pragma GCC visibility push(hidden)

enum {
    SHADOW_CELL_BYTES = 16,
    SHADOW_PAGE_CELLS = 64,
    SHADOW_PAGE_BYTES = SHADOW_CELL_BYTES * SHADOW_PAGE_CELLS,
    SHADOW_WORD_BYTES = 4,
    SHADOW_WIDE_BYTES = 64,
    SHADOW_WIDE_CELLS = SHADOW_WIDE_BYTES / SHADOW_CELL_BYTES,
    SHADOW_PAGE_WIDES = SHADOW_PAGE_BYTES / SHADOW_WIDE_BYTES
};

// Of the 64 bytes of a wide cell: bits `from` up to before `to`.
static inline uint64_t shadow_bits(uint64_t from, uint64_t to)
{
    return (to - from == 64 ? UINT64_MAX : (UINT64_C(1) << (to - from)) - 1) << from;
}

// WRITES: it changes the bytes. STRONG: two of them are no race. ASYNC: by the async proxy. REDUCES: a reduction, which
// is one with others. MAP: by the tensormap proxy. CONSTANT: a read by ld.global.nc. From REACH_SHIFT on two bits that
// are the owner's.
enum {
    SHADOW_WRITES = 1,
    SHADOW_STRONG = 2,
    SHADOW_ASYNC = 4,
    SHADOW_REDUCES = 8,
    SHADOW_MAP = 16,
    SHADOW_REACH_SHIFT = 5,
    SHADOW_REACH = 3 << SHADOW_REACH_SHIFT,
    SHADOW_CONSTANT = 1 << 7,
    SHADOW_OWNED = SHADOW_WRITES | SHADOW_CONSTANT // no constant is written: the size is what the owner likes
};

// What `lane` holds: the lane, and of a strong access of threads how many bytes it has: 1: 4, 2: 8, 3: 16, 0: others,
// or it is not known; of a weak one, or an OWNED one, what the owner likes. Its last bit is the cell's.
enum { SHADOW_LANE = 31, SHADOW_SIZE_SHIFT = 5, SHADOW_SIZE = 3 << SHADOW_SIZE_SHIFT };

//   actor, time   who, and when by its own count
//   line          of the PTX; lane: of the lowest that did it, and its size
//   mask          which of the 16 bytes, of a wide cell which words; 0: there is no entry
struct shadow_entry {
    uint32_t actor, time, line;
    uint16_t mask;
    uint8_t flags, lane;
};

// more: the number of the next chunk of the cell in the pool, 0: none
enum { SHADOW_ENTRIES = 3 };
struct shadow_cell {
    struct shadow_entry entry[SHADOW_ENTRIES];
    uint32_t more;
};

// One way in which a page was accessed: at a line, by flags, a bit for each byte.
struct shadow_way {
    uint32_t line, flags;
    uint64_t bytes[SHADOW_PAGE_WIDES];
};
struct shadow_ways {
    uint32_t count, room;
    bool is_lent; // `way` is not theirs
    struct shadow_way *way;
};

// None yet, and `room` for the first ones at `way`, which outlives them.
static inline struct shadow_ways shadow_ways_lent(struct shadow_way *way, uint32_t room)
{
    return (struct shadow_ways){.room = room, .is_lent = true, .way = way};
}
void shadow_ways_free(struct shadow_ways *ways); // then there are none

// Adds bytes of a wide cell. 0 without memory; 1: they were there.
int shadow_ways_add(struct shadow_ways *ways, uint32_t line, uint32_t flags, uint32_t wide, uint64_t bytes);

// Adds all bytes of a way. 0 without memory.
bool shadow_ways_join(struct shadow_ways *ways, const struct shadow_way *way);

// narrow: of each wide cell, a bit that says that it has given way to cells of 16 bytes; cell: all of those, NULL:
// there are none. written: the bytes of each wide cell that somebody has written since the page is the owner's; he
// keeps it. is_fresh: of global memory: nobody had written it before. ways, older, kept: of global memory of a cluster
// that is followed by itself (apart.h): how it accesses the page, the page that it accessed first before, and the
// owner's.
struct shadow_page {
    struct shadow_page *next;
    uint64_t number;
    bool is_fresh;
    uint32_t narrow;
    struct shadow_cell wide[SHADOW_PAGE_WIDES], *cell;
    uint64_t written[SHADOW_PAGE_WIDES];
    struct shadow_ways ways;
    struct shadow_page *older;
    void *kept;
};

// The bytes of the words of a mask, a bit each.
static inline uint64_t shadow_bytes_of(uint32_t words)
{
    uint64_t bits = words;
    bits = (bits | bits << 24) & UINT64_C(0x000000ff000000ff);
    bits = (bits | bits << 12) & UINT64_C(0x000f000f000f000f);
    bits = (bits | bits << 6) & UINT64_C(0x0303030303030303);
    return ((bits | bits << 3) & UINT64_C(0x1111111111111111)) * 0xf;
}

// Chunks that cells have beyond their own; number 0 is nobody's. free: the first that is free, 0: none
struct shadow_pool {
    struct shadow_cell *chunk;
    uint32_t count, room, free;
};

// What the owner says of an access of the cell and a new one that touch the same bytes: is the older one ordered before
// the newer? He reports where it must be and is not. A cell has at most `chunks`: then a new entry takes the place of
// one that is no weak write, if there is one. keeps_reads: reads of others all stay, as long as there is room, and he
// is not asked of them. time: of the `actors` actors from `first` on, how much is ordered before the newer one,
// whatever the proxy: he is not asked of what is.
struct shadow_judge {
    uint32_t chunks, first, actors;
    const struct clock_time *time;
    bool keeps_reads, is_wide;
    void *context;
    int (*is_before)(void *context, const struct shadow_entry *older, const struct shadow_entry *newer);
};

// Do two accesses of the same bytes need an order? Not two reads, two strong ones, two reductions.
static inline bool shadow_flags_clash(uint32_t one, uint32_t other)
{
    return ((one | other) & SHADOW_WRITES) && !(one & other & (SHADOW_STRONG | SHADOW_REDUCES));
}

// Are they strong accesses of different sizes?
static inline bool shadow_sizes_differ(const struct shadow_entry *one, const struct shadow_entry *other)
{
    const bool is_owned = (one->flags & SHADOW_OWNED) == SHADOW_OWNED || (other->flags & SHADOW_OWNED) == SHADOW_OWNED;
    return ((one->lane ^ other->lane) & SHADOW_SIZE) != 0 && (one->lane & SHADOW_SIZE) != 0 &&
           (other->lane & SHADOW_SIZE) != 0 && !is_owned;
}

static inline bool shadow_may_clash(const struct shadow_entry *one, const struct shadow_entry *other)
{
    return shadow_flags_clash(one->flags, other->flags);
}

// Adds an access to a cell: asks of each older one of the same bytes, drops those that the newer stands for, and keeps
// it. NO_MEMORY: another entry makes room. CROWDED: of a wide cell, which has no room but in the place of other words.
enum shadow_added { SHADOW_NO_MEMORY, SHADOW_ADDED, SHADOW_CROWDED };
enum shadow_added shadow_add(struct shadow_pool *pool, struct shadow_cell *cell, const struct shadow_entry *newer,
                             const struct shadow_judge *judge);

// Puts an access into a page beside those that are there, whatever they are; bytes: which of the wide cell. 0 without
// memory.
bool shadow_put(struct shadow_pool *pool, struct shadow_page *page, uint32_t wide, uint64_t bytes,
                const struct shadow_entry *entry);

// A wide cell gives way to narrow ones. 0 without memory.
bool shadow_narrow(struct shadow_pool *pool, struct shadow_page *page, uint32_t wide);

// Calls for each entry of a cell of 16 bytes of the page; its mask: which of the 16.
typedef void shadow_caller(void *context, uint64_t address, const struct shadow_entry *entry);
void shadow_each_of(const struct shadow_pool *pool, const struct shadow_page *page, uint32_t cell, shadow_caller *call,
                    void *context);

// Calls for each entry of the page; bytes: which of the 64 from `address` on. Its mask says nothing.
typedef void shadow_page_caller(void *context, uint64_t address, uint64_t bytes, const struct shadow_entry *entry);
void shadow_each(const struct shadow_pool *pool, const struct shadow_page *page, shadow_page_caller *call,
                 void *context);

// Gives back what the page has, but for itself.
void shadow_drop(struct shadow_pool *pool, struct shadow_page *page);

#pragma GCC visibility pop

#endif
