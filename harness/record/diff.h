// SPDX-License-Identifier: MIT
// Two executors side by side on the same cases, and what to say where they differ.
#ifndef TMAREF_DIFF_H
#define TMAREF_DIFF_H

#include "rule_most.h"
#include "source.h"

// How much of it: at most `faults` cases that the model predicts to kill their process, apart from the others;
// of those that a GPU cannot tell many at a time at most `alone` of each batch in a process of their own;
// the first `printed` mismatches are told; no new batch is begun after `seconds` (0: as long as it takes).
struct diff_limits {
    uint64_t faults, alone, sure, printed;
    double seconds;
};

// What a rule that can fault came to: cases predicted to break it; those of them that were told apart only from one of
// two CUDA errors (result.h); cases one step from breaking it; mismatches of either kind.
struct rule_tally {
    uint64_t faults, either, near, mismatches;
};

// What a comparison counted. `left_out` are cases predicted to kill the process that the cap of the fault lane kept
// from running; `unsupported` those that the executor command says it
// cannot run; `not_begun` those for which there was no time, or that Ctrl-C left. Nothing else is ever left out.
struct tally {
    uint64_t cases, mismatches, faults, left_out, unsupported, not_begun;
    double seconds;
    int interrupted; // by Ctrl-C
    struct rule_tally rule[RULE_MOST];
};

// Compares status and windows. 1 if they are the same, or both possible where the hardware decides (family.h).
bool result_agrees(const struct family *family, const void *test_case, const struct result *expected,
                   const struct result *found);

// Prints one mismatch: the case as JSON, both verdicts with their rules, and what the family makes of it.
void diff_print(const struct family *family, uint64_t index, const void *test_case, const struct result *expected,
                const struct result *found, FILE *out);

// A verdict in words: "accepted", "CUDA_ERROR_MISALIGNED_ADDRESS (716), rule LOAD_SMEM_ALIGN", "killed by signal 11".
void verdict_text(const struct result *result, struct text *text);

// Runs all cases of `source` on both executors, within `limits`; mismatches go to `out`. Returns 0 with `why` if an
// executor or the source gives up.
bool diff_run(struct source *source, const struct executor *expected, const struct executor *found,
              const struct diff_limits *limits, FILE *out, struct tally *tally, struct text *why);

#endif
