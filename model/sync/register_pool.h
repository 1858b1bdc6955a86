// SPDX-License-Identifier: MIT
// setmaxnreg: the registers that the warps of a CTA have, and those that they have given back. There is a pool for each
// of the four parts of an SM, over which warps are dealt by their numbers: so each warp of a warpgroup has one of its
// own. Which warp is served first where several wait for one pool is open.
#ifndef TMAREF_REGISTER_POOL_H
#define TMAREF_REGISTER_POOL_H

#include <stdint.h>

#include "rule.h"

enum {
    REGISTER_POOL_WARPS = 32,
    REGISTER_POOL_PARTS = 4,
    REGISTER_COUNT_LEAST = 24,
    REGISTER_COUNT_MOST = 256,
    REGISTER_COUNT_UNIT = 8,
};

// `count`: registers of each thread of a warp. `free`: those in the pool of each part, for each thread of one warp.
struct register_pool {
    uint32_t warps, free[REGISTER_POOL_PARTS];
    uint32_t count[REGISTER_POOL_WARPS];
};

// A CTA of `warps` warps whose threads start with `registers` each; nothing is in the pools, whatever else the SM has.
void register_pool_start(struct register_pool *pool, uint32_t warps, uint32_t registers);

// What the assembler makes of a count: RULE_OK or SETMAXNREG_COUNT.
enum rule register_count_check(uint32_t count);

// One warp's setmaxnreg.dec to `count`. Returns RULE_OK, or the rule that is broken; then nothing has changed.
enum rule register_pool_decrease(struct register_pool *pool, uint32_t warp, uint32_t count);

// One warp's setmaxnreg.inc to `count`, tried once: `*granted` is 0 if it has to wait (SETMAXNREG_POOL). Returns
// RULE_OK, or the rule that is broken; then nothing has changed.
enum rule register_pool_increase(struct register_pool *pool, uint32_t warp, uint32_t count, int *granted);

#endif
