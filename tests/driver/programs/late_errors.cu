// SPDX-License-Identifier: MIT
// Which call behind a kernel reports the kernel's fault? Each line is a sequence, in a process of its own: the fault, how
// the kernel ends behind it, the first call, and what follows. The numbers are what the calls returned. `late_errors N` runs
// sequence N alone. An H200 (driver 580.159.04) wrote late_errors.h200.txt, the same twice.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

enum { LARGEST = (1 << 20) - 1 }; // of counts and of tx

enum fault { NONE, ARRIVE, DROP, EXPECT, EXPECT_SUM, COMPLETE, WAIT, ALIGN, UNMAPPED, FAULTS };
static const char *const fault_names[] = {"none",     "arrive", "arrive_drop", "expect_tx", "expect_tx_sum",
                                          "complete_tx", "try_wait", "misaligned",  "unmapped"};
enum ending { AT_ONCE, ASLEEP, ENDINGS };
static const char *const ending_names[] = {"at_once", "asleep"};
enum first { DEVICE, STREAM, EVENT, QUERY, COPY, FREE, LAUNCH, FIRSTS };
static const char *const first_names[] = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaStreamQuery",
                                          "cudaMemcpy",            "cudaFree",              "none"};
enum then { AGAIN, KERNEL, KERNELS, OTHER_STREAM, MEMCPY, PAUSE, RESET, THENS };
static const char *const then_names[] = {"again", "kernel", "kernels", "other_stream", "memcpy", "pause", "reset"};

struct sequence {
    enum fault fault;
    enum ending ending;
    enum first first;
    enum then then;
};

__device__ void arrive(uint32_t barrier, uint32_t count)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ void expect_tx(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ void complete_tx(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ void try_wait(uint32_t barrier)
{
    asm volatile("{.reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;}" ::"r"(barrier) : "memory");
}

// One thread: the operation that faults comes last, or 10 ns of sleep behind it.
template <enum fault FAULT> __global__ void faulty(int asleep)
{
    __shared__ uint64_t word[2];
    const uint32_t barrier = static_cast<uint32_t>(__cvta_generic_to_shared(word));
    if (FAULT == WAIT) *static_cast<volatile uint64_t *>(word) = 1ull << 42 | 2; // the error bit
    else asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(barrier) : "memory");
    if (FAULT == ARRIVE) arrive(barrier, 3);
    if (FAULT == DROP) asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0], 3;" ::"r"(barrier) : "memory");
    if (FAULT == EXPECT) expect_tx(barrier, LARGEST + 1);
    if (FAULT == EXPECT_SUM) expect_tx(barrier, LARGEST), expect_tx(barrier, 2);
    if (FAULT == COMPLETE) complete_tx(barrier, LARGEST), complete_tx(barrier, 1);
    if (FAULT == WAIT) try_wait(barrier);
    if (FAULT == ALIGN) arrive(barrier + 4, 1);
    if (FAULT == UNMAPPED) *reinterpret_cast<volatile int *>(16) = 1;
    if (asleep) __nanosleep(10);
}

__global__ void harmless()
{
}

static void launch(enum fault fault, int asleep)
{
    switch (fault) {
    case NONE: faulty<NONE><<<1, 1>>>(asleep); break;
    case ARRIVE: faulty<ARRIVE><<<1, 1>>>(asleep); break;
    case DROP: faulty<DROP><<<1, 1>>>(asleep); break;
    case EXPECT: faulty<EXPECT><<<1, 1>>>(asleep); break;
    case EXPECT_SUM: faulty<EXPECT_SUM><<<1, 1>>>(asleep); break;
    case COMPLETE: faulty<COMPLETE><<<1, 1>>>(asleep); break;
    case WAIT: faulty<WAIT><<<1, 1>>>(asleep); break;
    case ALIGN: faulty<ALIGN><<<1, 1>>>(asleep); break;
    case UNMAPPED: faulty<UNMAPPED><<<1, 1>>>(asleep); break;
    default: abort();
    }
}

static cudaError_t query_until_done()
{
    cudaError_t error;
    while ((error = cudaStreamQuery(0)) == cudaErrorNotReady) {}
    return error;
}

static cudaError_t record_and_wait()
{
    cudaEvent_t event;
    cudaError_t error = cudaEventCreate(&event);
    if (error == cudaSuccess) error = cudaEventRecord(event);
    return error == cudaSuccess ? cudaEventSynchronize(event) : error;
}

static cudaError_t call_first(enum first first, int *memory)
{
    int word;
    switch (first) {
    case DEVICE: return cudaDeviceSynchronize();
    case STREAM: return cudaStreamSynchronize(0);
    case EVENT: return record_and_wait();
    case QUERY: return query_until_done();
    case COPY: return cudaMemcpy(&word, memory, sizeof word, cudaMemcpyDeviceToHost);
    case FREE: return cudaFree(memory);
    default: return cudaSuccess;
    }
}

static void tell(const char *name, cudaError_t error)
{
    std::printf(" %s=%d", name, error);
}

static void kernel_and_synchronise()
{
    harmless<<<1, 1>>>();
    tell("launch", cudaGetLastError());
    tell("synchronise", cudaDeviceSynchronize());
}

static void in_another_stream()
{
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    harmless<<<1, 1, 0, stream>>>();
    tell("launch", cudaGetLastError());
    tell("synchronise", cudaStreamSynchronize(stream));
    tell("device", cudaDeviceSynchronize());
}

static void follow(enum then then, int *memory)
{
    int word;
    if (then == AGAIN) tell("synchronise", cudaDeviceSynchronize()), tell("synchronise", cudaDeviceSynchronize());
    if (then == KERNEL) kernel_and_synchronise();
    if (then == KERNELS) kernel_and_synchronise(), kernel_and_synchronise();
    if (then == OTHER_STREAM) in_another_stream();
    if (then == MEMCPY) tell("memcpy", cudaMemcpy(&word, memory, sizeof word, cudaMemcpyDeviceToHost)), kernel_and_synchronise();
    if (then == PAUSE) usleep(100000), tell("synchronise", cudaDeviceSynchronize()), kernel_and_synchronise();
    if (then == RESET) tell("reset", cudaDeviceReset()), kernel_and_synchronise();
}

static int run(const struct sequence *now)
{
    int *memory;
    if (cudaMalloc(&memory, sizeof *memory) != cudaSuccess) return 2;
    harmless<<<1, 1>>>(); // loads the module
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    std::printf("%s %s %s %s:", fault_names[now->fault], ending_names[now->ending], first_names[now->first],
                then_names[now->then]);
    launch(now->fault, now->ending == ASLEEP);
    tell("launch", cudaGetLastError());
    if (now->first != LAUNCH) tell("first", call_first(now->first, memory));
    follow(now->then, memory);
    std::printf("\n");
    return 0;
}

// Every fault with both endings, the over-arrival in front of every pair of calls, and a reset behind faults that were told.
static int sequences_list(struct sequence *list)
{
    int count = 0;
    for (int fault = 0; fault < FAULTS; fault++)
        for (int ending = 0; ending < ENDINGS; ending++)
            list[count++] = {static_cast<enum fault>(fault), static_cast<enum ending>(ending), DEVICE, KERNEL};
    for (int first = 0; first < FIRSTS; first++)
        for (int then = 0; then < THENS; then++)
            if (!(first == FREE && then == MEMCPY) && !(first == EVENT && then == OTHER_STREAM)) // no memory, no stream
                list[count++] = {ARRIVE, AT_ONCE, static_cast<enum first>(first), static_cast<enum then>(then)};
    list[count++] = {ARRIVE, ASLEEP, DEVICE, RESET};
    list[count++] = {UNMAPPED, AT_ONCE, DEVICE, RESET};
    return count;
}

// This process never calls CUDA, so its children may.
static int run_in_child(const struct sequence *now)
{
    int status;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        const int failed = run(now);
        std::fflush(stdout);
        _exit(failed);
    }
    if (waitpid(child, &status, 0) != child) return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv)
{
    static struct sequence list[FAULTS * ENDINGS + FIRSTS * THENS + 2];
    const int count = sequences_list(list);
    int failed = 0;
    if (argc > 1) {
        const int number = std::atoi(argv[1]);
        return number >= 0 && number < count ? run(&list[number]) : 2;
    }
    for (int i = 0; i < count; i++) failed |= run_in_child(&list[i]);
    return failed;
}
