// SPDX-License-Identifier: MIT
// `tmaref coverage`: what the recorded traces, and the generators, exercise.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "common_options.h"
#include "common_program.h"
#include "cross.h"
#include "files.h"
#include "json.h"
#include "near_lists.h"
#include "progress.h"
#include "rule_most.h"
#include "trace_batch.h"
#include "trace_file.h"
#include "workers.h"

enum { DEFAULT_CASES = 10000, DEFAULT_HOLES = 10, MOST_HOLES = 1000000 };

struct coverage_options {
    struct trace_paths paths;
    uint64_t cases, seed, holes;
    const char *html;
    int json;
    const struct family *closing;
    const struct executor *executor;
    struct trace_choice choice; // of the cases that it runs
    struct text why;
};

static void take_closing(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    (void)option;
    ((struct coverage_options *)line)->closing = parse_family(value, state);
}

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct coverage_options *to = line;
    if (!trace_paths_add(&to->paths, argument, &to->why)) argp_error(state, "%s", to->why.at);
}

#define TO struct coverage_options
static const struct command_option options[] = {
    OPTION_NUMBER('n', "cases", "N", cases, 0, UINT64_MAX,
                  "also count N random cases of each family, fewer if a case is expensive (default 10000)"),
    OPTION_NUMBER('s', "seed", "N", seed, 0, UINT64_MAX, "seed of the random cases (default 1)"),
    OPTION_NUMBER('H', "holes", "N", holes, 0, MOST_HOLES,
                  "name at most N points that were never reached (default 10)"),
    OPTION_TAKEN(
        'c', "closing", "FAMILY", take_closing,
        "print instead those of the N random cases of this family that reach points which fewer than 3 recorded cases "
        "do: what to record",
        .value_at = near_family),
    OPTION_EXECUTOR(
        "also run the recorded cases on this executor, gpu or sim, and count those with the recorded answer"),
    OPTION_NUMBER('S', "sample", "N", choice.sample, 1, UINT32_MAX,
                  "run at most N cases of each trace there, evenly spread (default: all)"),
    OPTION_TEXT('o', "html", "FILE", html, "also write everything as a page"),
    OPTION_FLAG('j', "json", json, "the counts as JSON"),
    OPTION_END,
};

// What one job counts: a trace, or random cases of a family.
struct counting {
    const struct coverage_options *to;
    struct cross *parts; // one for each job, in shared memory
    struct text *why;    // of each trace that is damaged, there too
};

static int count_case(const struct trace_batch *cases, int i, void *context)
{
    cross_count(context, CROSS_RECORDED, cases->batch.family, batch_case(&cases->batch, i),
                cases->batch.results[i].rule);
    workers_progress(1);
    return 1;
}

static int count_answered(const struct trace_batch *cases, int i, void *context)
{
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    struct cross *cross = context;
    if (!trace_batch_agrees(cases, i, NULL)) return 1;
    if (trace_batch_is_open(cases, i))
        cross->partly++;
    else
        cross_count(cross, CROSS_ANSWERED, family, test_case, family_rule(family, test_case));
    return 1;
}

static void count_random(struct cross *cross, const struct family *family, uint64_t seed, uint64_t cases)
{
    void *test_case = calloc(1, family->case_bytes);
    for (uint64_t i = 0; test_case != NULL && i < cases; i++) {
        struct random random = random_for(seed, i);
        family_generate(family, &random, test_case);
        cross_count(cross, CROSS_GENERATED, family, test_case, family_rule(family, test_case));
        workers_progress(1);
    }
    free(test_case);
}

// A family whose cases cost the model more is counted with fewer of them.
static uint64_t random_cases(const struct family *family, uint64_t cases)
{
    return family->cost > 1 ? (cases + family->cost - 1) / family->cost : cases;
}

static void count(int job, void *context, FILE *out)
{
    struct counting *counting = context;
    const struct coverage_options *to = counting->to;
    struct trace_header header;
    (void)out;
    if (job < to->paths.count) {
        const char *path = to->paths.path[job];
        const struct trace_run all = {&executor_model, false, {0}, count_case, &counting->parts[job]};
        const struct trace_run answered = {to->executor, true, to->choice, count_answered, &counting->parts[job]};
        if (trace_run(path, &all, &header, &counting->why[job]) && to->executor != NULL)
            trace_run(path, &answered, &header, &counting->why[job]);
    } else {
        const struct family *family = families[job - to->paths.count];
        count_random(&counting->parts[job], family, to->seed, random_cases(family, to->cases));
    }
}

// Counts all traces, and random cases of all families unless holes are to be closed.
static bool count_all(struct coverage_options *to, struct cross *cross)
{
    int families_all = 0;
    bool ok = 1;
    while (families[families_all] != NULL) families_all++;
    int jobs_all = to->paths.count + (to->closing == NULL && to->cases > 0 ? families_all : 0);
    size_t parts_bytes = (size_t)jobs_all * sizeof(struct cross), why_bytes = (size_t)jobs_all * sizeof(struct text);
    struct counting counting = {to, shared_memory(parts_bytes), shared_memory(why_bytes)};
    const struct jobs jobs = {.count = jobs_all, .run = count, .context = &counting, .label = "coverage"};
    text_set(&to->why, "not enough memory");
    if (counting.parts == NULL || counting.why == NULL) return false;
    enum workers_end end = workers_run(&jobs, 0, stderr);
    for (int i = jobs_all; i-- > 0;)
        if (counting.why[i].at[0] != '\0') to->why = counting.why[i], ok = false;
    if (ok && end != WORKERS_DONE) {
        text_set(&to->why, end == WORKERS_DIED ? "a process crashed while it counted" : "interrupted");
        ok = false;
    }
    cross->is_asked = to->executor != NULL;
    for (int i = 0; i < jobs_all; i++) cross_add(cross, &counting.parts[i]);
    shared_memory_free(counting.parts, parts_bytes);
    shared_memory_free(counting.why, why_bytes);
    return ok;
}

// Is there a rule that too few recorded cases break, and whose evidence is a trace of this family?
static bool misses_rule(const struct cross *cross, const struct family *family)
{
    size_t length = strlen(family->name);
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++) {
        const char *evidence = rule_row(rule)->evidence;
        bool is_of_family = strncmp(evidence, family->name, length) == 0 && strchr("_", evidence[length]) != NULL;
        if (is_of_family && cross_rule_ends_case(rule) && cross->rule[CROSS_RECORDED][rule] < CROSS_ENOUGH) return true;
    }
    return false;
}

// Prints the cases that close a hole, each counted as recorded from then on. The model is asked where that can be.
static void close_holes(struct cross *cross, const struct family *family, uint64_t seed, uint64_t cases)
{
    void *test_case = calloc(1, family->case_bytes);
    struct progress progress = progress_start(family->name, cases);
    for (uint64_t i = 0; test_case != NULL && i < cases; i++) {
        struct random random = random_for(seed, i);
        family_generate(family, &random, test_case);
        progress_add(&progress, 1);
        if (!cross_may_close_hole(cross, family, test_case) && !misses_rule(cross, family)) continue;
        enum rule rule = family_rule(family, test_case);
        if (!cross_closes_hole(cross, family, test_case, rule)) continue;
        cross_count(cross, CROSS_RECORDED, family, test_case, rule);
        json_t *json = family_write(family, test_case);
        json_print(json, JSON_COMPACT);
    }
    progress_end(&progress);
    free(test_case);
}

static void write_page(const void *cross, FILE *out)
{
    cross_write_html(cross, out);
}

int command_coverage(int argc, char **argv)
{
    static struct coverage_options to;
    const char *traces;
    char installed[PATH_MAX];
    static const struct command_line line = {
        .usage = "[PATH...]",
        .help = "Counts which formats, operations, bounds and rules the cases of recorded traces (files, or all in a "
                "folder; default: the folder 'traces' here, else the installed traces) and of the generators "
                "reach.",
        .options = options,
        .argument = take_path,
    };
    to = (struct coverage_options){.cases = DEFAULT_CASES, .seed = 1, .holes = DEFAULT_HOLES};
    command_line_read(&line, argc, argv, &to);
    if (to.paths.count == 0 && (traces = program_traces(installed, sizeof installed)) == NULL)
        return command_usage("coverage", "no trace is named, there is no folder 'traces' here, and none was installed");
    if (to.paths.count == 0 && !trace_paths_add(&to.paths, traces, &to.why))
        return command_usage("coverage", "%s", to.why.at);
    struct cross *cross = calloc(1, sizeof *cross);
    int ok = cross != NULL && count_all(&to, cross);
    if (ok && to.closing != NULL) {
        close_holes(cross, to.closing, to.seed, to.cases);
        free(cross);
        return EXIT_AGREE;
    }
    if (ok && to.html != NULL) ok = save_written(to.html, write_page, cross, &to.why);
    if (ok) (to.json ? cross_write_json : cross_write_text)(cross, (int)to.holes, stdout);
    free(cross);
    return ok ? EXIT_AGREE : command_usage("coverage", "%s", to.why.at);
}
