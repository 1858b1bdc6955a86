// SPDX-License-Identifier: MIT
// `tmaref replay`: recorded traces against the model (or a GPU), ending in a table.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "common_options.h"
#include "common_program.h"
#include "json.h"
#include "replay.h"
#include "schedules.h"
#include "trace_batch.h"
#include "trace_paths.h"
#include "workers.h"

// One trace's row of the table.
struct row {
    const char *path;
    struct trace_header header;
    uint64_t cases, mismatches, open;
    enum { ROW_UNDONE, ROW_WHOLE, ROW_BAD } state;
    struct text why; // it is bad
};

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct replay_options *to = line;
    if (to->paths == REPLAY_MAX_PATHS) argp_error(state, "takes at most %d paths", REPLAY_MAX_PATHS);
    to->path[to->paths++] = argument;
}

#define TO struct replay_options
static const struct command_option options[] = {
    OPTION_EXECUTOR("EXECUTORS (default model)"),
    OPTION_NUMBER('p', "print", "N", printed, 0, UINT64_MAX, "print at most N mismatches of each trace (default 5)"),
    OPTION_NUMBER('s', "sample", "N", choice.sample, 1, UINT32_MAX,
                  "run at most N cases of each trace, evenly spread (default: all)"),
    OPTION_NUMBER('S', "schedules", "N", choice.schedules, 1, SCHEDULE_PAIRS,
                  "with the executor sim: share the cases out to N of 64 pairs of a schedule and a seed"),
    OPTION_FLAG('j', "json", json, "the table as JSON"),
    OPTION_END,
};

// A replay while it runs: what a job of it sees. The rows are shared memory.
struct replay {
    const struct replay_options *options;
    struct row *rows;
};

// One trace while it runs.
struct replay_trace {
    const struct replay_options *options;
    struct row *row;
    FILE *out;
};

static int check(const struct trace_batch *cases, int i, void *context)
{
    struct replay_trace *trace = context;
    struct row *row = trace->row;
    int is_told = row->mismatches < trace->options->printed;
    row->cases++;
    row->open += (uint64_t)trace_batch_is_open(cases, i);
    row->mismatches += !trace_batch_agrees(cases, i, is_told ? trace->out : NULL);
    workers_progress(1);
    return 1;
}

static void replay_one(int job, void *context, FILE *out)
{
    struct replay *replay = context;
    struct row *row = &replay->rows[job];
    struct replay_trace trace = {replay->options, row, out};
    const struct replay_options *to = replay->options;
    int ok = trace_run_some(row->path, &to->choice, to->executor, 1, &row->header, check, &trace, &row->why);
    row->state = ok ? ROW_WHOLE : ROW_BAD;
}

static void print_table(const struct replay_options *to, const struct row *rows, int count)
{
    uint64_t cases = 0, mismatches = 0, open = 0;
    printf("%-28s %-13s %9s %9s %10s  %s\n", "trace", "family", "cases", "agree", "mismatches", "recorded on");
    for (int i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        const char *name = strrchr(row->path, '/');
        printf("%-28s %-13s %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "  %s, %s\n", name == NULL ? row->path : name + 1,
               row->header.family->name, row->cases, row->cases - row->mismatches, row->mismatches, row->header.device,
               row->header.date);
        cases += row->cases;
        mismatches += row->mismatches;
        open += row->open;
    }
    printf("%-28s %-13s %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "  against %s\n", "all", "", cases, cases - mismatches,
           mismatches, to->executor->name);
    if (open > 0)
        printf("of %" PRIu64 " cases the status and what rests on PTX alone: the rest is an H200's time or promise\n",
               open);
}

static void print_json(const struct row *rows, int count)
{
    json_t *json = json_array();
    for (int i = 0; i < count; i++) {
        json_t *row = trace_header_write(&rows[i].header);
        json_object_set_new(row, "trace", json_string(rows[i].path));
        json_object_set_new(row, "compared", json_u64(rows[i].cases));
        json_object_set_new(row, "mismatches", json_u64(rows[i].mismatches));
        json_object_set_new(row, "statusAlone", json_u64(rows[i].open));
        json_array_append_new(json, row);
    }
    json_print(json, JSON_INDENT(1));
}

// The size of each trace, which says about how long it takes.
static void measure(const struct trace_paths *paths, uint64_t *cost)
{
    for (int i = 0; i < paths->count; i++) {
        struct stat info;
        cost[i] = stat(paths->path[i], &info) == 0 ? (uint64_t)info.st_size : 0;
    }
}

// Takes out the rows of traces that were not finished; returns how many are left.
static int keep_whole(struct row *rows, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (rows[i].state == ROW_WHOLE) rows[kept++] = rows[i];
    return kept;
}

// Prints the rows; returns the exit status.
static int report(const char *command, const struct replay_options *to, struct row *rows, int count,
                  enum workers_end end)
{
    int mismatch = 0;
    for (int i = 0; i < count; i++)
        if (rows[i].state == ROW_BAD) return command_usage(command, "%s", rows[i].why.at);
    if (end == WORKERS_DIED) return command_usage(command, "a process died while it replayed a trace");
    int kept = keep_whole(rows, count);
    for (int i = 0; i < kept; i++) mismatch |= rows[i].mismatches > 0;
    if (to->json)
        print_json(rows, kept);
    else
        print_table(to, rows, kept);
    if (end == WORKERS_DONE) return mismatch ? EXIT_MISMATCH : EXIT_AGREE;
    fprintf(stderr, "tmaref %s: interrupted; %d of %d traces were compared\n", command, kept, count);
    return EXIT_USAGE;
}

int replay_run(const char *command, const struct replay_options *to)
{
    static struct trace_paths paths;
    static uint64_t cost[TRACE_PATHS_MOST];
    struct text why = {"there is no trace"};
    int ok = 1;
    paths.count = 0;
    for (int i = 0; i < to->paths && ok; i++) ok = trace_paths_add(&paths, to->path[i], &why);
    if (!ok || paths.count == 0) return command_usage(command, "%s", why.at);
    struct replay replay = {to, shared_memory((size_t)paths.count * sizeof *replay.rows)};
    if (replay.rows == NULL) return command_usage(command, "not enough memory");
    for (int i = 0; i < paths.count; i++) replay.rows[i].path = paths.path[i];
    measure(&paths, cost);
    const struct jobs jobs = {paths.count, cost, replay_one, &replay, "replay", 0};
    enum workers_end end = workers_run(&jobs, to->executor == &executor_model ? 0 : 1, stderr);
    int status = report(command, to, replay.rows, paths.count, end);
    shared_memory_free(replay.rows, (size_t)paths.count * sizeof *replay.rows);
    return status;
}

int command_replay(int argc, char **argv)
{
    char installed[PATH_MAX];
    struct replay_options to = {.executor = &executor_model, .printed = REPLAY_PRINTED};
    static const struct command_line line = {
        .usage = "[PATH...]",
        .help = "Compares the model with recorded traces (files, or all in a folder; default: the folder "
                "'traces' here, else the traces that were installed).",
        .options = options,
        .argument = take_path,
        .filter = names_filter,
    };
    command_line_read(&line, argc, argv, &to);
    if (to.choice.schedules > 0 && to.executor != &executor_sim)
        return command_usage("replay", "--schedules is for the executor sim");
    if (to.paths == 0) to.path[to.paths++] = program_traces(installed, sizeof installed);
    if (to.path[0] == NULL)
        return command_usage("replay", "no trace is named, there is no folder 'traces' here, and none was installed");
    return replay_run("replay", &to);
}
