// SPDX-License-Identifier: MIT
// The bytes from before of each word that a thread has stored to, with who did and when. Time goes on at fences and
// where a warp learns of others: so a fence or a barrier costs one number, and only who reads looks at words.
#include "veil.h"

#include <stdlib.h>
#include <string.h>

#include "flight_item.h"
#include "veil_global.h"
#include "written.h"

enum { WORD = 4 };

//   bytes, size_bytes  the shared memory of all CTAs, one behind the other
//   old     of each word that is hidden, what it was before
//   stamp   when each word was stored to last, 0: never, or the async proxy has written it since; writer: by which warp
//   times   what has been published, of each space; learnt: of each warp, until when it knows of others
//   has_writers  operations of the async proxy may write shared memory
//   global  what is hidden of global memory; NULL: nothing could miss it
struct machine_veil {
    const uint8_t *bytes;
    uint64_t size_bytes;
    uint8_t *old, *view;
    uint32_t *stamp, *learnt;
    uint16_t *writer;
    uint32_t now;
    bool has_writers;
    struct veil_times times[VEIL_SPACES];
    struct veil_global *global;
};

static uint32_t number_of(const struct machine_warp *warp)
{
    return warp->cta->rank * warp->cta->cluster->cta[0].warps + warp->index;
}

struct veil_global *machine_veil_stores(const struct machine_cluster *cluster)
{
    return cluster->veil == NULL ? NULL : cluster->veil->global;
}

struct veil_global *machine_veil_take_stores(struct machine_cluster *cluster)
{
    struct veil_global *global = cluster->veil->global;
    cluster->veil->global = NULL;
    return global;
}

const struct veil_times *machine_veil_times(const struct machine_cluster *cluster)
{
    return &cluster->veil->times[VEIL_GLOBAL];
}

// Does the kernel, or another of its module, have an operation of the async proxy of this kind?
static bool has_copies(const struct machine *machine, int (*is_so)(const struct ptx_choice *))
{
    const struct ptx_program *program = machine_module_program(machine->launch->module);
    for (uint32_t i = 0; i < program->ops; i++)
        if (is_so(&program->op[i].choice)) return true;
    return false;
}

static bool open_times(struct machine_veil *veil, uint32_t warps)
{
    for (int space = 0; space < VEIL_SPACES; space++)
        if ((veil->times[space].own = calloc(warps, sizeof *veil->times[space].own)) == NULL) return false;
    return true;
}

bool machine_veil_open(struct machine_cluster *cluster)
{
    const uint64_t each = cluster->machine->shared_bytes, all = each * cluster->ctas;
    const uint32_t warps = cluster->ctas * cluster->cta[0].warps;
    if (!machine_is_weak(cluster->machine)) return true;
    struct machine_veil *veil = calloc(1, sizeof *veil);
    if (veil == NULL) return false;
    cluster->veil = veil;
    veil->bytes = cluster->memory[0].bytes;
    veil->size_bytes = all;
    veil->now = 1;
    veil->old = malloc(all + 1);
    veil->view = malloc(each + 1);
    veil->stamp = calloc(all / WORD + 1, sizeof *veil->stamp);
    veil->writer = malloc((all / WORD + 1) * sizeof *veil->writer);
    veil->learnt = calloc(warps, sizeof *veil->learnt);
    veil->has_writers = has_copies(cluster->machine, machine_copies_write);
    const bool is_read = has_copies(cluster->machine, machine_copies_load) || cluster->machine->is_spoken;
    if (is_read && (veil->global = veil_global_open()) == NULL) return false;
    return open_times(veil, warps) && veil->old != NULL && veil->view != NULL && veil->stamp != NULL &&
           veil->writer != NULL && veil->learnt != NULL;
}

void machine_veil_close(struct machine_cluster *cluster)
{
    struct machine_veil *veil = cluster->veil;
    if (veil == NULL) return;
    free(veil->old);
    free(veil->view);
    free(veil->stamp);
    free(veil->writer);
    for (int space = 0; space < VEIL_SPACES; space++) free(veil->times[space].own);
    free(veil->learnt);
    veil_global_close(veil->global);
    free(veil);
    cluster->veil = NULL;
}

static bool is_hidden(const struct machine_veil *veil, uint64_t word)
{
    return veil_times_hide(&veil->times[VEIL_SHARED], veil->stamp[word], veil->writer[word]);
}

// The words that hold `bytes` bytes at `at`; 0 if they are not in shared memory.
static bool words_of(const struct machine_veil *veil, const uint8_t *at, uint64_t bytes, uint64_t *first, uint64_t *end)
{
    const uint64_t offset = (uint64_t)((uintptr_t)at - (uintptr_t)veil->bytes);
    if (offset >= veil->size_bytes || bytes == 0) return false;
    *first = offset / WORD;
    *end = (offset + (bytes < veil->size_bytes - offset ? bytes : veil->size_bytes - offset) + WORD - 1) / WORD;
    return true;
}

static bool is_local(const struct machine_warp *warp, const uint8_t *at)
{
    return (uintptr_t)at - (uintptr_t)warp->local < (uint64_t)warp->local_bytes * MACHINE_LANES;
}

static void note_global(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes)
{
    const struct machine *machine = warp->cta->cluster->machine;
    const struct machine_veil *veil = warp->cta->cluster->veil;
    if (machine->launch->written != NULL)
        machine_written_note(machine->launch->written, (uint64_t)(uintptr_t)at, bytes);
    if (veil->global != NULL)
        veil_global_note(veil->global, &veil->times[VEIL_GLOBAL], veil->now, number_of(warp), at, bytes);
}

void machine_veil_note(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = warp->cta->cluster->veil;
    uint64_t word, end;
    if (!words_of(veil, at, bytes, &word, &end)) {
        if (!is_local(warp, at)) note_global(warp, at, bytes);
        return;
    }
    for (; word < end; word++) {
        if (!is_hidden(veil, word)) memcpy(veil->old + word * WORD, veil->bytes + word * WORD, WORD);
        veil->stamp[word] = veil->now;
        veil->writer[word] = (uint16_t)number_of(warp);
    }
}

void machine_veil_fence(const struct machine_warp *warp, enum veil_space space)
{
    struct machine_veil *veil = warp->cta->cluster->veil;
    if (veil == NULL) return;
    const uint32_t number = number_of(warp);
    struct veil_times *times = &veil->times[space];
    times->own[number] = veil->now++;
    if (veil->learnt[number] > times->all) times->all = veil->learnt[number];
}

void machine_veil_learn(const struct machine_warp *warp)
{
    struct machine_veil *veil = warp->cta->cluster->veil;
    if (veil != NULL) veil->learnt[number_of(warp)] = veil->now++;
}

uint32_t machine_veil_now(const struct machine_cluster *cluster)
{
    return cluster->veil == NULL ? 0 : cluster->veil->now;
}

bool machine_veil_is_fenced(const struct machine_warp *warp, uint32_t stamp)
{
    const struct machine_veil *veil = warp->cta->cluster->veil;
    return !veil_times_hide(&veil->times[VEIL_SHARED], stamp, number_of(warp));
}

bool machine_veil_has_writers(const struct machine_cluster *cluster)
{
    return cluster->veil->has_writers;
}

bool machine_veil_knows(const struct machine_warp *warp, uint32_t stamp)
{
    const struct machine_veil *veil = warp->cta->cluster->veil;
    return veil != NULL && stamp <= veil->learnt[number_of(warp)];
}

void machine_veil_lift(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = cluster->veil;
    uint64_t word, end;
    if (veil == NULL || !words_of(veil, at, bytes, &word, &end)) return;
    memset(veil->stamp + word, 0, (end - word) * sizeof *veil->stamp);
}

// From the first byte of a tensor, or of a bulk copy, to the last.
static void range_of(const struct operation *o, uint64_t *low, uint64_t *end)
{
    const bool is_load = o->kind == OPERATION_TENSOR_LOAD || o->kind == OPERATION_BULK_LOAD;
    const bool is_bulk =
        o->kind == OPERATION_BULK_LOAD || o->kind == OPERATION_BULK_STORE || o->kind == OPERATION_BULK_STORE_REDUCE;
    unsigned __int128 bytes = is_bulk ? o->size_bytes : o->map.stride[0];
    for (int i = 0; !is_bulk && i < o->map.rank; i++)
        bytes += (unsigned __int128)(o->map.dim[i] - 1) * o->map.stride[i];
    *low = !is_bulk ? o->map.address : is_load ? o->from : o->to;
    *end = bytes < UINT64_MAX - *low ? *low + (uint64_t)bytes : UINT64_MAX;
}

void machine_veil_lift_global(const struct machine_cluster *cluster, const struct operation *o)
{
    const struct machine *machine = cluster->machine;
    uint64_t low, end;
    if (cluster->veil == NULL) return;
    range_of(o, &low, &end);
    if (machine->launch->written != NULL)
        machine_written_note_mapped(machine->launch->written, &machine->global, low, end);
    if (cluster->veil->global != NULL) veil_global_lift(cluster->veil->global, low, end);
}

void machine_veil_lift_word(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = warp->cta->cluster->veil;
    const uint64_t low = (uint64_t)(uintptr_t)at;
    if (veil != NULL && veil->global != NULL) veil_global_lift_word(veil->global, low, low + bytes);
}

void machine_veil_see(const struct machine_warp *warp, uint64_t address, uint64_t bytes)
{
    const struct machine_veil *veil = warp->cta->cluster->veil;
    if (veil->global != NULL) veil_global_see(veil->global, address, address + bytes);
}

struct global_memory *machine_veil_global(const struct machine_cluster *cluster, const struct operation *o)
{
    struct machine_veil *veil = cluster->veil;
    uint64_t low, end;
    if (veil == NULL || veil->global == NULL) return NULL;
    range_of(o, &low, &end);
    return veil_global_view(veil->global, &veil->times[VEIL_GLOBAL], &cluster->machine->global, low, end);
}

bool machine_veil_hides(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes)
{
    const struct machine_veil *veil = cluster->veil;
    uint64_t word, end;
    if (veil == NULL || !words_of(veil, at, bytes, &word, &end)) return false;
    for (; word < end; word++)
        if (is_hidden(veil, word)) return true;
    return false;
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
