// SPDX-License-Identifier: MIT
// The list of slow models, and what their exposers share.
#include <string.h>

#include "exposed.h"
#include "slow.h"

const struct exposer *const exposers[EXPOSERS] = {
    &expose_load,  &expose_im2col, &expose_store, &expose_bulk,    &expose_encode,
    &expose_wgmma, &expose_sparse, &expose_mma,   &expose_barrier,
};

const char *exposed_slow_text(int mutant)
{
    static char text[200];
    const struct slow_mutant_row *row = slow_mutant_row((enum slow_mutant)mutant);
    snprintf(text, sizeof text, "%s: %s", row->id, row->sentence);
    return text;
}

enum rule exposed_slow_rule(int mutant)
{
    return slow_mutant_row((enum slow_mutant)mutant)->rule;
}

enum rule exposed_rule(const struct misread *rows, const char *text)
{
    const struct misread *best = NULL;
    for (; rows->prefix != NULL; rows++) {
        size_t length = strlen(rows->prefix);
        if (strncmp(text, rows->prefix, length) == 0 && (best == NULL || length > strlen(best->prefix))) best = rows;
    }
    return best != NULL ? best->rule : rows->rule;
}
