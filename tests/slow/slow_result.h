// SPDX-License-Identifier: MIT
// What a load did, on the model or on the slow walk, and how two such results differ.
#ifndef TMAREF_SLOW_RESULT_H
#define TMAREF_SLOW_RESULT_H

#include <check.h>
#include <string.h>

#include "slow_vectors.h"

// What a load did: the CUDA error or 0, and all of shared memory. `tx_bytes` of a fault is what it was before.
struct result {
    int error;
    uint32_t tx_bytes;
    uint8_t smem[SLOW_SMEM_BYTES];
};

static inline void clear(struct result *outcome)
{
    uint32_t value = 0x9e3779b9;
    outcome->tx_bytes = 0xdeadbeef;
    for (size_t i = 0; i < SLOW_SMEM_BYTES; i++) {
        value = value * 1664525 + 1013904223;
        outcome->smem[i] = (uint8_t)(value >> 24);
    }
}

static inline bool is_same(const struct result *a, const struct result *b)
{
    return a->error == b->error && a->tx_bytes == b->tx_bytes && memcmp(a->smem, b->smem, sizeof a->smem) == 0;
}

// Fails with the first difference, and with the whole case as `text`.
static inline void tell_difference(const struct result *model, const struct result *slow, uint64_t smem_base,
                                   const char *what, const char *text)
{
    size_t at = 0;
    while (at < SLOW_SMEM_BYTES && model->smem[at] == slow->smem[at]) at++;
    if (at == SLOW_SMEM_BYTES)
        ck_abort_msg("%s: model error %d tx %u, slow error %d tx %u\n%s", what, model->error, model->tx_bytes,
                     slow->error, slow->tx_bytes, text);
    ck_abort_msg("%s: model error %d tx %u, slow error %d tx %u; smem 0x%zx: model %02x, slow %02x\n%s", what,
                 model->error, model->tx_bytes, slow->error, slow->tx_bytes, (size_t)smem_base + at, model->smem[at],
                 slow->smem[at], text);
}

#endif
