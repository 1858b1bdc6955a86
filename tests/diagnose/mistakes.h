// SPDX-License-Identifier: MIT
// Mistakes as people make them, in loads and in stores, written without a look at the table of causes; only the names
// of the causes that would say so are taken from there. A trial is a tile that went wrong by one or two of them.
#ifndef TMAREF_MISTAKES_H
#define TMAREF_MISTAKES_H

#include <stdbool.h>

#include "tile_field.h"

enum { TRIAL_SHARED_BYTES = 1 << 16, TRIAL_TENSOR_BYTES = 1 << 19, TRIAL_SLICES = 4, TRIAL_SHARED_FIRST = 0x400 };

struct dice {
    uint64_t state;
};

uint64_t dice_below(struct dice *dice, uint64_t sides);

// Other bytes that a user has at hand: another tensor of the same shape, or a dump of another stage.
enum other { OTHER_NONE, OTHER_OPERAND, OTHER_STAGE };

//   is_store   shared memory is copied to the tensor
//   meant      what the user thinks is done; `done`: what is, and that in slices `slot[]`
//   file       the tensor's bytes as the user has them; `global`: as they are in memory
//   shared     shared memory; `before`, what was there (of a store: what was in the tensor)
//   window     the part of shared memory that the user dumps
//   is_added   a store adds
struct trial {
    bool is_store;
    int slices, slice_dim;
    bool is_added;
    enum other other_kind;
    struct field meant, done;
    int slot[TRIAL_SLICES];
    struct bytes file, global, shared, before, other, window;
};

// A mistake: changes what is done, or the bytes it is done with, or what is there afterwards; each may be NULL, and
// returns 0 where this trial cannot have it.
//   says   the causes that name it, with | between them; "?" stands for "these bytes are not of this tensor"
struct mistake {
    const char *name, *says;
    bool in_loads, in_stores;
    int (*numbers)(struct trial *trial, struct dice *dice);
    int (*bytes)(struct trial *trial, struct dice *dice);
    int (*after)(struct trial *trial, struct dice *dice);
};

extern const struct mistake mistakes[];
extern const int mistakes_count;

// Draws a tile as meant, with its tensor; the bytes lie in `trial` until the next call.
void trial_draw(struct trial *trial, uint64_t seed, bool is_store);

// Does what is meant (both NULL), or with one or two mistakes; 0 if it cannot be done. Leaves shared memory, or the
// tensor, as the user finds it.
bool trial_do(struct trial *trial, uint64_t seed, const struct mistake *first, const struct mistake *second);

#endif
