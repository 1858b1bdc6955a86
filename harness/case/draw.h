// SPDX-License-Identifier: MIT
// Distributions of random numbers, as tables: what the generators of cases lean to.
//   c->count = (uint32_t)DRAW(random, {20, BETWEEN(1, 20)}, {78, BETWEEN(1, 500)}, {2, JUST(3000)});
#ifndef TMAREF_DRAW_H
#define TMAREF_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "random.h"

// A row comes up `weight` times in the sum of all weights. It is any of the numbers between two ends, which count from
// `from` on, where `unit` is given a multiple of that; or `from` itself; or one of a list.
struct draw {
    unsigned weight;
    int64_t from, to;
    bool is_just;
    const int32_t *list;
    unsigned count, unit;
};
#define BETWEEN(one_end, other_end) .from = (one_end), .to = (other_end)
#define JUST(number)                .from = (number), .is_just = 1
#define ONE_OF(numbers)             .list = (numbers), .count = sizeof(numbers) / sizeof((numbers)[0])

// A number by the rows.
int64_t draw_number(struct random *random, const struct draw *rows);
#define DRAW(random, ...) draw_number(random, (const struct draw[]){__VA_ARGS__, {0}})

// One change of many, by their weights: a number becomes another. What the rows say is worked out before one is chosen,
// in no order: random numbers for them are drawn before.
//   change_one(random, CHANGES({2, CHANGE(c->dims, 6)}, {1, CHANGE(c->shared, c->shared + 8)}));
struct change {
    unsigned weight;
    void *at;
    size_t bytes;
    int64_t to;
};
#define CHANGE(number, becomes) &(number), sizeof(number), (int64_t)(becomes)
#define CHANGES(...)            ((const struct change[]){__VA_ARGS__, {0}})
void change_one(struct random *random, const struct change *changes);

#endif
