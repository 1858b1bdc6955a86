// SPDX-License-Identifier: MIT
#include "gpu_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuda_abi.h"
#include "schedules.h"

enum { ALONE = -1, SHARED = 0 }; // keys; others are rules
enum { MOST_TRIES = 4 };         // launches that tell nothing before the driver is taken for one that writes no dumps
enum { WORTH_TELLING = 3 };      // a launch that tells of fewer takes longer than their processes would

// The cases of one launch, side by side. It stays open from batch to batch of one family.
static struct batch launch;
static int tries; // in a row that told nothing, -1 once one has told something

static int open_launch(const struct batch *batch, struct text *why)
{
    if (launch.family == batch->family) return 1;
    gpu_together_close();
    if (batch_open(&launch, batch->family)) return 1;
    return text_fail(why, "not enough memory for a batch of cases");
}

void gpu_together_close(void)
{
    if (launch.family != NULL) batch_close(&launch);
}

// Which cases may share a launch. Where the memory of some is not mapped and others fault in the SM, the driver writes
// no dump: 700 goes by the rule. Cases that are not predicted to fault share none.
static int key_of(struct batch *batch, int i)
{
    enum rule rule = batch_rule(batch, i);
    if (!family_is_fatal(rule)) return ALONE;
    return rule_cuda_error(rule) == CUDA_ERROR_ILLEGAL_ADDRESS ? (int)rule : SHARED;
}

// Fills the launch with open cases of one key, the first one's; member[] says which they are. Returns how many.
static int gather(const struct batch *batch, int first, int count, const int *keys, int *member)
{
    struct text unused;
    int key = ALONE;
    batch_clear(&launch);
    for (int i = first; i < first + count && !batch_is_full(&launch); i++) {
        if (!batch->results[i].is_open || keys[i - first] == ALONE) continue;
        if (key == ALONE) key = keys[i - first];
        if (keys[i - first] != key) continue;
        memcpy(batch_case(&launch, launch.count), batch_case(batch, i), batch->family->case_bytes);
        member[launch.count] = i;
        if (!batch_add(&launch, &unused)) break;
    }
    batch_prepare(&launch);
    return launch.count;
}

// One launch in a child of its own. Returns how many cases the dump tells of, or -1 with `why`.
static int run_launch(int seconds, struct text *why)
{
    char path[64];
    int told = 0;
    struct gpu_child child;
    struct gpu_greeting greeting;
    const struct gpu_order order = {&launch, 0, launch.count, SCHEDULE_NONE, false};
    snprintf(path, sizeof path, "/tmp/tmaref-core-%ld", (long)getpid());
    if (!gpu_child_start(&child, path, why) || !gpu_child_greets(&child, GPU_START_SECONDS, &greeting, why)) return -1;
    int came = gpu_child_order(&child, &order) ? gpu_child_answers(&child, seconds, &told) : GPU_CAME_END;
    gpu_child_end(&child, true);
    unlink(path);
    return came == GPU_CAME_MESSAGE ? told : 0;
}

// What the launch tells goes to the batch.
static void keep_told(struct batch *batch, const int *member)
{
    for (int i = 0; i < launch.count; i++) {
        struct result *result = &batch->results[member[i]];
        if (launch.results[i].status == 0) continue;
        *result = result_at(result->first_bytes);
        result->status = launch.results[i].status;
        result->or_status = launch.results[i].or_status;
    }
}

bool gpu_together_run(struct batch *batch, int first, int count, const struct apart *apart, int seconds,
                      struct text *why)
{
    static int keys[BATCH_CASES], member[BATCH_CASES];
    if (batch->family->kernels == NULL) return true;
    if (!open_launch(batch, why)) return false;
    for (int i = 0; i < count; i++) keys[i] = key_of(batch, first + i);
    while (tries < MOST_TRIES && !apart_is_over(apart) && gather(batch, first, count, keys, member) > 0) {
        int told = run_launch(seconds, why);
        if (told < 0) return false;
        if (told > 0) tries = -1;
        if (told == 0 && tries >= 0) tries++;
        keep_told(batch, member);
        for (int i = 0; i < launch.count && told < WORTH_TELLING; i++) keys[member[i] - first] = ALONE;
    }
    return true;
}
