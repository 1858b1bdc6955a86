// SPDX-License-Identifier: MIT
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "looker.h"

static void set_local_base(struct machine_frame *frame, uint32_t local_base)
{
    uint64_t *slot = (uint64_t *)(void *)(frame->slots + (frame->function->local_slot & ~(MACHINE_SLOT_ALIGN - 1u)));
    for (int lane = 0; lane < MACHINE_LANES; lane++) slot[lane] = local_base;
    frame->local_base = local_base;
}

void machine_frame_free(struct machine_frame *frame)
{
    if (frame == NULL) return;
    budget_give(BUDGET_REGISTERS, frame->function->frame_bytes);
    free(frame->slots);
    free(frame);
}

static struct machine_frame *make_frame(const struct machine_function *function)
{
    if (!budget_take(BUDGET_REGISTERS, function->frame_bytes)) return NULL;
    struct machine_frame *frame = malloc(sizeof *frame);
    uint8_t *slots = aligned_alloc(MACHINE_SLOT_ALIGN, function->frame_bytes);
    if (frame != NULL) *frame = (struct machine_frame){.function = function, .slots = slots};
    if (frame != NULL && slots != NULL) return frame;
    budget_give(BUDGET_REGISTERS, function->frame_bytes);
    free(slots);
    free(frame);
    return NULL;
}

static struct machine_frame **spare_of(struct machine_cluster *cluster, const struct machine_function *function)
{
    return &cluster->spare_frame[function->number % MACHINE_SPARE_FRAMES];
}

static void drop_frames(struct machine_frame **frames)
{
    for (struct machine_frame *next; *frames != NULL; *frames = next) {
        next = (*frames)->caller;
        machine_frame_free(*frames);
    }
}

struct machine_frame *machine_frame_new(struct machine_cluster *cluster, const struct machine_function *function,
                                        uint32_t local_base)
{
    struct machine_frame **spare = spare_of(cluster, function), *frame = *spare;
    if (frame == NULL || frame->function != function)
        frame = make_frame(function);
    else
        *spare = frame->caller;
    if (frame == NULL) return NULL;
    *frame = (struct machine_frame){.function = function, .slots = frame->slots};
    memset(frame->slots, 0, function->frame_bytes);
    set_local_base(frame, local_base);
    return frame;
}

static void clear_registers(const struct machine_frame *frame, const struct machine_again *again)
{
    for (uint32_t i = 0; i < again->clears; i++)
        memset(frame->slots + again->cleared[i].first, 0, again->cleared[i].bytes);
}

struct machine_frame *machine_frame_of_entry(struct machine_warp *warp)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    const struct machine_kernel *kernel = cluster->machine->kernel;
    const bool is_again =
        warp->entry != NULL && kernel->again.cleared != NULL && !machine_shows_plain(cluster->machine->launch);
    struct machine_frame *frame = warp->entry != NULL ? warp->entry : make_frame(kernel->entry);
    if (frame == NULL) return NULL;
    *frame = (struct machine_frame){.function = kernel->entry, .slots = frame->slots};
    warp->entry = frame;
    warp->is_again = is_again;
    if (is_again) {
        clear_registers(frame, &kernel->again);
        frame->local_base = kernel->module_local_bytes;
        return frame;
    }
    memset(frame->slots, 0, kernel->entry->frame_bytes);
    set_local_base(frame, kernel->module_local_bytes);
    return frame;
}

void machine_frame_keep(struct machine_cluster *cluster, struct machine_frame *frame)
{
    struct machine_frame **spare = spare_of(cluster, frame->function);
    if (*spare != NULL && (*spare)->function != frame->function) drop_frames(spare);
    frame->caller = *spare;
    *spare = frame;
}

void machine_frames_free(struct machine_cluster *cluster)
{
    for (int i = 0; i < MACHINE_SPARE_FRAMES; i++) drop_frames(&cluster->spare_frame[i]);
}
