// SPDX-License-Identifier: MIT
// From the events that a timeline variant writes to rows of spans: the producer, each stage, the tensor cores, each
// consumer.
#include <stdlib.h>
#include <string.h>

#include "gemm_gpu.h"

enum { WARPGROUPS = 1 + GEMM_CONSUMERS };

// The events of CTA 0, by warpgroup; those that did not happen have kind GEMM_EVENT_NONE.
struct events {
    struct gemm_event of[WARPGROUPS][GEMM_EVENTS];
};

static const char *const timelines[] = {
#define NAME(kernel, in, out, m, n, ...) "gemm_" #kernel "_" #in "_" #out "_" #m "x" #n,
    GEMM_PINGPONG_TIMELINES(NAME) GEMM_COOPERATIVE_TIMELINES(NAME) GEMM_SPLIT_K_TIMELINES(NAME)
#undef NAME
};

// --- The run ---------------------------------------------------------------------------------------------------------

static bool has_timeline(const char *name, struct text *why)
{
    struct text list = {""};
    for (size_t i = 0; i < sizeof timelines / sizeof timelines[0]; i++) {
        size_t used = strlen(list.at);
        if (strcmp(timelines[i], name) == 0) return true;
        snprintf(list.at + used, sizeof list.at - used, "%s%s", i > 0 ? ", " : "", timelines[i]);
    }
    text_set(why, "%s has no timeline; these have: %.300s", name, list.at);
    return false;
}

static int run(struct gpu *gpu, const struct gemm_case *c, struct events *events)
{
    char name[96];
    struct gemm_launch launch;
    struct gemm_call call;
    int error = gemm_upload(gpu, c, &call);
    if (error != CUDA_SUCCESS) return error;
    call.job.timeline_ctas = 1;
    call.job.timeline = gpu_buffer(gpu, GEMM_EXTRA_BUFFER, sizeof *events);
    if (call.job.timeline == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (gemm_launch_make(&call, gemm_sms(gpu, c), &launch) != RULE_OK) return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, sizeof name, "%s_timeline", call.instance->name);
    launch.launch.kernel = name;
    for (int i = 0; i < 2 && error == CUDA_SUCCESS; i++) { // the first one warms caches up
        memset(events, 0, sizeof *events);
        error = (int)gpu->driver.cuMemcpyHtoD_v2(call.job.timeline, events, sizeof *events);
        if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch.launch);
    }
    return error == CUDA_SUCCESS ? (int)gpu->driver.cuMemcpyDtoH_v2(events, call.job.timeline, sizeof *events) : error;
}

// --- Spans -----------------------------------------------------------------------------------------------------------

__attribute__((format(printf, 6, 7))) static int add(struct timeline *timeline, int row, enum timeline_kind kind,
                                                     uint64_t start, const struct gemm_event *end, const char *format,
                                                     ...)
{
    struct timeline_span span = {
        .row = row, .kind = kind, .tile = (int)end->tile, .stage = -1, .start = start, .end = end->end};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(span.name, sizeof span.name, format, arguments);
    va_end(arguments);
    if (end->kind != GEMM_EVENT_EPILOGUE && end->kind != GEMM_EVENT_ORDER) span.stage = (int)end->stage;
    return timeline_add(timeline, span);
}

static enum timeline_kind kind_of(int consumer)
{
    return consumer == 0 ? TIMELINE_FIRST : TIMELINE_SECOND;
}

static int add_producer(struct timeline *timeline, int row, const struct gemm_event *events)
{
    int ok = 1;
    for (int i = 0; i < GEMM_EVENTS; i++) {
        const struct gemm_event *e = &events[i];
        if (e->kind == GEMM_EVENT_ACQUIRE) ok &= add(timeline, row, TIMELINE_WAIT, e->start, e, "acquire %u", e->stage);
        if (e->kind == GEMM_EVENT_LOAD) ok &= add(timeline, row, TIMELINE_LOAD, e->start, e, "%u", e->stage);
    }
    return ok;
}

// Block by block: the wait for a stage, and its wgmma until those of the stage before are complete.
static int add_blocks(struct timeline *timeline, int row, int consumer, const struct gemm_event *events)
{
    int ok = 1;
    for (int i = 0; i < GEMM_EVENTS; i++) {
        const struct gemm_event *e = &events[i];
        if (e->kind == GEMM_EVENT_WAIT)
            ok &= add(timeline, row, TIMELINE_WAIT, e->start, e, "waits for stage %u", e->stage);
        if (e->kind == GEMM_EVENT_MULTIPLY) ok &= add(timeline, row, kind_of(consumer), e->start, e, "%u", e->stage);
    }
    return ok;
}

// The wait for its turn, and the epilogues. A turn's wait ends where the next event begins: the clock is read before
// the barrier (BAR.SYNC.DEFER_BLOCKING) holds the warp.
static int add_consumer(struct timeline *timeline, int row, const struct gemm_event *events)
{
    int ok = 1;
    for (int i = 0; i < GEMM_EVENTS; i++) {
        const struct gemm_event *e = &events[i];
        if (e->kind == GEMM_EVENT_ORDER && i + 1 < GEMM_EVENTS && e[1].kind != GEMM_EVENT_NONE) {
            struct gemm_event until = *e;
            until.end = e[1].start;
            ok &= add(timeline, row, TIMELINE_WAIT, e->start, &until, "waits for its turn");
        }
        if (e->kind == GEMM_EVENT_EPILOGUE)
            ok &= add(timeline, row, TIMELINE_EPILOGUE, e->start, e, "tile %u", e->tile);
    }
    return ok;
}

// From the first wgmma of a tile until its last stage is let go.
static int add_tiles(struct timeline *timeline, int row, int consumer, const struct gemm_event *events)
{
    uint64_t start = 0;
    int ok = 1;
    for (int i = 0; i + 1 < GEMM_EVENTS; i++) {
        const struct gemm_event *e = &events[i];
        if (e->kind == GEMM_EVENT_MULTIPLY && start == 0) start = e->start;
        if (e->kind != GEMM_EVENT_RELEASE || events[i + 1].kind != GEMM_EVENT_EPILOGUE) continue;
        if (start != 0) ok &= add(timeline, row, kind_of(consumer), start, e, "tile %u", e->tile);
        start = 0;
    }
    return ok;
}

// The next event of `kind` for `stage` at or behind index *at; NULL at the end.
static const struct gemm_event *next(const struct gemm_event *events, int *at, enum gemm_event_kind kind,
                                     uint32_t stage)
{
    for (; *at < GEMM_EVENTS; ++*at)
        if (events[*at].kind == kind && events[*at].stage == stage) return &events[(*at)++];
    return NULL;
}

// What happens to a stage: loads until a consumer has seen it full, then that consumer's until it lets it go. In
// ping-pong the consumers take turns, so their waits are merged by time; else both do the same, and the first is shown.
static int add_stage(struct timeline *timeline, int row, const struct events *events, uint32_t stage, int consumers)
{
    int load_at = 0, wait_at[GEMM_CONSUMERS] = {0}, release_at[GEMM_CONSUMERS] = {0}, ok = 1;
    const struct gemm_event *load, *wait[GEMM_CONSUMERS];
    for (int i = 0; i < consumers; i++) wait[i] = next(events->of[1 + i], &wait_at[i], GEMM_EVENT_WAIT, stage);
    while (ok && (load = next(events->of[0], &load_at, GEMM_EVENT_LOAD, stage)) != NULL) {
        int who = consumers > 1 && wait[1] != NULL && (wait[0] == NULL || wait[1]->end < wait[0]->end);
        if (wait[who] == NULL) break;
        const struct gemm_event *release = next(events->of[1 + who], &release_at[who], GEMM_EVENT_RELEASE, stage);
        ok &= add(timeline, row, TIMELINE_LOAD, load->start, wait[who], "load");
        if (release != NULL) ok &= add(timeline, row, kind_of(who), wait[who]->end, release, "tile %u", release->tile);
        wait[who] = next(events->of[1 + who], &wait_at[who], GEMM_EVENT_WAIT, stage);
    }
    return ok;
}

static int convert(const struct gemm_case *c, const struct events *events, struct timeline *timeline)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    int consumers = gemm_is_pingpong(i->kernel) ? GEMM_CONSUMERS : 1;
    int ok = add_producer(timeline, timeline_row(timeline, "producer (TMA)"), events->of[0]);
    for (uint32_t stage = 0; stage < c->stages; stage++)
        ok = ok && add_stage(timeline, timeline_row(timeline, "stage %u", stage), events, stage, consumers);
    int row = timeline_row(timeline, "tensor cores");
    for (int consumer = 0; consumer < consumers; consumer++)
        ok = ok && add_tiles(timeline, row, consumer, events->of[1 + consumer]);
    for (int consumer = 0; consumer < GEMM_CONSUMERS; consumer++) {
        row = timeline_row(timeline, "consumer %d", consumer);
        ok = ok && add_tiles(timeline, row, consumer, events->of[1 + consumer]) &&
             add_consumer(timeline, row, events->of[1 + consumer]);
    }
    timeline->drawn = timeline->rows;
    for (int consumer = 0; consumer < GEMM_CONSUMERS; consumer++)
        ok = ok && add_blocks(timeline, timeline_row(timeline, "consumer %d, by stage", consumer), consumer,
                              events->of[1 + consumer]);
    return ok;
}

int gemm_timeline(struct gpu *gpu, const void *test_case, struct timeline *timeline, struct text *why)
{
    const struct gemm_case *c = test_case;
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    static struct events events;
    if (!has_timeline(i->name, why)) return CUDA_ERROR_NOT_FOUND;
    int error = run(gpu, c, &events);
    if (error != CUDA_SUCCESS) return error;
    snprintf(timeline->title, sizeof timeline->title, "%s: what CTA 0 does when", i->name);
    snprintf(timeline->subtitle, sizeof timeline->subtitle,
             "m %u, n %u, k %u; %u stages of %u k, clusters of %u x %u; %.80s", c->m, c->n, c->k, c->stages,
             gemm_block_k(i->in), c->cluster_m, c->cluster_n, gpu->description);
    snprintf(timeline->unit, sizeof timeline->unit, "%s",
             gpu->driver.is_simulated ? "clocks of the machine: steps, not time" : "SM clocks");
    return convert(c, &events, timeline) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
