// SPDX-License-Identifier: MIT
// The bytes from before of each word that a thread has stored to, with who did and when. Time goes on at fences and
// where a warp learns of others: so a fence or a barrier costs one number, and only who reads looks at words.
#include "veil.h"

#include <stdlib.h>
#include <string.h>

#include "flight_item.h"

enum { WORD = 4 };

//   bytes, size_bytes  the shared memory of all CTAs, one behind the other
//   old     of each word that is hidden, what it was before
//   stamp   when each word was stored to last, 0: never, or the async proxy has written it since; writer: by which warp
//   own     of each warp: what it stored until then its own fences have published; learnt: until when it knows of others
//   all     what anybody stored until then is published
struct machine_veil {
    const uint8_t *bytes;
    uint64_t size_bytes;
    uint8_t *old, *view;
    uint32_t *stamp, *own, *learnt;
    uint16_t *writer;
    uint32_t now, all;
};

static uint32_t number_of(const struct machine_warp *warp)
{
    return warp->cta->rank * warp->cta->cluster->cta[0].warps + warp->index;
}

int machine_veil_open(struct machine_cluster *cluster)
{
    const enum machine_policy policy = flight_policy(cluster);
    const uint64_t each = cluster->machine->shared_bytes, all = each * cluster->ctas;
    const uint32_t warps = cluster->ctas * cluster->cta[0].warps;
    if ((policy != MACHINE_LATE && policy != MACHINE_SHUFFLED) || each == 0) return 1;
    struct machine_veil *veil = calloc(1, sizeof *veil);
    if (veil == NULL) return 0;
    cluster->veil = veil;
    veil->bytes = cluster->memory[0].bytes;
    veil->size_bytes = all;
    veil->now = 1;
    veil->old = malloc(all);
    veil->view = malloc(each);
    veil->stamp = calloc(all / WORD, sizeof *veil->stamp);
    veil->writer = malloc(all / WORD * sizeof *veil->writer);
    veil->own = calloc(warps, sizeof *veil->own);
    veil->learnt = calloc(warps, sizeof *veil->learnt);
    return veil->old != NULL && veil->view != NULL && veil->stamp != NULL && veil->writer != NULL &&
           veil->own != NULL && veil->learnt != NULL;
}

void machine_veil_close(struct machine_cluster *cluster)
{
    struct machine_veil *veil = cluster->veil;
    if (veil == NULL) return;
    free(veil->old);
    free(veil->view);
    free(veil->stamp);
    free(veil->writer);
    free(veil->own);
    free(veil->learnt);
    free(veil);
    cluster->veil = NULL;
}

static int is_hidden(const struct machine_veil *veil, uint64_t word)
{
    const uint32_t stamp = veil->stamp[word];
    return stamp > veil->all && stamp > veil->own[veil->writer[word]];
}

// The words that hold `bytes` bytes at `at`; 0 if they are not in shared memory.
static int words_of(const struct machine_veil *veil, const uint8_t *at, uint64_t bytes, uint64_t *first, uint64_t *end)
{
    const uint64_t offset = (uint64_t)((uintptr_t)at - (uintptr_t)veil->bytes);
    if (offset >= veil->size_bytes || bytes == 0) return 0;
    *first = offset / WORD;
    *end = (offset + (bytes < veil->size_bytes - offset ? bytes : veil->size_bytes - offset) + WORD - 1) / WORD;
    return 1;
}

void machine_veil_note(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = warp->cta->cluster->veil;
    uint64_t word, end;
    if (!words_of(veil, at, bytes, &word, &end)) return;
    for (; word < end; word++) {
        if (!is_hidden(veil, word)) memcpy(veil->old + word * WORD, veil->bytes + word * WORD, WORD);
        veil->stamp[word] = veil->now;
        veil->writer[word] = (uint16_t)number_of(warp);
    }
}

void machine_veil_fence(const struct machine_warp *warp)
{
    struct machine_veil *veil = warp->cta->cluster->veil;
    if (veil == NULL) return;
    const uint32_t number = number_of(warp);
    veil->own[number] = veil->now++;
    if (veil->learnt[number] > veil->all) veil->all = veil->learnt[number];
}

void machine_veil_learn(const struct machine_warp *warp)
{
    struct machine_veil *veil = warp->cta->cluster->veil;
    if (veil != NULL) veil->learnt[number_of(warp)] = veil->now++;
}

void machine_veil_lift(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = cluster->veil;
    uint64_t word, end;
    if (veil == NULL || !words_of(veil, at, bytes, &word, &end)) return;
    memset(veil->stamp + word, 0, (end - word) * sizeof *veil->stamp);
}

int machine_veil_hides(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = cluster->veil;
    uint64_t word, end;
    if (veil == NULL || !words_of(veil, at, bytes, &word, &end)) return 0;
    for (; word < end; word++)
        if (is_hidden(veil, word)) return 1;
    return 0;
}

void machine_veil_read(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes, uint8_t *to)
{
    const struct machine_veil *veil = cluster->veil;
    const uint64_t offset = veil == NULL ? 0 : (uint64_t)(at - veil->bytes);
    memcpy(to, at, bytes);
    for (uint64_t i = 0; veil != NULL && i < bytes; i++)
        if (is_hidden(veil, (offset + i) / WORD)) to[i] = veil->old[offset + i];
}

const struct memory *machine_veil_memory(const struct machine_cta *cta, struct memory *room)
{
    const struct memory *memory = &cta->cluster->memory[cta->rank];
    if (!machine_veil_hides(cta->cluster, memory->bytes, memory->size_bytes)) return memory;
    *room = (struct memory){cta->cluster->veil->view, memory->base, memory->size_bytes};
    machine_veil_read(cta->cluster, memory->bytes, memory->size_bytes, room->bytes);
    return room;
}
