// SPDX-License-Identifier: MIT
// The executor command: a simulator, compiler or driver of somebody else, which gets cases as JSON lines and answers
// with results (docs/conformance-kit.md). It may lack a case, crash, hang or write nonsense: each is an end of that
// case alone (enum result_end), and a new child goes on with the next one.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "command_child.h"
#include "cuda_abi.h"
#include "executor.h"
#include "json.h"
#include "parse_number.h"
#include "progress.h"
#include "result_json.h"

enum { CASE_SECONDS = 30, MOST_SECONDS = 1000000, WHY_BYTES = 400 };
enum { CANNOT_RUN = 126, NOT_FOUND = 127, SHELL_SIGNAL = 128, MOST_SIGNAL = 64 }; // exit statuses of a shell
#define SPARE_BYTES ((size_t)1 << 20) // of an answer, beside the digits of its windows

static char program[4096];
static struct command_child child;
static uint64_t asked; // cases so far: the index of the next one

const struct executor *executor_command_for(const char *text)
{
    const bool is_other = program[0] != '\0' && strcmp(program, text) != 0;
    if (text[0] == '\0' || strlen(text) >= sizeof program || is_other) return NULL;
    strcpy(program, text);
    return &executor_command;
}

static double case_seconds(void)
{
    const char *text = getenv("TMAREF_COMMAND_SECONDS");
    uint64_t seconds = CASE_SECONDS;
    if (text != NULL) parse_u64(text, MOST_SECONDS, &seconds);
    return (double)seconds;
}

// --- What is asked ---------------------------------------------------------------------------------------------------

static json_t *layout_of(const struct result *result)
{
    json_t *windows = json_object();
    for (int i = 0; i < result->windows; i++)
        json_object_set_new(windows, result->window[i].name,
                            json_pack("{s:o, s:I}", "base", json_u64(result->window[i].base), "size",
                                      (json_int_t)result->window[i].size_bytes));
    return windows;
}

json_t *executor_request(const struct family *family, uint64_t index, const void *test_case)
{
    const size_t bytes = family_result_bytes(family, test_case);
    uint8_t *room = calloc(1, bytes + FAMILY_BEFORE_BYTES);
    struct result before = result_at(room);
    if (room == NULL) abort();
    family->windows(test_case, &before);
    json_t *json = json_pack("{s:o, s:s, s:o, s:o}", "index", json_u64(index), "family", family->name, "case",
                             family_write(family, test_case), "windows", layout_of(&before));
    before = result_at(room);
    memset(room, 0, bytes);
    family_before(family, test_case, &before);
    if (before.windows > 0) json_object_set_new(json, "before", result_windows_write(&before));
    free(room);
    return json;
}

// --- What is answered ------------------------------------------------------------------------------------------------

// [{"at": offset, "bytes": hex}, ...]: puts the bytes into the window.
static int read_changes(const json_t *list, const struct window *window, struct text *why)
{
    size_t i;
    json_t *change;
    if (!json_is_array(list)) return text_fail(why, "%s: \"changed\" is not an array", window->name);
    json_array_foreach(list, i, change)
    {
        struct json_reader reader = json_reader_open(change, window->name, why);
        const json_t *digits = json_read_any(&reader, "bytes");
        uint64_t at = json_read_u64(&reader, "at", window->size_bytes);
        const size_t length = json_string_length(digits);
        if (!json_reader_close(&reader)) return 0;
        if (length % 2 != 0 || length / 2 > window->size_bytes - at ||
            !hex_parse(json_string_value(digits), window->bytes + at, length / 2))
            return text_fail(why, "%s: \"bytes\" of change %zu at 0x%llx are not hex digits inside its %u bytes",
                             window->name, i, (unsigned long long)at, window->size_bytes);
    }
    return 1;
}

static int read_window(const json_t *json, const struct window *window, struct text *why)
{
    struct json_reader reader = json_reader_open(json, window->name, why);
    const json_t *changed = json_read_any(&reader, "changed");
    uint64_t base = json_has(&reader, "base") ? json_read_u64(&reader, "base", UINT64_MAX) : window->base;
    if (changed == NULL)
        json_read_hex(&reader, "bytes", window->bytes, window->size_bytes);
    else if (json_has(&reader, "size"))
        json_read_between(&reader, "size", window->size_bytes, window->size_bytes);
    if (!json_reader_close(&reader) || (changed != NULL && !read_changes(changed, window, why))) return 0;
    if (base == window->base) return 1;
    return text_fail(why, "%s: \"base\" is 0x%llx, and the window begins at 0x%llx", window->name,
                     (unsigned long long)base, (unsigned long long)window->base);
}

// What the windows hold before, as far as that is told.
static void open_windows(const struct family *family, const void *test_case, struct result *result)
{
    uint8_t *room = calloc(1, family_result_bytes(family, test_case) + FAMILY_BEFORE_BYTES);
    struct result before = result_at(room);
    if (room == NULL) abort();
    family->windows(test_case, result);
    family_before(family, test_case, &before);
    for (int i = 0; i < result->windows; i++) {
        struct window *window = &result->window[i];
        memset(window->bytes, 0, window->size_bytes);
        for (int j = 0; j < before.windows; j++)
            if (strcmp(before.window[j].name, window->name) == 0)
                memcpy(window->bytes, before.window[j].bytes, window->size_bytes);
    }
    free(room);
}

static int read_result(const struct family *family, const json_t *json, const void *test_case, struct result *result,
                       struct text *why)
{
    char rule[64];
    struct json_reader reader = json_reader_open(json, "result", why);
    result->status = (int)json_read_i64(&reader, "status", -64, 999);
    json_read_text(&reader, "rule", rule, sizeof rule);
    json_read_any(&reader, "told");
    if (reader.ok && rule[0] != '\0' && (result->rule = rule_find(rule)) == RULE_OK)
        return text_fail(why, "result: there is no rule '%s'", rule);
    if (!reader.ok) return 0;
    open_windows(family, test_case, result);
    for (int i = 0; i < result->windows && result->status == 0; i++) {
        const struct window *window = &result->window[i];
        const json_t *of = json_read_any(&reader, window->name);
        if (of == NULL && window->is_open) continue;
        if (of == NULL) return text_fail(why, "result: there is no window \"%s\"", window->name);
        if (!read_window(of, window, why)) return 0;
    }
    if (result->status != 0) result_close(result);
    return json_reader_close(&reader);
}

// 1 if the line answers case `index`, 0 if an earlier one; -1 with `why` if it is nonsense.
static int read_answer(const struct family *family, const char *line, uint64_t index, const void *test_case,
                       struct result *result, struct text *why)
{
    json_error_t error;
    char reason[WHY_BYTES];
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) return text_set(why, "%s, in: %.80s", error.text, line), -1;
    struct json_reader reader = json_reader_open(json, "answer", why);
    const uint64_t of = json_read_u64(&reader, "index", UINT64_MAX);
    const json_t *found = json_read_any(&reader, "result");
    json_read_any(&reader, "case"), json_read_any(&reader, "family");
    json_read_text(&reader, "unsupported", reason, sizeof reason);
    const bool is_unsupported = json_has(&reader, "unsupported");
    int ok = json_reader_close(&reader);
    if (ok && of > index)
        ok = text_fail(why, "answer: \"index\" is %llu, case %llu was asked", (unsigned long long)of,
                       (unsigned long long)index);
    if (ok && of == index && is_unsupported)
        result_end(result, RESULT_UNSUPPORTED, 0, reason);
    else if (ok && of == index)
        ok = read_result(family, found, test_case, result, why);
    json_decref(json);
    return !ok ? -1 : of == index;
}

// --- A case ----------------------------------------------------------------------------------------------------------

// How the child ended before it answered; -1 if it had ended well after an earlier answer, 0 with `why` if it was never
// there.
static int end_of_child(struct result *result, struct text *why)
{
    const unsigned long answers = child.answers;
    const int status = command_child_end(&child, false);
    if (status == 0 && answers > 0) return -1;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const int by_shell = code > SHELL_SIGNAL && code <= SHELL_SIGNAL + MOST_SIGNAL ? code - SHELL_SIGNAL : 0;
    const int killed = WIFSIGNALED(status) ? WTERMSIG(status) : by_shell;
    struct text told;
    if ((code == NOT_FOUND || code == CANNOT_RUN) && answers == 0)
        return text_fail(why, "the command cannot be run (exit status %d): %.300s", code, program);
    if (killed != 0)
        text_set(&told, "the command was killed by signal %d (%s)", killed, strsignal(killed));
    else
        text_set(&told, "the command ended with exit status %d before it answered", code);
    result_end(result, RESULT_CRASHED, killed != 0 ? -killed : CUDA_ERROR_UNKNOWN, told.at);
    return 1;
}

static int fail_case(struct result *result, enum result_end end, const char *told)
{
    result_end(result, end, CUDA_ERROR_UNKNOWN, told);
    command_child_end(&child, true);
    return 1;
}

static int fail_too_long(struct result *result, size_t most)
{
    struct text told;
    text_set(&told, "a line of more than %zu bytes", most);
    return fail_case(result, RESULT_GARBAGE, told.at);
}

static int fail_late(struct result *result)
{
    struct text told;
    text_set(&told, "no answer within %g s (TMAREF_COMMAND_SECONDS)", case_seconds());
    return fail_case(result, RESULT_HUNG, told.at);
}

// Waits for the answer to case `index`. Returns 1 with a result, -1 if the child had ended before it saw the case, and
// 0 with `why` if the command is of no use.
static int wait_for(const struct batch *batch, int i, const char *request, uint64_t index, struct text *why)
{
    const struct family *family = batch->family;
    const void *test_case = batch_case(batch, i);
    struct result *result = &batch->results[i];
    const size_t most = 2 * family_result_bytes(family, test_case) + SPARE_BYTES;
    const double end = seconds_now() + case_seconds();
    struct text told;
    for (const char *line;; request = NULL) {
        int is_answer;
        switch (command_child_ask(&child, request, request != NULL ? strlen(request) : 0, end, most, &line)) {
        case COMMAND_CAME_LINE:
            is_answer = read_answer(family, line, index, test_case, result, &told);
            if (is_answer < 0) return fail_case(result, RESULT_GARBAGE, told.at);
            if (is_answer) return 1;
            break;
        case COMMAND_CAME_TOO_LONG:
            return fail_too_long(result, most);
        case COMMAND_CAME_LATE:
            return fail_late(result);
        case COMMAND_CAME_CTRL_C:
            return text_fail(why, "interrupted");
        case COMMAND_CAME_END:
            return end_of_child(result, why);
        }
    }
}

// One case; a child that had ended well after its last answer is replaced once.
static bool run_case(struct batch *batch, int i, struct text *why)
{
    const uint64_t index = asked++;
    json_t *json = executor_request(batch->family, index, batch_case(batch, i));
    char *line = json_dumps(json, JSON_COMPACT), *request = NULL;
    json_decref(json);
    if (line == NULL || asprintf(&request, "%s\n", line) < 0) abort();
    free(line);
    int ok = -1;
    for (int tries = 0; ok < 0 && tries < 2; tries++) {
        batch->results[i] = result_at(batch->results[i].first_bytes);
        ok = child.pid != 0 || command_child_start(&child, program, why) ? wait_for(batch, i, request, index, why) : 0;
    }
    free(request);
    return ok != 0;
}

// --- The executor ----------------------------------------------------------------------------------------------------

static void command_close(void)
{
    command_child_end(&child, false);
}

static int command_open(struct batch *batch, struct text *why)
{
    (void)batch, (void)why;
    command_close();
    return 1;
}

static int command_run(struct batch *batch, int first, int count, struct text *why)
{
    for (int i = first; i < first + count; i++)
        if (!run_case(batch, i, why)) return 0;
    return 1;
}

static int command_run_apart(struct batch *batch, int first, int count, struct apart *apart, struct text *why)
{
    for (int i = first; i < first + count; i++) batch->results[i].is_open = true;
    for (int i = first; i < first + count && !apart_is_over(apart); i++)
        if (!run_case(batch, i, why)) return 0;
    return 1;
}

static const char *command_describe(void)
{
    return program;
}

const struct executor executor_command = {
    "command:PROGRAM", "a program of yours that answers JSON lines (docs/conformance-kit.md)",
    command_open,      command_run,
    command_run_apart, command_close,
    command_describe,
};
