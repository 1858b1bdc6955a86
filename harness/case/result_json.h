// SPDX-License-Identifier: MIT
// A result as JSON: status, rule, windows as hex.
#ifndef TMAREF_RESULT_JSON_H
#define TMAREF_RESULT_JSON_H

#include <jansson.h>

#include "result.h"

// A result as JSON: status, rule, windows as hex; and its windows alone.
json_t *result_windows_write(const struct result *result);
json_t *result_write(const struct result *result);

#endif
