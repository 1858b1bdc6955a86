// SPDX-License-Identifier: MIT
// Branches, calls and ends.
#include <string.h>

#include "barrier.h"
#include "device_call.h"
#include "each.h"
#include "form_number.h"
#include "handler.h"
#include "hang.h"
#include "module.h"
#include "warp.h"

// Lanes of the strand whose guard is false go on.
static void step_over(struct machine_strand *strand, uint32_t lanes)
{
    if (lanes != strand->lanes) machine_move(strand, strand->lanes & ~lanes, strand->pc + 1);
}

static enum machine_next leave(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller room;
    if (machine_is_heard(strand)) {
        const struct teller *teller = machine_teller(strand, code, lanes, &room);
        event_tell(teller, (struct event){.kind = EVENT_RUN, .run = RUN_EXIT});
    }
    step_over(strand, lanes);
    struct machine_cta *cta = strand->warp->cta;
    machine_lanes_exit(strand, lanes);
    machine_barriers_look(cta);
    return MACHINE_JUMPED;
}

// --- Branches --------------------------------------------------------------------------------------------------------

static enum machine_next bra(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    step_over(strand, lanes); // first: afterwards the strand may be another
    machine_move(strand, lanes, code->target);
    return MACHINE_JUMPED;
}

static enum machine_next brx(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_list *list = &strand->frame->function->list[code->target];
    const uint32_t *index = machine_lanes(strand, code, 0);
    uint32_t chosen = index[__builtin_ctz(lanes)], same = 0;
    for (int lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1 && index[lane] == chosen) same |= 1u << lane;
    if (chosen >= list->count)
        return machine_stop(strand, code, (uint32_t)__builtin_ctz(lanes), MACHINE_FAULTED, CUDA_LAUNCH_FAILED,
                            "brx.idx: target %u of a list of %u", chosen, list->count);
    // The first lane's target; the others come here again.
    step_over(strand, lanes);
    machine_move(strand, same, list->target[chosen]);
    return MACHINE_JUMPED;
}

// --- Calls -----------------------------------------------------------------------------------------------------------

// One end of what is passed: a slot of a frame, or local memory of the lane.
struct passed {
    const struct machine_frame *frame;
    struct machine_operand operand; // file PTX_FILES: in local memory, `add` behind the frame's
};

static const uint8_t *base_of(const struct machine_strand *strand, const struct machine_frame *frame, uint32_t slot)
{
    const uint8_t *const base[MACHINE_BASES] = {frame->slots, frame->function->constants, strand->warp->slots};
    return base[slot % MACHINE_BASES] + (slot & ~(MACHINE_SLOT_ALIGN - 1u));
}

static uint32_t lane_bytes(uint32_t file)
{
    static const uint32_t bytes[PTX_FILES + 1] = {
        [PTX_FILE_16] = 2, [PTX_FILE_32] = 4, [PTX_FILE_64] = 8, [PTX_FILE_128] = 16};
    return bytes[file];
}

// Where byte `i` (of 16 at most from a multiple of its size on) of what is passed is.
static uint8_t *passed_at(const struct machine_strand *strand, const struct passed *passed, uint32_t lane, uint32_t i)
{
    const struct machine_operand *operand = &passed->operand;
    if (operand->file == PTX_FILES) {
        uint64_t address = passed->frame->local_base + (uint64_t)operand->add % MACHINE_WINDOW_BYTES + i;
        return strand->warp->local + (address / 16 * MACHINE_LANES + lane) * 16 + address % 16;
    }
    const uint32_t each = lane_bytes(operand->file);
    return i < each ? (uint8_t *)(uintptr_t)base_of(strand, passed->frame, operand->slot) + lane * each + i : NULL;
}

// The largest pieces of `bytes` bytes that are in one place on both sides: up to 8 bytes, a power of two.
static uint32_t piece_of(const struct passed *to, const struct passed *from, uint32_t bytes)
{
    const uint32_t of_local = (uint32_t)to->operand.add | (uint32_t)from->operand.add;
    const uint32_t of_slots = lane_bytes(to->operand.file) | lane_bytes(from->operand.file);
    return 1u << __builtin_ctz(bytes | of_local | of_slots | sizeof(uint64_t));
}

static void copy_piece(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    static const uint8_t zero[sizeof(uint64_t)];
    if (from == NULL) from = zero;
    if (bytes == sizeof(uint64_t))
        memcpy(to, from, sizeof(uint64_t));
    else if (bytes == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else if (bytes == sizeof(uint16_t))
        memcpy(to, from, sizeof(uint16_t));
    else
        *to = *from;
}

static void pass_predicate(const struct machine_strand *strand, const struct passed *to, const struct passed *from,
                           uint32_t lanes)
{
    uint32_t *into = (uint32_t *)(uintptr_t)base_of(strand, to->frame, to->operand.slot);
    *into = (*into & ~lanes) | (*(const uint32_t *)base_of(strand, from->frame, from->operand.slot) & lanes);
}

static void pass(const struct machine_strand *strand, const struct passed *to, const struct passed *from,
                 uint32_t bytes, uint32_t lanes)
{
    if (to->operand.file == PTX_FILE_PRED || from->operand.file == PTX_FILE_PRED) {
        if (to->operand.file == from->operand.file) pass_predicate(strand, to, from, lanes);
        return;
    }
    const uint32_t each = lane_bytes(to->operand.file), piece = piece_of(to, from, bytes);
    if (lanes == UINT32_MAX && bytes == each && lane_bytes(from->operand.file) == each) {
        memmove(passed_at(strand, to, 0, 0), passed_at(strand, from, 0, 0), (size_t)each * MACHINE_LANES);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        for (uint32_t i = 0, lane = (uint32_t)__builtin_ctz(left); i < bytes; i += piece) {
            uint8_t *into = passed_at(strand, to, lane, i);
            if (into != NULL) copy_piece(into, passed_at(strand, from, lane, i), piece);
        }
}

static struct passed formal_of(const struct machine_frame *frame, uint32_t i)
{
    const struct machine_formal *formal = &frame->function->formal[i];
    struct passed passed = {frame, {.slot = formal->slot, .file = formal->file, .add = formal->offset}};
    if (formal->slot == MACHINE_LEFT_OUT) passed.operand.file = PTX_FILES;
    return passed;
}

// What is passed to a call lies first in the frame of the callee, behind it in that of the caller.
static void pass_arguments(const struct machine_strand *strand, const struct machine_code *code,
                           const struct machine_frame *callee)
{
    const struct machine_function *function = callee->function;
    for (uint32_t i = function->returns; i < function->returns + function->parameters; i++) {
        struct passed to = formal_of(callee, i), from = {callee->caller, code->operand[i]};
        pass(strand, &to, &from, function->formal[i].bytes, callee->lanes);
    }
}

static void pass_results(const struct machine_strand *strand, const struct machine_frame *callee, uint32_t lanes)
{
    for (uint32_t i = 0; i < callee->function->returns; i++) {
        struct passed from = formal_of(callee, i), to = {callee->caller, callee->call->operand[i]};
        if (to.operand.slot != MACHINE_LEFT_OUT) pass(strand, &to, &from, callee->function->formal[i].bytes, lanes);
    }
}

// What a call takes of the stack besides its variables: the registers that a GPU would keep there.
static uint32_t stack_bytes_of(const struct machine_function *function)
{
    enum { RETURN_BYTES = 16, KEPT_OF_FRAME = 8 };
    return (function->local_bytes + function->frame_bytes / MACHINE_LANES / KEPT_OF_FRAME + RETURN_BYTES + 15u) / 16u *
           16u;
}

static enum machine_next enter(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                               const struct machine_function *function)
{
    enum { DEFAULT_STACK_BYTES = 1 << 16 };
    struct machine_warp *warp = strand->warp;
    const struct machine *machine = warp->cta->cluster->machine;
    uint32_t limit = machine->launch->stack_bytes == 0 ? DEFAULT_STACK_BYTES : machine->launch->stack_bytes, base = 0;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    for (uint32_t i = 0; i < MACHINE_LANES; i++)
        if (lanes >> i & 1 && warp->stack_top[i] > base) base = warp->stack_top[i];
    uint64_t top = (uint64_t)base + stack_bytes_of(function);
    if (top > (uint64_t)limit + machine->kernel->entry->local_bytes + machine->kernel->module_local_bytes)
        return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_ILLEGAL_ADDRESS, // as an H200 says
                            "the stack of %u bytes is full, %u calls deep: is there a recursion without an end? "
                            "cuCtxSetLimit(CU_LIMIT_STACK_SIZE) makes it larger",
                            limit, strand->frame->depth + 1);
    struct machine_frame *frame = NULL;
    if (machine_local_grow(warp, top)) frame = machine_frame_open(strand, function, code, lanes, base);
    if (frame == NULL) return machine_stop(strand, code, lane, MACHINE_NO_MEMORY, 0, "no memory for another call");
    for (uint32_t i = 0; i < MACHINE_LANES; i++)
        if (lanes >> i & 1) warp->stack_top[i] = (uint32_t)top;
    pass_arguments(strand, code, frame);
    machine_frame_enter(strand, frame);
    return MACHINE_JUMPED;
}

// Of the lanes, those that call the same function as the first; which it is, in *function: -1 if there is none.
static uint32_t lanes_of_callee(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                int64_t *function)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    const uint64_t *address = machine_lanes(strand, code, code->operands - 1u);
    uint64_t chosen = address[__builtin_ctz(lanes)];
    uint32_t same = 0, number;
    for (int lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1 && address[lane] == chosen) same |= 1u << lane;
    *function = machine_function_at(machine->launch->module, chosen, &number) ? (int64_t)number : -1;
    return same;
}

// Does the callee take as many values as the call passes?
static bool is_callable(const struct machine_function *function, const struct machine_code *code)
{
    return function != NULL && !function->source->is_entry &&
           function->returns + function->parameters + 1u == code->operands;
}

enum machine_next machine_call_indirect(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    int64_t number;
    uint32_t same = lanes_of_callee(strand, code, lanes, &number);
    const struct machine_function *function =
        number < 0 ? NULL : machine_kernel_function(machine->kernel, (uint32_t)number);
    if (!is_callable(function, code))
        return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_INVALID_PC,
                            "a call of 0x%llx, where no function is that takes what is passed",
                            (unsigned long long)machine_value(strand, &code->operand[code->operands - 1u], lane));
    step_over(strand, lanes); // the others come to the call again
    return enter(strand, code, same, function);
}

enum machine_next machine_call(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    const struct machine_function *function = machine_kernel_function(machine->kernel, code->target);
    if (function == NULL) return machine_device_call(strand, code, lanes);
    step_over(strand, lanes);
    return enter(strand, code, lanes, function);
}

enum machine_next machine_return(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_frame *frame = strand->frame;
    if (frame->caller == NULL) return leave(strand, code, lanes);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1) strand->warp->stack_top[lane] = frame->local_base;
    pass_results(strand, frame, lanes);
    step_over(strand, lanes);
    machine_frame_pop(strand, lanes);
    return MACHINE_JUMPED;
}

// --- Ends and others -------------------------------------------------------------------------------------------------

// Cooperative groups trap where a grid is to meet and has no workspace, whose address %envreg1 and %envreg2 hold. A
// kernel with such a grid may trap for other reasons.
static bool misses_workspace(const struct machine *machine)
{
    bool reads = false;
    for (uint32_t i = 0; i < machine->kernel->specials; i++)
        reads |= machine->kernel->special[i].special == PTX_SPECIAL_ENVREG;
    return reads && machine->launch->grid_workspace == 0;
}

static enum machine_next trap(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    const enum machine_next next = machine_stop(
        strand, code, lane, MACHINE_TRAPPED, CUDA_LAUNCH_FAILED, "the kernel executed trap%s",
        misses_workspace(strand->warp->cta->cluster->machine)
            ? "\n  The launch is not cooperative. If grid.sync() trapped: it needs cudaLaunchCooperativeKernel."
            : "");
    hang_tell_trap(strand, code, lane);
    return next;
}

static enum machine_next breakpoint(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    return machine_stop(strand, code, (uint32_t)__builtin_ctz(lanes), MACHINE_TRAPPED, CUDA_LAUNCH_FAILED,
                        "the kernel executed brkpt, and no debugger is there");
}

static enum machine_next nothing(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    (void)strand, (void)code, (void)lanes;
    return MACHINE_NEXT;
}

// Others run; where they only poll, the time passes for which the lanes sleep.
static enum machine_next sleep_a_while(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    if (cluster->slept == 0 && cluster->suspended == 0) cluster->held_at = cluster->progress;
    for (EACH_BIT(lane, lanes)) {
        uint64_t wanted = machine_value(strand, &code->operand[0], lane);
        if (wanted > cluster->slept) cluster->slept = wanted;
    }
    return MACHINE_YIELD;
}

machine_handler *machine_control_find(const struct ptx_choice *choice)
{
    switch ((enum ptx_form_number)choice->form) {
    case PTX_FORM_BRA:
        return bra;
    case PTX_FORM_BRX_IDX:
        return brx;
    case PTX_FORM_CALL:
        return machine_call;
    case PTX_FORM_RET:
        return machine_return;
    case PTX_FORM_EXIT:
        return leave;
    case PTX_FORM_TRAP:
        return trap;
    case PTX_FORM_BRKPT:
        return breakpoint;
    case PTX_FORM_PMEVENT:
    case PTX_FORM_PMEVENT_MASK:
        return nothing;
    case PTX_FORM_NANOSLEEP:
        return sleep_a_while;
    default:
        return NULL;
    }
}
