// SPDX-License-Identifier: MIT
// What is wrong with a tile in shared memory: given the load as it was meant and the bytes that were found, which
// causes of causes.def explain them. The load as meant and each cause are run on the model and compared with the dump.
#ifndef TMAREF_DIAGNOSE_H
#define TMAREF_DIAGNOSE_H

#include "memory.h"
#include "tensormap.h"

enum cause {
#define CAUSE(id, propose, sentence, advice) CAUSE_##id,
#include "causes.def"
#undef CAUSE
    CAUSES
};

struct cause_row {
    const char *id, *sentence, *advice;
};

const struct cause_row *cause_row(enum cause cause);

// The cause of that id, CAUSES if there is none.
enum cause cause_find(const char *id);

enum { DIAGNOSE_MAX_SLICES = 16 };

// The load as it was meant, and what was found.
//   offset     im2col maps only: im2colOffsets
//   slices     how many boxes of the map make the tile: slice s lies s boxes further along dimension `slice_dim`, and
//              s times the bytes of a box further in shared memory; 1: the box is the tile
//   tensor     global memory, as far as it is known
//   dump       shared memory as found; whatever lies outside is not looked at
//   before     what the bytes of the dump were before the load, or NULL if that is not known
//   word       the barrier's word at the dump, if has_word
//   expect     the bytes that arrive.expect_tx announced, if has_expect
struct diagnose {
    struct tensormap map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[3];
    uint32_t shared;
    uint32_t slices;
    int slice_dim;
    struct memory tensor, dump;
    const uint8_t *before;
    int has_word, has_expect;
    uint64_t word;
    uint32_t expect;
};

// A cause that explains the dump. `what` says how, in one line. `is_whole`: every byte of the dump is explained; if
// not, `bytes` of the wrong ones are.
struct explanation {
    enum cause cause;
    int is_whole;
    uint32_t bytes, distance;
    char what[240];
};

// The answer. The first explanation is the likeliest; all whole ones give the same bytes.
//   rule         why the load as meant faults (then nothing else is set), or RULE_OK
//   wrong_bytes  bytes that are not as meant, the first one at shared address `first_wrong`
//   tx_bytes     what the load as meant signals to its barrier
//   tried        how many hypotheses were run
struct diagnosis {
    enum rule rule;
    uint32_t wrong_bytes, first_wrong, tx_bytes, tried;
    int explanations;
    struct explanation explanation[CAUSES];
};

// Is all as it was meant: no byte wrong, and nothing to say of the barrier?
static inline int diagnosis_is_clean(const struct diagnosis *diagnosis)
{
    return diagnosis->rule == RULE_OK && diagnosis->wrong_bytes == 0 && diagnosis->explanations == 0;
}

// Returns 0 if there is no memory for the work.
int diagnose(const struct diagnose *question, struct diagnosis *diagnosis);

// The global address of the first place of the tensor that holds these 16 bytes; 0 if there is none, or if they are
// all alike.
uint64_t diagnose_origin(const struct diagnose *question, const uint8_t *bytes);

// The element of the tensor at a global address, by the strides of the map; the bytes past its first one are left out.
void diagnose_element(const struct tensormap *map, uint64_t address, int64_t *index);

#endif
