// SPDX-License-Identifier: MIT
// The suite `observe`: access records name exactly the bytes that the operations change, and what a barrier is told.
// What changes is found out by running the operation over two different backgrounds: a byte was written iff both
// results hold the same there.
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "flight.h"
#include "slow_vectors.h"
#include "store.h"

enum { GMEM_BYTES = SLOW_GMEM_BYTES, SMEM_BYTES = SLOW_SMEM_BYTES, MOST_RECORDS = 1 << 15 };
#define MAP_ADDRESS UINT64_C(0x7000)

// Everything that was told.
struct heard {
    int accesses, barriers;
    struct access access[MOST_RECORDS];
    struct event_barrier barrier[32];
};

static void hear(void *context, const struct event *event)
{
    struct heard *heard = context;
    if (event->kind == EVENT_BARRIER) {
        ck_assert_int_lt(heard->barriers, 32);
        heard->barrier[heard->barriers++] = event->barrier;
        return;
    }
    if (heard->accesses == MOST_RECORDS) ck_abort_msg("more than %d accesses", MOST_RECORDS);
    if (event->origin == NULL) ck_abort_msg("access %d is of no origin", heard->accesses);
    heard->access[heard->accesses++] = event->access;
}

static struct heard heard;
static const struct observer observer = {&heard, hear};

// Adds 1 to `marks` for each byte of the accesses of this kind to this space; returns how many there are.
static int mark(enum access_kind kind, enum access_space space, uint64_t base, uint8_t *marks, uint64_t size_bytes)
{
    int found = 0;
    memset(marks, 0, size_bytes);
    for (int i = 0; i < heard.accesses; i++) {
        const struct access *access = &heard.access[i];
        if (access->kind != kind || access->space != space || access->proxy != PROXY_ASYNC) continue;
        found++;
        for (uint64_t at = access->address; at < access->address + access->bytes; at++)
            if (at - base < size_bytes) marks[at - base]++;
    }
    return found;
}

// --- Tensor operations on random maps --------------------------------------------------------------------------------

static uint8_t gmem[2][GMEM_BYTES], smem[2][SMEM_BYTES], marks[GMEM_BYTES], changed[GMEM_BYTES];

// One random load that works; the same map and coordinates serve stores where they may.
static struct slow_tile random_load(uint64_t seed)
{
    struct slow_tile load;
    struct memory global, shared;
    struct slow_random random = {seed};
    do {
        slow_generate_load(&random, &load);
        global = (struct memory){gmem[0], load.gmem_base, GMEM_BYTES};
        shared = (struct memory){smem[0], load.smem_base, load.smem_bytes};
        load.dims = load.map.rank;
    } while (tile_load_check(&load.map, load.dims, load.coord, &global, &shared, load.shared, NULL) != RULE_OK);
    return load;
}

static void find_changed(const uint8_t *a, const uint8_t *b, uint64_t size_bytes)
{
    for (uint64_t i = 0; i < size_bytes; i++) changed[i] = a[i] == b[i];
}

// No byte is told of that did not change, and the other way round. (One assertion for all: each costs a system call.)
static void check_marks(const char *what, uint64_t seed, uint64_t size_bytes)
{
    uint64_t i = 0;
    while (i < size_bytes && !marks[i] == !changed[i]) i++;
    ck_assert_msg(i == size_bytes, "seed %llu: %s, byte %llu: told %d, changed %d", (unsigned long long)seed, what,
                  (unsigned long long)i, marks[i], changed[i]);
}

static struct operation operation_of(enum operation_kind kind, const struct slow_tile *load)
{
    struct operation operation = {.kind = kind,
                                  .dims = load->map.rank,
                                  .map = load->map,
                                  .map_address = MAP_ADDRESS,
                                  .shared = load->shared,
                                  .barrier = 8};
    for (int i = 0; i < load->map.rank; i++) operation.coord[i] = load->coord[i];
    return operation;
}

// What an operation without memories tells, all at once.
static struct piece hear_all(const struct operation *operation)
{
    const struct teller teller = {&observer, {.operation = 7, .file = "user.cu", .line = 42}};
    struct flight flight = operation_issue(operation, NULL, &teller);
    heard.accesses = heard.barriers = 0;
    struct piece piece = flight_advance(&flight, UINT64_MAX);
    ck_assert(piece.is_last);
    ck_assert_int_eq(heard.barriers, 0); // a complete_tx is the caller's
    return piece;
}

static struct piece observe(const struct operation *operation)
{
    struct piece piece = hear_all(operation);
    ck_assert_int_eq(heard.access[0].proxy, PROXY_TENSORMAP);
    ck_assert_uint_eq(heard.access[0].address, MAP_ADDRESS);
    ck_assert_uint_eq(heard.access[0].bytes, 128);
    return piece;
}

// The two backgrounds differ in every byte.
static void fill_backgrounds(uint8_t *a, uint8_t *b, uint64_t size_bytes)
{
    for (uint64_t i = 0; i < size_bytes; i++) a[i] = (uint8_t)(i * 7 + 1), b[i] = (uint8_t)~a[i];
}

TEST(tile_tx_bytes__and_the_bytes_written_are_what_a_load_tells)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct slow_tile load = random_load(seed);
        struct memory global = {gmem[0], load.gmem_base, GMEM_BYTES};
        uint32_t bytes = 0;
        fill_backgrounds(smem[0], smem[1], load.smem_bytes);
        for (int i = 0; i < 2; i++) {
            struct memory shared = {smem[i], load.smem_base, load.smem_bytes};
            ck_assert_int_eq(tile_load(&load.map, load.dims, load.coord, &global, &shared, load.shared, &bytes, NULL),
                             RULE_OK);
        }
        find_changed(smem[0], smem[1], load.smem_bytes);
        struct operation operation = operation_of(OPERATION_TENSOR_LOAD, &load);
        struct piece piece = observe(&operation);
        mark(ACCESS_WRITE, SPACE_SHARED, load.smem_base, marks, load.smem_bytes);
        check_marks("a load", seed, load.smem_bytes);
        ck_assert_uint_eq(piece.complete_bytes, bytes);
        ck_assert_uint_eq(piece.targets, 1);
    }
}

// Shared bytes that matter to a store: those whose change changes what is stored. Both backgrounds of shared memory
// differ everywhere, so global memory differs afterwards exactly where something was stored.
TEST(store_granule__is_what_a_store_tells)
{
    int tried = 0;
    for (uint64_t seed = 1; tried < 150; seed++) {
        struct slow_tile load = random_load(seed);
        struct memory shared = {smem[0], load.smem_base, load.smem_bytes};
        struct memory global = {gmem[0], load.gmem_base, GMEM_BYTES};
        if (tile_store_check(&load.map, load.dims, load.coord, &global, &shared, load.shared, NULL) != RULE_OK)
            continue;
        tried++;
        memset(smem[0], 0x5a, load.smem_bytes);
        fill_backgrounds(gmem[0], gmem[1], GMEM_BYTES);
        for (int i = 0; i < 2; i++) {
            global.bytes = gmem[i];
            tile_store(&load.map, load.dims, load.coord, &global, &shared, load.shared, NULL);
        }
        find_changed(gmem[0], gmem[1], GMEM_BYTES);
        struct operation operation = operation_of(OPERATION_TENSOR_STORE, &load);
        struct piece piece = observe(&operation);
        mark(ACCESS_WRITE, SPACE_GLOBAL, load.gmem_base, marks, GMEM_BYTES);
        check_marks("a store", seed, GMEM_BYTES);
        ck_assert_uint_eq(piece.complete_bytes, 0);
        uint64_t read = 0, written = 0;
        for (int i = 1; i < heard.accesses; i++)
            *(heard.access[i].space == SPACE_SHARED ? &read : &written) += heard.access[i].bytes;
        ck_assert_uint_eq(read, written);
    }
}

// --- Single cases ----------------------------------------------------------------------------------------------------

static struct tensormap small_map(enum tensormap_swizzle swizzle)
{
    return (struct tensormap){.rank = 2,
                              .dtype = DTYPE_UINT8,
                              .swizzle = swizzle,
                              .address = 0x10000,
                              .dim = {24, 8},
                              .stride = {1, 64},
                              .box = {32, 4},
                              .estride = {1, 1}};
}

TEST(swizzle_32b__moves_the_ranges_that_are_told)
{
    struct tensormap map = small_map(SWIZZLE_32B);
    map.box[0] = 16;
    map.box[1] = 6;
    struct operation operation = {.kind = OPERATION_TENSOR_STORE,
                                  .dims = 2,
                                  .map = map,
                                  .map_address = MAP_ADDRESS,
                                  .coord = {16, 2},
                                  .shared = 0x400};
    observe(&operation);
    const uint64_t want[] = {0x400, 0x420, 0x440, 0x460, 0x490, 0x4b0}; // 16 bytes each; from 0x480 on the other half
    int found = 0;
    for (int i = 1; i < heard.accesses; i++) {
        if (heard.access[i].space != SPACE_SHARED) continue;
        ck_assert_int_lt(found, 6);
        ck_assert_uint_eq(heard.access[i].address, want[found++]);
        ck_assert_uint_eq(heard.access[i].bytes, 16);
    }
    ck_assert_int_eq(found, 6);
}

TEST(tile_prefetch_reads_and_writes_nothing)
{
    struct tensormap map = small_map(SWIZZLE_NONE);
    struct operation operation = {
        .kind = OPERATION_TENSOR_PREFETCH, .dims = 2, .map = map, .map_address = MAP_ADDRESS, .coord = {0, 6}};
    observe(&operation);
    ck_assert_int_eq(heard.accesses, 3); // the map, and the two rows that are in bounds
    ck_assert_uint_eq(heard.access[1].address, 0x10000 + 6 * 64);
    ck_assert_uint_eq(heard.access[1].bytes, 24);
    ck_assert_int_eq(heard.access[1].kind, ACCESS_READ);
}

TEST(a_reduction_is_relaxed_at_gpu_scope)
{
    struct tensormap map = small_map(SWIZZLE_NONE);
    struct operation operation = {.kind = OPERATION_TENSOR_REDUCE,
                                  .dims = 2,
                                  .map = map,
                                  .map_address = MAP_ADDRESS,
                                  .coord = {0, 0},
                                  .shared = 0x400};
    observe(&operation);
    for (int i = 1; i < heard.accesses; i++) {
        int is_global = heard.access[i].space == SPACE_GLOBAL;
        ck_assert_int_eq(heard.access[i].kind, is_global ? ACCESS_REDUCE : ACCESS_READ);
        ck_assert_int_eq(heard.access[i].scope, is_global ? SCOPE_GPU : SCOPE_NONE);
    }
}

// The rows of the box are the whole rows of the tensor, one behind the other: they are read as one range.
TEST(rows_without_gaps_are_told_as_one)
{
    struct tensormap map = small_map(SWIZZLE_NONE);
    map.rank = 3;
    map.dim[0] = map.box[0] = 64;
    map.box[1] = (uint32_t)map.dim[1];
    map.dim[2] = 4;
    map.stride[2] = 64 * map.dim[1];
    map.box[2] = 3;
    map.estride[2] = 1;
    struct operation operation = {
        .kind = OPERATION_TENSOR_PREFETCH, .dims = 3, .map = map, .map_address = MAP_ADDRESS, .coord = {0, 0, 1}};
    observe(&operation);
    ck_assert_int_eq(heard.accesses, 2); // the map, and all rows
    ck_assert_uint_eq(heard.access[1].address, map.address + map.stride[2]);
    ck_assert_uint_eq(heard.access[1].bytes, map.stride[2] * map.box[2]);
}

TEST(a_load_to_several_ctas_tells_of_each)
{
    struct tensormap map = small_map(SWIZZLE_NONE);
    struct operation operation = {.kind = OPERATION_TENSOR_LOAD,
                                  .dims = 2,
                                  .map = map,
                                  .map_address = MAP_ADDRESS,
                                  .coord = {0, 0},
                                  .shared = 0x400,
                                  .barrier = 16,
                                  .is_multicast = 1,
                                  .mask = 0x8005};
    struct piece piece = observe(&operation);
    uint32_t written = 0;
    for (int i = 1; i < heard.accesses; i++)
        if (heard.access[i].space == SPACE_SHARED) written |= UINT32_C(1) << heard.access[i].rank;
    ck_assert_uint_eq(written, 0x8005);
    ck_assert_uint_eq(piece.targets, 0x8005);
}

TEST(bulk_size_field__bounds_what_is_told)
{
    struct piece piece = hear_all(&(struct operation){
        .kind = OPERATION_BULK_LOAD, .issuer = 1, .from = 0x1000, .to = 0x1000400, .size_bytes = (1 << 20) + 40});
    ck_assert_int_eq(heard.accesses, 2);
    ck_assert_uint_eq(heard.access[0].bytes, 32);
    ck_assert_int_eq(heard.access[0].space, SPACE_GLOBAL);
    ck_assert_int_eq(heard.access[1].kind, ACCESS_WRITE);
    ck_assert_uint_eq(heard.access[1].rank, 1);
    ck_assert_uint_eq(heard.access[1].address, 0x400);
    ck_assert_uint_eq(piece.complete_bytes, 32);
}

TEST(a_bulk_reduction_to_another_cta_tells_both_ends)
{
    struct piece piece = hear_all(&(struct operation){
        .kind = OPERATION_BULK_SEND_REDUCE, .issuer = 1, .from = 0x800, .to = 0x3000400, .size_bytes = 64});
    ck_assert_int_eq(heard.accesses, 2);
    ck_assert_uint_eq(heard.access[0].rank, 1);
    ck_assert_int_eq(heard.access[0].kind, ACCESS_READ);
    ck_assert_uint_eq(heard.access[1].rank, 3);
    ck_assert_int_eq(heard.access[1].kind, ACCESS_REDUCE);
    ck_assert_int_eq(heard.access[1].scope, SCOPE_GPU);
    ck_assert_uint_eq(piece.targets, 8);
}

TEST(stores_to_global_memory_tell_no_barrier)
{
    struct piece piece =
        hear_all(&(struct operation){.kind = OPERATION_BULK_STORE, .from = 0x800, .to = 0x4000, .size_bytes = 64});
    ck_assert_int_eq(heard.accesses, 2);
    ck_assert_uint_eq(piece.targets, 0);
    ck_assert_uint_eq(piece.complete_bytes, 0);
    ck_assert_int_eq(heard.access[1].space, SPACE_GLOBAL);
}

TEST(registers_are_no_memory_and_take_the_generic_proxy)
{
    struct piece piece = hear_all(&(struct operation){.kind = OPERATION_RED_ASYNC, .to = 0x1000400, .size_bytes = 8});
    ck_assert_int_eq(heard.accesses, 1);
    ck_assert_int_eq(heard.access[0].proxy, PROXY_GENERIC);
    ck_assert_int_eq(heard.access[0].scope, SCOPE_CLUSTER);
    ck_assert_uint_eq(piece.complete_bytes, 8);
}

TEST(cp_async_zero_fill__reads_fewer_bytes_than_it_writes)
{
    struct operation copy = {.kind = OPERATION_CP_ASYNC,
                             .issuer = 2,
                             .form = CP_ASYNC_SRC_SIZE,
                             .size_bytes = 16,
                             .source_operand = 5,
                             .from = 0x10010,
                             .to = 0x420};
    hear_all(&copy);
    ck_assert_int_eq(heard.accesses, 2);
    ck_assert_int_eq(heard.access[0].kind, ACCESS_READ);
    ck_assert_int_eq(heard.access[0].space, SPACE_GLOBAL);
    ck_assert_uint_eq(heard.access[0].address, 0x10010);
    ck_assert_uint_eq(heard.access[0].bytes, 5);
    for (int i = 0; i < 2; i++) {
        const struct access *written = &heard.access[heard.accesses - 1];
        ck_assert_int_eq(heard.accesses, 2 - i);
        ck_assert_int_eq(written->kind, ACCESS_WRITE);
        ck_assert_int_eq(written->proxy, PROXY_GENERIC);
        ck_assert_int_eq(written->scope, SCOPE_NONE);
        ck_assert_int_eq(written->space, SPACE_SHARED);
        ck_assert_uint_eq(written->rank, 2);
        ck_assert_uint_eq(written->address, 0x420);
        ck_assert_uint_eq(written->bytes, 16);
        copy.form = CP_ASYNC_IGNORE_SRC; // reads nothing
        hear_all(&copy);
    }
}
