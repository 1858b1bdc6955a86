// SPDX-License-Identifier: MIT
// Operations of streams on one word: cuStreamWriteValue*, cuStreamWaitValue* and lists of them.
#include <string.h>

#include "graph_node.h"

enum operation { WAIT_32 = 1, WRITE_32 = 2, FLUSH_WRITES = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };
enum { WAIT_AT_LEAST, WAIT_EQUAL, WAIT_AND, WAIT_NOR, WAIT_FLUSHES = 1 << 30 };

static size_t bytes_of(uint32_t operation)
{
    return operation == WAIT_64 || operation == WRITE_64 ? sizeof(uint64_t) : sizeof(uint32_t);
}

static bool is_wait(uint32_t operation)
{
    return operation == WAIT_32 || operation == WAIT_64;
}

static bool is_managed(const struct driver *driver, uint64_t address)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    return found != NULL && found->kind == ALLOCATION_MANAGED;
}

static enum cuda_result check_operation(struct driver *driver, const char *call,
                                        const union CUstreamBatchMemOpParams_union *at)
{
    const uint32_t most = is_wait(at->operation) ? WAIT_NOR : 0;
    if (at->operation == FLUSH_WRITES) return CUDA_ERROR_NOT_SUPPORTED; // as an H200's driver says
    if (at->operation == BARRIER) return at->barrier.flags <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (at->operation < WAIT_32 || at->operation > WRITE_64) return CUDA_ERROR_INVALID_VALUE;
    if (is_wait(at->operation) && at->value.flags & WAIT_FLUSHES) return CUDA_ERROR_NOT_SUPPORTED;
    if (at->value.flags > most || is_managed(driver, at->value.address)) return CUDA_ERROR_INVALID_VALUE;
    if (at->value.address % bytes_of(at->operation) != 0)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "the address %#llx is not a multiple of %zu",
                             at->value.address, bytes_of(at->operation));
    return memory_check(driver, call, "word", at->value.address, bytes_of(at->operation), MEMORY_OF_DEVICE);
}

enum cuda_result operations_check(struct driver *driver, const char *call, const struct work_operations *operations)
{
    for (uint32_t i = 0; i < operations->count; i++) {
        const enum cuda_result error = check_operation(driver, call, &operations->at[i]);
        if (error != CUDA_SUCCESS) return error;
    }
    return CUDA_SUCCESS;
}

// Does the word fulfil what is waited for? `now` and `value` are 64 bits; a word of 32 has the sign of its own.
static bool is_fulfilled(uint64_t now, const union CUstreamBatchMemOpParams_union *at)
{
    const bool is_narrow = bytes_of(at->operation) == sizeof(uint32_t);
    const uint64_t value = is_narrow ? (uint32_t)at->value.value64 : at->value.value64;
    switch (at->value.flags) {
    case WAIT_AT_LEAST:
        return is_narrow ? (int32_t)(uint32_t)(now - value) >= 0 : (int64_t)(now - value) >= 0;
    case WAIT_EQUAL:
        return now == value;
    case WAIT_AND:
        return (now & value) != 0;
    default:
        return is_narrow ? (uint32_t) ~(now | value) != 0 : ~(now | value) != 0;
    }
}

// Threads of the host may read and write the word meanwhile.
static uint64_t read_word(const union CUstreamBatchMemOpParams_union *at)
{
    const void *word = (const void *)(uintptr_t)at->value.address;
    return bytes_of(at->operation) == sizeof(uint32_t) ? __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE)
                                                       : __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

static void write_word(const union CUstreamBatchMemOpParams_union *at)
{
    void *word = (void *)(uintptr_t)at->value.address;
    if (bytes_of(at->operation) == sizeof(uint32_t))
        __atomic_store_n((uint32_t *)word, (uint32_t)at->value.value64, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)word, at->value.value64, __ATOMIC_RELEASE);
}

// 0: it waits.
static bool run_operation(const union CUstreamBatchMemOpParams_union *at)
{
    if (is_wait(at->operation)) return is_fulfilled(read_word(at), at);
    if (at->operation != BARRIER) write_word(at);
    return true;
}

enum cuda_result operations_run(struct driver *driver, const struct work_operations *operations,
                                struct work_state *state)
{
    (void)driver;
    state->has_changed = false;
    state->is_stuck = true;
    for (; state->operations < operations->count; state->operations++) {
        if (!run_operation(&operations->at[state->operations])) return CUDA_ERROR_NOT_READY;
        state->has_changed = true;
    }
    return CUDA_SUCCESS;
}

void operations_hang(struct driver *driver, const struct work_operations *operations, const struct work_state *state,
                     const char *why)
{
    const union CUstreamBatchMemOpParams_union *at = &operations->at[state->operations];
    driver_refuse(driver, CUDA_ERROR_LAUNCH_TIMEOUT, "cuStreamWaitValue",
                  "the stream waits for %#llx (flags %u), and the word at %#llx is %#llx\n  %s",
                  (unsigned long long)at->value.value64, at->value.flags, at->value.address,
                  (unsigned long long)read_word(at), why);
}

// --- The calls -------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuStreamBatchMemOp_v2(struct CUstream_st *stream, unsigned count,
                                                      union CUstreamBatchMemOpParams_union *at, unsigned flags)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (stream_of(driver, stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (count > MOST_STREAM_OPERATIONS || at == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (count == 0) return CUDA_SUCCESS;
    const struct work work = {NODE_MEM_OPERATIONS, {.operations = {at, count}}};
    const enum cuda_result error = work_check(driver, "cuStreamBatchMemOp", &work);
    return error != CUDA_SUCCESS ? error : stream_submit(driver, stream, &work);
}

static enum cuda_result submit(struct CUstream_st *stream, enum operation operation, unsigned long long address,
                               uint64_t value, unsigned flags)
{
    union CUstreamBatchMemOpParams_union at = {
        .value = {.operation = operation, .address = address, .value64 = value, .flags = flags}};
    return cuStreamBatchMemOp_v2(stream, 1, &at, 0);
}

DRIVER_CALL(cuStreamWaitValue32_v2,
            (struct CUstream_st * stream, unsigned long long address, uint32_t value, unsigned flags),
            submit(stream, WAIT_32, address, value, flags))
DRIVER_CALL(cuStreamWaitValue64_v2,
            (struct CUstream_st * stream, unsigned long long address, uint64_t value, unsigned flags),
            submit(stream, WAIT_64, address, value, flags))
DRIVER_CALL(cuStreamWriteValue32_v2,
            (struct CUstream_st * stream, unsigned long long address, uint32_t value, unsigned flags),
            submit(stream, WRITE_32, address, value, flags))
DRIVER_CALL(cuStreamWriteValue64_v2,
            (struct CUstream_st * stream, unsigned long long address, uint64_t value, unsigned flags),
            submit(stream, WRITE_64, address, value, flags))
