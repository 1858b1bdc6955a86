// SPDX-License-Identifier: MIT
// Random loads in clusters: every size, slices as CuTe cuts them, masks of every kind, destinations in other CTAs, the
// loads of the families load, im2col and bulk, and now and then one that an H200 must refuse.
#include "arena.h"
#include "bulk.h"
#include "bulk_case.h"
#include "copy.h"
#include "draw.h"
#include "load_case.h"
#include "multicast_case.h"

enum { SMALL_BYTES = 1536 };

// Boxes of a case lie `step` bytes apart, from `start` on, in up to `slots` slots.
struct slots {
    uint32_t start, step, count;
};

static uint32_t pick_cluster(struct random *random)
{
    return (uint32_t)DRAW(random, {4, JUST(0)}, {5, JUST(1)}, {26, JUST(2)}, {20, JUST(4)}, {14, JUST(8)},
                          {8, JUST(16)}, {23, BETWEEN(3, 15)});
}

// What is loaded: a case of another family, without its destination.
static void pick_load(struct random *random, struct multicast_case *c, struct multicast_issue *first)
{
    uint64_t kind = random_below(random, 100);
    if (kind < 50) {
        struct load_case load;
        load_generate(random, &load);
        c->map = load.map, c->dims = load.dims, c->mode = LOAD_TILE;
        for (int i = 0; i < TENSORMAP_MAX_RANK; i++) first->coord[i] = load.coord[i];
    } else if (kind < 75) {
        struct load_case load;
        im2col_generate(random, &load);
        c->map = load.map, c->dims = load.dims, c->mode = load.mode;
        for (int i = 0; i < TENSORMAP_MAX_RANK; i++) first->coord[i] = load.coord[i];
        for (int i = 0; i < IM2COL_MAX_SPATIAL; i++) first->offset[i] = load.offset[i];
    } else {
        struct bulk_case load;
        do bulk_generate(random, &load);
        while (!bulk_is_from_global((enum bulk_form)load.form));
        c->mode = MULTICAST_BULK;
        first->from = load.from, first->size_bytes = load.size_bytes;
    }
}

// The load of slice `slice`: the next box along the outermost dimension, or the next bytes.
static struct multicast_issue slice_of(const struct multicast_case *c, const struct multicast_issue *first,
                                       uint32_t slice)
{
    struct multicast_issue issue = *first;
    uint32_t outermost = c->map.rank > 0 ? c->map.rank - 1 : 0;
    if (c->mode == MULTICAST_BULK)
        issue.from += (uint64_t)slice * bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, first->size_bytes);
    else if (c->mode == LOAD_TILE && outermost > 0)
        issue.coord[outermost] = (int32_t)((uint32_t)issue.coord[outermost] + slice * c->map.box[outermost]);
    else if (c->mode == LOAD_IM2COL)
        issue.coord[outermost] = (int32_t)((uint32_t)issue.coord[outermost] + slice);
    return issue;
}

// The first rule that the load itself breaks, wherever it goes.
static enum rule broken_by(const struct multicast_case *c, const struct tensormap *map,
                           const struct multicast_issue *issue)
{
    uint8_t bytes[MULTICAST_SHARED_BYTES];
    const struct memory shared = {bytes, LOAD_SHARED_START, sizeof bytes};
    if (c->mode == LOAD_TILE)
        return tile_load_check(map, (int)c->dims, issue->coord, arena(), &shared, issue->shared, NULL);
    if (c->mode == LOAD_IM2COL)
        return im2col_load_check(map, (int)c->dims, issue->coord, issue->offset, arena(), &shared, issue->shared, NULL);
    struct bulk bulk = {BULK_GLOBAL_TO_OTHER, arena(), &shared, issue->from, issue->shared, issue->size_bytes};
    return bulk_check(&bulk, NULL);
}

// A slice that would be the first to fault becomes slice 0 again, most times.
static struct multicast_issue pick_slice(struct random *random, const struct multicast_case *c,
                                         const struct tensormap *map, const struct multicast_issue *first,
                                         uint32_t slice)
{
    struct multicast_issue issue = slice_of(c, first, slice);
    if (broken_by(c, map, &issue) != RULE_OK && !random_chance(random, 1)) return *first;
    return issue;
}

static struct slots pick_slots(struct random *random, uint64_t extent, uint32_t align)
{
    uint32_t room = MULTICAST_SHARED_END - LOAD_WINDOW_START, step = align;
    if (extent < room) step = (uint32_t)(extent + align - 1) / align * align;
    if (step == 0) step = align;
    if (random_chance(random, 20)) step += align * (uint32_t)random_below(random, 4);
    uint32_t count = room / step < MULTICAST_ISSUES ? room / step : MULTICAST_ISSUES;
    if (count == 0 || extent >= room) count = 1;
    uint32_t free = room - (count * step < room ? count * step : room);
    uint32_t most = random_chance(random, 90) && free > 8192 ? 8192 : free;
    struct slots slots = {LOAD_WINDOW_START + (uint32_t)random_below(random, most / align + 1) * align, step, count};
    if (random_chance(random, 3)) slots.start = LOAD_WINDOW_START + free / align * align; // up to the end
    return slots;
}

// --- Masks -----------------------------------------------------------------------------------------------------------

static uint32_t pick_mask(struct random *random, uint32_t ranks, uint32_t issuer)
{
    uint32_t all = ((uint32_t)1 << ranks) - 1, own = (uint32_t)1 << issuer;
    const uint32_t any = (uint32_t)1 << random_below(random, ranks);
    return (uint32_t)DRAW(random, {25, JUST(all)}, {7, JUST(own)}, {10, JUST(all & ~own)}, {10, JUST(any)},
                          {4, JUST(0)}, {44, BETWEEN(0, all)});
}

// Ranks with the same coordinates but along one dimension of a cluster of `inner` x (ranks / inner) CTAs; is_inner: but
// along the first.
static uint32_t group_mask(uint32_t ranks, uint32_t inner, uint32_t rank, bool is_inner)
{
    uint32_t mask = 0;
    for (uint32_t other = 0; other < ranks; other++)
        if (is_inner ? other / inner == rank / inner : other % inner == rank % inner) mask |= (uint32_t)1 << other;
    return mask;
}

static uint32_t pick_divisor(struct random *random, uint32_t number)
{
    uint32_t divisor;
    do divisor = 1 + (uint32_t)random_below(random, number);
    while (number % divisor != 0);
    return divisor;
}

// --- What is issued --------------------------------------------------------------------------------------------------

static void add_issue(struct multicast_case *c, const struct multicast_issue *issue, uint32_t issuer, uint32_t mask,
                      const struct slots *slots, uint32_t slot)
{
    struct multicast_issue *to = &c->issue[c->issues++];
    *to = *issue;
    to->issuer = to->to_rank = to->barrier_rank = issuer;
    to->is_multicast = 1;
    to->mask = mask;
    to->shared = slots->start + slot * slots->step;
}

// As CuTe does it: every CTA of a row or column of the cluster loads a slice of the tile and sends it to all of them.
// Now and then some take the wrong slice, which leaves a part of the tile unwritten.
static void issue_slices(struct random *random, struct multicast_case *c, const struct tensormap *map,
                         const struct multicast_issue *first, const struct slots *slots)
{
    uint32_t ranks = multicast_ranks(c), inner = pick_divisor(random, ranks);
    bool is_inner = random_chance(random, 50), is_wrong = random_chance(random, 10);
    uint32_t size = is_inner ? inner : ranks / inner;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t slice = is_inner ? rank % inner : rank / inner, group = is_inner ? rank / inner : rank % inner;
        if (is_wrong) slice = (uint32_t)random_below(random, size);
        if (slice >= slots->count) continue;
        struct multicast_issue issue = pick_slice(random, c, map, first, group * size + slice);
        add_issue(c, &issue, rank, group_mask(ranks, inner, rank, is_inner), slots, slice);
    }
}

// Any CTA, any mask, any slot once; some without multicast, to any CTA.
static void issue_any(struct random *random, struct multicast_case *c, const struct tensormap *map,
                      const struct multicast_issue *first, const struct slots *slots)
{
    uint32_t ranks = multicast_ranks(c), most = slots->count < 6 ? slots->count : 6;
    uint32_t count = 1 + (uint32_t)random_below(random, random_chance(random, 50) ? most : 1);
    bool is_plain = random_chance(random, 30);
    for (uint32_t slot = 0; slot < count; slot++) {
        uint32_t issuer = (uint32_t)random_below(random, ranks);
        struct multicast_issue issue = pick_slice(random, c, map, first, slot);
        add_issue(c, &issue, issuer, pick_mask(random, ranks, issuer), slots, slot);
        if (!is_plain || random_chance(random, 20)) continue;
        c->issue[slot].is_multicast = 0;
        c->issue[slot].mask = 0;
        c->issue[slot].to_rank = (uint32_t)random_below(random, ranks);
    }
}

// Ranks of addresses that the hardware ignores.
static void pick_ignored(struct random *random, struct multicast_case *c)
{
    if (c->cluster == 0 || random_chance(random, 70)) return;
    for (uint32_t i = 0; i < c->issues; i++) {
        c->issue[i].barrier_rank = (uint32_t)random_below(random, c->cluster);
        if (c->issue[i].is_multicast) c->issue[i].to_rank = (uint32_t)random_below(random, c->cluster);
    }
}

// One cause of a fault in the one issue that is kept.
static void spoil(struct random *random, struct multicast_case *c, const struct slots *slots)
{
    static const uint32_t offsets[] = {8, 16, 32, 64};
    struct multicast_issue *issue = &c->issue[0];
    const uint32_t ranks = multicast_ranks(c),
                   missing = (uint32_t)1 << random_range(random, ranks < 16 ? ranks : 0, 15);
    const uint32_t far = (uint32_t)random_range(random, ranks, random_chance(random, 70) ? 31 : 255);
    const uint32_t up = random_pick(random, offsets), past = SM_SHARED_BYTES - 128 * (uint32_t)random_below(random, 3);
    c->issues = 1;
    if (random_chance(random, 17)) {
        issue->coord[0]++;
        issue->from = ARENA_BASE + ARENA_BYTES - 16;
    } else if (random_chance(random, 40)) {
        *(issue->is_multicast ? &issue->mask : &issue->to_rank) = issue->is_multicast ? issue->mask | missing : far;
    } else {
        change_one(random, CHANGES({1, CHANGE(issue->shared, issue->shared + up)}, {1, CHANGE(issue->shared, past)},
                                   {1, CHANGE(issue->shared, MULTICAST_SHARED_END - slots->step / 256 * 128)}));
    }
}

// What the barriers are told: the bytes that come.
static void announce(struct multicast_case *c, const struct tensormap *map)
{
    for (uint32_t i = 0; i < c->issues; i++) {
        struct cluster_load load = multicast_load_of(c->cluster, &c->issue[i], NULL);
        uint32_t targets = multicast_targets(&load);
        for (uint32_t rank = 0; rank < multicast_ranks(c); rank++)
            if (targets >> rank & 1) c->expect[rank] += (uint32_t)multicast_bytes_of(c, map, &c->issue[i]).transaction;
    }
}

// Where two loads break different rules, which one the hardware meets first is open: only the first is kept.
static void keep_one_fault(struct multicast_case *c, const struct tensormap *map)
{
    for (uint32_t i = 0; i < c->issues && c->issues > 1; i++) {
        if (broken_by(c, map, &c->issue[i]) == RULE_OK) continue;
        c->issue[0] = c->issue[i];
        c->issues = 1;
    }
}

// A load whose box is small, most times: every CTA of the cluster has a window around all boxes. Returns its extent.
static uint64_t pick_small_load(struct random *random, struct multicast_case *c, struct multicast_issue *first,
                                struct tensormap *map)
{
    uint64_t extent;
    do {
        *map = (struct tensormap){0};
        *first = (struct multicast_issue){.shared = LOAD_WINDOW_START};
        pick_load(random, c, first);
        extent = multicast_map(c, map) || c->mode == MULTICAST_BULK ? multicast_bytes_of(c, map, first).extent : 0;
    } while (extent > SMALL_BYTES && !random_chance(random, 8));
    return extent;
}

void multicast_generate(struct random *random, void *test_case)
{
    struct multicast_case *c = test_case;
    struct multicast_issue first;
    struct tensormap map;
    *c = (struct multicast_case){.cluster = pick_cluster(random)};
    c->barrier = LOAD_BARRIER + 8 * (uint32_t)random_below(random, random_chance(random, 50) ? 128 : 1);
    uint64_t extent = pick_small_load(random, c, &first, &map);
    bool is_load = c->mode == MULTICAST_BULK || map.rank > 0; // not a refused encode
    struct slots slots = pick_slots(random, extent, c->mode == MULTICAST_BULK ? 16 : 128);
    if (random_chance(random, 45))
        issue_slices(random, c, &map, &first, &slots);
    else
        issue_any(random, c, &map, &first, &slots);
    pick_ignored(random, c);
    if (is_load) keep_one_fault(c, &map);
    bool is_spoiled = random_chance(random, c->cluster == 0 ? 40 : 3);
    if (is_spoiled) spoil(random, c, &slots);
    if (is_load) announce(c, &map);
    if (is_load && !is_spoiled && random_chance(random, 1)) c->expect[random_below(random, multicast_ranks(c))] += 16;
}
