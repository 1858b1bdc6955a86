// SPDX-License-Identifier: MIT
#include "source.h"

#include "edge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "side_by_side.h"

enum { FILL_SECONDS = 1 };

// Cuts the next line that is not blank out of the text; NULL at the end.
static char *next_line(struct source *source)
{
    while (source->lines != NULL && *source->lines != '\0') {
        char *line = source->lines, *end = strchr(line, '\n');
        source->lines = end == NULL ? line + strlen(line) : end + 1;
        if (end != NULL) *end = '\0';
        source->line++;
        if (line[strspn(line, " \t\r")] != '\0') return line;
    }
    return NULL;
}

// "cases.jsonl: " in front of a complaint, or nothing.
static void name_path(const struct source *source, char *text, size_t text_bytes)
{
    text[0] = '\0';
    if (source->path != NULL) snprintf(text, text_bytes, "%s: ", source->path);
}

static int read_case(struct source *source, const char *line, void *test_case, struct text *why)
{
    json_error_t error;
    struct text reason;
    char path[200];
    name_path(source, path, sizeof path);
    json_t *json = json_parse(line, strlen(line), &error);
    int ok = json != NULL && family_read(source->family, json, test_case, &reason);
    if (json == NULL)
        text_set(why, "%sline %llu: %s (column %d)", path, (unsigned long long)source->line, error.text, error.column);
    else if (!ok)
        text_set(why, "%sline %llu: %.250s", path, (unsigned long long)source->line, reason.at);
    json_decref(json);
    return ok ? 1 : -1;
}

int source_next(struct source *source, void *test_case, uint64_t *index, struct text *why)
{
    if (source->next == source->end) return 0;
    if (source->lines != NULL) {
        const char *line = next_line(source);
        *index = source->line;
        source->next++;
        return line == NULL ? 0 : read_case(source, line, test_case, why);
    }
    *index = source->next++;
    struct random random = random_for(source->seed, *index);
    source->family->generate(&random, test_case);
    return 1;
}

uint64_t source_left(const struct source *source)
{
    uint64_t left = 0;
    if (source->lines == NULL) return source->end - source->next;
    for (const char *line = source->lines; *line != '\0' && left < source->end - source->next;) {
        const char *end = strchrnul(line, '\n');
        left += line + strspn(line, " \t\r") < end;
        line = *end == '\n' ? end + 1 : end;
    }
    return left;
}

static void swap_cases(struct batch *batch, struct fill *fill, int i, int j, void *scratch)
{
    uint64_t index = fill->index[i];
    enum rule near = fill->near[i];
    batch_swap(batch, i, j, scratch);
    fill->index[i] = fill->index[j];
    fill->near[i] = fill->near[j];
    fill->index[j] = index;
    fill->near[j] = near;
}

// Counts in the case that was read last. 0 with `why` if there can be no room for its result.
static int add_case(const struct source *source, struct batch *batch, struct text *why)
{
    struct text reason;
    char path[200];
    if (batch_add(batch, &reason)) return 1;
    name_path(source, path, sizeof path);
    text_set(why, "%sline %llu: %.250s", path, (unsigned long long)source->line, reason.at);
    return 0;
}

// Counts in the case behind the last one and runs it. 0 with `why` if there can be no room for its result.
static int judge_case(const struct source *source, struct batch *batch, enum rule *rule, struct text *why)
{
    if (!add_case(source, batch, why)) return 0;
    batch_run(batch, batch->count - 1, 1);
    *rule = batch_rule(batch, batch->count - 1);
    return 1;
}

// The case that was judged last goes before all that are fatal if it is not.
static void place_case(struct batch *batch, struct fill *fill, enum rule rule, void *scratch)
{
    if (!family_is_fatal(rule)) swap_cases(batch, fill, fill->normal++, batch->count - 1, scratch);
}

// The case that was judged last becomes the one in `edge`, which breaks the same rule.
static int move_to_edge(const struct source *source, struct batch *batch, const void *edge, struct text *why)
{
    enum rule rule;
    batch_drop_last(batch);
    memcpy(batch_case(batch, batch->count), edge, source->family->case_bytes);
    return judge_case(source, batch, &rule, why);
}

// Turns the case that was judged last into what the quota wants: nothing, or the case and its neighbour at the limit.
static int place_edge(struct source *source, struct batch *batch, struct fill *fill, enum rule rule, void *scratch,
                      struct text *why)
{
    const struct family *family = source->family;
    int i = batch->count - 1;
    void *near = batch_case(batch, i + 1);
    if (!family_is_fatal(rule) || source->quota->taken[rule] == source->quota->each) {
        batch_drop_last(batch);
        return 1;
    }
    int has_near = edge_find(family, batch_case(batch, i), rule, scratch, near);
    int is_moved = has_near && source->quota->taken[rule] % 2 != 0;
    source->quota->taken[rule]++;
    fill->index[i + 1] = fill->index[i];
    if (is_moved && !move_to_edge(source, batch, scratch, why)) return 0;
    if (!has_near) return 1;
    fill->near[i + 1] = rule;
    if (!judge_case(source, batch, &rule, why)) return 0;
    place_case(batch, fill, rule, scratch);
    return 1;
}

// Is it time to run what was found so far? Cases that break a rarely broken rule take long to find, and cases of whole
// kernels long to judge: neither is a reason to lose the others, or to run on for minutes where seconds were asked for.
static int is_late(const struct source *source, int found, double start)
{
    double now = seconds_now();
    if (interrupted()) return 1;
    if (source->quota == NULL) return source->until > 0 && found > 0 && now >= start + FILL_SECONDS;
    return source->until > 0 && now >= source->until;
}

// Takes the next case for a quota. Returns source_next()'s status.
static int fill_edge(struct source *source, struct batch *batch, struct fill *fill, void *scratch, struct text *why)
{
    enum rule rule;
    int i = batch->count, status = source_next(source, batch_case(batch, i), &fill->index[i], why);
    fill->near[i] = RULE_OK;
    if (status != 1) return status;
    return judge_case(source, batch, &rule, why) && place_edge(source, batch, fill, rule, scratch, why) ? 1 : -1;
}

// The next cases of a generator, which are made side by side behind those of the batch.
struct making {
    const struct source *source;
    const struct batch *batch;
};

static void make_case(int i, void *of)
{
    const struct making *making = of;
    const struct source *source = making->source;
    struct random random = random_for(source->seed, source->next + (uint64_t)(i - making->batch->count));
    source->family->generate(&random, batch_case(making->batch, i));
}

// Takes in up to `most` cases, which have not run. Returns source_next()'s status after the last of them.
static int take_cases(struct source *source, struct batch *batch, struct fill *fill, int most, struct text *why)
{
    struct making making = {source, batch};
    if (source->end - source->next < (uint64_t)most) most = (int)(source->end - source->next);
    if (source->lines == NULL) threads_run(batch->jobs, batch->count, batch->count + most, make_case, &making);
    for (int status, i = batch->count, end = i + most; i < end && !batch_is_full(batch); i++) {
        status = 1;
        fill->near[i] = RULE_OK;
        if (source->lines == NULL)
            fill->index[i] = source->next++;
        else
            status = source_next(source, batch_case(batch, i), &fill->index[i], why);
        if (status == 1 && !add_case(source, batch, why)) status = -1;
        if (status != 1) return status;
    }
    return most > 0;
}

// Takes in a round of cases, runs them side by side, and puts them in order: fewer where a case is much work, so that
// is_late() is asked in time.
static int fill_round(struct source *source, struct batch *batch, struct fill *fill, void *scratch, struct text *why)
{
    const int first = batch->count, room = BATCH_CASES - 1 - first, cost = (int)source->family->cost;
    int most = cost > 1 ? BATCH_CASES / cost : room, status;
    if (most < batch->jobs) most = batch->jobs;
    status = take_cases(source, batch, fill, most < room ? most : room, why);
    batch_run(batch, first, batch->count - first);
    for (int i = first; i < batch->count; i++)
        if (!family_is_fatal(batch_rule(batch, i))) swap_cases(batch, fill, fill->normal++, i, scratch);
    return status;
}

int source_fill(struct source *source, struct batch *batch, struct fill *fill, struct text *why)
{
    void *scratch = malloc(batch->family->case_bytes);
    double start = seconds_now();
    batch_clear(batch);
    batch->jobs = source->jobs;
    fill->normal = 0;
    int status = scratch == NULL ? -1 : 1;
    if (scratch == NULL) text_set(why, "not enough memory");
    while (status == 1 && !batch_is_full(batch) && batch->count + 1 < BATCH_CASES &&
           !is_late(source, batch->count, start))
        status = (source->quota != NULL ? fill_edge : fill_round)(source, batch, fill, scratch, why);
    free(scratch);
    batch->has_run = 1;
    return status < 0 ? -1 : batch->count;
}
