// SPDX-License-Identifier: MIT
// Which of the lines that an instruction was inlined at says most. A helper, such as a function for waits, does one
// step of synchronisation: who calls it says which. A role, such as the loop of a producer, does many: its own line
// says which.
#ifndef TMAREF_MACHINE_ROLE_H
#define TMAREF_MACHINE_ROLE_H

#include <stdbool.h>

#include "ptx.h"

#pragma GCC visibility push(hidden)

// How many calls up from a location of the function the telling line is: 0, its own. The outermost that is in no role
// that was inlined.
uint32_t machine_role_calls(const struct ptx_program *program, const struct ptx_function *function, uint32_t location);

// Is all of a function that was not inlined a role?
bool machine_is_role(const struct ptx_program *program, const struct ptx_function *function);

// Was what holds the line of a location inlined at one place only?
bool machine_is_called_once(const struct ptx_function *function, uint32_t location);

#pragma GCC visibility pop

#endif
