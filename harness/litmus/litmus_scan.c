// SPDX-License-Identifier: MIT
// The words of a litmus test (litmus_scan.h).
#include "litmus_scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void step_line(struct litmus_scan *scan)
{
    scan->line++;
    scan->line_start = scan->at;
}

static bool sees(const struct litmus_scan *scan, const char *what)
{
    size_t bytes = strlen(what);
    return (size_t)(scan->end - scan->at) >= bytes && memcmp(scan->at, what, bytes) == 0;
}

static void skip_past(struct litmus_scan *scan, const char *what)
{
    while (scan->at < scan->end && !sees(scan, what))
        if (*scan->at++ == '\n') step_line(scan);
    if (scan->at < scan->end) scan->at += strlen(what);
    if (what[0] == '\n' && scan->at <= scan->end) step_line(scan);
}

static void skip_blank(struct litmus_scan *scan)
{
    for (;;) {
        if (sees(scan, "(*")) {
            skip_past(scan, "*)");
        } else if (sees(scan, "//")) {
            skip_past(scan, "\n");
        } else if (scan->at < scan->end && isspace((unsigned char)*scan->at)) {
            if (*scan->at++ == '\n') step_line(scan);
        } else {
            return;
        }
    }
}

static bool is_letter(int c)
{
    return isalnum(c) || c == '_';
}

// Letters, with '.' and "::" where letters follow.
static const char *word_end(const struct litmus_scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end) {
        if (is_letter((unsigned char)*at)) {
            at++;
        } else if (*at == '.' && scan->end - at > 1 && is_letter((unsigned char)at[1])) {
            at += 2;
        } else if (*at == ':' && scan->end - at > 2 && at[1] == ':' && is_letter((unsigned char)at[2])) {
            at += 3;
        } else {
            break;
        }
    }
    return at;
}

static const char *quote_end(struct litmus_scan *scan)
{
    const char *at = scan->at + 1;
    while (at < scan->end && *at != '"') at++;
    return at < scan->end ? at + 1 : at;
}

static const char *sign_end(const struct litmus_scan *scan)
{
    static const char *const pairs[] = {"/\\", "\\/", "==", "!=", "<=", ">=", "&&"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (sees(scan, pairs[i])) return scan->at + 2;
    return scan->at + 1;
}

static void count_lines(struct litmus_scan *scan, const char *end)
{
    while (scan->at < end)
        if (*scan->at++ == '\n') step_line(scan);
}

void litmus_scan_next(struct litmus_scan *scan)
{
    skip_blank(scan);
    struct scan_word *word = &scan->word;
    *word = (struct scan_word){.at = scan->at, .line = scan->line, .column = (int)(scan->at - scan->line_start) + 1};
    if (scan->at >= scan->end) return;
    int first = (unsigned char)*scan->at;
    const char *end = NULL;
    if (isdigit(first)) {
        char *stop = NULL;
        word->kind = SCAN_NUMBER;
        word->number = (int64_t)strtoull(scan->at, &stop, 0);
        end = stop;
    } else if (is_letter(first) || (first == '.' && word_end(scan) > scan->at)) {
        word->kind = SCAN_WORD;
        end = word_end(scan);
    } else if (first == '"') {
        word->kind = SCAN_QUOTE;
        end = quote_end(scan);
    } else {
        word->kind = SCAN_SIGN;
        end = sign_end(scan);
    }
    word->bytes = (size_t)(end - scan->at);
    count_lines(scan, end);
}

struct litmus_scan litmus_scan_open(const char *name, const char *text, size_t bytes, struct text *why)
{
    struct litmus_scan scan = {
        .name = name, .text = text, .end = text + bytes, .at = text, .line = 1, .line_start = text, .why = why};
    litmus_scan_next(&scan);
    return scan;
}

bool scan_is(const struct litmus_scan *scan, const char *word)
{
    return scan->word.bytes == strlen(word) && memcmp(scan->word.at, word, scan->word.bytes) == 0;
}

bool scan_take(struct litmus_scan *scan, const char *word)
{
    if (!scan_is(scan, word)) return false;
    litmus_scan_next(scan);
    return true;
}

int scan_need(struct litmus_scan *scan, const char *word)
{
    if (scan_take(scan, word)) return 1;
    return scan_fail(scan, "'%s' is missing here", word);
}

int scan_need_number(struct litmus_scan *scan, int64_t *number)
{
    int64_t sign = scan_take(scan, "-") ? -1 : 1;
    if (scan->word.kind != SCAN_NUMBER) return scan_fail(scan, "a number is missing here");
    *number = sign * scan->word.number;
    litmus_scan_next(scan);
    return 1;
}

static const char *line_text(const struct litmus_scan *scan, int line, int *bytes)
{
    const char *at = scan->text;
    for (; line > 1 && at < scan->end; at++)
        if (*at == '\n') line--;
    const char *end = at;
    while (end < scan->end && *end != '\n') end++;
    *bytes = (int)(end - at);
    return at;
}

static int fail(struct litmus_scan *scan, int line, int column, const char *message)
{
    if (scan->failed) return 0;
    scan->failed = 1;
    enum { SHOWN = 120 };
    int bytes = 0;
    const char *text = line_text(scan, line, &bytes);
    int from = column > SHOWN ? column - SHOWN : 0; // the caret stays within the line that is shown
    bytes = bytes - from < SHOWN ? bytes - from : SHOWN;
    text_set(scan->why, "%s:%d:%d: %s\n    %.*s\n    %*s", scan->name, line, column, message, bytes, text + from,
             column - from, "^");
    return 0;
}

int scan_fail_at(struct litmus_scan *scan, int line, int column, const char *format, ...)
{
    char message[256];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return fail(scan, line, column, message);
}

int scan_fail(struct litmus_scan *scan, const char *format, ...)
{
    char message[256];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return fail(scan, scan->word.line, scan->word.column, message);
}

void scan_copy(const struct litmus_scan *scan, char *to, size_t room)
{
    size_t bytes = scan->word.bytes < room - 1 ? scan->word.bytes : room - 1;
    memcpy(to, scan->word.at, bytes);
    to[bytes] = '\0';
}

void scan_copy_line(struct litmus_scan *scan, char *to, size_t room)
{
    const char *end = scan->word.at;
    while (end < scan->end && *end != '\n' && *end != '\r') end++;
    scan->word.bytes = (size_t)(end - scan->word.at);
    scan_copy(scan, to, room);
    scan->at = end > scan->at ? end : scan->at;
    litmus_scan_next(scan);
}
