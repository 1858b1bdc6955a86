// SPDX-License-Identifier: MIT
#include "recorded.h"

#include <check.h>
#include <stdlib.h>

int recorded_each(const char *name,
                  void (*visit)(const void *test_case, const struct trace_entry *entry, void *context), void *context)
{
    char path[1024];
    struct trace_text trace;
    struct text why = {""};
    int cases = 0;
    snprintf(path, sizeof path, "%s/%s.jsonl.zst", TMAREF_TRACES, name);
    ck_assert_msg(trace_open(path, &trace, &why), "%s", why.at);
    void *test_case = calloc(1, trace.header.family->case_bytes);
    for (char *line; (line = lines_next(&trace.lines)) != NULL; cases++) {
        struct trace_entry entry;
        ck_assert_msg(trace_read(trace.header.family, line, test_case, &entry, &why), "%s: %s", path, why.at);
        visit(test_case, &entry, context);
        json_decref(entry.json);
    }
    free(test_case);
    trace_close(&trace);
    return cases;
}
