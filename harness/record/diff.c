// SPDX-License-Identifier: MIT
#include "diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "progress.h"
#include "rule_most.h"

static bool result_same(const struct family *family, const void *test_case, const struct result *expected,
                        const struct result *found)
{
    if (!result_ends_agree(expected, found) || expected->windows != found->windows) return false;
    if (!result_rules_agree(expected, found)) return false;
    for (int i = 0; i < expected->windows; i++)
        if (!family_windows_agree(family, test_case, &expected->window[i], &found->window[i])) return false;
    return true;
}

bool result_agrees(const struct family *family, const void *test_case, const struct result *expected,
                   const struct result *found)
{
    if (family->varies == NULL || !family->varies(test_case)) return result_same(family, test_case, expected, found);
    return family->is_legal(test_case, expected) && family->is_legal(test_case, found);
}

void verdict_text(const struct result *result, struct text *text)
{
    const char *name = result->status > 0 ? cuda_error_name(result->status) : NULL;
    const char *rule = result->rule != RULE_OK ? rule_row(result->rule)->id : NULL;
    const char *lead = rule != NULL ? ", rule " : "";
    if (result->end != RESULT_ANSWERED)
        text_set(text, "%s: %.400s", result_end_name(result->end), result->told);
    else if (result->status == 0)
        text_set(text, "accepted");
    else if (result->late.waits > 0)
        text_set(text,
                 "%s (%d): %" PRIu32 " threads gave up waiting; the first is thread %" PRIu32 " of CTA %" PRIu32
                 ", which waited for parity %" PRIu32 " of the mbarrier at shared address 0x%" PRIx32,
                 name, result->status, result->late.waits, result->late.thread, result->late.cta, result->late.parity,
                 result->late.barrier);
    else if (result->status < 0)
        text_set(text, "process killed by signal %d%s%s", -result->status, lead, rule != NULL ? rule : "");
    else
        text_set(text, "%s (%d)%s%s", name != NULL ? name : "CUDA error", result->status, lead,
                 rule != NULL ? rule : "");
}

void diff_print(const struct family *family, uint64_t index, const void *test_case, const struct result *expected,
                const struct result *found, FILE *out)
{
    struct text a, b;
    json_t *json = family_write(family, test_case);
    char *line = json_dumps(json, JSON_COMPACT);
    verdict_text(expected, &a);
    verdict_text(found, &b);
    fprintf(out, "mismatch: %s case %" PRIu64 "\n    %s\n    expected: %s\n    found:    %s\n", family->name, index,
            line != NULL ? line : "?", a.at, b.at);
    family_explain(family, test_case, expected, found, out);
    free(line);
    json_decref(json);
}

// The two sides of a comparison, with the same cases in both batches. The source fills the batch of side `judge`, the
// model's if there is one: it keeps what the model leaves.
struct sides {
    const struct executor *executor[2];
    struct batch batch[2];
    int judge;
    struct fill fill;
    double end;               // seconds_now() after which no fault is begun, 0: none
    uint64_t alone;           // faults of one batch that may be run in a process of their own
    uint64_t sure[RULE_MOST]; // faults of each rule that still are, though they were told of together
};

static bool run_faults(struct sides *sides, int side, int first, int count, struct apart apart, struct text *why)
{
    return count == 0 || sides->executor[side]->run_apart(&sides->batch[side], first, count, &apart, why);
}

// The first `normal` cases together, then `faults` cases apart.
static bool run_both(struct sides *sides, int normal, int faults, struct text *why)
{
    const struct apart together = {.together = true, .alone = sides->alone, .end = sides->end};
    for (int side = 0; side < 2; side++) {
        const struct executor *executor = sides->executor[side];
        if (normal > 0 && !executor->run(&sides->batch[side], 0, normal, why)) return false;
        if (!run_faults(sides, side, normal, faults, together, why)) return false;
        for (int i = normal; i < normal + faults; i++) {
            struct result *result = &sides->batch[side].results[i];
            result->status = executor_status(sides->executor[!side], result->status);
        }
    }
    return true;
}

// A fault that was told of together with others is seen again alone before it counts as a mismatch; and of those that
// are one of two errors the first of each rule.
static bool run_again(struct sides *sides, int normal, int faults, struct text *why)
{
    const struct apart alone = {.alone = 1, .end = sides->end};
    for (int i = normal; i < normal + faults; i++) {
        const struct result *expected = &sides->batch[0].results[i], *found = &sides->batch[1].results[i];
        uint64_t *sure = &sides->sure[batch_rule(&sides->batch[sides->judge], i)];
        bool is_either = found->or_status != 0 && *sure > 0;
        if (found->is_open || (result_ends_agree(expected, found) && !is_either)) continue;
        *sure -= (uint64_t)is_either;
        if (!run_faults(sides, 1, i, 1, alone, why)) return false;
    }
    return true;
}

// The rule that a case counts for.
static struct rule_tally *rule_of(struct sides *sides, int i, struct tally *tally)
{
    enum rule near = sides->fill.near[i];
    return &tally->rule[near != RULE_OK ? near : batch_rule(&sides->batch[sides->judge], i)];
}

static void count_case(struct sides *sides, int i, struct tally *tally)
{
    struct rule_tally *rule = rule_of(sides, i, tally);
    tally->cases++;
    rule->near += sides->fill.near[i] != RULE_OK;
    if (i < sides->fill.normal) return;
    tally->faults++;
    rule->faults++;
    rule->either += sides->batch[1].results[i].or_status != 0;
}

// Does what both leave agree, as far as both executors have what it rests on?
static bool case_agrees(const struct sides *sides, int i)
{
    const struct family *family = sides->batch[0].family;
    const void *test_case = batch_case(&sides->batch[0], i);
    struct result *expected = &sides->batch[0].results[i], *found = &sides->batch[1].results[i];
    bool lacks =
        executor_lacks(sides->executor[0], family, test_case) || executor_lacks(sides->executor[1], family, test_case);
    if (lacks && expected->status == 0 && found->status == 0) {
        if (family->grounded == 0) return true;
        family_open_grounded(family, expected);
    }
    return result_agrees(family, test_case, expected, found);
}

// Compares the cases that ran; the first `print` mismatches are told.
static void compare(struct sides *sides, int count, uint64_t print_cap, FILE *out, struct tally *tally)
{
    for (int i = 0; i < count; i++) {
        const struct result *expected = &sides->batch[0].results[i], *found = &sides->batch[1].results[i];
        const bool is_unsupported = found->end == RESULT_UNSUPPORTED || expected->end == RESULT_UNSUPPORTED;
        tally->left_out += found->is_open != 0;
        tally->unsupported += is_unsupported && !found->is_open;
        if (found->is_open || is_unsupported) continue;
        count_case(sides, i, tally);
        if (case_agrees(sides, i)) continue;
        rule_of(sides, i, tally)->mismatches++;
        if (tally->mismatches++ < print_cap)
            diff_print(sides->batch[0].family, sides->fill.index[i], batch_case(&sides->batch[0], i), expected, found,
                       out);
    }
}

static bool diff_batch(struct sides *sides, const struct diff_limits *limits, struct tally *tally, int *ran,
                       struct text *why)
{
    int count = sides->batch[sides->judge].count, normal = sides->fill.normal, faults = count - normal;
    if (tally->faults + (uint64_t)faults > limits->faults) faults = (int)(limits->faults - tally->faults);
    batch_copy(&sides->batch[!sides->judge], &sides->batch[sides->judge]);
    for (int side = 0; side < 2; side++) batch_prepare_for(&sides->batch[side], sides->executor[side]);
    if (!run_both(sides, normal, faults, why) || !run_again(sides, normal, faults, why)) return false;
    tally->left_out += (uint64_t)(count - normal - faults);
    *ran = normal + faults;
    return true;
}

static bool diff_all(struct sides *sides, struct source *source, const struct diff_limits *limits, FILE *out,
                     struct tally *tally, struct text *why)
{
    struct progress progress =
        progress_start(source->family->name, source->lines == NULL ? source->end - source->next : 0);
    double end = limits->seconds > 0 ? seconds_now() + limits->seconds : 0;
    sides->end = source->until = end;
    int count = 0, ran;
    bool ok = 1;
    while (ok && (count = source_fill(source, &sides->batch[sides->judge], &sides->fill, why)) > 0) {
        ok = diff_batch(sides, limits, tally, &ran, why);
        if (ok) compare(sides, ran, limits->printed, out, tally);
        progress_add(&progress, (uint64_t)count);
        if (interrupted() || (end > 0 && seconds_now() >= end)) break;
    }
    tally->interrupted = interrupted();
    tally->not_begun = source_left(source);
    progress_end(&progress);
    return ok && count >= 0;
}

bool diff_run(struct source *source, const struct executor *expected, const struct executor *found,
              const struct diff_limits *limits, FILE *out, struct tally *tally, struct text *why)
{
    struct sides *sides = calloc(1, sizeof *sides);
    double start = seconds_now();
    *tally = (struct tally){0};
    if (sides == NULL || !batch_open(&sides->batch[0], source->family) ||
        !batch_open(&sides->batch[1], source->family)) {
        text_set(why, "not enough memory for a batch of cases");
        free(sides);
        return false;
    }
    sides->executor[0] = expected;
    sides->executor[1] = found;
    sides->judge = found == &executor_model;
    sides->alone = limits->alone;
    for (int side = 0; side < 2; side++) sides->batch[side].jobs = source->jobs;
    for (int i = 0; i < rule_count(); i++) sides->sure[i] = limits->sure;
    bool ok = expected->open(&sides->batch[0], why) && found->open(&sides->batch[1], why) &&
              diff_all(sides, source, limits, out, tally, why);
    for (int side = 0; side < 2; side++) {
        sides->executor[side]->close();
        batch_close(&sides->batch[side]);
    }
    free(sides);
    tally->seconds = seconds_now() - start;
    return ok;
}
