// SPDX-License-Identifier: MIT
// The four tensor map calls as the watched program sees them. Each takes a copy of its arguments, asks the model, is
// reported, goes on to the driver, and is reported again: what the program passed survives a crash of the driver.
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rules/map.h"
#include "watch.h"

#define CASE(name, value)                                                                                              \
    case value:                                                                                                        \
        return #name;
#define VALUE_NAME(function, rows)                                                                                     \
    static const char *function(uint32_t value)                                                                        \
    {                                                                                                                  \
        switch (value) {                                                                                               \
            rows(CASE) default : return NULL;                                                                          \
        }                                                                                                              \
    }
VALUE_NAME(data_type_name, CUDA_TENSOR_MAP_DATA_TYPE_ROWS)
VALUE_NAME(interleave_name, CUDA_TENSOR_MAP_INTERLEAVE_ROWS)
VALUE_NAME(swizzle_name, CUDA_TENSOR_MAP_SWIZZLE_ROWS)
VALUE_NAME(l2_promotion_name, CUDA_TENSOR_MAP_L2_PROMOTION_ROWS)
VALUE_NAME(oob_fill_name, CUDA_TENSOR_MAP_OOB_FILL_ROWS)
VALUE_NAME(wide_mode_name, CUDA_TENSOR_MAP_WIDE_MODE_ROWS)

// Copies memory that may not be there. Returns 0, or -1 if it cannot be read; where the kernel forbids to ask, it is
// taken to be readable.
static int copy_memory(void *to, const void *from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
    if (bytes == 0) return 0;
    ssize_t count = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (count == (ssize_t)bytes) return 0;
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return -1;
    memcpy(to, from, bytes);
    return 0;
}

static struct watch_argument *note(struct watch_call *call, const char *name, enum watch_kind kind, uint64_t value)
{
    struct watch_argument *argument = &call->argument[call->argument_count++];
    *argument = (struct watch_argument){.name = name, .kind = kind, .value = value};
    return argument;
}

static void note_pointer(struct watch_call *call, const char *name, const void *pointer)
{
    note(call, name, WATCH_POINTER, (uintptr_t)pointer);
}

static void note_enum(struct watch_call *call, const char *name, uint32_t value, const char *value_name)
{
    note(call, name, WATCH_ENUM, value)->value_name = value_name;
}

// The entries behind `pointer`: as many as the rank says but `less`, at most five. Returns what to pass to the model:
// the copy, or NULL if the program passed NULL.
static const void *note_array(struct watch_call *call, const char *name, enum watch_kind kind, const void *pointer,
                              uint32_t rank, int less)
{
    size_t entry_bytes = kind == WATCH_U64S ? sizeof(uint64_t) : sizeof(uint32_t);
    struct watch_argument *argument = note(call, name, kind, (uintptr_t)pointer);
    if (pointer == NULL) return NULL;
    uint32_t entries = rank < TENSORMAP_MAX_RANK ? rank : TENSORMAP_MAX_RANK;
    if ((int)entries > less) argument->count = (int)entries - less;
    if (copy_memory(&argument->entry, pointer, (size_t)argument->count * entry_bytes) != 0) {
        argument->count = -1;
        call->is_modelled = false;
    }
    return &argument->entry;
}

static void note_type(struct watch_call *call, struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                      const void *address)
{
    note_pointer(call, "tensorMap", map);
    note_enum(call, "tensorDataType", data_type, data_type_name(data_type));
    note(call, "tensorRank", WATCH_UNSIGNED, rank);
    note_pointer(call, "globalAddress", address);
}

static void note_modes(struct watch_call *call, uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
                       uint32_t oob_fill)
{
    note_enum(call, "interleave", interleave, interleave_name(interleave));
    note_enum(call, "swizzle", swizzle, swizzle_name(swizzle));
    note_enum(call, "l2Promotion", l2_promotion, l2_promotion_name(l2_promotion));
    note_enum(call, "oobFill", oob_fill, oob_fill_name(oob_fill));
}

static void call_start(struct watch_call *call, const char *function, const struct tensormap_image *map)
{
    unsigned char *written = call->room + (uintptr_t)map % 64;
    call->written = map == NULL ? NULL : (struct tensormap_image *)(void *)written;
    call->function = function;
    call->number = ++watch_state()->begun;
    call->argument_count = 0;
    call->is_modelled = true;
    call->is_printed = false;
    call->rule = RULE_OK;
    call->findings.count = 0;
    call->wrong_words = 0;
}

// The model was given a map of ours in place of the program's: what it found about the object is true of the latter.
static void findings_about(struct findings *findings, const struct tensormap_image *map)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++) {
        struct finding *finding = &findings->item[i];
        if (finding->rule != RULE_MAP_OBJECT_ALIGN) continue;
        finding->value = (uintptr_t)map;
        finding->nearest = ((uintptr_t)map + finding->limit - 1) / finding->limit * finding->limit;
    }
}

static uint64_t warnings_in(const struct findings *findings)
{
    uint64_t count = 0;
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        count += (uint64_t)rule_is_warning(findings->item[i].rule);
    return count;
}

static void print(void (*report)(const struct watch_call *, const struct watch_shared *, struct line *),
                  const struct watch_call *call)
{
    struct line *line = malloc(sizeof *line);
    if (line == NULL) return;
    line_start(line);
    report(call, watch_state(), line);
    watch_write(line);
    free(line);
}

// Before the driver has it. `map` is the program's object, which it may have misaligned.
static void call_report(struct watch_call *call, const struct tensormap_image *map)
{
    int saved_errno = errno;
    findings_about(&call->findings, map);
    watch_state()->warnings += warnings_in(&call->findings);
    call->repeated = watch_state()->json || watch_state()->every ? NULL : watch_find_seen(call, watch_state());
    bool is_new = call->repeated == NULL || call->repeated->number == call->number;
    call->is_printed = is_new && (!watch_state()->only_refused || !call->is_modelled || call->rule != RULE_OK);
    if (call->is_printed) print(watch_report_call, call);
    errno = saved_errno;
}

bool watch_is_judged(const struct watch_call *call)
{
    return call->result == CUDA_SUCCESS || call->result == CUDA_ERROR_INVALID_VALUE;
}

int watch_differs(const struct watch_call *call)
{
    if (!call->is_modelled || !watch_is_judged(call)) return 0;
    return rule_cuda_error(call->rule) != (int)call->result || call->wrong_words != 0;
}

static void compare_maps(struct watch_call *call, const struct tensormap_image *map)
{
    if (!call->is_modelled || call->rule != RULE_OK || call->result != CUDA_SUCCESS) return;
    if (copy_memory(&call->actual, map, TENSORMAP_BYTES) != 0) return;
    memcpy(&call->expected, (const void *)call->written, TENSORMAP_BYTES);
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++)
        if (call->actual.word[i] != call->expected.word[i]) call->wrong_words |= 1u << i;
}

// Is this what the call that it repeats was answered, or is that still on its way and this as the model says? Counts it
// if so; the first call leaves its answer.
static bool is_repeat(const struct watch_call *call)
{
    struct watch_seen *seen = call->repeated;
    uint64_t answer = 1 | (uint64_t)watch_differs(call) << 1 | (uint64_t)(uint32_t)call->result << 2;
    if (seen == NULL) return false;
    if (seen->number == call->number) {
        seen->answer = answer;
        return false;
    }
    bool is_same = seen->answer == answer || (seen->answer == 0 && !watch_differs(call));
    seen->repeats += (uint64_t)is_same;
    return is_same;
}

// When the driver has answered.
static enum cuda_result call_finish(struct watch_call *call, const struct tensormap_image *map, enum cuda_result result)
{
    int saved_errno = errno;
    struct watch_shared *state = watch_state();
    call->result = result;
    compare_maps(call, map);
    state->returned++;
    state->refused += result != CUDA_SUCCESS;
    state->differences += (uint64_t)watch_differs(call);
    bool is_answer_new = !is_repeat(call);
    if (!call->is_printed && is_answer_new && (result != CUDA_SUCCESS || watch_differs(call))) {
        call->is_printed = true;
        print(watch_report_call, call);
    }
    if (call->is_printed) print(watch_report_return, call);
    errno = saved_errno;
    return result;
}

enum cuda_result cuTensorMapEncodeTiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                        const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                        const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                        uint32_t l2_promotion, uint32_t oob_fill)
{
    struct watch_call call;
    call_start(&call, __func__, map);
    note_type(&call, map, data_type, rank, address);
    const uint64_t *dim_copy = note_array(&call, "globalDim", WATCH_U64S, dim, rank, 0);
    const uint64_t *stride_copy = note_array(&call, "globalStrides", WATCH_U64S, stride, rank, 1);
    const uint32_t *box_copy = note_array(&call, "boxDim", WATCH_U32S, box, rank, 0);
    const uint32_t *estride_copy = note_array(&call, "elementStrides", WATCH_U32S, estride, rank, 0);
    note_modes(&call, interleave, swizzle, l2_promotion, oob_fill);
    if (call.is_modelled)
        call.rule =
            tensormap_encode_tiled(call.written, data_type, rank, (uintptr_t)address, dim_copy, stride_copy, box_copy,
                                   estride_copy, interleave, swizzle, l2_promotion, oob_fill, &call.findings);
    call_report(&call, map);

    cuTensorMapEncodeTiled_fn driver = (cuTensorMapEncodeTiled_fn)watch_real(WATCH_cuTensorMapEncodeTiled);
    return call_finish(&call, map,
                       driver == NULL ? CUDA_ERROR_NOT_FOUND
                                      : driver(map, data_type, rank, address, dim, stride, box, estride, interleave,
                                               swizzle, l2_promotion, oob_fill));
}

enum cuda_result cuTensorMapEncodeIm2col(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                         const uint64_t *dim, const uint64_t *stride, const int *lower,
                                         const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *estride,
                                         uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
                                         uint32_t oob_fill)
{
    struct watch_call call;
    call_start(&call, __func__, map);
    note_type(&call, map, data_type, rank, address);
    const uint64_t *dim_copy = note_array(&call, "globalDim", WATCH_U64S, dim, rank, 0);
    const uint64_t *stride_copy = note_array(&call, "globalStrides", WATCH_U64S, stride, rank, 1);
    const int *lower_copy = note_array(&call, "pixelBoxLowerCorner", WATCH_I32S, lower, rank, 2);
    const int *upper_copy = note_array(&call, "pixelBoxUpperCorner", WATCH_I32S, upper, rank, 2);
    note(&call, "channelsPerPixel", WATCH_UNSIGNED, channels);
    note(&call, "pixelsPerColumn", WATCH_UNSIGNED, pixels);
    const uint32_t *estride_copy = note_array(&call, "elementStrides", WATCH_U32S, estride, rank, 0);
    note_modes(&call, interleave, swizzle, l2_promotion, oob_fill);
    if (call.is_modelled)
        call.rule = tensormap_encode_im2col(call.written, data_type, rank, (uintptr_t)address, dim_copy, stride_copy,
                                            lower_copy, upper_copy, channels, pixels, estride_copy, interleave, swizzle,
                                            l2_promotion, oob_fill, &call.findings);
    call_report(&call, map);

    cuTensorMapEncodeIm2col_fn driver = (cuTensorMapEncodeIm2col_fn)watch_real(WATCH_cuTensorMapEncodeIm2col);
    return call_finish(&call, map,
                       driver == NULL ? CUDA_ERROR_NOT_FOUND
                                      : driver(map, data_type, rank, address, dim, stride, lower, upper, channels,
                                               pixels, estride, interleave, swizzle, l2_promotion, oob_fill));
}

enum cuda_result cuTensorMapEncodeIm2colWide(struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                                             void *address, const uint64_t *dim, const uint64_t *stride,
                                             int lower_width, int upper_width, uint32_t channels, uint32_t pixels,
                                             const uint32_t *estride, uint32_t interleave, uint32_t mode,
                                             uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill)
{
    struct watch_call call;
    call_start(&call, __func__, map);
    note_type(&call, map, data_type, rank, address);
    const uint64_t *dim_copy = note_array(&call, "globalDim", WATCH_U64S, dim, rank, 0);
    const uint64_t *stride_copy = note_array(&call, "globalStrides", WATCH_U64S, stride, rank, 1);
    note(&call, "pixelBoxLowerCornerWidth", WATCH_SIGNED, (uint64_t)(int64_t)lower_width);
    note(&call, "pixelBoxUpperCornerWidth", WATCH_SIGNED, (uint64_t)(int64_t)upper_width);
    note(&call, "channelsPerPixel", WATCH_UNSIGNED, channels);
    note(&call, "pixelsPerColumn", WATCH_UNSIGNED, pixels);
    const uint32_t *estride_copy = note_array(&call, "elementStrides", WATCH_U32S, estride, rank, 0);
    note_enum(&call, "mode", mode, wide_mode_name(mode));
    note_modes(&call, interleave, swizzle, l2_promotion, oob_fill);
    if (call.is_modelled)
        call.rule = tensormap_encode_im2col_wide(call.written, data_type, rank, (uintptr_t)address, dim_copy,
                                                 stride_copy, lower_width, upper_width, channels, pixels, estride_copy,
                                                 interleave, mode, swizzle, l2_promotion, oob_fill, &call.findings);
    call_report(&call, map);

    cuTensorMapEncodeIm2colWide_fn driver =
        (cuTensorMapEncodeIm2colWide_fn)watch_real(WATCH_cuTensorMapEncodeIm2colWide);
    return call_finish(&call, map,
                       driver == NULL
                           ? CUDA_ERROR_NOT_FOUND
                           : driver(map, data_type, rank, address, dim, stride, lower_width, upper_width, channels,
                                    pixels, estride, interleave, mode, swizzle, l2_promotion, oob_fill));
}

enum cuda_result cuTensorMapReplaceAddress(struct tensormap_image *map, void *address)
{
    struct watch_call call;
    call_start(&call, __func__, map);
    note_pointer(&call, "tensorMap", map);
    note_pointer(&call, "globalAddress", address);
    call.is_modelled = map == NULL || copy_memory(call.written, map, TENSORMAP_BYTES) == 0;
    if (call.is_modelled) call.rule = tensormap_replace_address(call.written, (uintptr_t)address, &call.findings);
    call_report(&call, map);

    cuTensorMapReplaceAddress_fn driver = (cuTensorMapReplaceAddress_fn)watch_real(WATCH_cuTensorMapReplaceAddress);
    return call_finish(&call, map, driver == NULL ? CUDA_ERROR_NOT_FOUND : driver(map, address));
}
