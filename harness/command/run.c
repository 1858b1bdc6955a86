// SPDX-License-Identifier: MIT
// `tmaref run`: cases on one executor, one JSON line per result; or one case of a kernel by name (run_kernel.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_help.h"
#include "common_options.h"
#include "diff.h"
#include "json.h"
#include "near_lists.h"
#include "progress.h"
#include "result_json.h"
#include "runnable.h"

struct run_options {
    struct case_options cases;
    const struct executor *executor;
    int show_cases, show_requests, json;
};

#define TO struct run_options
static const struct command_option options[] = {
    OPTION_EXECUTOR("EXECUTORS (default model)"),
    OPTION_FLAG('c', "show-cases", show_cases, "print the cases instead of running them"),
    OPTION_FLAG('r', "show-requests", show_requests, "print what the executor command would be asked"),
    OPTION_FLAG('j', "json", json, "print one JSON object per line (the default)"),
    OPTION_END,
};

static void print_line(json_t *json)
{
    json_print(json, JSON_COMPACT);
}

static void print_result(const struct family *family, uint64_t index, const void *test_case,
                         const struct result *result)
{
    json_t *json = json_object();
    json_object_set_new(json, "index", json_u64(index));
    json_object_set_new(json, "case", family_write(family, test_case));
    json_object_set_new(json, "result", result_write(result));
    print_line(json);
}

static bool show(struct source *source, int as_requests, struct text *why)
{
    uint64_t index;
    void *test_case = malloc(source->family->case_bytes);
    int status = test_case == NULL ? -1 : 1;
    while (status == 1 && (status = source_next(source, test_case, &index, why)) == 1)
        print_line(as_requests ? executor_request(source->family, index, test_case)
                               : family_write(source->family, test_case));
    free(test_case);
    return status == 0;
}

static bool run_all(struct source *source, const struct executor *executor, struct text *why)
{
    static struct fill fill;
    struct batch batch;
    struct apart alone = {.alone = UINT64_MAX};
    int count = 0, ok = batch_open(&batch, source->family);
    if (!ok) return false;
    ok = executor->open(&batch, why);
    struct progress progress = progress_start("run", source->lines == NULL ? source->end - source->next : 0);
    if (isatty(STDOUT_FILENO)) progress.is_terminal = false; // the lines themselves show it
    while (ok && (count = source_fill(source, &batch, &fill, why)) > 0) {
        batch_prepare_for(&batch, executor);
        ok = fill.normal == 0 || executor->run(&batch, 0, fill.normal, why);
        ok = ok && executor->run_apart(&batch, fill.normal, count - fill.normal, &alone, why);
        for (int i = 0; ok && i < count; i++)
            print_result(source->family, fill.index[i], batch_case(&batch, i), &batch.results[i]);
        progress_add(&progress, (uint64_t)count);
    }
    progress_end(&progress);
    executor->close();
    batch_close(&batch);
    return ok && count == 0;
}

// names_filter(), and the kernels behind the options.
static char *help_filter(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    if (key != ARGP_KEY_HELP_POST_DOC) return names_filter(key, text, input);
    FILE *out = open_memstream(&list, &size);
    if (out == NULL) return NULL;
    fprintf(out,
            "'tmaref run KERNEL' runs one case of these kernels ('tmaref run KERNEL --help' shows the options):\n");
    for (const struct runnable *row = runnables; row->name != NULL; row++)
        fprintf(out, "  %-18s %s\n", row->name, row->summary);
    fclose(out);
    return list;
}

int command_run(int argc, char **argv)
{
    const bool is_asked = argc > 3 && strcmp(argv[1], COMMAND_COMPLETE) == 0 && runnable_find(argv[2]) != NULL;
    if (is_asked) argv[1] = argv[2], argv[2] = COMMAND_COMPLETE;
    if (argc > 1 && argv[1][0] != '-') return command_run_kernel(argc - 1, argv + 1);
    static const struct command_line line = {
        .usage = "[KERNEL]",
        .help = "Runs cases on one executor; prints a JSON line per result.\v",
        .options = options,
        .part = &case_line,
        .part_at = offsetof(TO, cases),
        .filter = help_filter,
        .value_at = near_kernel,
    };
    struct run_options to = {.executor = &executor_model};
    struct source source;
    struct text why = {"not enough memory"};
    command_line_read(&line, argc, argv, &to);
    if (to.cases.cases == 0) return command_usage("run", "--cases is 0: there is no case to run");
    bool ok = case_source(&to.cases, &source, &why) &&
              (to.show_cases || to.show_requests ? show(&source, to.show_requests, &why)
                                                 : run_all(&source, to.executor, &why));
    free(to.cases.lines);
    return ok ? EXIT_AGREE : command_usage("run", "%s", why.at);
}
