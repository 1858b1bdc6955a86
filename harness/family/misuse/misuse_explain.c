// SPDX-License-Identifier: MIT
// A mismatch of the family "misuse" in words: the operands, then the status or the first word that differs.
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "misuse_case.h"

// What the word at `at` of the window "state" is.
static const char *state_name(uint32_t at)
{
    if (at < offsetof(struct misuse_output, sum)) return "word of barrier";
    if (at < offsetof(struct misuse_output, value)) return "sum over the shared memory of CTA";
    return "register";
}

void misuse_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct misuse_case *c = test_case;
    struct difference_units words = difference_units(difference, 8);
    uint32_t at = difference->at / 8 * 8;
    if (strcmp(difference->expected->name, "state") != 0)
        fprintf(out, "    %s 0x%" PRIx64 ":", difference->expected->name, difference->expected->base + at);
    else if (at >= offsetof(struct misuse_output, value))
        fprintf(out, "    %s:", state_name(at));
    else
        fprintf(out, "    %s %u:", state_name(at), at / 8 % MISUSE_BARRIERS % (at < 32 ? 4 : 2));
    fprintf(out, " 0x%016" PRIx64 " expected, 0x%016" PRIx64 " found\n", words.expected, words.found);
    fprintf(out, "    %s, shared 0x%x, barrier 0x%x, global 0x%" PRIx64 "\n", misuse_operation_names[c->operation],
            c->shared, c->barrier, c->global);
}
