// SPDX-License-Identifier: MIT
// Weak reads of shared memory that are under way for a while under LATE and SHUFFLED. Where a thread tells others, by
// an arrive or at a barrier, and has not used what it read, it may get what is written over it meanwhile:
//   of another CTA   by anybody; a release of a scope wider than the CTA ends it, by the warp or by one of its CTA that
//                    has learnt of it
//   of its own CTA   by the async proxy alone; a fence.proxy.async that covers the read ends it too (veil.h)
#ifndef TMAREF_MACHINE_LATE_READS_H
#define TMAREF_MACHINE_LATE_READS_H

#include "state.h"

#pragma GCC visibility push(hidden)

// `lanes` of the strand have read at at[lane] on the host, each in another CTA.
void machine_reads_note(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                        const uint8_t *const at[MACHINE_LANES]);

// The strand reads `rows` rows of 16 bytes by ldmatrix, on the host at at[row]; the registers are its first operands.
void machine_reads_note_rows(const struct machine_strand *strand, const struct machine_code *code, uint32_t rows,
                             const uint8_t *const at[MACHINE_LANES]);

// `lanes` of the strand are about to read by a weak load; those of its own CTA's shared memory may be late.
void machine_reads_note_own(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes);

static inline void machine_reads_begin(const struct machine_strand *strand, const struct machine_code *code,
                                       uint32_t lanes)
{
    if (code->transfer->may_be_late && strand->warp->cta->cluster->veil != NULL)
        machine_reads_note_own(strand, code, lanes);
}

// Is it a weak load of shared memory, or of a generic address?
bool machine_reads_may_be_late(const struct machine_transfer *transfer);

// The strand has told others by `code`. REST: reads are under way, so these others run first.
enum machine_next machine_reads_told(const struct machine_strand *strand, const struct machine_code *code);

// The warp goes back: what it has read it may have used, by instructions that stand behind those to come.
void machine_reads_end(struct machine_warp *warp);

static inline void machine_reads_jump(struct machine_warp *warp, bool is_back)
{
    if (is_back && warp->reads != NULL) machine_reads_end(warp);
}

// The warp executes a release.
void machine_reads_release(const struct machine_warp *warp);

// A turn of the warp begins: what is under way arrives. 0: it is left under way, and the warp lets the turn pass.
bool machine_reads_arrive(struct machine_warp *warp);

// The async proxy is about to write shared memory of the CTA, and has written it: reads that are under way get it.
void machine_reads_before(const struct machine_cta *cta);
void machine_reads_behind(const struct machine_cta *cta);

// How the registers of one lane get what a load reads at `at` (access.c), and those of a warp what ldmatrix reads
// (matrices.c).
void machine_load_lane(const struct machine_strand *strand, const struct machine_transfer *transfer, const uint8_t *at,
                       uint32_t lane);
void machine_load_rows(const struct machine_strand *strand, const struct machine_code *code,
                       const uint8_t *const at[MACHINE_LANES]);

#pragma GCC visibility pop

#endif
