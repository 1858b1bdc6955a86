// SPDX-License-Identifier: MIT
// The suite `operand`: how the copy engine reads shared-memory operands, what prefetches check, and which cache
// policies fault. All verdicts were seen on an H200 (traces misuse and misuse_fault).
#include <string.h>

#include "bulk.h"
#include "copy.h"
#include "im2col_load.h"
#include "operand.h"
#include "prefetch.h"
#include "rules/bulk.h"
#include "rules/cache.h"
#include "rules/im2col.h"
#include "rules/load.h"
#include "rules/mbarrier.h"
#include "rules/operand.h"
#include "rules/prefetch.h"
#include "store.h"

enum { BASE = 1024, BYTES = 16384, END = BASE + BYTES, GLOBAL_BYTES = 4096 };
#define GLOBAL ((uint64_t)1 << 44)

static uint8_t cta[BYTES], global_bytes[GLOBAL_BYTES];
static const struct memory shared = {cta, BASE, BYTES}, global = {global_bytes, GLOBAL, GLOBAL_BYTES};
static const int32_t origin[5];

static struct tensormap map_of(int rank, int is_im2col)
{
    const uint64_t dim[3] = {32, 4, 2}, strides[2] = {128, 512};
    const uint32_t box[3] = {32, 2, 1}, estride[3] = {1, 1, 1};
    const int corner[1] = {0};
    struct tensormap_image image;
    struct tensormap map;
    enum rule rule = is_im2col ? tensormap_encode_im2col(&image, DTYPE_UINT32, 3, GLOBAL, dim, strides, corner, corner,
                                                         8, 4, estride, 0, 0, 0, 0, NULL)
                               : tensormap_encode_tiled(&image, DTYPE_UINT32, (uint32_t)rank, GLOBAL, dim, strides, box,
                                                        estride, 0, 0, 0, 0, NULL);
    ck_assert_int_eq(rule, RULE_OK);
    tensormap_decode(&image, &map, NULL);
    return map;
}

static int has(const struct findings *findings, enum rule rule)
{
    for (int i = 0; i < findings->count; i++)
        if (findings->item[i].rule == rule) return 1;
    return 0;
}

// --- places ----------------------------------------------------------------------------------------------------------

// Where a load of 256 bytes goes that is told to go to `address`: its place, NOTHING (and no error), or an error.
enum { NOTHING = 0, ILLEGAL = 715, MISALIGNED = 716, OUTSIDE = 700, PLACE = 1 };

static const struct {
    const char *why;
    uint32_t address;
    int verdict;
} operands[] = {
    {"inside", 4096, PLACE},
    {"to the last byte", END - 256, PLACE},
    {"over the end", END - 128, OUTSIDE},
    {"at the end", END, OUTSIDE},
    {"the last place of 18 bits", 0x3ff80, OUTSIDE},
    {"one more: the place is 0, where the system's bytes are, and bit 18 is set", 0x40000, NOTHING},
    {"a legal place and bit 18", 0x41000, NOTHING},
    {"a legal place and bit 20", 0x101000, NOTHING},
    {"a legal place and bits 18 to 23", 0xfc1000, NOTHING},
    {"over the end and bit 18", 0x40000 + END - 128, OUTSIDE},
    {"past the end and bit 18", 0x60000, OUTSIDE},
    {"past the end, all bits set", 0xfff000, OUTSIDE},
    {"not aligned and bit 18", 0x41010, MISALIGNED},
    {"another CTA", 0x1001000, ILLEGAL},
    {"another CTA and bit 18", 0x1041000, ILLEGAL},
    {"the last CTA there could be", 0xff001000, ILLEGAL},
};

static int verdict_of(uint32_t address)
{
    struct tensormap map = map_of(2, 0);
    uint32_t bytes = 12345;
    memset(cta, 0xee, sizeof cta);
    enum rule rule = tile_load(&map, 2, origin, &global, &shared, address, &bytes, NULL);
    if (rule != RULE_OK) return rule_cuda_error(rule);
    int changed = memchr(cta, 0, sizeof cta) != NULL;
    ck_assert_msg(bytes == (changed ? 256u : 0u), "0x%x signals %u", address, bytes);
    return changed ? PLACE : NOTHING;
}

LOOP_TEST(operand_nowhere__moves_nothing_but_keeps_the_bounds, 0, ROWS_OF(operands))
{
    struct findings findings = {0};
    struct tensormap map = map_of(2, 0);
    uint32_t address = operands[_i].address;
    int verdict = operands[_i].verdict;
    ck_assert_msg(verdict_of(address) == verdict, "%s: 0x%x", operands[_i].why, address);
    enum rule rule = tile_store_check(&map, 2, origin, &global, &shared, address, &findings);
    ck_assert_int_eq(rule_cuda_error(rule), verdict == PLACE ? 0 : verdict);
    ck_assert_int_eq(has(&findings, RULE_OPERAND_NOWHERE), (address >> 18 & 63) != 0);
    struct bulk bulk = {BULK_GLOBAL_TO_SHARED, &global, &shared, GLOBAL, address, 256};
    ck_assert_int_eq(rule_cuda_error(bulk_check(&bulk, NULL)),
                     verdict == PLACE || verdict == MISALIGNED ? 0 : verdict); // 16 bytes are enough for a bulk copy
}

// Wrong readings of the address, each of which one of the operands above catches.
static int whole_address(uint32_t address)
{
    return address % 128 != 0 ? MISALIGNED : address + 256 > END ? OUTSIDE : PLACE;
}

static int low_24_bits(uint32_t address)
{
    if (address >> 24 != 0) return ILLEGAL;
    return address % 128 != 0 ? MISALIGNED : address + 256 > END ? OUTSIDE : PLACE;
}

static int silent_from_18_bits(uint32_t address)
{
    if (address >> 24 != 0) return ILLEGAL;
    if (address % 128 != 0) return MISALIGNED;
    return address >> 18 != 0 ? NOTHING : address + 256 > END ? OUTSIDE : PLACE;
}

static int wraps_at_18_bits(uint32_t address)
{
    if (address >> 24 != 0) return ILLEGAL;
    return address % 128 != 0 ? MISALIGNED : operand_place(address) + 256 > END ? OUTSIDE : PLACE;
}

static int rank_comes_last(uint32_t address)
{
    if (address % 128 != 0) return MISALIGNED;
    if (operand_place(address) + 256 > END) return OUTSIDE;
    return operand_is_nowhere(address) ? NOTHING : address >> 24 != 0 ? ILLEGAL : PLACE;
}

static int (*const mutants[])(uint32_t) = {whole_address, low_24_bits, silent_from_18_bits, wraps_at_18_bits,
                                           rank_comes_last};

LOOP_TEST(operand_mutants_are_caught, 0, ROWS_OF(mutants))
{
    int caught = 0;
    for (int i = 0; i < ROWS_OF(operands); i++) caught += mutants[_i](operands[i].address) != operands[i].verdict;
    ck_assert_int_gt(caught, 0);
}

TEST(operand_nowhere__looks_at_no_global_memory)
{
    struct tensormap map = map_of(2, 0), column = map_of(3, 1);
    const struct memory none = {global_bytes, 0, 0};
    const uint16_t offset[3] = {0};
    uint32_t bytes;
    struct bulk load = {BULK_GLOBAL_TO_SHARED, &none, &shared, GLOBAL, 0x41000, 16};
    struct bulk store = {BULK_SHARED_TO_GLOBAL, &shared, &none, 0x41000, GLOBAL, 16};
    ck_assert_int_eq(tile_load(&map, 2, origin, &none, &shared, 0x41000, &bytes, NULL), RULE_OK);
    ck_assert_int_eq(im2col_load(&column, 3, origin, offset, &none, &shared, 0x41000, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(tile_store(&map, 2, origin, &none, &shared, 0x41000, NULL), RULE_OK);
    ck_assert_int_eq(tile_reduce(REDUCE_ADD, &map, 2, origin, &none, &shared, 0x41000, NULL), RULE_OK);
    ck_assert_int_eq(bulk_copy(&load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(bulk_copy(&store, &bytes, NULL), RULE_OK);
    ck_assert_int_eq(bulk_reduce(&store, REDUCE_ADD, DTYPE_UINT32, &bytes, NULL), RULE_OK);
    load.to = 4096;
    ck_assert_int_eq(bulk_copy(&load, &bytes, NULL), RULE_BULK_UNMAPPED);
}

// Between shared memories the source is read so, the destination is not: there the whole offset counts.
TEST(operand_nowhere__is_of_the_source_between_shared_memories)
{
    uint32_t bytes;
    struct bulk bulk = {BULK_SHARED_TO_OWN, &shared, &shared, 0x41000, 8192, 16};
    ck_assert_int_eq(bulk_copy(&bulk, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 0);
    bulk.from = 4096;
    bulk.to = 0x42000;
    ck_assert_int_eq(bulk_copy(&bulk, &bytes, NULL), RULE_BULK_REMOTE_LIMIT);
    bulk.to = END;
    ck_assert_int_eq(bulk_copy(&bulk, &bytes, NULL), RULE_BULK_REMOTE_BOUNDS);
}

TEST(operand_rank__is_refused_for_sources_and_destinations)
{
    struct findings findings = {0};
    struct bulk bulk = {BULK_SHARED_TO_GLOBAL, &shared, &global, 0x1001000, GLOBAL, 16};
    ck_assert_int_eq(bulk_check(&bulk, &findings), RULE_OPERAND_RANK);
    ck_assert_str_eq(findings.item[0].argument, "srcMem");
    ck_assert_uint_eq(findings.item[0].nearest, 0x1000);
    bulk.from = 0xffffff & ~15u;
    ck_assert_int_eq(bulk_check(&bulk, NULL), RULE_BULK_SMEM_BOUNDS);
    bulk.size_bytes = 15; // moves nothing, looks at nothing
    bulk.from = 0x1001001;
    ck_assert_int_eq(bulk_check(&bulk, NULL), RULE_OK);
}

// --- the barrier -----------------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    uint32_t address;
    enum rule rule;
    int is_nowhere;
} barriers[] = {
    {"a barrier", 1024, RULE_OK, 0},
    {"any 8 bytes", 1024 + 24, RULE_OK, 0},
    {"the last 8 bytes", END - 8, RULE_OK, 0},
    {"another CTA's rank", 0xff000400, RULE_OK, 0},
    {"bit 18", 0x40400, RULE_OK, 1},
    {"another rank and bit 18", 0x1040400, RULE_OK, 1},
    {"off by 4", 1028, RULE_MBARRIER_ADDRESS_ALIGN, 0},
    {"off by 1 and bit 18", 0x40401, RULE_MBARRIER_ADDRESS_ALIGN, 1},
    {"past the end", END, RULE_OPERAND_BARRIER_BOUNDS, 0},
    {"past the end and bit 18", 0x60000, RULE_OPERAND_BARRIER_BOUNDS, 1},
    {"past the end of another rank", 0x1000000 + END, RULE_OPERAND_BARRIER_BOUNDS, 0},
};

static void check_barrier(int i)
{
    struct findings findings = {0};
    ck_assert_msg(operand_check_barrier(barriers[i].address, &shared, &findings) == barriers[i].rule, "%s",
                  barriers[i].why);
    ck_assert_int_eq(has(&findings, RULE_OPERAND_BARRIER_NOWHERE), barriers[i].is_nowhere);
    ck_assert_int_eq(bulk_check_barrier(BULK_GLOBAL_TO_SHARED, barriers[i].address, &shared, NULL), barriers[i].rule);
}

LOOP_TEST(operand_barrier_bounds__are_the_allocation, 0, ROWS_OF(barriers))
{
    check_barrier(_i);
}

TEST(operand_barrier_nowhere__makes_the_copy_do_nothing)
{
    uint32_t to = operand_with_barrier(4096, 0x40400);
    ck_assert(operand_is_nowhere(to));
    ck_assert_uint_eq(operand_place(to), 4096);
    ck_assert_uint_eq(operand_with_barrier(4096, 0x1000400), 4096);
    for (int i = 0; i < ROWS_OF(barriers); i++) check_barrier(i);
}

TEST(operand_barrier_bounds__between_shared_memories_are_those_of_the_destination)
{
    ck_assert_int_eq(bulk_check_barrier(BULK_SHARED_TO_OWN, END, &shared, NULL), RULE_BULK_REMOTE_BOUNDS);
    ck_assert_int_eq(bulk_check_barrier(BULK_SHARED_TO_OTHER, 0x40400, &shared, NULL), RULE_BULK_REMOTE_LIMIT);
    ck_assert_int_eq(bulk_check_barrier(BULK_REGISTERS_TO_OTHER, 0x1000400, &shared, NULL), RULE_OK);
    ck_assert_int_eq(bulk_check_barrier(BULK_SHARED_TO_OWN, 1028, &shared, NULL), RULE_MBARRIER_ADDRESS_ALIGN);
}

// --- prefetches ------------------------------------------------------------------------------------------------------

TEST(prefetch_no_effect__and_no_look_at_the_data)
{
    struct tensormap row = map_of(1, 0), column = map_of(3, 1);
    const int32_t far[3] = {INT32_MIN, -1, 100};
    const uint16_t offset[3] = {65535};
    row.address = 0;
    ck_assert_int_eq(tile_prefetch_check(&row, 1, far, NULL), RULE_OK);
    column.address = 0;
    ck_assert_int_eq(im2col_prefetch_check(&column, 3, origin, offset, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(0, 16, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(((uint64_t)1 << 56) - ((uint64_t)1 << 32), UINT32_MAX, NULL), RULE_OK);
}

TEST(prefetch_no_effect__but_the_checks_of_map_and_coordinates)
{
    struct tensormap plane = map_of(2, 0), column = map_of(3, 1), zeros = {.rank = 0};
    const int32_t odd[3] = {1, 0, 0}, outside[3] = {0, 4, 0};
    const uint16_t offset[3] = {0};
    ck_assert_int_eq(tile_prefetch_check(&plane, 2, odd, NULL), RULE_LOAD_COORD_ALIGN);
    ck_assert_int_eq(tile_prefetch_check(&plane, 3, origin, NULL), RULE_LOAD_RANK);
    ck_assert_int_eq(tile_prefetch_check(&column, 3, origin, NULL), RULE_LOAD_MODE);
    ck_assert_int_eq(tile_prefetch_check(&zeros, 1, origin, NULL), RULE_LOAD_MAP_FORMAT);
    plane.dim[1] = (uint64_t)1 << 32;
    ck_assert_int_eq(tile_prefetch_check(&plane, 2, origin, NULL), RULE_LOAD_DIM_LIMIT);
    ck_assert_int_eq(im2col_prefetch_check(&column, 3, outside, offset, NULL), RULE_IM2COL_START);
    ck_assert_int_eq(im2col_prefetch_check(&plane, 3, origin, offset, NULL), RULE_LOAD_MODE);
    ck_assert_int_eq(im2col_prefetch_check(&zeros, 3, origin, offset, NULL), RULE_LOAD_MAP_FORMAT);
}

TEST(prefetch_align__is_16_unless_nothing_is_fetched)
{
    struct findings findings = {0};
    ck_assert_int_eq(bulk_prefetch_check(GLOBAL + 8, 128, &findings), RULE_PREFETCH_ALIGN);
    ck_assert_uint_eq(findings.item[0].nearest, GLOBAL);
    ck_assert_int_eq(bulk_prefetch_check(GLOBAL + 1, 15, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(GLOBAL + 1, 1 << 20, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(GLOBAL + 1, (1 << 20) + 16, NULL), RULE_PREFETCH_ALIGN);
}

TEST(prefetch_address_limit__parts_addresses_from_sign_extended_ones)
{
    const uint64_t limit = (uint64_t)1 << 56;
    ck_assert_int_eq(bulk_prefetch_check(limit, 16, NULL), RULE_PREFETCH_ADDRESS_LIMIT);
    ck_assert_int_eq(bulk_prefetch_check(limit + 8, 16, NULL), RULE_PREFETCH_ALIGN);
    ck_assert_int_eq(bulk_prefetch_check(limit, 0, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(limit - 16, 16, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(limit - 16, 32, NULL), RULE_PREFETCH_ADDRESS_LIMIT);
    ck_assert_int_eq(bulk_prefetch_check(limit / 2, 16, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(0 - limit - 16, 16, NULL), RULE_PREFETCH_ADDRESS_LIMIT);
    ck_assert_int_eq(bulk_prefetch_check(0 - limit, 16, NULL), RULE_OK);
    ck_assert_int_eq(bulk_prefetch_check(0 - limit / 2, 16, NULL), RULE_OK);
}

// --- cache policies --------------------------------------------------------------------------------------------------

static const struct {
    uint64_t policy;
    int faults;
} policies[] = {
    {0, 0},
    {0x12f0000000000000, 0}, // evict_first
    {0x14f0000000000000, 0}, // evict_last
    {0x8000000000000000, 0},
    {0x6775dc7701564f61, 0},
    {0xe099ec6cd7363ca5, 0}, // bit 59 clear, the field full
    {0xf893a2eefb32555e, 0}, // bits 59 and 60, 9 in the field
    {0x98d0ff43e17386ae, 0}, // 13
    {0xfe00000000000000, 0},
    {0x7ef1fd0ed1548fcd, 1}, // 15
    {0xbeeb8da1658eec67, 1}, // 14
    {0x0900000000000000, 1},
    {0x491718de357e3da8, 1},
    {0xffffffffffffffff, 1},
};

static int never(uint64_t policy)
{
    return policy == 1;
}

static int bit_59(uint64_t policy)
{
    return policy >> 59 & 1;
}

static int bit_59_alone(uint64_t policy)
{
    return (policy >> 59 & 3) == 1;
}

static int full_field(uint64_t policy)
{
    return (policy >> 59 & 3) == 1 || ((policy >> 59 & 3) == 3 && (policy >> 52 & 15) == 15);
}

static int (*const policy_mutants[])(uint64_t) = {never, bit_59, bit_59_alone, full_field};

LOOP_TEST(cache_policy__of_recorded_values, 0, ROWS_OF(policies))
{
    struct findings findings = {0};
    enum rule rule = cache_policy_check(policies[_i].policy, &findings);
    ck_assert_msg(rule == (policies[_i].faults ? RULE_CACHE_POLICY : RULE_OK), "0x%llx",
                  (unsigned long long)policies[_i].policy);
    ck_assert_int_eq(findings.count, policies[_i].faults);
}

LOOP_TEST(cache_policy__mutants_are_caught, 0, ROWS_OF(policy_mutants))
{
    int caught = 0;
    for (int i = 0; i < ROWS_OF(policies); i++) caught += policy_mutants[_i](policies[i].policy) != policies[i].faults;
    ck_assert_int_gt(caught, 0);
}

// A hint is no operand of the copy: whatever createpolicy makes is accepted, and nothing else depends on it.
TEST(cache_hint__of_createpolicy_is_accepted)
{
    for (uint64_t kind = 0; kind < 4; kind++)
        for (uint64_t fraction = 0; fraction < 16; fraction++)
            ck_assert_int_eq(cache_policy_check((uint64_t)0x10 << 56 | kind << 57 | fraction << 52, NULL), RULE_OK);
}
