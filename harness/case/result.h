// SPDX-License-Identifier: MIT
// What running a case gives: a status and windows of bytes (a tensor map, the shared memory of each CTA, a log).
// Executors fill it, diff compares it, traces store it. Bytes live in the batch that owns the result.
#ifndef TMAREF_RESULT_H
#define TMAREF_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rule.h"
#include "text.h"

// Results in a batch, and on a GPU, begin at multiples of RESULT_ALIGNMENT.
enum { RESULT_MAX_WINDOWS = 17, RESULT_ALIGNMENT = 256, RESULT_TOLD_BYTES = 2048 };

// Bytes of memory: `base` is the address of bytes[0] in its space. `is_open` 1: the hardware decides what it holds; it
// is recorded, and not compared. `is_mixed` 1: the hardware decides some bytes, those that the family's open_bytes()
// marks; the others are compared.
struct window {
    const char *name;
    uint64_t base;
    uint32_t size_bytes;
    uint8_t *bytes;
    bool is_open, is_mixed;
};

// What a kernel says of waits that it gave up, as struct late of kernels/late.h does.
struct given_up {
    uint32_t waits, cta, thread, barrier, parity;
};

// How a case ended on the executor command: with a result, or why there is none.
enum result_end {
    RESULT_ANSWERED,
    RESULT_UNSUPPORTED, // the command says that it cannot run such a case
    RESULT_CRASHED,     // it ended
    RESULT_HUNG,        // it did not answer in time
    RESULT_GARBAGE,     // what it answered is no result
};

// `status`: 0, a CUDA error number, or minus a signal number when the host process died inside the driver.
// `rule`: why, when the executor knows (the model always does). `told`: what the executor sim says of a launch that
// failed, "" if none did; RULE_OK is then the rule of a failure that breaks none (a trap, a hang). `late`: what a
// kernel says of waits that it gave up; the status is then CUDA_ERROR_LAUNCH_TIMEOUT. `or_status`: 0, or the CUDA error
// that it may have been instead: where a GPU tells of many faults at once and cannot part the two, or where the model
// cannot know which of two the GPU reports. `is_open`: the
// executor was told to leave the case alone; nothing else is set. `end`: on the executor command; where it is not
// RESULT_ANSWERED, `told` is the reason.
struct result {
    int status, or_status;
    bool is_open;
    enum rule rule;
    enum result_end end;
    struct given_up late;
    char told[RESULT_TOLD_BYTES];
    int windows;
    struct window window[RESULT_MAX_WINDOWS];
    uint8_t *free_bytes;  // where the next window's bytes go
    uint8_t *first_bytes; // where the first one's went, for a second try
};

// An empty result whose windows' bytes go to `bytes`.
static inline struct result result_at(uint8_t *bytes)
{
    return (struct result){.free_bytes = bytes, .first_bytes = bytes};
}

// Is `status` what the result says, or may it be?
static inline bool result_may_be(const struct result *result, int status)
{
    return status == result->status || (result->or_status != 0 && status == result->or_status);
}

// May both sides have ended alike?
bool result_ends_agree(const struct result *one, const struct result *other);

// Do both sides name the same rule, or does one of them not know it?
bool result_rules_agree(const struct result *one, const struct result *other);

// The result of a case that ended its process: `status`, and what was told of that.
void result_fail(struct result *result, int status);

// The same of one that ended so on the executor command; and the word for it ("unsupported", ...).
void result_end(struct result *result, enum result_end end, int status, const char *told);
const char *result_end_name(enum result_end end);

// Adds a window of `size_bytes` bytes; returns its bytes, for the executor to fill. The name must be a literal.
uint8_t *result_window(struct result *result, const char *name, uint64_t base, uint32_t size_bytes);

// Leaves room up to the next multiple of `alignment` from the result's first byte.
void result_align(struct result *result, size_t alignment);

// Takes the windows away: what is left of a case that was refused or that faulted.
void result_close(struct result *result);

// The same as result_window() for a window that is not compared.
uint8_t *result_open_window(struct result *result, const char *name, uint64_t base, uint32_t size_bytes);

// The same for one of which some bytes are not.
uint8_t *result_mixed_window(struct result *result, const char *name, uint64_t base, uint32_t size_bytes);

// Numbers in the bytes of windows and memories, aligned or not.
static inline void put_u32(void *bytes, uint32_t number)
{
    memcpy(bytes, &number, sizeof number);
}

static inline void put_u64(void *bytes, uint64_t number)
{
    memcpy(bytes, &number, sizeof number);
}

#endif
