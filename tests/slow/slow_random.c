// SPDX-License-Identifier: MIT
// The random source of the slow tests and the contents of global memory. Nothing of harness/base/random.h: a weakness
// of one generator is not one of the other.
#include "slow_vectors.h"

uint64_t slow_random(struct slow_random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1du;
}

int64_t slow_between(struct slow_random *random, int64_t low, int64_t high)
{
    return low + (int64_t)((slow_random(random) >> 8) % (uint64_t)(high - low + 1));
}

int slow_chance(struct slow_random *random, int percent)
{
    return slow_between(random, 0, 99) < percent;
}

uint32_t slow_special(struct slow_random *random)
{
    static const uint32_t top[] = {0, 0x3f800000, 0x007fe000, 0x00002000, 0x7f7fe000, 0x7f800000, 0x7f7fc000};
    static const uint32_t low[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000};
    uint32_t sign = slow_chance(random, 50) ? 0x80000000 : 0;
    uint32_t bits = top[slow_between(random, 0, 6)];
    if (slow_chance(random, 30)) bits = (uint32_t)slow_random(random) & 0x7fffe000;
    if (slow_chance(random, 20)) bits = (uint32_t)slow_random(random) & 0x007fe000;
    return sign + bits + low[slow_between(random, 0, 7)];
}

void slow_fill_gmem(uint8_t *gmem, uint64_t seed)
{
    struct slow_random random = {seed};
    for (int word = 0; word < SLOW_GMEM_BYTES / 4; word++) {
        bool is_special = (word >= SLOW_SPECIALS / 4 && word < SLOW_SPECIALS / 4 + 256) || slow_chance(&random, 40);
        uint32_t bits = is_special ? slow_special(&random) : (uint32_t)(slow_random(&random) >> 16);
        for (int i = 0; i < 4; i++) gmem[4 * word + i] = (uint8_t)(bits >> 8 * i);
    }
}
