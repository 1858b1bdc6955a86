// SPDX-License-Identifier: MIT
// The report as JUnit XML: a suite for each recording, with one test for what agrees and one for each case that fails.
#include <inttypes.h>
#include <string.h>

#include "score.h"
#include "score_print.h"

void score_escape(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '&' || c == '<' || c == '>' || c == '"')
            fputs(c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;", out);
        else
            fputc(c < ' ' && c != '\n' && c != '\t' ? '?' : c, out); // XML has no other control characters
    }
}

// The cases of a list that are of the recording.
static void write_cases(const json_t *list, const char *trace, bool are_known, FILE *out)
{
    const size_t length = strlen(trace);
    size_t i;
    json_t *entry;
    json_array_foreach((json_t *)list, i, entry)
    {
        const char *name = score_text(entry, "case");
        if (strncmp(name, trace, length) != 0 || name[length] != ':') continue;
        fprintf(out, "  <testcase classname=\"%s\" name=\"%s\">", score_text(entry, "family"), name);
        if (are_known) {
            fputs("<skipped message=\"", out);
            score_escape(score_text(entry, "reason"), out);
            fputs("\"/>", out);
        } else {
            fprintf(out, "<failure type=\"%s\" message=\"%s\">", score_text(entry, "verdict"),
                    score_text(entry, "rule"));
            score_escape(score_text(entry, "why"), out);
            fputs("</failure>", out);
        }
        fputs("</testcase>\n", out);
    }
}

static uint64_t failing(const json_t *counts)
{
    return score_compared(counts) - score_count(counts, "agrees");
}

static void write_suite(const json_t *report, const char *trace, const json_t *counts, FILE *out)
{
    const uint64_t fail = failing(counts), unsupported = score_count(counts, "unsupported");
    const uint64_t known = fail < score_count(counts, "known") ? fail : score_count(counts, "known");
    fprintf(out, " <testsuite name=\"%s\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" skipped=\"%" PRIu64 "\">\n",
            trace, fail + 1, fail - known, known + (score_compared(counts) == 0));
    fprintf(out,
            "  <testcase classname=\"%s\" name=\"%" PRIu64 " cases agree, %" PRIu64
            " are unsupported\">%s</testcase>\n",
            trace, score_count(counts, "agrees"), unsupported,
            score_compared(counts) == 0 ? "<skipped message=\"every case is unsupported\"/>" : "");
    write_cases(json_object_get(report, "failures"), trace, false, out);
    write_cases(json_object_get(report, "known"), trace, true, out);
    fputs(" </testsuite>\n", out);
}

void score_print_junit(const void *report, FILE *out)
{
    const char *trace;
    json_t *counts;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"", out);
    score_escape(score_text(report, "program"), out);
    fputs("\">\n", out);
    json_object_foreach(json_object_get(report, "traces"), trace, counts) write_suite(report, trace, counts, out);
    fputs("</testsuites>\n", out);
}
