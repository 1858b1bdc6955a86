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
#include "trace_batch.h"
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

// A replay while it runs.
struct replay {
    const struct replay_options *options;
    struct row *row;
    struct progress *progress;
};

static int check(const struct trace_batch *cases, int i, void *context)
{
    struct replay *replay = context;
    struct row *row = replay->row;
    int is_told = row->mismatches < replay->options->printed;
    row->cases++;
    row->mismatches += !trace_batch_agrees(cases, i, is_told ? stderr : NULL);
    progress_add(replay->progress, 1);
    return 1;
}

static int replay_one(const struct replay_options *to, struct row *row, struct text *why)
{
    struct progress progress = progress_start("replay", 0);
    struct replay replay = {to, row, &progress};
    int ok = trace_run(row->path, to->executor, &row->header, check, &replay, why);
    progress_end(&progress);
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
