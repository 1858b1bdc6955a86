// SPDX-License-Identifier: MIT
// The report as one HTML page that needs nothing else.
#include <inttypes.h>
#include <string.h>

#include "score.h"
#include "score_print.h"

enum { MOST_CASES = 1000 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\"><title>Conformance with an H200</title>\n<style>\n"
    "body{font:14px/1.5 system-ui,sans-serif;max-width:80em;margin:2em auto;padding:0 1em;color:#1d2733}\n"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse;margin:.6em 0}\n"
    "td,th{border:1px solid #cfd8e3;padding:.15em .5em;text-align:right;font-variant-numeric:tabular-nums}\n"
    "th{background:#eef2f7;font-weight:600}td:first-child,th:first-child{text-align:left}\n"
    ".all{background:#d9efd8}.some{background:#fdf0c4}.none{background:#f8d0cc}.not{color:#888}\n"
    "details{margin:.3em 0}summary{cursor:pointer}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f8fa;"
    "padding:.6em}\n.bar{display:inline-block;width:8em;height:.7em;background:#f8d0cc;margin-right:.5em}\n"
    ".bar i{display:block;height:100%;background:#5aa469}\n</style>\n";

static void write_row(const char *name, const json_t *counts, bool is_wide, FILE *out)
{
    const uint64_t compared = score_compared(counts), agree = score_count(counts, "agrees");
    const char *colour = compared == 0 ? "not" : agree == compared ? "all" : agree == 0 ? "none" : "some";
    fputs("<tr><td>", out);
    score_escape(name, out);
    fprintf(out, "<td>%" PRIu64, score_count(counts, "cases"));
    for (int i = 0; i < SCORE_VERDICTS; i++)
        if (is_wide || i == SCORE_AGREES || i == SCORE_UNSUPPORTED)
            fprintf(out, "<td>%" PRIu64, score_count(counts, score_verdict_names[i]));
    if (is_wide) fprintf(out, "<td>%" PRIu64, score_count(counts, "known"));
    fprintf(out, "<td class=%s>", colour);
    if (compared > 0)
        fprintf(out, "<span class=bar><i style=\"width:%.1f%%\"></i></span>%.2f %%", score_percent(counts),
                score_percent(counts));
    else
        fputs("not compared", out);
    fputs("</tr>\n", out);
}

static void write_table(const json_t *of, const char *what, const json_t *total, bool is_wide, FILE *out)
{
    const char *name;
    json_t *counts;
    fprintf(out, "<table><tr><th>%s<th>cases", what);
    for (int i = 0; i < SCORE_VERDICTS; i++)
        if (is_wide || i == SCORE_AGREES || i == SCORE_UNSUPPORTED) fprintf(out, "<th>%s", score_verdict_names[i]);
    fprintf(out, "%s<th>agreement</tr>\n", is_wide ? "<th>known" : "");
    json_object_foreach((json_t *)of, name, counts) write_row(name, counts, is_wide, out);
    if (total != NULL) write_row("all", total, is_wide, out);
    fputs("</table>\n", out);
}

static void write_cases(const json_t *list, const char *title, FILE *out)
{
    size_t i;
    json_t *entry;
    if (json_array_size(list) == 0) return;
    fprintf(out, "<h2>%s: %zu</h2>\n", title, json_array_size(list));
    json_array_foreach((json_t *)list, i, entry)
    {
        if (i == MOST_CASES) break;
        fprintf(out, "<details><summary><b>%s</b> %s ", score_text(entry, "case"), score_text(entry, "verdict"));
        score_escape(score_text(entry, "rule"), out);
        fputs(" ", out);
        score_escape(score_text(entry, "reason"), out);
        fputs("</summary><pre>", out);
        score_escape(score_text(entry, "why"), out);
        fputs("</pre></details>\n", out);
    }
    if (json_array_size(list) > MOST_CASES) fprintf(out, "<p>and %zu more</p>\n", json_array_size(list) - MOST_CASES);
}

static void write_entries(const json_t *list, const char *title, FILE *out)
{
    size_t i;
    json_t *entry;
    if (json_array_size(list) == 0) return;
    fprintf(out, "<h2>%s: %zu</h2>\n<pre>", title, json_array_size(list));
    json_array_foreach((json_t *)list, i, entry)
    {
        score_escape(score_text(entry, "case"), out);
        fprintf(out, " %s ", score_text(entry, "verdict"));
        score_escape(score_text(entry, "reason"), out);
        fputs("\n", out);
    }
    fputs("</pre>\n", out);
}

void score_print_html(const void *report, FILE *out)
{
    const char *name;
    json_t *values;
    fprintf(out, "%s<h1>Conformance with an H200</h1>\n<p><code>", head);
    score_escape(score_text(report, "program"), out);
    fprintf(out, "</code>, by tmaref %s and its recordings. Agreement is of the cases that were compared.</p>\n",
            score_text(report, "version"));
    write_table(json_object_get(report, "families"), "family", json_object_get(report, "total"), true, out);
    fputs("<h2>By feature</h2>\n", out);
    json_object_foreach(json_object_get(report, "features"), name, values) write_table(values, name, NULL, false, out);
    fputs("<h2>By rule</h2>\n", out);
    write_table(json_object_get(report, "rules"), "rule that the case breaks, or that decides what differs", NULL,
                false, out);
    write_cases(json_object_get(report, "failures"), "Failures", out);
    write_cases(json_object_get(report, "known"), "Known failures", out);
    write_entries(json_object_get(report, "fixed"), "Known failures that agree now", out);
    write_entries(json_object_get(report, "stale"), "Expectations that fit no case", out);
    fputs("<h2>Unsupported</h2>\n<table><tr><th>reason<th>cases</tr>\n", out);
    json_object_foreach(json_object_get(report, "unsupported"), name, values)
    {
        fputs("<tr><td>", out);
        score_escape(name, out);
        fprintf(out, "<td>%" PRIu64 "</tr>\n", score_count(values, "cases"));
    }
    fputs("</table>\n", out);
}
