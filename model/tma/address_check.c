// SPDX-License-Identifier: MIT
// Addresses of single instructions.
#include "address_check.h"

#include "broken.h"
#include "global_check.h"
#include "hopper.h"
#include "operand.h"
#include "rules/acquire.h"
#include "rules/copy.h"
#include "rules/global.h"
#include "rules/prefetch.h"
#include "rules/shared.h"

enum { MAP_BYTES = 128, MAP_ALIGN = 64, MAP_COPY_ALIGN = 4 };
#define ADDRESS_LIMIT ((uint64_t)1 << 56)

static void check_align(uint64_t address, uint32_t align, enum rule rule, struct findings *findings, enum rule *first)
{
    if (address % align != 0) finding_broken(findings, first, finding_of_align(rule, "a", address, align));
}

static void check_shared(const struct memory *memory, uint64_t address, uint32_t bytes, enum rule rule,
                         struct findings *findings, enum rule *first)
{
    if (!memory_holds(memory, address, bytes))
        finding_broken(findings, first, finding_of_bounds(rule, "a", memory, address, bytes));
}

static void check_global(const struct global_memory *memory, uint64_t address, uint32_t bytes, enum memory_use use,
                         enum rule rule, struct findings *findings, enum rule *first)
{
    if (!global_is_usable(memory, address, bytes, use))
        finding_broken(findings, first, global_finding(memory, rule, "a", address, bytes));
}

// Are there accesses of so many bytes?
static bool is_size(uint32_t bytes)
{
    return bytes >= 1 && bytes <= 16 && (bytes & (bytes - 1)) == 0;
}

// Shared memory by an address of shared::cta, whose upper 8 bits are 0.
static void check_window(uint32_t address, enum rule rule, struct findings *findings, enum rule *first)
{
    if (address >= SHARED_WINDOW_BYTES)
        finding_broken(findings, first,
                       FINDING(rule, "a", .value = address, .limit = SHARED_WINDOW_BYTES,
                               .nearest = address % SHARED_WINDOW_BYTES));
}

enum rule shared_access_check(uint32_t address, uint32_t bytes, const struct memory *shared, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    if (!is_size(bytes)) return finding_of_form(findings, "bytes", bytes);
    check_window(address, RULE_SHARED_ACCESS_WINDOW, findings, &first);
    check_align(address, bytes, RULE_SHARED_ACCESS_ALIGN, findings, &first);
    check_shared(shared, address, bytes, RULE_SHARED_ACCESS_BOUNDS, findings, &first);
    return first;
}

enum rule global_access_check(uint64_t address, uint32_t bytes, enum memory_use use, const struct global_memory *global,
                              struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    if (!is_size(bytes)) return finding_of_form(findings, "bytes", bytes);
    check_align(address, bytes, RULE_GLOBAL_ACCESS_ALIGN, findings, &first);
    check_global(global, address, bytes, use, RULE_GLOBAL_ACCESS_UNMAPPED, findings, &first);
    return first;
}

enum rule map_prefetch_check(uint64_t address, const struct global_memory *global, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    check_align(address, MAP_ALIGN, RULE_PREFETCH_MAP_ALIGN, findings, &first);
    check_global(global, address, MAP_ALIGN, MEMORY_READS, RULE_PREFETCH_MAP_UNMAPPED, findings, &first);
    return first;
}

enum rule map_acquire_check(uint64_t address, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    check_align(address, MAP_ALIGN, RULE_ACQUIRE_MAP_ALIGN, findings, &first);
    if (!address_is_canonical(address))
        finding_broken(findings, &first,
                       FINDING(RULE_ACQUIRE_MAP_LIMIT, "a", .value = address, .limit = ADDRESS_LIMIT,
                               .nearest = ADDRESS_LIMIT - MAP_ALIGN));
    return first;
}

enum rule map_copy_check(uint32_t from, const struct memory *shared, uint64_t to, uint64_t window,
                         const struct global_memory *global, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    check_align(from, MAP_COPY_ALIGN, RULE_COPY_MAP_ALIGN, findings, &first);
    check_align(to, MAP_COPY_ALIGN, RULE_COPY_MAP_ALIGN, findings, &first);
    check_shared(shared, from, MAP_BYTES, RULE_COPY_MAP_SMEM_BOUNDS, findings, &first);
    if (to - window < SHARED_GENERIC_BYTES)
        finding_broken(findings, &first, FINDING(RULE_COPY_MAP_SPACE, "dst", .value = to));
    else
        check_global(global, to, MAP_BYTES, MEMORY_WRITES, RULE_COPY_MAP_UNMAPPED, findings, &first);
    return first;
}
