// SPDX-License-Identifier: MIT
// Fences. The machine tells of them: it keeps no caches, and every thread of a CTA sees each access at once. They
// also lift the veil before the async proxy (veil.h), and land stores to other CTAs (remote.h).
#include <string.h>

#include "address_check.h"
#include "each.h"
#include "fence.h"
#include "flight_item.h"
#include "form_number.h"
#include "late_reads.h"
#include "remote.h"
#include "tensormap.h"
#include "veil.h"

enum { MOST_NAME = 96 };

// The instruction as it is written, which fence_find() knows.
static void name_of(const struct machine_strand *strand, const struct machine_code *code, char name[MOST_NAME])
{
    const struct ptx_program *program = machine_module_program(strand->warp->cta->cluster->machine->launch->module);
    const struct ptx_instruction *instruction = &strand->frame->function->source->instruction[code->instruction];
    const struct ptx_name *spelling = &program->op[instruction->op].spelling;
    size_t length = spelling->length < MOST_NAME - 1 ? spelling->length : MOST_NAME - 1;
    memcpy(name, spelling->at, length);
    name[length] = 0;
}

bool machine_is_wide(const struct ptx_choice *choice)
{
    const int order = choice->word[PTX_CLASS_ORDER], scope = choice->word[PTX_CLASS_SCOPE];
    const bool is_fence = choice->form == PTX_FORM_FENCE || choice->form == PTX_FORM_MEMBAR;
    if (scope == PTX_CTA) return false; // an atomic that names none has that of the GPU
    return order == PTX_RELEASE || order == PTX_ACQ_REL || order == PTX_SC || (is_fence && order == 0);
}

void machine_release(const struct machine_warp *warp)
{
    machine_veil_fence(warp, VEIL_GLOBAL);
    machine_remote_release(warp);
    machine_reads_release(warp);
}

static enum machine_next fence(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    char name[MOST_NAME];
    struct event_fence event;
    struct teller room;
    const int form = code->choice->form;
    const bool is_of_memory =
        form == PTX_FORM_FENCE || form == PTX_FORM_MEMBAR || form == PTX_FORM_FENCE_PROXY_TENSORMAP_RELEASE;
    if (is_of_memory && machine_is_wide(code->choice)) machine_release(strand->warp);
    if (!machine_is_heard(strand)) return MACHINE_NEXT;
    name_of(strand, code, name);
    if (fence_find(name, &event)) fence_tell(&event, machine_teller(strand, code, lanes, &room));
    return MACHINE_NEXT;
}

static enum machine_next fence_async(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    fence(strand, code, lanes);
    const bool is_of_all = code->choice->spaces == 0, is_global = !is_of_all && code->choice->space[0] == PTX_GLOBAL;
    if (!is_global) machine_veil_fence(strand->warp, VEIL_SHARED);
    if (is_global) machine_veil_fence(strand->warp, VEIL_GLOBAL);
    if (is_of_all) machine_release(strand->warp); // ptxas puts a MEMBAR in front of it
    return flight_takes_long(strand->warp);
}

// ptxas makes of it what it makes of fence.proxy.async.shared::cta, and of the acquire nothing.
static enum machine_next fence_async_release(struct machine_strand *strand, const struct machine_code *code,
                                             uint32_t lanes)
{
    fence(strand, code, lanes);
    machine_veil_fence(strand->warp, VEIL_SHARED);
    return flight_takes_long(strand->warp);
}

// The acquire of a tensor map, lane by lane.
static enum machine_next acquire(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint64_t address[MACHINE_LANES];
    char name[MOST_NAME];
    struct event_fence event;
    struct teller room;
    machine_addresses(strand, &code->operand[0], address);
    name_of(strand, code, name);
    bool is_known = fence_find(name, &event);
    for (EACH_BIT(lane, lanes)) {
        struct findings findings;
        enum rule rule = map_acquire_check(address[lane], &findings);
        if (rule != RULE_OK)
            return machine_fault_found(strand, code, lane, findings_of_rule(&findings, rule), TENSORMAP_BYTES);
        flight_map_acquire(strand->warp, address[lane]);
        event.address = address[lane];
        event.bytes = TENSORMAP_BYTES;
        if (is_known && machine_is_heard(strand)) fence_tell(&event, machine_teller(strand, code, 1u << lane, &room));
    }
    return MACHINE_NEXT;
}

machine_handler *machine_fences_find(const struct ptx_choice *choice)
{
    switch (choice->form) {
    case PTX_FORM_MEMBAR:
    case PTX_FORM_MEMBAR_PROXY:
    case PTX_FORM_FENCE:
    case PTX_FORM_FENCE_MBARRIER_INIT:
    case PTX_FORM_FENCE_RESTRICT:
    case PTX_FORM_FENCE_RESTRICT_RELEASE:
    case PTX_FORM_FENCE_PROXY_ALIAS:
    case PTX_FORM_FENCE_PROXY_ASYNC_ACQUIRE:
    case PTX_FORM_FENCE_PROXY_TENSORMAP_RELEASE:
        return fence;
    case PTX_FORM_FENCE_PROXY_ASYNC:
        return fence_async;
    case PTX_FORM_FENCE_PROXY_ASYNC_RELEASE:
        return fence_async_release;
    case PTX_FORM_FENCE_PROXY_TENSORMAP_ACQUIRE:
        return acquire;
    default:
        return NULL;
    }
}
