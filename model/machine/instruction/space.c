// SPDX-License-Identifier: MIT
// Addresses as values: cvta, isspacep, the stack; and what only hints at memory: discard, priorities, cache policies.
#include <assert.h>
#include <string.h>

#include "form_number.h"
#include "handler.h"
#include "policy.h"
#include "warp.h"

static bool is_shared_word(enum ptx_word space)
{
    return space == PTX_SHARED || space == PTX_SHARED_CTA || space == PTX_SHARED_CLUSTER;
}

// --- cvta, isspacep --------------------------------------------------------------------------------------------------

// What is added to an address of a space. Addresses of global and const memory are generic ones.
static uint64_t window_of(const struct machine_strand *strand, enum ptx_word space)
{
    if (space == PTX_PARAM) return machine_parameter_window(strand->warp->cta->cluster->machine);
    return is_shared_word(space) ? MACHINE_SHARED_WINDOW : space == PTX_LOCAL ? MACHINE_LOCAL_WINDOW : 0;
}

// (from & cut) + add. Both registers have 64 bits, as the rows say.
static void move_addresses(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                           uint64_t cut, uint64_t add)
{
    uint64_t *to = machine_lanes(strand, code, 0);
    const uint64_t *from = machine_lanes(strand, code, 1);
    assert(code->operand[0].file == PTX_FILE_64 && code->operand[1].file == PTX_FILE_64);
    if (lanes == UINT32_MAX && cut == UINT64_MAX && add == 0) {
        memmove(to, from, MACHINE_LANES * sizeof *to);
        return;
    }
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        uint64_t kept = (uint64_t)(lanes >> lane & 1) - 1;
        to[lane] = (((from[lane] & cut) + add) & ~kept) | (to[lane] & kept);
    }
}

static enum machine_next to_generic(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint64_t window = window_of(strand, (enum ptx_word)code->choice->space[0]);
    move_addresses(strand, code, lanes, window == 0 ? UINT64_MAX : UINT32_MAX, window);
    return MACHINE_NEXT;
}

static enum machine_next from_generic(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    move_addresses(strand, code, lanes, UINT64_MAX, 0 - window_of(strand, (enum ptx_word)code->choice->space[0]));
    return MACHINE_NEXT;
}

static bool is_constant(const struct machine *machine, uint64_t address)
{
    struct region region[MACHINE_MODULE_REGIONS];
    uint32_t regions = machine_module_regions(machine->launch->module, region);
    for (uint32_t i = 0; i < regions; i++)
        if (region[i].is_read_only && memory_at(&region[i].memory, address, 1) != NULL) return true;
    return false;
}

static bool is_in_space(const struct machine_strand *strand, enum ptx_word space, uint64_t address)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct machine *machine = cta->cluster->machine;
    bool is_shared = address - MACHINE_SHARED_WINDOW < MACHINE_WINDOW_BYTES;
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CTA:
        return cluster_is_shared_cta(address - MACHINE_SHARED_WINDOW, cta->rank);
    case PTX_SHARED_CLUSTER:
        return cluster_is_shared_cluster(address - MACHINE_SHARED_WINDOW);
    case PTX_LOCAL:
        return address - MACHINE_LOCAL_WINDOW < MACHINE_WINDOW_BYTES;
    case PTX_CONST:
        return is_constant(machine, address);
    case PTX_GLOBAL:
        return !is_shared && address - MACHINE_LOCAL_WINDOW >= MACHINE_WINDOW_BYTES && !is_constant(machine, address);
    default: // param
        return address - machine_parameter_window(machine) < machine->kernel->facts.parameter_bytes;
    }
}

static enum machine_next ask_space(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1)
            machine_set_value(strand, &code->operand[0], lane,
                              (uint64_t)is_in_space(strand, (enum ptx_word)code->choice->space[0],
                                                    machine_value(strand, &code->operand[1], lane)));
    return MACHINE_NEXT;
}

// --- The stack -------------------------------------------------------------------------------------------------------

static enum machine_next take_stack(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    enum { MOST_STACK_BYTES = 512 * 1024, LEAST_ALIGN = 16 };
    struct machine_warp *warp = strand->warp;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        uint64_t bytes = machine_value(strand, &code->operand[1], lane), align = LEAST_ALIGN;
        if (code->operand[2].slot != MACHINE_LEFT_OUT) align = machine_value(strand, &code->operand[2], lane);
        if (align < LEAST_ALIGN) align = LEAST_ALIGN;
        uint64_t at = (warp->stack_top[lane] + align - 1) / align * align;
        if (bytes > MOST_STACK_BYTES || at + bytes > MOST_STACK_BYTES)
            return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_LAUNCH_FAILED,
                                "alloca of %llu bytes: a thread has at most %d bytes of local memory",
                                (unsigned long long)bytes, MOST_STACK_BYTES);
        if (!machine_local_grow(warp, at + bytes))
            return machine_stop(strand, code, lane, MACHINE_NO_MEMORY, 0, "no memory for alloca");
        warp->stack_top[lane] = (uint32_t)((at + bytes + LEAST_ALIGN - 1) / LEAST_ALIGN * LEAST_ALIGN);
        machine_set_value(strand, &code->operand[0], lane, at);
    }
    return MACHINE_NEXT;
}

static enum machine_next save_stack(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1) machine_set_value(strand, &code->operand[0], lane, strand->warp->stack_top[lane]);
    return MACHINE_NEXT;
}

// Only back to what stacksave said: never above what is taken.
static enum machine_next restore_stack(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        uint64_t top = machine_value(strand, &code->operand[0], lane);
        if (lanes >> lane & 1 && top <= strand->warp->stack_top[lane]) strand->warp->stack_top[lane] = (uint32_t)top;
    }
    return MACHINE_NEXT;
}

// --- Hints -----------------------------------------------------------------------------------------------------------

// Nothing is cached here.
static enum machine_next hint(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    (void)strand, (void)code, (void)lanes;
    return MACHINE_NEXT;
}

static uint64_t policy_of_lane(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    const struct ptx_choice *choice = code->choice;
    const struct l2_policy policy = {(enum ptx_word)choice->word[PTX_CLASS_L2], (enum ptx_word)choice->second};
    if (choice->form == PTX_FORM_CREATEPOLICY_CVT) return machine_value(strand, &code->operand[1], lane);
    if (choice->form == PTX_FORM_CREATEPOLICY_RANGE)
        return machine_policy_range(policy, machine_address(strand, &code->operand[1], lane),
                                    (uint32_t)machine_value(strand, &code->operand[2], lane),
                                    (uint32_t)machine_value(strand, &code->operand[3], lane));
    const uint32_t all = 0x3f800000; // 1.0
    return machine_policy_fraction(policy, code->operand[1].slot == MACHINE_LEFT_OUT
                                               ? all
                                               : (uint32_t)machine_value(strand, &code->operand[1], lane));
}

static enum machine_next make_policy(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1) machine_set_value(strand, &code->operand[0], lane, policy_of_lane(strand, code, lane));
    return MACHINE_NEXT;
}

machine_handler *machine_space_find(const struct ptx_choice *choice)
{
    switch ((enum ptx_form_number)choice->form) {
    case PTX_FORM_CVTA:
        return to_generic;
    case PTX_FORM_CVTA_TO:
        return from_generic;
    case PTX_FORM_ISSPACEP:
        return ask_space;
    case PTX_FORM_ALLOCA:
        return take_stack;
    case PTX_FORM_STACKSAVE:
        return save_stack;
    case PTX_FORM_STACKRESTORE:
        return restore_stack;
    case PTX_FORM_APPLYPRIORITY:
    case PTX_FORM_DISCARD:
        return hint;
    case PTX_FORM_CREATEPOLICY:
    case PTX_FORM_CREATEPOLICY_RANGE:
    case PTX_FORM_CREATEPOLICY_CVT:
        return make_policy;
    default:
        return NULL;
    }
}
