// SPDX-License-Identifier: MIT
// `tmaref run KERNEL`: one case of a kernel by name, its fields as options; on the model, on a GPU or on both, timed,
// or as a timeline.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "command.h"
#include "common_options.h"
#include "diff.h"
#include "files.h"
#include "json.h"
#include "near_lists.h"
#include "runnable.h"

enum { MAX_KEYS = 32, ROUNDS = 21, HELP_BYTES = 160 };

struct kernel_options {
    const struct runnable *runnable;
    json_t *json; // the case
    const char *key[MAX_KEYS];
    const struct executor *executor;
    int diff, time, json_wanted;
    bool has_window;
    uint64_t window[2]; // of the timeline (clocks)
    const char *timeline, *svg;
    json_t *report; // with --json: what is printed at the end
};

// --- Options ---------------------------------------------------------------------------------------------------------

// "4" is a number, "2x1" and "0,128" are lists of numbers, all else is text.
static json_t *value_of(const char *text)
{
    uint64_t number;
    char *copy = strdup(text), *rest = copy;
    json_t *list = json_array();
    bool is_list = strpbrk(text, "x,") != NULL && strncmp(text, "0x", 2) != 0;
    while (is_list && rest != NULL) {
        char *part = rest;
        rest = strpbrk(rest, "x,");
        if (rest != NULL) *rest++ = '\0';
        is_list = parse_u64(part, INT64_MAX, &number);
        json_array_append_new(list, json_integer((json_int_t)number));
    }
    free(copy);
    if (is_list) return list;
    json_decref(list);
    return parse_u64(text, INT64_MAX, &number) ? json_integer((json_int_t)number) : json_string(text);
}

static void take_window(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct kernel_options *to = line;
    json_t *list = value_of(value);
    (void)option;
    for (size_t i = 0; i < 2; i++) to->window[i] = (uint64_t)json_integer_value(json_array_get(list, i));
    to->has_window = json_array_size(list) == 2 && to->window[0] < to->window[1];
    if (!to->has_window) argp_error(state, "--window takes two numbers, FROM,TO, not '%s'", value);
    json_decref(list);
}

// Key number `at` of the case.
static void take_key(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct kernel_options *to = line;
    (void)state;
    json_object_set_new(to->json, to->key[option->at], value_of(value));
}

#define TO struct kernel_options
static const struct command_option fixed[] = {
    OPTION_EXECUTOR("EXECUTORS (default model)", .group = 1),
    OPTION_FLAG('d', "diff", diff, "run it on model and gpu and compare every byte", .group = 1),
    OPTION_FLAG('t', "time", time, "time it on the GPU: the median of 21 launches, between events", .group = 1),
    OPTION_TEXT('l', "timeline", "FILE", timeline, "record on the GPU what CTA 0 does when; JSON for ui.perfetto.dev",
                .group = 1),
    OPTION_TEXT('g', "svg", "FILE", svg, "the same as a picture", .group = 1),
    OPTION_TAKEN('w', "window", "FROM,TO", take_window, "draw only these clocks of it", .group = 1),
    OPTION_FLAG('j', "json", json_wanted,
                "one JSON object: the case, each executor's result, whether they agree, the times", .group = 1),
    OPTION_END,
};

// The options of the case's keys; free_keys() frees what they are called and what they say.
static int add_keys(struct kernel_options *to, struct command_option *options)
{
    const char *key;
    json_t *value;
    int count = 0;
    json_object_foreach(to->json, key, value)
    {
        if (strcmp(key, "kernel") == 0) continue; // that is the command's argument
        char *name = strdup(key), *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT), *help = malloc(HELP_BYTES);
        for (char *at = name; *at != '\0'; at++)
            if (*at == '_') *at = '-';
        snprintf(help, HELP_BYTES, "default %s", json_is_null(value) ? "is made to fit" : text);
        to->key[count] = key;
        options[count] = (struct command_option)OPTION_TAKEN(0, name, "VALUE", take_key, help, .at = (size_t)count);
        count++;
        free(text);
    }
    return count;
}

static void free_keys(struct command_option *options, int count)
{
    for (int i = 0; i < count; i++) {
        free((char *)options[i].name);
        free((char *)options[i].help);
    }
}

static void drop_nulls(json_t *json)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(json, next, key, value) if (json_is_null(value)) json_object_del(json, key);
}

// --- Running ---------------------------------------------------------------------------------------------------------

static int run_on(const struct executor *executor, struct batch *batch, struct text *why)
{
    int ok = executor->open(batch, why);
    if (ok) batch_prepare(batch);
    ok = ok && executor->run(batch, 0, 1, why);
    executor->close();
    return ok;
}

static unsigned long long digest(const struct window *window)
{
    return (unsigned long long)XXH3_64bits(window->bytes, window->size_bytes);
}

static json_t *result_json(const struct executor *executor, const struct result *result)
{
    struct text verdict, hex;
    json_t *windows = json_array();
    verdict_text(result, &verdict);
    for (int i = 0; i < result->windows; i++) {
        text_set(&hex, "%016llx", digest(&result->window[i]));
        json_array_append_new(windows, json_pack("{s:s, s:I, s:s}", "name", result->window[i].name, "bytes",
                                                 (json_int_t)result->window[i].size_bytes, "digest", hex.at));
    }
    return json_pack("{s:s, s:i, s:s, s:o}", "executor", executor->name, "status", result->status, "verdict",
                     verdict.at, "windows", windows);
}

static void print_result(const struct kernel_options *to, const struct executor *executor, const struct result *result)
{
    struct text verdict;
    if (to->report != NULL) {
        json_array_append_new(json_object_get(to->report, "results"), result_json(executor, result));
        return;
    }
    verdict_text(result, &verdict);
    printf("%s: %s\n", executor->name, verdict.at);
    for (int i = 0; i < result->windows; i++)
        printf("  %-8s %u bytes, digest %016llx\n", result->window[i].name, result->window[i].size_bytes,
               digest(&result->window[i]));
}

// On one executor, or on both with a comparison.
static int run_case(const struct kernel_options *to, struct batch batch[2], const struct text *name)
{
    struct text why = {"not enough memory"};
    const struct executor *first = to->diff ? &executor_model : to->executor;
    const struct family *family = batch[0].family;
    if (!run_on(first, &batch[0], &why)) return command_usage(name->at, "%s", why.at);
    print_result(to, first, &batch[0].results[0]);
    if (!to->diff) return EXIT_AGREE;
    if (!run_on(&executor_gpu, &batch[1], &why)) return command_usage(name->at, "%s", why.at);
    print_result(to, &executor_gpu, &batch[1].results[0]);
    bool agree = result_agrees(family, batch[0].cases, &batch[0].results[0], &batch[1].results[0]);
    if (to->report != NULL) json_object_set_new(to->report, "agree", json_boolean(agree));
    if (agree && to->report == NULL) printf("model and gpu agree on every byte\n");
    if (agree) return EXIT_AGREE;
    diff_print(family, 0, batch[0].cases, &batch[0].results[0], &batch[1].results[0],
               to->report != NULL ? stderr : stdout);
    return EXIT_MISMATCH;
}

static int compare_floats(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

static int time_case(const struct kernel_options *to, struct gpu *gpu, const void *test_case)
{
    const struct runnable *runnable = to->runnable;
    float milliseconds[ROUNDS];
    int error = runnable->time(gpu, test_case, ROUNDS, milliseconds);
    if (error != CUDA_SUCCESS) return error;
    qsort(milliseconds, ROUNDS, sizeof milliseconds[0], compare_floats);
    double median = (double)milliseconds[ROUNDS / 2], rate = runnable->work(test_case) / median * 1e3;
    if (to->report != NULL) {
        json_object_set_new(to->report, "time",
                            json_pack("{s:s, s:f, s:f, s:f, s:f, s:s}", "device", gpu->description, "median_us",
                                      median * 1e3, "least_us", (double)milliseconds[0] * 1e3, "greatest_us",
                                      (double)milliseconds[ROUNDS - 1] * 1e3, "rate", rate, "unit", runnable->unit));
        return CUDA_SUCCESS;
    }
    printf("%s: median %.1f us (%.1f to %.1f), %.1f %c%s\n", gpu->description, median * 1e3,
           (double)milliseconds[0] * 1e3, (double)milliseconds[ROUNDS - 1] * 1e3, rate / (rate < 1e12 ? 1e9 : 1e12),
           rate < 1e12 ? 'G' : 'T', runnable->unit);
    return CUDA_SUCCESS;
}

// A timeline and which clocks of it are drawn.
struct drawing {
    const struct timeline *timeline;
    const uint64_t *window;
};

static void write_json(const void *drawing, FILE *out)
{
    timeline_json(((const struct drawing *)drawing)->timeline, out);
}

static void write_svg(const void *what, FILE *out)
{
    const struct drawing *drawing = what;
    timeline_svg(drawing->timeline, drawing->window[0], drawing->window[1], out);
}

static bool save_timeline(const struct kernel_options *to, const struct timeline *timeline, struct text *why)
{
    const char *paths[] = {to->timeline, to->svg};
    const struct drawing drawing = {timeline, to->window};
    for (int i = 0; i < 2; i++) {
        if (paths[i] == NULL) continue;
        if (!save_written(paths[i], i == 0 ? write_json : write_svg, &drawing, why)) return false;
        if (to->report == NULL) printf("%s: %d spans in %d rows\n", paths[i], timeline->count, timeline->rows);
    }
    return true;
}

// What needs a GPU of this process.
static int measure(const struct kernel_options *to, const void *test_case, const struct text *name)
{
    static struct gpu gpu;
    struct timeline timeline = {0};
    struct text why = {""};
    const char *error_name = "?";
    int error = CUDA_SUCCESS;
    bool ok = 1;
    if (!gpu_init(&gpu, &why)) return command_usage(name->at, "%s", why.at);
    if (to->time) error = time_case(to, &gpu, test_case);
    if (error == CUDA_SUCCESS && (to->timeline != NULL || to->svg != NULL)) {
        error = to->runnable->timeline(&gpu, test_case, &timeline, &why);
        if (error == CUDA_SUCCESS) ok = save_timeline(to, &timeline, &why);
        timeline_free(&timeline);
    }
    if (error == CUDA_SUCCESS && ok) return EXIT_AGREE;
    if (why.at[0] != '\0') return command_usage(name->at, "%s", why.at);
    gpu.driver.cuGetErrorName((enum cuda_result)error, &error_name);
    return command_usage(name->at, "a kernel or call failed: %s (%d)", error_name, error);
}

// The case with all that was made to fit; takes over `whole`.
static void print_case(struct kernel_options *to, json_t *whole)
{
    if (to->report != NULL) {
        json_object_set_new(to->report, "case", whole);
        json_object_set_new(to->report, "results", json_array());
        return;
    }
    json_print(whole, JSON_COMPACT);
}

// The case, once for each executor.
static int fill_batches(const struct kernel_options *to, const struct family *family, struct batch batch[2],
                        struct text *why)
{
    for (int i = 0; i < 2; i++) {
        if (!batch_open(&batch[i], family)) return text_fail(why, "not enough memory");
        if (!family_read(family, to->json, batch[i].cases, why) || !batch_add(&batch[i], why)) return 0;
    }
    return 1;
}

// A GPU that is not there is told before the model computes for minutes.
static int look_for_gpu(struct batch *batch, struct text *why)
{
    int ok = executor_gpu.open(batch, why);
    executor_gpu.close();
    return ok;
}

static int run_and_measure(struct kernel_options *to, struct batch batch[2], const struct text *name)
{
    bool is_measured = to->time || to->timeline != NULL || to->svg != NULL;
    int status = EXIT_AGREE;
    struct text why;
    if ((to->diff || is_measured) && !look_for_gpu(&batch[1], &why)) return command_usage(name->at, "%s", why.at);
    print_case(to, family_write(batch->family, batch[0].cases));
    if (to->diff || to->executor != NULL || !is_measured) {
        if (to->executor == NULL) to->executor = &executor_model;
        status = run_case(to, batch, name);
    }
    return status == EXIT_AGREE && is_measured ? measure(to, batch[0].cases, name) : status;
}

static int run(struct kernel_options *to, const struct text *name)
{
    struct text why;
    struct batch batch[2] = {{0}};
    drop_nulls(to->json);
    if (to->time && to->runnable->time == NULL) return command_usage(name->at, "this kernel cannot be timed");
    if ((to->timeline != NULL || to->svg != NULL) && to->runnable->timeline == NULL)
        return command_usage(name->at, "this kernel has no timeline");
    int status = fill_batches(to, family_find(to->runnable->family), batch, &why)
                     ? run_and_measure(to, batch, name)
                     : command_usage(name->at, "%s", why.at);
    for (int i = 0; i < 2; i++)
        if (batch[i].family != NULL) batch_close(&batch[i]);
    return status;
}

int command_run_kernel(int argc, char **argv)
{
    struct command_option options[MAX_KEYS + sizeof fixed / sizeof fixed[0]] = {0};
    struct kernel_options to = {.runnable = runnable_find(argv[0])};
    struct text name, program;
    if (to.runnable == NULL)
        return command_usage("run", "there is no kernel '%s'%s ('tmaref run --help' lists them)", argv[0],
                             near_names(argv[0], near_kernel).at);
    to.json = json_loads(to.runnable->defaults, 0, NULL);
    int count = add_keys(&to, options);
    memcpy(options + count, fixed, sizeof fixed);
    text_set(&name, "run %s", argv[0]);
    text_set(&program, "tmaref %s", name.at);
    argv[0] = program.at;
    const struct command_line line = {.help = to.runnable->summary, .options = options, .filter = names_filter};
    command_line_read(&line, argc, argv, &to);
    if (to.json_wanted) to.report = json_object();
    int status = run(&to, &name);
    if (to.report != NULL && status != EXIT_USAGE) json_print(to.report, JSON_INDENT(1));
    json_decref(to.json);
    free_keys(options, count);
    return status;
}
