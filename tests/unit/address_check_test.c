// SPDX-License-Identifier: MIT
// The suite `address_check`: addresses of single instructions, on both sides of each limit.
#include "address_check.h"

#include "rules/acquire.h"
#include "rules/copy.h"
#include "rules/global.h"
#include "rules/prefetch.h"
#include "rules/shared.h"

enum { BASE = 1024, BYTES = 16384, END = BASE + BYTES, GLOBAL_BYTES = 4096 };
#define GLOBAL ((uint64_t)1 << 44)
#define LIMIT  ((uint64_t)1 << 56)
#define WINDOW ((uint64_t)1 << 46)

static uint8_t bytes[BYTES];
static const struct memory shared = {bytes, BASE, BYTES};
static const struct region region = {{bytes, GLOBAL, GLOBAL_BYTES}, 0};
static const struct global_memory global = {&region, 1};

TEST(shared_access_align__is_the_size)
{
    struct findings findings = {0};
    ck_assert_int_eq(shared_access_check(BASE + 2, 4, &shared, &findings), RULE_SHARED_ACCESS_ALIGN);
    ck_assert_uint_eq(findings.item[0].nearest, BASE);
    ck_assert_int_eq(shared_access_check(BASE + 2, 2, &shared, NULL), RULE_OK);
    ck_assert_int_eq(shared_access_check(BASE + 8, 16, &shared, NULL), RULE_SHARED_ACCESS_ALIGN);
}

// Unlike a copy, a plain access looks at the whole address.
TEST(shared_access_bounds__count_every_bit)
{
    struct findings findings = {0};
    ck_assert_int_eq(shared_access_check(END - 4, 4, &shared, NULL), RULE_OK);
    ck_assert_int_eq(shared_access_check(END, 4, &shared, &findings), RULE_SHARED_ACCESS_BOUNDS);
    ck_assert_uint_eq(findings.item[0].nearest, END - 4);
    ck_assert_int_eq(shared_access_check(0x41000, 4, &shared, NULL), RULE_SHARED_ACCESS_BOUNDS);
    ck_assert_int_eq(shared_access_check(0x41001, 4, &shared, NULL), RULE_SHARED_ACCESS_ALIGN);
}

// Bits 24 to 31, before alignment and bounds; those below do not make a window.
TEST(shared_access_window__comes_first)
{
    struct findings findings = {0};
    ck_assert_int_eq(shared_access_check(1 << 24 | BASE, 4, &shared, &findings), RULE_SHARED_ACCESS_WINDOW);
    ck_assert_uint_eq(findings.item[0].nearest, BASE);
    ck_assert_int_eq(shared_access_check(0xff000001, 4, &shared, NULL), RULE_SHARED_ACCESS_WINDOW);
    ck_assert_int_eq(shared_access_check(0xfffffc, 4, &shared, NULL), RULE_SHARED_ACCESS_BOUNDS);
    ck_assert_int_eq(rule_cuda_error(RULE_SHARED_ACCESS_WINDOW), 715);
}

TEST(global_access_align__is_the_size)
{
    ck_assert_int_eq(global_access_check(GLOBAL + 4, 4, MEMORY_READS, &global, NULL), RULE_OK);
    ck_assert_int_eq(global_access_check(GLOBAL + 4, 8, MEMORY_READS, &global, NULL), RULE_GLOBAL_ACCESS_ALIGN);
    ck_assert_int_eq(global_access_check(3, 4, MEMORY_READS, &global, NULL), RULE_GLOBAL_ACCESS_ALIGN);
}

TEST(global_access_unmapped__at_both_ends)
{
    struct findings findings = {0};
    ck_assert_int_eq(global_access_check(GLOBAL + GLOBAL_BYTES - 4, 4, MEMORY_READS, &global, NULL), RULE_OK);
    ck_assert_int_eq(global_access_check(GLOBAL + GLOBAL_BYTES, 4, MEMORY_READS, &global, NULL),
                     RULE_GLOBAL_ACCESS_UNMAPPED);
    ck_assert_int_eq(global_access_check(GLOBAL - 4, 4, MEMORY_READS, &global, &findings), RULE_GLOBAL_ACCESS_UNMAPPED);
    ck_assert_uint_eq(findings.item[0].nearest, GLOBAL);
    ck_assert_int_eq(global_access_check(0, 4, MEMORY_READS, &global, NULL), RULE_GLOBAL_ACCESS_UNMAPPED);
}

// Without any allocation there is no nearest address, and the upper half is no negative number.
TEST(global_access_unmapped__where_nothing_is_mapped)
{
    const struct global_memory none = {NULL, 0};
    struct findings findings = {0};
    ck_assert_int_eq(global_access_check(0xffff800000000000, 4, MEMORY_READS, &none, &findings),
                     RULE_GLOBAL_ACCESS_UNMAPPED);
    ck_assert_uint_eq(findings.item[0].value, 0xffff800000000000);
    ck_assert_int_eq(findings.item[0].is_signed, 0);
}

// Two allocations that touch are one range, and one of them may not be written.
TEST(global_access_unmapped__over_regions)
{
    const struct region regions[] = {{{bytes, GLOBAL, 72}, 0}, {{bytes + 72, GLOBAL + 72, 4096}, 1}};
    const struct global_memory both = {regions, 2};
    struct findings findings;
    ck_assert_int_eq(global_access_check(GLOBAL + 64, 16, MEMORY_READS, &both, NULL), RULE_OK);
    ck_assert_int_eq(global_access_check(GLOBAL + 64, 8, MEMORY_WRITES, &both, NULL), RULE_OK);
    ck_assert_int_eq(global_access_check(GLOBAL + 64, 16, MEMORY_WRITES, &both, NULL), RULE_GLOBAL_ACCESS_UNMAPPED);
    ck_assert_int_eq(global_access_check(GLOBAL + 80, 16, MEMORY_WRITES, &both, &findings),
                     RULE_GLOBAL_ACCESS_UNMAPPED);
    ck_assert_str_eq(findings.item[0].argument, "address, mapped read-only");
    ck_assert_int_eq(map_prefetch_check(GLOBAL + 64, &both, NULL), RULE_OK);
    ck_assert_int_eq(map_copy_check(BASE, &shared, GLOBAL, WINDOW, &both, NULL), RULE_COPY_MAP_UNMAPPED);
    ck_assert_int_eq(global_access_check(GLOBAL + 4160, 8, MEMORY_READS, &both, NULL), RULE_OK);
    ck_assert_int_eq(global_access_check(GLOBAL + 4160, 16, MEMORY_READS, &both, NULL), RULE_GLOBAL_ACCESS_UNMAPPED);
}

TEST(prefetch_map_align__is_64)
{
    ck_assert_int_eq(map_prefetch_check(GLOBAL + 64, &global, NULL), RULE_OK);
    ck_assert_int_eq(map_prefetch_check(GLOBAL + 32, &global, NULL), RULE_PREFETCH_MAP_ALIGN);
    ck_assert_int_eq(map_prefetch_check(1, &global, NULL), RULE_PREFETCH_MAP_ALIGN);
}

TEST(prefetch_map_unmapped__also_null)
{
    ck_assert_int_eq(map_prefetch_check(0, &global, NULL), RULE_PREFETCH_MAP_UNMAPPED);
    ck_assert_int_eq(map_prefetch_check(GLOBAL + GLOBAL_BYTES, &global, NULL), RULE_PREFETCH_MAP_UNMAPPED);
    ck_assert_int_eq(map_prefetch_check(LIMIT, &global, NULL), RULE_PREFETCH_MAP_UNMAPPED);
}

TEST(acquire_map_align__is_64)
{
    ck_assert_int_eq(map_acquire_check(GLOBAL + 96, NULL), RULE_ACQUIRE_MAP_ALIGN);
    ck_assert_int_eq(map_acquire_check(LIMIT + 32, NULL), RULE_ACQUIRE_MAP_ALIGN);
}

TEST(acquire_map_unmapped__is_accepted)
{
    ck_assert_int_eq(map_acquire_check(0, NULL), RULE_OK);
    ck_assert_int_eq(map_acquire_check(GLOBAL + 64, NULL), RULE_OK);
}

TEST(acquire_map_limit__parts_addresses_from_sign_extended_ones)
{
    ck_assert_int_eq(map_acquire_check(LIMIT - 64, NULL), RULE_OK);
    ck_assert_int_eq(map_acquire_check(LIMIT, NULL), RULE_ACQUIRE_MAP_LIMIT);
    ck_assert_int_eq(map_acquire_check(0 - LIMIT - 64, NULL), RULE_ACQUIRE_MAP_LIMIT);
    ck_assert_int_eq(map_acquire_check(0 - LIMIT, NULL), RULE_OK);
    ck_assert_int_eq(map_acquire_check(0 - (uint64_t)64, NULL), RULE_OK);
}

TEST(copy_map_align__is_4_on_both_sides)
{
    ck_assert_int_eq(map_copy_check(BASE + 4, &shared, GLOBAL + 4, WINDOW, &global, NULL), RULE_OK);
    ck_assert_int_eq(map_copy_check(BASE + 2, &shared, GLOBAL, WINDOW, &global, NULL), RULE_COPY_MAP_ALIGN);
    ck_assert_int_eq(map_copy_check(BASE, &shared, GLOBAL + 1, WINDOW, &global, NULL), RULE_COPY_MAP_ALIGN);
}

TEST(copy_map_smem_bounds__are_128_bytes)
{
    ck_assert_int_eq(map_copy_check(END - 128, &shared, GLOBAL, WINDOW, &global, NULL), RULE_OK);
    ck_assert_int_eq(map_copy_check(END - 124, &shared, GLOBAL, WINDOW, &global, NULL), RULE_COPY_MAP_SMEM_BOUNDS);
    ck_assert_int_eq(map_copy_check(0x41000, &shared, GLOBAL, WINDOW, &global, NULL), RULE_COPY_MAP_SMEM_BOUNDS);
}

TEST(copy_map_unmapped__are_128_bytes)
{
    const uint64_t end = GLOBAL + GLOBAL_BYTES;
    ck_assert_int_eq(map_copy_check(BASE, &shared, end - 128, WINDOW, &global, NULL), RULE_OK);
    ck_assert_int_eq(map_copy_check(BASE, &shared, end - 124, WINDOW, &global, NULL), RULE_COPY_MAP_UNMAPPED);
}

TEST(copy_map_space__is_not_shared)
{
    ck_assert_int_eq(map_copy_check(BASE, &shared, WINDOW, WINDOW, &global, NULL), RULE_COPY_MAP_SPACE);
    ck_assert_int_eq(map_copy_check(BASE, &shared, WINDOW + 0xfffffffc, WINDOW, &global, NULL), RULE_COPY_MAP_SPACE);
    ck_assert_int_eq(map_copy_check(BASE, &shared, WINDOW - 4, WINDOW, &global, NULL), RULE_COPY_MAP_UNMAPPED);
    ck_assert_int_eq(map_copy_check(BASE, &shared, WINDOW + ((uint64_t)1 << 32), WINDOW, &global, NULL),
                     RULE_COPY_MAP_UNMAPPED);
    ck_assert_int_eq(map_copy_check(BASE, &shared, WINDOW + 1, WINDOW, &global, NULL), RULE_COPY_MAP_ALIGN);
}
