// SPDX-License-Identifier: MIT
#include "runtime.h"

#include <stdarg.h>

#include "refusal.h"
#include "runtime_error.h"
#include "speaking.h"

static _Thread_local enum cudaError last_error;
static _Thread_local bool is_ready;

// What the driver says of the current context, and does nothing else.
static enum cuda_result state_of_current(void)
{
    return cuCtxGetStreamPriorityRange(NULL, NULL);
}

// Was the current context destroyed, as the primary one by a reset?
static bool is_gone(void)
{
    return state_of_current() == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Counted once, when the runtime begins at the latest: a child of fork(), which has no driver, still knows.
enum cuda_result runtime_count(int *count)
{
    static int known;
    if (count == NULL) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = known > 0 ? CUDA_SUCCESS : cuInit(0);
    if (error == CUDA_SUCCESS && known == 0) error = cuDeviceGetCount(&known);
    if (error == CUDA_SUCCESS) *count = known;
    return error;
}

void runtime_speak_of(const char *call)
{
    static _Thread_local const struct speaking *speaking;
    const void *table = NULL;
    if (speaking == NULL && cuGetExportTable(&table, &SPEAKING_ID) == CUDA_SUCCESS) speaking = table;
    if (speaking != NULL) speaking->call_of(call); // no other driver has the table
}

enum cudaError runtime_ready_of(const char *call)
{
    int devices;
    struct CUctx_st *context;
    runtime_speak_of(call);
    if (is_ready && cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL && !is_gone()) return cudaSuccess;
    enum cuda_result error = cuInit(0);
    if (error == CUDA_SUCCESS) error = runtime_count(&devices);
    if (error == CUDA_SUCCESS) error = cuCtxGetCurrent(&context);
    const bool is_new = error == CUDA_SUCCESS && (context == NULL || is_gone());
    struct CUctx_st *const was = is_new ? context : NULL;
    if (is_new) error = cuDevicePrimaryCtxRetain(&context, 0);
    if (error == CUDA_SUCCESS) error = cuCtxSetCurrent(context);
    if (is_new && error == CUDA_SUCCESS && state_of_current() != CUDA_SUCCESS) {
        cuCtxSetCurrent(was); // a device on which a kernel failed is of no more use, whatever the process resets
        return cudaErrorDevicesUnavailable;
    }
    if (error != CUDA_SUCCESS) return (enum cudaError)error;
    is_ready = true;
    runtime_place_managed();
    return cudaSuccess;
}

// What a program is to do about an error that names no argument.
static const char *reason_of(int error)
{
    switch (error) {
    case CUDA_ERROR_OUT_OF_MEMORY:
        return "there is not enough memory: of the simulated device, or of the host for what a kernel declares "
               "(.global, "
               ".local, .shared, .param)";
    case CUDA_ERROR_INVALID_HANDLE:
        return "a handle that is passed (a stream, event, graph, function or library) was destroyed before, or was "
               "never made; or an event "
               "was not recorded";
    case CUDA_ERROR_ILLEGAL_STATE:
        return "a stream or graph is not in the state that the call needs: it is being captured, or it is not";
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
        return "a stream is being captured, and this call would wait for the device or cannot become a node. The "
               "capture is "
               "of no more use. Call it before cudaStreamBeginCapture or after cudaStreamEndCapture";
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
        return "an earlier call has spoilt the capture of this stream: look for the first error of 900 to 907";
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
        return "the event belongs to another capture than the stream; two captures cannot become one";
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
        return "the capture began on another stream: call cudaStreamEndCapture for that one";
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
        return "a stream joined the capture by an event and was not joined back: record an event on it, and let the "
               "first "
               "stream wait for it (cudaStreamWaitEvent), before cudaStreamEndCapture";
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
        return "the capture began in another thread: end it there, or begin it with cudaStreamCaptureModeRelaxed";
    default:
        return NULL;
    }
}

// Once for each error, unless the driver has said something since the last error of this thread.
static void tell_reason(const char *call, int error)
{
    static _Thread_local unsigned said;
    static unsigned char was_told[1000];
    const unsigned before = said;
    const char *reason = reason_of(error);
    cuLogsCurrent(&said, 0);
    if (reason == NULL || said != before || was_told[error] || refusal_is_quiet()) return;
    was_told[error] = 1;
    refusal_say(call, "%s (%d): %s", cudaGetErrorName((enum cudaError)error), error, reason);
}

enum cudaError runtime_keep_of(const char *call, int error)
{
    runtime_speak_of(NULL);
    if (error != cudaSuccess) tell_reason(call, error);
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = (enum cudaError)error;
    return (enum cudaError)error;
}

int runtime_missing(const char *name, const char *why, int *was_told)
{
    refusal_missing(name, "801", why, was_told);
    return (int)runtime_keep(cudaErrorNotSupported);
}

RUNTIME_VISIBLE enum cudaError cudaPeekAtLastError(void)
{
    return last_error;
}

// An error of a kernel comes again with the next call that needs the device.
RUNTIME_VISIBLE enum cudaError cudaGetLastError(void)
{
    const enum cudaError error = last_error;
    last_error = cudaSuccess;
    return error;
}

RUNTIME_VISIBLE const char *cudaGetErrorName(enum cudaError error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(number, driver, runtime, text)                                                                  \
    case number:                                                                                                       \
        return #runtime;
#define RUNTIME_ERROR_ROW(number, name, text)                                                                          \
    case number:                                                                                                       \
        return #name;
#include "errors.def"
    default:
        return "unrecognized error code";
    }
}

RUNTIME_VISIBLE const char *cudaGetErrorString(enum cudaError error)
{
    return runtime_error_text((int)error);
}
