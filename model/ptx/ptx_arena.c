// SPDX-License-Identifier: MIT
#include "ptx_arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16, ALIGN_BYTES = 16 };

struct ptx_arena_chunk {
    struct ptx_arena_chunk *next;
    size_t used_bytes, room_bytes;
    _Alignas(ALIGN_BYTES) unsigned char at[];
};

// Counts bytes that are about to be taken.
static void count_bytes(struct ptx_arena *arena, size_t bytes)
{
    if (bytes > arena->most_bytes - arena->used_bytes) longjmp(*arena->when_full, 1);
    arena->used_bytes += bytes;
}

static void add_chunk(struct ptx_arena *arena, size_t bytes)
{
    size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    count_bytes(arena, room);
    struct ptx_arena_chunk *chunk = malloc(sizeof *chunk + room);
    if (chunk == NULL) longjmp(*arena->when_full, 1);
    *chunk = (struct ptx_arena_chunk){.next = arena->chunk, .room_bytes = room};
    arena->chunk = chunk;
}

void *ptx_arena_take(struct ptx_arena *arena, size_t count, size_t each_bytes)
{
    if (count > arena->most_bytes / each_bytes) longjmp(*arena->when_full, 1);
    size_t bytes = (count * each_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    if (arena->chunk == NULL || bytes > arena->chunk->room_bytes - arena->chunk->used_bytes) add_chunk(arena, bytes);
    void *at = arena->chunk->at + arena->chunk->used_bytes;
    arena->chunk->used_bytes += bytes;
    return memset(at, 0, bytes);
}

void ptx_arena_free(struct ptx_arena *arena)
{
    while (arena->chunk != NULL) {
        struct ptx_arena_chunk *next = arena->chunk->next;
        free(arena->chunk);
        arena->chunk = next;
    }
}

void *ptx_arena_list_add(struct ptx_arena *arena, struct ptx_arena_list *list, size_t each_bytes)
{
    if (list->count == list->room) {
        uint32_t room = list->room == 0 ? 16 : list->room * 2;
        if (room < list->room) longjmp(*arena->when_full, 1);
        count_bytes(arena, (size_t)(room - list->room) * each_bytes);
        void *item = realloc(list->item, (size_t)room * each_bytes);
        if (item == NULL) longjmp(*arena->when_full, 1);
        list->item = item;
        list->room = room;
    }
    return memset((char *)list->item + list->count++ * each_bytes, 0, each_bytes);
}

void ptx_arena_list_free(struct ptx_arena_list *list)
{
    free(list->item);
    *list = (struct ptx_arena_list){0};
}

void *ptx_arena_list_keep(struct ptx_arena *arena, const struct ptx_arena_list *list, size_t each_bytes)
{
    void *to = ptx_arena_take(arena, list->count == 0 ? 1 : list->count, each_bytes);
    return list->count == 0 ? to : memcpy(to, list->item, list->count * each_bytes);
}
