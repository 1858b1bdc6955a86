// SPDX-License-Identifier: MIT
// What is wrong with a tile in shared memory, or with a tensor after a store: given the copy as it was meant and the
// bytes that were found, which causes of causes.def explain them, alone or two together. The copy as meant and each
// cause are run on the model and compared with the dump.
#ifndef TMAREF_DIAGNOSE_H
#define TMAREF_DIAGNOSE_H

#include <stdbool.h>

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

enum { DIAGNOSE_MAX_SLICES = 16, DIAGNOSE_MAX_OTHERS = 8, DIAGNOSE_MAX_EXPLANATIONS = 64 };

// The copy as it was meant, and what was found.
//   is_store   from shared memory to the tensor; else a load
//   offset     im2col maps only: im2colOffsets
//   slices     how many boxes of the map make the tile: slice s lies s boxes further along dimension `slice_dim`, and
//              s times the bytes of a box further in shared memory; 1: the box is the tile
//   source     what is copied from, as far as it is known: the tensor in global memory; for a store, shared memory
//   dump       what is copied to, as found: shared memory, for a store the tensor; whatever lies outside is not looked
//   at before     what the bytes of the dump were before the copy, or NULL if that is not known other      bytes that
//   may have come in place of the right ones: of another stage (as long as the dump), or of
//              another source (laid out as this one); their addresses do not count
//   word       the barrier's word at the dump, if has_word
//   expect     the bytes that arrive.expect_tx announced, if has_expect
struct diagnose {
    bool is_store;
    struct tensormap map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[3];
    uint32_t shared;
    uint32_t slices;
    int slice_dim;
    struct memory source, dump;
    const uint8_t *before;
    struct memory other[DIAGNOSE_MAX_OTHERS];
    int others;
    bool has_word, has_expect;
    uint64_t word;
    uint32_t expect;
};

// A cause that explains the dump, or two together: `second` is CAUSES for one alone. `what` says how, in one line.
//   is_whole  every byte of the dump is explained; if neither this nor is_maybe, `bytes` of the wrong ones are
//   is_maybe  it is, if bytes of which nobody knows where they are from are what the cause says; or, of two together,
//             if each piece is of that of two contents which it could be of (old or new, this tile or another): a third
//             mistake could hide in such a choice. Of one that is whole as well there is little doubt
struct explanation {
    enum cause cause, second;
    bool is_whole, is_maybe;
    uint32_t bytes, distance;
    char what[320];
};

// The answer. The first explanation is the likeliest; all whole ones give the same bytes.
//   rule         why the copy as meant faults (then nothing else is set), or RULE_OK
//   wrong_bytes  bytes that are not as meant, the first one at address `first_wrong` of the dump
//   foreign_bytes  those of them in 16-byte pieces that are nowhere in the source, and not all alike
//   tx_bytes     what the copy as meant moves, out-of-bounds parts included: a load signals so many to its barrier
//   tried        how many hypotheses were run
struct diagnosis {
    enum rule rule;
    uint64_t first_wrong;
    uint32_t wrong_bytes, foreign_bytes, tx_bytes, tried;
    int explanations;
    struct explanation explanation[DIAGNOSE_MAX_EXPLANATIONS];
};

// Is all as it was meant: no byte wrong, and nothing to say of the barrier?
static inline bool diagnosis_is_clean(const struct diagnosis *diagnosis)
{
    return diagnosis->rule == RULE_OK && diagnosis->wrong_bytes == 0 && diagnosis->explanations == 0;
}

// Is there no explanation but that the bytes are of something else?
bool diagnosis_is_foreign(const struct diagnosis *diagnosis);

// Returns 0 if there is no memory for the work.
bool diagnose(const struct diagnose *question, struct diagnosis *diagnosis);

// The address of the first place of the source that holds these 16 bytes; 0 if there is none, or if they are all alike.
// A copy moves pieces that begin at multiples of 16; a place that is only a multiple of the element counts after those.
uint64_t diagnose_origin(const struct diagnose *question, const uint8_t *bytes);

// The element of the tensor at a global address, by the strides of the map; the bytes past its first one are left out.
void diagnose_element(const struct tensormap *map, uint64_t address, int64_t *index);

#endif
