// SPDX-License-Identifier: MIT
// Names in scopes: an inner scope hides the names of the outer ones, and forgets its own when it closes. %r<100> is one
// name that stands for %r0 .. %r99; it is another name than %r.
#ifndef TMAREF_PTX_NAMES_H
#define TMAREF_PTX_NAMES_H

#include <stdbool.h>

#include "program.h"
#include "ptx_arena.h"

enum name_kind { NAME_REGISTER, NAME_VARIABLE, NAME_FUNCTION, NAME_LABEL, NAME_TARGETS };

struct named {
    struct ptx_name name;
    uint32_t hash, next, scope;
    uint32_t index, count; // count: how many registers the name stands for, 0 for just itself
    uint8_t kind, type, vector;
};

struct names {
    struct ptx_arena_list list; // struct named
    uint32_t *head;
    uint32_t heads, scope;
};

void ptx_names_open(struct names *names);
void ptx_names_close(struct names *names);

// 0 if the scope has the name already.
bool ptx_names_add(struct names *names, struct ptx_arena *arena, const struct named *named);

// The innermost of that name, or NULL; neither a range nor a register of one is looked for.
const struct named *ptx_names_find(const struct names *names, struct ptx_name name);

// Also %r12 of %r<100>; *number is 12.
const struct named *ptx_names_find_register(const struct names *names, struct ptx_name name, uint32_t *number);

void ptx_names_clear(struct names *names);

#endif
