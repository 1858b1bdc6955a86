// SPDX-License-Identifier: MIT
// `tmaref ptx`: reads PTX, refuses what ptxas refuses, and lists what is in it: entries, registers, shared memory,
// forms.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ptx_report.h"

#define MOST_TEXT_BYTES ((size_t)256 << 20)
enum { MOST_FUNCTIONS = 64 };

struct options {
    int json, forms, functions;
    const char *path, *function[MOST_FUNCTIONS];
};

static const struct argp_option option_rows[] = {
    {"function", 'f', "NAME", 0, "read the body of this function alone (may be repeated); without it, of all", 0},
    {"forms", 'F', NULL, 0, "list the forms of instructions that it uses, most used first", 0},
    {"json", 'j', NULL, 0, "print JSON", 0},
    {0}};

static const char usage[] = "FILE";
static const char help[] =
    "Check PTX for sm_90a, and say what is in it. FILE is what nvcc -ptx writes; - is standard input.\v"
    "What ptxas refuses for sm_90a is an error, with its line and column. docs/ptx.md tells more, "
    "docs/ptx-forms.md lists every form of instruction.\n\n"
    "Exit status: 0 no errors, 1 errors, 2 usage error.";

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'f':
        if (options->functions == MOST_FUNCTIONS) argp_error(state, "at most %d times --function", MOST_FUNCTIONS);
        options->function[options->functions++] = argument;
        return 0;
    case 'F':
        options->forms = 1;
        return 0;
    case 'j':
        options->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path != NULL) argp_error(state, "one FILE at a time");
        options->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->path == NULL) argp_error(state, "a FILE is needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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
    json_dumpf(json, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(json);
}

static int check(const struct options *options, const char *text, struct ptx_module *module, struct ptx_errors *errors)
{
    const struct ptx_program *program = ptx_program(module);
    if (!decode_named(module, options, errors)) return EXIT_USAGE;
    for (uint32_t i = 0; options->functions == 0 && i < program->functions; i++) decode(module, i, errors);
    ptx_report_errors(stderr, options->path, text, errors);
    if (errors->count == 0 || !options->json) print(options, program);
    return errors->count == 0 ? EXIT_AGREE : EXIT_MISMATCH;
}

int command_ptx(int argc, char **argv)
{
    static const struct argp argp = {option_rows, parse_option, usage, help, NULL, NULL, NULL};
    struct options options = {0};
    struct ptx_errors errors;
    struct text why;
    size_t size_bytes;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) return EXIT_USAGE;
    char *text = read_file(options.path, MOST_TEXT_BYTES, &size_bytes, &why);
    if (text == NULL) return command_usage("ptx", "%s", why.at);
    struct ptx_module *module = ptx_open(text, size_bytes, (struct ptx_limits){0}, &errors);
    int status = module == NULL ? command_usage("ptx", "no memory") : check(&options, text, module, &errors);
    ptx_close(module);
    free(text);
    return status;
}
