// SPDX-License-Identifier: MIT
// From a schedule under which a program fails to the fewest delays that make it fail. A list of delays is tried as a
// file; who needs fewer of them is found by leaving out parts of the list, ever smaller ones (ddmin).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "explore.h"

enum { NAME_BYTES = 512, MOST_LINES = 1 << 20 };
static const char head[] = "tmaref delays 1\n";

// The lines of a list, "weak" among them.
struct list {
    char **line;
    uint32_t count;
};

struct reduction {
    const struct explore_plan *plan;
    struct explore_result *result;
    char from[NAME_BYTES], to[NAME_BYTES]; // files: the list that is tried, what became of it
    uint64_t left;                         // runs
    bool is_over;
};

static void free_list(struct list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->line[i]);
    free(list->line);
    *list = (struct list){NULL, 0};
}

static void add_line(struct list *list, const char *line)
{
    if (list->count == MOST_LINES) return;
    char *copy = strdup(line);
    if (copy != NULL && !ARRAY_ADD(list->line, list->count, copy)) free(copy);
}

// The delays that a run has written, without what stands behind them.
static struct list read_list(const char *path)
{
    struct list list = {NULL, 0};
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    bool is_head = true;
    while (file != NULL && getline(&line, &room, file) > 0) {
        line[strcspn(line, "#\n")] = '\0';
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ') line[--length] = '\0';
        if (!is_head && length > 0) add_line(&list, line);
        is_head = false;
    }
    if (file != NULL) fclose(file);
    free(line);
    return list;
}

// Writes the lines of which keep[i] is not 0; keep NULL: all.
static bool write_list(const char *path, const struct list *list, const uint8_t *keep)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fputs(head, file);
    for (uint32_t i = 0; i < list->count; i++)
        if (keep == NULL || keep[i]) fprintf(file, "%s\n", list->line[i]);
    return fclose(file) == 0;
}

// Does a run with that schedule fail as the one that was found? Other failures do not count.
static bool fails(struct reduction *reduction, const struct explore_how *how)
{
    static struct explore_end end;
    struct text why;
    struct explore_result *result = reduction->result;
    if (reduction->left == 0 || explore_is_stopped()) {
        reduction->is_over = true;
        return false;
    }
    reduction->left--;
    result->reduced.runs++;
    if (!explore_run(&reduction->plan->program, how, &end, &why)) return false;
    return explore_verdict(reduction->plan, &result->first, &end) == result->verdict &&
           end.status == result->end.status;
}

static bool list_fails(struct reduction *reduction, const struct list *list, const uint8_t *keep)
{
    const struct explore_how how = {
        .schedule = EXPLORE_DELAY, .delays = reduction->from, .write_delays = reduction->to};
    return write_list(reduction->from, list, keep) && fails(reduction, &how);
}

// --- A list that fails -----------------------------------------------------------------------------------------------

// The first of some short lists that fails: the lines of each end with a space.
static const char *const short_lists[] = {
    "weak",         "1 operations",         "weak,1 operations",         "1 warps",
    "weak,1 warps", "2 warps,1 operations", "weak,1 warps,2 operations",
};
enum { SHORT_LISTS = sizeof short_lists / sizeof short_lists[0] };

static struct list split(const char *text)
{
    struct list list = {NULL, 0};
    char line[EXPLORE_LINE_BYTES];
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        add_line(&list, line);
        text += length + (text[length] == ',');
    }
    return list;
}

// Tries the short lists. One that fails is replaced by the delays that it came to.
static bool find_short(struct reduction *reduction, struct list *found)
{
    for (int i = 0; i < SHORT_LISTS; i++) {
        struct list list = split(short_lists[i]);
        const bool is_it = list_fails(reduction, &list, NULL);
        free_list(&list);
        if (!is_it) continue;
        *found = read_list(reduction->to);
        if (found->count > 0) return true;
        *found = split(short_lists[i]); // "weak" alone delays nobody
        return true;
    }
    return false;
}

// What a run with PCT came to. 0 if it does not fail.
static bool find_drawn(struct reduction *reduction, const struct explore_how *how, struct list *found)
{
    struct explore_how again = *how;
    again.write_delays = reduction->to;
    if (!fails(reduction, &again)) return false;
    *found = read_list(reduction->to);
    if (list_fails(reduction, found, NULL)) return true;
    free_list(found);
    return false;
}

// A list for a failure of another schedule than PCT: seeds of PCT are tried too.
static bool find_any(struct reduction *reduction, struct list *found)
{
    enum { SEEDS = 32 };
    for (uint64_t seed = 0; seed < SEEDS && !reduction->is_over; seed++) {
        const struct explore_how how = {.schedule = EXPLORE_PCT,
                                        .seed = seed,
                                        .depth = reduction->plan->depth,
                                        .steps = reduction->result->failed.steps};
        if (find_drawn(reduction, &how, found)) return true;
    }
    return false;
}

// --- The fewest lines of it ------------------------------------------------------------------------------------------

static uint32_t count_kept(const uint8_t *keep, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) kept += keep[i] != 0;
    return kept;
}

// Leaves out lines `from` to `to` of those that are kept, and says whether it still fails; if not, they are back.
static bool leave_out(struct reduction *reduction, const struct list *list, uint8_t *keep, uint32_t from, uint32_t to)
{
    uint8_t *tried = malloc(list->count);
    uint32_t number = 0;
    if (tried == NULL) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        tried[i] = keep[i];
        if (keep[i] && number >= from && number < to) tried[i] = 0;
        number += keep[i] != 0;
    }
    const bool is_less = list_fails(reduction, list, tried);
    if (is_less) memcpy(keep, tried, list->count);
    free(tried);
    return is_less;
}

// Parts of half of the lines, then of a quarter, down to single ones, as long as one can be left out.
static void minimise(struct reduction *reduction, const struct list *list, uint8_t *keep)
{
    uint32_t size = (count_kept(keep, list->count) + 1) / 2;
    bool has_left_out = true;
    while (size > 0 && (size > 1 || has_left_out) && !reduction->is_over) {
        has_left_out = false;
        for (uint32_t from = 0; from < count_kept(keep, list->count) && !reduction->is_over;) {
            const bool is_less = leave_out(reduction, list, keep, from, from + size);
            has_left_out |= is_less;
            if (!is_less) from += size;
        }
        if (size == 1) continue;
        size = (size + 1) / 2;
        has_left_out = true; // single ones are tried at least once
    }
}

// A warp that is late from its start is late at many steps that do not matter: puts each delay of a warp as far behind
// as it still makes the program fail.
static void put_behind(struct reduction *reduction, struct list *list, const uint8_t *keep, uint64_t most)
{
    for (uint32_t i = 0; i < list->count; i++) {
        char *behind = keep[i] ? strstr(list->line[i], " after ") : NULL;
        if (behind == NULL || most == 0) continue;
        char *was = list->line[i];
        uint64_t good = strtoull(behind + strlen(" after "), NULL, 10), bad = most + 1;
        while (good + 1 < bad && !reduction->is_over) {
            const uint64_t middle = good + (bad - good) / 2;
            char line[EXPLORE_LINE_BYTES];
            snprintf(line, sizeof line, "%.*s after %llu", (int)(behind - was), was, (unsigned long long)middle);
            list->line[i] = line;
            *(list_fails(reduction, list, keep) ? &good : &bad) = middle;
        }
        list->line[i] = was;
        if (asprintf(&list->line[i], "%.*s after %llu", (int)(behind - was), was, (unsigned long long)good) < 0)
            list->line[i] = was;
        else
            free(was);
    }
}

// --- What is told of it ----------------------------------------------------------------------------------------------

// Reads the delays, where they began and whom they let go on, from what the last run has written.
static void read_told(const char *path, struct explore_reduced *reduced)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && getline(&line, &room, file) > 0) {
        char *comment = strstr(line, " # at ");
        unsigned long long level, of;
        int end = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "# past %20llu: %n", &level, &end) == 1 && end > 0) {
            for (uint32_t i = 0; i < reduced->delays && i < EXPLORE_MOST_DELAYS; i++) {
                struct explore_delay *delay = &reduced->delay[i];
                if (sscanf(delay->text, "%20llu", &of) != 1 || of != level || delay->pasts == EXPLORE_MOST_PAST)
                    continue;
                snprintf(delay->past[delay->pasts++], EXPLORE_LINE_BYTES, "%s", line + end);
                break;
            }
        } else if (comment != NULL) {
            *comment = '\0';
            if (reduced->delays++ >= EXPLORE_MOST_DELAYS) continue;
            snprintf(reduced->delay[reduced->delays - 1].text, EXPLORE_LINE_BYTES, "%s", line);
            snprintf(reduced->delay[reduced->delays - 1].at, EXPLORE_LINE_BYTES, "%s", comment + strlen(" # at "));
        } else {
            reduced->is_weak |= strcmp(line, "weak") == 0;
        }
    }
    if (file != NULL) fclose(file);
    free(line);
}

static void finish(struct reduction *reduction, const struct list *list, const uint8_t *keep)
{
    struct explore_reduced *reduced = &reduction->result->reduced;
    const bool is_over = reduction->is_over;
    reduced->is_least = !is_over;
    reduction->left = 1;
    reduction->is_over = false;
    if (!list_fails(reduction, list, keep)) return;
    read_told(reduction->to, reduced);
    for (uint32_t i = 0; i < list->count; i++)
        if (keep[i] && strcmp(list->line[i], "weak") == 0) reduced->is_weak = true;
    reduced->is_found = reduction->plan->keep == NULL || write_list(reduction->plan->keep, list, keep);
    if (!reduced->is_found)
        fprintf(stderr, "tmaref explore: cannot write %s: %s\n", reduction->plan->keep, strerror(errno));
}

static void reduce(struct reduction *reduction)
{
    const struct explore_how *failed = &reduction->result->failed;
    struct list list = {NULL, 0};
    reduction->result->reduced.is_repeated = fails(reduction, failed);
    if (!reduction->result->reduced.is_repeated) return;
    if (failed->schedule == EXPLORE_DELAY) list = read_list(failed->delays);
    const bool is_found =
        list.count > 0 || find_short(reduction, &list) ||
        (failed->schedule == EXPLORE_PCT ? find_drawn(reduction, failed, &list) : find_any(reduction, &list));
    uint8_t *keep = is_found ? malloc(list.count + 1) : NULL;
    if (keep != NULL) {
        memset(keep, 1, list.count);
        minimise(reduction, &list, keep);
        put_behind(reduction, &list, keep, explore_steps(reduction->to));
        finish(reduction, &list, keep);
    }
    free(keep);
    free_list(&list);
}

void explore_reduce(const struct explore_plan *plan, struct explore_result *result)
{
    struct reduction reduction = {.plan = plan, .result = result, .left = plan->reduce};
    const int from = explore_scratch("tmaref_delays", reduction.from, sizeof reduction.from);
    const int to = explore_scratch("tmaref_delayed", reduction.to, sizeof reduction.to);
    if (from >= 0 && to >= 0) reduce(&reduction);
    if (from >= 0) close(from), unlink(reduction.from);
    if (to >= 0) close(to), unlink(reduction.to);
}
