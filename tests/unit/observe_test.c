// SPDX-License-Identifier: MIT
// The suite `observe`: access records name exactly the bytes that the operations change, and what a barrier is told.
// What changes is found out by running the operation over two different backgrounds: a byte was written iff both
// results hold the same there. Single cases are in observe_step.calls.
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
