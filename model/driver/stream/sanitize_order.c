// SPDX-License-Identifier: MIT
#include "sanitize_order.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "demangle.h"
#include "host_watch.h"
#include "look.h"
#include "who.h"
#include "work_graph.h"
#include "works.h"

static const char launch_mark[] = "kernel ";

static size_t tell_where(void *context, const struct look_work *work, char *text, size_t bytes)
{
    (void)context;
    if (work == NULL) return host_watch_tell(text, bytes);
    const bool is_launch = work->kind == LOOK_WORK_LAUNCH;
    return who_tell_launch(work->where, is_launch ? work->what + sizeof launch_mark - 1 : "", text, bytes);
}

static size_t tell_memory(void *context, uint64_t address, char *text, size_t bytes)
{
    return allocations_describe(&((struct driver *)context)->allocations, address, text, bytes);
}

static void hear_touched(void *context, uint64_t address, uint64_t bytes, uint32_t flags)
{
    host_watch_touch(context, address, bytes, flags);
}

struct history *sanitize_order_open(struct driver *driver)
{
    return look_works_begin(driver->look, &(struct look_works_names){driver, tell_where, tell_memory, hear_touched});
}

static void join(struct driver *driver, struct history_times *to, const struct history_times *from)
{
    if (!history_join(to, from)) driver->history->is_short = true;
}

// --- Works -----------------------------------------------------------------------------------------------------------

static uint32_t track_of(struct driver *driver, struct CUstream_st *stream)
{
    if (stream->track == 0) stream->track = history_track(driver->history) + 1;
    return stream->track - 1;
}

// The default stream of all threads is behind those that do not ask to be left out, and they are behind it.
static void gather(struct driver *driver, struct CUstream_st *stream)
{
    for (struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        const struct CUstream_st *other = (const struct CUstream_st *)object;
        if (other != stream && stream_is_behind(stream, other)) join(driver, &stream->times, &other->times);
    }
}

void sanitize_order_begin(struct driver *driver, struct turn *turn)
{
    if (driver->history == NULL) return;
    struct CUstream_st *stream = (struct CUstream_st *)(uintptr_t)turn->stream;
    gather(driver, stream);
    turn->times = &stream->times;
    turn->track = track_of(driver, stream);
}

static const char *name_of(enum graph_node_type type)
{
    return type == NODE_MEMCPY ? "copy" : type == NODE_MEMSET ? "fill" : type == NODE_MEM_FREE ? "free" : "allocation";
}

static struct look_work *describe(const struct CUstream_st *stream, const struct work *work)
{
    struct look_work *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->kind = work->type == NODE_KERNEL      ? LOOK_WORK_LAUNCH
                 : work->type == NODE_MEM_FREE  ? LOOK_WORK_FREES
                 : work->type == NODE_MEM_ALLOC ? LOOK_WORK_ALLOCATES
                                                : LOOK_WORK_OTHER;
    made->stream = stream_is_of_all(stream) ? 0 : stream->id;
    made->where = malloc(sizeof(struct who));
    if (made->where != NULL) *(struct who *)made->where = who_now();
    if (work->type == NODE_KERNEL) {
        const char *kernel = work->of.kernel.function->name;
        char name[DEMANGLED_BYTES];
        demangle_function(kernel, strlen(kernel), name, sizeof name);
        snprintf(made->what, sizeof made->what, "%s%.*s", launch_mark, (int)(sizeof made->what - sizeof launch_mark),
                 name);
    } else {
        snprintf(made->what, sizeof made->what, "%s", name_of(work->type));
    }
    return made;
}

static bool accesses(const struct work *work)
{
    return work->type == NODE_KERNEL || work->type == NODE_MEMCPY || work->type == NODE_MEMSET ||
           work->type == NODE_MEM_ALLOC || work->type == NODE_MEM_FREE;
}

static bool writes_words(const struct work *work)
{
    enum { WAIT_32 = 1, WAIT_64 = 4 };
    for (uint32_t i = 0; work->type == NODE_MEM_OPERATIONS && i < work->of.operations.count; i++)
        if (work->of.operations.at[i].operation != WAIT_32 && work->of.operations.at[i].operation != WAIT_64)
            return true;
    return false;
}

// A stream that waits for a word may be behind anything. A function of the host, and a word that is written, may tell
// the host that all in front is over.
void sanitize_order_submit(struct driver *driver, struct turn *turn, const struct work *work)
{
    if (driver->history == NULL || turn->times == NULL) return;
    turn->work = 0;
    if (work->type == NODE_EVENT_RECORD) {
        history_forget_times(&work->of.event->times);
        join(driver, &work->of.event->times, turn->times);
        join(driver, &work->of.event->times, &driver->history->host);
    }
    if (work->type == NODE_WAIT_EVENT && object_is(work->of.event, OBJECT_EVENT))
        join(driver, turn->times, &work->of.event->times);
    if (work->type == NODE_MEM_OPERATIONS) join(driver, turn->times, &driver->history->now);
    if (work->type == NODE_HOST || writes_words(work)) history_wait(driver->history, turn->times);
    if (!accesses(work)) return;
    struct look_work *made = describe(turn->stream, work);
    if (made != NULL) turn->work = history_begin(driver->history, turn->track, turn->times, made);
}

// --- What they access ------------------------------------------------------------------------------------------------

static void take(struct driver *driver, uint32_t number, uint64_t address, uint64_t bytes, uint32_t flags)
{
    history_range(driver->history, number, address, bytes, flags);
    host_watch_touch(driver, address, bytes, flags);
}

static void take_rows(struct driver *driver, uint32_t number, uint64_t at, const size_t pitch[2], const size_t size[3],
                      uint32_t flags)
{
    if (size[0] == 0 || allocations_find(&driver->allocations, at) == NULL) return; // the program's own memory
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++) take(driver, number, at + z * pitch[1] + y * pitch[0], size[0], flags);
}

static void take_memory(struct driver *driver, uint32_t number, uint64_t address)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (found != NULL) history_range(driver->history, number, found->address, found->size_bytes, SHADOW_WRITES);
}

void sanitize_order_run(struct driver *driver, const struct turn *turn, const struct work *work)
{
    driver->work_now = turn->work;
    if (driver->history == NULL || work->type == NODE_HOST) return; // that may touch what the host may
    host_watch_open(driver);
    if (turn->work == 0) return;
    if (work->type == NODE_MEMCPY) {
        const struct work_copy *copy = &work->of.copy;
        const size_t size[3] = {copy->width, copy->height, copy->depth};
        take_rows(driver, turn->work, copy->from, (const size_t[2]){copy->from_pitch, copy->from_slice}, size, 0);
        take_rows(driver, turn->work, copy->to, (const size_t[2]){copy->to_pitch, copy->to_slice}, size, SHADOW_WRITES);
    }
    if (work->type == NODE_MEMSET) {
        const struct work_set *set = &work->of.set;
        const size_t size[3] = {set->width * set->element_bytes, set->height, 1};
        take_rows(driver, turn->work, set->to, (const size_t[2]){set->pitch, 0}, size, SHADOW_WRITES);
    }
    if (work->type == NODE_MEM_FREE || work->type == NODE_MEM_ALLOC) take_memory(driver, turn->work, work->of.address);
}

// A fill of the host's memory, or of managed memory, is waited for, as CUDA's documents say.
static bool is_waited_for(const struct driver *driver, const struct work *work)
{
    if (work->type == NODE_MEMCPY) return copy_is_waited_for(driver, &work->of.copy);
    const struct allocation *found =
        work->type == NODE_MEMSET ? allocations_find(&driver->allocations, work->of.set.to) : NULL;
    return found != NULL && (found->kind == ALLOCATION_MANAGED || found->kind == ALLOCATION_PINNED);
}

void sanitize_order_over(struct driver *driver, const struct turn *turn, const struct work *work)
{
    driver->work_now = 0;
    if (driver->history == NULL) return;
    struct CUstream_st *stream = (struct CUstream_st *)(uintptr_t)turn->stream;
    const bool speaks = host_watch_close(driver), is_known = turn->work != 0 && turn->work <= driver->history->works;
    if (!is_known) return;
    if (work->type == NODE_KERNEL) join(driver, &stream->times, &driver->history->work[turn->work].behind);
    if (!speaks && !is_waited_for(driver, work)) return;
    history_wait(driver->history, &driver->history->work[turn->work].behind);
    host_watch_close(driver);
}

// --- Waits -----------------------------------------------------------------------------------------------------------

static void host_wait(struct driver *driver, const struct history_times *times)
{
    history_wait(driver->history, times);
    host_watch_close(driver);
}

void sanitize_order_wait(struct driver *driver, struct CUstream_st *stream)
{
    if (driver->history == NULL) return;
    if (stream != NULL && stream_is_of_all(stream)) gather(driver, stream);
    host_wait(driver, stream != NULL ? &stream->times : NULL);
}

void sanitize_order_wait_event(struct driver *driver, const struct CUevent_st *event)
{
    if (driver->history != NULL) host_wait(driver, &event->times);
}

void sanitize_order_behind(struct driver *driver, struct CUstream_st *stream, const struct CUevent_st *event)
{
    if (driver->history != NULL) join(driver, &stream->times, &event->times);
}

// --- Memory ----------------------------------------------------------------------------------------------------------

void sanitize_order_allocate(struct driver *driver, struct CUstream_st *stream, uint64_t address, uint64_t bytes)
{
    if (driver->history == NULL) return;
    history_forget(driver->history, address, bytes);
    if (stream == NULL) return;
    const struct work work = {NODE_MEM_ALLOC, {.address = address}};
    struct turn turn = {.stream = stream};
    sanitize_order_begin(driver, &turn);
    sanitize_order_submit(driver, &turn, &work);
    sanitize_order_run(driver, &turn, &work);
}

void sanitize_order_free(struct driver *driver, uint64_t address, uint64_t bytes)
{
    if (driver->history != NULL) history_range(driver->history, 0, address, bytes, SHADOW_WRITES);
}

// --- Graphs ----------------------------------------------------------------------------------------------------------

// before: behind what the launch is. One of `exec` is behind the others of it.
struct sanitize_graph {
    struct driver *driver;
    struct CUgraphExec_st *exec;
    const struct CUgraphExec_st *launched;
    uint32_t *track; // of each step
    struct history_times before, *step;
};

// Steps that come one behind the other share a track, as far as that goes.
static bool give_tracks(struct driver *driver, struct CUgraphExec_st *exec)
{
    const uint32_t steps = exec->count;
    if (exec->track != NULL) return true;
    exec->track = calloc(steps + 1u, sizeof *exec->track);
    uint8_t *has_next = calloc(steps + 1u, 1);
    for (uint32_t i = 0; exec->track != NULL && has_next != NULL && i < steps; i++) {
        const struct graph_step *step = &exec->step[i];
        uint32_t in_front = steps;
        for (uint32_t k = 0; k < step->behind_count; k++)
            if (step->behind[k].end > 0 && !has_next[step->behind[k].end - 1]) in_front = step->behind[k].end - 1;
        if (in_front < steps) has_next[in_front] = 1;
        exec->track[i] = in_front < steps ? exec->track[in_front] : history_track(driver->history);
    }
    free(has_next);
    return exec->track != NULL && has_next != NULL;
}

static void free_graph(struct sanitize_graph *graph)
{
    history_forget_times(&graph->before);
    free(graph->track);
    free(graph->step);
    free(graph);
}

struct sanitize_graph *sanitize_graph_begin(struct driver *driver, const struct turn *turn, struct CUgraphExec_st *exec,
                                            const struct CUgraphExec_st *launched)
{
    if (driver->history == NULL || turn->times == NULL || !give_tracks(driver, exec)) return NULL;
    struct sanitize_graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL) return NULL;
    *graph = (struct sanitize_graph){.driver = driver, .exec = exec, .launched = launched};
    graph->track = calloc(launched->count + 1u, sizeof *graph->track);
    graph->step = calloc(launched->count + 1u, sizeof *graph->step);
    if (graph->track == NULL || graph->step == NULL) {
        free_graph(graph);
        return NULL;
    }
    memcpy(graph->track, exec->track, launched->count * sizeof *graph->track);
    join(driver, &exec->times, turn->times);
    join(driver, &graph->before, &exec->times);
    return graph;
}

void sanitize_graph_step(struct sanitize_graph *graph, struct turn *turn, uint32_t step)
{
    if (graph == NULL) return;
    struct history_times *times = &graph->step[step];
    const struct graph_step *at = &graph->launched->step[step];
    join(graph->driver, times, &graph->before);
    for (uint32_t k = 0; k < at->behind_count; k++)
        for (uint32_t i = at->behind[k].first; i < at->behind[k].end; i++) join(graph->driver, times, &graph->step[i]);
    turn->times = times;
    turn->track = graph->track[step];
}

void sanitize_graph_end(struct sanitize_graph *graph, struct turn *turn)
{
    if (graph == NULL) return;
    struct CUstream_st *stream = (struct CUstream_st *)(uintptr_t)turn->stream;
    for (uint32_t i = 0; i < graph->launched->count; i++) {
        join(graph->driver, &stream->times, &graph->step[i]);
        history_forget_times(&graph->step[i]);
    }
    if (object_is(graph->exec, OBJECT_GRAPH_EXEC)) join(graph->driver, &graph->exec->times, &stream->times);
    turn->times = &stream->times;
    free_graph(graph);
}
