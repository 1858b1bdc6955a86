// SPDX-License-Identifier: MIT
// `tmaref litmus FILE|FOLDER`: what does the memory consistency model of PTX allow? Reads tests (harness/litmus), asks
// the model (model/order), and says where a test claims something else. With --executor it is what a device shows that
// the model must allow (litmus_tries.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_option.h"
#include "files.h"
#include "json.h"
#include "litmus_files.h"
#include "litmus_read.h"
#include "litmus_show.h"
#include "litmus_tries.h"
#include "shard.h"

enum { MAX_TEST_BYTES = 1 << 20, MAX_UNROLL = 8, MOST_SECONDS = 1000000 };

struct arguments {
    const char *expected, *svg, *record;
    int executor, outcomes, progress, races, json, quiet;
    uint64_t unroll, most, tries;
    double seconds;
    struct shard shard;
    struct litmus_files files;
    int paths;
    const char *path[64];
};

// In the order of enum litmus_executor.
static const char *const executors_of_tests[] = {"model", "sim", "gpu", "trace", NULL};

#define TO struct arguments
static const struct command_option rows_of_options[] = {
    OPTION_FLAG('o', "outcomes", outcomes, "Print every outcome that is allowed; * marks those of the condition"),
    OPTION_TEXT(0, "svg", "FILE", svg,
                "Draw the execution, or the cycle that forbids it, into FILE ('-': standard output)"),
    OPTION_FLAG('p', "progress", progress, "Ask whether all threads always end, in place of the test's question"),
    OPTION_FLAG('r', "races", races, "Ask whether no execution has a data-race, in place of the test's question"),
    OPTION_NUMBER('u', "unroll", "N", unroll, 1, MAX_UNROLL, "Branch back N times at most (default 2)"),
    OPTION_NUMBER('m', "most", "N", most, 1, UINT64_MAX, "Give up a test after N executions (default: never)"),
    OPTION_TEXT('e', "expected", "FILE", expected,
                "Run the tests that lines 'PATH,1' (the claim holds) and 'PATH,0' name, paths below FOLDER"),
    OPTION_WORD(
        'x', "executor", "NAME", executor, executors_of_tests,
        "model (default): what is allowed; sim, gpu: run each test on the simulated or the real device, and hold "
        "each end against the model; trace: the same of what was recorded, PATH is the record"),
    OPTION_NUMBER('n', "tries", "N", tries, 1, UINT64_MAX,
                  "Run each test at least N times (default: 5120 on sim, a million on gpu)"),
    OPTION_REAL('t', "seconds", "N", seconds, 0, MOST_SECONDS, "Run each test for at least N seconds"),
    OPTION_TEXT('R', "record", "FILE", record, "Write how often each test ended how; compressed if it ends in .zst"),
    OPTION_SHARD(0, shard, "ask part I of N of the tests; tmaref merge adds up what --json prints"),
    OPTION_FLAG('q', "quiet", quiet, "Print only tests that differ, and the sum (as of a folder)"),
    OPTION_FLAG('j', "json", json, "Print a JSON object"),
    OPTION_END,
};

static const char help[] =
    "Say what the memory consistency model of PTX allows of litmus tests: small programs of a few threads, with the "
    "question whether they can end in some way.\v"
    "A test is allowed if some execution keeps all axioms of the model, else forbidden; 'forall' asks of all "
    "executions. A test that is forbidden comes with the cycle that breaks an axiom. Tests are written as those of "
    "Dat3M, with the asynchronous instructions of Hopper beside (docs/memory-model.md).\n\n"
    "Exit status: 0 all tests are as they claim; 1 one differs; 2 wrong arguments, or a test that cannot be read or is "
    "too large.";

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct arguments *to = line;
    if (to->paths == (int)(sizeof to->path / sizeof to->path[0]))
        argp_error(state, "takes at most 64 files and folders");
    to->path[to->paths++] = argument;
}

static void check_line(const void *line, struct argp_state *state)
{
    const struct arguments *to = line;
    if (to->paths == 0) argp_error(state, "say which FILE or FOLDER");
    if (to->expected != NULL && to->paths != 1) argp_error(state, "--expected takes one FOLDER");
    if (to->progress && to->races) argp_error(state, "--progress or --races, not both");
    if (to->json && to->svg != NULL) argp_error(state, "--json or --svg, not both");
    const bool asks_model = to->outcomes || to->progress || to->races || to->svg != NULL || to->expected != NULL;
    const bool is_run = to->executor == LITMUS_ON_SIM || to->executor == LITMUS_ON_GPU;
    if (to->executor != LITMUS_ON_MODEL && asks_model)
        argp_error(state, "--outcomes, --progress, --races, --svg and --expected ask the executor model");
    if (to->executor == LITMUS_ON_TRACE && to->shard.is_given)
        argp_error(state, "--shard is for tests, not for a record");
    if (!is_run && (to->tries > 0 || to->seconds > 0 || to->record != NULL))
        argp_error(state, "--tries, --seconds and --record need --executor sim or gpu");
}

// All that a run needs beside its arguments; too large for the stack.
struct room {
    struct litmus test;
    struct model_work work;
    struct model_answer answer;
};

struct sums {
    int agree, differ, unread;
};

static int collect(struct arguments *arguments, struct text *why)
{
    if (arguments->expected != NULL)
        return litmus_files_add_list(&arguments->files, arguments->expected, arguments->path[0], why);
    for (int i = 0; i < arguments->paths; i++)
        if (!litmus_files_add(&arguments->files, arguments->path[i], why)) return 0;
    return 1;
}

// Keeps every N-th test.
static void take_part(struct litmus_files *files, const struct shard *shard)
{
    int kept = 0;
    for (int i = 0; i < files->count; i++) {
        if ((uint64_t)i % shard->parts == shard->part - 1)
            files->file[kept++] = files->file[i];
        else
            free(files->file[i].path);
    }
    files->count = kept;
}

// Prints the answer, that of a part with what the parts have in common.
static void print_answer(const struct arguments *arguments, json_t *answer)
{
    json_t *settings = json_pack("{s:s, s:o, s:f, s:o, s:o}", "executor", executors_of_tests[arguments->executor],
                                 "tries", json_u64(arguments->tries), "seconds", arguments->seconds, "unroll",
                                 json_u64(arguments->unroll), "most", json_u64(arguments->most));
    json_print(shard_answer(&arguments->shard, "litmus", settings, answer), JSON_INDENT(2));
}

static int agrees(const struct litmus_file *file, const struct model_answer *answer)
{
    return file->expected < 0 ? answer->holds : answer->holds == file->expected;
}

static bool save_picture(const struct arguments *arguments, const struct litmus_shown *shown)
{
    struct text why = {""};
    if (arguments->svg == NULL) return true;
    if (strcmp(arguments->svg, "-") == 0) {
        litmus_write_svg(shown, stdout);
        return true;
    }
    return save_written(arguments->svg, litmus_write_svg, shown, &why) || (command_usage("litmus", "%s", why.at), 0);
}

static void show(const struct arguments *arguments, const struct litmus_shown *shown, int agree, json_t *list)
{
    if (arguments->json) {
        json_array_append_new(list, litmus_json(shown));
        return;
    }
    if (arguments->svg != NULL && strcmp(arguments->svg, "-") == 0) return;
    if (agree && (arguments->quiet || arguments->files.count > 1)) return;
    if (arguments->files.count > 1) printf("%s\n", shown->path);
    litmus_print(shown, stdout);
    if (arguments->outcomes && shown->options->question == MODEL_CLAIM) litmus_print_outcomes(shown, stdout);
}

static int fail_test(const char *path, struct sums *sums, const char *sentence)
{
    sums->unread++;
    command_usage("litmus", "%s: %s", path, sentence);
    return 0;
}

static int ask(const struct arguments *arguments, const struct model_options *options, struct room *room,
               const struct litmus_file *file, struct sums *sums)
{
    memory_model_ask(&room->test, options, &room->work, &room->answer);
    bool decided = room->answer.has_witness && room->answer.broken == AXIOM_NONE && !arguments->outcomes;
    if (room->answer.is_full && !decided)
        return fail_test(file->path, sums, "the test is too large: its paths, values or events do not fit");
    if (room->answer.is_unfinished && !decided)
        return fail_test(file->path, sums, "gave up: --most is reached; raise it, or make the test smaller");
    return 1;
}

static int unroll_of(const struct arguments *arguments)
{
    return (int)(arguments->unroll == 0 ? 2 : arguments->unroll);
}

static int run_test(const struct arguments *arguments, struct room *room, const struct litmus_file *file,
                    struct sums *sums, json_t *list)
{
    struct text why = {""};
    size_t bytes = 0;
    char *text = read_file(file->path, MAX_TEST_BYTES, &bytes, &why);
    if (text == NULL || !litmus_read(file->path, text, bytes, &room->test, &why)) {
        free(text);
        sums->unread++;
        command_usage("litmus", "%s", why.at);
        return 0;
    }
    const struct model_options options = {.unroll = unroll_of(arguments),
                                          .question = arguments->progress ? MODEL_PROGRESS
                                                      : arguments->races  ? MODEL_RACES
                                                                          : MODEL_CLAIM,
                                          .all_outcomes = arguments->outcomes,
                                          .most = arguments->most};
    const struct litmus_shown shown = {.path = file->path,
                                       .text = text,
                                       .bytes = bytes,
                                       .test = &room->test,
                                       .options = &options,
                                       .answer = &room->answer};
    int done = ask(arguments, &options, room, file, sums);
    if (done) {
        int agree = agrees(file, &room->answer);
        sums->agree += agree;
        sums->differ += !agree;
        show(arguments, &shown, agree, list);
        if (!save_picture(arguments, &shown)) sums->unread++;
    }
    free(text);
    return done;
}

static void print_sums(const struct arguments *arguments, const struct sums *sums, json_t *list)
{
    if (arguments->json)
        print_answer(arguments, json_pack("{s:i,s:i,s:i,s:O}", "agree", sums->agree, "differ", sums->differ, "unread",
                                          sums->unread, "tests", list));
    else if (arguments->files.count > 1 || arguments->quiet)
        printf("%d tests: %d agree, %d differ, %d could not be decided\n", arguments->files.count, sums->agree,
               sums->differ, sums->unread);
}

static void print_tries(const void *context, json_t *answer)
{
    print_answer(context, answer);
}

static int run_tries(const struct arguments *arguments, int unroll)
{
    const bool is_trace = arguments->executor == LITMUS_ON_TRACE;
    const struct litmus_tries tries = {.executor = (enum litmus_executor)arguments->executor,
                                       .files = &arguments->files,
                                       .trace = arguments->path,
                                       .traces = is_trace ? arguments->paths : 0,
                                       .json = arguments->json,
                                       .answer = print_tries,
                                       .answer_context = arguments,
                                       .quiet = arguments->quiet,
                                       .tries = arguments->tries,
                                       .seconds = arguments->seconds,
                                       .record = arguments->record,
                                       .model = {.unroll = unroll, .most = arguments->most}};
    return litmus_tries_run(&tries);
}

int command_litmus(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "FILE|FOLDER...", .options = rows_of_options, .argument = take_path, .end = check_line, .help = help};
    struct arguments arguments = {.shard = {1, 1, false}};
    struct text why = {""};
    struct sums sums = {0};
    command_line_read(&line, argc, argv, &arguments);
    if (arguments.executor != LITMUS_ON_TRACE && !collect(&arguments, &why))
        return command_usage("litmus", "%s", why.at);
    take_part(&arguments.files, &arguments.shard);
    if (arguments.executor != LITMUS_ON_MODEL) {
        const int status = run_tries(&arguments, unroll_of(&arguments));
        litmus_files_free(&arguments.files);
        return status;
    }
    struct room *room = calloc(1, sizeof *room);
    json_t *list = json_array();
    if (room == NULL || list == NULL) return command_usage("litmus", "out of memory");
    for (int i = 0; i < arguments.files.count; i++) run_test(&arguments, room, &arguments.files.file[i], &sums, list);
    print_sums(&arguments, &sums, list);
    json_decref(list);
    free(room);
    litmus_files_free(&arguments.files);
    if (sums.unread > 0) return EXIT_USAGE;
    return sums.differ > 0 ? EXIT_MISMATCH : EXIT_AGREE;
}
