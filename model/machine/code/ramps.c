// SPDX-License-Identifier: MIT
// At first each register counts as the same in all lanes. Each instruction that writes it may show that it is less
// even; this is repeated until nothing changes.
#include "ramps.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "handler.h"
#include "special.h"
#include "visit.h"

enum { MOST_PASSES = 64, MOST_FROM = 3, NO_RAMP = UINT8_MAX, WITH_BIT = 64 };

//   even    of each unit of the frame: enum machine_evenness
//   number  of each unit of the frame: of its ramp
//   result  of the instruction under way; lanes: the ramps that it reads lane by lane
struct plan {
    const struct machine_kernel *kernel;
    const struct machine_function *function;
    struct machine_visits visits;
    struct machine_ramps *ramps;
    uint8_t *even, *number;
    uint32_t units;
    enum machine_evenness result;
    bool has_changed;
    uint64_t lanes;
};

// --- How even values are ---------------------------------------------------------------------------------------------

static enum machine_evenness special_even(const struct machine_special *special)
{
    switch ((enum ptx_special)special->special) {
    case PTX_SPECIAL_TID:
    case PTX_SPECIAL_LANEID:
        return MACHINE_RISING;
    case PTX_SPECIAL_NTID:
    case PTX_SPECIAL_CTAID:
    case PTX_SPECIAL_NCTAID:
        return MACHINE_SAME;
    default:
        return MACHINE_UNLIKE; // clocks among them
    }
}

static const struct machine_special *special_of(const struct machine_kernel *kernel, uint32_t slot)
{
    for (uint32_t i = 0; i < kernel->specials; i++)
        if (kernel->special[i].slot == slot) return &kernel->special[i];
    return NULL;
}

static enum machine_evenness even_of(const struct plan *plan, const struct machine_operand *operand)
{
    if (operand->slot == MACHINE_LEFT_OUT || operand->parts > 1) return MACHINE_UNLIKE;
    if (operand->file != PTX_FILE_32 && operand->file != PTX_FILE_64) return MACHINE_UNLIKE;
    switch (operand->slot % MACHINE_BASES) {
    case MACHINE_IN_FRAME:
        return (enum machine_evenness)plan->even[machine_unit_of(operand->slot)];
    case MACHINE_IN_CONSTANTS:
        return MACHINE_SAME;
    default:
        break;
    }
    if (operand->slot < MACHINE_SLOT_SPECIALS) return MACHINE_SAME; // what every warp has
    const struct machine_special *special = special_of(plan->kernel, operand->slot);
    return special == NULL ? MACHINE_UNLIKE : special_even(special);
}

// Of an `and` with a stretch of ones up to bit n and of a shift by n: 2^n, by which they cut a row in two; 0: it is
// another instruction, or another number.
static uint64_t cut_of(const struct plan *plan, const struct machine_code *code)
{
    const bool is_and = machine_is_opcode(code, "and"), is_shift = machine_is_opcode(code, "shr");
    if ((!is_and && !is_shift) || code->operands != 3) return 0;
    const struct machine_operand *by = &code->operand[2];
    if (by->slot % MACHINE_BASES != MACHINE_IN_CONSTANTS || by->file != PTX_FILE_32) return 0;
    const uint32_t number =
        *(const uint32_t *)(const void *)(plan->function->constants + by->slot - MACHINE_IN_CONSTANTS);
    const uint64_t end = (uint64_t)number + (number & (0 - number)); // of a stretch of ones
    if (is_and) return number != 0 && (end & (end - 1)) == 0 ? end : 0;
    return number < 32 ? UINT64_C(1) << number : 0;
}

// The rows of a warp are as wide as the program cuts what may rise.
static uint32_t choose_width(const struct plan *plan)
{
    enum { LEAST = 4 };
    uint64_t width = MACHINE_LANES;
    for (uint32_t i = 0; i < plan->function->codes; i++) {
        const struct machine_code *code = &plan->function->code[i];
        const uint64_t cut = cut_of(plan, code);
        if (cut >= LEAST && cut < width && even_of(plan, &code->operand[1]) == MACHINE_RISING) width = cut;
    }
    return (uint32_t)width;
}

// What cuts elsewhere than between rows makes no ramp of one that rises. As long as no width is chosen, any cut may.
static bool cuts_rows(const struct plan *plan, const struct machine_code *code)
{
    const uint64_t cut = cut_of(plan, code);
    return plan->ramps->width == 0 || cut == plan->ramps->width || cut >= MACHINE_LANES;
}

static enum machine_evenness find(const struct plan *plan, const struct machine_code *code, machine_ramp_function **run)
{
    enum machine_evenness from[MOST_FROM] = {MACHINE_UNLIKE, MACHINE_UNLIKE, MACHINE_UNLIKE};
    const uint32_t is_compare = machine_is_opcode(code, "setp"), first = 1 + is_compare;
    *run = NULL;
    if (code->guarded != MACHINE_ALL || code->operands < 2 || code->operands > first + MOST_FROM) return MACHINE_UNLIKE;
    for (uint32_t i = first; i < code->operands; i++) from[i - first] = even_of(plan, &code->operand[i]);
    const bool cuts = machine_is_opcode(code, "and") || machine_is_opcode(code, "shr");
    if (cuts && from[0] == MACHINE_RISING && !cuts_rows(plan, code)) return MACHINE_UNLIKE;
    return machine_ramp_find(plan->kernel, code, from, run);
}

static void lower(struct plan *plan, uint32_t unit, enum machine_evenness even)
{
    if (plan->even[unit] <= even) return;
    plan->even[unit] = (uint8_t)even;
    plan->has_changed = true;
}

// A product of wgmma reads registers when it comes to it.
static void lower_written(void *context, const struct machine_code *code, const struct machine_operand *operand,
                          int is_written)
{
    struct plan *plan = context;
    if (!machine_is_in_frame(operand) || (!is_written && !machine_is_opcode(code, "wgmma"))) return;
    const bool is_wide_enough = operand->file == PTX_FILE_32 || operand->file == PTX_FILE_64;
    lower(plan, machine_unit_of(operand->slot), is_wide_enough ? plan->result : MACHINE_UNLIKE);
}

static void look_at(struct plan *plan, const struct machine_code *code)
{
    machine_ramp_function *run;
    plan->result = find(plan, code, &run);
    machine_each_operand(&plan->visits, code, plan, lower_written);
}

// What nothing writes is 0, and no ramp; nor is the inside of a slot of several units.
static void begin_written(void *context, const struct machine_code *code, const struct machine_operand *operand,
                          int is_written)
{
    struct plan *plan = context;
    (void)code;
    if (is_written && machine_is_in_frame(operand)) plan->even[machine_unit_of(operand->slot)] = MACHINE_SAME;
}

static void each_operand(struct plan *plan, machine_visitor *visit)
{
    for (uint32_t i = 0; i < plan->function->codes; i++)
        machine_each_operand(&plan->visits, &plan->function->code[i], plan, visit);
}

// Only so many registers can be ramps: those that come first in the frame.
static bool keep_few(struct plan *plan)
{
    uint32_t kept = 0;
    for (uint32_t unit = 0; unit < plan->units; unit++)
        if (plan->even[unit] != MACHINE_UNLIKE && ++kept > MACHINE_MOST_RAMPS) lower(plan, unit, MACHINE_UNLIKE);
    return !plan->has_changed;
}

// 0: it takes too long.
static bool settle(struct plan *plan)
{
    each_operand(plan, begin_written);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        plan->has_changed = false;
        for (uint32_t i = 0; i < plan->function->codes; i++) look_at(plan, &plan->function->code[i]);
        if (!plan->has_changed && keep_few(plan)) return true;
    }
    return false;
}

// --- What is kept of it ----------------------------------------------------------------------------------------------

// The number of a new ramp; NO_RAMP if there is no room for it.
static uint8_t add_place(struct machine_ramps *ramps, const struct machine_operand *operand)
{
    const struct machine_ramp_place place = {.slot = operand->slot, .file = operand->file};
    if (ramps->count == NO_RAMP || !ARRAY_ADD(ramps->place, ramps->count, place)) return NO_RAMP;
    return (uint8_t)(ramps->count - 1);
}

static void add_written(void *context, const struct machine_code *code, const struct machine_operand *operand,
                        int is_written)
{
    struct plan *plan = context;
    (void)code;
    if (!machine_is_in_frame(operand) || !is_written) return;
    const uint32_t unit = machine_unit_of(operand->slot);
    if (plan->even[unit] != MACHINE_UNLIKE && plan->number[unit] == NO_RAMP)
        plan->number[unit] = add_place(plan->ramps, operand);
}

// The number of the ramp that an operand is; NO_RAMP if there is no room for it.
static uint8_t number_of(const struct plan *plan, const struct machine_operand *operand)
{
    struct machine_ramps *ramps = plan->ramps;
    if (machine_is_in_frame(operand)) return plan->number[machine_unit_of(operand->slot)];
    for (uint32_t i = ramps->registers; i < ramps->count; i++)
        if (ramps->place[i].slot == operand->slot && ramps->place[i].file == operand->file) return (uint8_t)i;
    return add_place(ramps, operand);
}

static const struct machine_special *renewed_of(const struct plan *plan, const struct machine_operand *operand)
{
    if (operand->slot == MACHINE_LEFT_OUT || operand->slot % MACHINE_BASES != MACHINE_IN_WARP) return NULL;
    const struct machine_special *special = special_of(plan->kernel, operand->slot);
    return special != NULL && machine_special_differs(special) ? special : NULL;
}

// What is renewed comes first.
static void add_renewed(void *context, const struct machine_code *code, const struct machine_operand *operand,
                        int is_written)
{
    struct plan *plan = context;
    struct machine_ramps *ramps = plan->ramps;
    const struct machine_special *special = renewed_of(plan, operand);
    (void)code, (void)is_written;
    if (special == NULL || even_of(plan, operand) == MACHINE_UNLIKE) return;
    const uint8_t number = number_of(plan, operand);
    if (number != NO_RAMP) ramps->place[number].renewed = special;
}

// 0: its lanes are always there.
static uint64_t bit_of(uint8_t number)
{
    return number < WITH_BIT ? UINT64_C(1) << number : 0;
}

static void note_lanes(void *context, const struct machine_code *code, const struct machine_operand *operand,
                       int is_written)
{
    struct plan *plan = context;
    (void)is_written;
    if (!machine_is_in_frame(operand)) return;
    if (code->handler == machine_run_transfer && operand == code->transfer->at) return;
    const uint8_t number = plan->number[machine_unit_of(operand->slot)];
    plan->lanes |= bit_of(number);
}

static uint16_t place_of(const struct plan *plan, const struct machine_operand *operand)
{
    const uint8_t number = number_of(plan, operand);
    return number == NO_RAMP ? UINT16_MAX : (uint16_t)(number * sizeof(struct machine_ramp));
}

static struct machine_compare compare_of(const struct machine_code *code)
{
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)code->choice->type[0]);
    const bool is_wide = type->bits == 64, is_signed = type->kind == PTX_KIND_SIGNED;
    return (struct machine_compare){.bias = is_signed ? UINT64_C(1) << (type->bits - 1) : 0,
                                    .slot = code->operand[0].slot,
                                    .how = code->choice->word[PTX_CLASS_COMPARE],
                                    .is_wide = (uint16_t)is_wide};
}

// 0: there is no room.
static bool take_operands(const struct plan *plan, const struct machine_code *code, struct machine_ramp_code *as)
{
    const uint32_t is_compare = machine_is_opcode(code, "setp"), first = 1 + is_compare;
    const bool is_parameter = code->handler == machine_run_transfer;
    for (uint32_t i = first; !is_parameter && i < code->operands; i++)
        if ((as->from[i - first] = place_of(plan, &code->operand[i])) == UINT16_MAX) return false;
    if (is_compare) as->compare = compare_of(code);
    if (is_compare) return true;
    as->add = code->operand[1].add;
    const uint8_t number = number_of(plan, &code->operand[0]);
    as->to = place_of(plan, &code->operand[0]);
    as->writes = bit_of(number);
    as->written_at_once = as->writes == 0;
    return true;
}

static void keep_transfer(struct plan *plan, const struct machine_code *code, struct machine_ramp_code *as)
{
    const struct machine_operand *at = code->transfer->at;
    if (even_of(plan, at) == MACHINE_UNLIKE || code->guarded != MACHINE_ALL) return;
    const uint16_t place = place_of(plan, at);
    if (place == UINT16_MAX) return;
    as->run = machine_ramp_transfer_find(code->transfer);
    as->transfer = code->transfer;
    as->at = place;
    as->span = place / sizeof(struct machine_ramp) % MACHINE_SPANS;
    as->moves = as->run != NULL;
    as->least = as->most = at->add;
}

static void note_renewed(void *context, const struct machine_code *code, const struct machine_operand *operand,
                         int is_written)
{
    struct plan *plan = context;
    (void)code, (void)is_written;
    if (renewed_of(plan, operand) != NULL) plan->ramps->reads_renewed = 1;
}

// Is the register that it writes a ramp, or is it something else at other times?
static bool makes_ramp(const struct plan *plan, const struct machine_code *code)
{
    return number_of(plan, &code->operand[0]) != NO_RAMP;
}

// 0: an operand has no number. Then the register that it writes is no ramp, and nor may others be.
static bool keep_code(struct plan *plan, uint32_t number)
{
    const struct machine_code *code = &plan->function->code[number];
    struct machine_ramp_code *as = &plan->ramps->code[number];
    machine_ramp_function *run;
    *as = (struct machine_ramp_code){.hit = (uint16_t)(number % MACHINE_HITS)};
    plan->lanes = 0;
    machine_each_operand(&plan->visits, code, plan, note_lanes);
    as->lanes = plan->lanes;
    const bool is_compare = machine_is_opcode(code, "setp");
    if (find(plan, code, &run) != MACHINE_UNLIKE && run != NULL && (is_compare || makes_ramp(plan, code))) {
        if (!take_operands(plan, code, as)) return is_compare;
        as->run = run;
        if (is_compare) machine_each_operand(&plan->visits, code, plan, note_renewed); // it may go by lanes
        return true;
    }
    machine_each_operand(&plan->visits, code, plan, note_renewed);
    if (code->handler != machine_run_transfer) return true;
    const struct machine_operand *at = code->transfer->at;
    if (machine_is_in_frame(at)) as->at_lanes = bit_of(plan->number[machine_unit_of(at->slot)]);
    keep_transfer(plan, code, as);
    return true;
}

static void join_plain(const struct machine_function *function, struct machine_ramp_code *as)
{
    for (uint32_t i = function->codes; i-- > 0;) {
        if (as[i].run != NULL || function->code[i].kind != MACHINE_PLAIN) continue;
        as[i].plain = 1 + as[i + 1].plain;
        if (as[i + 1].plain > 0) as[i].lanes |= as[i + 1].lanes;
    }
}

// --- Loads and stores by one ramp ------------------------------------------------------------------------------------

// Those that follow each other are a group, if nothing in between makes the ramp anew, or is done in another way: who
// looks where the first one's lanes are looks for all of them. Groups take turns with the warp's places.
struct groups {
    struct machine_ramp_code *first[MACHINE_GROUPS]; // that is known of each, from the end of the function on
    uint32_t next;
};

static bool is_of_group(const struct machine_ramp_code *below, const struct machine_ramp_code *as)
{
    const struct machine_transfer *a = as->transfer, *b = below->transfer;
    const bool are_alike = a->use == b->use && a->guess == b->guess && a->whole_bytes == b->whole_bytes;
    return below->at == as->at && are_alike && (as->least - below->least) % (int64_t)a->whole_bytes == 0;
}

static void join_group(struct groups *groups, struct machine_ramp_code *as)
{
    uint32_t group = 0;
    while (group < MACHINE_GROUPS && (groups->first[group] == NULL || !is_of_group(groups->first[group], as))) group++;
    if (group == MACHINE_GROUPS) groups->first[group = groups->next++ % MACHINE_GROUPS] = NULL;
    struct machine_ramp_code *const below = groups->first[group];
    if (below != NULL) {
        below->follows = 1;
        as->least = below->least < as->least ? below->least : as->least;
        as->most = below->most > as->most ? below->most : as->most;
    }
    as->group = (uint16_t)group;
    groups->first[group] = as;
}

static void end_groups(struct groups *groups, const struct machine_ramp_code *as)
{
    for (uint32_t i = 0; i < MACHINE_GROUPS; i++)
        if (groups->first[i] != NULL && groups->first[i]->at == as->to) groups->first[i] = NULL;
}

static void join_transfers(const struct machine_function *function, struct machine_ramp_code *as)
{
    struct groups groups = {.next = 0};
    for (uint32_t i = function->codes; i-- > 0;) {
        if (as[i].moves)
            join_group(&groups, &as[i]);
        else if (as[i].run != NULL)
            end_groups(&groups, &as[i]);
        else if (function->code[i].kind != MACHINE_PLAIN)
            groups = (struct groups){.next = groups.next};
    }
}

static void keep_cleared(const struct machine_again *again, struct machine_ramps *ramps)
{
    for (uint32_t i = 0; i < ramps->registers; i++)
        for (uint32_t k = 0; k < again->clears; k++)
            if (ramps->place[i].slot - again->cleared[k].first < again->cleared[k].bytes)
                ramps->cleared[ramps->clears++] = (uint8_t)i;
}

static bool plan_ramps(struct plan *plan)
{
    struct machine_ramps *ramps = plan->ramps;
    const struct machine_function *function = plan->function;
    memset(plan->number, NO_RAMP, plan->units);
    if (!settle(plan)) return false;
    ramps->width = choose_width(plan);
    if (!settle(plan)) return false;
    each_operand(plan, add_written);
    ramps->registers = ramps->count;
    each_operand(plan, add_renewed);
    ramps->renews = ramps->count - ramps->registers;
    for (uint32_t i = 0; i < function->codes; i++)
        if (!keep_code(plan, i)) return false;
    ramps->known_behind = plan->kernel->again.stands_for;
    memcpy(ramps->fill, alu_span()->ramp, sizeof ramps->fill);
    join_plain(function, ramps->code);
    join_transfers(function, ramps->code);
    keep_cleared(&plan->kernel->again, ramps);
    return ramps->registers > 0;
}

void machine_ramps_prepare(const struct machine_kernel *kernel, uint32_t spellings, struct machine_ramps *ramps)
{
    const struct machine_function *function = kernel->entry;
    struct plan plan = {.kernel = kernel, .function = function, .ramps = ramps};
    plan.units = function->frame_bytes / MACHINE_UNIT;
    plan.visits = (struct machine_visits){function, calloc(spellings + 1u, sizeof *plan.visits.written)};
    plan.even = calloc(plan.units + 1u, 1);
    plan.number = calloc(plan.units + 1u, 1);
    ramps->code = calloc(function->codes + 1u, sizeof *ramps->code);
    const bool has_memory = plan.visits.written != NULL && plan.even != NULL && plan.number != NULL;
    if (!has_memory || ramps->code == NULL || !plan_ramps(&plan)) machine_ramps_free(ramps);
    free(plan.visits.written);
    free(plan.even);
    free(plan.number);
}

void machine_ramps_free(struct machine_ramps *ramps)
{
    free(ramps->code);
    free(ramps->place);
    *ramps = (struct machine_ramps){0};
}
