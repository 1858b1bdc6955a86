// SPDX-License-Identifier: MIT
#include "names.h"

#include <stdlib.h>
#include <string.h>

#define NOT_THERE UINT32_MAX

static uint32_t hash_of(struct ptx_name name)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < name.length; i++) hash = (hash ^ (unsigned char)name.at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static struct named *named_at(const struct names *names, uint32_t i)
{
    return (struct named *)names->list.item + i;
}

// The newest range of that name, or the newest that is none, from `first` on, in the list of its hash.
static const struct named *find_from(const struct names *names, uint32_t first, const struct named *like)
{
    for (uint32_t i = first; i != NOT_THERE; i = named_at(names, i)->next) {
        const struct named *it = named_at(names, i);
        if (it->hash == like->hash && (it->count > 0) == (like->count > 0) && it->name.length == like->name.length &&
            memcmp(it->name.at, like->name.at, like->name.length) == 0)
            return it;
    }
    return NULL;
}

static const struct named *find(const struct names *names, const struct named *like)
{
    return names->heads == 0 ? NULL : find_from(names, names->head[like->hash & (names->heads - 1)], like);
}

const struct named *ptx_names_find(const struct names *names, struct ptx_name name)
{
    return find(names, &(struct named){.name = name, .hash = hash_of(name)});
}

// How many digits a name ends in, all of them, and their number; 0 if it begins with a 0 that is not all of it.
static uint32_t digits_at_end(struct ptx_name name, uint32_t *number)
{
    enum { MOST = 9 };
    uint32_t digits = 0;
    while (digits + 1 < name.length && name.at[name.length - 1 - digits] >= '0' &&
           name.at[name.length - 1 - digits] <= '9')
        digits++;
    const char *at = name.at + name.length - digits;
    if (digits > MOST || (digits > 1 && at[0] == '0')) return 0;
    for (uint32_t i = *number = 0; i < digits; i++) *number = *number * 10 + (uint32_t)(at[i] - '0');
    return digits;
}

// The innermost range that has this number: one that is too small hides no larger one.
static const struct named *find_range(const struct names *names, struct ptx_name stem, uint32_t number)
{
    const struct named like = {.name = stem, .hash = hash_of(stem), .count = 1}, *it = find(names, &like);
    while (it != NULL && number >= it->count) it = find_from(names, it->next, &like);
    return it;
}

const struct named *ptx_names_find_register(const struct names *names, struct ptx_name name, uint32_t *number)
{
    const struct named *exact = ptx_names_find(names, name), *range = NULL;
    const uint32_t digits = digits_at_end(name, number);
    if (digits > 0) range = find_range(names, (struct ptx_name){name.at, name.length - digits}, *number);
    if (range != NULL && (exact == NULL || range->scope > exact->scope)) return range;
    *number = 0;
    return exact;
}

static void link_in(struct names *names, uint32_t i)
{
    uint32_t *head = &names->head[named_at(names, i)->hash & (names->heads - 1)];
    named_at(names, i)->next = *head;
    *head = i;
}

static void grow(struct names *names, struct ptx_arena *arena)
{
    uint32_t heads = names->heads == 0 ? 256 : names->heads * 4;
    uint32_t *head = realloc(names->head, heads * sizeof *head);
    if (head == NULL) longjmp(*arena->when_full, 1);
    names->head = head;
    names->heads = heads;
    memset(head, 0xff, heads * sizeof *head);
    for (uint32_t i = 0; i < names->list.count; i++) link_in(names, i);
}

bool ptx_names_add(struct names *names, struct ptx_arena *arena, const struct named *named)
{
    struct named added = *named;
    added.hash = hash_of(named->name);
    added.scope = names->scope;
    const struct named *before = find(names, &added);
    if (before != NULL && before->scope == names->scope) return false;
    if (names->list.count >= names->heads) grow(names, arena);
    struct named *to = ptx_arena_list_add(arena, &names->list, sizeof *to);
    *to = added;
    link_in(names, names->list.count - 1);
    return true;
}

void ptx_names_open(struct names *names)
{
    names->scope++;
}

void ptx_names_close(struct names *names)
{
    for (; names->list.count > 0 && named_at(names, names->list.count - 1)->scope == names->scope;
         names->list.count--) {
        const struct named *last = named_at(names, names->list.count - 1);
        names->head[last->hash & (names->heads - 1)] = last->next;
    }
    names->scope--;
}

void ptx_names_clear(struct names *names)
{
    names->list.count = names->scope = 0;
    if (names->heads > 0) memset(names->head, 0xff, names->heads * sizeof *names->head);
}
