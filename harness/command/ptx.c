// SPDX-License-Identifier: MIT
// `tmaref ptx`: reads PTX, refuses what ptxas refuses, and lists what is in it: entries, registers, shared memory,
// forms.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_option.h"
#include "json.h"
#include "ptx_report.h"

#define MOST_TEXT_BYTES ((size_t)256 << 20)
enum { MOST_FUNCTIONS = 64 };

struct options {
    int json, forms, functions;
    const char *path, *function[MOST_FUNCTIONS];
};

static void take_function(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct options *to = line;
    (void)option;
    if (to->functions == MOST_FUNCTIONS) argp_error(state, "at most %d times --function", MOST_FUNCTIONS);
    to->function[to->functions++] = value;
}

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct options *to = line;
    if (to->path != NULL) argp_error(state, "one FILE at a time");
    to->path = argument;
}

static void check_line(const void *line, struct argp_state *state)
{
    if (((const struct options *)line)->path == NULL) argp_error(state, "a FILE is needed");
}

#define TO struct options
static const struct command_option option_rows[] = {
    OPTION_TAKEN('f', "function", "NAME", take_function,
                 "read the body of this function alone (may be repeated); without it, of all"),
    OPTION_FLAG('F', "forms", forms, "list the forms of instructions that it uses, most used first"),
    OPTION_FLAG('j', "json", json, "print JSON"),
    OPTION_END,
};

// Adds what the body of one function has to say to what the others had.
static void decode(struct ptx_module *module, uint32_t function, struct ptx_errors *all)
{
    struct ptx_errors errors;
    ptx_decode(module, function, &errors);
    for (uint32_t i = 0; i < errors.count && i < PTX_MOST_ERRORS && all->count + i < PTX_MOST_ERRORS; i++)
        all->item[all->count + i] = errors.item[i];
    all->count += errors.count;
}

static int decode_named(struct ptx_module *module, const struct options *options, struct ptx_errors *errors)
{
    for (int i = 0; i < options->functions; i++) {
        int number = ptx_function_find(module, options->function[i]);
        if (number < 0) {
            command_usage("ptx", "%s has no function '%s'", options->path, options->function[i]);
            return 0;
        }
        decode(module, (uint32_t)number, errors);
    }
    return 1;
}

static void print(const struct options *options, const struct ptx_program *program)
{
    if (!options->json) {
        ptx_report_text(options->path, program, options->forms);
        return;
    }
    json_t *json = ptx_report_json(program);
    json_print(json, JSON_INDENT(2));
}

static int check(const struct options *options, const char *text, struct ptx_module *module, struct ptx_errors *errors)
{
    const struct ptx_program *program = ptx_program(module);
    if (!decode_named(module, options, errors)) return EXIT_USAGE;
    for (uint32_t i = 0; options->functions == 0 && i < program->functions; i++) decode(module, i, errors);
    ptx_report_errors(stderr, options->path, text, errors);
    const int has_head = program->target.length > 0;
    if (errors->count == 0 || (!options->json && has_head)) print(options, program);
    return errors->count == 0 ? EXIT_AGREE : EXIT_MISMATCH;
}

int command_ptx(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "FILE",
        .help = "Check PTX for sm_90a, and say what is in it. FILE is what nvcc -ptx writes; - is standard input.\v"
                "What ptxas refuses for sm_90a is an error, with its line and column. docs/ptx.md tells more, "
                "docs/ptx-forms.md lists every form of instruction.\n\n"
                "Exit status: 0 no errors, 1 errors, 2 usage error.",
        .options = option_rows,
        .argument = take_path,
        .end = check_line,
    };
    struct options options = {0};
    struct ptx_errors errors;
    struct text why;
    size_t size_bytes;
    command_line_read(&line, argc, argv, &options);
    char *text = read_file(options.path, MOST_TEXT_BYTES, &size_bytes, &why);
    if (text == NULL) return command_usage("ptx", "%s", why.at);
    struct ptx_module *module = ptx_open(text, size_bytes, (struct ptx_limits){0}, &errors);
    int status = module == NULL ? command_usage("ptx", "no memory") : check(&options, text, module, &errors);
    ptx_close(module);
    free(text);
    return status;
}
