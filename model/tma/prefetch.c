// SPDX-License-Identifier: MIT
// Checks of prefetches and of cache hints.
#include "prefetch.h"

#include "address_check.h"
#include "broken.h"
#include "bulk.h"
#include "rules/cache.h"
#include "rules/prefetch.h"
#include "transfer_check.h"

enum { BULK_ALIGN = 16, FRACTION_MAX = 13 };
#define ADDRESS_LIMIT ((uint64_t)1 << 56)

enum rule tile_prefetch_check(const struct tensormap *map, int dims, const int32_t *coord, struct findings *findings)
{
    const struct transfer t = {NO_OP, TENSORMAP_TILED, map, dims, coord, NULL, NULL, NULL, 0};
    struct box box;
    return transfer_check_prefetch(&t, &box, findings);
}

enum rule im2col_prefetch_check(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                                struct findings *findings)
{
    const struct transfer t = {NO_OP, TENSORMAP_IM2COL, map, dims, coord, offset, NULL, NULL, 0};
    struct box box;
    return transfer_check_prefetch(&t, &box, findings);
}

enum rule bulk_prefetch_check(uint64_t from, uint32_t size_bytes, struct findings *findings)
{
    struct transfer_report report = transfer_report_start(&load_rules, findings);
    uint64_t moved_bytes = bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, size_bytes);
    if (moved_bytes == 0) return RULE_OK;
    if (from % BULK_ALIGN != 0)
        transfer_broken(&report, FINDING(RULE_PREFETCH_ALIGN, "srcMem", .value = from, .limit = BULK_ALIGN,
                                         .nearest = from - from % BULK_ALIGN));
    if (!address_is_canonical(from) || !address_is_canonical(from + moved_bytes - 1))
        transfer_broken(&report, FINDING(RULE_PREFETCH_ADDRESS_LIMIT, "srcMem", .value = from, .limit = ADDRESS_LIMIT,
                                         .nearest = ADDRESS_LIMIT - moved_bytes));
    return report.first;
}

// Bits 59 and 60 and the field in bits 52 to 55: a recorded policy that faults has bit 59 set, and either bit 60 clear
// or more than 13 in the field.
enum rule cache_policy_check(uint64_t policy, struct findings *findings)
{
    findings_clear(findings);
    bool is_59 = policy >> 59 & true, is_60 = policy >> 60 & true;
    uint64_t fraction = policy >> 52 & 15;
    if (!is_59 || (is_60 && fraction <= FRACTION_MAX)) return RULE_OK;
    finding_add(findings, FINDING(RULE_CACHE_POLICY, "cache-policy", .value = policy));
    return RULE_CACHE_POLICY;
}
