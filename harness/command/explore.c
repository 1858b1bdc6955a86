// SPDX-License-Identifier: MIT
// `tmaref explore`: runs a program under one schedule after the other, until it fails or a budget is used up, and says
// which delay makes it fail.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "command.h"
#include "command_option.h"
#include "common_program.h"
#include "explore.h"
#include "explore_answer.h"
#include "shard.h"
#include "version_text.h"

enum {
    DEFAULT_RUNS = 100,
    DEFAULT_REDUCE = 500,
    RUN_SECONDS = 60,
    MOST_SECONDS = 1000000,
    MOST_DEPTH = 16,
    DEFAULT_STEPS = 20000000
};

struct arguments {
    char **program; // ends with NULL; NULL if none was given
    int schedule, check, sanitize, same_output, every, all, paths, json;
    uint64_t seed, depth, runs, reduce, steps;
    double seconds, run_seconds;
    const char *delays;
    struct shard shard;
};

// In the order of enum explore_schedule, behind `all`. The default one runs first in any case.
static const char *const schedule_words[] = {"all", "late", "early", "shuffled", "pct", NULL};

#define TO struct arguments
static const struct command_option option_rows[] = {
    OPTION_NUMBER('n', "runs", "N", runs, 1, UINT64_MAX, "end after N runs (default 100, without --seconds)"),
    OPTION_REAL('t', "seconds", "N", seconds, 1, MOST_SECONDS,
                "begin no run after N seconds, and end a search of --paths"),
    OPTION_WORD('S', "schedule", "WHEN", schedule, schedule_words,
                "use this schedule alone behind the first run: late, early, shuffled, pct; default: all of them"),
    OPTION_FLAG('e', "every-delay", every,
                "in place of schedules, try each list of one delay, and say when none is left; without --runs and "
                "--seconds, all of them"),
    OPTION_FLAG(
        'a', "all", all,
        "in place of schedules, try every order of accesses, arrivals and copies within a cluster, and say when "
        "none is left; for kernels of a few instructions"),
    OPTION_FLAG('p', "paths", paths,
                "in place of schedules, run once, and search every order of what synchronises there, with the path of "
                "each warp as it was: deadlocks, arrivals too many, waits that go on behind another phase"),
    OPTION_NUMBER(0, "steps", "N", steps, 1, UINT64_MAX,
                  "with --paths: make at most N steps in all orders of a cluster's (default 20000000)"),
    OPTION_NUMBER('s', "seed", "N", seed, 0, UINT64_MAX, "the first seed of shuffled and pct (default 0)"),
    OPTION_NUMBER(0, "depth", "N", depth, 1, MOST_DEPTH,
                  "with pct: N - 1 warps of each cluster get the last place in a later moment (default 3)"),
    OPTION_FLAG(0, "check", check, "a mistake that --check of exec reports is a failure"),
    OPTION_FLAG(0, "sanitize", sanitize, "a finding of --sanitize of exec is a failure"),
    OPTION_FLAG('o', "same-output", same_output, "other standard output than that of the first run is a failure"),
    OPTION_REAL(0, "run-seconds", "N", run_seconds, 1, MOST_SECONDS,
                "kill a run after N seconds, and count it as cut (default 60)"),
    OPTION_NUMBER(0, "reduce", "N", reduce, 0, UINT32_MAX,
                  "search for the fewest delays that make it fail, in at most N runs (default 500; 0: do not)"),
    OPTION_TEXT('d', "delays", "FILE", delays, "write these delays to FILE (default: tmaref.delays)"),
    OPTION_SHARD(0, shard, "begin only part I of N of the runs"),
    OPTION_FLAG('j', "json", json, "print a JSON object"),
    OPTION_END,
};

static const char help[] =
    "Run PROGRAM, a CUDA program, under `tmaref exec` with one schedule after the other, until it fails under one or a "
    "budget is used up.\vThe first run has the default schedule. A run fails if a kernel of it fails or hangs, if the "
    "program ends with a status other than 0 and other than that of the first run, and as --check, --sanitize and "
    "--same-output say. A failure is printed with the command line that repeats it, and with the fewest delays that "
    "make "
    "it come (docs/explore.md). The program is run many times, with nothing on its standard input. With --paths it is "
    "run once, and nothing of memory is looked at.\n\n"
    "Exit status: 0 no run failed; 1 one failed, or with --paths an order does; 2 wrong arguments, or the program does "
    "not start or "
    "runs no kernel; 128 + N if signal N ended the search.";

static const char text[] =
    "{runs} runs: {schedules*{} {@}|, }{cut?; {cut} of them were cut}{failures!{paths.findings!; none failed}}\n"
    "{every.lists?{every.tried} of {every.lists} lists of one delay were tried{every.left!: none is left}\n}"
    "{all?{all.text}\n}"
    "{paths?{paths.programs*kernel {kernel}, {clusters=1?the cluster of}{clusters=1!{clusters} clusters like that of} "
    "CTA {cta}: {steps} steps of {threads} groups of threads and {operations} operations\n  {text}"
    "{held?; {held} of them come behind strong accesses to memory as in the run}\n|}"
    "{paths.full?The run made more steps, which were not searched.\n}"
    "{paths.findings*{at}: error: kernel {kernel}: {what}\n"
    "{late?  These come to that phase in the run, and may come later:\n}{waits?{waits*  {who}, at {at}: {what}\n|}}"
    "{first?  In the run, {first.who}, at {first.at}, {first.what}\n  before {later.who}, at {later.at}, {later.what}; "
    "here that comes first.\n}  The last of {steps} steps:\n{last*    {who}, at {at}: {what}\n|}|}}"
    "{failures?{failures*{verdict=status?status {status}, with the default schedule {^first.status}}"
    "{verdict=output?other output than the first run}{verdict=report?{report}}\n"
    "  {command}\n"
    "{reduced?{reduced.repeats!  It did not come again: it does not depend on the schedule alone.\n}"
    "{reduced.found?{reduced.text}\n"
    "{reduced.weak?  Stores are hidden until a fence publishes them, and waits promise no more than PTX does (weak).\n}"
    "{reduced.delays*  {what}, at {at}\n{past*    meanwhile {}\n}}"
    "  {reduced.command}\n}"
    "{reduced.missed?  No list of delays was found that makes it fail.\n}}|}}";

static struct explore_plan plan_of(const struct arguments *arguments)
{
    return (struct explore_plan){
        .program = {arguments->program,
                    arguments->sanitize ? "--sanitize"
                    : arguments->check  ? "--check"
                                        : NULL,
                    arguments->run_seconds},
        .only = arguments->schedule == 0 ? EXPLORE_SCHEDULES : (enum explore_schedule)arguments->schedule,
        .first_seed = arguments->seed,
        .depth = arguments->depth,
        .runs =
            arguments->runs == 0 && arguments->seconds == 0 && !arguments->every && !arguments->all && !arguments->paths
                ? DEFAULT_RUNS
                : arguments->runs,
        .every = arguments->every,
        .all = arguments->all,
        .paths = arguments->paths,
        .steps = arguments->steps,
        .seconds = arguments->seconds,
        .shard = arguments->shard.part,
        .shards = arguments->shard.parts,
        .reduce = arguments->reduce,
        .same_output = arguments->same_output,
        .keep = arguments->delays,
    };
}

// --- The answer ------------------------------------------------------------------------------------------------------

json_t *explore_json_of_number(uint64_t number)
{
    return number <= INT64_MAX ? json_integer((json_int_t)number) : json_sprintf("%llu", (unsigned long long)number);
}

// What a line of a list of delays delays, in words.
static json_t *json_of_what(const char *line)
{
    unsigned long long level, launch, at;
    unsigned cta[3], warp;
    char kind[12];
    if (sscanf(line, "%llu launch %llu cta %u,%u,%u warp %u %11s %llu", &level, &launch, &cta[0], &cta[1], &cta[2],
               &warp, kind, &at) != 8)
        return json_string(line);
    if (strcmp(kind, "operation") == 0)
        return json_sprintf("asynchronous operation %llu of warp %u of CTA (%u,%u,%u), launch %llu", at, warp, cta[0],
                            cta[1], cta[2], launch);
    return json_sprintf("warp %u of CTA (%u,%u,%u), launch %llu, behind %llu of its instructions", warp, cta[0], cta[1],
                        cta[2], launch, at);
}

static json_t *json_of_delays(const struct explore_reduced *reduced)
{
    json_t *delays = json_array();
    for (uint32_t i = 0; i < reduced->delays && i < EXPLORE_MOST_DELAYS; i++) {
        const struct explore_delay *delay = &reduced->delay[i];
        json_t *past = json_array();
        for (int j = 0; j < delay->pasts; j++) json_array_append_new(past, json_string(delay->past[j]));
        json_array_append_new(delays, json_pack("{s:s, s:o, s:s, s:o}", "delay", delay->text, "what",
                                                json_of_what(delay->text), "at", delay->at, "past", past));
    }
    return delays;
}

static json_t *json_of_reduced(const struct explore_plan *plan, const struct explore_reduced *reduced)
{
    char command[EXPLORE_COMMAND_BYTES];
    const struct explore_how how = {.schedule = EXPLORE_DELAY, .delays = plan->keep};
    const char *words = reduced->delays == 0   ? "No step is delayed"
                        : reduced->delays == 1 ? "The one delayed step"
                                               : "The delayed steps";
    json_t *json =
        json_pack("{s:b, s:b, s:b, s:b, s:b, s:o, s:o}", "repeats", reduced->is_repeated, "found", reduced->is_found,
                  "missed", reduced->is_repeated && !reduced->is_found, "least", reduced->is_least, "weak",
                  reduced->is_weak, "runs", explore_json_of_number(reduced->runs), "delays", json_of_delays(reduced));
    json_object_set_new(json, "text",
                        json_sprintf("%s%s (found in %llu runs):", words,
                                     reduced->is_least ? "" : ", as far as the runs went, not the fewest",
                                     (unsigned long long)reduced->runs));
    if (reduced->is_found)
        json_object_set_new(json, "command", json_string(explore_command(&plan->program, &how, command)));
    return json;
}

static json_t *json_of_failure(const struct explore_plan *plan, const struct explore_result *result)
{
    static const char *const verdicts[] = {"none", "status", "report", "output", "order"};
    char command[EXPLORE_COMMAND_BYTES];
    const struct explore_how *how = &result->failed;
    json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:o, s:i, s:s, s:s}", "verdict", verdicts[result->verdict],
                             "schedule", explore_schedule_name[how->schedule], "seed",
                             explore_json_of_number(how->seed), "depth", explore_json_of_number(how->depth), "steps",
                             explore_json_of_number(how->steps), "status", result->end.status, "report",
                             result->end.first, "command", explore_command(&plan->program, how, command));
    if (json == NULL) json = json_pack("{s:s, s:s}", "verdict", verdicts[result->verdict], "command", command);
    if (plan->reduce > 0 && !plan->all && how->schedule != EXPLORE_DEFAULT)
        json_object_set_new(json, "reduced", json_of_reduced(plan, &result->reduced));
    return json;
}

// What was tried of all orders, and what that shows.
static json_t *json_of_all(const struct explore_result *result)
{
    const struct explore_all *all = &result->all;
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}", "orders", explore_json_of_number(all->orders), "known",
                  explore_json_of_number(all->known), "vain", explore_json_of_number(all->vain), "outcomes",
                  explore_json_of_number(all->outcomes), "left", explore_json_of_number(all->left), "whole",
                  all->is_whole, "clusters", all->are_clusters, "timed", all->is_timed);
    const char *clusters = all->are_clusters ? "; of clusters of a launch, one order alone was tried" : "";
    const char *timed = all->is_timed ? "; who goes on by a count or a clock did so behind all others alone" : "";
    const unsigned long long orders = all->orders, outcomes = all->outcomes, left = all->left;
    json_t *what =
        result->verdict != EXPLORE_NONE
            ? json_sprintf("%llu orders of steps ended well before one that does not", orders)
        : all->is_whole
            ? json_sprintf("%llu orders of steps, %llu outcomes: none is left%s%s", orders, outcomes, clusters, timed)
            : json_sprintf("%llu orders of steps, %llu outcomes; of the choices known so far, %llu were not tried%s%s",
                           orders, outcomes, left, clusters, timed);
    json_object_set_new(json, "text", what);
    return json;
}

static json_t *json_of_failures(const struct explore_plan *plan, const struct explore_result *result)
{
    json_t *failures = json_array();
    if (result->verdict != EXPLORE_NONE) json_array_append_new(failures, json_of_failure(plan, result));
    return failures;
}

static json_t *json_of(const struct explore_plan *plan, const struct explore_result *result)
{
    json_t *schedules = json_object(), *program = json_array();
    for (char **word = plan->program.program; *word != NULL; word++) json_array_append_new(program, json_string(*word));
    for (int i = 0; i < EXPLORE_SCHEDULES; i++)
        if (result->runs[i] > 0)
            json_object_set_new(schedules, explore_schedule_name[i], explore_json_of_number(result->runs[i]));
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:s}}", "version", TMAREF_VERSION_TEXT, "program", program,
                  "seed", explore_json_of_number(plan->first_seed), "runs", explore_json_of_number(result->all_runs),
                  "schedules", schedules, "cut", explore_json_of_number(result->cut), "first", "status",
                  result->first.status, "report", result->first.first);
    if (result->verdict != EXPLORE_ORDER) json_object_set_new(json, "failures", json_of_failures(plan, result));
    if (plan->all && result->runs[EXPLORE_DELAY] > 0) json_object_set_new(json, "all", json_of_all(result));
    if (plan->paths && result->paths.found != NULL)
        json_object_set_new(json, "paths", explore_json_of_paths(&result->paths));
    if (plan->every)
        json_object_set_new(json, "every",
                            json_pack("{s:o, s:o, s:o}", "lists", explore_json_of_number(result->lists), "tried",
                                      explore_json_of_number(result->tried), "left",
                                      explore_json_of_number(result->lists - result->tried)));
    return json;
}

// What the parts of a search have in common.
static json_t *settings_of(const struct arguments *arguments)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:f, s:b, s:b, s:b, s:b}", "schedule", schedule_words[arguments->schedule],
                     "seed", explore_json_of_number(arguments->seed), "depth", explore_json_of_number(arguments->depth),
                     "runs", explore_json_of_number(arguments->runs), "seconds", arguments->seconds, "check",
                     arguments->check, "sanitize", arguments->sanitize, "same_output", arguments->same_output,
                     "every_delay", arguments->every);
}

int command_explore(int argc, char **argv)
{
    static const struct command_line line = {.usage = "[--] PROGRAM [ARGUMENT...]",
                                             .help = help,
                                             .options = option_rows,
                                             .argument = take_program,
                                             .is_program = true};
    static struct explore_result result;
    struct arguments arguments = {.depth = 3,
                                  .reduce = DEFAULT_REDUCE,
                                  .steps = DEFAULT_STEPS,
                                  .run_seconds = RUN_SECONDS,
                                  .delays = "tmaref.delays",
                                  .shard = {1, 1, false}};
    char folder[PATH_MAX];
    struct text why;
    command_line_read(&line, argc, argv, &arguments);
    if (arguments.program == NULL)
        return command_usage("explore", "no program given; write: tmaref explore [OPTION...] -- PROGRAM [ARGUMENT...]");
    if (arguments.all && (arguments.every || arguments.schedule != 0 || arguments.shard.parts > 1))
        return command_usage("explore", "--all goes with none of --every-delay, --schedule and --shard");
    if (arguments.paths && (arguments.all || arguments.every || arguments.schedule != 0 || arguments.shard.parts > 1))
        return command_usage("explore", "--paths goes with none of --all, --every-delay, --schedule and --shard");
    if (program_part("exec", folder, sizeof folder) != 0)
        return command_usage("explore", "the folder exec with libcuda.so.1 is neither beside the tmaref command nor in "
                                        "its lib folder");
    const struct explore_plan plan = plan_of(&arguments);
    if (!explore(&plan, &result, &why)) return command_usage("explore", "%s", why.at);
    if (result.first.is_unstarted) {
        fputs(result.first.report, stderr);
        return EXIT_USAGE;
    }
    json_t *answer = json_of(&plan, &result);
    explore_paths_free(&result.paths);
    if (arguments.json) answer = shard_answer(&arguments.shard, "explore", settings_of(&arguments), answer);
    answer_print(answer, arguments.json ? NULL : text, arguments.json ? JSON_INDENT(2) : 0);
    if (explore_is_stopped()) return 128 + explore_is_stopped();
    return result.verdict == EXPLORE_NONE ? EXIT_AGREE : EXIT_MISMATCH;
}
