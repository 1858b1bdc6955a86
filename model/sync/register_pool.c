// SPDX-License-Identifier: MIT
#include "register_pool.h"

#include <stdbool.h>

#include "rules/setmaxnreg.h"

void register_pool_start(struct register_pool *pool, uint32_t warps, uint32_t registers)
{
    *pool = (struct register_pool){.warps = warps};
    for (uint32_t i = 0; i < warps; i++) pool->count[i] = registers;
}

enum rule register_count_check(uint32_t count)
{
    bool is_legal = count >= REGISTER_COUNT_LEAST && count <= REGISTER_COUNT_MOST && count % REGISTER_COUNT_UNIT == 0;
    return is_legal ? RULE_OK : RULE_SETMAXNREG_COUNT;
}

enum rule register_pool_decrease(struct register_pool *pool, uint32_t warp, uint32_t count)
{
    if (register_count_check(count) != RULE_OK) return RULE_SETMAXNREG_COUNT;
    if (count > pool->count[warp]) return RULE_SETMAXNREG_DEC_ABOVE;
    pool->free[warp % REGISTER_POOL_PARTS] += pool->count[warp] - count;
    pool->count[warp] = count;
    return RULE_OK;
}

enum rule register_pool_increase(struct register_pool *pool, uint32_t warp, uint32_t count, int *granted)
{
    *granted = 0;
    if (register_count_check(count) != RULE_OK) return RULE_SETMAXNREG_COUNT;
    if (count < pool->count[warp]) return RULE_SETMAXNREG_INC_BELOW;
    uint32_t wanted = count - pool->count[warp], *free = &pool->free[warp % REGISTER_POOL_PARTS];
    if (wanted > *free) return RULE_OK;
    *granted = 1;
    *free -= wanted;
    pool->count[warp] = count;
    return RULE_OK;
}
