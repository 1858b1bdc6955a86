// SPDX-License-Identifier: MIT
// Global memory of CTAs that are followed by themselves (apart.h), one after the other on a thread of the host, where
// barriers of all are the only order within a CTA (between.h). Of each word it is enough to know who has read and who
// has written it last: a stamp each, of a part (from one barrier to the next, counted through all CTAs), a warp and a
// lane. This says only whether something may be wrong, and knows of no other order than barriers of the CTA.
#ifndef TMAREF_ORDER_STAMPS_H
#define TMAREF_ORDER_STAMPS_H

#include "apart.h"

#pragma GCC visibility push(hidden)

struct order_stamps;

struct order_stamps *order_stamps_open(struct order_apart *apart); // NULL without memory
void order_stamps_close(struct order_stamps *stamps);

// Who accesses: a warp, in part `part`; first: the first part of its CTA. line: of the PTX.
struct stamps_by {
    uint64_t part, first;
    uint32_t warp, line;
};

// How: `each` bytes a lane of `lanes`, side by side in their order, or all the same; is_constant: by ld.global.nc.
struct stamps_use {
    uint64_t begin, bytes, each;
    uint32_t lanes;
    bool writes, is_constant;
};

// 0: another CTA has accessed one of the bytes, or another warp of the CTA in this part, or another lane of the warp,
// and one of the two accesses writes; or nobody has written it before; or it cannot be known.
bool order_stamps_use(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use);

// The same of lanes that lie anywhere: `begin` and `bytes` say nothing. address: of each lane.
bool order_stamps_lanes(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use,
                        const uint64_t *address);

// How often the latest accesses have touched only what their CTA, and in some CTA their line, had accessed before.
uint64_t order_stamps_again(const struct order_stamps *stamps);

// Of a page, before a write to it: has nobody touched it before the launch? *kept: what the caller keeps of it; NULL:
// there is no memory.
void **order_stamps_kept(struct order_stamps *stamps, uint64_t number, bool *is_fresh);

// From now on calls before the first write to each page that somebody had touched before the launch.
void order_stamps_watch(struct order_stamps *stamps, void *context, void (*save)(void *context, uint64_t number));

// Calls for the bytes of those pages that were written, in runs that lie within one page: all by accesses that were
// right.
void order_stamps_written(const struct order_stamps *stamps, void *context,
                          void (*call)(void *context, uint64_t address, uint32_t bytes));

// All that was accessed goes to the launch's pages.
void order_stamps_give(struct order_stamps *stamps);

#pragma GCC visibility pop

#endif
