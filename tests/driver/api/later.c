// SPDX-License-Identifier: MIT
// Kernels and streams that wait for memory which others write: what comes behind them, what their host thread may do
// meanwhile, and what is said where nobody is left that could write.
#include "api.h"
#include "tied_fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// wait(word, seen): until the word is not 0, which it then writes. follow(word): until an address is there, to which it
// then writes 7. swap(word): until the word is 1, by atomics, which leave 2 there. serve(word): writes 7 to each
// address that comes, until 1 comes. plain(word, seen): as wait(), by loads that are not strong, and a fence; it has
// another way through the loop that takes 70 instructions. nothing(): loops, and reads nothing.
static const char ptx_later[] =
    ".visible .entry wait(.param .b64 word, .param .b64 seen)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n"
    ".reg .b64 %rd<3>;\nld.param.b64 %rd1, [word];\nld.param.b64 %rd2, [seen];\nagain:\n"
    "ld.acquire.sys.b32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;\nst.b32 [%rd2], %r1;\nret;\n}\n"
    ".visible .entry follow(.param .b64 word)\n{\n.reg .pred %p<2>;\n.reg .b64 %rd<3>;\n"
    "ld.param.b64 %rd1, [word];\nagain:\nld.volatile.global.b64 %rd2, [%rd1];\nsetp.eq.u64 %p1, %rd2, 0;\n"
    "@%p1 bra again;\nst.b32 [%rd2], 7;\nret;\n}\n"
    ".visible .entry swap(.param .b64 word)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
    "ld.param.b64 %rd1, [word];\nagain:\natom.global.cas.b32 %r1, [%rd1], 1, 2;\nsetp.ne.u32 %p1, %r1, 1;\n"
    "@%p1 bra again;\nret;\n}\n"
    ".visible .entry serve(.param .b64 word)\n{\n.reg .pred %p<3>;\n.reg .b64 %rd<3>;\n"
    "ld.param.b64 %rd1, [word];\nagain:\nld.acquire.sys.b64 %rd2, [%rd1];\nsetp.eq.u64 %p1, %rd2, 0;\n"
    "@%p1 bra again;\nsetp.eq.u64 %p2, %rd2, 1;\n@%p2 bra end;\nst.b32 [%rd2], 7;\n"
    "st.release.sys.b64 [%rd1], 0;\nbra again;\nend:\nret;\n}\n"
    ".visible .entry plain(.param .b64 word, .param .b64 seen)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"
    ".reg .b64 %rd<3>;\nld.param.b64 %rd1, [word];\nld.param.b64 %rd2, [seen];\nagain:\n"
    "ld.global.b32 %r1, [%rd1];\nfence.sc.sys;\nmov.u32 %r2, 0;\nmore:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, "
    "%r2, 25;\n@%p1 bra more;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;\nst.b32 [%rd2], %r1;\nret;\n}\n"
    ".visible .entry nothing()\n{\nagain:\nbra again;\n}\n";

static struct {
    struct CUmod_st *module;
    struct CUstream_st *stream, *other;
    _Atomic uint32_t *word; // 64 of them, which the device has too
} test;

static struct CUfunc_st *kernel(const char *name)
{
    struct CUfunc_st *function;
    WORKS(cuModuleGetFunction(&function, test.module, name));
    return function;
}

static void ready(void)
{
    api_ready();
    test.module = api_module(ptx_later);
    WORKS(cuStreamCreate(&test.stream, CU_STREAM_NON_BLOCKING));
    WORKS(cuStreamCreate(&test.other, CU_STREAM_NON_BLOCKING));
    WORKS(cuMemHostAlloc((void **)&test.word, 256, 0));
    memset((void *)test.word, 0, 256);
}

static void launch(const char *name, struct CUstream_st *stream, const void *word, const void *seen)
{
    void *parameters[] = {(void *)&word, (void *)&seen};
    WORKS(cuLaunchKernel(kernel(name), 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

static void wait_on(struct CUstream_st *stream, int word, int seen)
{
    launch("wait", stream, (const void *)(test.word + word), (const void *)(test.word + seen));
}

static void count(void *word)
{
    atomic_fetch_add((_Atomic uint32_t *)word, 1);
}

static void call_back(struct CUstream_st *stream, enum cuda_result error, void *word)
{
    (void)stream;
    atomic_store((_Atomic uint32_t *)word, 1 + (uint32_t)error);
}

static unsigned long long at(int word)
{
    return (uintptr_t)(test.word + word);
}

static void require_words(int first, int words, uint32_t value)
{
    for (int i = first; i < first + words; i++)
        if (atomic_load(test.word + i) != value) printf("word %d is %u\n", i, atomic_load(test.word + i));
    for (int i = first; i < first + words; i++) REQUIRE(atomic_load(test.word + i) == value);
}

// Everything that a stream can be asked for, behind a kernel that waits. Of the words, and of the device's, none but
// the first is changed before it ends.
SECTION(later)
{
    uint32_t rows[16], got = 0;
    ready();
    const unsigned long long device = api_memory(64, 0);
    const struct CUDA_MEMCPY2D_st box = {.srcMemoryType = MEMORY_OF_HOST,
                                         .srcHost = rows,
                                         .srcPitch = 16,
                                         .dstMemoryType = MEMORY_OF_DEVICE,
                                         .dstDevice = device + 8,
                                         .dstPitch = 8,
                                         .WidthInBytes = 8,
                                         .Height = 2};
    wait_on(test.stream, 0, 8);
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream));
    WORKS(cuStreamQuery(test.other));
    for (int i = 0; i < 16; i++) rows[i] = 1;
    WORKS(cuMemcpyHtoDAsync_v2(device, rows, 8, test.stream));
    WORKS(cuMemcpy2DAsync_v2(&box, test.stream));
    for (int i = 0; i < 16; i++) rows[i] = 99; // what is copied is what was there
    WORKS(cuMemcpyDtoDAsync_v2(device + 24, device, 4, test.stream));
    WORKS(cuMemsetD32Async(device + 28, 1, 2, test.stream));
    WORKS(cuMemcpyDtoHAsync_v2((void *)(test.word + 9), device + 32, 4, test.stream));
    WORKS(cuLaunchHostFunc(test.stream, count, (void *)(test.word + 10)));
    WORKS(cuStreamAddCallback(test.stream, call_back, (void *)(test.word + 11), 0));
    WORKS(cuStreamWriteValue32_v2(test.stream, at(12), 1, 0));
    wait_on(test.stream, 0, 13);
    require_words(8, 6, 0);
    for (unsigned i = 0; i < 9; i++) REQUIRE(api_word(device + 4 * i) == 0);
    atomic_store(test.word, 1);
    WORKS(cuMemcpyDtoHAsync_v2(&got, at(13), 4, test.stream)); // into pageable memory: done when it returns
    REQUIRE(got == 1);
    WORKS(cuStreamQuery(test.stream));
    require_words(8, 6, 1);
    for (unsigned i = 0; i < 9; i++) REQUIRE(api_word(device + 4 * i) == 1);
    SAYS_NOTHING();
}

// Copies whose call returns when they are done, and fills of the host's memory without a stream.
static void *release_soon(void *word)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    atomic_store((_Atomic uint32_t *)word, 1);
    return NULL;
}

static pthread_t wait_for_release(struct CUstream_st *stream)
{
    pthread_t thread;
    memset((void *)test.word, 0, 256);
    wait_on(stream, 0, 8);
    REQUIRE(pthread_create(&thread, NULL, release_soon, (void *)test.word) == 0);
    return thread;
}

static void require_done(pthread_t thread)
{
    require_words(8, 1, 1);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

SECTION(later_copies)
{
    const size_t much = (size_t)4 << 20;
    unsigned char *rows = calloc(1, much);
    ready();
    const unsigned long long device = api_memory(much, 5);
    pthread_t thread = wait_for_release(test.stream);
    WORKS(cuMemcpyHtoDAsync_v2(device, rows, much, test.stream));
    require_done(thread);
    thread = wait_for_release(test.stream);
    WORKS(cuMemcpyAsync(at(10), at(9), 4, test.stream)); // from the host to the host
    require_done(thread);
    thread = wait_for_release(NULL);
    WORKS(cuMemsetD8_v2(at(9), 1, 4));
    require_done(thread);
    thread = wait_for_release(NULL);
    WORKS(cuMemcpyHtoD_v2(device, rows, 4));
    require_done(thread);
    thread = wait_for_release(NULL);
    WORKS(cuMemsetD8_v2(device, 1, 4));
    WORKS(cuMemcpyDtoD_v2(device + 4, device, 4));
    require_words(8, 1, 0);
    WORKS(cuCtxSynchronize());
    require_done(thread);
    REQUIRE(api_word(device + 4) == 0x01010101);
    free(rows);
}

// What is behind the function itself does not end before it: it must not wait.
static void ask_in_vain(void *event)
{
    cuEventSynchronize(event);
}

// Events behind it, and what they hold up in other streams.
SECTION(later_events)
{
    struct CUevent_st *begin, *end, *again, *gone;
    float milliseconds;
    ready();
    struct CUevent_st **const event[] = {&begin, &end, &again, &gone};
    for (int i = 0; i < 4; i++) WORKS(cuEventCreate(event[i], 0));
    REFUSES(ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, begin, end));
    WORKS(cuEventRecord(begin, test.stream));
    wait_on(test.stream, 0, 8);
    for (int i = 1; i < 4; i++) WORKS(cuEventRecord(*event[i], test.stream));
    WORKS(cuEventQuery(begin));
    REFUSES(ERROR_NOT_READY, cuEventQuery(end));
    REFUSES(ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, begin, end));
    WORKS(cuEventRecord(again, test.other));
    WORKS(cuEventQuery(again));
    WORKS(cuEventDestroy_v2(gone));
    WORKS(cuStreamWaitEvent(test.other, end, 0));
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.other));
    WORKS(cuMemsetD32Async(at(9), 1, 1, test.other));
    WORKS(cuStreamDestroy_v2(test.other));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamDestroy_v2(test.other));
    WORKS(cuLaunchHostFunc(test.stream, ask_in_vain, again));
    WORKS(cuEventRecord(again, test.stream));
    require_words(8, 2, 0);
    atomic_store(test.word, 1);
    WORKS(cuEventSynchronize(end));
    WORKS(cuCtxSynchronize());
    WORKS(cuEventElapsedTime(&milliseconds, begin, end));
    REQUIRE(milliseconds > 0);
    require_words(8, 2, 1);
    WORKS(cuStreamWaitEvent(test.stream, end, 0));
    WORKS(cuStreamQuery(test.stream));
    SAYS("cuEventSynchronize: a host function of a stream (cudaLaunchHostFunc, cudaStreamAddCallback) calls CUDA");
}

// Memory that is allocated, or freed in the order of the stream, while a kernel waits.
SECTION(later_memory)
{
    unsigned long long memory, freed;
    ready();
    WORKS(cuMemAllocAsync(&freed, 64, test.stream));
    launch("follow", test.stream, (const void *)(test.word + 2), NULL);
    WORKS(cuMemFreeAsync(freed, test.stream));
    WORKS(cuMemsetD8Async(freed, 0, 64, test.other)); // it is there until the kernel has ended
    WORKS(cuMemAlloc_v2(&memory, 64));
    __atomic_store_n((uint64_t *)(void *)(test.word + 2), memory, __ATOMIC_RELEASE);
    WORKS(cuStreamSynchronize(test.stream));
    REQUIRE(api_word(memory) == 7);
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD8Async(freed, 0, 64, test.other));
    SAYS("is not an address of the device");
    launch("swap", test.stream, (const void *)test.word, NULL);
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream));
    atomic_store(test.word, 1);
    WORKS(cuMemFree_v2(memory)); // waits for the kernel
    require_words(0, 1, 2);
    SAYS_NOTHING();
}

// A kernel that gets on, and waits again, sees what is allocated at any time.
SECTION(later_allocations)
{
    enum { ALLOCATIONS = 500 };
    ready();
    uint64_t *word = (uint64_t *)(void *)test.word;
    launch("serve", test.stream, word, NULL);
    for (int i = 0; i < ALLOCATIONS; i++) {
        unsigned long long memory;
        WORKS(cuMemAlloc_v2(&memory, 64));
        __atomic_store_n(word, memory, __ATOMIC_RELEASE);
        while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != 0 && cuStreamQuery(test.stream) == CUDA_ERROR_NOT_READY) {
        }
        REQUIRE(api_word(memory) == 7);
    }
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    WORKS(cuStreamSynchronize(test.stream));
    SAYS_NOTHING();
}

// What a kernel waits for is freed: cuMemFree waits for nobody where the memory is a pool's.
SECTION(later_freed)
{
    unsigned long long freed;
    ready();
    WORKS(cuMemAllocAsync(&freed, 64, test.stream));
    launch("wait", test.stream, (const void *)(uintptr_t)freed, (const void *)(test.word + 8));
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream));
    WORKS(cuMemFree_v2(freed));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(test.stream));
    SAYS("cuMemAllocAsync (called in show_later_freed of api_calls, at 0x");
}

// What is set of a kernel is of the launches after that.
SECTION(later_attributes)
{
    enum { DYNAMIC = 8 };
    ready();
    const void *word = (const void *)test.word;
    void *parameters[] = {(void *)&word, (void *)&word};
    struct CUfunc_st *function = kernel("wait");
    wait_on(test.stream, 0, 8);
    WORKS(cuFuncSetAttribute(function, (enum cuda_function_attribute)DYNAMIC, 100000));
    WORKS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 100000, test.stream, parameters, NULL));
    WORKS(cuFuncSetAttribute(function, (enum cuda_function_attribute)DYNAMIC, 1000));
    atomic_store(test.word, 1);
    WORKS(cuStreamSynchronize(test.stream));
    SAYS_NOTHING();
}

// A graph whose kernel waits, launched twice, and destroyed before it ends; the default stream and one that blocks it.
SECTION(later_graphs)
{
    struct CUstream_st *blocking;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *exec;
    ready();
    WORKS(cuStreamCreate(&blocking, 0));
    WORKS(cuStreamBeginCapture_v2(test.stream, 0));
    wait_on(test.stream, 0, 8);
    WORKS(cuLaunchHostFunc(test.stream, count, (void *)(test.word + 9)));
    WORKS(cuStreamEndCapture(test.stream, &graph));
    WORKS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    WORKS(cuGraphLaunch(exec, test.stream));
    WORKS(cuGraphLaunch(exec, test.other));
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.other)); // behind the first launch
    WORKS(cuGraphExecDestroy(exec));
    require_words(8, 2, 0);
    atomic_store(test.word, 1);
    WORKS(cuCtxSynchronize());
    require_words(9, 1, 2);
    wait_on(NULL, 1, 10);
    WORKS(cuStreamQuery(blocking)); // nothing is on it
    WORKS(cuMemsetD32Async(at(11), 1, 1, blocking));
    REFUSES(ERROR_NOT_READY, cuStreamQuery(blocking));
    REFUSES(ERROR_NOT_READY, cuStreamQuery(NULL));
    WORKS(cuStreamQuery(test.stream));
    require_words(10, 2, 0);
    atomic_store(test.word + 1, 1);
    WORKS(cuMemcpy(at(12), at(11), 4)); // waits for all of them
    require_words(10, 3, 1);
    SAYS_NOTHING();
}

// Plain loads: a loop is seen to wait when it comes back to a state in which it was.
SECTION(later_plain)
{
    ready();
    launch("plain", test.stream, (const void *)test.word, (const void *)(test.word + 8));
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream));
    WORKS(cuMemsetD32Async(at(9), 1, 1, test.stream));
    require_words(8, 2, 0);
    atomic_store(test.word, 1);
    WORKS(cuStreamSynchronize(test.stream));
    require_words(8, 2, 1);
    launch("plain", test.stream, (const void *)(test.word + 1), (const void *)(test.word + 10));
    launch("wait", test.other, (const void *)(test.word + 2), (const void *)(test.word + 1)); // which lets it go on
    WORKS(cuStreamWriteValue32_v2(NULL, at(2), 3, 0));
    WORKS(cuStreamSynchronize(test.stream));
    require_words(10, 1, 3);
    launch("nothing", test.stream, NULL, NULL);
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuStreamSynchronize(test.stream));
    SAYS("kernel nothing hangs");
}

// --- Looked at -------------------------------------------------------------------------------------------------------

static const char *read_file(const char *path)
{
    enum { ROOM = 1 << 28 }; // a loop that polls has many events
    static char *text;
    FILE *file = fopen(path, "r");
    if (text == NULL) text = malloc(ROOM);
    REQUIRE(file != NULL && text != NULL);
    text[fread(text, 1, ROOM - 1, file)] = '\0';
    fclose(file);
    return text;
}

// Two kernels wait at once, and one that does not ends in between; what ends first is in the file first.
static void run_looked_at(void)
{
    ready();
    wait_on(test.stream, 0, 8);
    wait_on(test.other, 1, 9);
    launch("follow", NULL, (const void *)(test.word + 4), NULL);
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream));
    *(volatile uint64_t *)(uintptr_t)at(4) = at(10);
    WORKS(cuStreamSynchronize(NULL));
    const char *text = read_file(getenv("TMAREF_TRACE"));
    REQUIRE(strstr(text, "launch 3, follow") != NULL && strstr(text, "(did not end)") == NULL);
    atomic_store(test.word + 1, 1);
    WORKS(cuStreamSynchronize(test.other));
    require_words(9, 1, 1);
    require_words(10, 1, 7);
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream));
}

static void in_process(void (*run)(void), int ends)
{
    fflush(NULL);
    int status;
    const pid_t process = tied_fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        run();
        if (ends) atomic_store(test.word, 1); // the program ends a moment before the kernel does
        exit(EXIT_SUCCESS);
    }
    REQUIRE(waitpid(process, &status, 0) == process && status == 0);
}

// Statistics, a timeline and coverage of kernels that wait are those of kernels that do not.
SECTION(later_looked_at)
{
    char folder[] = "/tmp/tmaref-looked-XXXXXX", trace[64], lines[64], command[64];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(trace, sizeof trace, "%s/trace", folder);
    snprintf(lines, sizeof lines, "%s/lines", folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    setenv("TMAREF_STATS", "1", 1);
    setenv("TMAREF_TRACE", trace, 1);
    setenv("TMAREF_COVERAGE", lines, 1);
    in_process(run_looked_at, 1);
    SAYS("statistics of kernel wait: 2 launches");
    const char *text = read_file(trace);
    REQUIRE(strstr(text, "launch 1, wait") != NULL && strstr(text, "launch 2, wait") != NULL);
    REQUIRE(strstr(text, "(did not end)") == NULL && strcmp(text + strlen(text) - 4, "\n]}\n") == 0);
    REQUIRE(strstr(read_file(lines), "end_of_record") != NULL);
    in_process(run_looked_at, 0);
    SAYS("the program ends while a kernel waits: statistics, coverage and the trace tell of it as far as it ran");
    REQUIRE(strstr(read_file(trace), "(did not end)") != NULL);
    REQUIRE(system(command) == 0);
}

// Two kernels that wait for words which nobody writes, and what is behind them.
SECTION(later_hang)
{
    ready();
    wait_on(test.stream, 0, 8);
    launch("swap", test.other, (const void *)test.word, NULL);
    WORKS(cuMemsetD32Async(at(9), 1, 1, test.stream));
    WORKS(cuStreamAddCallback(test.stream, call_back, (void *)(test.word + 1), 0));
    SAYS_NOTHING();
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuStreamSynchronize(test.stream));
    require_words(9, 1, 0);
    require_words(1, 1, 1 + CUDA_ERROR_LAUNCH_TIMEOUT);
    SAYS("kernel wait hangs: ");
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuStreamQuery(test.other));
    WORKS(cuDevicePrimaryCtxReset_v2(0)); // ends what a hang has left
}

SECTION(later_hang_of_stream)
{
    ready();
    WORKS(cuStreamWaitValue32_v2(test.stream, at(0), 3, 1));
    WORKS(cuStreamQuery(test.other));
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuCtxSynchronize());
    SAYS("cuStreamWaitValue: the stream waits for 0x3 (flags 1), and the word at");
}

// Another thread of the program is left that could write: it gets the time that a kernel may take.
static void *stay(void *is_over)
{
    while (!atomic_load((atomic_int *)is_over)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return NULL;
}

SECTION(later_limit)
{
    pthread_t thread;
    atomic_int is_over = 0;
    setenv("TMAREF_LIMIT_SECONDS", "1", 1);
    ready();
    REQUIRE(pthread_create(&thread, NULL, stay, &is_over) == 0);
    WORKS(cuStreamWaitValue32_v2(test.stream, at(0), 3, 1));
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuStreamSynchronize(test.stream));
    SAYS("the kernel waits for memory that has not changed for 1 seconds, while the program waits for the kernel");
    atomic_store(&is_over, 1);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

// Registered memory may be another process's too.
SECTION(later_registered)
{
    uint32_t *page = aligned_alloc(4096, 4096);
    memset(page, 0, 4096);
    setenv("TMAREF_LIMIT_SECONDS", "1", 1);
    ready();
    WORKS(cuMemHostRegister_v2(page, 4096, 0));
    WORKS(cuStreamWaitValue32_v2(test.stream, (uintptr_t)page, 3, 1));
    REFUSES(ERROR_LAUNCH_TIMEOUT, cuStreamSynchronize(test.stream));
    SAYS("the kernel waits for memory that has not changed for 1 seconds");
}

// A fault of a kernel ends what another one left.
SECTION(later_fault)
{
    ready();
    wait_on(test.stream, 0, 8);
    WORKS(cuMemsetD32Async(at(9), 1, 1, test.stream));
    launch("follow", test.other, (const void *)(test.word + 2), NULL);
    __atomic_store_n((uint64_t *)(void *)(test.word + 2), 64, __ATOMIC_RELEASE);
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(test.other));
    SAYS("CUDA_ERROR_ILLEGAL_ADDRESS (700) in kernel follow: ");
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(test.stream));
    atomic_store(test.word, 1);
    require_words(8, 2, 0);
}
