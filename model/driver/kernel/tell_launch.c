// SPDX-License-Identifier: MIT
#include "tell_launch.h"

#include <string.h>

#include "demangle.h"
#include "function.h"
#include "json_line.h"
#include "json_text.h"
#include "loaded.h"
#include "look.h"
#include "note.h"
#include "plain.h"
#include "rules/global.h"

// Of the others the first line is one of errors, which editors take: file:line: error: ...
static const char *const headings[] = {
    [MACHINE_REFUSED] = "was not launched",
    [MACHINE_HUNG] = "hangs",
    [MACHINE_LIMITED] = "was stopped at its limit",
    [MACHINE_INTERRUPTED] = "was interrupted",
    [MACHINE_UNSUPPORTED] = "cannot continue: tmaref does not run this instruction",
    [MACHINE_NO_MEMORY] = "cannot continue: the host is out of memory",
};

enum cuda_result launch_error(const struct machine_outcome *outcome)
{
    if (outcome->cuda_error != 0) return (enum cuda_result)outcome->cuda_error;
    switch (outcome->kind) {
    case MACHINE_REFUSED:
        return CUDA_ERROR_INVALID_VALUE;
    case MACHINE_HUNG:
    case MACHINE_LIMITED:
    case MACHINE_INTERRUPTED:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case MACHINE_UNSUPPORTED:
        return CUDA_ERROR_NOT_SUPPORTED;
    case MACHINE_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

// --- For people ------------------------------------------------------------------------------------------------------

static void print_message(const char *message)
{
    while (*message != '\0') {
        const size_t length = strcspn(message, "\n");
        plain_printf(stderr, "  %.*s\n", (int)length, message);
        message += length + (message[length] == '\n');
    }
}

// What gives a kernel the lines of its source, by what has made its PTX.
static const char *line_advice(const struct CUfunc_st *function)
{
    const char *text = machine_module_text(function->module->machine);
    if (strncmp(function->name, "_ZN6cudapy", strlen("_ZN6cudapy")) == 0)
        return "@cuda.jit(lineinfo=True) adds the line of the source";
    if (strstr(text, "LLVM NVPTX") != NULL)
        return "Triton adds the line of the source, unless TRITON_DISABLE_LINE_INFO is set; clang does with "
               "-gline-tables-only";
    return "-lineinfo of nvcc, or --generate-line-info of NVRTC, adds the line of the source";
}

// "; the instruction is at pipe.cu:14", where the line before names who called a helper.
static void print_helper(const struct machine_outcome *outcome)
{
    const struct machine_caller helper = machine_where_helper(&outcome->where);
    const struct machine_caller own = machine_where_own(&outcome->where), lead = machine_where_lead(&outcome->where);
    if (helper.line > 0 && own.line != lead.line)
        plain_printf(stderr, "; the instruction is in the call at %.*s:%u", (int)helper.file.length, helper.file.at,
                     helper.line);
    plain_printf(stderr, "\n");
}

static void print_error(const char *kernel, const struct machine_outcome *outcome)
{
    const struct machine_caller own = machine_where_lead(&outcome->where);
    const enum cuda_result error = launch_error(outcome);
    const char *name = driver_error_name((int)error);
    const size_t length = strcspn(outcome->message, "\n");
    if (own.line != 0)
        plain_printf(stderr, "%.*s:%u: ", (int)own.file.length, own.file.at, own.line);
    else
        plain_printf(stderr, "tmaref: ");
    plain_printf(stderr, "error: %s (%d) in kernel %s: %.*s", name == NULL ? "?" : name, (int)error, kernel,
                 (int)length, outcome->message);
    print_helper(outcome);
    print_message(outcome->message + length + (outcome->message[length] == '\n'));
}

// As it is: it begins with the user's own line, and ends with the reason.
static void print_hang(const char *hang, enum cuda_result error, const char *name)
{
    plain_printf(stderr, "%s: %s (%d)\n", hang, name == NULL ? "?" : name, (int)error);
}

// What a GPU does not see.
static bool is_within_page(const struct driver *driver, const struct machine_outcome *outcome)
{
    return outcome->rule == RULE_GLOBAL_ACCESS_UNMAPPED &&
           allocations_page_holds(&driver->allocations, outcome->address);
}

static void report_text(const struct driver *driver, const struct CUfunc_st *function,
                        const struct machine_outcome *outcome, const char *hang)
{
    const enum cuda_result error = launch_error(outcome);
    const char *name = driver_error_name((int)error);
    char kernel[DEMANGLED_BYTES];
    demangle_function(function->name, strlen(function->name), kernel, sizeof kernel);
    if (hang != NULL && outcome->kind != MACHINE_TRAPPED) {
        print_hang(hang, error, name);
    } else if (headings[outcome->kind] != NULL) {
        plain_printf(stderr, "tmaref: kernel %s %s: %s (%d)\n", kernel, headings[outcome->kind],
                     name == NULL ? "?" : name, (int)error);
        print_message(outcome->message);
    } else {
        print_error(kernel, outcome);
        if (hang != NULL) plain_printf(stderr, "%s\n", hang);
    }
    if (is_within_page(driver, outcome))
        fprintf(
            stderr,
            "  (a GPU maps whole pages of 2 MiB, so it may not notice this; --bounds=pages lets it pass here too)\n");
    if (outcome->where.ptx_line != 0 && outcome->where.source_line == 0)
        fprintf(stderr, "  (%s)\n", line_advice(function));
}

// --- For machines ----------------------------------------------------------------------------------------------------

static void print_string(FILE *out, const char *key, const char *text, size_t length)
{
    fprintf(out, ", \"%s\": ", key);
    json_text(out, text, length);
}

static void print_triple(FILE *out, const char *key, const uint32_t value[3])
{
    fprintf(out, ", \"%s\": [%u, %u, %u]", key, value[0], value[1], value[2]);
}

static void print_callers(FILE *out, const struct machine_where *where)
{
    fprintf(out, ", \"inlined_at\": [");
    for (uint32_t i = 0; i < where->callers - where->called; i++) {
        fprintf(out, "%s{\"line\": %u", i == 0 ? "" : ", ", where->caller[i].line);
        print_string(out, "file", where->caller[i].file.at, where->caller[i].file.length);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

// The kernel as the source has it, where that differs; the user's own line, where it is another than that of the
// instruction; the address, if one was named.
static void print_own(FILE *out, const char *kernel, const struct machine_outcome *outcome)
{
    char signature[DEMANGLED_BYTES];
    const struct machine_caller own = machine_where_lead(&outcome->where);
    const size_t length = demangle_function(kernel, strlen(kernel), signature, sizeof signature);
    print_string(out, "signature", signature, length);
    print_string(out, "user_file", own.file.at, own.file.length);
    fprintf(out, ", \"user_line\": %u", own.line);
    if (outcome->rule != RULE_OK || outcome->address != 0)
        fprintf(out, ", \"address\": \"0x%llx\"", (unsigned long long)outcome->address);
}

static void report_json(FILE *out, const char *kernel, const struct machine_outcome *outcome, const char *hang)
{
    const struct machine_where *where = &outcome->where;
    const char *kind = machine_kind_name(outcome->kind);
    fprintf(out, "{\"error\": %d", (int)launch_error(outcome));
    print_string(out, "kernel", kernel, strlen(kernel));
    print_string(out, "kind", kind, strlen(kind));
    print_string(out, "rule", rule_row(outcome->rule)->id, strlen(rule_row(outcome->rule)->id));
    print_string(out, "message", outcome->message, strlen(outcome->message));
    print_string(out, "function", where->function.at, where->function.length);
    print_string(out, "file", where->source_file.at, where->source_file.length);
    fprintf(out, ", \"line\": %u, \"ptx_line\": %u", where->source_line, where->ptx_line);
    print_callers(out, where);
    print_triple(out, "cta", where->cta);
    print_triple(out, "thread", where->thread);
    print_string(out, "instruction", where->instruction.at, where->instruction.length);
    print_own(out, kernel, outcome);
    if (hang != NULL) fprintf(out, ", \"hang\": %s", hang);
    fprintf(out, "}");
}

void launch_tell(struct driver *driver, const struct CUfunc_st *function, const struct machine_outcome *outcome,
                 const struct hang_told *hang)
{
    fflush(stdout);
    note_add(driver->options.notes, NOTE_ERROR);
    const struct json_lines lines = {driver->options.json != 0, driver->options.findings};
    struct json_line line;
    if (json_line_begin(&line, &lines)) {
        report_json(line.out, function->name, outcome, hang->json);
        json_line_tell(&line, &lines);
    }
    if (!lines.is_json) report_text(driver, function, outcome, hang->text);
}
