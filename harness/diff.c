// SPDX-License-Identifier: MIT
#include "diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "json.h"
#include "progress.h"

static int result_same(const struct result *expected, const struct result *found)
{
    if (expected->status != found->status || expected->windows != found->windows) return 0;
    for (int i = 0; i < expected->windows; i++) {
        const struct window *a = &expected->window[i], *b = &found->window[i];
        if (a->base != b->base || a->size_bytes != b->size_bytes) return 0;
        if (!a->is_open && memcmp(a->bytes, b->bytes, a->size_bytes) != 0) return 0;
    }
    return 1;
}

int result_agrees(const struct family *family, const void *test_case, const struct result *expected,
                  const struct result *found)
{
    if (family->varies == NULL || !family->varies(test_case)) return result_same(expected, found);
    return family->is_legal(test_case, expected) && family->is_legal(test_case, found);
}

void verdict_text(const struct result *result, struct text *text)
{
    const char *name = result->status > 0 ? cuda_error_name(result->status) : NULL;
    const char *rule = result->rule != RULE_OK ? rule_row(result->rule)->id : NULL;
    const char *lead = rule != NULL ? ", rule " : "";
    if (result->status == 0)
        text_set(text, "accepted");
    else if (result->late.waits > 0)
        text_set(text,
                 "%s (%d): %" PRIu32 " threads waited in vain, the first of them thread %" PRIu32 " of CTA %" PRIu32
                 " for parity %" PRIu32 " of the mbarrier at shared address 0x%" PRIx32,
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
    json_t *json = family->write(test_case);
    char *line = json_dumps(json, JSON_COMPACT);
    verdict_text(expected, &a);
    verdict_text(found, &b);
    fprintf(out, "mismatch: %s case %" PRIu64 "\n    %s\n    expected: %s\n    found:    %s\n", family->name, index,
            line != NULL ? line : "?", a.at, b.at);
    family->explain(test_case, expected, found, out);
    free(line);
    json_decref(json);
}

json_t *result_write(const struct result *result)
{
    json_t *json = json_object();
    json_object_set_new(json, "status", json_integer(result->status));
    if (result->rule != RULE_OK) json_object_set_new(json, "rule", json_string(rule_row(result->rule)->id));
    for (int i = 0; i < result->windows; i++) {
        const struct window *window = &result->window[i];
        json_t *bytes = json_object();
        json_object_set_new(bytes, "base", json_u64(window->base));
        json_object_set_new(bytes, "bytes", json_hex(window->bytes, window->size_bytes));
        json_object_set_new(json, window->name, bytes);
    }
    return json;
}

// The two sides of a comparison, with the same cases in both batches.
struct sides {
    const struct executor *executor[2];
    struct batch batch[2];
    struct fill fill;
};

static int run_both(struct sides *sides, int first, int count, struct text *why)
{
    for (int side = 0; side < 2; side++)
        if (count > 0 && !sides->executor[side]->run(&sides->batch[side], first, count, why)) return 0;
    return 1;
}

// Compares the cases that ran; the first `print` mismatches are told.
static void compare(struct sides *sides, int count, uint64_t print_cap, FILE *out, struct tally *tally)
{
    for (int i = 0; i < count; i++) {
        const struct result *expected = &sides->batch[0].results[i], *found = &sides->batch[1].results[i];
        tally->cases++;
        if (result_agrees(sides->batch[0].family, batch_case(&sides->batch[0], i), expected, found)) continue;
        if (tally->mismatches++ < print_cap)
            diff_print(sides->batch[0].family, sides->fill.index[i], batch_case(&sides->batch[0], i), expected, found,
                       out);
    }
}

static int diff_batch(struct sides *sides, const struct diff_limits *limits, struct tally *tally, int *ran,
                      struct text *why)
{
    int count = sides->batch[0].count, faults = count - sides->fill.normal;
    if (tally->faults + (uint64_t)faults > limits->faults) faults = (int)(limits->faults - tally->faults);
    batch_copy(&sides->batch[1], &sides->batch[0]);
    for (int side = 0; side < 2; side++) batch_prepare(&sides->batch[side]);
    if (!run_both(sides, 0, sides->fill.normal, why)) return 0;
    for (int i = 0; i < faults; i++)
        if (!run_both(sides, sides->fill.normal + i, 1, why)) return 0;
    tally->faults += (uint64_t)faults;
    tally->left_out += (uint64_t)(count - sides->fill.normal - faults);
    *ran = sides->fill.normal + faults;
    return 1;
}

static int diff_all(struct sides *sides, struct source *source, const struct diff_limits *limits, FILE *out,
                    struct tally *tally, struct text *why)
{
    struct progress progress =
        progress_start(source->family->name, source->lines == NULL ? source->end - source->next : 0);
    double end = limits->seconds > 0 ? seconds_now() + limits->seconds : 0;
    int count = 0, ran, ok = 1;
    while (ok && (count = source_fill(source, &sides->batch[0], &sides->fill, why)) > 0) {
        ok = diff_batch(sides, limits, tally, &ran, why);
        if (ok) compare(sides, ran, limits->printed, out, tally);
        progress_add(&progress, (uint64_t)count);
        tally->interrupted = interrupted();
        if (!tally->interrupted && (end == 0 || seconds_now() < end)) continue;
        tally->not_begun = source->lines == NULL ? source->end - source->next : 0;
        count = 0;
        break;
    }
    progress_end(&progress);
    return ok && count == 0;
}

int diff_run(struct source *source, const struct executor *expected, const struct executor *found,
             const struct diff_limits *limits, FILE *out, struct tally *tally, struct text *why)
{
    struct sides *sides = calloc(1, sizeof *sides);
    double start = seconds_now();
    *tally = (struct tally){0};
    if (sides == NULL || !batch_open(&sides->batch[0], source->family) ||
        !batch_open(&sides->batch[1], source->family)) {
        text_set(why, "not enough memory for a batch of cases");
        free(sides);
        return 0;
    }
    sides->executor[0] = expected;
    sides->executor[1] = found;
    int ok = expected->open(&sides->batch[0], why) && found->open(&sides->batch[1], why) &&
             diff_all(sides, source, limits, out, tally, why);
    for (int side = 0; side < 2; side++) {
        sides->executor[side]->close();
        batch_close(&sides->batch[side]);
    }
    free(sides);
    tally->seconds = seconds_now() - start;
    return ok;
}
