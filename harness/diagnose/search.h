// SPDX-License-Identifier: MIT
// The search for a cause: a hypothesis is a copy that might have been done in place of the one meant; it is run on the
// model (run.c) and its bytes compared with the dump (search.c). First for hypotheses that explain every byte; if there
// is none, for those that explain most; then each of the best of these counts as what was meant, and the search is done
// once more (pair.c). Private to this folder.
#ifndef TMAREF_SEARCH_H
#define TMAREF_SEARCH_H

#include "diagnose.h"

enum { CHUNK_BYTES = 16, MAX_ROWS = 256, MAX_MADE = 11, NOT_ISSUED = 0xff };

// A copy that might have been done.
//   source     what it is copied from
//   shift      the swizzle pattern begins so many bytes earlier (multiple of 128)
//   undone     the swizzle mode that somebody undid between shared memory and the dump
//   transposed dimensions 0 and 1 are transposed in shared memory
//   order_dim  if not 0: step k along this dimension of the box has the place of step order[k]
//   slot       which slice lies in each place; of a store, where each slice goes; NOT_ISSUED: nowhere
//   is_added   the store is a reduction
//   is_stale   pieces that were so before have not come
//   is_over    a second load follows, of the box at over_coord to over_shared
struct hypothesis {
    struct tensormap map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[3];
    struct memory source;
    uint32_t shared, shift;
    enum tensormap_swizzle undone;
    int transposed, order_dim, is_added, is_over, is_stale;
    uint8_t order[MAX_ROWS];
    uint8_t slot[DIAGNOSE_MAX_SLICES];
    int32_t over_coord[TENSORMAP_MAX_RANK];
    uint32_t over_shared;
};

// Shared addresses that a hypothesis may use: past all of an SM's shared memory.
enum { WORK_BYTES = 1 << 18 };

// A hypothesis that explains a part, to build on.
enum { BEST = 28, BEST_OF_CAUSE = 3, PARTS = 8 };
struct candidate {
    struct hypothesis hypothesis;
    enum cause cause;
    uint32_t score, distance;
    char what[160];
};

// What the source holds of a 16-byte piece of the dump: `address` of the source where it was found, or 0.
struct origin {
    uint64_t address;
    uint8_t is_wrong, is_alike, is_seen; // a byte of it is not as meant; all its bytes are the same; for counting
};

enum pass { PASS_WHOLE, PASS_PART };

//   work       what is copied to, as a hypothesis leaves it; `dump_at` is where the dump begins in it
//   image      of a store: all of shared memory, from address 0, when it is rearranged first
//   plane      room for a part of shared memory
//   inverse    the dump's bytes, all bits flipped: a byte that still is so was not written
//   wrong      1 for each byte that is not as meant
//   right      1 for each byte that the copy meant writes as it was found, 2 in pieces of 16 bytes that are all so: no
//              chance makes these
//   left       1 for each byte that `base` does not explain, left_bytes in all: `wrong`, while base is what was meant
//   base_right      bytes that base writes as they were found, and the copy meant does not
//   is_part_right   some pieces of the tile are right; meant_pieces: so many of it are in the dump, at any place
//   is_narrow  only the bytes that the hypothesis itself may write are looked at
//   is_measured  the hypothesis at hand is what the bytes of the dump say, not one of a row
//   first_changed, last_changed   in the dump; all of it if it is not known what was there before
//   low, high  the bytes of the dump that the last run may have written, and those of the copy as meant
//   origin     one for each 16 bytes of the dump, at multiples of 16; `set` finds such a piece by its bytes; `looked`
//              is the source that was looked through
//   sample     one for each 16 bytes of the box in shared memory, before swizzling, as `base` lays it out: the global
//              address that they are of (of a store: went to), 0 if not known
//   old_runs   in how many places the last run of a stale hypothesis left what was there before
//   base       what the proposals change: the copy as meant, or one of `best`
//   parts      the causes of which two explained every byte
//   is_thorough  they are looked through once more, as far as one cause alone
//   built      if not NULL: the candidate that base is
//   made       sources that are made of the one given: other byte orders, other types; size 0: not made yet
struct search {
    const struct diagnose *question;
    struct diagnosis *answer;
    uint8_t *room, *work, *image, *plane, *inverse, *wrong, *right, *left;
    uint64_t dump_at, first_changed, last_changed, low, high, meant_low, meant_high;
    uint32_t left_bytes, base_right, old_runs;
    int is_part_right;
    bool is_narrow, is_measured;
    uint32_t meant_pieces;
    struct origin *origin;
    const uint8_t *looked;
    struct chunk_set *set;
    uint64_t *sample, chunks, samples;
    struct hypothesis meant, base;
    enum pass pass;
    enum cause cause;
    const struct candidate *built;
    struct candidate *best, *part;
    int bests, parts;
    bool is_thorough;
    struct memory made[MAX_MADE];
};

// --- run.c

// The copy as it was meant.
struct hypothesis search_meant(const struct diagnose *question);

// Runs `hypothesis` over `background` (as long as the dump); returns the bytes at the dump's place, of which those from
// search->low to search->high - 1 count, or NULL if the copy would fault. `tx_bytes` may be NULL.
const uint8_t *search_run(struct search *search, const struct hypothesis *hypothesis, const uint8_t *background,
                          uint32_t *tx_bytes);

// Steps of the box along dimension i, and how many elements of the tensor they span.
uint32_t search_steps(const struct tensormap *map, int i);
int64_t search_span(const struct tensormap *map, int i);

// Bytes of shared memory from one slice to the next.
uint32_t search_slice_bytes(const struct diagnose *question);

// --- search.c

// Tries a hypothesis for the cause at hand. `distance`: how far-fetched it is; of the same cause the nearest is kept.
void search_try(struct search *search, const struct hypothesis *hypothesis, uint32_t distance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// How far a row of hypotheses goes: `steps`, or an eighth of it on top of another cause.
uint32_t search_reach(const struct search *search, uint32_t steps);

// Counts search->meant_pieces.
void search_count_meant(struct search *search);

// Adds an explanation found in another way.
void search_add(struct search *search, const struct explanation *explanation);

// --- origin.c

// Finds each wrong 16-byte piece of the dump in the source of `base`; 0 if there is no memory for it.
bool origin_find(struct search *search);

// How many of the wrong pieces were found in the source; of all that are not all alike.
struct origin_count {
    uint32_t found, wanted, alike;
};
struct origin_count origin_count(const struct search *search);

// How many of the wrong pieces are in another source, at multiples of 4 bytes from its start.
uint32_t origin_count_in(struct search *search, const struct memory *source);

// The part of the source that is near to the box as meant.
struct memory origin_near(const struct search *search);

// Is this 16-byte piece somewhere in the dump?
bool origin_is_in_dump(const struct search *search, const uint8_t *chunk);

void origin_free(struct search *search);

// --- sample.c

// Fills search->sample, as `base` lays out the box.
void sample_fill(struct search *search);

// Where `base` has the first element of the box in global memory, in bounds or not.
uint64_t sample_meant(const struct search *search);

// Where the first element of the box would be if all of it lay as far off as the n-th most common sample; 0 if there is
// no n-th.
bool sample_begin(const struct search *search, int n, uint64_t *begin);

// The most common distance in global memory of neighbours along dimension i of the box; 0 if there are none.
bool sample_step(const struct search *search, int i, int64_t *step_bytes);

// --- pair.c

// Keeps a hypothesis that explains a part, if it is one of the best. `found`: pieces of the tile that are in the dump.
void pair_keep(struct search *search, const struct hypothesis *hypothesis, uint32_t score, uint32_t distance,
               const char *what);

// Keeps both causes of `hypothesis`, which explains every byte: built, and the other one alone.
void pair_keep_parts(struct search *search, const struct hypothesis *hypothesis, const char *what);

// Searches again, with each of the best as what was meant.
void pair_search(struct search *search);

// What base leaves wrong.
void search_leave(struct search *search);

// Is all that base leaves wrong what was there before?
bool damage_is_stale(const struct search *search);

// Every cause of the table, on `base`.
void search_causes(struct search *search);

// Each function tries the cause of its row.
#define CAUSE(id, propose, sentence, advice) void propose(struct search *search);
#include "causes.def"
#undef CAUSE

#endif
