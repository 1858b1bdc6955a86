// SPDX-License-Identifier: MIT
// wgmma.fence, commit_group and wait_group: what each warp of a warpgroup may do with the operands of a wgmma that is
// in flight. PTX keeps wgmma-groups per warp, as async-groups are kept per thread (async_group.h): nothing is known of
// a wgmma that no wait has covered. The numbers of a wgmma are in wgmma/wgmma.h, done at once.
#ifndef TMAREF_WGMMA_GROUP_H
#define TMAREF_WGMMA_GROUP_H

#include "async_group.h"

enum { WGMMA_WARPS = 4 };

// The groups of a warpgroup. `written`: bit w says that warp w has written registers since its last fence. All 0 but
// the `thread` of each warp (its number) is a warpgroup that has issued nothing.
struct wgmma_groups {
    struct async_groups warp[WGMMA_WARPS];
    unsigned written;
};

// One wgmma: the group that the next commit of each warp puts it in.
struct wgmma_operation {
    struct async_operation of_warp[WGMMA_WARPS];
};

// A warpgroup that has issued nothing.
struct wgmma_groups wgmma_groups_start(void);

// Registers that a wgmma is to read (A, or D to be added to) are written by other instructions of `warp`; and
// wgmma.fence, which orders them before the next wgmma. A chain of wgmma of one shape on one D needs no fence.
void wgmma_write_registers(struct wgmma_groups *groups, int warp);
void wgmma_fence(struct wgmma_groups *groups, int warp, const struct teller *teller);

// A wgmma.mma_async that reads registers of its own. Returns RULE_OK, or WGMMA_FENCE if a warp has not fenced what it
// has written; it is issued all the same, and `operation` is set. One event for each warp: the warp of the teller's
// origin is that of warp 0, the next three follow.
enum rule wgmma_issue(const struct wgmma_groups *groups, struct wgmma_operation *operation,
                      const struct teller *teller);

// commit_group, and wait_group `newest`, of one warp: all its groups but the newest so many are complete.
void wgmma_commit(struct wgmma_groups *groups, int warp, const struct teller *teller);
void wgmma_wait(struct wgmma_groups *groups, int warp, uint32_t newest, const struct teller *teller);

// What is to be done with the registers of a wgmma in one warp: reading D, writing A or D. RULE_OK, or WGMMA_WAIT.
//   source  PTX ISA 9.1 "wgmma.wait_group" (#asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group)
enum rule wgmma_check_registers(const struct wgmma_groups *groups, const struct wgmma_operation *operation, int warp);

// Shared memory of a wgmma is to be written. `readers`: bit w for each warp whose part reads it (all four read B, each
// its own 16 rows of A). RULE_OK, or WGMMA_WAIT_SHARED if one of them has not waited.
enum rule wgmma_check_shared(const struct wgmma_groups *groups, const struct wgmma_operation *operation,
                             unsigned readers);

#endif
