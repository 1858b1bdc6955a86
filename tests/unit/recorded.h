// SPDX-License-Identifier: MIT
// The recorded cases of a trace, for tests of what the recordings themselves can show.
#ifndef TMAREF_RECORDED_H
#define TMAREF_RECORDED_H

#include "trace.h"

// Calls `visit` for each case of traces/sm_90a/<name>.jsonl.zst, with what was recorded of it. Returns how many there
// were; a trace that cannot be read fails the test.
int recorded_each(const char *name,
                  void (*visit)(const void *test_case, const struct trace_entry *entry, void *context), void *context);

#endif
