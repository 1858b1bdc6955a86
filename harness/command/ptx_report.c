// SPDX-License-Identifier: MIT
#include "ptx_report.h"

#include <stdlib.h>
#include <string.h>

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
    fprintf(out, "    %.*s\n    ", length, line);
    for (uint32_t i = 0; i + 1 < error->column && i < (uint32_t)length; i++) fputc(line[i] == '\t' ? '\t' : ' ', out);
    for (uint32_t i = 0; i < error->length && i < 60; i++) fputc(i == 0 ? '^' : '~', out);
    fputc('\n', out);
}

void ptx_report_errors(FILE *out, const char *path, const char *text, const struct ptx_errors *errors)
{
    for (uint32_t i = 0; i < errors->count && i < PTX_MOST_ERRORS; i++) {
        const struct ptx_error *error = &errors->item[i];
        fprintf(out, "%s:%u:%u: error: %s\n", path, error->line, error->column, error->message);
        print_caret(out, text, error);
        if (error->advice[0] != '\0') fprintf(out, "    %s\n", error->advice);
    }
    if (errors->count > PTX_MOST_ERRORS)
        fprintf(out, "%s: %u errors, of which these are the first %d\n", path, errors->count, PTX_MOST_ERRORS);
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
        int is_variable = operand->kind == PTX_OPERAND_VARIABLE || operand->kind == PTX_OPERAND_AT_VARIABLE;
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
        int is_used = 0;
        for (uint32_t j = 0; j < function->operands && !is_used; j++)
            is_used = (function->operand[j].kind == PTX_OPERAND_VARIABLE ||
                       function->operand[j].kind == PTX_OPERAND_AT_VARIABLE) &&
                      function->operand[j].index == i;
        if (is_used) sums.shared_bytes += space_bytes(&program->variable[i], 1, PTX_SHARED);
    }
    return sums;
}

static void print_extent(const char *name, const uint32_t extent[3])
{
    if (extent[0] != 0) printf(", %s %u,%u,%u", name, extent[0], extent[1], extent[2]);
}

static void print_function(const struct ptx_program *program, const struct ptx_function *function)
{
    struct sums sums = sums_of(program, function);
    printf("%s %.*s\n", function->is_entry ? "entry" : "func", (int)function->name.length, function->name.at);
    printf("    line %u, %u parameters (%llu bytes), %u instructions", function->line, function->parameters,
           (unsigned long long)sums.parameter_bytes, function->instructions);
    print_extent("maxntid", function->tuning.maxntid);
    print_extent("reqntid", function->tuning.reqntid);
    print_extent("cluster", function->tuning.reqnctapercluster);
    printf("\n    registers as declared:");
    for (int i = 0; i < PTX_FILES; i++)
        if (function->registers[i] > 0) printf(" %u %s", function->registers[i], file_names[i]);
    printf("; shared %llu bytes%s, local %llu bytes\n", (unsigned long long)sums.shared_bytes,
           sums.dynamic ? " + dynamic" : "", (unsigned long long)sums.local_bytes);
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

static void print_forms(const struct ptx_program *program)
{
    const struct ptx_op **ops = sorted_ops(program);
    for (uint32_t i = 0; ops != NULL && i < program->ops; i++)
        printf("%9u  %.*s\n", ops[i]->uses, (int)ops[i]->spelling.length, ops[i]->spelling.at);
    free(ops);
}

void ptx_report_text(const char *path, const struct ptx_program *program, int with_forms)
{
    uint32_t entries = 0, instructions = 0;
    for (uint32_t i = 0; i < program->functions; i++) {
        entries += program->function[i].is_entry;
        instructions += program->function[i].instructions;
    }
    printf("%s: PTX %u.%u for %.*s: %u entries, %u other functions, %u variables, %u instructions of %u forms\n", path,
           program->version / 10, program->version % 10, (int)program->target.length, program->target.at, entries,
           program->functions - entries, program->variables, instructions, program->ops);
    for (uint32_t i = 0; i < program->functions; i++)
        if (program->function[i].has_body && program->function[i].is_decoded)
            print_function(program, &program->function[i]);
    if (with_forms) print_forms(program);
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

json_t *ptx_report_json(const struct ptx_program *program)
{
    char version[16];
    snprintf(version, sizeof version, "%u.%u", program->version / 10, program->version % 10);
    json_t *functions = json_array();
    for (uint32_t i = 0; i < program->functions; i++)
        if (program->function[i].has_body && program->function[i].is_decoded)
            json_array_append_new(functions, function_json(program, &program->function[i]));
    return json_pack("{s:s, s:o, s:o, s:o}", "version", version, "target", name_json(program->target), "functions",
                     functions, "forms", forms_json(program));
}
