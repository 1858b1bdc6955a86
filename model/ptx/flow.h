// SPDX-License-Identifier: MIT
// What an instruction does to the flow of control, for who asks no more of it than that.
#ifndef TMAREF_PTX_FLOW_H
#define TMAREF_PTX_FLOW_H

#include <stdbool.h>

#include "form.h"

#pragma GCC visibility push(hidden)

// ON: to the next instruction, as most do. BRANCH: to a label; BRANCH_LIST: to one of a list. END: ret, exit and trap.
enum ptx_flow { PTX_FLOW_ON, PTX_FLOW_BRANCH, PTX_FLOW_BRANCH_LIST, PTX_FLOW_CALL, PTX_FLOW_END };

enum ptx_flow ptx_flow_of(const struct ptx_choice *choice);

// Does the instruction behind it run only if its guard is false, or somebody branches there?
static inline bool ptx_flow_leaves(enum ptx_flow flow)
{
    return flow == PTX_FLOW_BRANCH || flow == PTX_FLOW_BRANCH_LIST || flow == PTX_FLOW_END;
}

#pragma GCC visibility pop

#endif
