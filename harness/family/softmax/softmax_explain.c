// SPDX-License-Identifier: MIT
// A mismatch of the family "softmax" in words: which number of which row, part or barrier.
#include <inttypes.h>
#include <string.h>

#include "softmax_case.h"

static void explain_place(const struct softmax_case *c, int window, uint32_t word, FILE *out)
{
    const uint32_t words = softmax_state_words(c->dims), state = word / words, at = word % words;
    if (window == 0 && (word < SOFTMAX_GUARD_WORDS || word >= SOFTMAX_GUARD_WORDS + c->rows * c->dims)) {
        fprintf(out, "    word %d beside the output: ", (int)word - SOFTMAX_GUARD_WORDS);
    } else if (window == 0) {
        word -= SOFTMAX_GUARD_WORDS;
        fprintf(out, "    output of row %u, dimension %u: ", word / c->dims, word % c->dims);
    } else if (window == 3) {
        fprintf(out, "    barrier of row %u: ", word / 2);
    } else {
        fprintf(out, "    %s of row %u, part %u, ", window == 1 ? "state" : "what was sent", state / c->parts,
                state % c->parts);
        if (at < SOFTMAX_STATE_HEAD)
            fprintf(out, "%s: ", at == 0 ? "greatest score" : at == 1 ? "sum of weights" : "padding");
        else
            fprintf(out, "dimension %u: ", at - SOFTMAX_STATE_HEAD);
    }
}

static float float_of(uint64_t unit)
{
    uint32_t word = (uint32_t)unit;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

enum rule softmax_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 4);
    explain_place(test_case, difference->window, difference->at / 4, out);
    fprintf(out, "0x%08x (%.9g) expected, 0x%08x (%.9g) found\n", (uint32_t)words.expected,
            (double)float_of(words.expected), (uint32_t)words.found, (double)float_of(words.found));
    return difference->window == 3 ? RULE_MBARRIER_PHASE : RULE_CLUSTER_ACCESS;
}
