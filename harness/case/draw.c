// SPDX-License-Identifier: MIT
#include "draw.h"

#include <string.h>

int64_t draw_number(struct random *random, const struct draw *rows)
{
    unsigned sum = 0;
    for (const struct draw *row = rows; row->weight > 0; row++) sum += row->weight;
    uint64_t kind = random_below(random, sum);
    for (; kind >= rows->weight; rows++) kind -= rows->weight;
    if (rows->list != NULL) return rows->list[random_below(random, rows->count)];
    if (rows->is_just) return rows->from;
    const int64_t number = rows->from <= rows->to
                               ? random_range(random, rows->from, rows->to)
                               : rows->from - (int64_t)random_below(random, (uint64_t)(rows->from - rows->to) + 1);
    return rows->unit > 0 ? number / rows->unit * rows->unit : number;
}

void change_one(struct random *random, const struct change *changes)
{
    unsigned sum = 0;
    for (const struct change *change = changes; change->weight > 0; change++) sum += change->weight;
    uint64_t kind = random_below(random, sum);
    for (; kind >= changes->weight; changes++) kind -= changes->weight;
    memcpy(changes->at, &changes->to, changes->bytes);
}
