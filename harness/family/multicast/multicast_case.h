// SPDX-License-Identifier: MIT
// The loads of one cluster as data, and where their results lie. Addresses in global memory are in the arena (arena.h).
#ifndef TMAREF_MULTICAST_CASE_H
#define TMAREF_MULTICAST_CASE_H

#include <stdio.h>

#include "family.h"
#include "load_case.h"
#include "multicast.h"
#include "multicast_job.h"

// `cluster` is the cluster attribute of the launch, 0 for none. `mode` is LOAD_TILE, LOAD_IM2COL or MULTICAST_BULK; the
// first two have a map, and `dims`, the .Nd of their instruction. `barrier` is a shared address, the same in all CTAs,
// and `expect` the bytes that each CTA's barrier is told to expect. The issues happen in no order: boxes of two of them
// do not overlap, unless they hold the same bytes.
struct multicast_case {
    uint32_t cluster, mode;
    struct map_args map;
    uint32_t dims, barrier;
    uint32_t expect[MULTICAST_CTAS];
    uint32_t issues;
    struct multicast_issue issue[MULTICAST_ISSUES];
};

// CTAs of the launch.
uint32_t multicast_ranks(const struct multicast_case *test_case);

// The map of a case; 0 if it has none, or its encode is refused.
bool multicast_map(const struct multicast_case *test_case, struct tensormap *map);

// Where an issue goes, as the model sees it.
struct cluster_load multicast_load_of(uint32_t cluster, const struct multicast_issue *issue, const struct memory *ctas);

// Bytes of shared memory from the first to the last byte of an issue's box, and the bytes that it signals.
struct multicast_bytes {
    uint64_t extent, transaction;
};
struct multicast_bytes multicast_bytes_of(const struct multicast_case *test_case, const struct tensormap *map,
                                          const struct multicast_issue *issue);

#endif
