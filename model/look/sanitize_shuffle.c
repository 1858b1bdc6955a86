// SPDX-License-Identifier: MIT
#include "sanitize_shuffle.h"

#include "each.h"
#include "handler.h"
#include "shuffle.h"

enum { AT_STEP = 3, AT_SEGMENT = 4, AT_MASK = 5 };

static void tell(const struct machine_step *step, struct sanitize_found *found, uint32_t lane, uint32_t source)
{
    const struct sanitize_side side = {.line = step->function->source->instruction[step->code->instruction].line,
                                       .rank = step->warp->cta->rank,
                                       .warp = step->warp->index,
                                       .lane = lane,
                                       .cta = step->warp->cta->number};
    struct sanitize_finding finding = {.kind = SANITIZE_ABSENT_LANE, .cta = side.cta, .older = side, .newer = side};
    snprintf(finding.name, sizeof finding.name, "lane %u", source);
    sanitize_found_add(found, &finding);
}

// A lane that the mask leaves out is told only where its number is said (idx): with up, down and bfly the lanes at the
// end of the mask often drop what they get.
static bool is_told(enum ptx_word mode, uint32_t mask, uint32_t source)
{
    return mode == PTX_IDX || (mask >> source & 1) != 0;
}

void sanitize_shuffle_before(const struct machine_step *step, struct sanitize_found *found)
{
    const struct machine_code *code = step->code;
    if (code->choice == NULL || code->choice->word[PTX_CLASS_SHUFFLE] == PTX_WORD_NONE) return;
    const uint32_t *mask = machine_lanes(step->strand, code, AT_MASK);
    const uint32_t met = machine_met(step->strand, step->lanes, mask);
    const enum ptx_word mode = (enum ptx_word)code->choice->word[PTX_CLASS_SHUFFLE];
    const uint32_t *by = machine_lanes(step->strand, code, AT_STEP),
                   *in = machine_lanes(step->strand, code, AT_SEGMENT);
    for (EACH_BIT(lane, met)) {
        const uint32_t source = shuffle_source(mode, lane, by[lane], in[lane]).lane & 31;
        if (is_told(mode, mask[lane], source) && !(met >> source & 1)) {
            tell(step, found, lane, source);
            return;
        }
    }
}
