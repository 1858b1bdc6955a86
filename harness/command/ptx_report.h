// SPDX-License-Identifier: MIT
// What `tmaref ptx` prints of a decoded module, and of what is wrong with its text.
#ifndef TMAREF_PTX_REPORT_H
#define TMAREF_PTX_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "ptx.h"

// FILE:LINE:COLUMN: error: ..., the line, and a caret under what is wrong.
void ptx_report_errors(FILE *out, const char *path, const char *text, const struct ptx_errors *errors);

void ptx_report_text(const char *path, const struct ptx_program *program, int with_forms);
json_t *ptx_report_json(const struct ptx_program *program);

#endif
