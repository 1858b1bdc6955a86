// SPDX-License-Identifier: MIT
#include "draw.h"

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
