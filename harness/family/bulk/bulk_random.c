// SPDX-License-Identifier: MIT
// Random bulk operations: every form, every reduction, sizes at the ends of 16-byte units and past the bits that count,
// places at the ends of memory, and now and then an operation that an H200 must refuse.
#include "arena.h"
#include "bulk_case.h"
#include "draw.h"

// What a CTA copies within itself goes from one side of the gap to the other.
enum { HALF = (BULK_WINDOW_START + BULK_SHARED_END) / 2 / 128 * 128, GAP_BYTES = 16 };

static uint32_t pick_form(struct random *random)
{
    return (uint32_t)DRAW(random, {14, JUST(BULK_GLOBAL_TO_SHARED)}, {7, JUST(BULK_GLOBAL_TO_OTHER)},
                          {41, JUST(BULK_SHARED_TO_GLOBAL)}, {10, JUST(BULK_SHARED_TO_OWN)},
                          {18, JUST(BULK_SHARED_TO_OTHER)}, {10, JUST(BULK_REGISTERS_TO_OTHER)});
}

static uint32_t pick_operation(struct random *random, enum bulk_form form)
{
    if (bulk_is_from_global(form) || random_chance(random, form == BULK_SHARED_TO_GLOBAL ? 12 : 35)) return BULK_COPY;
    for (;;) {
        enum bulk_reduction_id id = (enum bulk_reduction_id)random_below(random, BULK_REDUCTIONS);
        const struct bulk_reduction *row = bulk_reduction(id);
        if (bulk_reduce_is_legal(form, row->op, row->dtype)) return id;
    }
}

// Bytes that move: multiples of 16, up to 64 KiB.
static uint32_t pick_moved(struct random *random)
{
    uint32_t units = (uint32_t)DRAW(random, {8, JUST(0)}, {52, BETWEEN(1, 16)}, {30, BETWEEN(1, 128)},
                                    {8, BETWEEN(1, 1024)}, {2, JUST(4096)});
    if (units == 4096 && !random_chance(random, 25)) units = (uint32_t)random_range(random, 1024, 4096);
    return 16 * units;
}

// A size that moves so many bytes: the 4 low bits and those from 2^20 on do not count.
static uint32_t pick_size(struct random *random, uint32_t moved)
{
    static const uint32_t high[] = {1u << 20, 1u << 21, 1u << 24, 1u << 31, 0xfff00000, 0x7ff00000};
    uint32_t size = moved;
    if (random_chance(random, 15)) size += random_chance(random, 30) ? 15 : (uint32_t)random_below(random, 16);
    if (random_chance(random, 6)) size += random_pick(random, high);
    return size;
}

static uint32_t registers_size(struct random *random, uint32_t operation)
{
    static const uint32_t sizes[] = {4, 8, 16};
    if (operation == BULK_COPY) return random_pick(random, sizes);
    return dtype_row(bulk_reduction((enum bulk_reduction_id)operation)->dtype)->size_bytes;
}

// A multiple of `align` in low .. high - bytes; often one of the ends.
static uint64_t pick_address(struct random *random, uint64_t low, uint64_t high, uint32_t bytes, uint32_t align)
{
    uint64_t places = (high - low - bytes) / align + 1;
    if (random_chance(random, 4)) return low;
    if (random_chance(random, 5)) return low + (places - 1) * align;
    return low + align * random_below(random, places);
}

static void pick_places(struct random *random, struct bulk_case *c, uint32_t moved)
{
    uint32_t align = c->form == BULK_REGISTERS_TO_OTHER ? c->size_bytes : 16;
    uint64_t low = BULK_WINDOW_START, high = BULK_SHARED_END;
    if (bulk_is_from_global(c->form)) {
        c->from = pick_address(random, ARENA_BASE, ARENA_BASE + ARENA_BYTES, moved, align);
    } else if (c->form == BULK_SHARED_TO_OWN) {
        bool is_above = random_chance(random, 50);
        c->from = pick_address(random, is_above ? HALF : low, is_above ? high : HALF - GAP_BYTES, moved, align);
        if (is_above)
            high = HALF - GAP_BYTES;
        else
            low = HALF;
    } else if (c->form != BULK_REGISTERS_TO_OTHER) {
        c->from = pick_address(random, low, high, moved, align);
    }
    if (bulk_is_to_global(c->form))
        c->to = BULK_SCRATCH + 256 + 16 * random_below(random, 64);
    else
        c->to = pick_address(random, low, high, moved, align);
}

static void misalign(struct random *random, struct bulk_case *c)
{
    static const uint32_t offsets[] = {1, 2, 4, 8};
    if (c->form == BULK_REGISTERS_TO_OTHER)
        c->to = BULK_WINDOW_START + 16 * random_below(random, 64) + c->size_bytes / 2;
    else
        *(random_chance(random, 50) ? &c->from : &c->to) += random_pick(random, offsets);
}

// Moves a range over the end of what is there, by at least 16 bytes.
static void overrun(struct random *random, struct bulk_case *c, uint32_t moved)
{
    if (c->form == BULK_SHARED_TO_OWN) c->to = BULK_WINDOW_START;
    uint64_t past = moved < 16 ? 0 : 16 * random_below(random, moved / 16);
    bool is_source = random_chance(random, 50) || c->form == BULK_SHARED_TO_OWN;
    if (c->form == BULK_REGISTERS_TO_OTHER)
        c->to = (random_chance(random, 50) ? SM_SHARED_BYTES : BULK_SHARED_END) + 16 * random_below(random, 8);
    else if (is_source && bulk_is_from_global(c->form))
        c->from = random_chance(random, 70) ? ARENA_BASE + ARENA_BYTES - past : ARENA_BASE - 16;
    else if (is_source)
        c->from = BULK_SHARED_END - past;
    else if (bulk_is_to_global(c->form))
        c->to = ARENA_BASE + ARENA_BYTES + 16 * random_below(random, 4096);
    else
        c->to = random_chance(random, 30) ? SM_SHARED_BYTES - (random_chance(random, 50) ? past : 0)
                                          : BULK_SHARED_END - past;
}

// A size whose bits that count are all 1: more than any shared memory holds.
static void oversize(struct random *random, struct bulk_case *c)
{
    static const uint32_t sizes[] = {UINT32_MAX, 0xfffff, 0xffff0};
    if (c->form != BULK_GLOBAL_TO_SHARED && c->form != BULK_SHARED_TO_GLOBAL) return;
    c->size_bytes = random_pick(random, sizes);
    c->expect_bytes = c->form == BULK_GLOBAL_TO_SHARED ? 0xffff0 : 0;
    if (c->form == BULK_GLOBAL_TO_SHARED) c->from = ARENA_BASE;
}

void bulk_generate(struct random *random, void *test_case)
{
    struct bulk_case *c = test_case;
    *c = (struct bulk_case){.form = pick_form(random), .seed = (uint32_t)random_u64(random)};
    c->operation = pick_operation(random, (enum bulk_form)c->form);
    bool is_registers = c->form == BULK_REGISTERS_TO_OTHER;
    uint32_t moved = is_registers ? registers_size(random, c->operation) : pick_moved(random);
    c->size_bytes = is_registers ? moved : pick_size(random, moved);
    pick_places(random, c, moved);
    if (!bulk_is_to_global(c->form)) {
        c->expect_bytes = moved;
        if (random_chance(random, moved == 0 ? 20 : 1)) c->expect_bytes += 16 * (1 + (uint32_t)random_below(random, 8));
    }
    uint64_t fault = random_below(random, 1000);
    if (moved == 0 || fault >= 24) return;
    if (fault < 10)
        misalign(random, c);
    else if (fault < 20)
        overrun(random, c, moved);
    else
        oversize(random, c);
}
