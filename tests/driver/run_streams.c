// SPDX-License-Identifier: MIT
// Works of several streams, for the test of `tmaref exec --sanitize`. usage: run_streams FILE WORK...
// A work is a letter and the letter of its stream: A and B, which no default stream waits for, C, which it does, and L,
// the default one. The works use one buffer of the device, another that is written, and one of the host:
//   p c v a   kernels: produce, consume, release, acquire      m   fills the buffer with bytes
//   u         add, of two CTAs
//   x y       left, right, of four CTAs of 64 threads
//   d h k     copies the buffer into the other, into the host's; that of the host into it
//   n f       allocates the buffer, frees it
//   r w       records the event, waits for it                  s e D  the host waits: for the stream, the event, all
//   i l       call a function of the host; l: that does as R   [ ] begins to capture the stream; ends, and launches
//   z         calls one that says "begun" and takes a minute
//   R W F     the host reads the last word of its buffer, writes it, reads the first; H  copies half of the buffer into it
// It prints the first CUDA error.
#include <string.h>
#include <unistd.h>

#include "run.h"

enum { BUFFER_BYTES = 1024, STREAMS = 4, THREADS = 32 };

struct state {
    struct CUmod_st *module;
    struct CUstream_st *stream[STREAMS];
    struct CUevent_st *event;
    unsigned long long data, out;
    uint32_t *host;
};

static enum cuda_result launch(struct state *state, const char *kernel, uint32_t ctas, uint32_t threads,
                               struct CUstream_st *stream)
{
    struct CUfunc_st *function;
    void *parameter[] = {&state->data, &state->out};
    const enum cuda_result error = cuModuleGetFunction(&function, state->module, kernel);
    if (error != CUDA_SUCCESS) return error;
    return cuLaunchKernel(function, ctas, 1, 1, threads, 1, 1, 0, stream, parameter, NULL);
}

static void take_a_minute(void *user)
{
    (void)user;
    printf("begun\n");
    fflush(stdout);
    for (int i = 0; i < 60; i++) sleep(1);
}

static void nothing(void *user)
{
    (void)user;
}

static enum cuda_result launch_graph(struct CUstream_st *stream)
{
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    enum cuda_result error = cuStreamEndCapture(stream, &graph);
    if (error == CUDA_SUCCESS) error = cuGraphInstantiateWithFlags(&exec, graph, 0);
    return error == CUDA_SUCCESS ? cuGraphLaunch(exec, stream) : error;
}

static enum cuda_result touch(struct state *state, char what)
{
    volatile uint32_t *word = state->host + (what == 'F' ? 0 : BUFFER_BYTES / sizeof *state->host - 1);
    if (what == 'W')
        *word = 1;
    else
        (void)*word;
    return CUDA_SUCCESS;
}

static void look(void *user)
{
    touch(user, 'R');
}

static enum cuda_result work_of_memory(struct state *state, char what, struct CUstream_st *stream)
{
    switch (what) {
    case 'm':
        return cuMemsetD8Async(state->data, 1, BUFFER_BYTES, stream);
    case 'd':
        return cuMemcpyDtoDAsync_v2(state->out, state->data, BUFFER_BYTES, stream);
    case 'h':
        return cuMemcpyDtoHAsync_v2(state->host, state->data, BUFFER_BYTES, stream);
    case 'k':
        return cuMemcpyHtoDAsync_v2(state->data, state->host, BUFFER_BYTES, stream);
    case 'n':
        return cuMemAllocAsync(&state->data, BUFFER_BYTES, stream);
    case 'f':
        return cuMemFreeAsync(state->data, stream);
    case 'H':
        return cuMemcpyDtoHAsync_v2(state->host, state->data, BUFFER_BYTES / 2, stream);
    case 'R':
    case 'W':
    case 'F':
        return touch(state, what);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static enum cuda_result work(struct state *state, char what, struct CUstream_st *stream)
{
    static const char kernels[] = "pcvauxy", *const name[] = {"produce", "consume", "release", "acquire",
                                                              "add",     "left",    "right"};
    static const uint32_t ctas[] = {1, 1, 1, 1, 2, 4, 4};
    const char *kernel = strchr(kernels, what);
    if (kernel != NULL) {
        const uint32_t count = ctas[kernel - kernels];
        return launch(state, name[kernel - kernels], count, count > 2 ? 2 * THREADS : THREADS, stream);
    }
    switch (what) {
    case 'r':
        return cuEventRecord(state->event, stream);
    case 'w':
        return cuStreamWaitEvent(stream, state->event, 0);
    case 's':
        return cuStreamSynchronize(stream);
    case 'e':
        return cuEventSynchronize(state->event);
    case 'D':
        return cuCtxSynchronize();
    case 'i':
        return cuLaunchHostFunc(stream, nothing, NULL);
    case 'l':
        return cuLaunchHostFunc(stream, look, state);
    case 'z':
        return cuLaunchHostFunc(stream, take_a_minute, NULL);
    case '[':
        return cuStreamBeginCapture_v2(stream, 0);
    case ']':
        return launch_graph(stream);
    default:
        return work_of_memory(state, what, stream);
    }
}

static enum cuda_result prepare(struct state *state, const char *path)
{
    char *text = read_text(path);
    begin();
    must(cuModuleLoadData(&state->module, text), "module");
    enum cuda_result error = cuMemAlloc_v2(&state->data, BUFFER_BYTES);
    if (error == CUDA_SUCCESS) error = cuMemAlloc_v2(&state->out, BUFFER_BYTES);
    if (error == CUDA_SUCCESS) error = cuMemAllocHost_v2((void **)&state->host, BUFFER_BYTES);
    if (error == CUDA_SUCCESS) error = cuMemcpyHtoD_v2(state->data, state->host, BUFFER_BYTES); // somebody writes it
    if (error == CUDA_SUCCESS) error = cuEventCreate(&state->event, 0);
    for (int i = 0; i < 3 && error == CUDA_SUCCESS; i++) error = cuStreamCreate(&state->stream[i], i < 2);
    free(text);
    return error;
}

int main(int argc, char **argv)
{
    static struct state state;
    static const char streams[] = "ABCL";
    if (argc < 2) return 2;
    enum cuda_result error = prepare(&state, argv[1]);
    for (int i = 2; i < argc && error == CUDA_SUCCESS; i++) {
        const char *stream = strlen(argv[i]) == 2 ? strchr(streams, argv[i][1]) : NULL;
        if (stream == NULL) return 2;
        error = work(&state, argv[i][0], state.stream[stream - streams]);
    }
    if (error == CUDA_SUCCESS) error = cuCtxSynchronize();
    printf("CUDA error %d\n", (int)error);
    return 0;
}
