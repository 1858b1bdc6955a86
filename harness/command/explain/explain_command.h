// SPDX-License-Identifier: MIT
// What the parts of `tmaref explain` share: the question as read by explain.c, and the kinds of answers.
#ifndef TMAREF_EXPLAIN_COMMAND_H
#define TMAREF_EXPLAIN_COMMAND_H

#include "im2col.h"
#include "json.h"
#include "reduce.h"
#include "slice.h"

enum explain_operation { EXPLAIN_LOAD, EXPLAIN_STORE, EXPLAIN_REDUCE };

// One map and what is asked of it. `coord` is innermost first; `shared` is where the box lies in shared memory.
//   operation    what happens to the box; `op` is the reduction's
//   offset       the im2colOffsets of an im2col load, W first
//   wants_*   which of the questions are asked: a shared address, a tensor element, the table, the tiles, one CTA
//   wants_cluster, wants_numbers  the slices of `tile` that the CTAs of `cluster` load for each other along `along`,
//             each its own or, where has_slices, the one given; and what each CTA holds then
//   inner_first  the CTA number runs along dimension 0 first, not along the outermost dimension
//   all       print lists to their end
//   wants_accesses  what is read and written, by which proxy
struct explain {
    struct tensormap map;
    enum explain_operation operation;
    enum reduce_op op;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[IM2COL_MAX_SPATIAL];
    uint32_t shared;
    bool wants_byte, wants_element;
    int wants_table;
    bool wants_tiles, wants_cta;
    uint32_t byte;
    int64_t element[TENSORMAP_MAX_RANK];
    uint64_t cta;
    int wants_cluster, wants_numbers, along;
    bool has_slices;
    struct cluster_shape cluster;
    uint64_t tile[TENSORMAP_MAX_RANK];
    uint64_t slices[16];
    int inner_first, all, json;
    int wants_accesses;
};

enum { EXPLAIN_LIST_LINES = 64 };

// The CUDA error that `text` numbers, names, or says as CUDA prints it ("an illegal memory access was encountered");
// "silent" is CUDA_SUCCESS. -1 where it is none.
int explain_find_error(const char *text);

// Does rule number `i` end in this error? CUDA_SUCCESS asks for the rules that one breaks without an error.
bool explain_has_error(int i, int error);

// The text (answer.h) of json_rule(): the rule, and what to do about it.
#define EXPLAIN_RULE_TEXT                                                                                              \
    "{id}\n  {sentence}\n{advice?  {advice}\n}  documents: {documented} ({source}{source!none})\n  sm_90a: {sm_90a}"   \
    "{cuda_error?, {cuda_error_name} ({cuda_error})}{evidence? (recorded in traces/sm_90a/{evidence})}\n"

// What an error means, the rules that are behind it, and what to type. Returns the exit status.
int explain_error(int error, int json);

// A rule by its id, or all rules behind a CUDA error given by number or name. Each returns the exit status.
int explain_rule(const char *name, int json);

// One box: summary, byte, element, table.
int explain_box(const struct explain *question);

// The tiles of the whole tensor, or the coordinates of one.
int explain_tiles(const struct explain *question);

// What the operation reads and writes.
int explain_accesses(const struct explain *question);

// A tile that the CTAs of a cluster load for each other by multicast.
int explain_cluster(const struct explain *question);

#endif
