// SPDX-License-Identifier: MIT
#include "trace_batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedules.h"

static void clear(struct trace_batch *cases)
{
    for (int i = 0; i < cases->batch.count; i++) json_decref(cases->entry[i].json);
    batch_clear(&cases->batch);
}

// A trace while it is read: `cases` of it up to now, of which some are chosen.
struct reading {
    struct trace_text trace;
    const struct trace_choice *choice;
    uint64_t cases;
};

// Is the next case one of the sample and of the part?
static bool is_chosen(struct reading *reading)
{
    const struct trace_choice *choice = reading->choice;
    uint64_t sample = choice->sample, all = reading->trace.header.cases, i = reading->cases++;
    if (choice->parts > 1 && (i < all * choice->part / choice->parts || i >= all * (choice->part + 1) / choice->parts))
        return false;
    if (choice->skip != NULL && i < all && choice->skip[i]) return false;
    return sample == 0 || sample >= all || (i + 1) * sample / all != i * sample / all;
}

// The next chosen cases: how many, 0 at the end, -1 with `why` for a line that is none.
static int read_batch(struct trace_batch *cases, struct reading *reading, struct text *why)
{
    struct trace_text *trace = &reading->trace;
    struct batch *batch = &cases->batch;
    for (clear(cases); !batch_is_full(batch);) {
        struct text reason;
        int i = batch->count;
        char *line = lines_next(&trace->lines);
        if (line == NULL) return batch->count;
        if (!is_chosen(reading)) continue;
        cases->line[i] = trace->lines.number;
        if (trace_read(batch->family, line, batch_case(batch, i), &cases->entry[i], &reason) &&
            batch_add(batch, &reason))
            continue;
        text_set(why, "line %" PRIu64 ": %.400s", trace->lines.number, reason.at);
        json_decref(cases->entry[i].json);
        return -1;
    }
    return batch->count;
}

// Compares case `i` with its recording; defined below.
static bool agrees(const struct trace_batch *cases, int i, struct trace_difference *difference);

// A fault that was told of together with others, by a core dump, is seen again alone before it counts as a mismatch.
// The dump of an H200 says 719 or 715 of cases that end with 700 alone.
static int run_again(struct trace_batch *cases, int first, int end, struct text *why)
{
    struct apart alone = {.alone = UINT64_MAX};
    struct trace_difference unused;
    int ok = 1;
    for (int i = first; ok && i < end; i++)
        if (cases->entry[i].status != 0 && !agrees(cases, i, &unused))
            ok = cases->executor->run_apart(&cases->batch, i, 1, &alone, why);
    return ok;
}

// Runs the cases from `first` up to `end`, and shows them.
static int run_range(struct trace_batch *cases, int first, int end, const struct trace_run *run, struct text *why)
{
    const struct executor *executor = cases->executor;
    struct batch *batch = &cases->batch;
    struct apart apart = {.together = run->together, .alone = UINT64_MAX};
    int ok = 1;
    batch_prepare(batch);
    for (int from = first, last; ok && from < end; from = last) {
        bool fatal = cases->entry[from].status != 0;
        for (last = from + 1; last < end && (cases->entry[last].status != 0) == fatal;) last++;
        ok = fatal ? executor->run_apart(batch, from, last - from, &apart, why)
                   : executor->run(batch, from, last - from, why);
    }
    if (ok && run->together && executor != &executor_command) ok = run_again(cases, first, end, why);
    for (int i = first; i < end && ok; i++) ok = run->visit(cases, i, run->context);
    return ok;
}

// Under each pair of a schedule and a seed its part of the cases, or one of them where there are fewer than pairs.
static int run_shared_out(struct trace_batch *cases, int pairs, const struct trace_run *run, struct text *why)
{
    int count = cases->batch.count, ok = 1;
    for (int pair = 0; ok && pair < pairs; pair++) {
        int first = count >= pairs ? count * pair / pairs : pair % count;
        int end = count >= pairs ? count * (pair + 1) / pairs : first + 1;
        schedule_set(pair);
        ok = run_range(cases, first, end, run, why);
    }
    return ok;
}

// All cases of the batch under all that is chosen.
static int run_chosen(struct trace_batch *cases, const struct trace_run *run, struct text *why)
{
    const struct trace_choice *choice = &run->choice;
    int ok = 1;
    if (choice->schedules > 0) return run_shared_out(cases, (int)choice->schedules, run, why);
    if (choice->pairs == 0) return run_range(cases, 0, cases->batch.count, run, why);
    for (uint64_t pair = choice->first_pair; ok && pair < choice->first_pair + choice->pairs; pair++) {
        schedule_set((int)pair);
        ok = run_range(cases, 0, cases->batch.count, run, why);
    }
    return ok;
}

// Is every case there that the header promises?
static bool is_whole(const struct trace_header *header, uint64_t cases, struct text *why)
{
    if (cases != header->cases)
        text_set(why, "holds %" PRIu64 " cases, its header says %" PRIu64 ": cut short?", cases, header->cases);
    else if (cases == 0)
        text_set(why, "holds no case");
    else
        return true;
    return false;
}

static bool run_open(struct trace_batch *cases, struct reading *reading, const struct trace_run *run, struct text *why)
{
    int count = 0, ok = cases->executor->open(&cases->batch, why);
    while (ok && (count = read_batch(cases, reading, why)) > 0) ok = run_chosen(cases, run, why);
    cases->executor->close();
    return ok && count == 0 && is_whole(&reading->trace.header, reading->cases, why);
}

bool trace_run(const char *path, const struct trace_run *run, struct trace_header *header, struct text *why)
{
    struct reading reading = {.choice = &run->choice};
    struct text reason = {"not enough memory"};
    if (!trace_open(path, &reading.trace, why)) return false;
    *header = reading.trace.header;
    struct trace_batch *cases = calloc(1, sizeof *cases);
    bool ok = cases != NULL && batch_open(&cases->batch, header->family);
    if (ok) {
        cases->path = path;
        cases->executor = run->executor;
        ok = run_open(cases, &reading, run, &reason);
        clear(cases);
        batch_close(&cases->batch);
    }
    if (!ok) text_set(why, "%.200s: %.300s", path, reason.at);
    free(cases);
    trace_close(&reading.trace);
    return ok;
}

// What the family says of a recorded status, or of words that hold every byte.
static void explain_whole(const struct trace_entry *entry, const struct family *family, const void *test_case,
                          const struct result *found, FILE *out)
{
    uint8_t *bytes = calloc(1, family_result_bytes(family, test_case) + 64);
    struct result recorded = result_at(bytes);
    bool is_known = entry->status != found->status || found->told[0] != '\0';
    if (bytes != NULL && !is_known) is_known = family_restore(family, test_case, entry->text, &recorded);
    recorded.status = entry->status;
    if (bytes != NULL && is_known) family_explain(family, test_case, &recorded, found, out);
    free(bytes);
}

static void explain_difference(const struct trace_batch *cases, int i, const struct trace_difference *difference,
                               FILE *out)
{
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    const struct result *found = &cases->batch.results[i];
    if (difference->place.window == NULL)
        explain_whole(&cases->entry[i], family, test_case, found, out);
    else
        family_explain_place(family, test_case, found, &difference->place, out);
}

bool trace_batch_is_open(const struct trace_batch *cases, int i)
{
    return cases->entry[i].status == 0 &&
           executor_lacks(cases->executor, cases->batch.family, batch_case(&cases->batch, i));
}

// Does the simulated machine, or a command, say that the case broke another rule than the model says? A recording has
// no rules.
static bool names_another_rule(const struct trace_batch *cases, int i, struct trace_difference *difference)
{
    const struct result *found = &cases->batch.results[i];
    if (found->told[0] == '\0' && (cases->executor != &executor_command || found->rule == RULE_OK)) return false;
    const struct result model = {.rule = family_rule(cases->batch.family, batch_case(&cases->batch, i))};
    if (found->end != RESULT_ANSWERED || result_rules_agree(&model, found)) return false;
    text_set(&difference->text, "status %d as recorded, by rule %s for the model, by rule %s for the machine",
             found->status, rule_row(model.rule)->id, rule_row(found->rule)->id);
    return true;
}

static bool agrees(const struct trace_batch *cases, int i, struct trace_difference *difference)
{
    const struct result *result = &cases->batch.results[i];
    struct trace_entry entry = cases->entry[i];
    entry.status = executor_status(cases->executor, entry.status);
    struct result compared = *result;
    if (result->status != entry.status && entry.status > 0 && result->status > 0 &&
        family_may_end(cases->batch.family, batch_case(&cases->batch, i), entry.status, result->status))
        entry.status = result->status;
    if (trace_batch_is_open(cases, i) && result->status == entry.status) {
        if (cases->batch.family->grounded == 0) return true;
        family_open_grounded(cases->batch.family, &compared);
    }
    return trace_agrees(&entry, cases->batch.family, batch_case(&cases->batch, i), &compared, difference) &&
           !names_another_rule(cases, i, difference);
}

int trace_batch_agrees(const struct trace_batch *cases, int i, FILE *out)
{
    const struct family *family = cases->batch.family;
    const void *test_case = batch_case(&cases->batch, i);
    struct trace_difference difference;
    if (agrees(cases, i, &difference)) return 1;
    if (out == NULL) return 0;
    json_t *json = family_write(family, test_case);
    char *text = json_dumps(json, JSON_COMPACT);
    fprintf(out, "%s:%" PRIu64 ": %s\n    case %s\n", cases->path, cases->line[i], difference.text.at,
            text != NULL ? text : "?");
    if (cases->executor == &executor_sim) fprintf(out, "    schedule %s\n", schedule_text());
    explain_difference(cases, i, &difference, out);
    free(text);
    json_decref(json);
    return 0;
}
