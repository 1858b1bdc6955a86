// SPDX-License-Identifier: MIT
#include "courses.h"

#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "decoder.h"
#include "handler.h"
#include "meeting.h"
#include "special.h"
#include "visit.h"

// kernel: whose entry it is. Of each unit of the frame: how many instructions write it, up to 2, and is what it has the
// same in every CTA? predicate: where those lie that have been seen, `slots` of them. are_predicates: all operands of
// the instruction under way are; is_apart: it reads what differs from warp to warp, or writes what is not of the frame.
struct plan {
    struct machine_kernel *kernel;
    struct machine_visits visits;
    uint8_t *writes, *is_same;
    uint32_t slots, predicate[MACHINE_COURSE_PREDICATES];
    struct machine_course_code *now;
    bool are_predicates, is_apart, has_room, has_changed;
};

static uint64_t bit_of(struct plan *plan, uint32_t slot)
{
    uint32_t i = 0, *const predicate = plan->predicate;
    while (i < plan->slots && predicate[i] != slot) i++;
    if (i == MACHINE_COURSE_PREDICATES) plan->has_room = false;
    if (i == MACHINE_COURSE_PREDICATES) return 0;
    if (i == plan->slots) predicate[plan->slots++] = slot;
    return UINT64_C(1) << i;
}

static void look(void *context, const struct machine_code *code, const struct machine_operand *operand, int is_written)
{
    struct plan *plan = context;
    (void)code;
    if (operand->slot == MACHINE_LEFT_OUT) return;
    const uint32_t base = operand->slot % MACHINE_BASES;
    const bool is_predicate = operand->file == PTX_FILE_PRED && base == MACHINE_IN_FRAME;
    plan->are_predicates &= is_predicate;
    plan->is_apart |= base == MACHINE_IN_WARP && (is_written || operand->slot >= MACHINE_SLOT_SPECIALS);
    if (is_predicate && is_written) plan->now->writes |= bit_of(plan, operand->slot);
    if (is_predicate && !is_written) plan->now->reads |= bit_of(plan, operand->slot);
}

static enum machine_course_kind kind_of_transfer(const struct machine_kernel *kernel, const struct machine_code *code)
{
    const struct machine_transfer *transfer = code->transfer;
    const uint64_t bytes = kernel->facts.parameter_bytes, offset = (uint64_t)transfer->at->add;
    if (transfer->is_strong) return MACHINE_COURSE_NEVER;
    if (transfer->is_parameter)
        return offset <= bytes && transfer->whole_bytes <= bytes - offset ? MACHINE_COURSE_LOADS : MACHINE_COURSE_NEVER;
    if (transfer->guess == MACHINE_GUESS_NOTHING) return MACHINE_COURSE_NEVER;
    return transfer->use == MEMORY_READS ? MACHINE_COURSE_LOADS : MACHINE_COURSE_STORES;
}

// Lanes wait for each other: all of them do, if the mask says so.
static enum machine_course_kind kind_of_meeting(const struct plan *plan, const struct machine_code *code)
{
    const struct machine_operand *mask = &code->operand[code->operands - 1u];
    const struct machine_ramps *ramps = &plan->kernel->ramps;
    uint32_t number = 0;
    const void *constant = plan->kernel->entry->constants + mask->slot - MACHINE_IN_CONSTANTS;
    if (mask->file != PTX_FILE_32) return MACHINE_COURSE_NEVER;
    if (mask->slot % MACHINE_BASES == MACHINE_IN_CONSTANTS) plan->now->mask = MACHINE_MASK_FULL;
    if (mask->slot % MACHINE_BASES == MACHINE_IN_CONSTANTS)
        return *(const uint32_t *)constant == UINT32_MAX ? MACHINE_COURSE_LANES : MACHINE_COURSE_NEVER;
    while (number < ramps->count && ramps->place[number].slot != mask->slot) number++;
    if (number == ramps->count) return MACHINE_COURSE_NEVER;
    plan->now->mask = number + 1;
    return MACHINE_COURSE_LANES;
}

static enum machine_course_kind kind_of(const struct plan *plan, const struct machine_kernel *kernel,
                                        const struct machine_code *code)
{
    if (code->kind == MACHINE_BRANCH) return MACHINE_COURSE_JUMP;
    if (code->handler == machine_return || machine_is_opcode(code, "exit")) return MACHINE_COURSE_ENDS;
    if (plan->is_apart && !(code->handler == machine_run_transfer && code->transfer->is_parameter))
        return MACHINE_COURSE_NEVER;
    if (code->handler == machine_run_transfer) return kind_of_transfer(kernel, code);
    if (machine_barrier_is_plain(kernel->entry, code)) return MACHINE_COURSE_MEETS;
    if (machine_lanes_meet(code)) return kind_of_meeting(plan, code);
    if (code->handler == machine_add_up) return MACHINE_COURSE_LANES;
    if (code->handler != NULL || code->alu == NULL) return MACHINE_COURSE_NEVER;
    return plan->are_predicates ? MACHINE_COURSE_LOGIC : MACHINE_COURSE_LANES;
}

// --- What is the same in every CTA -----------------------------------------------------------------------------------

static void count_write(void *context, const struct machine_code *code, const struct machine_operand *operand,
                        int is_written)
{
    struct plan *plan = context;
    (void)code;
    machine_count_write(plan->writes, operand, is_written);
}

static bool is_same_special(const struct machine_kernel *kernel, uint32_t slot)
{
    for (uint32_t i = 0; i < kernel->specials; i++)
        if (kernel->special[i].slot == slot) return !machine_special_differs(&kernel->special[i]);
    return slot < MACHINE_SLOT_SPECIALS;
}

static void ask_same(void *context, const struct machine_code *code, const struct machine_operand *operand,
                     int is_written)
{
    struct plan *plan = context;
    (void)code;
    if (operand->slot == MACHINE_LEFT_OUT) return;
    const uint32_t base = operand->slot % MACHINE_BASES;
    const uint32_t unit = base == MACHINE_IN_FRAME ? machine_unit_of(operand->slot) : 0;
    if (base == MACHINE_IN_FRAME)
        plan->now->is_same &= is_written ? plan->writes[unit] == 1 : plan->is_same[unit];
    else if (is_written || (base == MACHINE_IN_WARP && !is_same_special(plan->kernel, operand->slot)))
        plan->now->is_same = 0;
}

static void mark_same(void *context, const struct machine_code *code, const struct machine_operand *operand,
                      int is_written)
{
    struct plan *plan = context;
    (void)code;
    if (!is_written || !machine_is_in_frame(operand)) return;
    uint8_t *is_same = &plan->is_same[machine_unit_of(operand->slot)];
    plan->has_changed |= !*is_same;
    *is_same = 1;
}

// Of what makes ramps. A register is read below where it is written, or in a loop: then another pass finds it.
static void find_same(struct plan *plan)
{
    const struct machine_function *function = plan->kernel->entry;
    for (uint32_t i = 0; i < function->codes; i++)
        machine_each_operand(&plan->visits, &function->code[i], plan, count_write);
    do {
        plan->has_changed = false;
        for (uint32_t i = 0; i < function->codes; i++) {
            const struct machine_ramp_code *as = &plan->kernel->ramps.code[i];
            plan->now = &plan->kernel->course[i];
            plan->now->is_same = as->run != NULL && !as->moves;
            machine_each_operand(&plan->visits, &function->code[i], plan, ask_same);
            if (plan->now->is_same) machine_each_operand(&plan->visits, &function->code[i], plan, mark_same);
        }
    } while (plan->has_changed);
}

static bool plan_courses(struct plan *plan)
{
    struct machine_kernel *kernel = plan->kernel;
    const struct machine_function *function = kernel->entry;
    for (uint32_t i = 0; i < function->codes; i++) {
        const struct machine_code *code = &function->code[i];
        plan->now = &kernel->course[i];
        plan->are_predicates = true;
        plan->is_apart = false;
        machine_each_operand(&plan->visits, code, plan, look);
        if (code->guarded != MACHINE_ALL) plan->now->guard = bit_of(plan, code->guard);
        plan->now->kind = kind_of(plan, kernel, code);
    }
    find_same(plan);
    return plan->has_room;
}

// 0 without memory.
static bool keep_predicates(const struct plan *plan)
{
    const size_t bytes = plan->slots * sizeof *plan->predicate;
    if (bytes == 0) return true;
    plan->kernel->predicate = malloc(bytes);
    if (plan->kernel->predicate != NULL) memcpy(plan->kernel->predicate, plan->predicate, bytes);
    return plan->kernel->predicate != NULL;
}

void machine_courses_drop(struct machine_kernel *kernel)
{
    free(kernel->course);
    free(kernel->predicate);
    kernel->course = NULL;
    kernel->predicate = NULL;
}

void machine_courses_prepare(struct machine_kernel *kernel, uint32_t spellings)
{
    const struct machine_function *function = kernel->entry;
    struct plan plan = {.kernel = kernel, .has_room = true};
    if (kernel->ramps.count == 0 || kernel->again.cleared == NULL) return;
    const uint32_t units = function->frame_bytes / MACHINE_UNIT + 1;
    plan.visits = (struct machine_visits){function, calloc(spellings + 1u, sizeof *plan.visits.written)};
    plan.writes = calloc(units, 1);
    plan.is_same = calloc(units, 1);
    kernel->course = calloc(function->codes + 1u, sizeof *kernel->course);
    const bool has_memory =
        plan.visits.written != NULL && plan.writes != NULL && plan.is_same != NULL && kernel->course != NULL;
    if (!has_memory || !plan_courses(&plan) || !keep_predicates(&plan)) machine_courses_drop(kernel);
    free(plan.visits.written);
    free(plan.writes);
    free(plan.is_same);
}
