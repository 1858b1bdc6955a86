// SPDX-License-Identifier: MIT
#include "heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_ALIGN = 16, BLOCK_ALIGN = 4096, FRESH = 0xa5 }; // FRESH: each byte that malloc() gives

// In rising order; they cover the block without gaps, and no two that are free touch.
struct piece {
    uint64_t offset, bytes;
    int is_taken;
};

struct machine_heap {
    pthread_mutex_t lock;
    struct memory memory;
    struct piece *piece;
    uint32_t pieces, room;
};

struct machine_heap *machine_heap_open(uint64_t bytes)
{
    struct machine_heap *heap = calloc(1, sizeof *heap);
    if (heap == NULL) return NULL;
    uint64_t whole = (bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    pthread_mutex_init(&heap->lock, NULL);
    heap->room = 64;
    heap->piece = calloc(heap->room, sizeof *heap->piece);
    heap->memory.bytes = whole < bytes || whole == 0 ? NULL : aligned_alloc(BLOCK_ALIGN, whole);
    heap->memory.base = (uint64_t)(uintptr_t)heap->memory.bytes;
    heap->memory.size_bytes = whole;
    if (heap->piece == NULL || heap->memory.bytes == NULL) {
        machine_heap_close(heap);
        return NULL;
    }
    heap->piece[heap->pieces++] = (struct piece){0, whole, 0};
    return heap;
}

void machine_heap_close(struct machine_heap *heap)
{
    if (heap == NULL) return;
    pthread_mutex_destroy(&heap->lock);
    free(heap->memory.bytes);
    free(heap->piece);
    free(heap);
}

struct memory machine_heap_memory(const struct machine_heap *heap)
{
    return heap->memory;
}

// Cuts piece `i` after `bytes`; 0 if there is no memory for one more.
static int cut(struct machine_heap *heap, uint32_t i, uint64_t bytes)
{
    if (heap->piece[i].bytes == bytes) return 1;
    if (heap->pieces == heap->room) {
        struct piece *more = realloc(heap->piece, 2u * heap->room * sizeof *more);
        if (more == NULL) return 0;
        heap->piece = more;
        heap->room *= 2;
    }
    struct piece *piece = &heap->piece[i];
    memmove(piece + 1, piece, (heap->pieces - i) * sizeof *piece);
    heap->pieces++;
    piece[0].bytes = bytes;
    piece[1].offset += bytes;
    piece[1].bytes -= bytes;
    return 1;
}

uint64_t machine_heap_take(struct machine_heap *heap, uint64_t bytes)
{
    uint64_t address = 0;
    if (bytes == 0 || bytes > heap->memory.size_bytes) return 0;
    bytes = (bytes + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
    pthread_mutex_lock(&heap->lock);
    for (uint32_t i = 0; i < heap->pieces; i++) {
        if (heap->piece[i].is_taken || heap->piece[i].bytes < bytes) continue;
        if (!cut(heap, i, bytes)) break;
        heap->piece[i].is_taken = 1;
        address = heap->memory.base + heap->piece[i].offset;
        memset(heap->memory.bytes + heap->piece[i].offset, FRESH, bytes);
        break;
    }
    pthread_mutex_unlock(&heap->lock);
    return address;
}

// Makes piece `i` and the one behind it one, if both are free.
static void join(struct machine_heap *heap, uint32_t i)
{
    struct piece *piece = &heap->piece[i];
    if (i + 1 >= heap->pieces || piece[0].is_taken || piece[1].is_taken) return;
    piece[0].bytes += piece[1].bytes;
    memmove(piece + 1, piece + 2, (heap->pieces - i - 2) * sizeof *piece);
    heap->pieces--;
}

int machine_heap_give(struct machine_heap *heap, uint64_t address)
{
    int found = 0;
    if (address == 0) return 1;
    pthread_mutex_lock(&heap->lock);
    for (uint32_t i = 0; i < heap->pieces && !found; i++) {
        if (heap->memory.base + heap->piece[i].offset != address || !heap->piece[i].is_taken) continue;
        found = 1;
        heap->piece[i].is_taken = 0;
        join(heap, i);
        if (i > 0) join(heap, i - 1);
    }
    pthread_mutex_unlock(&heap->lock);
    return found;
}
