// SPDX-License-Identifier: MIT
// The fuzz targets: each takes any bytes, and fails by a crash, a sanitizer's report or fuzz_require(). libFuzzer runs
// one (entry.c), the test unit.fuzz-corpus runs all over the committed corpus (replay_main.c). See README.md.
#ifndef TMAREF_FUZZ_H
#define TMAREF_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "memory.h"

// One row per target; target X is fuzz_X() in X.c, its corpus the folder corpus/X.
#define FUZZ_TARGETS(X)                                                                                                \
    X(trace)                                                                                                           \
    X(case)                                                                                                            \
    X(map)                                                                                                             \
    X(dump)                                                                                                            \
    X(npy)                                                                                                             \
    X(cute)                                                                                                            \
    X(encode)                                                                                                          \
    X(core)                                                                                                            \
    X(edit)                                                                                                            \
    X(tensor)                                                                                                          \
    X(bulk) X(barrier) X(operate) X(cluster) X(matrix) X(ptx) X(fatbin) X(object) X(machine) X(launch) X(native)

#define FUZZ_DECLARE(name) void fuzz_##name(const uint8_t *bytes, size_t size_bytes);
FUZZ_TARGETS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

// What must hold for every input.
#define fuzz_require(claim)                                                                                            \
    do {                                                                                                               \
        if (claim) break;                                                                                              \
        fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim);                                     \
        abort();                                                                                                       \
    } while (0)

// A check and the call that moves find the same.
static inline void fuzz_require_alike(const struct findings *check, const struct findings *done)
{
    fuzz_require(check->count == done->count);
    for (int i = 0; i < check->count && i < FINDINGS_MAX; i++) {
        const struct finding *a = &check->item[i], *b = &done->item[i];
        fuzz_require(a->rule == b->rule && a->argument == b->argument && a->index == b->index);
        fuzz_require(a->value == b->value && a->limit == b->limit && a->nearest == b->nearest);
    }
}

// Takes numbers off the front of an input; zeros once it is used up.
struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};

static inline uint64_t fuzz_take(struct fuzz_input *input, int count_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < count_bytes && input->left > 0; i++, input->bytes++, input->left--)
        value |= (uint64_t)*input->bytes << 8 * i;
    return value;
}

// Mapped memory of just so many bytes, so that a sanitizer sees who leaves it: up to `most_bytes` of them, at `base` or
// anywhere. The caller frees its bytes.
static inline struct memory fuzz_memory(struct fuzz_input *input, uint64_t base, uint32_t most_bytes)
{
    uint32_t size_bytes = (uint32_t)fuzz_take(input, 3) % (most_bytes + 1);
    uint8_t kind = (uint8_t)fuzz_take(input, 1);
    struct memory memory = {malloc(size_bytes + !size_bytes), kind == 0xff ? fuzz_take(input, 8) : base, size_bytes};
    memset(memory.bytes, kind, size_bytes);
    if (memory.base + size_bytes < memory.base) memory.base = base; // none goes around the end of all addresses
    return memory;
}

#endif
