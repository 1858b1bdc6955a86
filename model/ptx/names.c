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

static const struct named *find(const struct names *names, struct ptx_name name, uint32_t hash)
{
    if (names->heads == 0) return NULL;
    for (uint32_t i = names->head[hash & (names->heads - 1)]; i != NOT_THERE; i = named_at(names, i)->next) {
        const struct named *it = named_at(names, i);
        if (it->hash == hash && it->name.length == name.length && memcmp(it->name.at, name.at, name.length) == 0)
            return it;
    }
    return NULL;
}

const struct named *ptx_names_find(const struct names *names, struct ptx_name name)
{
    return find(names, name, hash_of(name));
}

// The last `digits` characters as a number; 0 if they are none, or begin with a 0 that is not all of it.
static int digits_at_end(struct ptx_name name, uint32_t digits, uint32_t *number)
{
    const char *at = name.at + name.length - digits;
    for (uint32_t i = *number = 0; i < digits; i++) {
        if (at[i] < '0' || at[i] > '9') return 0;
        *number = *number * 10 + (uint32_t)(at[i] - '0');
    }
    return digits == 1 || at[0] != '0';
}

// Of %r12 the stem may be %r or %r1.
const struct named *ptx_names_find_register(const struct names *names, struct ptx_name name, uint32_t *number)
{
    const struct named *best = ptx_names_find(names, name);
    *number = 0;
    if (best != NULL && best->count == 0) return best;
    uint32_t most = 0;
    while (most < 9 && most + 1 < name.length && name.at[name.length - 1 - most] >= '0' &&
           name.at[name.length - 1 - most] <= '9')
        most++;
    for (uint32_t digits = most; digits > 0; digits--) {
        if (!digits_at_end(name, digits, number)) continue;
        const struct named *found = ptx_names_find(names, (struct ptx_name){name.at, name.length - digits});
        if (found != NULL && *number < found->count) return found;
    }
    return NULL;
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

int ptx_names_add(struct names *names, struct ptx_arena *arena, const struct named *named)
{
    uint32_t hash = hash_of(named->name);
    const struct named *before = find(names, named->name, hash);
    if (before != NULL && before->scope == names->scope) return 0;
    if (names->list.count >= names->heads) grow(names, arena);
    struct named *to = ptx_arena_list_add(arena, &names->list, sizeof *to);
    *to = *named;
    to->hash = hash;
    to->scope = names->scope;
    link_in(names, names->list.count - 1);
    return 1;
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
