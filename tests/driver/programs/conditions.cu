// SPDX-License-Identifier: MIT
// Graphs with nodes that a kernel's value switches: a loop, a choice, and a list of bodies.
#include "check.h"

const int cells = 12;

__global__ void decide(cudaGraphConditionalHandle handle, const int *value)
{
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, *value);
}

__global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

__global__ void add(int *to)
{
    *to += 1;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function, void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams parameters = {function, dim3(1), dim3(1), 0, arguments, nullptr};
    CUDA(cudaGraphAddKernelNode(&node, graph, after, after != nullptr, &parameters));
    return node;
}

static cudaGraphNode_t conditional(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t **bodies)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    CUDA(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr, &parameters));
    *bodies = parameters.conditional.phGraph_out;
    return node;
}

// IF, IF with an else, and SWITCH, one behind the other, each behind a kernel that decides.
static void choose(cudaStream_t stream, int *value, int *cell)
{
    cudaGraph_t graph, *bodies;
    cudaGraphExec_t exec;
    cudaGraphNode_t last = nullptr;
    CUDA(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++) {
        cudaGraphConditionalHandle handle;
        CUDA(cudaGraphConditionalHandleCreate(&handle, graph));
        void *decides[] = {&handle, &value};
        last = kernel(graph, last == nullptr ? nullptr : &last, (void *)decide, decides);
        last = conditional(graph, &last, handle, i == 2 ? cudaGraphCondTypeSwitch : cudaGraphCondTypeIf, i + 1,
                           &bodies);
        for (int body = 0; body <= i; body++) {
            int *to = cell + 4 * i + body;
            void *adds[] = {&to};
            kernel(bodies[body], nullptr, (void *)add, adds);
        }
    }
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    for (int i : {0, 1, 2, 3, 2}) {
        *value = i;
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
    }
    const int want[cells] = {4, 0, 0, 0, 4, 1, 0, 0, 1, 1, 2, 0};
    for (int i = 0; i < cells; i++) REQUIRE(cell[i] == want[i]);
}

// WHILE, with a body that a stream's capture fills.
static void loop(cudaStream_t stream, int *left, int *cell)
{
    cudaGraph_t graph, *bodies;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &bodies);
    CUDA(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(cell);
    count_down<<<1, 1, 0, stream>>>(left, handle);
    CUDA(cudaStreamEndCapture(stream, nullptr));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i : {5, 3}) {
        *left = i;
        *cell = 0;
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        REQUIRE(*left == 0 && *cell == i);
    }
}

int main()
{
    int *value, *cell;
    cudaStream_t stream;
    CUDA(cudaMallocManaged(&value, sizeof *value));
    CUDA(cudaMallocManaged(&cell, cells * sizeof *cell));
    CUDA(cudaMemset(cell, 0, cells * sizeof *cell));
    CUDA(cudaStreamCreate(&stream));
    choose(stream, value, cell);
    loop(stream, value, cell);
}
