// SPDX-License-Identifier: MIT
// What a litmus test asks: a condition of registers and places, and whether it can, cannot or must hold in the end.
#include <string.h>

#include "litmus_parts.h"

static int new_term(struct litmus_reader *reader, struct litmus_term term)
{
    struct litmus *test = reader->test;
    if (test->terms == LITMUS_TERMS) {
        scan_fail(&reader->scan, "a condition has at most %d terms", LITMUS_TERMS);
        return -1;
    }
    test->term[test->terms] = term;
    return test->terms++;
}

static bool is_thread_ahead(const struct litmus_scan *scan)
{
    struct litmus_scan ahead = *scan;
    litmus_scan_next(&ahead);
    return scan_is(&ahead, ":");
}

static int read_leaf(struct litmus_reader *reader, struct litmus_leaf *leaf)
{
    struct litmus_scan *scan = &reader->scan;
    if (is_thread_ahead(scan)) {
        struct scan_word word = scan->word;
        leaf->kind = LEAF_REGISTER;
        leaf->thread = litmus_read_thread(reader);
        if (leaf->thread < 0) return 0;
        if (leaf->thread >= reader->test->threads)
            return scan_fail_at(scan, word.line, word.column, "the test has no P%d", leaf->thread);
        litmus_scan_next(scan); // the colon
        leaf->index = litmus_read_register(reader, leaf->thread);
        return leaf->index >= 0;
    }
    if (scan->word.kind == SCAN_NUMBER || scan_is(scan, "-")) return scan_need_number(scan, &leaf->number);
    leaf->kind = LEAF_PLACE;
    leaf->index = litmus_read_place(reader);
    return leaf->index >= 0;
}

static int read_compare_sign(struct litmus_scan *scan, enum litmus_operation *compare)
{
    static const struct {
        const char *sign;
        enum litmus_operation compare;
    } rows[] = {{"==", IF_EQUAL},  {"=", IF_EQUAL},       {"!=", IF_NOT_EQUAL},    {"<", IF_LESS},
                {">", IF_GREATER}, {"<=", IF_LESS_EQUAL}, {">=", IF_GREATER_EQUAL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!scan_take(scan, rows[i].sign)) continue;
        *compare = rows[i].compare;
        return 1;
    }
    return scan_fail(scan, "a comparison is missing here: == != < <= > >=");
}

static int read_compare(struct litmus_reader *reader)
{
    struct litmus_term term = {.kind = TERM_COMPARE};
    if (!read_leaf(reader, &term.leaf[0]) || !read_compare_sign(&reader->scan, &term.compare) ||
        !read_leaf(reader, &term.leaf[1]))
        return -1;
    return new_term(reader, term);
}

static int read_or(struct litmus_reader *reader, int depth);

static int read_not(struct litmus_reader *reader, int depth)
{
    struct litmus_scan *scan = &reader->scan;
    if (depth > LITMUS_TERMS) return scan_fail(scan, "the condition is nested too deeply") - 1;
    if (scan_take(scan, "~") || scan_take(scan, "not")) {
        int left = read_not(reader, depth + 1);
        return left < 0 ? -1 : new_term(reader, (struct litmus_term){.kind = TERM_NOT, .left = left});
    }
    if (!scan_take(scan, "(")) return read_compare(reader);
    int inner = read_or(reader, depth + 1);
    return inner >= 0 && scan_need(scan, ")") ? inner : -1;
}

static int read_and(struct litmus_reader *reader, int depth)
{
    int left = read_not(reader, depth);
    while (left >= 0 && (scan_take(&reader->scan, "/\\") || scan_take(&reader->scan, "&&"))) {
        int right = read_not(reader, depth);
        if (right < 0) return -1;
        left = new_term(reader, (struct litmus_term){.kind = TERM_AND, .left = left, .right = right});
    }
    return left;
}

static bool take_or(struct litmus_scan *scan)
{
    return scan_take(scan, "\\/") || (scan_take(scan, "|") && scan_need(scan, "|"));
}

static int read_or(struct litmus_reader *reader, int depth)
{
    int left = read_and(reader, depth);
    while (left >= 0 && take_or(&reader->scan)) {
        int right = read_and(reader, depth);
        if (right < 0) return -1;
        left = new_term(reader, (struct litmus_term){.kind = TERM_OR, .left = left, .right = right});
    }
    return left;
}

static bool read_claim(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    struct litmus *test = reader->test;
    if (scan_take(scan, "forall")) {
        test->claim = CLAIM_ALWAYS;
        return true;
    }
    test->claim = scan_take(scan, "~") || scan_take(scan, "not") ? CLAIM_NEVER : CLAIM_EXISTS;
    return scan_take(scan, "exists") || scan_fail(scan, "the question is missing here: exists, ~exists or forall");
}

bool litmus_read_question(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    struct litmus *test = reader->test;
    test->filter = -1;
    if (scan_take(scan, "locations")) {
        while (scan->word.kind != SCAN_END && !scan_take(scan, "]")) litmus_scan_next(scan);
    }
    if (scan_take(scan, "filter")) {
        test->filter = read_or(reader, 0);
        if (test->filter < 0) return false;
        scan_take(scan, ";");
    }
    if (!read_claim(reader)) return false;
    test->condition = read_or(reader, 0);
    if (test->condition < 0) return false;
    scan_take(scan, ";");
    return scan->word.kind == SCAN_END || scan_fail(scan, "the test ends in front of this");
}
