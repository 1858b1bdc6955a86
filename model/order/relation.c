// SPDX-License-Identifier: MIT
// Relations as bit matrices (relation.h).
#include "relation.h"

#include <string.h>

void relation_add_all(struct relation *relation, uint64_t from, int to)
{
    RELATION_EACH(event, from) relation_add(relation, event, to);
}

void relation_join(struct relation *to, const struct relation *more)
{
    for (int i = 0; i < RELATION_EVENTS; i++) to->row[i] |= more->row[i];
}

void relation_compose(const struct relation *left, const struct relation *right, struct relation *to)
{
    for (int i = 0; i < RELATION_EVENTS; i++) {
        uint64_t row = 0;
        RELATION_EACH(event, left->row[i]) row |= right->row[event];
        to->row[i] = row;
    }
}

void relation_close(struct relation *relation)
{
    for (int k = 0; k < RELATION_EVENTS; k++) {
        if (relation->row[k] == 0) continue;
        for (int i = 0; i < RELATION_EVENTS; i++)
            if (relation_has(relation, i, k)) relation->row[i] |= relation->row[k];
    }
}

void relation_turn(const struct relation *from, struct relation *to)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i < RELATION_EVENTS; i++) RELATION_EACH(event, from->row[i]) relation_add(to, event, i);
}

bool relation_is_reflexive(const struct relation *closed)
{
    for (int i = 0; i < RELATION_EVENTS; i++)
        if (relation_has(closed, i, i)) return true;
    return false;
}

bool relation_has_cycle(const struct relation *relation)
{
    struct relation closed = *relation;
    relation_close(&closed);
    return relation_is_reflexive(&closed);
}

int relation_path(const struct relation *relation, int from, int to, int *path, int room)
{
    int came[RELATION_EVENTS], queue[RELATION_EVENTS], head = 0, tail = 0;
    uint64_t seen = 0;
    queue[tail++] = from;
    while (head < tail && !(seen & relation_bit(to))) {
        int at = queue[head++];
        RELATION_EACH(event, relation->row[at] & ~seen)
        {
            seen |= relation_bit(event);
            came[event] = at;
            if (event != from) queue[tail++] = event;
        }
    }
    if (!(seen & relation_bit(to))) return 0;
    int length = 1;
    for (int at = to; length == 1 || at != from; at = came[at]) length++;
    if (length > room) return 0;
    int at = to;
    for (int i = length - 1; i > 0; i--, at = came[at]) path[i] = at;
    path[0] = from;
    return length;
}
