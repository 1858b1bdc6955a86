// SPDX-License-Identifier: MIT
// Random misuses: a legal instruction, of which mostly one operand is moved: over an end, off its alignment, to bits
// that name no place or another CTA, to memory that is not there. Half of the cases work or are silent.
#include "bulk.h"
#include "mbarrier.h"
#include "misuse_case.h"
#include "operand.h"

enum {
    DATA_LOW = MISUSE_DUMP_START, // where data in shared memory goes,
    DATA_STEPS = 8,               // in steps of 128 bytes;
    OTHER_LOW = 6144,             // where the source of a copy within shared memory lies,
    OTHER_STEPS = 12,             //
    BARRIERS_LOW = 8192,          // and barriers that were never initialised
    BARRIERS_END = MISUSE_SHARED_END,
    OWN_LOW = 256, // data in the case's own global memory
    ADDRESS_BITS = 56,
};

// --- operands that are right -----------------------------------------------------------------------------------------

static uint64_t arena_place(struct random *random, uint32_t align)
{
    return ARENA_BASE + random_below(random, (ARENA_BYTES - 65536) / align) * align;
}

static uint64_t own_place(struct random *random, uint32_t align)
{
    return MISUSE_OWN + OWN_LOW + random_below(random, 256 / align) * align;
}

// Where a legal case has its global memory; loads may read the arena.
static uint64_t pick_global(struct random *random, uint32_t operation)
{
    switch (operation) {
    case MISUSE_TILE_LOAD:
    case MISUSE_BULK_LOAD:
    case MISUSE_PREFETCH_BULK:
    case MISUSE_PREFETCH_TILE:
    case MISUSE_PREFETCH_IM2COL:
        return random_chance(random, 70) ? arena_place(random, 16) : own_place(random, 16);
    case MISUSE_LOAD_GLOBAL:
        return random_chance(random, 70) ? arena_place(random, 4) : own_place(random, 4);
    case MISUSE_STORE_GLOBAL:
    case MISUSE_COPY_MAP:
        return own_place(random, 4);
    case MISUSE_ARRIVE_GENERIC:
        return MISUSE_WINDOW + MISUSE_BARRIER_START + 8 * random_below(random, MISUSE_BARRIERS);
    default:
        return own_place(random, 16);
    }
}

static uint32_t pick_shared(struct random *random, uint32_t operation)
{
    uint32_t words = (MISUSE_SHARED_END - MISUSE_FILL_START) / 4;
    if (operation == MISUSE_COPY_MAP) return DATA_LOW + 4 * (uint32_t)random_below(random, 256);
    if (operation >= MISUSE_LOAD_SHARED) return MISUSE_FILL_START + 4 * (uint32_t)random_below(random, words);
    return DATA_LOW + 128 * (uint32_t)random_below(random, DATA_STEPS);
}

static void pick_map(struct random *random, struct misuse_case *c)
{
    static const int32_t edges[] = {0, 4, 8, 28, 32, 36, 64, -4, -32, INT32_MIN, INT32_MAX - 3};
    bool is_store = c->operation == MISUSE_TILE_STORE || c->operation == MISUSE_TILE_REDUCE;
    c->map = MISUSE_MAP_PLANE;
    if (c->operation == MISUSE_PREFETCH_TILE) c->map = (uint32_t)random_below(random, MISUSE_MAP_COLUMN);
    if (c->operation == MISUSE_PREFETCH_IM2COL) c->map = MISUSE_MAP_COLUMN;
    c->dims = c->map == MISUSE_MAP_ROW ? 1 : c->map == MISUSE_MAP_PLANE ? 2 : 3;
    c->coord[0] = is_store ? 4 * (int32_t)random_below(random, 10) : random_pick(random, edges);
    c->coord[1] = (int32_t)random_below(random, 4);
    if (c->map == MISUSE_MAP_COLUMN) c->offset = (uint32_t)random_below(random, 65536);
    if (c->dims == 3) c->coord[2] = (int32_t)random_range(random, -1, 3);
}

// What createpolicy makes, or any 64 bits that an H200 takes.
static uint64_t pick_policy(struct random *random)
{
    static const uint64_t made[] = {0x12f0000000000000,
                                    0x14f0000000000000,
                                    0x10f0000000000000,
                                    0x16f0000000000000,
                                    0x1000000000000000,
                                    0x1270000000000000,
                                    0};
    if (random_chance(random, 60)) return random_pick(random, made);
    return random_u64(random) & ~((uint64_t)1 << 59);
}

static void pick_legal(struct random *random, struct misuse_case *c)
{
    unsigned operands = misuse_operands(c->operation);
    c->cluster = (operands & MISUSE_CLUSTER) || random_chance(random, 30);
    if (operands & MISUSE_SHARED) c->shared = pick_shared(random, c->operation);
    if (operands & MISUSE_OTHER) c->other = OTHER_LOW + 128 * (uint32_t)random_below(random, OTHER_STEPS);
    if (operands & MISUSE_BARRIER)
        c->barrier = MISUSE_BARRIER_START + 8 * (uint32_t)random_below(random, MISUSE_BARRIERS);
    if (operands & (MISUSE_GLOBAL | MISUSE_MAP)) c->global = pick_global(random, c->operation);
    if (operands & MISUSE_POINTER) c->pointer = random_chance(random, 50) ? MISUSE_MAPS : arena_place(random, 64);
    if (operands & MISUSE_SIZE) c->size_bytes = 16 * (uint32_t)random_range(random, 1, 32);
    if (operands & MISUSE_MAP) pick_map(random, c);
    c->has_hint = (operands & MISUSE_HINT) && random_chance(random, 35);
    if (c->has_hint) c->policy = pick_policy(random);
}

// --- operands that are wrong -----------------------------------------------------------------------------------------

// Bits 18 to 23, of which one at least is set: no place.
static uint32_t nowhere(struct random *random)
{
    return (uint32_t)random_range(random, 1, 63) << 18;
}

// An address whose upper bits are all 1 from some bit on, or all but one of them: where sign extension begins to count.
static uint64_t far_address(struct random *random, uint32_t align)
{
    uint64_t ones = UINT64_MAX << random_range(random, 44, 60), low = random_u64(random) >> 24;
    if (random_chance(random, 40)) ones ^= (uint64_t)1 << random_range(random, 52, 63);
    return (ones | (low & ~ones)) / align * align;
}

static uint32_t past_end(struct random *random, uint32_t align)
{
    uint32_t low = MISUSE_SHARED_END, high = 1 << 18;
    if (random_chance(random, 40)) return low;
    return low + align * (uint32_t)random_below(random, (high - low) / align);
}

// May the operand name another CTA? Copies' only in a launch without clusters, where it is an error.
static bool may_have_rank(const struct misuse_case *c)
{
    bool is_plain = c->operation >= MISUSE_LOAD_SHARED && c->operation <= MISUSE_ATOMIC_SHARED;
    bool is_source = c->operation == MISUSE_TILE_STORE || c->operation == MISUSE_TILE_REDUCE ||
                     c->operation == MISUSE_BULK_STORE || c->operation == MISUSE_BULK_REDUCE;
    return is_plain || (c->operation <= MISUSE_BULK_REDUCE && (is_source || !c->cluster));
}

static void twist_shared(struct random *random, struct misuse_case *c)
{
    bool is_copy = c->operation <= MISUSE_BULK_SHARED;
    uint32_t *operand = c->operation == MISUSE_BULK_SHARED && random_chance(random, 70) ? &c->other : &c->shared;
    uint64_t kind = random_below(random, 100);
    if (kind < 70) {
        if (is_copy || kind < 4) *operand |= nowhere(random);
        if (is_copy && kind < 10) *operand = *operand >> 18 << 18 | (uint32_t)random_below(random, 8) * 128;
    } else if (kind < 80) {
        *operand = past_end(random, 128);
        if (is_copy && random_chance(random, 30)) *operand |= nowhere(random);
    } else if (kind < 90) {
        *operand += (uint32_t)random_range(random, 1, 3);
    } else if (may_have_rank(c)) {
        *operand |= (uint32_t)random_range(random, 1, 255) << 24;
        if (random_chance(random, 30)) *operand |= nowhere(random);
    }
}

// Of the barrier of expect_tx in a cluster one that is not there: the other CTA's is not looked at.
static uint32_t other_rank(struct random *random, const struct misuse_case *c)
{
    bool is_missing = c->operation == MISUSE_EXPECT_SHARED && c->cluster;
    return (uint32_t)random_range(random, is_missing ? MISUSE_RANKS : 1, random_chance(random, 50) ? 40 : 255);
}

static void twist_barrier(struct random *random, struct misuse_case *c)
{
    bool is_load = c->operation == MISUSE_TILE_LOAD || c->operation == MISUSE_BULK_LOAD;
    uint64_t kind = random_below(random, 100);
    if (is_load && kind < 35)
        c->barrier |= nowhere(random);
    else if (kind < 60)
        c->barrier |= other_rank(random, c) << 24;
    else if (kind < 85)
        c->barrier = BARRIERS_LOW + 8 * (uint32_t)random_below(random, (BARRIERS_END - BARRIERS_LOW) / 8);
    else if (kind < 93)
        c->barrier = past_end(random, 8);
    else
        c->barrier += (uint32_t)random_range(random, 1, 7);
}

// Not there: past the arena, null, in the window of shared memory, or past all addresses. A prefetch takes some of it.
static void twist_global(struct random *random, struct misuse_case *c)
{
    bool is_prefetch = c->operation == MISUSE_PREFETCH_BULK || c->operation == MISUSE_PREFETCH_TILE ||
                       c->operation == MISUSE_PREFETCH_IM2COL;
    uint64_t kind = random_below(random, 100), far = ARENA_BASE + ARENA_BYTES + 4096 * random_below(random, 4096);
    if (!is_prefetch && random_chance(random, 75)) return;
    if (c->operation == MISUSE_PREFETCH_BULK && random_chance(random, 40))
        c->global = random_chance(random, 50) ? (uint64_t)16 << random_below(random, 59) : far_address(random, 16);
    else if (kind < 50)
        c->global = far;
    else if (kind < 70 && (misuse_operands(c->operation) & MISUSE_SIZE))
        c->global = ARENA_BASE + ARENA_BYTES - 16 * random_below(random, c->size_bytes / 16);
    else if (kind < 80 && (c->operation == MISUSE_COPY_MAP || (misuse_operands(c->operation) & MISUSE_SIZE)))
        c->global = MISUSE_WINDOW + MISUSE_DUMP_START;
    else if (kind < 90 && !(misuse_operands(c->operation) & MISUSE_MAP))
        c->global += 1 + random_below(random, 3);
}

static void twist_map(struct random *random, struct misuse_case *c)
{
    uint64_t kind = random_below(random, 100);
    if (kind < 60) {
        c->coord[1] = (int32_t)random_range(random, c->operation == MISUSE_TILE_LOAD ? -4 : 0, 7);
        if (c->operation == MISUSE_PREFETCH_TILE) c->coord[1] = (int32_t)random_u64(random);
    } else if (kind < 72) {
        c->coord[0] += (int32_t)random_range(random, 1, 3);
    } else if (kind < 82) {
        int32_t value = -4 * (int32_t)random_range(random, 1, 8);
        c->coord[random_below(random, 2)] = value;
    } else if (c->operation >= MISUSE_PREFETCH_TILE) {
        c->map = (uint32_t)random_below(random, MISUSE_MAP_COUNT);
        if (c->operation == MISUSE_PREFETCH_TILE) c->dims = (uint32_t)random_range(random, 1, 3);
    }
}

static void twist_pointer(struct random *random, struct misuse_case *c)
{
    static const uint64_t wrong[] = {0,
                                     (uint64_t)1 << ADDRESS_BITS,
                                     (uint64_t)1 << 60,
                                     MISUSE_WINDOW + MISUSE_DUMP_START,
                                     ARENA_BASE + ARENA_BYTES,
                                     ARENA_BASE + ARENA_BYTES + 8192};
    if (random_chance(random, 20))
        c->pointer = far_address(random, 64);
    else if (random_chance(random, 60))
        c->pointer = random_pick(random, wrong);
    else
        c->pointer += random_chance(random, 50) ? 32 : (uint64_t)random_range(random, 1, 63);
}

static void twist_size(struct random *random, struct misuse_case *c)
{
    static const uint32_t sizes[] = {0, 1, 15};
    c->size_bytes =
        random_chance(random, 40) ? random_pick(random, sizes) : c->size_bytes - (uint32_t)random_range(random, 0, 15);
    if (c->operation == MISUSE_PREFETCH_BULK && random_chance(random, 30)) c->size_bytes |= 1u << 20;
}

static void twist_policy(struct random *random, struct misuse_case *c)
{
    c->policy = random_u64(random);
    if (random_chance(random, 50)) c->policy &= 0x1ff0000000000000; // the bits that matter, and no other
}

// A barrier operand may name data. Where what the copy leaves there depends on the pieces in which it signals its
// bytes, it names a barrier instead.
static void avoid_pieces(struct misuse_case *c)
{
    uint32_t place = operand_place(c->barrier), bytes = MISUSE_TILE_BYTES;
    if (c->operation > MISUSE_BULK_SHARED || !(misuse_operands(c->operation) & MISUSE_BARRIER)) return;
    if (place % 8 != 0 || place < MISUSE_FILL_START || place >= MISUSE_SHARED_END) return;
    if (c->operation != MISUSE_TILE_LOAD) bytes = bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, c->size_bytes);
    if (!mbarrier_depends_on_pieces(misuse_word(c->seed, place), bytes)) return;
    c->barrier = c->barrier - place + MISUSE_BARRIER_START;
}

static void twist(struct random *random, struct misuse_case *c)
{
    static const struct {
        unsigned operand;
        void (*twist)(struct random *random, struct misuse_case *c);
    } twists[] = {{MISUSE_SHARED, twist_shared}, {MISUSE_BARRIER, twist_barrier}, {MISUSE_GLOBAL, twist_global},
                  {MISUSE_MAP, twist_global},    {MISUSE_MAP, twist_map},         {MISUSE_POINTER, twist_pointer},
                  {MISUSE_SIZE, twist_size}};
    for (int tries = 0; tries < 20; tries++) {
        uint64_t i = random_below(random, sizeof twists / sizeof twists[0]);
        if (!(misuse_operands(c->operation) & twists[i].operand)) continue;
        twists[i].twist(random, c);
        break;
    }
    if (c->has_hint && random_chance(random, 10)) twist_policy(random, c);
}

void misuse_generate(struct random *random, void *test_case)
{
    struct misuse_case *c = test_case;
    *c = (struct misuse_case){.operation = (uint32_t)random_below(random, MISUSE_COUNT),
                              .seed = (uint32_t)random_u64(random)};
    pick_legal(random, c);
    if (!random_chance(random, 25)) twist(random, c);
    avoid_pieces(c);
}
