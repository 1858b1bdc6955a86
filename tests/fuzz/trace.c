// SPDX-License-Identifier: MIT
// Target `trace`: the bytes are a trace file. Every line that is a case runs on the model and is compared.
#include "trace.h"
#include "fuzz.h"

enum { MOST_LINES = 64 };

static void compare(const struct family *family, const void *test_case, const struct trace_entry *entry)
{
    struct trace_difference difference;
    uint8_t *bytes = malloc(family_result_bytes(family, test_case));
    struct result result = result_at(bytes);
    if (bytes == NULL) return;
    family_run_model(family, test_case, &result);
    fuzz_require(result.free_bytes <= bytes + family_result_bytes(family, test_case));
    trace_agrees(entry, family, test_case, &result, &difference);
    free(bytes);
}

void fuzz_trace(const uint8_t *bytes, size_t size_bytes)
{
    struct trace_text trace;
    struct text why;
    if (!trace_parse((const char *)bytes, size_bytes, &trace, &why)) return;
    void *test_case = malloc(trace.header.family->case_bytes);
    for (int i = 0; i < MOST_LINES && test_case != NULL; i++) {
        struct trace_entry entry;
        char *line = lines_next(&trace.lines);
        if (line == NULL) break;
        if (!trace_read(trace.header.family, line, test_case, &entry, &why)) continue;
        compare(trace.header.family, test_case, &entry);
        json_decref(entry.json);
    }
    free(test_case);
    trace_close(&trace);
}
