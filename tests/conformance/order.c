// SPDX-License-Identifier: MIT
// The family order: order TRACE prints of each row what was recorded, and what the machine shows under LATE and
// SHUFFLED, and fails where the machine shows what the memory model forbids, or misses a row that an H200 showed. order
// --model FOLDER... asks the memory model of the litmus test that each row names.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "litmus_read.h"
#include "memory_model.h"
#include "order_case.h"
#include "trace_batch.h"

enum { MAX_TEST_BYTES = 1 << 16, SAMPLE = 320, PAIRS = 16 };

// --- The model -------------------------------------------------------------------------------------------------------

struct room {
    struct litmus test;
    struct model_work work;
    struct model_answer answer;
};

// Is the end of the test's question allowed? -1: the test is in none of the folders, or says why it is not read.
static int ask(struct room *room, const char *name, char **folders)
{
    struct text why = {""};
    char path[1024];
    const struct model_options options = {.question = MODEL_CLAIM};
    for (; *folders != NULL; folders++) {
        size_t bytes = 0;
        snprintf(path, sizeof path, "%s/%s.litmus", *folders, name);
        char *text = read_file(path, MAX_TEST_BYTES, &bytes, &why);
        if (text == NULL) continue;
        const bool is_read = litmus_read(path, text, bytes, &room->test, &why);
        free(text);
        if (!is_read) break;
        memory_model_ask(&room->test, &options, &room->work, &room->answer);
        return room->test.claim == CLAIM_NEVER ? !room->answer.holds : room->answer.holds;
    }
    printf("%s: %s\n", name, why.at);
    return -1;
}

static int check_model(char **folders)
{
    struct room *room = calloc(1, sizeof *room);
    int wrong = room == NULL;
    for (int i = 0; i < ORDER_TRY_COUNT && room != NULL; i++) {
        const int is_allowed = ask(room, order_rows[i].litmus, folders);
        if (is_allowed == order_rows[i].may_fail) continue;
        wrong++;
        printf("\"%s\": kernels/order_job.h says %s, the model of %s %s\n", order_rows[i].name,
               order_rows[i].may_fail ? "MAY" : "NEVER", order_rows[i].litmus,
               is_allowed < 0 ? "cannot be asked"
               : is_allowed   ? "allows it"
                              : "forbids it");
    }
    free(room);
    printf("%d rows, %d wrong\n", ORDER_TRY_COUNT, wrong);
    return wrong > 0;
}

// --- The machine -----------------------------------------------------------------------------------------------------

struct sums {
    uint64_t recorded_tries[ORDER_TRY_COUNT], recorded[ORDER_TRY_COUNT];
    uint64_t tries[ORDER_TRY_COUNT], found[ORDER_TRY_COUNT];
};

static int add_recorded(const struct trace_batch *cases, int i, void *context)
{
    struct sums *sums = context;
    const struct order_case *c = batch_case(&cases->batch, i);
    struct order_counts counts = {0, 0};
    uint8_t bytes[RESULT_ALIGNMENT];
    struct result result = result_at(bytes);
    if (family_restore(cases->batch.family, c, cases->entry[i].text, &result)) counts = order_counts_of(&result);
    sums->recorded_tries[c->what] += c->tries;
    sums->recorded[c->what] += counts.wrong;
    return 1;
}

static int add_found(const struct trace_batch *cases, int i, void *context)
{
    struct sums *sums = context;
    const struct order_case *c = batch_case(&cases->batch, i);
    if (cases->batch.results[i].windows != 1) return 0;
    sums->tries[c->what] += c->tries;
    sums->found[c->what] += order_counts_of(&cases->batch.results[i]).wrong;
    return trace_batch_agrees(cases, i, stdout);
}

static int check_trace(const char *path)
{
    static struct sums sums;
    struct trace_header header;
    struct text why = {""};
    const struct trace_run recorded = {.executor = &executor_model, .visit = add_recorded, .context = &sums};
    const struct trace_run shown = {.executor = &executor_sim,
                                    .choice = {.sample = SAMPLE, .schedules = PAIRS},
                                    .visit = add_found,
                                    .context = &sums};
    int wrong = 0;
    if (!trace_run(path, &recorded, &header, &why) || !trace_run(path, &shown, &header, &why)) {
        printf("%s\n", why.at);
        return 1;
    }
    printf("%-42s %-9s %20s %20s\n", "what", "model", "recorded", "machine");
    for (int i = 0; i < ORDER_TRY_COUNT; i++) {
        const bool is_missed = sums.recorded[i] > 0 && sums.found[i] == 0;
        wrong += is_missed;
        printf("%-42s %-9s %9" PRIu64 " of %7" PRIu64 " %9" PRIu64 " of %7" PRIu64 "%s\n", order_rows[i].name,
               order_rows[i].may_fail ? "allowed" : "forbidden", sums.recorded[i], sums.recorded_tries[i],
               sums.found[i], sums.tries[i], is_missed ? "  missed" : "");
    }
    return wrong > 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--model") == 0) return check_model(argv + 2);
    if (argc == 2) return check_trace(argv[1]);
    fprintf(stderr, "usage: order TRACE | order --model FOLDER...\n");
    return 2;
}
