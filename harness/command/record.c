// SPDX-License-Identifier: MIT
// `tmaref record`: writes a trace of what an executor does, and its line in the MANIFEST beside it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common_options.h"
#include "progress.h"
#include "record_from.h"
#include "trace.h"
#include "trace_lines.h"

enum lane { LANE_NORMAL, LANE_FAULTS, LANE_ALL };

struct record_options {
    struct case_options cases;
    const struct executor *executor;
    const char *output, *from;
    enum trace_detail detail;
    enum lane lane;
    uint64_t keep;
    int json;
};

static const struct argp_option options[] = {
    {"executor", 'x', "NAME", 0, "EXECUTORS (default gpu; another only to try the command)", 0},
    {"output", 'o', "FILE", 0, "the trace; compressed if the name ends in .zst", 0},
    {"curated", 'c', NULL, 0, "say in words where every byte came from", 0},
    {"lane", 'l', "WHICH", 0,
     "normal (default): leave out cases predicted to kill their process; faults: only these; all", 0},
    {"keep", 'k', "N", 0, "stop after N recorded cases", 0},
    {"from", 'r', "TRACE", 0,
     "take the cases from a trace, and write only if each result is the recorded one: to record with new kernels", 0},
    {"json", 'j', NULL, 0, "the trace's header as JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct record_options *to = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &to->cases;
        return 0;
    case 'x':
        to->executor = parse_executor(argument, state);
        return 0;
    case 'o':
        to->output = argument;
        return 0;
    case 'c':
        to->detail = TRACE_CURATED;
        return 0;
    case 'l':
        if (strcmp(argument, "normal") == 0)
            to->lane = LANE_NORMAL;
        else if (strcmp(argument, "faults") == 0)
            to->lane = LANE_FAULTS;
        else if (strcmp(argument, "all") == 0)
            to->lane = LANE_ALL;
        else
            argp_error(state, "--lane is normal, faults or all, not '%s'", argument);
        return 0;
    case 'k':
        if (!parse_u64(argument, UINT64_MAX, &to->keep)) argp_error(state, "--keep takes a whole number");
        return 0;
    case 'r':
        to->from = argument;
        return 0;
    case 'j':
        to->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "takes no argument '%s'", argument);
        return 0;
    case ARGP_KEY_END:
        if (to->from != NULL && (to->cases.family != NULL || to->cases.is_all))
            argp_error(state, "--from is one trace with its own family and cases; leave --family out");
        if (to->output == NULL) argp_error(state, "--output is needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Runs one lane of a filled batch and keeps its lines, as far as they are wanted.
static int record_lane(const struct record_options *to, struct batch *batch, int first, int count, int is_apart,
                       struct trace_lines *lines, struct text *why)
{
    struct apart alone = {.alone = UINT64_MAX};
    uint64_t wanted = to->keep - lines->count;
    if ((uint64_t)count > wanted) count = (int)wanted;
    if (count == 0) return 1;
    if (!(is_apart ? to->executor->run_apart(batch, first, count, &alone, why)
                   : to->executor->run(batch, first, count, why)))
        return 0;
    for (int i = first; i < first + count; i++)
        if (!trace_lines_add(lines, trace_write(batch->family, batch_case(batch, i), &batch->results[i], to->detail))) {
            text_set(why, "not enough memory");
            return 0;
        }
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
        if (to->lane != LANE_FAULTS) ok = record_lane(to, batch, 0, fill.normal, 0, lines, why);
        if (ok && to->lane != LANE_NORMAL) ok = record_lane(to, batch, fill.normal, count - fill.normal, 1, lines, why);
        progress_add(&progress, lines->count - before);
    }
    progress_end(&progress);
    if (ok && count >= 0 && lines->count == 0) {
        text_set(why, "there is no case of this lane to record");
        return 0;
    }
    return ok && count >= 0;
}

static int record_cases(struct record_options *to)
{
    struct source source;
    struct trace_header header;
    struct trace_lines lines = {0};
    struct batch batch = {0};
    struct text why = {"not enough memory"};
    int ok = case_source(&to->cases, &source, &why) && batch_open(&batch, source.family) &&
             to->executor->open(&batch, &why) && record_all(to, &source, &batch, &lines, &why) &&
             trace_header_make(source.family, to->executor, to->cases.seed, &header, &why) &&
             trace_lines_save(&lines, to->output, &header, &why);
    to->executor->close();
    if (batch.cases != NULL) batch_close(&batch);
    free(lines.text);
    free(to->cases.lines);
    if (!ok) return command_usage("record", "%s", why.at);
    trace_lines_tell(to->output, &header, to->json);
    return EXIT_AGREE;
}

int command_record(int argc, char **argv)
{
    struct record_options to = {.executor = &executor_gpu, .keep = UINT64_MAX};
    const struct argp_child children[] = {{&case_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        options,  parse,        NULL, "Writes a trace of what the hardware does with these cases.",
        children, names_filter, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    if (to.from != NULL) return record_from(to.from, to.output, to.executor, to.json);
    return record_cases(&to);
}
