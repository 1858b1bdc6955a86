// SPDX-License-Identifier: MIT
// `tmaref explain --layout`: what a CuTe layout is, which tensor copies fill it, what wgmma reads of it, and its tiles.
#ifndef TMAREF_EXPLAIN_LAYOUT_H
#define TMAREF_EXPLAIN_LAYOUT_H

#include <stdint.h>

// The options as given; NULL or 0 where they were not. `cta` counts where has_cta is not 0.
struct explain_layout {
    const char *text, *dtype, *element, *tile;
    uint64_t cta;
    int modes, has_cta, wants_table, json;
};

// Prints the answer. Returns the exit status: a layout that no tensor copies fill is a mismatch.
int explain_layout(const struct explain_layout *question);

#endif
