// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "device_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handler.h"
#include "heap.h"
#include "print.h"
#include "report.h"

static uint64_t passed_value(const struct machine_strand *strand, const struct machine_code *code, uint32_t i,
                             uint32_t lane, uint32_t bytes)
{
    uint64_t value = 0;
    machine_passed(strand, code, i, lane, &value, bytes);
    return value;
}

void machine_passed(const struct machine_strand *strand, const struct machine_code *code, uint32_t i, uint32_t lane,
                    void *to, uint32_t bytes)
{
    const struct machine_operand *operand = &code->operand[i];
    enum rule rule;
    if (operand->file != PTX_FILES) {
        const uint64_t value = machine_value(strand, operand, lane);
        memcpy(to, &value, bytes < sizeof value ? bytes : sizeof value);
        return;
    }
    uint64_t address = strand->frame->local_base + (uint64_t)operand->add % MACHINE_WINDOW_BYTES;
    machine_read(strand, (struct machine_place){PTX_LOCAL, address}, lane, to, bytes, &rule);
}

void machine_give(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, uint64_t value,
                  uint32_t bytes)
{
    const struct machine_operand *operand = &code->operand[0];
    enum rule rule;
    if (operand->file != PTX_FILES) {
        machine_set_value(strand, operand, lane, value);
        return;
    }
    uint64_t address = strand->frame->local_base + (uint64_t)operand->add % MACHINE_WINDOW_BYTES;
    machine_write(strand, (struct machine_place){PTX_LOCAL, address}, lane, &value, bytes, &rule);
}

// --- printf ----------------------------------------------------------------------------------------------------------

//   is_short  there was no memory for a string
struct reader {
    const struct machine_strand *strand;
    uint32_t lane;
    uint64_t arguments;
    bool is_short;
};

// A string, or as much of it as any text may have; NULL if it is not there.
static char *read_string(void *context, uint64_t address)
{
    struct reader *reader = context;
    enum rule rule;
    char *string = NULL;
    for (size_t i = 0, room = 0; i < PRINT_MOST_BYTES; i++) {
        struct machine_place place = machine_place(reader->strand, PTX_WORD_NONE, address + i);
        if (i + 1 >= room) {
            char *more = realloc(string, room = room == 0 ? 128 : 2 * room);
            reader->is_short |= more == NULL;
            if (more == NULL) break;
            string = more;
        }
        string[i + 1] = '\0';
        if (!machine_read(reader->strand, place, reader->lane, &string[i], 1, &rule)) break;
        if (string[i] == '\0' || i + 1 == PRINT_MOST_BYTES) return string;
    }
    free(string);
    return NULL;
}

static int read_argument(void *context, uint64_t offset, void *to, size_t bytes)
{
    const struct reader *reader = context;
    enum rule rule;
    struct machine_place place = machine_place(reader->strand, PTX_WORD_NONE, reader->arguments + offset);
    return machine_read(reader->strand, place, reader->lane, to, bytes, &rule);
}

// vprintf(format, arguments): the number of arguments comes back.
static enum machine_next print(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_launch *launch = strand->warp->cta->cluster->machine->launch;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        int conversions = -1;
        if (!(lanes >> lane & 1)) continue;
        struct reader reader = {strand, lane, passed_value(strand, code, 2, lane, 8), false};
        const struct print_source source = {&reader, read_string, read_argument};
        char *format = read_string(&reader, passed_value(strand, code, 1, lane, 8));
        size_t bytes = 0;
        char *text = format != NULL ? machine_print(format, &source, &bytes, &conversions) : NULL;
        bool is_short = reader.is_short || (format != NULL && text == NULL);
        if (text != NULL && !is_short && launch->print != NULL) launch->print(launch->print_context, text, bytes);
        free(text);
        free(format);
        if (is_short) return machine_stop(strand, code, lane, MACHINE_NO_MEMORY, 0, "no memory for the text of printf");
        machine_give(strand, code, lane, (uint32_t)conversions, 4);
    }
    return MACHINE_NEXT;
}

// --- Others ----------------------------------------------------------------------------------------------------------

static const char *shown(const char *string)
{
    return string == NULL ? "?" : string;
}

// CUDA's own line.
static void print_assertion(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                            const char *what)
{
    const struct machine_launch *launch = strand->warp->cta->cluster->machine->launch;
    const struct machine_where where = machine_where(strand, code, lane);
    struct reader reader = {strand, lane, 0, false};
    char *file = read_string(&reader, passed_value(strand, code, 1, lane, 8));
    char *function = read_string(&reader, passed_value(strand, code, 3, lane, 8)), *text;
    const int bytes =
        asprintf(&text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", shown(file),
                 (uint32_t)passed_value(strand, code, 2, lane, 4), shown(function), where.cta[0], where.cta[1],
                 where.cta[2], where.thread[0], where.thread[1], where.thread[2], what);
    if (bytes > 0) launch->print_error(launch->print_context, text, (size_t)bytes);
    if (bytes >= 0) free(text);
    free(file);
    free(function);
}

// __assertfail(message, file, line, function, bytes of a character)
static enum machine_next assert_fails(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    struct reader reader = {strand, (uint32_t)__builtin_ctz(lanes), 0, false};
    char *what = read_string(&reader, passed_value(strand, code, 0, reader.lane, 8));
    for (uint32_t lane = 0; lane < MACHINE_LANES && machine->launch->print_error != NULL; lane++)
        if (lanes >> lane & 1) print_assertion(strand, code, lane, shown(what));
    const enum machine_next next = machine_stop(
        strand, code, reader.lane, MACHINE_TRAPPED, CUDA_ASSERT, "the assertion `%s` failed for %d thread%s of warp %u",
        shown(what), __builtin_popcount(lanes), (lanes & (lanes - 1)) == 0 ? "" : "s", strand->warp->index);
    free(what);
    return next;
}

static enum machine_next take_memory(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_heap *heap = strand->warp->cta->cluster->machine->launch->heap;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1)
            machine_give(strand, code, lane,
                         heap == NULL ? 0 : machine_heap_take(heap, passed_value(strand, code, 1, lane, 8)), 8);
    return MACHINE_NEXT;
}

static enum machine_next give_memory(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_heap *heap = strand->warp->cta->cluster->machine->launch->heap;
    machine_progress(strand);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        uint64_t address = passed_value(strand, code, 0, lane, 8);
        if (heap == NULL ? address == 0 : machine_heap_give(heap, address)) continue;
        return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_LAUNCH_FAILED,
                            "free(0x%llx): malloc() of a kernel gave no such memory, or it was given back before",
                            (unsigned long long)address);
    }
    return MACHINE_NEXT;
}

// cudaGraphSetConditional(handle, value)
static enum machine_next set_condition(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_launch *launch = strand->warp->cta->cluster->machine->launch;
    machine_progress(strand);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        const uint64_t handle = passed_value(strand, code, 0, lane, 8);
        const uint32_t value = (uint32_t)passed_value(strand, code, 1, lane, 4);
        if (launch->set_condition != NULL && launch->set_condition(launch->condition_context, handle, value)) continue;
        return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_LAUNCH_FAILED,
                            "cudaGraphSetConditional(0x%llx, %u): no graph that is there has such a handle",
                            (unsigned long long)handle, value);
    }
    return MACHINE_NEXT;
}

struct device_call {
    const char *name;
    machine_handler *handler;
    uint32_t values; // that come back and are passed
};

static const struct device_call *device_call(struct ptx_name name)
{
    static const struct device_call rows[] = {{"vprintf", print, 3},
                                              {"__assertfail", assert_fails, 5},
                                              {"malloc", take_memory, 2},
                                              {"free", give_memory, 1},
                                              {"cudaGraphSetConditional", set_condition, 2},
                                              {"__cudaCDP2GetParameterBufferV2", machine_child_parameters, 5},
                                              {"__cudaCDP2LaunchDeviceV2", machine_child_launch, 3},
                                              {"__cudaCDP2GetLastError", machine_child_take_error, 1},
                                              {"__cudaCDP2PeekAtLastError", machine_child_see_error, 1},
                                              {"__cudaCDP2GetErrorString", machine_child_error_text, 2},
                                              {"__cudaCDP2MemcpyAsync", machine_child_copy, 6},
                                              {"__cudaCDP2MemsetAsync", machine_child_set, 5},
                                              {"__cudaCDP2Malloc", machine_child_take, 3},
                                              {"__cudaCDP2Free", machine_child_free, 2},
                                              {"__cudaCDP2StreamCreateWithFlags", machine_child_stream, 3},
                                              {"__cudaCDP2StreamDestroy", machine_child_nothing, 2},
                                              {"__cudaCDP2StreamWaitEvent", machine_child_nothing, 4},
                                              {"__cudaCDP2EventCreateWithFlags", machine_child_event, 3},
                                              {"__cudaCDP2EventRecord", machine_child_nothing, 3},
                                              {"__cudaCDP2EventDestroy", machine_child_nothing, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (name.length == strlen(rows[i].name) && memcmp(name.at, rows[i].name, name.length) == 0) return &rows[i];
    return NULL;
}

int machine_is_device_call(struct ptx_name name)
{
    return device_call(name) != NULL;
}

enum machine_next machine_device_call(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct ptx_program *program = machine_module_program(strand->warp->cta->cluster->machine->launch->module);
    const struct ptx_name name = program->function[code->target].name;
    const struct device_call *call = device_call(name);
    if (call != NULL && code->operands == call->values + 1u) return call->handler(strand, code, lanes);
    return machine_stop(strand, code, (uint32_t)__builtin_ctz(lanes), MACHINE_UNSUPPORTED, 0,
                        "'%.*s' is not called as CUDA's own compilers call it",
                        (int)(name.length > 200 ? 200 : name.length), name.at);
}
