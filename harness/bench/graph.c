// SPDX-License-Identifier: MIT
#include "graph.h"

#include "cuda.h"

// Of a graph of graph_time(), which takes about HURRY_MS: so many that small inputs rotate as in a contest. With fewer
// they would stay in the L2 cache.
enum { MOST_STARTS = 64 };
static const double HURRY_MS = 0.4;

int graph_open(struct bench *bench, struct text *why)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#define TIMED(name, ...)                                                                                               \
    if (library == NULL || !symbol_find(library, #name, &bench->graphs->name)) {                                       \
        text_set(why, "the CUDA driver is too old: it has no " #name);                                                 \
        return 0;                                                                                                      \
    }
#include "made_calls.def"
    if (bench->graphs->cuStreamCreate(&bench->gpu.stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) return 1;
    return text_fail(why, "cuStreamCreate failed");
}

int graph_capture(struct bench *bench, const struct contest *contest, const struct bench_side *side, int starts,
                  int *set, struct CUgraphExec_st **graph)
{
    struct graph_driver *call = bench->graphs;
    struct CUgraph_st *captured = NULL;
    *graph = NULL;
    int error = (int)call->cuStreamBeginCapture_v2(bench->gpu.stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (error != CUDA_SUCCESS) return error;
    for (int i = 0; i < starts && error == CUDA_SUCCESS; i++) {
        if (contest->before != NULL) error = contest->before(bench);
        if (error == CUDA_SUCCESS) error = side->start(bench, contest->context, *set);
        *set = (*set + 1) % contest->sets;
    }
    int ended = (int)call->cuStreamEndCapture(bench->gpu.stream, &captured);
    if (error == CUDA_SUCCESS) error = ended;
    if (error == CUDA_SUCCESS) error = (int)call->cuGraphInstantiateWithFlags(graph, captured, 0);
    if (captured != NULL) call->cuGraphDestroy(captured);
    return error;
}

void graph_free(struct bench *bench, struct CUgraphExec_st *graph)
{
    if (graph != NULL) bench->graphs->cuGraphExecDestroy(graph);
}

// Times a graph of `starts` starts; where there is none yet, one start of the side by itself.
static int time_starts(struct bench *bench, const struct contest *contest, const struct bench_side *side,
                       struct CUgraphExec_st *graph, int starts, double *ms)
{
    const struct cuda_driver *call = &bench->gpu.driver;
    float elapsed = 0;
    int error = (int)call->cuEventRecord(bench->event[0], bench->gpu.stream);
    if (error == CUDA_SUCCESS)
        error = graph == NULL ? side->start(bench, contest->context, 0)
                              : (int)bench->graphs->cuGraphLaunch(graph, bench->gpu.stream);
    if (error == CUDA_SUCCESS) error = (int)call->cuEventRecord(bench->event[1], bench->gpu.stream);
    if (error == CUDA_SUCCESS) error = (int)bench->graphs->cuStreamSynchronize(bench->gpu.stream);
    if (error == CUDA_SUCCESS) error = (int)call->cuEventElapsedTime_v2(&elapsed, bench->event[0], bench->event[1]);
    *ms = (double)elapsed / starts - (graph != NULL ? contest->before_ms : 0);
    return error;
}

int graph_time(struct bench *bench, const struct contest *contest, const struct bench_side *side, double give_up_ms,
               double *ms)
{
    struct CUgraphExec_st *graph = NULL;
    double once;
    int set = 0, error = time_starts(bench, contest, side, NULL, 1, ms);
    if (error != CUDA_SUCCESS || (*ms > give_up_ms && *ms > 1)) return error;
    int starts = *ms * (double)MOST_STARTS < HURRY_MS ? MOST_STARTS : (int)(HURRY_MS / *ms) + 2;
    if (starts > MOST_STARTS) starts = MOST_STARTS;
    error = graph_capture(bench, contest, side, starts, &set, &graph);
    if (error == CUDA_SUCCESS) error = time_starts(bench, contest, side, graph, starts, ms);
    for (int i = 0; i < 2 && error == CUDA_SUCCESS && *ms <= give_up_ms; i++) {
        error = time_starts(bench, contest, side, graph, starts, &once);
        if (once < *ms) *ms = once;
    }
    graph_free(bench, graph);
    return error;
}
