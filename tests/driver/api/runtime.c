#include "api.h"

#include <dlfcn.h>
#include <pthread.h>

static char image[] = PTX_HEAD ".visible .global .align 4 .u32 word = 3;\n"
                               ".visible .global .attribute(.managed) .align 4 .u32 shared = 6;\n"
                               ".visible .entry put(.param .u64 to, .param .u32 value)\n"
                               "{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [to];\n"
                               "ld.param.u32 %r1, [value];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
                               ".visible .entry fault()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 0;\n"
                               "st.global.u32 [%rd1], 1;\nret;\n}\n";

// What nvcc's object of a program has: stubs and variables of the host, whose addresses are the names.
// What is no kernel may be a handle, and is looked at: these are as large as the head of what one points at.
static uint64_t put, fault, nobody, missing, word, no_word;
static uint32_t *shared;
static void **handle;

static void load(void)
{
    handle = __cudaRegisterFatBinary(api_image(image));
    __cudaRegisterFunction(handle, (char *)&put, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)&fault, NULL, "fault", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)&missing, NULL, "missing", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&word, NULL, "word", 0, 4, 0, 0);
    __cudaRegisterVar(handle, (char *)&no_word, NULL, "no_word", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared, NULL, "shared", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    __cudaRegisterFunction(NULL, (char *)&nobody, NULL, "put", -1, NULL, NULL, NULL, NULL, NULL); // nothing is kept
    __cudaRegisterManagedVar(NULL, (void **)&nobody, NULL, "shared", 0, 4, 0, 0);
}

// --- Variables -------------------------------------------------------------------------------------------------------

// An image that does not load says so once and for all its kernels; another thread has its own last error.
static void *last_error_elsewhere(void *unused)
{
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return unused;
}

SECTION(runtime_errors)
{
    static char broken[] = PTX_HEAD ".visible .entry k()\n{\nret;\n";
    static char kernel, variable;
    struct CUlib_st *library;
    pthread_t thread;
    size_t bytes;
    REQUIRE(cudaGetLastError() == cudaSuccess); // before anything
    void **bad = __cudaRegisterFatBinary(api_image(broken));
    __cudaRegisterFunction(bad, &kernel, NULL, "k", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(bad, &variable, NULL, "v", 0, 4, 0, 0);
    REQUIRE(cudaLaunchKernel(&kernel, one_cta, one_cta, NULL, 0, NULL) == cudaErrorInvalidPtx);
    SAYS("PTX line");
    REQUIRE(cudaGetSymbolSize(&bytes, &variable) == cudaErrorInvalidPtx);
    SAYS_NOTHING();
    REQUIRE(pthread_create(&thread, NULL, last_error_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidPtx);
    struct CUkern_st *none;
    WORKS(cudaLibraryLoadData(&library, broken, NULL, NULL, 0, NULL, NULL, 0));
    REFUSES(ERROR_INVALID_PTX, cudaLibraryGetKernel(&none, library, "k"));
    __cudaUnregisterFatBinary(bad);
}

// --- What is wrong with the environment ------------------------------------------------------------------------------

// No call that needs the device works where an option is wrong: each is an error, whatever its arguments.
SECTION(bad_environment)
{
    typedef enum cudaError call(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
    static const char *const names[] = {
#define CALL(name, ...)    #name,
#define GIVES(name, ...)   #name,
#define FORWARD(name, ...) #name,
#define REFUSED(name, ...) #name,
#include "release_calls.def"
    };
    int called = 0;
    setenv("TMAREF_SEED", "one", 1);
    load();
    REFUSES(ERROR_INVALID_VALUE, cudaFree(NULL));
    SAYS("TMAREF_SEED is 'one', which is not a whole number");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(names[i], "__", 2) == 0 || strstr(names[i], "LastError") != NULL) continue;
        if (strcmp(names[i], "cudaCreateChannelDesc") == 0) continue; // fills a struct, and returns no error
        call *function;
        *(void **)&function = dlsym(RTLD_DEFAULT, names[i]);
        REQUIRE(function != NULL);
        if (function(0, 0, 0, 0, 0, 0, 0, 0) == cudaSuccess) api_expect(__FILE__, __LINE__, names[i], 0, 1);
        called++;
    }
    REQUIRE(called > 300);
    REQUIRE(__cudaInitModule(handle) == 0);
}

static void call_inside(void *user)
{
    *(enum cudaError *)user = cudaFree(NULL);
}

// Errors that name no argument have a reason, once; a host function that calls CUDA is told of.
SECTION(reasons)
{
    struct CUstream_st *stream, *joined;
    struct CUevent_st *event;
    struct CUgraph_st *graph;
    enum cudaError inside = cudaSuccess;
    WORKS(cudaStreamCreate(&stream));
    WORKS(cudaStreamCreate(&joined));
    WORKS(cudaEventCreateWithFlags(&event, 2));
    WORKS(cudaStreamBeginCapture(stream, 0));
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaStreamSynchronize(stream));
    SAYS("cudaStreamSynchronize: cudaErrorStreamCaptureUnsupported (900): a stream is being captured, and this call");
    REFUSES(ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaStreamSynchronize(stream));
    SAYS_NOTHING();
    REFUSES(ERROR_STREAM_CAPTURE_INVALIDATED, cudaStreamEndCapture(stream, &graph));
    SAYS("cudaStreamEndCapture: cudaErrorStreamCaptureInvalidated (901): an earlier call has spoilt the capture");
    REFUSES(ERROR_ILLEGAL_STATE, cudaStreamEndCapture(stream, &graph));
    SAYS("cudaErrorIllegalState (401): a stream or graph is not in the state");
    WORKS(cudaStreamBeginCapture(stream, 0));
    WORKS(cudaEventRecord(event, stream));
    WORKS(cudaStreamWaitEvent(joined, event, 0));
    WORKS(cudaLaunchHostFunc(joined, call_inside, &inside));
    REFUSES(ERROR_STREAM_CAPTURE_UNJOINED, cudaStreamEndCapture(stream, &graph));
    SAYS("cudaErrorStreamCaptureUnjoined (904): a stream joined the capture by an event and was not joined back");
    WORKS(cudaStreamDestroy(joined));
    REFUSES(ERROR_INVALID_HANDLE, cudaStreamSynchronize(joined));
    SAYS("cudaStreamSynchronize: cudaErrorInvalidResourceHandle (400): a handle that is passed");
    WORKS(cudaLaunchHostFunc(stream, call_inside, &inside));
    WORKS(cudaStreamSynchronize(stream));
    SAYS("a host function of a stream (cudaLaunchHostFunc, cudaStreamAddCallback) calls CUDA, which CUDA does not "
         "allow");
    REQUIRE(inside == cudaSuccess);
    // What the driver refuses behind a call of the runtime is told of that call, and of the driver's own behind it.
    REFUSES(ERROR_INVALID_VALUE, cudaFree(&inside));
    SAYS("tmaref: cudaFree: ");
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2((unsigned long long)(uintptr_t)&inside));
    SAYS("tmaref: cuMemFree: ");
}

// An event without timing, or one that was not recorded, is no handle where a time is asked for: an H200 answers 400 to
// the runtime's call as to the driver's, in every order of the two events.
SECTION(untimed_events)
{
    struct CUevent_st *start, *end;
    float milliseconds;
    WORKS(cudaEventCreate(&start));
    WORKS(cudaEventCreateWithFlags(&end, 2));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventElapsedTime(&milliseconds, start, end));
    WORKS(cudaEventRecord(start, NULL));
    WORKS(cudaEventRecord(end, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventElapsedTime(&milliseconds, start, end));
    WORKS(cudaEventDestroy(end));
    REFUSES(ERROR_INVALID_HANDLE, cudaEventElapsedTime(&milliseconds, start, end));
    WORKS(cudaEventCreate(&end)); // the handle of the one before
    WORKS(cudaEventRecord(end, NULL));
    WORKS(cudaEventElapsedTime(&milliseconds, start, end));
    REFUSES(ERROR_INVALID_VALUE, cudaEventElapsedTime(NULL, start, end)); // the driver's call: 400
}
