// SPDX-License-Identifier: MIT
// The device runtime, as far as kernels launch kernels with it: what nvcc makes of kernel<<<...>>>() inside a kernel.
// A launch is handed to who runs the machine, and begins when this grid has ended. All that a grid asks for is done one
// after the other as it was asked for, so its streams and events have nothing to do.
#include <string.h>

#include "device_call.h"
#include "handler.h"
#include "heap.h"
#include "module.h"

// What the device runtime answers, as CUDA's enum cudaError numbers it.
enum { CHILD_DONE = 0, CHILD_INVALID = 1, CHILD_NO_MEMORY = 2, CHILD_NO_FUNCTION = 98, CHILD_UNSUPPORTED = 801 };

// Streams that have a meaning of their own, as cuda_device_runtime_api.h defines them.
enum { STREAM_TAIL_LAUNCH = 3 };

enum { PARAMETERS_MOST_BYTES = 4096 }; // CUDA Programming Guide, Dynamic Parallelism

// Lies in front of the parameters, which the kernel writes itself.
struct asked {
    uint64_t function;
    uint32_t grid[3], block[3], shared_bytes, unused[3]; // 16-byte alignment for what follows
};

static struct machine *machine_of(const struct machine_strand *strand)
{
    return strand->warp->cta->cluster->machine;
}

static uint64_t passed(const struct machine_strand *strand, const struct machine_code *code, uint32_t i, uint32_t lane,
                       uint32_t bytes)
{
    uint64_t value = 0;
    machine_passed(strand, code, i, lane, &value, bytes);
    return value;
}

// Keeps an error for cudaGetLastError().
static void answer(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, int error)
{
    if (error != CHILD_DONE) __atomic_store_n(&machine_of(strand)->child_error, error, __ATOMIC_RELAXED);
    machine_give(strand, code, lane, (uint32_t)error, 4);
}

static int ask(const struct machine_strand *strand, const struct machine_child *child)
{
    const struct machine_launch *launch = machine_of(strand)->launch;
    return launch->child == NULL ? CHILD_UNSUPPORTED : launch->child(launch->child_context, child);
}

static int transfer(const struct machine_strand *strand, uint32_t lane, uint64_t address, struct asked *asked,
                    bool is_write)
{
    const struct machine_place place = machine_place(strand, PTX_WORD_NONE, address);
    enum rule rule;
    return is_write ? machine_write(strand, place, lane, asked, sizeof *asked, &rule)
                    : machine_read(strand, place, lane, asked, sizeof *asked, &rule);
}

// __cudaCDP2GetParameterBufferV2(kernel, grid, block, shared bytes): where the parameters go, or 0.
enum machine_next machine_child_parameters(struct machine_strand *strand, const struct machine_code *code,
                                           uint32_t lanes)
{
    struct machine_heap *heap = machine_of(strand)->launch->heap;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        struct asked asked = {0};
        if (!(lanes >> lane & 1)) continue;
        const uint64_t address = heap == NULL ? 0 : machine_heap_take(heap, sizeof asked + PARAMETERS_MOST_BYTES);
        machine_passed(strand, code, 1, lane, &asked.function, sizeof asked.function);
        machine_passed(strand, code, 2, lane, asked.grid, sizeof asked.grid);
        machine_passed(strand, code, 3, lane, asked.block, sizeof asked.block);
        machine_passed(strand, code, 4, lane, &asked.shared_bytes, sizeof asked.shared_bytes);
        const bool is_there = address != 0 && transfer(strand, lane, address, &asked, true);
        machine_give(strand, code, lane, is_there ? address + sizeof asked : 0, 8);
    }
    return MACHINE_NEXT;
}

static int launch_child(const struct machine_strand *strand, uint32_t lane, const struct asked *asked,
                        uint64_t parameters, uint64_t stream)
{
    const struct machine_launch *launch = machine_of(strand)->launch;
    const struct machine_place place = machine_place(strand, PTX_WORD_NONE, parameters);
    uint8_t bytes[PARAMETERS_MOST_BYTES];
    uint32_t kernel;
    enum rule rule;
    if (!machine_function_at(launch->module, asked->function, &kernel)) return CHILD_NO_FUNCTION;
    if (!machine_module_program(launch->module)->function[kernel].is_entry) return CHILD_NO_FUNCTION;
    if (!machine_read(strand, place, lane, bytes, sizeof bytes, &rule)) return CHILD_INVALID;
    struct machine_child child = {.kind = MACHINE_CHILD_KERNEL,
                                  .kernel = (int)kernel,
                                  .shared_bytes = asked->shared_bytes,
                                  .is_tail = stream == STREAM_TAIL_LAUNCH,
                                  .parameters = bytes,
                                  .parameter_bytes = sizeof bytes};
    memcpy(child.grid, asked->grid, sizeof child.grid);
    memcpy(child.block, asked->block, sizeof child.block);
    return ask(strand, &child);
}

// __cudaCDP2LaunchDeviceV2(parameters, stream): an error of the CUDA runtime.
enum machine_next machine_child_launch(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_heap *heap = machine_of(strand)->launch->heap;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        struct asked asked;
        int error = CHILD_INVALID;
        if (!(lanes >> lane & 1)) continue;
        const uint64_t parameters = passed(strand, code, 1, lane, 8), stream = passed(strand, code, 2, lane, 8);
        if (transfer(strand, lane, parameters - sizeof asked, &asked, false))
            error = launch_child(strand, lane, &asked, parameters, stream);
        if (heap != NULL) machine_heap_give(heap, parameters - sizeof asked);
        answer(strand, code, lane, error);
    }
    return MACHINE_NEXT;
}

// __cudaCDP2GetLastError(), __cudaCDP2PeekAtLastError(): of the grid's launches.
static enum machine_next tell_error(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                    bool is_taken)
{
    int *error = &machine_of(strand)->child_error;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const int told = is_taken ? __atomic_exchange_n(error, CHILD_DONE, __ATOMIC_RELAXED)
                                  : __atomic_load_n(error, __ATOMIC_RELAXED);
        machine_give(strand, code, lane, (uint32_t)told, 4);
    }
    return MACHINE_NEXT;
}

enum machine_next machine_child_take_error(struct machine_strand *strand, const struct machine_code *code,
                                           uint32_t lanes)
{
    return tell_error(strand, code, lanes, true);
}

enum machine_next machine_child_see_error(struct machine_strand *strand, const struct machine_code *code,
                                          uint32_t lanes)
{
    return tell_error(strand, code, lanes, false);
}

// __cudaCDP2MemcpyAsync(to, from, bytes, kind, stream)
enum machine_next machine_child_copy(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const struct machine_child child = {.kind = MACHINE_CHILD_COPY,
                                            .to = passed(strand, code, 1, lane, 8),
                                            .from = passed(strand, code, 2, lane, 8),
                                            .bytes = passed(strand, code, 3, lane, 8),
                                            .is_tail = passed(strand, code, 5, lane, 8) == STREAM_TAIL_LAUNCH};
        answer(strand, code, lane, ask(strand, &child));
    }
    return MACHINE_NEXT;
}

// __cudaCDP2MemsetAsync(to, value, bytes, stream)
enum machine_next machine_child_set(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const struct machine_child child = {.kind = MACHINE_CHILD_SET,
                                            .to = passed(strand, code, 1, lane, 8),
                                            .value = (uint8_t)passed(strand, code, 2, lane, 4),
                                            .bytes = passed(strand, code, 3, lane, 8),
                                            .is_tail = passed(strand, code, 4, lane, 8) == STREAM_TAIL_LAUNCH};
        answer(strand, code, lane, ask(strand, &child));
    }
    return MACHINE_NEXT;
}

static int put_address(const struct machine_strand *strand, uint32_t lane, uint64_t at, uint64_t address)
{
    enum rule rule;
    return machine_write(strand, machine_place(strand, PTX_WORD_NONE, at), lane, &address, sizeof address, &rule);
}

// __cudaCDP2Malloc(pointer, bytes): of the heap.
enum machine_next machine_child_take(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_heap *heap = machine_of(strand)->launch->heap;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const uint64_t at = passed(strand, code, 1, lane, 8), bytes = passed(strand, code, 2, lane, 8);
        const uint64_t address = heap == NULL ? 0 : machine_heap_take(heap, bytes);
        const bool is_put = put_address(strand, lane, at, address);
        answer(strand, code, lane, !is_put ? CHILD_INVALID : address == 0 ? CHILD_NO_MEMORY : CHILD_DONE);
    }
    return MACHINE_NEXT;
}

// __cudaCDP2Free(pointer)
enum machine_next machine_child_free(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_heap *heap = machine_of(strand)->launch->heap;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const uint64_t address = passed(strand, code, 1, lane, 8);
        const bool is_given = address == 0 || (heap != NULL && machine_heap_give(heap, address));
        answer(strand, code, lane, is_given ? CHILD_DONE : CHILD_INVALID);
    }
    return MACHINE_NEXT;
}

// __cudaCDP2GetErrorString(error): its text, in a piece of the heap that stays taken.
enum machine_next machine_child_error_text(struct machine_strand *strand, const struct machine_code *code,
                                           uint32_t lanes)
{
    const struct machine_launch *launch = machine_of(strand)->launch;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        enum rule rule;
        if (!(lanes >> lane & 1)) continue;
        const int error = (int)passed(strand, code, 1, lane, 4);
        const char *text = launch->error_text == NULL ? "" : launch->error_text(error);
        const size_t bytes = strlen(text) + 1;
        const uint64_t address = launch->heap == NULL ? 0 : machine_heap_take(launch->heap, bytes);
        if (address != 0)
            machine_write(strand, machine_place(strand, PTX_WORD_NONE, address), lane, text, bytes, &rule);
        machine_give(strand, code, lane, address, 8);
    }
    return MACHINE_NEXT;
}

// A handle for nothing.
static enum machine_next give_handle(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                     uint32_t needed_flags)
{
    enum { HANDLE = 0x100 };
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const bool has_flags = (passed(strand, code, 2, lane, 4) & needed_flags) == needed_flags;
        const bool is_put = has_flags && put_address(strand, lane, passed(strand, code, 1, lane, 8), HANDLE);
        answer(strand, code, lane, is_put ? CHILD_DONE : CHILD_INVALID);
    }
    return MACHINE_NEXT;
}

// __cudaCDP2StreamCreateWithFlags(stream, flags)
enum machine_next machine_child_stream(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    return give_handle(strand, code, lanes, 0);
}

// __cudaCDP2EventCreateWithFlags(event, flags): kernels have no events that measure time.
enum machine_next machine_child_event(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    enum { DISABLE_TIMING = 2 };
    return give_handle(strand, code, lanes, DISABLE_TIMING);
}

// What else is done with streams and events.
enum machine_next machine_child_nothing(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1) machine_give(strand, code, lane, CHILD_DONE, 4);
    return MACHINE_NEXT;
}
