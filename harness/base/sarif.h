// SPDX-License-Identifier: MIT
// Findings as a log of SARIF 2.1.0, the format in which editors and code hosts show findings at their lines.
//
// A finding is an object with the keys
//   rule, level, message  what SARIF calls ruleId, level (error, warning or note) and message
//   advice                of the rule: what to do
//   kernel                in which it is; may be missing
//   file, line, column    where it is; an empty file or line 0: nobody knows; column may be missing
//   related               other places, each with file, line and message
#ifndef TMAREF_SARIF_H
#define TMAREF_SARIF_H

#include <jansson.h>

#include "text.h"

// Writes the log of an array of findings; 0 with `why` if that fails.
int sarif_save(const char *path, const json_t *findings, struct text *why);

#endif
