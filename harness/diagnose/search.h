// SPDX-License-Identifier: MIT
// The search for a cause: a hypothesis is a load that might have been done in place of the one meant; it is run on the
// model and its bytes compared with the dump. First for hypotheses that explain every byte; if there is none, again for
// those that explain most. Private to this folder.
#ifndef TMAREF_SEARCH_H
#define TMAREF_SEARCH_H

#include "diagnose.h"

// A load that might have been done.
//   shift      the swizzle pattern begins so many bytes earlier (multiple of 128)
//   undone     the swizzle mode that somebody undid between shared memory and the dump
//   transposed dimensions 0 and 1 are transposed in shared memory
//   slot       which slice lies in each place
struct hypothesis {
    struct tensormap map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[3];
    uint32_t shared, shift;
    enum tensormap_swizzle undone;
    int transposed;
    uint8_t slot[DIAGNOSE_MAX_SLICES];
};

// Shared addresses that a hypothesis may write to: past all of an SM's shared memory.
enum { WORK_BYTES = 1 << 18 };

//   work       all of shared memory, from address 0; plane is room for a part of it
//   expected   the bytes of the dump as meant; where nothing is known of a byte, what was found
//   inverse    the dump's bytes, all bits flipped: a byte that still is so was not written
//   wrong      1 for each byte that is not as meant
//   right      1 for each byte that the load meant writes as it was found
//   is_partial the second search: hypotheses that explain some of the wrong bytes count
//   cause      the one that is being tried
struct search {
    const struct diagnose *question;
    struct diagnosis *answer;
    uint8_t *work, *plane, *expected, *wrong, *right, *inverse;
    struct hypothesis meant;
    int is_partial;
    enum cause cause;
};

// The load as it was meant.
struct hypothesis search_meant(const struct diagnose *question);

// Runs `hypothesis` over `background` (as long as the dump); returns the bytes at the dump's place, or NULL if the load
// would fault. `tx_bytes` may be NULL.
const uint8_t *search_run(struct search *search, const struct hypothesis *hypothesis, const uint8_t *background,
                          uint32_t *tx_bytes);

// Tries a hypothesis for the cause at hand. `distance`: how far-fetched it is; of the same cause the nearest is kept.
void search_try(struct search *search, const struct hypothesis *hypothesis, uint32_t distance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Adds an explanation found in another way.
void search_add(struct search *search, const struct explanation *explanation);

// Steps of the box along dimension i, and how many elements of the tensor they span.
uint32_t search_steps(const struct tensormap *map, int i);
int64_t search_span(const struct tensormap *map, int i);

// Bytes of a slice in shared memory.
uint32_t search_box_bytes(const struct diagnose *question);

// Each function tries the cause of its row.
#define CAUSE(id, propose, sentence, advice) void propose(struct search *search);
#include "causes.def"
#undef CAUSE

#endif
