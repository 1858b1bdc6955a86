// SPDX-License-Identifier: MIT
#include "sanitize_shuffle.h"

#include "each.h"
#include "handler.h"
#include "shuffle.h"

enum { AT_STEP = 3, AT_SEGMENT = 4, AT_MASK = 5 };

static void tell(const struct machine_step *step, struct sanitize_found *found, enum sanitize_kind kind, uint32_t lane,
                 uint32_t named)
{
    const struct sanitize_side side = {.line = step->function->source->instruction[step->code->instruction].line,
                                       .rank = step->warp->cta->rank,
                                       .warp = step->warp->index,
                                       .lane = lane,
                                       .cta = step->warp->cta->number};
    struct sanitize_finding finding = {.kind = kind, .cta = side.cta, .older = side, .newer = side};
    snprintf(finding.name, sizeof finding.name, "lane %u", named);
    sanitize_found_add(found, &finding);
}

// A lane that the mask leaves out is told only where its number is said (idx): with up, down and bfly the lanes at the
// end of the mask often drop what they get.
static bool is_told(enum ptx_word mode, uint32_t mask, uint32_t source)
{
    return mode == PTX_IDX || (mask >> source & 1) != 0;
}

// The lanes that execute it and are not in its mask, which is the last operand.
static uint32_t left_out(const struct machine_step *step)
{
    const struct machine_operand *operand = &step->code->operand[step->code->operands - 1u];
    const uint32_t *mask = machine_lanes(step->strand, step->code, step->code->operands - 1u);
    uint32_t out = 0;
    if (operand->is_uniform) return step->lanes & ~mask[__builtin_ctz(step->lanes)];
    for (EACH_BIT(lane, step->lanes)) out |= step->lanes & ~mask[lane] & UINT32_C(1) << lane;
    return out;
}

void sanitize_shuffle_before(const struct machine_step *step, struct sanitize_found *found)
{
    const struct machine_code *code = step->code;
    const uint32_t out = left_out(step);
    if (out != 0) tell(step, found, SANITIZE_MEMBERMASK, (uint32_t)__builtin_ctz(out), (uint32_t)__builtin_ctz(out));
    if (code->choice->word[PTX_CLASS_SHUFFLE] == PTX_WORD_NONE) return;
    const uint32_t *mask = machine_lanes(step->strand, code, AT_MASK);
    const uint32_t met = machine_met(step->strand, step->lanes, mask);
    const enum ptx_word mode = (enum ptx_word)code->choice->word[PTX_CLASS_SHUFFLE];
    const uint32_t *by = machine_lanes(step->strand, code, AT_STEP),
                   *in = machine_lanes(step->strand, code, AT_SEGMENT);
    for (EACH_BIT(lane, met)) {
        const uint32_t source = shuffle_source(mode, lane, by[lane], in[lane]).lane & 31;
        if (is_told(mode, mask[lane], source) && !(met >> source & 1)) {
            tell(step, found, SANITIZE_ABSENT_LANE, lane, source);
            return;
        }
    }
}
