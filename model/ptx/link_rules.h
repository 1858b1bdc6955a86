// SPDX-License-Identifier: MIT
// Two units name one thing: may they, and whose definition counts?
#ifndef TMAREF_PTX_LINK_RULES_H
#define TMAREF_PTX_LINK_RULES_H

#include <stdbool.h>

#include "program.h"

// What is wrong if two units have these under one name: "has another size in", with the other unit's name to follow;
// NULL if nothing is.
const char *ptx_link_clash_of_functions(const struct ptx_function *first, const struct ptx_function *second);
const char *ptx_link_clash_of_variables(const struct ptx_variable *first, const struct ptx_variable *second);

// Does the second one count? If not, the first one does.
bool ptx_link_takes_function(const struct ptx_function *first, const struct ptx_function *second);
bool ptx_link_takes_variable(const struct ptx_variable *first, const struct ptx_variable *second);

#endif
