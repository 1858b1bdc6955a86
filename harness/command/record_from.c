// SPDX-License-Identifier: MIT
#include "record_from.h"

#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "trace_batch.h"
#include "trace_lines.h"

enum { PRINTED = 5 };

struct again {
    struct trace_lines lines;
    uint64_t differ;
};

static int keep(const struct trace_batch *cases, int i, void *context)
{
    struct again *again = context;
    const struct batch *batch = &cases->batch;
    if (!trace_batch_agrees(cases, i, again->differ < PRINTED ? stderr : NULL)) again->differ++;
    enum trace_detail detail = cases->entry[i].text != NULL ? TRACE_CURATED : TRACE_DIGEST;
    return trace_lines_add(&again->lines, trace_write(batch->family, batch_case(batch, i), &batch->results[i], detail));
}

int record_from(const char *from, const char *output, const struct executor *executor, int as_json)
{
    struct again again = {{0}, 0};
    struct trace_header old, header;
    struct text why;
    int ok = trace_run(from, executor, 0, &old, keep, &again, &why);
    int is_same = ok && again.differ == 0;
    if (is_same)
        ok = trace_header_make(old.family, executor, old.seed, &header, &why) &&
             trace_lines_save(&again.lines, output, &header, &why);
    free(again.lines.text);
    if (!ok) return command_usage("record", "%s", why.at);
    if (is_same) {
        trace_lines_tell(output, &header, as_json);
        return EXIT_AGREE;
    }
    fprintf(stderr, "tmaref record: %s: %" PRIu64 " of %" PRIu64 " cases differ from what was recorded; not written\n",
            from, again.differ, again.lines.count);
    return EXIT_MISMATCH;
}
