// SPDX-License-Identifier: MIT
// A table of pieces of memory by their address, which grows up to a limit: a launch that writes more than that is not
// kept.
#include "written.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64, FIRST_ROOM = 1 << 10, MOST_PIECES = 1 << 20 };

// mask: which of its bytes were written, or may have been. old: before that; last: what they are when they are hidden.
struct piece_of_memory {
    uint64_t at, mask; // mask 0: no piece is here
    uint8_t old[PIECE], last[PIECE];
};

struct machine_written {
    pthread_mutex_t lock;
    struct piece_of_memory *piece;
    uint32_t count, room;
    bool is_lost, is_hidden;
};

struct machine_written *machine_written_open(void)
{
    struct machine_written *written = calloc(1, sizeof *written);
    if (written != NULL) pthread_mutex_init(&written->lock, NULL);
    return written;
}

void machine_written_close(struct machine_written *written)
{
    if (written == NULL) return;
    machine_written_show(written);
    pthread_mutex_destroy(&written->lock);
    free(written->piece);
    free(written);
}

bool machine_written_is_known(const struct machine_written *written)
{
    return !written->is_lost;
}

// --- Notes -----------------------------------------------------------------------------------------------------------

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 31;
}

// Where the piece is, or is to be.
static struct piece_of_memory *find(struct piece_of_memory *piece, uint32_t room, uint64_t at)
{
    uint32_t i = (uint32_t)mixed(at / PIECE) & (room - 1);
    while (piece[i].mask != 0 && piece[i].at != at) i = (i + 1) & (room - 1);
    return &piece[i];
}

static bool grow(struct machine_written *written)
{
    const uint32_t room = written->room == 0 ? FIRST_ROOM : 2 * written->room;
    if (2 * (written->count + 1) <= written->room) return true;
    struct piece_of_memory *piece = written->count < MOST_PIECES ? calloc(room, sizeof *piece) : NULL;
    if (piece == NULL) return false;
    for (uint32_t i = 0; i < written->room; i++)
        if (written->piece[i].mask != 0) *find(piece, room, written->piece[i].at) = written->piece[i];
    free(written->piece);
    written->piece = piece;
    written->room = room;
    return true;
}

static bool note_piece(struct machine_written *written, uint64_t at, uint32_t first, uint32_t end)
{
    const uint64_t mask = (end == PIECE ? UINT64_MAX : (UINT64_C(1) << end) - 1) & ~((UINT64_C(1) << first) - 1);
    if (!grow(written)) return false;
    struct piece_of_memory *piece = find(written->piece, written->room, at);
    if ((mask & ~piece->mask) == 0) return true;
    written->count += piece->mask == 0;
    piece->at = at;
    for (uint32_t i = first; i < end; i++)
        if (!(piece->mask >> i & 1)) piece->old[i] = *(const uint8_t *)(uintptr_t)(at + i);
    piece->mask |= mask;
    return true;
}

static bool note_range(struct machine_written *written, uint64_t low, uint64_t end)
{
    for (uint64_t at = low / PIECE * PIECE; at < end; at += PIECE) {
        const uint32_t first = at < low ? (uint32_t)(low - at) : 0;
        if (!note_piece(written, at, first, end - at < PIECE ? (uint32_t)(end - at) : PIECE)) return false;
    }
    return true;
}

void machine_written_note(struct machine_written *written, uint64_t address, uint64_t bytes)
{
    pthread_mutex_lock(&written->lock);
    if (!written->is_lost) written->is_lost = !note_range(written, address, address + bytes);
    pthread_mutex_unlock(&written->lock);
}

void machine_written_note_mapped(struct machine_written *written, const struct global_memory *global, uint64_t low,
                                 uint64_t end)
{
    for (uint32_t i = 0; i < global->count; i++) {
        const struct memory *memory = &global->region[i].memory;
        const uint64_t stop = memory->base + memory->size_bytes, first = memory->base > low ? memory->base : low;
        const uint64_t last = stop < end ? stop : end;
        if (!global->region[i].is_read_only && first < last) machine_written_note(written, first, last - first);
    }
}

// --- Hidden and shown ------------------------------------------------------------------------------------------------

static void hide_piece(struct piece_of_memory *piece)
{
    uint8_t *at = (uint8_t *)(uintptr_t)piece->at;
    for (uint32_t i = 0; i < PIECE; i++) {
        if (!(piece->mask >> i & 1)) continue;
        piece->last[i] = at[i];
        if (piece->last[i] == piece->old[i])
            piece->mask &= ~(UINT64_C(1) << i);
        else
            at[i] = piece->old[i];
    }
}

void machine_written_hide(struct machine_written *written, const struct machine_schedule *schedule)
{
    const bool is_random = schedule->policy == MACHINE_SHUFFLED;
    for (uint32_t i = 0; i < written->room; i++) {
        struct piece_of_memory *piece = &written->piece[i];
        if (is_random && mixed(piece->at / PIECE + mixed(schedule->seed + 1)) >> 40 & 1) piece->mask = 0;
        hide_piece(piece);
    }
    written->is_hidden = true;
}

static void show_piece(const struct piece_of_memory *piece)
{
    uint8_t *at = (uint8_t *)(uintptr_t)piece->at;
    for (uint64_t left = piece->mask; left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        at[i] = piece->last[i];
    }
}

bool machine_written_show(struct machine_written *written)
{
    if (!written->is_hidden) return false;
    for (uint32_t i = 0; i < written->room; i++) show_piece(&written->piece[i]);
    written->is_hidden = false;
    return true;
}
