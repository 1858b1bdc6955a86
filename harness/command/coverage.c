// SPDX-License-Identifier: MIT
// `tmaref coverage`: what the recorded traces, and the generators, exercise.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common_options.h"
#include "cross.h"
#include "near.h"
#include "progress.h"
#include "save.h"
#include "trace.h"
#include "trace_paths.h"

enum { DEFAULT_CASES = 10000, DEFAULT_HOLES = 10, MOST_HOLES = 1000000 };

struct coverage_options {
    struct trace_paths paths;
    uint64_t cases, seed, holes;
    const char *html;
    const struct family *closing;
    struct text why;
};

static const struct argp_option options[] = {
    {"cases", 'n', "N", 0, "also count N random cases of each family (default 10000)", 0},
    {"seed", 's', "N", 0, "seed of the random cases (default 1)", 0},
    {"holes", 'H', "N", 0, "name at most N points that were never reached (default 10)", 0},
    {"closing", 'c', "FAMILY", 0,
     "print instead those of the N random cases of this family that reach what no recorded case does: what to record",
     0},
    {"html", 'o', "FILE", 0, "write the whole as a page too", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct coverage_options *to = state->input;
    switch (key) {
    case 'n':
        if (!parse_u64(argument, UINT64_MAX, &to->cases)) argp_error(state, "--cases takes a whole number");
        return 0;
    case 's':
        if (!parse_u64(argument, UINT64_MAX, &to->seed)) argp_error(state, "--seed takes a whole number");
        return 0;
    case 'H':
        if (!parse_u64(argument, MOST_HOLES, &to->holes)) argp_error(state, "--holes takes a whole number to 1000000");
        return 0;
    case 'c':
        to->closing = family_find(argument);
        if (to->closing == NULL)
            argp_error(state, "there is no family '%s'%s ('tmaref list' shows them)", argument,
                       near_names(argument, near_family).at);
        return 0;
    case 'o':
        to->html = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (!trace_paths_add(&to->paths, argument, &to->why)) argp_error(state, "%s", to->why.at);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// A case, and memory for what the model makes of it.
struct trial {
    void *test_case;
    uint8_t *bytes;
    size_t bytes_room;
};

static enum rule verdict(const struct family *family, struct trial *trial)
{
    size_t need = family->result_bytes(trial->test_case) + 64;
    if (need > trial->bytes_room) {
        free(trial->bytes);
        trial->bytes = malloc(need);
        trial->bytes_room = trial->bytes != NULL ? need : 0;
    }
    if (trial->bytes == NULL) abort();
    struct result result = result_at(trial->bytes);
    family->run_model(trial->test_case, &result);
    return result.rule;
}

static int count_trace(struct cross *cross, const char *path, struct text *why)
{
    struct trace_text trace;
    struct trace_entry entry;
    struct trial trial = {0};
    int ok = trace_open(path, &trace, why);
    if (!ok) return 0;
    const struct family *family = trace.header.family;
    trial.test_case = calloc(1, family->case_bytes);
    ok = trial.test_case != NULL;
    for (char *line; ok && (line = trace_next_line(&trace)) != NULL;) {
        struct text reason;
        ok = trace_read(family, line, trial.test_case, &entry, &reason);
        if (!ok) text_set(why, "%.200s: %.300s", path, reason.at);
        if (!ok) break;
        cross_count(cross, CROSS_RECORDED, family, trial.test_case, verdict(family, &trial));
        json_decref(entry.json);
    }
    free(trial.test_case);
    free(trial.bytes);
    trace_close(&trace);
    return ok;
}

static void count_random(struct cross *cross, const struct family *family, uint64_t seed, uint64_t cases)
{
    struct trial trial = {.test_case = calloc(1, family->case_bytes)};
    struct progress progress = progress_start(family->name, cases);
    for (uint64_t i = 0; trial.test_case != NULL && i < cases; i++) {
        struct random random = random_for(seed, i);
        family->generate(&random, trial.test_case);
        cross_count(cross, CROSS_GENERATED, family, trial.test_case, verdict(family, &trial));
        progress_add(&progress, 1);
    }
    progress_end(&progress);
    free(trial.test_case);
    free(trial.bytes);
}

// Prints the cases that close a hole, each counted as recorded from then on.
static void close_holes(struct cross *cross, const struct family *family, uint64_t seed, uint64_t cases)
{
    struct trial trial = {.test_case = calloc(1, family->case_bytes)};
    for (uint64_t i = 0; trial.test_case != NULL && i < cases; i++) {
        struct random random = random_for(seed, i);
        family->generate(&random, trial.test_case);
        enum rule rule = verdict(family, &trial);
        if (!cross_closes_hole(cross, family, trial.test_case, rule)) continue;
        cross_count(cross, CROSS_RECORDED, family, trial.test_case, rule);
        json_t *json = family->write(trial.test_case);
        json_dumpf(json, stdout, JSON_COMPACT);
        printf("\n");
        json_decref(json);
    }
    free(trial.test_case);
    free(trial.bytes);
}

static int write_page(const struct cross *cross, const char *path, struct text *why)
{
    char *page = NULL;
    size_t size_bytes = 0;
    FILE *out = open_memstream(&page, &size_bytes);
    if (out == NULL) return 0;
    cross_write_html(cross, out);
    fclose(out);
    int ok = save_file(path, page, size_bytes, why);
    free(page);
    return ok;
}

int command_coverage(int argc, char **argv)
{
    static struct coverage_options to;
    const struct argp argp = {options,
                              parse,
                              "[PATH...]",
                              "Counts which formats, operations, bounds and rules the cases of recorded traces (files, "
                              "or all in a folder; default: traces) and of the generators reach.",
                              NULL,
                              NULL,
                              NULL};
    to = (struct coverage_options){.cases = DEFAULT_CASES, .seed = 1, .holes = DEFAULT_HOLES};
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    if (to.paths.count == 0 && !trace_paths_add(&to.paths, "traces", &to.why))
        return command_usage("coverage", "%s", to.why.at);
    struct cross *cross = calloc(1, sizeof *cross);
    int ok = cross != NULL;
    for (int i = 0; ok && i < to.paths.count; i++) ok = count_trace(cross, to.paths.path[i], &to.why);
    if (ok && to.closing != NULL) {
        close_holes(cross, to.closing, to.seed, to.cases);
        free(cross);
        return EXIT_AGREE;
    }
    for (int i = 0; ok && families[i] != NULL; i++) count_random(cross, families[i], to.seed, to.cases);
    if (ok && to.html != NULL) ok = write_page(cross, to.html, &to.why);
    if (ok) cross_write_text(cross, (int)to.holes, stdout);
    free(cross);
    return ok ? EXIT_AGREE : command_usage("coverage", "%s", to.why.at);
}
