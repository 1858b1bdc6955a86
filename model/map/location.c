// SPDX-License-Identifier: MIT
#include "location.h"

#include "broken.h"
#include "rules/map.h"
#include "tensormap.h"

enum rule map_location_check(enum map_location location, uint64_t address, const struct global_memory *global,
                             struct findings *findings)
{
    struct findings found;
    findings_clear(&found);
    findings_clear(findings);
    if ((unsigned)location >= MAP_LOCATIONS) return finding_of_form(findings, "location", (uint64_t)location);
    if (address % MAP_ALIGN != 0)
        finding_add(&found, FINDING(RULE_MAP_LOCATION_ALIGN, "tensorMap", .value = address, .limit = MAP_ALIGN,
                                    .nearest = address - address % MAP_ALIGN));
    if (location == MAP_IN_SHARED || location == MAP_IN_LOCAL)
        finding_add(&found, FINDING(RULE_MAP_LOCATION_SPACE, "tensorMap", .value = address));
    if (location == MAP_UNMAPPED ||
        (location == MAP_IN_GLOBAL && global != NULL &&
         global_usable_bytes(global, address, TENSORMAP_BYTES, MEMORY_READS) < TENSORMAP_BYTES))
        finding_add(&found, FINDING(RULE_MAP_LOCATION_UNMAPPED, "tensorMap", .value = address));
    for (int i = 0; i < found.count; i++) finding_add(findings, found.item[i]);
    return findings_first_broken(&found);
}
