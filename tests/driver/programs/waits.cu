// SPDX-License-Identifier: MIT
// Kernels that wait for what the same thread of the host does after their launch. No wait is longer than two seconds:
// what should release it has then not come, and the kernel leaves 0 instead of 1.
#include <cstdint>
#include <cstring>
#include <cuda.h>

#include "check.h"

const unsigned long long longest_wait = 2000000000; // nanoseconds

__device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

__device__ int wait_for(const int *word, int value)
{
    const unsigned long long start = now();
    int seen;
    do {
        asm volatile("ld.acquire.sys.b32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
    } while (seen != value && now() - start < longest_wait);
    return seen == value;
}

__device__ void tell(int *word, int value)
{
    asm volatile("st.release.sys.b32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__global__ void wait(const int *flag, int *seen)
{
    *seen = wait_for(flag, 1);
}

// A loop that sleeps, and one whose tries are atomics.
__global__ void wait_asleep(const volatile int *flag, int *seen)
{
    const unsigned long long start = now();
    while (*flag == 0 && now() - start < longest_wait) __nanosleep(200);
    *seen = *flag;
}

__global__ void wait_by_atomics(int *flag, int *seen)
{
    const unsigned long long start = now();
    while (atomicAdd(flag, 0) == 0 && now() - start < longest_wait) {}
    *seen = *flag;
}

__global__ void set(int *flag, int value)
{
    tell(flag, value);
}

__global__ void add(int *to, const int *from)
{
    *to += *from;
}

// flags[0]: the number of the command, -1 for the end; flags[1]: of the last one that is done.
__global__ void serve(int *flags, const int *in, int *out, int commands)
{
    __shared__ int is_there;
    for (int command = 1; command <= commands; command++) {
        if (threadIdx.x == 0) is_there = wait_for(&flags[0], command);
        __syncthreads();
        if (!is_there) return;
        out[threadIdx.x] = in[threadIdx.x] * command;
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0) tell(&flags[1], command);
    }
}

__global__ void primary(int *flag)
{
    asm volatile("griddepcontrol.launch_dependents;");
    const unsigned long long start = now();
    while (now() - start < 100000) {}
    tell(flag, 1);
}

__global__ void secondary(const int *flag, int *seen)
{
    seen[0] = wait_for(flag, 1);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    seen[1] = 1;
}

// Memory of the host that the device has too, all 0.
static int *mapped(size_t words)
{
    int *memory;
    CUDA(cudaHostAlloc(&memory, words * sizeof *memory, cudaHostAllocMapped));
    memset(memory, 0, words * sizeof *memory);
    return memory;
}

static int *on_device(size_t words)
{
    int *memory;
    CUDA(cudaMalloc(&memory, words * sizeof *memory));
    CUDA(cudaMemset(memory, 0, words * sizeof *memory));
    CUDA(cudaDeviceSynchronize());
    return memory;
}

static int at(const int *device)
{
    int value;
    CUDA(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void write(int *word, int value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static int read(const int *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static cudaStream_t stream_new()
{
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static void flags_of_host()
{
    int *flag = mapped(4), *managed, *seen = on_device(4);
    const cudaStream_t stream = stream_new();
    wait<<<1, 1, 0, stream>>>(flag, seen);
    REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
    write(flag, 1);
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaStreamQuery(stream));
    wait_asleep<<<1, 1, 0, stream>>>(flag + 1, seen + 1);
    write(flag + 1, 1);
    wait_by_atomics<<<1, 1, 0, stream>>>(flag + 2, seen + 2);
    write(flag + 2, 1);
    CUDA(cudaMallocManaged(&managed, sizeof *managed));
    *managed = 0;
    wait<<<1, 1, 0, stream>>>(managed, seen + 3);
    write(managed, 1);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++) REQUIRE(at(seen + i) == 1);
}

// The one that waits first, in both orders of blocking and other streams.
static void two_streams()
{
    int *flag = on_device(2), *seen = on_device(2);
    const cudaStream_t one = stream_new(), other = stream_new();
    cudaStream_t blocking;
    CUDA(cudaStreamCreate(&blocking));
    wait<<<1, 1, 0, one>>>(flag, seen);
    set<<<1, 1, 0, other>>>(flag, 1);
    CUDA(cudaDeviceSynchronize());
    wait<<<1, 1>>>(flag + 1, seen + 1);
    set<<<1, 1, 0, other>>>(flag + 1, 1);
    add<<<1, 1, 0, blocking>>>(seen + 1, seen);
    CUDA(cudaStreamSynchronize(blocking));
    REQUIRE(at(seen) == 1 && at(seen + 1) == 2);
}

static void CUDART_CB note(void *word)
{
    write((int *)word, read((int *)word) + 1);
}

// What is behind it in its stream, and what an event puts behind it in another one.
static void behind()
{
    int *flag = mapped(4), *seen = on_device(3);
    const cudaStream_t one = stream_new(), other = stream_new();
    cudaEvent_t event, timed[2];
    float milliseconds;
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (cudaEvent_t &each : timed) CUDA(cudaEventCreate(&each));
    CUDA(cudaEventRecord(timed[0], one));
    wait<<<1, 1, 0, one>>>(flag, seen);
    CUDA(cudaLaunchHostFunc(one, note, flag + 1));
    CUDA(cudaEventRecord(event, one));
    CUDA(cudaStreamWaitEvent(other, event, 0));
    add<<<1, 1, 0, other>>>(seen + 1, seen);
    CUDA(cudaMemcpyAsync(flag + 2, seen + 1, sizeof(int), cudaMemcpyDeviceToHost, other));
    CUDA(cudaMemsetAsync(seen + 2, 5, sizeof(int), one));
    CUDA(cudaEventRecord(timed[1], one));
    REQUIRE(cudaEventQuery(event) == cudaErrorNotReady && cudaEventQuery(timed[1]) == cudaErrorNotReady);
    REQUIRE(cudaStreamQuery(other) == cudaErrorNotReady && read(flag + 1) == 0 && read(flag + 2) == 0);
    REQUIRE(cudaEventElapsedTime(&milliseconds, timed[0], timed[1]) == cudaErrorNotReady);
    write(flag, 1);
    while (cudaEventQuery(event) == cudaErrorNotReady) {}
    CUDA(cudaStreamSynchronize(other));
    REQUIRE(read(flag + 1) == 1 && read(flag + 2) == 1);
    CUDA(cudaEventSynchronize(timed[1]));
    CUDA(cudaEventElapsedTime(&milliseconds, timed[0], timed[1]));
    REQUIRE(milliseconds > 0 && at(seen + 2) == 0x05050505);
}

typedef CUresult word_call(cudaStream_t stream, CUdeviceptr address, cuuint32_t value, unsigned flags);

static word_call *driver_call(const char *name)
{
    void *call;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion(name, &call, 12000, cudaEnableDefault, &found));
    REQUIRE(found == cudaDriverEntryPointSuccess);
    return (word_call *)call;
}

static void words_of_streams()
{
    word_call *const write_value = driver_call("cuStreamWriteValue32"), *const wait_value = driver_call("cuStreamWaitValue32");
    int *flag = mapped(2), *words = on_device(4);
    const cudaStream_t one = stream_new(), other = stream_new();
    wait<<<1, 1, 0, one>>>(words, words + 1);
    REQUIRE(write_value(other, (CUdeviceptr)words, 1, 0) == CUDA_SUCCESS);
    REQUIRE(wait_value(one, (CUdeviceptr)flag, 3, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
    set<<<1, 1, 0, one>>>(words + 2, 7);
    REQUIRE(cudaStreamQuery(one) == cudaErrorNotReady);
    write(flag, 4);
    CUDA(cudaStreamSynchronize(one));
    REQUIRE(at(words + 1) == 1 && at(words + 2) == 7);
    REQUIRE(wait_value(one, (CUdeviceptr)(words + 3), 9, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
    set<<<1, 1, 0, one>>>(words + 2, 8);
    set<<<1, 1, 0, other>>>(words + 3, 9);
    CUDA(cudaDeviceSynchronize());
    REQUIRE(at(words + 2) == 8);
}

static void persistent()
{
    const int threads = 64, commands = 5;
    int *flags = mapped(2), *in = mapped(threads), *out = mapped(threads);
    const cudaStream_t stream = stream_new();
    serve<<<1, threads, 0, stream>>>(flags, in, out, commands);
    for (int command = 1; command <= commands; command++) {
        for (int i = 0; i < threads; i++) in[i] = 100 * command + i;
        write(&flags[0], command);
        while (read(&flags[1]) != command && cudaStreamQuery(stream) == cudaErrorNotReady) {}
        for (int i = 0; i < threads; i++) REQUIRE(out[i] == (100 * command + i) * command);
    }
    CUDA(cudaStreamSynchronize(stream));
}

// The host looks at memory alone.
static void without_calls()
{
    int *flags = mapped(2);
    wait<<<1, 1>>>(flags, flags + 1);
    write(flags, 1);
    while (read(flags + 1) == 0) {}
    CUDA(cudaDeviceSynchronize());
}

static void dependents()
{
    int *words = on_device(3), *flag = words, *seen = words + 1;
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = config.blockDim = dim3(1, 1, 1);
    config.stream = stream_new();
    config.attrs = &attribute;
    config.numAttrs = 1;
    primary<<<1, 1, 0, config.stream>>>(flag);
    CUDA(cudaLaunchKernelEx(&config, secondary, (const int *)flag, seen));
    CUDA(cudaDeviceSynchronize());
    REQUIRE(at(seen) == 1 && at(seen + 1) == 1);
}

static void graph()
{
    int *flag = mapped(1), *seen = on_device(2);
    const cudaStream_t stream = stream_new();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    wait<<<1, 1, 0, stream>>>(flag, seen);
    add<<<1, 1, 0, stream>>>(seen + 1, seen);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 2; launch++) CUDA(cudaGraphLaunch(exec, stream));
    REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
    write(flag, 1);
    CUDA(cudaStreamSynchronize(stream));
    REQUIRE(at(seen + 1) == 2);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

// What is given up behind it.
static void given_up()
{
    int *flag = mapped(1), *seen;
    cudaEvent_t event;
    const cudaStream_t stream = stream_new();
    CUDA(cudaEventCreate(&event));
    CUDA(cudaMallocAsync(&seen, sizeof *seen, stream));
    wait<<<1, 1, 0, stream>>>(flag, seen);
    CUDA(cudaEventRecord(event, stream));
    CUDA(cudaFreeAsync(seen, stream));
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(stream));
    write(flag, 1);
    CUDA(cudaDeviceSynchronize());
}

int main()
{
    set<<<1, 1>>>(on_device(1), 1); // loads the module
    CUDA(cudaDeviceSynchronize());
    flags_of_host();
    two_streams();
    behind();
    words_of_streams();
    persistent();
    without_calls();
    dependents();
    graph();
    given_up();
}
