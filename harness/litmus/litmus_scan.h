// SPDX-License-Identifier: MIT
// The words of a litmus test, one after the other, and complaints that point at one. Blanks, line ends and comments
// ((* *), //) part words and mean nothing else.
#ifndef TMAREF_LITMUS_SCAN_H
#define TMAREF_LITMUS_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum scan_kind { SCAN_END, SCAN_WORD, SCAN_NUMBER, SCAN_QUOTE, SCAN_SIGN };

// A word: letters, digits, '_', '.', "::". A sign: one character, or two: /\ \/ == != <= >= &&.
struct scan_word {
    enum scan_kind kind;
    const char *at;
    size_t bytes;
    int line, column; // from 1
    int64_t number;
};

struct litmus_scan {
    const char *name; // of the file, for complaints
    const char *text, *end, *at;
    int line;
    const char *line_start;
    struct scan_word word; // the current one
    struct text *why;      // the first complaint
    int failed;
};

// Reads `bytes` bytes at `text`; the current word is the first.
struct litmus_scan litmus_scan_open(const char *name, const char *text, size_t bytes, struct text *why);

// Goes on to the next word.
void litmus_scan_next(struct litmus_scan *scan);

// Is the current word this one? scan_take() goes on behind it if so. scan_need() complains if not.
bool scan_is(const struct litmus_scan *scan, const char *word);
bool scan_take(struct litmus_scan *scan, const char *word);
int scan_need(struct litmus_scan *scan, const char *word);
int scan_need_number(struct litmus_scan *scan, int64_t *number); // with a sign, or 0x...

// "FILE:LINE:COLUMN: message", the line, and a caret under its `column`. Only the first complaint is kept. Returns 0.
int scan_fail_at(struct litmus_scan *scan, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The same, of the current word.
int scan_fail(struct litmus_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Copies the current word, shortened to the room.
void scan_copy(const struct litmus_scan *scan, char *to, size_t room);

// Copies all from the current word to the end of its line, and goes on behind it.
void scan_copy_line(struct litmus_scan *scan, char *to, size_t room);

#endif
