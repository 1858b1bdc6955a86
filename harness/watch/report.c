// SPDX-License-Identifier: MIT
// A watched call as text for people and as JSON lines for machines. Two reports a call: what was passed, with what the
// model says of it, and what the driver answered.
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "finding_text.h"
#include "watch.h"

enum { SHOWN_IN_HEX = 4096 };

#define CUDA_ERROR_ROW(value, name, runtime, text)                                                                     \
    case value:                                                                                                        \
        return #name;
#define DRIVER_ERROR_ROW(value, name, text)                                                                            \
    case value:                                                                                                        \
        return #name;
static const char *result_name(uint32_t value)
{
    switch (value) {
#include "errors.def"
    default:
        return "an error that tmaref has no name for";
    }
}

static void add_entry(const struct watch_argument *argument, int i, struct line *line)
{
    if (argument->kind == WATCH_U64S)
        line_add(line, "%" PRIu64, argument->entry.u64[i]);
    else if (argument->kind == WATCH_U32S)
        line_add(line, "%" PRIu32, argument->entry.u32[i]);
    else
        line_add(line, "%d", argument->entry.i32[i]);
}

static void add_entries(const struct watch_argument *argument, struct line *line)
{
    for (int i = 0; i < argument->count; i++) {
        if (i != 0) line_add(line, ", ");
        add_entry(argument, i, line);
    }
}

static bool is_array(const struct watch_argument *argument)
{
    return argument->kind == WATCH_U64S || argument->kind == WATCH_U32S || argument->kind == WATCH_I32S;
}

static void text_array(const struct watch_argument *argument, struct line *line)
{
    if (argument->count < 0) {
        line_add(line, "0x%" PRIx64 " (NOT READABLE MEMORY)", argument->value);
        return;
    }
    line_add(line, "{");
    add_entries(argument, line);
    line_add(line, "} at 0x%" PRIx64, argument->value);
}

static void text_argument(const struct watch_argument *argument, struct line *line)
{
    line_add(line, "    %-24s ", argument->name);
    if ((argument->kind == WATCH_POINTER || is_array(argument)) && argument->value == 0)
        line_add(line, "NULL");
    else if (is_array(argument))
        text_array(argument, line);
    else if (argument->kind == WATCH_POINTER)
        line_add(line, "0x%" PRIx64, argument->value);
    else if (argument->kind == WATCH_SIGNED)
        line_add(line, "%" PRId64, (int64_t)argument->value);
    else
        line_add(line, "%" PRIu64, argument->value);
    if (argument->kind == WATCH_ENUM)
        line_add(line, " %s", argument->value_name == NULL ? "(no such value)" : argument->value_name);
    line_add(line, "\n");
}

static void text_findings(const struct findings *findings, struct line *line)
{
    findings_text(findings, line);
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (rule_row(findings->item[i].rule)->sm_90a == OUTCOME_CRASH)
            line_add(line, "  the driver of an H200 crashes in this call; if this is the last report, it crashed\n");
}

static void text_call(const struct watch_call *call, struct line *line)
{
    line_add(line, "tmaref watch: call %" PRIu64 ": %s (process %d, thread %d)\n", call->number, call->function,
             (int)getpid(), (int)gettid());
    for (int i = 0; i < call->argument_count; i++) text_argument(&call->argument[i], line);
    if (!call->is_modelled)
        line_add(line, "  tmaref cannot read the memory that an argument points to; the driver will probably crash\n");
    text_findings(&call->findings, line);
}

static void text_words(const struct watch_call *call, struct line *line)
{
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++)
        if (call->wrong_words & 1u << i)
            line_add(line, "  bytes %3d to %3d: driver %016" PRIx64 ", model %016" PRIx64 "\n", 8 * i, 8 * i + 7,
                     call->actual.word[i], call->expected.word[i]);
}

static void text_return(const struct watch_call *call, struct line *line)
{
    line_add(line, "tmaref watch: call %" PRIu64 ": the driver returned %d %s%s\n", call->number, (int)call->result,
             result_name(call->result), watch_is_judged(call) ? "" : ": it did not judge the arguments");
    if (!watch_differs(call)) return;
    line_add(line, "*** tmaref watch: call %" PRIu64 ": MODEL AND DRIVER DIFFER: ", call->number);
    if (call->wrong_words != 0)
        line_add(line, "both accept, but not the same 128 bytes");
    else if (call->rule == RULE_OK)
        line_add(line, "the model of an H200 breaks no rule here");
    else
        line_add(line, "the model of an H200 refuses, first for rule %s", rule_row(call->rule)->id);
    line_add(line, ". On an H200 this is a conformance finding; please report it. ***\n");
    text_words(call, line);
}

static void json_argument(const struct watch_argument *argument, struct line *line)
{
    line_add(line, "\"%s\":", argument->name);
    if ((argument->kind == WATCH_POINTER || is_array(argument)) && argument->value == 0)
        line_add(line, "null");
    else if (is_array(argument) && argument->count < 0)
        line_add(line, "\"not readable\"");
    else if (is_array(argument)) {
        line_add(line, "[");
        add_entries(argument, line);
        line_add(line, "]");
    } else if (argument->kind == WATCH_POINTER)
        line_add(line, "\"0x%" PRIx64 "\"", argument->value);
    else if (argument->kind == WATCH_SIGNED)
        line_add(line, "%" PRId64, (int64_t)argument->value);
    else if (argument->kind == WATCH_UNSIGNED)
        line_add(line, "%" PRIu64, argument->value);
    else {
        line_add(line, "{\"value\":%" PRIu64 ",\"name\":", argument->value);
        line_add_json(line, argument->value_name);
        line_add(line, "}");
    }
}

static void json_call(const struct watch_call *call, struct line *line)
{
    line_add(line, "{\"event\":\"call\",\"call\":%" PRIu64 ",\"process\":%d,\"thread\":%d,\"function\":\"%s\"",
             call->number, (int)getpid(), (int)gettid(), call->function);
    line_add(line, ",\"arguments\":{");
    for (int i = 0; i < call->argument_count; i++) {
        if (i != 0) line_add(line, ",");
        json_argument(&call->argument[i], line);
    }
    line_add(line, "},\"model\":");
    if (call->is_modelled)
        line_add(line, "{\"rule\":\"%s\",\"result\":%d}", rule_row(call->rule)->id, rule_cuda_error(call->rule));
    else
        line_add(line, "null");
    line_add(line, ",\"findings\":");
    findings_json(&call->findings, line);
    line_add(line, "}\n");
}

static void json_return(const struct watch_call *call, struct line *line)
{
    const char *const truth[] = {"false", "true"};
    line_add(line, "{\"event\":\"return\",\"call\":%" PRIu64 ",\"result\":%d,\"name\":\"%s\",\"judged\":%s",
             call->number, (int)call->result, result_name(call->result), truth[watch_is_judged(call)]);
    line_add(line, ",\"differs\":%s,\"different_words\":[", truth[watch_differs(call)]);
    int count = 0;
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++)
        if (call->wrong_words & 1u << i)
            line_add(line, "%s{\"word\":%d,\"driver\":\"%016" PRIx64 "\",\"model\":\"%016" PRIx64 "\"}",
                     count++ == 0 ? "" : ",", i, call->actual.word[i], call->expected.word[i]);
    line_add(line, "]}\n");
}

void watch_report_call(const struct watch_call *call, const struct watch_shared *options, struct line *line)
{
    options->json ? json_call(call, line) : text_call(call, line);
}

void watch_report_return(const struct watch_call *call, const struct watch_shared *options, struct line *line)
{
    options->json ? json_return(call, line) : text_return(call, line);
}
