// SPDX-License-Identifier: MIT
// The report as text, as JSON, and what fails as expectations.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "score.h"
#include "score_print.h"

enum { MOST_TOLD = 10, MOST_REASONS = 10, MOST_FEATURES = 5 };

uint64_t score_count(const json_t *of, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(of, key));
}

uint64_t score_compared(const json_t *of)
{
    return score_count(of, "cases") - score_count(of, score_verdict_names[SCORE_UNSUPPORTED]);
}

double score_percent(const json_t *of)
{
    const uint64_t compared = score_compared(of);
    return compared > 0 ? 100.0 * (double)score_count(of, score_verdict_names[SCORE_AGREES]) / (double)compared : 0;
}

const char *score_text(const json_t *of, const char *key)
{
    const char *value = json_string_value(json_object_get(of, key));
    return value != NULL ? value : "";
}

static void print_row(const char *name, const json_t *counts, FILE *out)
{
    fprintf(out, "%-14s %8" PRIu64, name, score_count(counts, "cases"));
    for (int i = 0; i < SCORE_VERDICTS; i++) fprintf(out, " %11" PRIu64, score_count(counts, score_verdict_names[i]));
    fprintf(out, " %8" PRIu64, score_count(counts, "known"));
    if (score_compared(counts) > 0)
        fprintf(out, " %8.2f %%\n", score_percent(counts));
    else
        fprintf(out, " %10s\n", "-");
}

static void print_table(const json_t *report, FILE *out)
{
    const char *name;
    json_t *counts;
    fprintf(out, "%-14s %8s", "family", "cases");
    for (int i = 0; i < SCORE_VERDICTS; i++) fprintf(out, " %11s", score_verdict_names[i]);
    fprintf(out, " %8s %10s\n", "known", "agreement");
    json_object_foreach(json_object_get(report, "families"), name, counts) print_row(name, counts, out);
    print_row("all", json_object_get(report, "total"), out);
}

// Rules of which not every case agrees.
static void print_rules(const json_t *rules, FILE *out)
{
    const char *name;
    json_t *counts;
    bool is_first = true;
    json_object_foreach((json_t *)rules, name, counts)
    {
        if (score_compared(counts) == score_count(counts, "agrees")) continue;
        if (is_first) fprintf(out, "rules of which not every case agrees:\n");
        is_first = false;
        fprintf(out, "  %-28s %8" PRIu64 " of %8" PRIu64 " agree\n", name, score_count(counts, "agrees"),
                score_compared(counts));
    }
}

// A value of a feature: "swizzle 128B".
struct value {
    const char *axis, *name;
    const json_t *counts;
};

static int by_percent(const void *a, const void *b)
{
    const double one = score_percent(((const struct value *)a)->counts);
    const double other = score_percent(((const struct value *)b)->counts);
    return (one > other) - (one < other);
}

// The values of features that agree least: what they have in common is where to look.
static void print_features(const json_t *features, FILE *out)
{
    enum { MOST_VALUES = 256 };
    struct value value[MOST_VALUES];
    const char *axis, *name;
    json_t *values, *counts;
    int count = 0;
    json_object_foreach((json_t *)features, axis, values) json_object_foreach(values, name, counts)
    {
        const bool is_failing = score_compared(counts) > score_count(counts, "agrees");
        if (is_failing && count < MOST_VALUES) value[count++] = (struct value){axis, name, counts};
    }
    qsort(value, (size_t)count, sizeof value[0], by_percent);
    if (count > 0) fprintf(out, "features that agree least:\n");
    for (int i = 0; i < count && i < MOST_FEATURES; i++)
        fprintf(out, "  %-11s %-16s %8" PRIu64 " of %8" PRIu64 " agree\n", value[i].axis, value[i].name,
                score_count(value[i].counts, "agrees"), score_compared(value[i].counts));
}

static void print_entries(const json_t *list, const char *title, FILE *out)
{
    size_t i;
    json_t *entry;
    if (json_array_size(list) > 0) fprintf(out, "%s:\n", title);
    json_array_foreach((json_t *)list, i, entry) fprintf(out, "  %s %s %s\n", score_text(entry, "case"),
                                                         score_text(entry, "verdict"), score_text(entry, "reason"));
}

static void print_failures(const json_t *list, FILE *out)
{
    size_t i;
    json_t *failure;
    json_array_foreach((json_t *)list, i, failure)
    {
        if (i == MOST_TOLD) break;
        fprintf(out, "%s %s: %s%s", score_text(failure, "case"), score_text(failure, "verdict"),
                score_text(failure, "why"), strchr(score_text(failure, "why"), '\n') != NULL ? "" : "\n");
    }
    if (json_array_size(list) > MOST_TOLD)
        fprintf(out, "... and %zu more failures; --html, --junit and --json have all\n",
                json_array_size(list) - MOST_TOLD);
}

static void print_unsupported(const json_t *reasons, FILE *out)
{
    const char *reason;
    json_t *counts;
    int told = 0;
    if (json_object_size(reasons) > 0) fprintf(out, "unsupported, by reason:\n");
    json_object_foreach((json_t *)reasons, reason, counts)
    {
        if (told++ == MOST_REASONS) break;
        fprintf(out, "  %8" PRIu64 " %s\n", score_count(counts, "cases"), reason);
    }
    if (json_object_size(reasons) > MOST_REASONS)
        fprintf(out, "  and %zu other reasons\n", json_object_size(reasons) - MOST_REASONS);
}

void score_print_text(const void *report, FILE *out)
{
    print_failures(json_object_get(report, "failures"), out);
    fprintf(out, "%s, by tmaref %s and its recordings of an H200\n", score_text(report, "program"),
            score_text(report, "version"));
    print_table(report, out);
    print_rules(json_object_get(report, "rules"), out);
    print_features(json_object_get(report, "features"), out);
    print_unsupported(json_object_get(report, "unsupported"), out);
    print_entries(json_object_get(report, "fixed"), "unexpectedly agrees: take these lines out of the expectations",
                  out);
    print_entries(json_object_get(report, "stale"), "stale: no case of this run fits these lines of the expectations",
                  out);
    const json_t *shards = json_object_get(report, "shards");
    if (json_integer_value(json_array_get(shards, 0)) < json_integer_value(json_array_get(shards, 1)))
        fprintf(out, "%lld of %lld shards: tmaref merge adds the others\n",
                json_integer_value(json_array_get(shards, 0)), json_integer_value(json_array_get(shards, 1)));
}

void score_print_json(const void *report, FILE *out)
{
    json_dumpf(report, out, JSON_INDENT(1));
    fputc('\n', out);
}

void score_print_expectations(const void *report, FILE *out)
{
    static const char *const lists[] = {"known", "failures", NULL};
    fprintf(out, "# CASE VERDICT REASON: failures of %s that are known, with tmaref %s\n",
            score_text(report, "program"), score_text(report, "version"));
    for (int of = 0; lists[of] != NULL; of++) {
        size_t i;
        json_t *entry;
        json_array_foreach(json_object_get(report, lists[of]), i, entry)
        {
            const char *reason = of == 0 ? score_text(entry, "reason") : score_text(entry, "rule");
            fprintf(out, "%s %s %s\n", score_text(entry, "case"), score_text(entry, "verdict"),
                    reason[0] != '\0' ? reason : "not looked at yet");
        }
    }
}
