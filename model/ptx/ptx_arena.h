// SPDX-License-Identifier: MIT
// The memory of a module: pieces that live as long as it does, and lists that grow. When the limit is reached, one jump
// leads back to the call that came from outside.
#ifndef TMAREF_PTX_ARENA_H
#define TMAREF_PTX_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_arena {
    struct ptx_arena_chunk *chunk;
    size_t used_bytes, most_bytes;
    jmp_buf *when_full;
};

// Zeroed memory for `count` things, until ptx_arena_free().
void *ptx_arena_take(struct ptx_arena *arena, size_t count, size_t each_bytes);
void ptx_arena_free(struct ptx_arena *arena);

// A list in memory of its own, which moves as it grows.
struct ptx_arena_list {
    void *item;
    uint32_t count, room;
};

// Appends a zeroed thing and returns it.
void *ptx_arena_list_add(struct ptx_arena *arena, struct ptx_arena_list *list, size_t each_bytes);
void ptx_arena_list_free(struct ptx_arena_list *list);

// A copy of the list that stays.
void *ptx_arena_list_keep(struct ptx_arena *arena, const struct ptx_arena_list *list, size_t each_bytes);

#endif
