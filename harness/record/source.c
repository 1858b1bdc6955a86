// SPDX-License-Identifier: MIT
#include "source.h"

#include "edge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "progress.h"
#include "workers.h"

enum { FILL_SECONDS = 1, FINDS = 256 }; // FINDS: for each thread that looks for what a quota wants

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
    bool ok = json != NULL && family_read(source->family, json, test_case, &reason);
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
    family_generate(source->family, &random, test_case);
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
    return text_fail(why, "%sline %llu: %.250s", path, (unsigned long long)source->line, reason.at);
}

// Is it time to run what was found so far? Cases that break a rarely broken rule take long to find, and cases of whole
// kernels long to judge: neither is a reason to lose the others, or to run on for minutes where seconds were asked for.
static bool is_late(const struct source *source, int found, double start)
{
    double now = seconds_now();
    if (interrupted()) return true;
    if (source->quota == NULL) return source->until > 0 && found > 0 && now >= start + FILL_SECONDS;
    return source->until > 0 && now >= source->until;
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
    family_generate(source->family, &random, batch_case(making->batch, i));
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

// --- A quota ---------------------------------------------------------------------------------------------------------

// A case that a quota looks at. If it is wanted: whether there was time to look for its limit, so that it goes to a
// batch; the case at the limit and its neighbour, if they were found; and which of the two that break the rule goes on.
struct find {
    void *test_case, *edge_case, *near_case;
    uint64_t index;
    enum rule rule;
    bool is_wanted, is_placed, has_near, is_moved;
};

// Cases that were looked at side by side; those from `next` on wait for room in a batch.
struct finds {
    int next, count, most, wanted;
    double start;
    const struct source *source;
    uint8_t *cases;
    struct find find[];
};

static struct finds *finds_open(const struct source *source)
{
    const size_t case_bytes = source->family->case_bytes;
    const int jobs = source->jobs > 0 ? source->jobs : 1, cost = (int)source->family->cost;
    const int most = cost < FINDS ? jobs * FINDS / (cost > 0 ? cost : 1) : jobs;
    struct finds *finds = calloc(1, sizeof *finds + (size_t)most * sizeof finds->find[0]);
    if (finds != NULL) finds->cases = calloc(3 * (size_t)most, case_bytes);
    if (finds == NULL || finds->cases == NULL) return free(finds), NULL;
    finds->most = most;
    for (int i = 0; i < most; i++) {
        uint8_t *at = finds->cases + 3 * (size_t)i * case_bytes;
        finds->find[i] =
            (struct find){at, at + case_bytes, at + 2 * case_bytes, 0, RULE_OK, false, false, false, false};
    }
    return finds;
}

void source_close(struct source *source)
{
    if (source->finds != NULL) free(source->finds->cases);
    free(source->finds);
    source->finds = NULL;
}

static void judge_find(int i, void *of)
{
    struct finds *finds = of;
    const struct source *source = finds->source;
    struct find *find = &finds->find[i];
    struct random random = random_for(source->seed, find->index);
    if (source->lines == NULL) family_generate(source->family, &random, find->test_case);
    find->rule = family_rule(source->family, find->test_case);
}

// Number `i` of those that are wanted.
static void search_edge(int i, void *of)
{
    struct finds *finds = of;
    struct find *find = finds->find;
    while (!find->is_wanted || i-- > 0) find++;
    if (is_late(finds->source, 0, finds->start)) return;
    find->is_placed = true;
    find->has_near = edge_find(finds->source->family, find->test_case, find->rule, find->edge_case, find->near_case);
}

// Does the quota want one more that breaks the rule? Every second one is moved to the limit.
static void want(struct quota *quota, struct find *find)
{
    find->is_placed = find->has_near = false;
    find->is_wanted = family_is_fatal(find->rule) && quota->taken[find->rule] < quota->each;
    if (find->is_wanted) find->is_moved = quota->taken[find->rule]++ % 2 != 0;
}

// Looks at the next cases of the source. Returns source_next()'s status after the last of them.
static int take_finds(struct source *source, struct finds *finds, struct text *why)
{
    int status = 1;
    finds->next = finds->count = finds->wanted = 0;
    finds->source = source;
    finds->start = seconds_now();
    while (status == 1 && finds->count < finds->most) {
        struct find *find = &finds->find[finds->count];
        status = source->next == source->end ? 0 : 1;
        if (source->lines != NULL)
            status = source_next(source, find->test_case, &find->index, why);
        else if (status == 1)
            find->index = source->next++;
        finds->count += status == 1;
    }
    if (status < 0) return status;
    threads_run(source->jobs, 0, finds->count, judge_find, finds);
    for (int i = 0; i < finds->count; i++) {
        want(source->quota, &finds->find[i]);
        finds->wanted += finds->find[i].is_wanted;
    }
    threads_run(source->jobs, 0, finds->wanted, search_edge, finds);
    return status;
}

// Puts a case behind the others of its kind, and runs it. 0 with `why` if there can be no room for its result.
static bool place(const struct source *source, struct batch *batch, struct fill *fill, const struct find *find,
                  bool is_near, struct text *why)
{
    const int i = batch->count;
    const void *from = is_near ? find->near_case : find->has_near && find->is_moved ? find->edge_case : find->test_case;
    memcpy(batch_case(batch, i), from, source->family->case_bytes);
    fill->index[i] = find->index;
    fill->near[i] = is_near ? find->rule : RULE_OK;
    if (!add_case(source, batch, why)) return false;
    batch_run(batch, i, 1);
    if (!family_is_fatal(batch_rule(batch, i))) swap_cases(batch, fill, fill->normal++, i, find->test_case);
    return true;
}

// Takes in the cases that a quota wants, each with its neighbour. Returns source_next()'s status.
static int fill_edges(struct source *source, struct batch *batch, struct fill *fill, void *scratch, struct text *why)
{
    struct finds *finds = source->finds;
    int status = 1;
    (void)scratch;
    if (finds == NULL && (finds = source->finds = finds_open(source)) == NULL)
        return text_set(why, "not enough memory"), -1;
    if (finds->next == finds->count && (status = take_finds(source, finds, why)) < 0) return status;
    for (; finds->next < finds->count && !batch_is_full(batch) && batch->count + 1 < BATCH_CASES; finds->next++) {
        struct find *find = &finds->find[finds->next];
        if (!find->is_placed) continue;
        if (!place(source, batch, fill, find, false, why)) return -1;
        if (find->has_near && !place(source, batch, fill, find, true, why)) return -1;
    }
    return finds->next < finds->count ? 1 : status;
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
        status = (source->quota != NULL ? fill_edges : fill_round)(source, batch, fill, scratch, why);
    free(scratch);
    batch->has_run = true;
    return status < 0 ? -1 : batch->count;
}
