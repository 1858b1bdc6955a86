// SPDX-License-Identifier: MIT
// `tmaref score`: the recordings against an implementation, case by case, into a file of results and a report; and
// `tmaref merge`: the report of several such files.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "command.h"
#include "common_options.h"
#include "common_program.h"
#include "score.h"
#include "shard.h"
#include "trace_file.h"
#include "workers.h"

enum { PARTS = 4, WHOLE_CASES = 4000 }; // a trace of more cases is cut into parts

struct report_options {
    int json;
    const char *expect, *write_expect, *junit, *html, *write_json;
};

struct score_options {
    struct report_options report;
    const struct executor *executor;
    const char *resume;
    int jobs;
    uint64_t sample;
    struct shard shard;
    struct trace_paths paths;
};

#define TO struct report_options
static const struct command_option report_options[] = {
    OPTION_TEXT('e', "expect", "FILE", expect, "known failures: lines CASE VERDICT REASON; they do not count"),
    OPTION_TEXT('w', "write-expectations", "FILE", write_expect, "write what fails as such lines"),
    OPTION_TEXT('u', "junit", "FILE", junit, "write the report as JUnit XML too"),
    OPTION_TEXT('o', "html", "FILE", html, "write it as a page too"),
    OPTION_TEXT('O', "write-json", "FILE", write_json, "write it as JSON too"),
    OPTION_FLAG('j', "json", json, "print the report as JSON"),
    OPTION_END,
};
static const struct command_line report_line = {.options = report_options};
#undef TO

static void take_trace(void *line, char *argument, struct argp_state *state)
{
    struct score_options *to = line;
    struct text why;
    if (!trace_paths_add(&to->paths, argument, &why)) argp_error(state, "%s", why.at);
}

#define TO struct score_options
static const struct command_option options[] = {
    OPTION_EXECUTOR("EXECUTORS"),
    OPTION_TEXT('r', "resume", "FILE", resume,
                "keep the verdict of each case in FILE; a run that finds some there goes on behind them"),
    OPTION_SHARD('S', shard, "run part I of N of the cases; tmaref merge adds the parts up"),
    OPTION_NUMBER('s', "sample", "N", sample, 1, UINT32_MAX,
                  "run at most N cases of each trace, evenly spread (default: all)"),
    OPTION_JOBS(jobs),
    OPTION_END,
};

// --- The run ---------------------------------------------------------------------------------------------------------

// What a job sees: `skip` of each trace, a byte for each case that does not run.
struct scoring {
    const struct score_options *to;
    uint8_t *skip[TRACE_PATHS_MOST];
    uint64_t cases[TRACE_PATHS_MOST];
    struct {
        int trace, part, parts;
    } job[TRACE_PATHS_MOST * PARTS];
    int jobs;
    struct text *why;  // of each trace, in shared memory
    int file;          // of the results
    off_t whole_bytes; // of its lines behind the header that were there
};

static int keep(const struct trace_batch *cases, int i, void *context)
{
    const struct scoring *scoring = context;
    json_t *json = score_record(cases, i);
    char *text = json_dumps(json, JSON_COMPACT), *line = NULL;
    const int length = asprintf(&line, "%s\n", text);
    const int ok = length > 0 && write(scoring->file, line, (size_t)length) == length; // at once: others write too
    free(line);
    free(text);
    json_decref(json);
    workers_progress(1);
    return ok;
}

static void run_part(int job, void *context, FILE *out)
{
    struct scoring *scoring = context;
    struct trace_header header;
    struct text why = {"the file of results cannot be written"};
    const int trace = scoring->job[job].trace;
    const struct trace_choice choice = {.sample = scoring->to->sample,
                                        .part = (uint64_t)scoring->job[job].part,
                                        .parts = (uint64_t)scoring->job[job].parts,
                                        .skip = scoring->skip[trace]};
    const struct trace_run run = {scoring->to->executor, false, choice, keep, scoring};
    (void)out;
    if (!trace_run(scoring->to->paths.path[trace], &run, &header, &why)) scoring->why[trace] = why;
}

// Marks the cases that the file of results has. A last line that a run was cut off in does not count.
static void skip_known(struct scoring *scoring, FILE *results)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, results)) > 0 && line[length - 1] == '\n';) {
        scoring->whole_bytes += length;
        json_t *json = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(json, "case")),
                   *colon = name != NULL ? strchr(name, ':') : NULL;
        for (int i = 0; colon != NULL && i < scoring->to->paths.count; i++) {
            const struct text of = score_trace_name(scoring->to->paths.path[i]);
            const uint64_t at = strtoull(colon + 1, NULL, 10) - 2; // behind the header
            if (strlen(of.at) == (size_t)(colon - name) && strncmp(of.at, name, (size_t)(colon - name)) == 0 &&
                at < scoring->cases[i])
                scoring->skip[i][at] = 1;
        }
        json_decref(json);
    }
    free(line);
}

// Opens the file of results, or one that goes; with its header, and its last line whole. 0 with `why` if it is of
// another run.
static int open_results(struct scoring *scoring, struct text *why)
{
    const struct score_options *to = scoring->to;
    json_t *header = score_header(executor_title(to->executor), to->shard.part, to->shard.parts);
    char *line = json_dumps(header, JSON_COMPACT), *first = NULL;
    size_t room = 0;
    FILE *old = to->resume != NULL ? fopen(to->resume, "r") : NULL;
    const ssize_t length = old != NULL ? getline(&first, &room, old) : -1;
    int ok = 1;
    if (length > 0) first[strcspn(first, "\n")] = '\0';
    if (length > 0 && strcmp(first, line) != 0)
        ok = text_fail(why, "%.200s: it holds other results (%.200s); name another file", to->resume, first);
    if (ok && length > 0) skip_known(scoring, old);
    if (old != NULL) fclose(old);
    FILE *temporary = to->resume == NULL ? tmpfile() : NULL;
    if (ok)
        scoring->file =
            to->resume != NULL ? open(to->resume, O_RDWR | O_CREAT | O_APPEND, 0666) : dup(fileno(temporary));
    if (ok && scoring->file < 0) ok = text_fail(why, "%.300s cannot be written", to->resume);
    if (temporary != NULL) fcntl(scoring->file, F_SETFL, O_APPEND);
    if (ok && length > 0) ok = ftruncate(scoring->file, length + scoring->whole_bytes) == 0;
    if (ok && length <= 0) ok = write_all(scoring->file, line, strlen(line)) && write_all(scoring->file, "\n", 1);
    free(first), free(line), json_decref(header);
    return ok;
}

static int prepare(struct scoring *scoring, struct text *why)
{
    const struct score_options *to = scoring->to;
    for (int i = 0; i < to->paths.count; i++) {
        struct trace_header header;
        if (!trace_peek(to->paths.path[i], &header)) return text_fail(why, "%.300s is no trace", to->paths.path[i]);
        scoring->cases[i] = header.cases;
        scoring->skip[i] = calloc(1, header.cases + 1);
        if (scoring->skip[i] == NULL) return text_fail(why, "not enough memory");
        const int parts = header.cases > WHOLE_CASES ? PARTS : 1;
        for (int part = 0; part < parts; part++) {
            scoring->job[scoring->jobs].trace = i;
            scoring->job[scoring->jobs].part = part;
            scoring->job[scoring->jobs++].parts = parts;
        }
        for (uint64_t at = 0; at < header.cases; at++)
            scoring->skip[i][at] = at % to->shard.parts + 1 != to->shard.part;
    }
    return open_results(scoring, why);
}

// --- The report ------------------------------------------------------------------------------------------------------

static bool save(const char *path, void (*print)(const void *, FILE *), const json_t *report, struct text *why)
{
    return path == NULL || save_written(path, print, report, why);
}

// Prints and writes the report of files; returns the exit status.
static int report(const char *command, const struct report_options *to, const char *const *paths, int count)
{
    struct text why;
    struct expectations *expectations = NULL;
    if (to->expect != NULL && (expectations = expectations_read(to->expect, score_verdict_names + 1, &why)) == NULL)
        return command_usage(command, "%s", why.at);
    struct score *score = score_open(expectations);
    int ok = 1;
    for (int i = 0; ok && i < count; i++) ok = score_add(score, paths[i], &why);
    json_t *json = score_close(score);
    ok = ok && save(to->junit, score_print_junit, json, &why) && save(to->html, score_print_html, json, &why) &&
         save(to->write_json, score_print_json, json, &why) &&
         save(to->write_expect, score_print_expectations, json, &why);
    if (ok) (to->json ? score_print_json : score_print_text)(json, stdout);
    const uint64_t failures = score_failures(json);
    json_decref(json);
    expectations_free(expectations);
    if (!ok) return command_usage(command, "%s", why.at);
    return failures > 0 ? EXIT_MISMATCH : EXIT_AGREE;
}

int command_score(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "[PATH...]",
        .help = "Asks a program of yours (or the model, gpu or sim) for every case of the recordings, and reports how "
                "much agrees, by family, rule and feature. docs/conformance-kit.md explains it.",
        .options = options,
        .argument = take_trace,
        .part = &report_line,
        .part_at = offsetof(TO, report),
        .filter = names_filter,
    };
    static struct score_options to = {.shard = {1, 1, false}};
    static struct scoring scoring = {.to = &to};
    char installed[4096], results[64];
    struct text why = {"there is no trace"};
    command_line_read(&line, argc, argv, &to);
    if (to.executor == NULL) return command_usage("score", "--executor is needed: command:PROGRAM, for example");
    const char *traces = to.paths.count == 0 ? program_traces(installed, sizeof installed) : NULL;
    if (traces != NULL && !trace_paths_add(&to.paths, traces, &why)) return command_usage("score", "%s", why.at);
    if (to.paths.count == 0 || !prepare(&scoring, &why)) return command_usage("score", "%s", why.at);
    scoring.why = shared_memory(TRACE_PATHS_MOST * sizeof *scoring.why);
    if (scoring.why == NULL) return command_usage("score", "not enough memory");
    const struct jobs jobs = {scoring.jobs, NULL, run_part, &scoring, NULL, "score", 0};
    const enum workers_end end = workers_run(&jobs, to.executor == &executor_gpu ? 1 : side_by_side(to.jobs), stderr);
    for (int i = 0; i < to.paths.count; i++) {
        free(scoring.skip[i]);
        if (scoring.why[i].at[0] != '\0') return command_usage("score", "%s", scoring.why[i].at);
    }
    if (end != WORKERS_DONE)
        return command_usage("score", "%s; --resume FILE goes on",
                             end == WORKERS_INTERRUPTED ? "interrupted" : "a process crashed while it ran cases");
    snprintf(results, sizeof results, "/dev/fd/%d", scoring.file);
    lseek(scoring.file, 0, SEEK_SET);
    const char *const path[] = {to.resume != NULL ? to.resume : results};
    return report("score", &to.report, path, 1);
}

// --- Several files ---------------------------------------------------------------------------------------------------

#undef TO
#define TO struct merge_options
struct merge_options {
    struct report_options report;
    const char *path[SHARDS_MOST];
    int paths;
};

static void take_results(void *line, char *argument, struct argp_state *state)
{
    struct merge_options *to = line;
    if (to->paths == SHARDS_MOST) argp_error(state, "takes at most %d files", SHARDS_MOST);
    to->path[to->paths++] = argument;
}

// Files of one command that was run with --shard and --json. Those are no report.
static int merge_shards(const struct merge_options *to)
{
    struct text why;
    uint64_t failures = 0;
    const struct report_options *report = &to->report;
    if (report->expect != NULL || report->write_expect != NULL || report->junit != NULL || report->html != NULL)
        return command_usage("merge",
                             "--expect, --write-expectations, --junit and --html are for files of tmaref score");
    json_t *sum = shards_merge(to->path, to->paths, &failures, &why);
    if (sum == NULL) return command_usage("merge", "%s", why.at);
    if (report->write_json != NULL && json_dump_file(sum, report->write_json, JSON_INDENT(2)) != 0) {
        json_decref(sum);
        return command_usage("merge", "cannot write %s", report->write_json);
    }
    if (!report->json) json_object_set_new(sum, "failures", json_integer((json_int_t)failures));
    answer_print(sum, report->json ? NULL : "{command}, {shards} parts: {failures} failures\n", JSON_INDENT(2));
    return failures > 0 ? EXIT_MISMATCH : EXIT_AGREE;
}

int command_merge(int argc, char **argv)
{
    static const struct command_option none[] = {OPTION_END};
    static const struct command_line line = {
        .usage = "FILE...",
        .help =
            "Adds up the files of results that 'tmaref score --resume FILE --shard I/N' has kept, and reports as it "
            "does; or what explore, litmus, replay or diff have printed with --shard I/N and --json.",
        .options = none,
        .argument = take_results,
        .part = &report_line,
        .part_at = offsetof(TO, report),
    };
    static struct merge_options to;
    command_line_read(&line, argc, argv, &to);
    if (to.paths == 0)
        return command_usage("merge", "which files? tmaref score --resume FILE makes them, or a command with --shard "
                                      "and --json");
    if (shards_is_one(to.path[0])) return merge_shards(&to);
    return report("merge", &to.report, to.path, to.paths);
}
