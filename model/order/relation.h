// SPDX-License-Identifier: MIT
// Relations between the events of one execution of a litmus test, as bit matrices of 64 by 64.
#ifndef TMAREF_RELATION_H
#define TMAREF_RELATION_H

#include <stdbool.h>
#include <stdint.h>

enum { RELATION_EVENTS = 64 };

// Bit j of row i: event i is related to event j.
struct relation {
    uint64_t row[RELATION_EVENTS];
};

static inline uint64_t relation_bit(int event)
{
    return (uint64_t)1 << event;
}

static inline int relation_has(const struct relation *relation, int from, int to)
{
    return (int)(relation->row[from] >> to & 1);
}

static inline void relation_add(struct relation *relation, int from, int to)
{
    relation->row[from] |= relation_bit(to);
}

// The lowest event of a set; the set without it. For loops over sets.
static inline int relation_first(uint64_t set)
{
    return __builtin_ctzll(set);
}

#define RELATION_EACH(event, set)                                                                                      \
    for (uint64_t left_##event = (set), once_##event = 1; left_##event != 0;                                           \
         left_##event &= left_##event - 1, once_##event = 1)                                                           \
        for (int event = relation_first(left_##event); once_##event != 0; once_##event = 0)

// Every event of the set `from` is related to `to`.
void relation_add_all(struct relation *relation, uint64_t from, int to);

// to = to | more; to = left ; right (the two may not be `to`); the transitive closure, in place.
void relation_join(struct relation *to, const struct relation *more);
void relation_compose(const struct relation *left, const struct relation *right, struct relation *to);
void relation_close(struct relation *relation);

// The relation turned round.
void relation_turn(const struct relation *from, struct relation *to);

// Of a closed relation: is an event related to itself?
bool relation_is_reflexive(const struct relation *closed);

// Does following the relation lead back to where it began?
bool relation_has_cycle(const struct relation *relation);

// Events on a shortest path from `from` to `to`, both included, at most `room`; 0 if there is none. A path has a step
// at least, so `from` may be `to`.
int relation_path(const struct relation *relation, int from, int to, int *path, int room);

#endif
