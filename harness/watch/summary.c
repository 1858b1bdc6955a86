// SPDX-License-Identifier: MIT
// The last line of a watch. In a file of its own because the command and the library both print it.
#include <inttypes.h>

#include "shared.h"

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void summary_json(const struct watch_shared *shared, struct line *line)
{
    line_add(line,
             "{\"event\":\"summary\",\"processes\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"refused\":%" PRIu64
             ",\"warnings\":%" PRIu64 ",\"differences\":%" PRIu64 ",\"not_returned\":%" PRIu64 "}\n",
             shared->processes, shared->begun, shared->refused, shared->warnings, shared->differences,
             shared->begun - shared->returned);
}

void watch_summary(const struct watch_shared *shared, struct line *line)
{
    if (shared->json) {
        summary_json(shared, line);
        return;
    }
    uint64_t calls = shared->begun, lost = calls - shared->returned;
    line_add(line, "tmaref watch: %" PRIu64 " call%s, %" PRIu64 " refused, %" PRIu64 " warning%s", calls, plural(calls),
             shared->refused, shared->warnings, plural(shared->warnings));
    if (lost != 0) line_add(line, ", %" PRIu64 " did not return", lost);
    if (shared->differences != 0) line_add(line, ", %" PRIu64 " WHERE MODEL AND DRIVER DIFFER", shared->differences);
    line_add(line, "\n");
    if (shared->processes == 0)
        line_add(line,
                 "tmaref watch: the watching library was never loaded: a statically linked or set-user-ID program "
                 "cannot be watched\n");
}
