// SPDX-License-Identifier: MIT
// Two processes: the second one opens memory and an event of the first, and adds to what it finds there.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

const int threads = 64, of_parent = 1, of_child = 5;

struct handles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

__global__ void add(int *to, int value)
{
    to[threadIdx.x] += value;
}

static void child(int from, int to)
{
    handles told;
    int *memory;
    cudaEvent_t event;
    char done = 1;
    REQUIRE(read(from, &told, sizeof told) == sizeof told);
    CUDA(cudaIpcOpenMemHandle((void **)&memory, told.memory, cudaIpcMemLazyEnablePeerAccess));
    CUDA(cudaIpcOpenEventHandle(&event, told.event));
    CUDA(cudaStreamWaitEvent(0, event, 0));
    add<<<1, threads>>>(memory, of_child);
    CUDA(cudaEventRecord(event, 0));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaIpcCloseMemHandle(memory));
    REQUIRE(write(to, &done, 1) == 1);
    exit(EXIT_SUCCESS);
}

int main()
{
    int to_child[2], to_parent[2], *memory, got[threads], status;
    handles told;
    cudaEvent_t event;
    char done;
    REQUIRE(pipe(to_child) == 0 && pipe(to_parent) == 0);
    const pid_t process = fork();
    if (process == 0) child(to_child[0], to_parent[1]);
    close(to_parent[1]);
    CUDA(cudaMalloc(&memory, sizeof got));
    CUDA(cudaMemset(memory, 0, sizeof got));
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    add<<<1, threads>>>(memory, of_parent);
    CUDA(cudaEventRecord(event, 0));
    CUDA(cudaIpcGetMemHandle(&told.memory, memory));
    CUDA(cudaIpcGetEventHandle(&told.event, event));
    REQUIRE(write(to_child[1], &told, sizeof told) == sizeof told);
    REQUIRE(read(to_parent[0], &done, 1) == 1);
    CUDA(cudaEventSynchronize(event));
    CUDA(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    for (int value : got) REQUIRE(value == of_parent + of_child);
    REQUIRE(waitpid(process, &status, 0) == process && status == 0);
    CUDA(cudaFree(memory));
}
