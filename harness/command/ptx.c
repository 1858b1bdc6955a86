// SPDX-License-Identifier: MIT
// `tmaref ptx`: reads PTX, refuses what ptxas refuses, and lists what is in it: entries, registers, shared memory,
// forms.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "command_option.h"
#include "plain.h"
#include "ptx.h"
#include "sarif.h"

#define MOST_TEXT_BYTES ((size_t)256 << 20)
enum { MOST_FUNCTIONS = 64 };

struct options {
    int json, forms, functions;
    const char *path, *sarif, *function[MOST_FUNCTIONS];
};

static void take_function(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct options *to = line;
    (void)option;
    if (to->functions == MOST_FUNCTIONS) argp_error(state, "at most %d times --function", MOST_FUNCTIONS);
    to->function[to->functions++] = value;
}

static void check_line(const void *line, struct argp_state *state)
{
    if (((const struct options *)line)->path == NULL) argp_error(state, "a FILE is needed");
}

#define TO struct options
static const struct command_option option_rows[] = {
    OPTION_TAKEN('f', "function", "NAME", take_function,
                 "read only the body of this function (may be repeated); default: all"),
    OPTION_FLAG('F', "forms", forms, "list the instruction forms in it, most frequent first"),
    OPTION_FLAG('j', "json", json, "print JSON"),
    OPTION_TEXT(0, "sarif", "FILE", sarif, "also write the errors as SARIF, which editors and code hosts show"),
    OPTION_END,
};

static const char *const file_names[PTX_FILES] = {"pred", "b16", "b32", "b64", "b128"};

// --- Errors ----------------------------------------------------------------------------------------------------------

static const char *line_of(const char *text, uint32_t line)
{
    for (uint32_t i = 1; i < line && text != NULL; i++) {
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
    return text;
}

static void print_caret(FILE *out, const char *text, const struct ptx_error *error)
{
    const char *line = line_of(text, error->line);
    if (line == NULL) return;
    int length = (int)strcspn(line, "\r\n");
    plain_printf(out, "    %.*s\n    ", length, line);
    for (uint32_t i = 0; i + 1 < error->column && i < (uint32_t)length; i++) fputc(line[i] == '\t' ? '\t' : ' ', out);
    for (uint32_t i = 0; i < error->length && i < 60; i++) fputc(i == 0 ? '^' : '~', out);
    fputc('\n', out);
}

static void ptx_report_errors(FILE *out, const char *path, const char *text, const struct ptx_errors *errors)
{
    for (uint32_t i = 0; i < errors->count && i < PTX_MOST_ERRORS; i++) {
        const struct ptx_error *error = &errors->item[i];
        plain_printf(out, "%s:%u:%u: error: %s\n", path, error->line, error->column, error->message);
        print_caret(out, text, error);
        if (error->advice[0] != '\0') fprintf(out, "    %s\n", error->advice);
    }
    if (errors->count > PTX_MOST_ERRORS)
        fprintf(out, "%s: %u errors; these are the first %d\n", path, errors->count, PTX_MOST_ERRORS);
}

static int save_sarif(const struct options *options, const struct ptx_errors *errors)
{
    struct text why;
    json_t *findings = json_array();
    for (uint32_t i = 0; i < errors->count && i < PTX_MOST_ERRORS; i++) {
        const struct ptx_error *error = &errors->item[i];
        json_array_append_new(findings,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "rule", "PTX", "level", "error",
                                        "message", error->message, "advice", error->advice, "file", options->path,
                                        "line", (json_int_t)error->line, "column", (json_int_t)error->column));
    }
    const int ok = sarif_save(options->sarif, findings, &why);
    json_decref(findings);
    return ok ? EXIT_AGREE : command_usage("ptx", "--sarif: %s", why.at);
}

// --- What is in a function -------------------------------------------------------------------------------------------

// Bytes of the variables of a space, each where its alignment lets it begin.
static uint64_t space_bytes(const struct ptx_variable *variable, uint32_t count, enum ptx_word space)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (variable[i].space != space || variable[i].linkage == PTX_LINK_EXTERN) continue;
        bytes = (bytes + variable[i].align - 1) / variable[i].align * variable[i].align + variable[i].bytes;
    }
    return bytes;
}

// Does the function use shared memory whose size the launch says?
static int uses_dynamic(const struct ptx_program *program, const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->operands; i++) {
        const struct ptx_operand *operand = &function->operand[i];
        bool is_variable = operand->kind == PTX_OPERAND_VARIABLE || operand->kind == PTX_OPERAND_AT_VARIABLE;
        if (!is_variable || operand->index & PTX_OF_FUNCTION) continue;
        const struct ptx_variable *variable = &program->variable[operand->index];
        if (variable->space == PTX_SHARED && variable->is_unsized) return 1;
    }
    return 0;
}

struct sums {
    uint64_t parameter_bytes, shared_bytes, local_bytes;
    int dynamic;
};

// Shared memory of the module counts for the entries that name it.
static struct sums sums_of(const struct ptx_program *program, const struct ptx_function *function)
{
    struct sums sums = {.dynamic = uses_dynamic(program, function)};
    const struct ptx_variable *variable = function->variable;
    sums.parameter_bytes = space_bytes(variable + function->returns, function->parameters, PTX_PARAM);
    sums.shared_bytes = space_bytes(variable, function->variables, PTX_SHARED);
    sums.local_bytes = space_bytes(variable, function->variables, PTX_LOCAL);
    for (uint32_t i = 0; i < program->variables; i++) {
        bool is_used = false;
        for (uint32_t j = 0; j < function->operands && !is_used; j++)
            is_used = (function->operand[j].kind == PTX_OPERAND_VARIABLE ||
                       function->operand[j].kind == PTX_OPERAND_AT_VARIABLE) &&
                      function->operand[j].index == i;
        if (is_used) sums.shared_bytes += space_bytes(&program->variable[i], 1, PTX_SHARED);
    }
    return sums;
}

// --- Forms -----------------------------------------------------------------------------------------------------------

static int by_uses(const void *a, const void *b)
{
    const struct ptx_op *x = *(const struct ptx_op *const *)a, *y = *(const struct ptx_op *const *)b;
    if (x->uses != y->uses) return x->uses < y->uses ? 1 : -1;
    uint32_t length = x->spelling.length < y->spelling.length ? x->spelling.length : y->spelling.length;
    int order = memcmp(x->spelling.at, y->spelling.at, length);
    return order != 0 ? order : (int)x->spelling.length - (int)y->spelling.length;
}

// The caller frees what is returned.
static const struct ptx_op **sorted_ops(const struct ptx_program *program)
{
    const struct ptx_op **ops = malloc((program->ops + 1) * sizeof *ops);
    for (uint32_t i = 0; ops != NULL && i < program->ops; i++) ops[i] = &program->op[i];
    if (ops != NULL) qsort(ops, program->ops, sizeof *ops, by_uses);
    return ops;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static json_t *name_json(struct ptx_name name)
{
    return json_stringn(name.at, name.length);
}

static json_t *extent_json(const uint32_t extent[3])
{
    return json_pack("[i, i, i]", (int)extent[0], (int)extent[1], (int)extent[2]);
}

static json_t *function_json(const struct ptx_program *program, const struct ptx_function *function)
{
    struct sums sums = sums_of(program, function);
    json_t *registers = json_object();
    for (int i = 0; i < PTX_FILES; i++)
        json_object_set_new(registers, file_names[i], json_integer(function->registers[i]));
    json_t *json =
        json_pack("{s:o, s:b, s:i, s:i, s:I, s:i, s:o, s:I, s:b, s:I}", "name", name_json(function->name), "entry",
                  function->is_entry, "line", (int)function->line, "parameters", (int)function->parameters,
                  "parameter_bytes", (json_int_t)sums.parameter_bytes, "instructions", (int)function->instructions,
                  "registers", registers, "shared_bytes", (json_int_t)sums.shared_bytes, "dynamic_shared", sums.dynamic,
                  "local_bytes", (json_int_t)sums.local_bytes);
    const struct ptx_tuning *tuning = &function->tuning;
    if (tuning->maxntid[0] != 0) json_object_set_new(json, "maxntid", extent_json(tuning->maxntid));
    if (tuning->reqntid[0] != 0) json_object_set_new(json, "reqntid", extent_json(tuning->reqntid));
    if (tuning->reqnctapercluster[0] != 0) json_object_set_new(json, "cluster", extent_json(tuning->reqnctapercluster));
    return json;
}

static json_t *forms_json(const struct ptx_program *program)
{
    json_t *forms = json_array();
    const struct ptx_op **ops = sorted_ops(program);
    for (uint32_t i = 0; ops != NULL && i < program->ops; i++)
        json_array_append_new(forms,
                              json_pack("{s:o, s:i}", "form", name_json(ops[i]->spelling), "uses", (int)ops[i]->uses));
    free(ops);
    return forms;
}

static json_t *ptx_json(const struct ptx_program *program)
{
    uint32_t entries = 0, instructions = 0;
    json_t *functions = json_array();
    for (uint32_t i = 0; i < program->functions; i++) {
        entries += program->function[i].is_entry;
        instructions += program->function[i].instructions;
        if (program->function[i].has_body && program->function[i].is_decoded)
            json_array_append_new(functions, function_json(program, &program->function[i]));
    }
    return json_pack("{s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o}", "version",
                     json_sprintf("%u.%u", program->isa_version / 10, program->isa_version % 10), "target",
                     name_json(program->target), "entries", (int)entries, "others", (int)(program->functions - entries),
                     "variables", (int)program->variables, "instructions", (int)instructions, "functions", functions,
                     "forms", forms_json(program));
}

static const char text_of_program[] =
    "PTX {version} for {target}: {entries} entries, {others} other functions, {variables} variables, {instructions} "
    "instructions of {forms#} forms\n"
    "{functions*{entry?entry}{entry!func} {name}\n"
    "    line {line}, {parameters} parameters ({parameter_bytes} bytes), {instructions} instructions"
    "{maxntid?, maxntid {maxntid*{}|,}}{reqntid?, reqntid {reqntid*{}|,}}{cluster?, cluster {cluster*{}|,}}\n"
    "    registers as declared:{registers*{? {} {@}}}; shared {shared_bytes} bytes{dynamic_shared? + dynamic}, local "
    "{local_bytes} bytes\n}";
static const char text_of_forms[] = "{forms*{uses:9}  {form}\n}";

// --- The command -----------------------------------------------------------------------------------------------------

// Adds what the body of one function has to say to what the others had.
static void decode(struct ptx_module *module, uint32_t function, struct ptx_errors *all)
{
    struct ptx_errors errors;
    ptx_decode(module, function, &errors);
    for (uint32_t i = 0; i < errors.count && i < PTX_MOST_ERRORS && all->count + i < PTX_MOST_ERRORS; i++)
        all->item[all->count + i] = errors.item[i];
    all->count += errors.count;
}

static bool decode_named(struct ptx_module *module, const struct options *options, struct ptx_errors *errors)
{
    for (int i = 0; i < options->functions; i++) {
        int number = ptx_function_find(module, options->function[i]);
        if (number < 0) {
            command_usage("ptx", "%s has no function '%s'", options->path, options->function[i]);
            return false;
        }
        decode(module, (uint32_t)number, errors);
    }
    return true;
}

static void print(const struct options *options, const struct ptx_program *program)
{
    json_t *json = ptx_json(program);
    if (!options->json) {
        printf("%s: ", options->path);
        answer_text(json, text_of_program, stdout);
    }
    answer_print(json, options->json ? NULL : options->forms ? text_of_forms : "", JSON_INDENT(2));
}

static int check(const struct options *options, const char *text, struct ptx_module *module, struct ptx_errors *errors)
{
    const struct ptx_program *program = ptx_program(module);
    if (!decode_named(module, options, errors)) return EXIT_USAGE;
    for (uint32_t i = 0; options->functions == 0 && i < program->functions; i++) decode(module, i, errors);
    ptx_report_errors(stderr, options->path, text, errors);
    if (options->sarif != NULL && save_sarif(options, errors) != EXIT_AGREE) return EXIT_USAGE;
    const bool has_head = program->target.length > 0;
    if (errors->count == 0 || (!options->json && has_head)) print(options, program);
    return errors->count == 0 ? EXIT_AGREE : EXIT_MISMATCH;
}

int command_ptx(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "FILE",
        .help = "Check PTX for sm_90a, and list its contents. FILE is the output of nvcc -ptx; - is standard input.\v"
                "What ptxas refuses for sm_90a is an error, with its line and column. docs/ptx.md explains more, "
                "docs/ptx-forms.md lists every form of instruction.\n\n"
                "Exit status: 0 no errors, 1 errors, 2 usage error.",
        .options = option_rows,
        .twice = "one FILE at a time",
        .argument_at = offsetof(TO, path),
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
