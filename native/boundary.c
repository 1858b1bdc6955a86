// SPDX-License-Identifier: MIT
#include "boundary.h"

#include <string.h>

int boundary_map(const uint8_t *image, struct tensormap *map)
{
    struct tensormap_image bytes;
    memcpy(&bytes, image, TENSORMAP_BYTES);
    tensormap_decode(&bytes, map, NULL);
    if (map->mode > TENSORMAP_IM2COL || map->interleave > INTERLEAVE_32B || map->dtype == DTYPE_COUNT) return 0;
    int least = map->mode == TENSORMAP_IM2COL ? 3 : 1;
    return map->rank >= least && map->rank <= TENSORMAP_MAX_RANK;
}

void boundary_refuse(struct native_report *report, const char *argument, uint64_t value)
{
    struct findings findings;
    findings_clear(&findings);
    enum rule rule = finding_of_form(&findings, argument, value);
    native_tell(report, rule, &findings);
}
