// SPDX-License-Identifier: MIT
// The last line of a watch. In a file of its own because the command and the library both print it.
#include <inttypes.h>

#include "shared.h"

enum { MOST_SHOWN = 20 };

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

// The calls that were made more than once, as far as a screen takes them.
static void add_repeats(const struct watch_shared *shared, struct line *line)
{
    int shown = 0;
    uint64_t others = 0;
    for (int i = 0; i < WATCH_SEEN; i++) {
        const struct watch_seen *seen = &shared->seen[i];
        if (seen->repeats == 0) continue;
        if (shown++ < MOST_SHOWN)
            line_add(line, "tmaref watch: call %" PRIu64 " was repeated %" PRIu64 " time%s, addresses apart\n",
                     seen->number, seen->repeats, plural(seen->repeats));
        else
            others += seen->repeats;
    }
    if (others != 0) line_add(line, "tmaref watch: %" PRIu64 " more repeats of other calls\n", others);
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
    add_repeats(shared, line);
    if (shared->has_no_driver)
        line_add(line,
                 "tmaref watch: there is no libcuda.so.1 here: without the NVIDIA driver there is nothing to watch; "
                 "to run the program with no GPU, type: tmaref exec -- PROGRAM\n");
    else if (shared->processes == 0)
        line_add(line,
                 "tmaref watch: the watching library was never loaded: a statically linked or set-user-ID program "
                 "cannot be watched\n");
}
