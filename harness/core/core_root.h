// SPDX-License-Identifier: MIT
// Which waits of a core dump are the ones that all others follow from. A dump does not say who has arrived, so that
// this rests on the barrier's word, and on which instructions the threads that are left can still come to.
#ifndef TMAREF_CORE_ROOT_H
#define TMAREF_CORE_ROOT_H

#include "core_state.h"

// Sets `reason` of each strand. 0 if there is no memory.
bool core_root_find(struct core_state *state);

#endif
