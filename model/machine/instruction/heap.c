// SPDX-License-Identifier: MIT
#include "heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"

enum { PIECE_ALIGN = 16, BLOCK_ALIGN = 4096, FRESH = 0xa5 }; // FRESH: each byte that malloc() gives

enum { NONE = 0, BINS = 64 };

// A piece has a number from 1 on; 0 is none. The pieces cover the block without gaps, and no two that are free touch.
//   before, behind  the pieces that touch it; of a number that is not in use, behind is the next of these
//   next, last      of a free piece: others in its bin, which has those of 2^n to 2^(n+1) - 1 bytes
struct piece {
    uint64_t offset, bytes;
    uint32_t before, behind, next, last;
    bool is_taken;
};

// piece_at: the number of the piece that begins at each 16 bytes of the block; it takes memory where pieces begin.
struct machine_heap {
    pthread_mutex_t lock;
    struct memory memory;
    struct piece *piece;
    uint32_t *piece_at;
    uint32_t pieces, room, unused, bin[BINS];
};

// --- Pieces ----------------------------------------------------------------------------------------------------------

static uint32_t *bin_of(struct machine_heap *heap, uint64_t bytes)
{
    return &heap->bin[63 - __builtin_clzll(bytes)];
}

static void put_free(struct machine_heap *heap, uint32_t number)
{
    struct piece *piece = &heap->piece[number];
    uint32_t *bin = bin_of(heap, piece->bytes);
    piece->is_taken = false;
    piece->last = NONE;
    piece->next = *bin;
    if (*bin != NONE) heap->piece[*bin].last = number;
    *bin = number;
}

static void take_free(struct machine_heap *heap, uint32_t number)
{
    const struct piece *piece = &heap->piece[number];
    if (piece->next != NONE) heap->piece[piece->next].last = piece->last;
    if (piece->last != NONE)
        heap->piece[piece->last].next = piece->next;
    else
        *bin_of(heap, piece->bytes) = piece->next;
}

// A free piece of `bytes` or more: the first in the bin of that size that is large enough, else any of a higher bin.
static uint32_t find_free(struct machine_heap *heap, uint64_t bytes)
{
    const uint32_t *bin = bin_of(heap, bytes);
    for (uint32_t number = *bin; number != NONE; number = heap->piece[number].next)
        if (heap->piece[number].bytes >= bytes) return number;
    while (++bin < heap->bin + BINS)
        if (*bin != NONE) return *bin;
    return NONE;
}

static uint32_t new_piece(struct machine_heap *heap)
{
    const uint32_t number = heap->unused;
    if (number != NONE) {
        heap->unused = heap->piece[number].behind;
        return number;
    }
    if (heap->pieces == heap->room) {
        struct piece *more = heap->room > UINT32_MAX / 2 ? NULL : realloc(heap->piece, 2u * heap->room * sizeof *more);
        if (more == NULL) return NONE;
        heap->piece = more;
        heap->room *= 2;
    }
    return heap->pieces++;
}

// --- The heap --------------------------------------------------------------------------------------------------------

struct machine_heap *machine_heap_open(uint64_t bytes)
{
    struct machine_heap *heap = calloc(1, sizeof *heap);
    if (heap == NULL) return NULL;
    uint64_t whole = (bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
    pthread_mutex_init(&heap->lock, NULL);
    heap->room = 64;
    heap->pieces = 2; // that of number 0 is none; 1 is the whole block
    heap->piece = calloc(heap->room, sizeof *heap->piece);
    heap->piece_at = calloc(whole / PIECE_ALIGN + 1, sizeof *heap->piece_at);
    if (whole < bytes || whole == 0 || !budget_take(BUDGET_HEAP, whole)) {
        machine_heap_close(heap);
        return NULL;
    }
    heap->memory.size_bytes = whole;
    heap->memory.bytes = aligned_alloc(BLOCK_ALIGN, whole);
    heap->memory.base = (uint64_t)(uintptr_t)heap->memory.bytes;
    if (heap->piece == NULL || heap->piece_at == NULL || heap->memory.bytes == NULL) {
        machine_heap_close(heap);
        return NULL;
    }
    heap->piece[1].bytes = whole;
    heap->piece_at[0] = 1;
    put_free(heap, 1);
    return heap;
}

void machine_heap_close(struct machine_heap *heap)
{
    if (heap == NULL) return;
    pthread_mutex_destroy(&heap->lock);
    budget_give(BUDGET_HEAP, heap->memory.size_bytes);
    free(heap->memory.bytes);
    free(heap->piece);
    free(heap->piece_at);
    free(heap);
}

struct memory machine_heap_memory(const struct machine_heap *heap)
{
    return heap->memory;
}

// Cuts a piece, which is in no bin, after `bytes`; 0 if there is no memory for one more.
static bool cut(struct machine_heap *heap, uint32_t number, uint64_t bytes)
{
    if (heap->piece[number].bytes == bytes) return true;
    const uint32_t rest = new_piece(heap);
    if (rest == NONE) return false;
    struct piece *piece = &heap->piece[number];
    heap->piece[rest] = (struct piece){
        .offset = piece->offset + bytes, .bytes = piece->bytes - bytes, .before = number, .behind = piece->behind};
    if (piece->behind != NONE) heap->piece[piece->behind].before = rest;
    piece->behind = rest;
    piece->bytes = bytes;
    heap->piece_at[heap->piece[rest].offset / PIECE_ALIGN] = rest;
    put_free(heap, rest);
    return true;
}

static uint64_t take(struct machine_heap *heap, uint64_t bytes)
{
    const uint32_t number = find_free(heap, bytes);
    if (number == NONE) return 0;
    take_free(heap, number);
    if (!cut(heap, number, bytes)) {
        put_free(heap, number);
        return 0;
    }
    heap->piece[number].is_taken = true;
    memset(heap->memory.bytes + heap->piece[number].offset, FRESH, bytes);
    return heap->memory.base + heap->piece[number].offset;
}

uint64_t machine_heap_take(struct machine_heap *heap, uint64_t bytes)
{
    if (bytes == 0 || bytes > heap->memory.size_bytes) return 0;
    bytes = (bytes + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
    pthread_mutex_lock(&heap->lock);
    const uint64_t address = take(heap, bytes);
    pthread_mutex_unlock(&heap->lock);
    return address;
}

// Adds to a free piece, which is in no bin, the one behind it if that is free.
static void join(struct machine_heap *heap, uint32_t number)
{
    struct piece *piece = &heap->piece[number];
    const uint32_t gone = piece->behind;
    if (gone == NONE || heap->piece[gone].is_taken) return;
    take_free(heap, gone);
    heap->piece_at[heap->piece[gone].offset / PIECE_ALIGN] = NONE;
    piece->bytes += heap->piece[gone].bytes;
    piece->behind = heap->piece[gone].behind;
    if (piece->behind != NONE) heap->piece[piece->behind].before = number;
    heap->piece[gone].behind = heap->unused;
    heap->unused = gone;
}

static void give(struct machine_heap *heap, uint32_t number)
{
    const uint32_t before = heap->piece[number].before;
    heap->piece[number].is_taken = false;
    join(heap, number);
    put_free(heap, number);
    if (before == NONE || heap->piece[before].is_taken) return;
    take_free(heap, before);
    join(heap, before);
    put_free(heap, before);
}

bool machine_heap_give(struct machine_heap *heap, uint64_t address)
{
    const uint64_t offset = address - heap->memory.base;
    if (address == 0) return true;
    if (offset >= heap->memory.size_bytes || offset % PIECE_ALIGN != 0) return false;
    pthread_mutex_lock(&heap->lock);
    const uint32_t number = heap->piece_at[offset / PIECE_ALIGN];
    const bool is_found = number != NONE && heap->piece[number].is_taken;
    if (is_found) give(heap, number);
    pthread_mutex_unlock(&heap->lock);
    return is_found;
}
