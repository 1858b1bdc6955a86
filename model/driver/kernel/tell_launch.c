// SPDX-License-Identifier: MIT
#include "tell_launch.h"

#include <string.h>

#include "json_text.h"

static const char *const headings[] = {
    [MACHINE_DONE] = "ended",
    [MACHINE_REFUSED] = "was not launched",
    [MACHINE_FAULTED] = "stopped",
    [MACHINE_TRAPPED] = "stopped itself",
    [MACHINE_HUNG] = "hangs",
    [MACHINE_LIMITED] = "was stopped at its limit",
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
        fprintf(stderr, "  %.*s\n", (int)length, message);
        message += length + (message[length] == '\n');
    }
}

static void report_text(const char *kernel, const struct machine_outcome *outcome)
{
    const enum cuda_result error = launch_error(outcome);
    const char *name = driver_error_name((int)error);
    fprintf(stderr, "tmaref: kernel %s %s: %s (%d)\n", kernel, headings[outcome->kind], name == NULL ? "?" : name,
            (int)error);
    print_message(outcome->message);
    if (outcome->where.ptx_line != 0 && outcome->where.source_line == 0)
        fprintf(stderr, "  (nvcc -lineinfo adds the line of the source)\n");
}

// --- For machines ----------------------------------------------------------------------------------------------------

static void print_string(const char *key, const char *text, size_t length)
{
    fprintf(stderr, ", \"%s\": ", key);
    json_text(stderr, text, length);
}

static void print_triple(const char *key, const uint32_t value[3])
{
    fprintf(stderr, ", \"%s\": [%u, %u, %u]", key, value[0], value[1], value[2]);
}

static void print_callers(const struct machine_where *where)
{
    fprintf(stderr, ", \"inlined_at\": [");
    for (uint32_t i = 0; i < where->callers; i++) {
        fprintf(stderr, "%s{\"line\": %u", i == 0 ? "" : ", ", where->caller[i].line);
        print_string("file", where->caller[i].file.at, where->caller[i].file.length);
        fprintf(stderr, "}");
    }
    fprintf(stderr, "]");
}

static void report_json(const char *kernel, const struct machine_outcome *outcome)
{
    const struct machine_where *where = &outcome->where;
    const char *kind = machine_kind_name(outcome->kind);
    fprintf(stderr, "{\"error\": %d", (int)launch_error(outcome));
    print_string("kernel", kernel, strlen(kernel));
    print_string("kind", kind, strlen(kind));
    print_string("rule", rule_row(outcome->rule)->id, strlen(rule_row(outcome->rule)->id));
    print_string("message", outcome->message, strlen(outcome->message));
    print_string("function", where->function.at, where->function.length);
    print_string("file", where->source_file.at, where->source_file.length);
    fprintf(stderr, ", \"line\": %u, \"ptx_line\": %u", where->source_line, where->ptx_line);
    print_callers(where);
    print_triple("cta", where->cta);
    print_triple("thread", where->thread);
    print_string("instruction", where->instruction.at, where->instruction.length);
    fprintf(stderr, "}\n");
}

void launch_tell(struct driver *driver, const char *kernel, const struct machine_outcome *outcome)
{
    fflush(stdout);
    if (driver->options.json)
        report_json(kernel, outcome);
    else
        report_text(kernel, outcome);
}
