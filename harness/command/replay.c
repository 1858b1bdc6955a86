// SPDX-License-Identifier: MIT
// `tmaref replay`: recorded traces against the model (or a GPU), ending in a table.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "common_options.h"
#include "common_program.h"
#include "json.h"
#include "replay.h"
#include "schedules.h"
#include "shard.h"
#include "trace_batch.h"
#include "trace_file.h"
#include "workers.h"

enum { PARTS = 2, JOBS_MOST = TRACE_PATHS_MOST + PARTS * MOST_SIDE_BY_SIDE };
#define MOST_COST ((uint64_t)1 << 32) // what a header may say of cases and is believed

// A trace, or a part of one, while it is compared; the parts together are a row of the table.
struct row {
    const char *path;
    struct trace_header header;
    uint64_t part, parts, cases, mismatches, open, unsupported;
    enum { ROW_UNDONE, ROW_WHOLE, ROW_BAD } state;
    struct text why; // it is bad
};

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct replay_options *to = line;
    if (to->paths == REPLAY_MAX_PATHS) argp_error(state, "takes at most %d paths", REPLAY_MAX_PATHS);
    to->path[to->paths++] = argument;
}

// FIRST:END, where END is behind the last pair.
static void take_pairs(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct replay_options *to = line;
    uint64_t end = 0;
    char *colon = strchr(value, ':');
    if (colon == NULL)
        argp_error(state, "--%s takes FIRST:END, two numbers from 0 to %d", option->name, SCHEDULE_PAIRS);
    *colon = '\0';
    to->choice.first_pair = command_option_number(option->name, 0, SCHEDULE_PAIRS - 1, value, state);
    end = command_option_number(option->name, to->choice.first_pair + 1, SCHEDULE_PAIRS, colon + 1, state);
    to->choice.pairs = end - to->choice.first_pair;
}

#define TO struct replay_options
static const struct command_option options[] = {
    OPTION_EXECUTOR("EXECUTORS (default model)"),
    OPTION_NUMBER('p', "print", "N", printed, 0, UINT64_MAX, "print at most N mismatches of each trace (default 5)"),
    OPTION_NUMBER('s', "sample", "N", choice.sample, 1, UINT32_MAX,
                  "run at most N cases of each trace, evenly spread (default: all)"),
    OPTION_NUMBER('S', "schedules", "N", choice.schedules, 1, SCHEDULE_PAIRS,
                  "with the executor sim: distribute the cases over N of 64 pairs of a schedule and a seed"),
    OPTION_TAKEN('P', "pairs", "FIRST:END", take_pairs,
                 "with the executor sim: run every case under each of the pairs FIRST to END - 1 (0:64: all of them)"),
    OPTION_SHARD(0, shard, "replay part I of N of each trace; tmaref merge adds up what --json prints"),
    OPTION_JOBS(jobs),
    OPTION_FLAG('j', "json", json, "the table as JSON"),
    OPTION_END,
};

// A replay while it runs: what a job of it sees. The rows, one for each job, are shared memory.
struct replay {
    const struct replay_options *options;
    struct row *rows;
    uint64_t printed; // mismatches of the trace whose parts come out now
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
    bool is_told = row->mismatches < trace->options->printed;
    row->cases++;
    if (cases->batch.results[i].end == RESULT_UNSUPPORTED) {
        row->unsupported++;
        workers_progress(1);
        return 1;
    }
    row->open += (uint64_t)trace_batch_is_open(cases, i);
    int agrees = trace_batch_agrees(cases, i, is_told ? trace->out : NULL);
    row->mismatches += !agrees;
    if (!agrees && is_told && row->parts > 1) fputc('\0', trace->out);
    workers_progress(1);
    return 1;
}

static void replay_one(int job, void *context, FILE *out)
{
    struct replay *replay = context;
    struct row *row = &replay->rows[job];
    struct replay_trace trace = {replay->options, row, out};
    const struct replay_options *to = replay->options;
    struct trace_run run = {to->executor, true, to->choice, check, &trace};
    run.choice.part = row->part * to->shard.parts + to->shard.part - 1;
    run.choice.parts = row->parts * to->shard.parts;
    bool ok = trace_run(row->path, &run, &row->header, &row->why);
    row->state = ok ? ROW_WHOLE : ROW_BAD;
}

// A part does not know how many mismatches the parts before it have: here those too many fall out. A NUL ends each.
static void print_part(int job, void *context, const char *text, size_t size_bytes, FILE *out)
{
    struct replay *replay = context;
    const struct row *row = &replay->rows[job];
    if (row->part == 0) replay->printed = 0;
    for (const char *at = text, *end = text + size_bytes; at < end; at += strlen(at) + 1) {
        const bool is_told = row->parts <= 1 || replay->printed++ < replay->options->printed;
        if (is_told) fputs(at, out);
    }
}

static void print_row(const struct row *row)
{
    const char *name = strrchr(row->path, '/');
    printf("%-28s %-13s %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "  %s, %s\n", name == NULL ? row->path : name + 1,
           row->header.family->name, row->cases, row->cases - row->mismatches - row->unsupported, row->mismatches,
           row->header.device, row->header.date);
}

static void print_table(const struct replay_options *to, const struct row *rows, int count)
{
    const uint64_t pairs = to->choice.pairs > 0 ? to->choice.pairs : 1;
    uint64_t cases = 0, recorded = 0, mismatches = 0, open = 0, unsupported = 0;
    printf("%-28s %-13s %9s %9s %10s  %s\n", "trace", "family", "cases", "agree", "mismatches", "recorded on");
    for (int i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        print_row(row);
        cases += row->cases;
        recorded += row->header.cases;
        mismatches += row->mismatches;
        open += row->open;
        unsupported += row->unsupported;
    }
    printf("%-28s %-13s %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "  against %s\n", "all", "", cases,
           cases - mismatches - unsupported, mismatches, executor_title(to->executor));
    if (unsupported > 0)
        printf("%" PRIu64 " cases were not compared: the command says that it does not support them\n", unsupported);
    if (pairs > 1) printf("each case ran under %" PRIu64 " pairs of a schedule and a seed\n", pairs);
    if (cases / pairs < recorded)
        printf("a sample: %" PRIu64 " of the %" PRIu64 " cases of these traces\n", cases / pairs, recorded);
    if (open > 0)
        printf("%" PRIu64 " cases depend on more than PTX promises: only their status, and bytes that depend on PTX "
               "alone, were compared\n",
               open);
}

static void print_json(const struct replay_options *to, const struct row *rows, int count)
{
    json_t *settings = json_pack("{s:s, s:o, s:o, s:o}", "executor", executor_title(to->executor), "sample",
                                 json_u64(to->choice.sample), "first_pair", json_u64(to->choice.first_pair), "pairs",
                                 json_u64(to->choice.pairs));
    json_t *json = json_array();
    for (int i = 0; i < count; i++) {
        json_t *row = trace_header_write(&rows[i].header);
        json_object_set_new(row, "trace", json_string(rows[i].path));
        json_object_set_new(row, "compared", json_u64(rows[i].cases));
        json_object_set_new(row, "mismatches", json_u64(rows[i].mismatches));
        json_object_set_new(row, "statusAlone", json_u64(rows[i].open));
        json_object_set_new(row, "unsupported", json_u64(rows[i].unsupported));
        json_array_append_new(json, row);
    }
    json_print(shard_answer(&to->shard, "replay", settings, json), JSON_INDENT(1));
}

// About how long a trace takes, by its header; 0 if that cannot be read.
static uint64_t cost_of(const char *path)
{
    struct trace_header header;
    if (!trace_peek(path, &header) || header.cases > MOST_COST) return 0;
    return header.cases * (header.family->cost > 1 ? header.family->cost : 1);
}

// Cuts the traces into jobs that take about as long as each other, at least PARTS for each processor if there is more
// than one. Returns how many jobs there are; `rows` and `cost` have room for JOBS_MOST.
static int cut(const struct trace_paths *paths, int processors, struct row *rows, uint64_t *cost)
{
    uint64_t total = 1, of_trace[TRACE_PATHS_MOST];
    int jobs = 0;
    for (int i = 0; i < paths->count; i++) total += of_trace[i] = cost_of(paths->path[i]);
    for (int i = 0; i < paths->count; i++) {
        uint64_t parts = processors > 1 ? 1 + of_trace[i] * PARTS * (uint64_t)processors / total : 1;
        for (uint64_t part = 0; part < parts; part++) {
            cost[jobs] = of_trace[i] / parts;
            rows[jobs++] = (struct row){.path = paths->path[i], .part = part, .parts = parts};
        }
    }
    return jobs;
}

// Adds up the parts of each trace, and takes out those that were not finished. Returns how many traces are left.
static int keep_whole(struct row *rows, int count)
{
    int kept = 0;
    for (int i = 0, parts; i < count; i += parts) {
        struct row sum = rows[i];
        parts = (int)sum.parts;
        for (int part = 1; part < parts; part++) {
            const struct row *row = &rows[i + part];
            sum.cases += row->cases;
            sum.mismatches += row->mismatches;
            sum.open += row->open;
            sum.unsupported += row->unsupported;
            if (row->state != ROW_WHOLE) sum.state = row->state;
        }
        if (sum.state == ROW_WHOLE) rows[kept++] = sum;
    }
    return kept;
}

// Prints the rows; returns the exit status.
static int report(const char *command, const struct replay_options *to, struct row *rows, int count, int traces,
                  enum workers_end end)
{
    bool mismatch = false;
    for (int i = 0; i < count; i++)
        if (rows[i].state == ROW_BAD) return command_usage(command, "%s", rows[i].why.at);
    if (end == WORKERS_DIED) return command_usage(command, "a process crashed while it replayed a trace");
    int kept = keep_whole(rows, count);
    for (int i = 0; i < kept; i++) mismatch |= rows[i].mismatches > 0;
    if (to->json)
        print_json(to, rows, kept);
    else
        print_table(to, rows, kept);
    if (end == WORKERS_DONE) return mismatch ? EXIT_MISMATCH : EXIT_AGREE;
    fprintf(stderr, "tmaref %s: interrupted; %d of %d traces were compared\n", command, kept, traces);
    return EXIT_USAGE;
}

int replay_run(const char *command, const struct replay_options *to)
{
    static struct trace_paths paths;
    static uint64_t cost[JOBS_MOST];
    const size_t rows_bytes = JOBS_MOST * sizeof(struct row);
    struct text why = {"there is no trace"};
    int ok = 1, processes = to->executor == &executor_gpu ? 1 : side_by_side(to->jobs); // one device
    paths.count = 0;
    for (int i = 0; i < to->paths && ok; i++) ok = trace_paths_add(&paths, to->path[i], &why);
    if (!ok || paths.count == 0) return command_usage(command, "%s", why.at);
    struct replay replay = {to, shared_memory(rows_bytes), 0};
    if (replay.rows == NULL) return command_usage(command, "not enough memory");
    const bool is_whole =
        to->choice.schedules > 0; // the pairs of a schedule and a seed are dealt out over a whole trace
    const int count = cut(&paths, is_whole ? 1 : processes, replay.rows, cost);
    const struct jobs jobs = {
        count, cost, replay_one, &replay, count > paths.count ? print_part : NULL, "replay", 0,
    };
    enum workers_end end = workers_run(&jobs, processes, stderr);
    int status = report(command, to, replay.rows, count, paths.count, end);
    shared_memory_free(replay.rows, rows_bytes);
    return status;
}

int command_replay(int argc, char **argv)
{
    char installed[PATH_MAX];
    struct replay_options to = {.executor = &executor_model, .printed = REPLAY_PRINTED, .shard = {1, 1, false}};
    static const struct command_line line = {
        .usage = "[PATH...]",
        .help = "Compares the model with recorded traces (files, or all in a folder; default: the folder "
                "'traces' here, else the installed traces).",
        .options = options,
        .argument = take_path,
        .filter = names_filter,
    };
    command_line_read(&line, argc, argv, &to);
    if ((to.choice.schedules > 0 || to.choice.pairs > 0) && to.executor != &executor_sim)
        return command_usage("replay", "--%s is for the executor sim", to.choice.pairs > 0 ? "pairs" : "schedules");
    if (to.choice.schedules > 0 && to.shard.is_given)
        return command_usage("replay",
                             "takes --schedules or --shard, not both: the pairs are dealt out over a whole trace");
    if (to.choice.schedules > 0 && to.choice.pairs > 0)
        return command_usage("replay", "takes --schedules or --pairs, not both");
    if (to.paths == 0) to.path[to.paths++] = program_traces(installed, sizeof installed);
    if (to.path[0] == NULL)
        return command_usage("replay", "no trace is named, there is no folder 'traces' here, and none was installed");
    return replay_run("replay", &to);
}
