// SPDX-License-Identifier: MIT
// Each warp that executes wgmma has a mark for each slot of the frame in which it does. What it issues now will be of
// the group `committed`, and what is of a group from `waited` on is under way.
#include "sanitize_registers.h"

#include <stdlib.h>
#include <string.h>

#include "form_number.h"
#include "module.h"
#include "operand_rule.h"
#include "sanitize_table.h"

enum { OF_D, OF_A, WARPS = 32 };

// Of D and of A: the group of the last product that has the slot, plus 1, its line, and which register of it this is.
// used: when an instruction that is no product last had the slot; shape: of the last product that has it in D.
struct mark {
    uint32_t group[2], line[2], number[2], used, used_line;
    const struct ptx_choice *shape;
};

// clock counts its instructions; fenced, last_wait: when it last executed wgmma.fence, and had waited.
struct warp {
    struct sanitize_item item;
    const struct machine_function *function;
    const void *frame;
    struct mark *mark;
    uint32_t marks, committed, waited, clock, fenced, last_wait;
};

struct sanitize_registers {
    struct sanitize_table warps;
};

static uint32_t line_of(const struct machine_step *step)
{
    return step->function->source->instruction[step->code->instruction].line;
}

// --- Mistakes --------------------------------------------------------------------------------------------------------

// number: which register of the product it is.
static int tell(const struct machine_step *step, struct sanitize_found *found, enum sanitize_kind kind,
                const struct mark *mark, int operand, uint32_t number)
{
    const struct sanitize_side side = {.warp = step->warp->index,
                                       .lane = (uint32_t)__builtin_ctz(step->lanes),
                                       .rank = step->warp->cta->rank,
                                       .cta = step->warp->cta->number};
    struct sanitize_finding finding = {.kind = kind, .cta = side.cta, .older = side, .newer = side};
    const bool is_fence = kind == SANITIZE_PRODUCT_FENCE;
    struct sanitize_side *product = is_fence ? &finding.newer : &finding.older;
    product->is_product = true;
    product->warp &= ~3u;
    finding.newer.line = line_of(step);
    finding.older.line = is_fence ? mark->used_line : mark->line[operand];
    snprintf(finding.name, sizeof finding.name, "register %u of %s", number, operand == OF_D ? "D" : "A");
    sanitize_found_add(found, &finding);
    return 1;
}

// Of one product one use is told.
static void forget(struct warp *warp, const struct mark *of, int operand)
{
    const uint32_t group = of->group[operand], line = of->line[operand];
    for (uint32_t i = 0; i < warp->marks; i++)
        if (warp->mark[i].group[operand] == group && warp->mark[i].line[operand] == line)
            warp->mark[i].group[operand] = 0;
}

static bool is_under_way(const struct warp *warp, const struct mark *mark, int operand)
{
    return mark->group[operand] > warp->waited;
}

static bool is_same_shape(const struct ptx_choice *a, const struct ptx_choice *b)
{
    return memcmp(a->type, b->type, sizeof a->type) == 0 && memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

// The mark of an operand; NULL if it is no register of the frame.
static struct mark *mark_of(const struct warp *warp, const struct machine_operand *operand)
{
    if (operand->slot == MACHINE_LEFT_OUT || operand->slot % ALU_BASES != MACHINE_IN_FRAME) return NULL;
    const uint32_t at = operand->slot / MACHINE_SLOT_ALIGN;
    return at < warp->marks ? &warp->mark[at] : NULL;
}

// --- Products --------------------------------------------------------------------------------------------------------

// Compilers put moves of constants between the fence and the product, and ptxas mends that: a fence is missing only
// where there has been none since the last wait, or none at all.
static bool lacks_fence(const struct warp *warp, const struct mark *mark)
{
    return warp->fenced == 0 || (mark->used > warp->fenced && warp->fenced < warp->last_wait);
}

// The product takes the register as its `number`th of the operand.
static int check_taken(const struct warp *warp, const struct machine_step *step, const struct mark *mark, int operand,
                       uint32_t number, struct sanitize_found *found)
{
    const bool is_written = is_under_way(warp, mark, OF_D);
    if (is_written && (operand == OF_A || !is_same_shape(mark->shape, step->code->choice)))
        return tell(step, found, SANITIZE_PRODUCT_REGISTER, mark, OF_D, mark->number[OF_D]);
    if (operand == OF_D && is_under_way(warp, mark, OF_A))
        return tell(step, found, SANITIZE_PRODUCT_SOURCE, mark, OF_A, mark->number[OF_A]);
    return !is_written && lacks_fence(warp, mark) && tell(step, found, SANITIZE_PRODUCT_FENCE, mark, operand, number);
}

static void take_vector(const struct warp *warp, const struct machine_step *step, uint32_t first, int operand,
                        struct sanitize_found *found, int *is_told)
{
    const struct machine_operand *at = &step->code->operand[first];
    for (uint32_t i = 0; i < at->parts; i++) {
        struct mark *mark = mark_of(warp, &at[i]);
        if (mark == NULL) continue;
        if (!*is_told) *is_told = check_taken(warp, step, mark, operand, i, found);
        mark->number[operand] = i;
        mark->group[operand] = warp->committed + 1;
        mark->line[operand] = line_of(step);
        if (operand == OF_D) mark->shape = step->code->choice;
    }
}

static void take_product(const struct warp *warp, const struct machine_step *step, struct sanitize_found *found)
{
    const uint32_t a = step->code->operand[0].parts;
    int is_told = 0;
    if (step->code->operand[a].parts > 1) take_vector(warp, step, a, OF_A, found, &is_told);
    take_vector(warp, step, 0, OF_D, found, &is_told);
}

// --- Other instructions ----------------------------------------------------------------------------------------------

static bool check_used(struct warp *warp, const struct machine_step *step, const struct mark *mark, bool is_written,
                       struct sanitize_found *found)
{
    const int operand = is_under_way(warp, mark, OF_D) ? OF_D : OF_A;
    if (operand == OF_A && (!is_written || !is_under_way(warp, mark, OF_A))) return false;
    tell(step, found, operand == OF_D ? SANITIZE_PRODUCT_REGISTER : SANITIZE_PRODUCT_SOURCE, mark, operand,
         mark->number[operand]);
    forget(warp, mark, operand);
    return true;
}

static void use_operands(struct warp *warp, const struct machine_step *step, struct sanitize_found *found)
{
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    const struct machine_code *code = step->code;
    const int rules = code->choice->form == PTX_FORM_CALL ? 0 : ptx_operand_rules(code->choice, rule);
    bool is_told = false;
    uint32_t at = 0;
    for (int i = 0; at < code->operands; i++) {
        const uint32_t parts = code->operand[at].parts;
        for (const uint32_t end = at + (parts > 0 ? parts : 1); at < end && at < code->operands; at++) {
            struct mark *mark = mark_of(warp, &code->operand[at]);
            if (mark == NULL) continue;
            if (!is_told) is_told = check_used(warp, step, mark, i < rules && rule[i].is_written, found);
            mark->used = warp->clock;
            mark->used_line = line_of(step);
        }
    }
}

// A move of what a product has still to write is no use yet: compilers copy accumulators in front of the wait, and
// ptxas makes no instruction of it. The copy is of the product too, and nothing else may be under way where it goes.
// Returns 0 if it is no such move.
static bool take_move(const struct warp *warp, const struct machine_step *step)
{
    const struct machine_code *code = step->code;
    const uint32_t written = code->operand[0].parts > 0 ? code->operand[0].parts : 1;
    const struct mark *from = NULL;
    if (code->choice->form < PTX_FORM_MOV || code->choice->form > PTX_FORM_MOV_B128) return false;
    for (uint32_t at = written; at < code->operands && from == NULL; at++) {
        const struct mark *mark = mark_of(warp, &code->operand[at]);
        if (mark != NULL && is_under_way(warp, mark, OF_D)) from = mark;
    }
    for (uint32_t at = 0; at < written && from != NULL; at++) {
        const struct mark *to = mark_of(warp, &code->operand[at]);
        if (to == NULL || is_under_way(warp, to, OF_A) ||
            (is_under_way(warp, to, OF_D) && to->number[OF_D] != from->number[OF_D]))
            return false;
    }
    if (from == NULL) return false;
    const struct mark copy = *from;
    for (uint32_t at = 0; at < written; at++) *mark_of(warp, &code->operand[at]) = copy;
    return true;
}

// --- Warps -----------------------------------------------------------------------------------------------------------

static void free_marks(struct sanitize_item *item)
{
    free(((struct warp *)item)->mark);
}

// Another call's frame: what was known is of registers that are gone.
static bool enter_frame(struct warp *warp, const struct machine_step *step)
{
    const uint32_t marks = step->function->frame_bytes / MACHINE_SLOT_ALIGN;
    free(warp->mark);
    warp->mark = calloc(marks + 1, sizeof *warp->mark);
    warp->marks = warp->mark == NULL ? 0 : marks;
    warp->function = step->function;
    warp->frame = step->strand->frame;
    return warp->mark != NULL;
}

static struct warp *open_warp(struct sanitize_item **at, const struct machine_step *step)
{
    struct warp *warp = sanitize_table_make(at, step->warp->cta->number, step->warp->index, sizeof *warp);
    return warp != NULL && enter_frame(warp, step) ? warp : NULL;
}

bool sanitize_registers_before(struct sanitize_registers *registers, const struct machine_step *step,
                               struct sanitize_found *found)
{
    if (step->code->choice == NULL) return true; // what the decoder adds to an instruction
    const uint16_t form = step->code->choice->form;
    const bool is_of_wgmma = form >= PTX_FORM_WGMMA_FENCE && form <= PTX_FORM_WGMMA_B1_R;
    struct sanitize_item **at = sanitize_table_find(&registers->warps, step->warp->cta->number, step->warp->index);
    struct warp *warp = (struct warp *)*at;
    const bool is_here = warp != NULL && warp->frame == step->strand->frame && warp->function == step->function;
    if (!is_here && !is_of_wgmma) return true;
    if (!is_here) warp = open_warp(at, step);
    if (warp == NULL) return false;
    warp->clock++;
    if (form >= PTX_FORM_WGMMA_F16 && form <= PTX_FORM_WGMMA_B1_R)
        take_product(warp, step, found);
    else if (!is_of_wgmma && !take_move(warp, step))
        use_operands(warp, step, found);
    return true;
}

void sanitize_registers_hear(struct sanitize_registers *registers, const struct event *event)
{
    const struct event_origin *origin = event->origin;
    if (event->kind == EVENT_RUN && event->run == RUN_CTA_EXIT)
        for (uint32_t index = 0; index < WARPS; index++)
            sanitize_table_drop(sanitize_table_find(&registers->warps, origin->cta, index), free_marks);
    if (event->kind != EVENT_GROUP || event->group.kind != ASYNC_WGMMA) return;
    struct warp *warp = (struct warp *)*sanitize_table_find(&registers->warps, origin->cta, origin->warp);
    if (warp == NULL) return;
    if (event->group.step == GROUP_FENCE) warp->fenced = warp->clock;
    if (event->group.step == GROUP_COMMIT) warp->committed = event->group.group + 1;
    if (event->group.step != GROUP_WAIT) return;
    if (event->group.group > warp->waited) warp->waited = event->group.group;
    warp->last_wait = warp->clock;
}

// --- A launch --------------------------------------------------------------------------------------------------------

struct sanitize_registers *sanitize_registers_open(void)
{
    return calloc(1, sizeof(struct sanitize_registers));
}

void sanitize_registers_close(struct sanitize_registers *registers)
{
    sanitize_table_clear(&registers->warps, free_marks);
    free(registers);
}
