// SPDX-License-Identifier: MIT
// A whole litmus test: the head, the declarations, the table of threads, the question (litmus_read.h).
#include "litmus_read.h"

#include <string.h>

#include "litmus_parts.h"

static void add_about(struct litmus *test, const struct scan_word *word)
{
    size_t used = strlen(test->about);
    int quoted = word->kind == SCAN_QUOTE && word->bytes > 1;
    size_t bytes = word->bytes - (quoted ? 2 : 0);
    if (used + bytes + 2 > sizeof test->about) return;
    if (used > 0) test->about[used++] = quoted ? '\n' : ' ';
    memcpy(test->about + used, word->at + quoted, bytes);
    test->about[used + bytes] = '\0';
}

static int read_head(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    if (!scan_is(scan, "PTX") && !scan_is(scan, "ptx"))
        return scan_fail(scan, "a litmus test begins with 'PTX' and its name");
    litmus_scan_next(scan);
    scan_copy_line(scan, reader->test->name, sizeof reader->test->name);
    while (!scan_is(scan, "{")) {
        if (scan->word.kind == SCAN_END) return scan_fail(scan, "'{' is missing here");
        add_about(reader->test, &scan->word);
        litmus_scan_next(scan);
    }
    return 1;
}

static bool is_label(const struct litmus_scan *scan)
{
    struct litmus_scan ahead = *scan;
    litmus_scan_next(&ahead);
    return scan->word.kind == SCAN_WORD && scan_is(&ahead, ":");
}

static int read_label(struct litmus_reader *reader, int thread)
{
    struct litmus_scan *scan = &reader->scan;
    struct litmus_labels *jumps = &reader->jumps[thread];
    if (jumps->labels == LITMUS_LABELS) return scan_fail(scan, "a thread has at most %d labels", LITMUS_LABELS);
    jumps->label[jumps->labels++] = (struct litmus_label){
        .at = scan->word.at, .bytes = scan->word.bytes, .step = reader->test->thread[thread].steps};
    litmus_scan_next(scan);
    litmus_scan_next(scan); // the colon
    return 1;
}

static bool is_end_of_cell(const struct litmus_scan *scan)
{
    return scan_is(scan, "|") || scan_is(scan, ";");
}

static bool read_cell(struct litmus_reader *reader, int thread)
{
    struct litmus_scan *scan = &reader->scan;
    if (is_label(scan) && !read_label(reader, thread)) return false;
    return is_end_of_cell(scan) || litmus_read_instruction(reader, thread);
}

static int read_row(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    int thread = 0;
    do {
        if (thread == reader->test->threads)
            return scan_fail(scan, "the row has more columns than the %d threads", reader->test->threads);
        if (!read_cell(reader, thread++)) return 0;
    } while (scan_take(scan, "|"));
    return scan_need(scan, ";");
}

static bool is_question(const struct litmus_scan *scan)
{
    static const char *const words[] = {"exists", "~", "not", "forall", "filter", "locations"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (scan_is(scan, words[i])) return true;
    return scan->word.kind == SCAN_END;
}

static int resolve(struct litmus_reader *reader, int thread)
{
    struct litmus_labels *jumps = &reader->jumps[thread];
    for (int b = 0; b < jumps->branches; b++) {
        const struct litmus_label *branch = &jumps->branch[b];
        int l = 0;
        while (l < jumps->labels &&
               (jumps->label[l].bytes != branch->bytes || memcmp(jumps->label[l].at, branch->at, branch->bytes) != 0))
            l++;
        if (l == jumps->labels)
            return scan_fail_at(&reader->scan, branch->line, branch->column, "P%d has no such label", thread);
        reader->test->thread[thread].step[branch->step].target = jumps->label[l].step;
    }
    return 1;
}

static bool read_all(struct litmus_reader *reader)
{
    if (!read_head(reader) || !litmus_read_declarations(reader) || !litmus_read_threads(reader)) return false;
    reader->is_in_rows = true;
    while (!is_question(&reader->scan))
        if (!read_row(reader)) return false;
    reader->is_in_rows = false;
    for (int thread = 0; thread < reader->test->threads; thread++)
        if (!resolve(reader, thread)) return false;
    return litmus_read_question(reader);
}

bool litmus_read(const char *name, const char *text, size_t bytes, struct litmus *test, struct text *why)
{
    memset(test, 0, sizeof *test);
    struct litmus_reader reader = {.scan = litmus_scan_open(name, text, bytes, why), .test = test};
    return read_all(&reader) && !reader.scan.failed;
}
