// SPDX-License-Identifier: MIT
// The suite `flight`: any split of any operation into pieces leaves the same bytes, completes as many and tells of the
// same bytes as the operation all at once; each piece tells of exactly what it changes. Operations of all kinds are
// random; the memory of the split ones is several regions that touch at odd addresses.
#include <string.h>

#include "bulk.h"
#include "flight.h"
#include "hopper.h"
#include "slow_im2col.h"
#include "slow_store.h"

TEST_FILE(.seconds = 120);

enum { CTAS = 3, REGIONS = 4, GMEM_BYTES = SLOW_GMEM_BYTES, SMEM_BYTES = SLOW_SMEM_BYTES, SMEM_BASE = SLOW_SMEM_BASE };
enum { WANTED = 80, GAP = 64, BARRIER = SMEM_BASE + SMEM_BYTES - 8 };
static const uint32_t cuts[REGIONS + 1] = {0, 9999, 10001, 40003, GMEM_BYTES};

// What was told: per byte, how often it was read, and written or reduced; and the bytes elsewhere.
struct heard {
    uint8_t read[GMEM_BYTES + CTAS * SMEM_BYTES], written[GMEM_BYTES + CTAS * SMEM_BYTES];
    uint64_t elsewhere, bytes_written, maps;
};

// A world of its own: memories, and who listens.
struct world {
    uint8_t gmem[GMEM_BYTES + REGIONS * GAP];
    uint8_t smem[CTAS][SMEM_BYTES];
    struct region region[REGIONS];
    struct memory cta[CTAS];
    struct global_memory global;
    struct cluster_memory cluster;
    struct memories memories;
    struct heard heard;
    struct observer observer;
    struct teller teller;
};

static struct world whole, split, before;

static void hear(void *context, const struct event *event)
{
    struct world *world = context;
    struct heard *heard = &world->heard;
    const struct access *access = &event->access;
    ck_assert_int_eq(event->kind, EVENT_ACCESS);
    ck_assert_uint_eq(event->origin->line, 42);
    heard->maps += access->proxy == PROXY_TENSORMAP;
    if (access->proxy == PROXY_TENSORMAP) return;
    uint8_t *marks = access->kind == ACCESS_READ ? heard->read : heard->written;
    uint64_t first = access->address - world->region[0].memory.base, end = GMEM_BYTES;
    if (access->kind != ACCESS_READ) heard->bytes_written += access->bytes;
    if (access->space == SPACE_SHARED) {
        first = access->address - SMEM_BASE + GMEM_BYTES + access->rank * (uint64_t)SMEM_BYTES;
        end = GMEM_BYTES + (access->rank + 1) * (uint64_t)SMEM_BYTES;
    }
    for (uint64_t i = 0; i < access->bytes; i++)
        if (first + i < end)
            marks[first + i]++;
        else
            heard->elsewhere++;
}

// Cuts the world's global memory into `count` regions, whose bytes do not lie together.
static void set_up(struct world *world, uint64_t base, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = count == 1 ? 0 : cuts[i], to = count == 1 ? GMEM_BYTES : cuts[i + 1];
        world->region[i] = (struct region){{world->gmem + from + i * GAP, base + from, to - from}, 0};
    }
    for (int i = 0; i < CTAS; i++) world->cta[i] = (struct memory){world->smem[i], SMEM_BASE, SMEM_BYTES};
    world->global = (struct global_memory){world->region, count};
    world->cluster = (struct cluster_memory){world->cta, CTAS, 1, 0};
    world->memories = (struct memories){&world->global, &world->cluster};
    memset(&world->heard, 0, sizeof world->heard);
    world->observer = (struct observer){world, hear};
    world->teller = (struct teller){&world->observer, {.file = "user.cu", .line = 42}};
}

static void fill(struct world *world, uint64_t seed)
{
    static uint8_t bytes[GMEM_BYTES];
    slow_fill_gmem(bytes, seed);
    global_write(&world->global, world->region[0].memory.base, bytes, GMEM_BYTES);
    for (int i = 0; i < CTAS; i++) {
        slow_fill_gmem(bytes, seed + 1 + (uint64_t)i);
        memcpy(world->smem[i], bytes, SMEM_BYTES);
    }
}

// --- Random operations -----------------------------------------------------------------------------------------------

static uint32_t pick(struct slow_random *random, uint32_t most)
{
    return (uint32_t)slow_between(random, 0, most);
}

static uint32_t shared_address(struct slow_random *random, uint32_t align)
{
    return SMEM_BASE + pick(random, (SMEM_BYTES - 4096) / align) * align;
}

static void take_tile(struct operation *o, const struct slow_tile *tile, uint64_t *base)
{
    o->map = tile->map, o->dims = tile->map.rank, o->shared = tile->shared % (1u << 24);
    memcpy(o->coord, tile->coord, sizeof o->coord);
    *base = tile->gmem_base;
}

static void random_tensor(struct slow_random *random, struct operation *o, uint64_t *base)
{
    static uint8_t gmem[GMEM_BYTES];
    struct slow_store store;
    struct slow_im2col column;
    o->map_address = 0x7000;
    o->map_location = MAP_IN_PARAM;
    if (slow_chance(random, 50)) {
        slow_generate_store(random, &store);
        take_tile(o, &store.tile, base);
        o->op = store.op;
        if (o->kind == OPERATION_TENSOR_LOAD || o->kind == OPERATION_TENSOR_PREFETCH)
            slow_generate_load(random, &store.tile), take_tile(o, &store.tile, base);
        return;
    }
    slow_generate_im2col(random, gmem, &column);
    o->mode = TENSORMAP_IM2COL;
    o->map = column.map, o->dims = column.map.rank, o->shared = column.destination % (1u << 24);
    o->op = REDUCE_ADD;
    memcpy(o->coord, column.coord, sizeof o->coord);
    memcpy(o->offset, column.offset, sizeof o->offset);
    *base = column.gmem_base;
    if (o->kind != OPERATION_TENSOR_STORE && o->kind != OPERATION_TENSOR_REDUCE) return;
    memset(o->map.lower, 0, sizeof o->map.lower); // as an im2col store must have them
    for (int i = 0; i < 3; i++) o->map.upper[i] = o->map.upper[i] > 0 ? 0 : o->map.upper[i];
    for (int i = 0; i < o->dims; i++) o->coord[i] = o->coord[i] < 0 ? 0 : o->coord[i];
}

static void random_linear(struct slow_random *random, struct operation *o, uint64_t base)
{
    bool is_short = o->kind == OPERATION_CP_ASYNC || o->kind == OPERATION_ST_ASYNC || o->kind == OPERATION_RED_ASYNC;
    const struct bulk_reduction *reduction = bulk_reduction((enum bulk_reduction_id)pick(random, BULK_REDUCTIONS - 1));
    o->op = reduction->op, o->dtype = reduction->dtype;
    o->form = (enum cp_async_form)pick(random, CP_ASYNC_FORMS - 1);
    o->source_operand = pick(random, 4);
    o->size_bytes = is_short ? 4u << pick(random, 2) : pick(random, 3000);
    if (o->kind == OPERATION_RED_ASYNC) o->size_bytes = dtype_row(o->dtype)->size_bytes;
    for (int i = 0; i < 4; i++) o->value[i] = (uint32_t)slow_random(random);
    uint64_t global = base + pick(random, (GMEM_BYTES - 4096) / 16) * 16;
    uint32_t shared = shared_address(random, 16);
    o->from = o->kind == OPERATION_BULK_LOAD || o->kind == OPERATION_BULK_PREFETCH || o->kind == OPERATION_CP_ASYNC
                  ? global
                  : shared;
    o->to =
        o->kind == OPERATION_BULK_STORE || o->kind == OPERATION_BULK_STORE_REDUCE ? global : shared_address(random, 16);
    if (o->kind == OPERATION_BULK_SEND && slow_chance(random, 50)) o->to = shared + 16 * pick(random, 8); // overlaps
}

static struct operation random_operation(struct slow_random *random, enum operation_kind kind, uint64_t *base)
{
    struct operation o = {.kind = kind, .barrier = BARRIER};
    uint32_t rank = pick(random, CTAS - 1);
    o.issuer = pick(random, CTAS - 1);
    *base = SLOW_GMEM_BASE;
    if (kind <= OPERATION_TENSOR_PREFETCH)
        random_tensor(random, &o, base);
    else
        random_linear(random, &o, *base);
    if (operation_has_barrier(kind)) o.to |= (uint64_t)rank << 24, o.shared |= rank << 24, o.barrier |= rank << 24;
    if (kind == OPERATION_BULK_SEND_REDUCE && rank == o.issuer)
        o.to = rank << 24 | (o.from + 4096 < BARRIER ? o.from + 4096 : SMEM_BASE);
    o.is_multicast = slow_chance(random, 40), o.mask = 1 + pick(random, 6);
    return o;
}

// --- The comparison --------------------------------------------------------------------------------------------------

// The number of a byte that is not what it was `before`, and of which nothing was told since; -1: there is none.
static int64_t changed_but_not_told(const struct world *now)
{
    static uint8_t a[GMEM_BYTES], b[GMEM_BYTES];
    uint64_t base = now->region[0].memory.base;
    global_read(&before.global, base, a, GMEM_BYTES);
    global_read(&now->global, base, b, GMEM_BYTES);
    for (int64_t i = 0; i < GMEM_BYTES; i++)
        if (a[i] != b[i] && now->heard.written[i] == before.heard.written[i]) return i;
    for (int rank = 0; rank < CTAS; rank++)
        for (int64_t i = 0; i < SMEM_BYTES; i++) {
            int64_t mark = GMEM_BYTES + rank * SMEM_BYTES + i;
            if (now->smem[rank][i] != before.smem[rank][i] && now->heard.written[mark] == before.heard.written[mark])
                return mark;
        }
    return -1;
}

static void remember(const struct world *world)
{
    before = *world;
    for (uint32_t i = 0; i < world->global.count; i++)
        before.region[i].memory.bytes = before.gmem + (world->region[i].memory.bytes - world->gmem);
    before.global.region = before.region;
}

// Advances to the end in random pieces, each of them from another place in memory. Returns what was completed.
static uint64_t advance_in_pieces(struct slow_random *random, const struct operation *o, uint64_t seed)
{
    static struct flight flight[2];
    static const uint64_t sizes[] = {1, 32, 48, 96, 160, 512, 1000, 4096};
    uint64_t completed = 0;
    struct piece piece = {.is_last = 0};
    flight[0] = operation_issue(o, &split.memories, &split.teller);
    for (int i = 0; !piece.is_last; i = !i) {
        uint64_t most = sizes[pick(random, 7)];
        remember(&split);
        piece = flight_advance(&flight[i], most);
        int64_t odd = changed_but_not_told(&split);
        ck_assert_msg(odd < 0, "seed %llu: byte %lld changed and was not told", (unsigned long long)seed,
                      (long long)odd);
        int copies =
            o->kind == OPERATION_CP_ASYNC || !operation_has_barrier(o->kind) ? 1 : __builtin_popcount(piece.targets);
        bool writes = o->kind != OPERATION_TENSOR_PREFETCH && o->kind != OPERATION_BULK_PREFETCH;
        ck_assert_uint_eq(split.heard.bytes_written - before.heard.bytes_written,
                          writes ? piece.bytes * (uint64_t)copies : 0);
        ck_assert(piece.bytes <= (most < PIECE_UNIT_BYTES ? PIECE_UNIT_BYTES : most));
        ck_assert(piece.is_last || (piece.bytes > 0 && piece.bytes % PIECE_UNIT_BYTES == 0));
        ck_assert_uint_eq(piece.complete_bytes, operation_has_barrier(o->kind) ? piece.bytes : 0);
        completed += piece.complete_bytes;
        flight[!i] = flight[i];
        memset(&flight[i], 0xaa, sizeof flight[i]);
    }
    return completed;
}

static bool is_store(enum operation_kind kind)
{
    return kind == OPERATION_TENSOR_STORE || kind == OPERATION_TENSOR_REDUCE || kind == OPERATION_BULK_STORE ||
           kind == OPERATION_BULK_STORE_REDUCE;
}

// What a store was told to read lies in its reach. It does so for one that has been moved, and after the map that it
// was issued with has made place for another's.
static void compare_reach(const struct operation *o, const struct heard *heard)
{
    static struct flight flight[2];
    struct operation operation[2] = {*o, *o};
    uint32_t first = (uint32_t)(o->kind <= OPERATION_TENSOR_PREFETCH ? o->shared : o->from) - SMEM_BASE;
    operation[1].map.rank = 1;
    operation[1].map.mode = TENSORMAP_TILED;
    operation[1].mode = TENSORMAP_TILED;
    for (int i = 0; i < 2; i++) flight[i] = operation_issue(&operation[i], &whole.memories, NULL);
    uint64_t bytes = flight_reach_bytes(&flight[0]);
    const uint8_t *read = heard->read + GMEM_BYTES + o->issuer * (uint64_t)SMEM_BYTES;
    for (uint32_t i = 0; i < SMEM_BYTES; i++)
        ck_assert_msg(read[i] == 0 || (i >= first && i - first < bytes), "byte %u is not in %llu from %u on", i,
                      (unsigned long long)bytes, first);
}

static void compare(const struct operation *o, uint64_t seed)
{
    static uint8_t a[GMEM_BYTES], b[GMEM_BYTES];
    struct slow_random random = {seed};
    struct piece all;
    ck_assert_int_eq(operation_run(o, &whole.memories, &whole.teller, &all, NULL), RULE_OK);
    uint64_t completed = advance_in_pieces(&random, o, seed);
    global_read(&whole.global, whole.region[0].memory.base, a, GMEM_BYTES);
    global_read(&split.global, split.region[0].memory.base, b, GMEM_BYTES);
    ck_assert_msg(memcmp(a, b, GMEM_BYTES) == 0, "seed %llu: global memory", (unsigned long long)seed);
    ck_assert_msg(memcmp(whole.smem, split.smem, sizeof whole.smem) == 0, "seed %llu: shared memory",
                  (unsigned long long)seed);
    ck_assert_msg(memcmp(&whole.heard, &split.heard, sizeof whole.heard) == 0, "seed %llu: what was told",
                  (unsigned long long)seed);
    ck_assert_uint_eq(completed, all.complete_bytes);
    ck_assert_uint_eq(whole.heard.maps, o->kind <= OPERATION_TENSOR_PREFETCH);
    if (is_store(o->kind)) compare_reach(o, &whole.heard);
}

LOOP_TEST(tile_tx_bytes__any_split_is_the_whole, 0, OPERATION_KINDS)
{
    int done = 0;
    int long_ones = 0, im2col = 0;
    for (uint64_t seed = 1; done < WANTED; seed++) {
        struct slow_random random = {seed * 1000003 + (uint64_t)_i};
        uint64_t base;
        struct operation o = random_operation(&random, (enum operation_kind)_i, &base);
        set_up(&whole, base, 1);
        set_up(&split, base, REGIONS);
        enum rule rule = operation_check(&o, &whole.memories, NULL);
        ck_assert_int_eq(operation_check(&o, &split.memories, NULL), rule);
        ck_assert_msg(seed < 20000, "only %d of %d operations may run", done, WANTED);
        if (rule != RULE_OK) continue;
        fill(&whole, seed);
        fill(&split, seed);
        compare(&o, seed);
        long_ones += whole.heard.bytes_written > 100;
        im2col += o.mode == TENSORMAP_IM2COL;
        done++;
    }
    if (_i < OPERATION_ST_ASYNC && _i != OPERATION_TENSOR_PREFETCH && _i != OPERATION_BULK_PREFETCH)
        ck_assert_int_gt(long_ones, 5);
    if (_i <= OPERATION_TENSOR_PREFETCH) ck_assert_int_gt(im2col, 5);
}
