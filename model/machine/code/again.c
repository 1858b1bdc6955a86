// SPDX-License-Identifier: MIT
// Warps of the same index in the CTAs of a grid begin alike: they read the same parameters, have the same %tid, and
// make the same of both. The registers of such a warp stay where they are when it ends. So the next one has there what
// does not depend on the CTA, if nothing else is ever written there, and computes only the rest of its first
// instructions. Of the other registers, those are 0 again that might be read before they are written.
#include "again.h"

#include <stdlib.h>
#include <string.h>

#include "handler.h"
#include "special.h"
#include "visit.h"

enum { UNIT = MACHINE_UNIT, WORD_BITS = 64, MOST_WORDS = 1 << 20, MOST_PASSES = 16 };

// The frame in units of UNIT bytes; a slot is named by its first.
//   writes      how many instructions may write it, up to 2
//   is_read     1: it may be read before it is written, or by other lanes
//   is_same     its value does not depend on the CTA
//   in          of each code that is a target of a branch: slots that are written on all ways to it, a bit each
//   is_known    of each: a way to it has been found
struct plan {
    const struct machine_kernel *kernel;
    const struct machine_function *function;
    struct machine_visits visits;
    uint8_t *writes, *is_read, *is_same, *is_known;
    uint64_t **in, *now;
    uint32_t units, words;
    bool is_reached, has_changed, answer;
};

// --- Operands --------------------------------------------------------------------------------------------------------

// Does each lane that executes it look at no other, and write for no other?
static bool is_lanewise(const struct machine_code *code)
{
    return code->handler == NULL || code->handler == machine_run_transfer || code->choice == NULL ||
           code->kind == MACHINE_BRANCH || machine_is_opcode(code, "cvta");
}

static void count_write(void *context, const struct machine_code *code, const struct machine_operand *operand,
                        int is_written)
{
    struct plan *plan = context;
    (void)code;
    machine_count_write(plan->writes, operand, is_written);
}

// --- What is read before it is written -------------------------------------------------------------------------------

static void note_read(void *context, const struct machine_code *code, const struct machine_operand *operand,
                      int is_written)
{
    struct plan *plan = context;
    if (!machine_is_in_frame(operand) || (is_written && is_lanewise(code))) return;
    const uint32_t unit = machine_unit_of(operand->slot);
    if (!is_lanewise(code) || (plan->now[unit / WORD_BITS] >> unit % WORD_BITS & 1) == 0) plan->is_read[unit] = 1;
}

static void note_write(void *context, const struct machine_code *code, const struct machine_operand *operand,
                       int is_written)
{
    struct plan *plan = context;
    if (!is_written || !machine_is_in_frame(operand) || code->guarded != MACHINE_ALL || machine_is_call(code)) return;
    const uint32_t unit = machine_unit_of(operand->slot);
    plan->now[unit / WORD_BITS] |= (uint64_t)1 << unit % WORD_BITS;
}

// A way leads from here to `target`.
static void lead(struct plan *plan, uint32_t target)
{
    uint64_t *in = plan->in[target];
    for (uint32_t i = 0; i < plan->words; i++) {
        const uint64_t both = plan->is_known[target] ? in[i] & plan->now[i] : plan->now[i];
        plan->has_changed |= !plan->is_known[target] || both != in[i];
        in[i] = both;
    }
    plan->is_known[target] = 1;
}

static const struct machine_list *list_of(const struct plan *plan, const struct machine_code *code)
{
    return machine_is_opcode(code, "brx.idx") ? &plan->function->list[code->target] : NULL;
}

static bool ends_way(const struct machine_code *code)
{
    const bool goes =
        code->kind == MACHINE_BRANCH || machine_is_opcode(code, "brx.idx") || code->handler == machine_return;
    return goes && code->guarded == MACHINE_ALL;
}

static void step(struct plan *plan, uint32_t number)
{
    const struct machine_code *code = &plan->function->code[number];
    if (plan->in[number] != NULL && plan->is_reached) lead(plan, number);
    if (plan->in[number] != NULL) plan->is_reached = plan->is_known[number];
    if (!plan->is_reached) return;
    if (plan->in[number] != NULL) memcpy(plan->now, plan->in[number], plan->words * sizeof *plan->now);
    const struct machine_operand guard = {.slot = code->guarded == MACHINE_ALL ? MACHINE_LEFT_OUT : code->guard};
    note_read(plan, code, &guard, 0);
    machine_each_operand(&plan->visits, code, plan, note_read);
    machine_each_operand(&plan->visits, code, plan, note_write);
    const struct machine_list *list = list_of(plan, code);
    if (code->kind == MACHINE_BRANCH) lead(plan, code->target);
    for (uint32_t i = 0; list != NULL && i < list->count; i++) lead(plan, list->target[i]);
    if (ends_way(code)) plan->is_reached = false;
}

static bool open_target(struct plan *plan, uint32_t target)
{
    if (plan->in[target] == NULL) plan->in[target] = calloc(plan->words, sizeof **plan->in);
    return plan->in[target] != NULL;
}

// 0: there is no memory, or the function is too large.
static bool open_targets(struct plan *plan)
{
    const struct machine_function *function = plan->function;
    uint64_t targets = 0;
    for (uint32_t i = 0; i < function->codes; i++) {
        const struct machine_code *code = &function->code[i];
        const struct machine_list *list = list_of(plan, code);
        targets += code->kind == MACHINE_BRANCH ? 1 : list != NULL ? list->count : 0;
        if (targets * plan->words > MOST_WORDS) return false;
        if (code->kind == MACHINE_BRANCH && !open_target(plan, code->target)) return false;
        for (uint32_t k = 0; list != NULL && k < list->count; k++)
            if (!open_target(plan, list->target[k])) return false;
    }
    return true;
}

// Until no way is new; 0 if that takes too long.
static bool follow_ways(struct plan *plan)
{
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        memset(plan->now, 0, plan->words * sizeof *plan->now);
        plan->is_reached = true;
        plan->has_changed = false;
        for (uint32_t i = 0; i < plan->function->codes; i++) step(plan, i);
        if (!plan->has_changed) return true;
    }
    return false;
}

// --- What does not depend on the CTA ---------------------------------------------------------------------------------

static bool is_same_special(const struct plan *plan, uint32_t slot)
{
    for (uint32_t i = 0; i < plan->kernel->specials; i++)
        if (plan->kernel->special[i].slot == slot) return !machine_special_differs(&plan->kernel->special[i]);
    return slot < MACHINE_SLOT_SPECIALS; // what every warp has
}

static void ask_same(void *context, const struct machine_code *code, const struct machine_operand *operand,
                     int is_written)
{
    struct plan *plan = context;
    const uint32_t base = operand->slot % MACHINE_BASES;
    (void)code;
    if (operand->slot == MACHINE_LEFT_OUT || (base == MACHINE_IN_CONSTANTS && !is_written)) return;
    if (base == MACHINE_IN_WARP && !is_written && is_same_special(plan, operand->slot)) return;
    const uint32_t unit = machine_unit_of(operand->slot);
    const bool is_written_once = base == MACHINE_IN_FRAME && plan->writes[unit] == 1 && !plan->is_read[unit];
    if (base != MACHINE_IN_FRAME || !(is_written ? is_written_once : plan->is_same[unit])) plan->answer = false;
}

static void mark_same(void *context, const struct machine_code *code, const struct machine_operand *operand,
                      int is_written)
{
    struct plan *plan = context;
    (void)code;
    if (is_written) plan->is_same[machine_unit_of(operand->slot)] = 1;
}

static bool has_carry(const struct machine_code *code)
{
    return code->choice->word[PTX_CLASS_CARRY] != PTX_WORD_NONE || machine_is_opcode(code, "addc") ||
           machine_is_opcode(code, "subc") || machine_is_opcode(code, "madc");
}

// Does the instruction make the same of the same operands in each CTA of a launch?
static bool is_repeatable(const struct plan *plan, const struct machine_code *code)
{
    if (code->guarded != MACHINE_ALL || code->choice == NULL) return false;
    if (machine_is_opcode(code, "cvta")) return true;
    if (code->handler != machine_run_transfer) return code->kind == MACHINE_PLAIN && !has_carry(code);
    const uint64_t bytes = plan->kernel->facts.parameter_bytes, offset = (uint64_t)code->transfer->at->add;
    return code->transfer->is_parameter && offset <= bytes && code->transfer->whole_bytes <= bytes - offset;
}

static bool is_same(struct plan *plan, const struct machine_code *code)
{
    plan->answer = is_repeatable(plan, code);
    if (plan->answer) machine_each_operand(&plan->visits, code, plan, ask_same);
    if (plan->answer) machine_each_operand(&plan->visits, code, plan, mark_same);
    return plan->answer;
}

// --- What is kept of it ----------------------------------------------------------------------------------------------

// The first instructions, up to one that could do more than compute, without those that make the same.
static bool keep_codes(struct plan *plan, struct machine_again *again)
{
    const struct machine_function *function = plan->function;
    uint32_t end = 0;
    again->code = aligned_alloc(MACHINE_SLOT_ALIGN, (function->codes + 1u) * sizeof *again->code);
    again->number = calloc(function->codes + 1u, sizeof *again->number);
    if (again->code == NULL || again->number == NULL) return false;
    for (; end < function->codes; end++) {
        const struct machine_code *code = &function->code[end];
        if (is_same(plan, code)) continue;
        if (code->kind != MACHINE_PLAIN) break;
        again->number[again->codes] = end;
        again->code[again->codes++] = *code;
    }
    again->stands_for = again->codes < end ? end : 0;
    return true;
}

static bool keep_cleared(const struct plan *plan, struct machine_again *again)
{
    again->cleared = calloc(plan->units + 1u, sizeof *again->cleared);
    if (again->cleared == NULL) return false;
    for (uint32_t unit = 0; unit < plan->units; unit++) {
        if (!plan->is_read[unit]) continue;
        const bool goes_on = unit > 0 && plan->is_read[unit - 1];
        if (!goes_on) again->cleared[again->clears++].first = unit * UNIT;
        again->cleared[again->clears - 1].bytes += UNIT;
    }
    return true;
}

// A slot of several units is what its first is.
static void widen(void *context, const struct machine_code *code, const struct machine_operand *operand, int is_written)
{
    struct plan *plan = context;
    static const uint8_t units[PTX_FILES + 1] = {1, 1, 2, 4, 8, 1};
    (void)code, (void)is_written;
    if (!machine_is_in_frame(operand) || !plan->is_read[machine_unit_of(operand->slot)]) return;
    memset(&plan->is_read[machine_unit_of(operand->slot)], 1, units[operand->file]);
}

static bool plan_again(struct plan *plan, struct machine_again *again)
{
    const struct machine_function *function = plan->function;
    plan->is_read = plan->writes + plan->units;
    plan->is_same = plan->is_read + plan->units;
    if (!open_targets(plan) || !follow_ways(plan)) return false;
    plan->is_read[machine_unit_of(function->local_slot)] = 0; // it is set once, for all
    for (uint32_t i = 0; i < function->codes; i++)
        machine_each_operand(&plan->visits, &function->code[i], plan, count_write);
    if (!keep_codes(plan, again)) return false;
    for (uint32_t i = 0; i < function->codes; i++) machine_each_operand(&plan->visits, &function->code[i], plan, widen);
    return keep_cleared(plan, again);
}

static void close_plan(struct plan *plan)
{
    for (uint32_t i = 0; plan->in != NULL && i <= plan->function->codes; i++) free(plan->in[i]);
    free(plan->in);
    free(plan->is_known);
    free(plan->writes);
    free(plan->visits.written);
    free(plan->now);
}

void machine_again_prepare(const struct machine_kernel *kernel, uint32_t spellings, struct machine_again *again)
{
    const struct machine_function *function = kernel->entry;
    struct plan plan = {.kernel = kernel, .function = function, .units = function->frame_bytes / UNIT};
    plan.words = plan.units / WORD_BITS + 1;
    plan.writes = calloc(plan.units + 1u, 3);
    plan.is_known = calloc(function->codes + 1u, 1);
    plan.in = calloc(function->codes + 1u, sizeof *plan.in);
    plan.now = calloc(plan.words, sizeof *plan.now);
    plan.visits = (struct machine_visits){function, calloc(spellings + 1u, sizeof *plan.visits.written)};
    const bool has_memory = plan.writes != NULL && plan.is_known != NULL && plan.in != NULL && plan.now != NULL;
    if (!has_memory || plan.visits.written == NULL || !plan_again(&plan, again)) machine_again_free(again);
    close_plan(&plan);
}

void machine_again_free(struct machine_again *again)
{
    free(again->code);
    free(again->number);
    free(again->cleared);
    *again = (struct machine_again){0};
}
