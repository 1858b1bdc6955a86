// SPDX-License-Identifier: MIT
// `tmaref replay`: recorded traces against the model (or a GPU), ending in a table.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common_options.h"
#include "json.h"
#include "progress.h"
#include "replay.h"
#include "trace.h"
#include "trace_paths.h"

// One trace's row of the table.
struct row {
    const char *path;
    struct trace_header header;
    uint64_t cases, mismatches;
};

static const struct argp_option options[] = {
    {"executor", 'x', "NAME", 0, "EXECUTORS (default model)", 0},
    {"print", 'p', "N", 0, "print at most N mismatches of each trace (default 5)", 0},
    {"json", 'j', NULL, 0, "the table as JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct replay_options *to = state->input;
    switch (key) {
    case 'x':
        to->executor = parse_executor(argument, state);
        return 0;
    case 'p':
        if (!parse_u64(argument, UINT64_MAX, &to->printed)) argp_error(state, "--print takes a whole number");
        return 0;
    case 'j':
        to->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (to->paths == REPLAY_MAX_PATHS) argp_error(state, "takes at most %d paths", REPLAY_MAX_PATHS);
        to->path[to->paths++] = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// A batch of entries read from a trace.
struct entries {
    struct batch batch;
    struct trace_entry entry[BATCH_CASES];
    uint64_t line[BATCH_CASES];
};

static int read_entries(struct trace_text *trace, struct entries *entries, struct text *why)
{
    struct batch *batch = &entries->batch;
    for (batch_clear(batch); !batch_is_full(batch);) {
        struct text reason;
        int i = batch->count;
        char *line = trace_next_line(trace);
        if (line == NULL) return batch->count;
        entries->line[i] = trace->line;
        if (trace_read(batch->family, line, batch_case(batch, i), &entries->entry[i], &reason) &&
            batch_add(batch, &reason))
            continue;
        text_set(why, "line %" PRIu64 ": %.400s", trace->line, reason.at);
        for (int read = 0; read <= i; read++) json_decref(entries->entry[read].json);
        return -1;
    }
    return batch->count;
}

// Runs the batch: on the model at once, on a GPU with each case recorded as fatal in a process of its own.
static int run_entries(const struct replay_options *to, struct entries *entries, struct text *why)
{
    struct batch *batch = &entries->batch;
    batch_prepare(batch);
    for (int first = 0, last; first < batch->count; first = last) {
        int fatal = entries->entry[first].status != 0;
        for (last = first + 1; last < batch->count && !fatal && entries->entry[last].status == 0;) last++;
        if (!to->executor->run(batch, first, last - first, why)) return 0;
    }
    return 1;
}

static void check_entries(const struct replay_options *to, struct entries *entries, struct row *row)
{
    const struct family *family = entries->batch.family;
    for (int i = 0; i < entries->batch.count; i++) {
        struct trace_difference difference;
        row->cases++;
        if (!trace_agrees(&entries->entry[i], family, batch_case(&entries->batch, i), &entries->batch.results[i],
                          &difference) &&
            row->mismatches++ < to->printed) {
            json_t *json = family->write(batch_case(&entries->batch, i));
            char *text = json_dumps(json, JSON_COMPACT);
            fprintf(stderr, "%s:%" PRIu64 ": %s\n    case %s\n", row->path, entries->line[i], difference.text.at,
                    text != NULL ? text : "?");
            if (difference.place.window != NULL && family->explain_place != NULL)
                family->explain_place(batch_case(&entries->batch, i), &difference.place, stderr);
            free(text);
            json_decref(json);
        }
        json_decref(entries->entry[i].json);
    }
}

static int replay_open(const struct replay_options *to, struct trace_text *trace, struct row *row,
                       struct entries *entries, struct text *why)
{
    int count = 0;
    struct progress progress = progress_start("replay", row->header.cases);
    int ok = to->executor->open(&entries->batch, why);
    while (ok && (count = read_entries(trace, entries, why)) > 0) {
        ok = run_entries(to, entries, why);
        if (ok) check_entries(to, entries, row);
        progress_add(&progress, (uint64_t)count);
    }
    progress_end(&progress);
    to->executor->close();
    if (!ok || count < 0) return 0;
    if (row->cases != row->header.cases)
        text_set(why, "holds %" PRIu64 " cases, its header says %" PRIu64 ": cut short?", row->cases,
                 row->header.cases);
    else if (row->cases == 0)
        text_set(why, "holds no case");
    else
        return 1;
    return 0;
}

static int replay_one(const struct replay_options *to, struct row *row, struct text *why)
{
    struct trace_text trace;
    struct text reason = {"not enough memory"};
    struct entries *entries = calloc(1, sizeof *entries);
    *why = reason;
    int ok = entries != NULL && trace_open(row->path, &trace, why);
    if (ok) {
        row->header = trace.header;
        ok = batch_open(&entries->batch, trace.header.family) && replay_open(to, &trace, row, entries, &reason);
        if (!ok) text_set(why, "%.200s: %.300s", row->path, reason.at);
        if (entries->batch.cases != NULL) batch_close(&entries->batch);
        trace_close(&trace);
    }
    free(entries);
    return ok;
}

static void print_table(const struct replay_options *to, const struct row *rows, int count)
{
    uint64_t cases = 0, mismatches = 0;
    printf("%-28s %-13s %9s %9s %10s  %s\n", "trace", "family", "cases", "agree", "mismatches", "recorded on");
    for (int i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        const char *name = strrchr(row->path, '/');
        printf("%-28s %-13s %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "  %s, %s\n", name == NULL ? row->path : name + 1,
               row->header.family->name, row->cases, row->cases - row->mismatches, row->mismatches, row->header.device,
               row->header.date);
        cases += row->cases;
        mismatches += row->mismatches;
    }
    printf("%-28s %-13s %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "  against %s\n", "all", "", cases, cases - mismatches,
           mismatches, to->executor->name);
}

static void print_json(const struct row *rows, int count)
{
    json_t *json = json_array();
    for (int i = 0; i < count; i++) {
        json_t *row = trace_header_write(&rows[i].header);
        json_object_set_new(row, "trace", json_string(rows[i].path));
        json_object_set_new(row, "compared", json_u64(rows[i].cases));
        json_object_set_new(row, "mismatches", json_u64(rows[i].mismatches));
        json_array_append_new(json, row);
    }
    json_dumpf(json, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(json);
}

int replay_run(const char *command, const struct replay_options *to)
{
    static struct row rows[TRACE_PATHS_MOST];
    static struct trace_paths paths;
    struct text why = {"there is no trace"};
    int count = 0, ok = 1, mismatch = 0;
    paths.count = 0;
    for (int i = 0; i < to->paths && ok; i++) ok = trace_paths_add(&paths, to->path[i], &why);
    if (ok) count = paths.count;
    for (int i = 0; i < count && ok; i++) {
        rows[i].path = paths.path[i];
        ok = replay_one(to, &rows[i], &why);
        mismatch |= rows[i].mismatches > 0;
    }
    if (!ok || count <= 0) return command_usage(command, "%s", why.at);
    if (to->json)
        print_json(rows, count);
    else
        print_table(to, rows, count);
    return mismatch ? EXIT_MISMATCH : EXIT_AGREE;
}

int command_replay(int argc, char **argv)
{
    struct replay_options to = {.executor = &executor_model, .printed = REPLAY_PRINTED};
    const struct argp argp = {
        options,     parse,
        "[PATH...]", "Compares the model with recorded traces (files, or all in a folder; default: traces).",
        NULL,        names_filter,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    if (to.paths == 0) to.path[to.paths++] = "traces";
    return replay_run("replay", &to);
}
