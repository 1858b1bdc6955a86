// SPDX-License-Identifier: MIT
// Edits of tensor maps, and hints to caches, which the machine does not have.
#include <string.h>

#include "address_check.h"
#include "each.h"
#include "fence.h"
#include "flight_item.h"
#include "form_number.h"
#include "replace.h"
#include "tell_map.h"

// --- Tensor maps -----------------------------------------------------------------------------------------------------

static const enum replace_field fields[] = {
    [PTX_FIELD_ADDRESS - PTX_FIELD_ADDRESS] = REPLACE_GLOBAL_ADDRESS,
    [PTX_FIELD_RANK - PTX_FIELD_ADDRESS] = REPLACE_RANK,
    [PTX_FIELD_BOX_DIM - PTX_FIELD_ADDRESS] = REPLACE_BOX_DIM,
    [PTX_FIELD_GLOBAL_DIM - PTX_FIELD_ADDRESS] = REPLACE_GLOBAL_DIM,
    [PTX_FIELD_GLOBAL_STRIDE - PTX_FIELD_ADDRESS] = REPLACE_GLOBAL_STRIDE,
    [PTX_FIELD_ELEMENT_STRIDE - PTX_FIELD_ADDRESS] = REPLACE_ELEMENT_STRIDE,
    [PTX_FIELD_ELEMTYPE - PTX_FIELD_ADDRESS] = REPLACE_ELEMTYPE,
    [PTX_FIELD_INTERLEAVE - PTX_FIELD_ADDRESS] = REPLACE_INTERLEAVE_LAYOUT,
    [PTX_FIELD_SWIZZLE - PTX_FIELD_ADDRESS] = REPLACE_SWIZZLE_MODE,
    [PTX_FIELD_FILL - PTX_FIELD_ADDRESS] = REPLACE_FILL_MODE,
};

static bool has_ordinal(int form)
{
    return form == PTX_FORM_TENSORMAP_REPLACE_DIM || form == PTX_FORM_TENSORMAP_REPLACE_STRIDE;
}

static struct replace_op replace_of(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    uint32_t field = code->choice->word[PTX_CLASS_FIELD] - (uint32_t)PTX_FIELD_ADDRESS;
    struct replace_op op = {.field = fields[field]};
    int ordinal = has_ordinal(code->choice->form);
    if (ordinal) op.ordinal = (uint32_t)machine_value(strand, &code->operand[1], lane);
    op.value = machine_value(strand, &code->operand[1 + ordinal], lane);
    return op;
}

static bool is_shared(struct machine_place place)
{
    return place.space == PTX_SHARED || place.space == PTX_SHARED_CLUSTER;
}

static enum machine_next replace(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint64_t address[MACHINE_LANES];
    struct teller room;
    machine_addresses(strand, &code->operand[0], address);
    for (EACH_BIT(lane, lanes)) {
        struct machine_place place = machine_place(strand, (enum ptx_word)code->choice->space[0], address[lane]);
        const struct replace_op op = replace_of(strand, code, lane);
        struct tensormap_image image;
        enum rule rule;
        if (!machine_read(strand, place, lane, &image, sizeof image, &rule))
            return machine_fault_at(strand, code, lane, rule, place, sizeof image);
        tensormap_replace(&image, &op, NULL);
        if (!machine_write(strand, place, lane, &image, sizeof image, &rule))
            return machine_fault_at(strand, code, lane, rule, place, sizeof image);
        map_replace_observe(is_shared(place) ? SPACE_SHARED : SPACE_GLOBAL, place.address,
                            machine_teller(strand, code, 1u << lane, &room));
    }
    return MACHINE_NEXT;
}

// The fence that comes with the copy.
static void tell_release(const struct ptx_choice *choice, const struct teller *teller)
{
    static const enum access_scope scopes[] = {SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS};
    const uint32_t spaces = UINT32_C(1) << SPACE_GLOBAL | UINT32_C(1) << SPACE_SHARED;
    const struct event_fence fence = {
        FENCE_PROXY, ORDER_RELEASE, scopes[choice->word[PTX_CLASS_SCOPE] - PTX_CTA], PROXY_TENSORMAP, spaces, 0, 0};
    fence_tell(&fence, teller);
}

// The warp copies one map.
static enum machine_next copy_map(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct memory *shared = &cta->cluster->memory[cta->rank];
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    uint64_t to[MACHINE_LANES], from[MACHINE_LANES];
    struct tensormap_image image;
    struct teller room;
    machine_addresses(strand, &code->operand[0], to);
    machine_addresses(strand, &code->operand[1], from);
    struct machine_place source = machine_place(strand, PTX_SHARED, from[lane]);
    struct machine_place destination = machine_place(strand, PTX_WORD_NONE, to[lane]);
    const struct global_memory *global = &cta->cluster->machine->global;
    struct findings findings;
    enum rule rule =
        map_copy_check((uint32_t)source.address, shared, to[lane], MACHINE_SHARED_WINDOW, global, &findings);
    if (rule != RULE_OK)
        return machine_fault_found(strand, code, lane, findings_of_rule(&findings, rule), sizeof image);
    if (!machine_read(strand, source, lane, &image, sizeof image, &rule))
        return machine_fault_at(strand, code, lane, rule, source, sizeof image);
    if (!machine_write(strand, destination, lane, &image, sizeof image, &rule))
        return machine_fault_at(strand, code, lane, rule, destination, sizeof image);
    const struct teller *teller = machine_teller(strand, code, lanes, &room);
    map_copy_observe((uint32_t)source.address, to[lane], teller);
    tell_release(code->choice, teller);
    machine_release(strand->warp);
    return MACHINE_NEXT;
}

// --- Hints -----------------------------------------------------------------------------------------------------------

static enum machine_next hint(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    (void)strand, (void)code, (void)lanes; // nothing is cached
    return MACHINE_NEXT;
}

static enum machine_next prefetch_map(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, &code->operand[0], address);
    for (EACH_BIT(lane, lanes)) {
        struct findings findings;
        enum rule rule = map_prefetch_check(address[lane], &strand->warp->cta->cluster->machine->global, &findings);
        if (rule != RULE_OK)
            return machine_fault_found(strand, code, lane, findings_of_rule(&findings, rule), TENSORMAP_BYTES);
    }
    return MACHINE_NEXT;
}

machine_handler *machine_maps_find(const struct ptx_choice *choice)
{
    switch (choice->form) {
    case PTX_FORM_TENSORMAP_REPLACE_ADDRESS:
    case PTX_FORM_TENSORMAP_REPLACE_RANK:
    case PTX_FORM_TENSORMAP_REPLACE_DIM:
    case PTX_FORM_TENSORMAP_REPLACE_STRIDE:
    case PTX_FORM_TENSORMAP_REPLACE_FIELD:
        return replace;
    case PTX_FORM_TENSORMAP_CP_FENCEPROXY:
        return copy_map;
    case PTX_FORM_PREFETCH:
    case PTX_FORM_PREFETCH_EVICT:
    case PTX_FORM_PREFETCHU:
        return hint;
    case PTX_FORM_PREFETCH_TENSORMAP:
        return prefetch_map;
    default:
        return NULL;
    }
}
