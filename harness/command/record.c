// SPDX-License-Identifier: MIT
// `tmaref record`: writes a trace of what an executor does, and its line in the MANIFEST beside it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common_options.h"
#include "progress.h"
#include "trace.h"
#include "trace_batch.h"
#include "trace_file.h"

enum lane { LANE_NORMAL, LANE_FAULTS, LANE_ALL };

struct record_options {
    struct case_options cases;
    const struct executor *executor;
    const char *output, *from;
    uint64_t keep;
    int lane, curated, json;
};

static const char *const lanes[] = {"normal", "faults", "all", NULL};

#define TO struct record_options
static const struct command_option options[] = {
    OPTION_EXECUTOR("EXECUTORS (default gpu; another one only to try the command)"),
    OPTION_TEXT('o', "output", "FILE", output, "the trace; compressed if the name ends in .zst"),
    OPTION_FLAG('c', "curated", curated, "write in words where every byte came from"),
    OPTION_WORD('l', "lane", "WHICH", lane, lanes,
                "normal (default): leave out cases predicted to kill their process; faults: only these; all"),
    OPTION_NUMBER('k', "keep", "N", keep, 0, UINT64_MAX, "stop after N recorded cases"),
    OPTION_TEXT(
        'r', "from", "TRACE", from,
        "take the cases from a trace, and write only if each result equals the recorded one: to record with new "
        "kernels"),
    OPTION_FLAG('j', "json", json, "the trace's header as JSON"),
    OPTION_END,
};

static void check_line(const void *line, struct argp_state *state)
{
    const struct record_options *to = line;
    if (to->from != NULL && (to->cases.family != NULL || to->cases.is_all))
        argp_error(state, "--from is one trace with its own family and cases; leave --family out");
    if (to->output == NULL) argp_error(state, "--output is needed");
}

// Runs one lane of a filled batch and keeps its lines, as far as they are wanted.
static int record_lane(const struct record_options *to, struct batch *batch, int first, int count, bool is_apart,
                       struct trace_lines *lines, struct text *why)
{
    enum trace_detail detail = to->curated ? TRACE_CURATED : TRACE_DIGEST;
    struct apart alone = {.alone = UINT64_MAX};
    uint64_t wanted = to->keep - lines->count;
    if ((uint64_t)count > wanted) count = (int)wanted;
    if (count == 0) return 1;
    if (!(is_apart ? to->executor->run_apart(batch, first, count, &alone, why)
                   : to->executor->run(batch, first, count, why)))
        return 0;
    for (int i = first; i < first + count; i++)
        if (!trace_lines_add(lines, trace_write(batch->family, batch_case(batch, i), &batch->results[i], detail)))
            return text_fail(why, "not enough memory");
    return 1;
}

static int record_all(const struct record_options *to, struct source *source, struct batch *batch,
                      struct trace_lines *lines, struct text *why)
{
    static struct fill fill;
    struct progress progress = progress_start("record", to->keep < source->end ? to->keep : source->end);
    int count = 0, ok = 1;
    while (ok && lines->count < to->keep && (count = source_fill(source, batch, &fill, why)) > 0) {
        uint64_t before = lines->count;
        batch_prepare_for(batch, to->executor);
        if (to->lane != LANE_FAULTS) ok = record_lane(to, batch, 0, fill.normal, false, lines, why);
        if (ok && to->lane != LANE_NORMAL)
            ok = record_lane(to, batch, fill.normal, count - fill.normal, true, lines, why);
        progress_add(&progress, lines->count - before);
    }
    progress_end(&progress);
    if (ok && count >= 0 && lines->count == 0) return text_fail(why, "no case is in this lane: nothing to record");
    return ok && count >= 0;
}

static int record_cases(struct record_options *to)
{
    struct source source;
    struct trace_header header;
    struct trace_lines lines = {0};
    struct batch batch = {0};
    struct text why = {"not enough memory"};
    bool ok = case_source(&to->cases, &source, &why) && batch_open(&batch, source.family) &&
              to->executor->open(&batch, &why) && record_all(to, &source, &batch, &lines, &why) &&
              trace_header_make(source.family, to->executor, to->cases.seed, &header, &why) &&
              trace_lines_save(&lines, to->output, &header, &why);
    to->executor->close();
    if (batch.cases != NULL) batch_close(&batch);
    trace_lines_free(&lines);
    free(to->cases.lines);
    if (!ok) return command_usage("record", "%s", why.at);
    trace_lines_tell(to->output, &header, to->json);
    return EXIT_AGREE;
}

// --- --from ----------------------------------------------------------------------------------------------------------

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

static int record_from(const char *from, const char *output, const struct executor *executor, int as_json)
{
    struct again again = {{0}, 0};
    struct trace_header old, header;
    struct text why;
    const struct trace_run run = {.executor = executor, .visit = keep, .context = &again};
    bool ok = trace_run(from, &run, &old, &why);
    bool is_same = ok && again.differ == 0;
    if (is_same)
        ok = trace_header_make(old.family, executor, old.seed, &header, &why) &&
             trace_lines_save(&again.lines, output, &header, &why);
    trace_lines_free(&again.lines);
    if (!ok) return command_usage("record", "%s", why.at);
    if (is_same) {
        trace_lines_tell(output, &header, as_json);
        return EXIT_AGREE;
    }
    fprintf(stderr, "tmaref record: %s: %" PRIu64 " of %" PRIu64 " cases differ from what was recorded; not written\n",
            from, again.differ, again.lines.count);
    return EXIT_MISMATCH;
}

int command_record(int argc, char **argv)
{
    static const struct command_line line = {.help = "Writes a trace of what the hardware does with these cases.",
                                             .options = options,
                                             .end = check_line,
                                             .part = &case_line,
                                             .part_at = offsetof(TO, cases),
                                             .filter = names_filter};
    struct record_options to = {.executor = &executor_gpu, .keep = UINT64_MAX};
    command_line_read(&line, argc, argv, &to);
    if (to.from != NULL) return record_from(to.from, to.output, to.executor, to.json);
    return record_cases(&to);
}
