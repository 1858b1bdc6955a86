// SPDX-License-Identifier: MIT
// A launch in which no thread gets on, or that has reached a limit, as data: which threads wait for what, who could let
// them go on, and which of the waits keep up the others. hang_text.c says it to people; the driver prints it as JSON.
#ifndef TMAREF_MACHINE_HANG_H
#define TMAREF_MACHINE_HANG_H

#include <stdio.h>

#include "ledger.h"
#include "mbarrier.h"
#include "report.h"
#include "state.h"

#pragma GCC visibility push(hidden)

// RUNS: nothing (of a launch at its limit). LANES: other lanes of their warp.
enum hang_what {
    HANG_RUNS,
    HANG_MEMORY,
    HANG_MBARRIER,
    HANG_BARRIER,
    HANG_CLUSTER,
    HANG_LANES,
    HANG_REGISTERS,
    HANG_PRODUCT,
    HANG_WHATS
};

// How sure it is that a wait itself is what is wrong: of waits that wait for each other, the one with the most is the
// root. From CERTAIN on what has come to the barrier can never fit, whoever else goes on.
enum hang_score { HANG_NOTHING = 0, HANG_GUESS = 30, HANG_LIKELY = 60, HANG_CERTAIN = 80 };

// What one instruction of one warp contributed to a phase of an mbarrier.
//   cta, warp   of the cluster; NULL: another's
//   at          the line of the user's own
//   is_missing  it came in the phase before, and has not come in this one
//   when        the last of its events (ledger.h)
struct hang_part {
    const struct machine_cta *cta;
    const struct machine_warp *warp;
    uint32_t line, called_at, lanes; // of the PTX, and of the kernel's call that it is behind; of the warp
    struct machine_caller at;
    bool is_copy, is_missing;
    struct mbarrier_transaction transaction;
    uint64_t when;
};

// An mbarrier, as it is.
//   page     its ledger, NULL if nothing was heard of it
//   pattern  the ledger of whose last phase `before` is: its own, or that of another barrier of its kind;
//            NULL: none of them has completed a phase
struct hang_barrier {
    struct mbarrier_fields now;
    const struct ledger *page, *pattern;
    char name[128];
    struct hang_part part[LEDGER_ENTRIES], before[LEDGER_ENTRIES];
    uint32_t parts, befores;
};

// Strands of one cluster that wait for the same, at the same place.
//   rank, number  MBARRIER: its CTA and shared address; BARRIER: the CTA and the barrier's number
//   parity        MBARRIER: of the phase waited for, -1: a token names it
//   come, wanted  BARRIER, CLUSTER, REGISTERS: threads, or registers
//   address       MEMORY: what is read, if is_known
//   barrier       MBARRIER: NULL of others
//   need          by warp of the cluster: it could let them go on; needs_any: nobody knows who could, of an mbarrier
//                 anybody in `need`
//   exited        how many warps could have, but have exited
//   group         the first wait of the launch that is alike, itself of the first: what is told of it goes for all
//   likely        the mistake that explains it, "" where nothing does
struct hang_wait {
    enum hang_what what;
    struct machine_cluster *cluster;
    const struct machine_function *function;
    const struct machine_code *code;
    const struct machine_strand **strand;
    uint32_t strands, rank, number, come, wanted, exited, group;
    int parity;
    bool is_known, needs_any, is_root;
    int score;
    uint64_t address;
    struct hang_barrier *barrier;
    struct machine_where where;
    uint8_t *need;
    char likely[1024];
};

//   roots   waits that depend on no other, in groups: what leads the report
struct machine_hang {
    struct machine *machine;
    enum machine_kind kind;
    const char *why;
    struct hang_wait *wait;
    uint32_t waits, clusters;
};

// The state of these clusters. NULL if there is no memory.
struct machine_hang *hang_open(struct machine *machine, enum machine_kind kind, const char *why,
                               struct machine_cluster *const *cluster, uint32_t clusters);
void hang_close(struct machine_hang *hang);

// Behind a trap of that lane: if its strand has just waited in vain, who asks is told of the waits (hang_trap.c).
void hang_tell_trap(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane);

// Prints it for people: the roots first. `is_whole`: every group, else at most HANG_LINES lines, the last of which says
// what was left out.
enum { HANG_LINES = 15 };
void hang_print(FILE *out, const struct machine_hang *hang, bool is_whole);

// How many threads of how many CTAs are in the waits of a group.
struct hang_size {
    uint64_t threads, ctas;
};
struct hang_size hang_size(const struct machine_hang *hang, uint32_t group);

// The first root, or the first wait; NULL: there is none.
const struct hang_wait *hang_first(const struct machine_hang *hang);

// --- Its parts -------------------------------------------------------------------------------------------------------

// What the strand waits for (hang_wait.c); 0 if it has ended.
void hang_find_wait(const struct machine_strand *strand, enum machine_kind kind, struct hang_wait *wait);

// Reads the mbarrier, and who has come to it (hang_barrier.c); `wait` is one of its cluster. NULL if there is no
// memory.
struct hang_barrier *hang_read_barrier(const struct hang_wait *wait, uint32_t rank, uint32_t address);

// Is `other` of the same kind as the mbarrier `page` that is waited for (hang_kind.c)?
bool hang_is_same_kind(const struct hang_wait *wait, const struct ledger *page, const struct ledger *other);

// The name of an mbarrier: "full", "full[2]", "smem + 32768", "at 0x408".
void hang_name(struct machine_cluster *cluster, uint32_t rank, uint32_t address, char *name, size_t bytes);
void hang_free_barrier(struct hang_barrier *barrier);

// Who could let it go on: fills need, needs_any and exited (hang_need.c).
void hang_find_needs(struct hang_wait *wait);

// The mistake that explains it: likely and score (hang_cause.c).
void hang_find_cause(const struct machine_hang *hang, struct hang_wait *wait);
void hang_explain_mbarrier(const struct machine_hang *hang, struct hang_wait *wait);

// Of memory that is polled (hang_memory.c): the mistake; who wrote it last, as a text; which polls follow others, as
// who polls there is yet to come to where the word was written.
void hang_order_polls(struct machine_hang *hang);
void hang_explain_memory(const struct machine_hang *hang, struct hang_wait *wait);
void hang_tell_memory(const struct machine_hang *hang, const struct hang_wait *wait, struct machine_text *text);

// Who came in the phase before and has not in this one: 1, and what has become of him, if there is somebody.
bool hang_somebody_is_missing(const struct machine_hang *hang, struct hang_wait *wait);

// What the first warp of the wait saw of the mbarrier last; NULL: nothing that is known.
struct flight_seen;
const struct flight_seen *hang_seen_by(const struct hang_wait *wait);

// Has a warp that is missing at a barrier of the CTA left one out, as the ways of the others show (hang_skip.c)? Then
// 1, and that is likely.
bool hang_skipped(struct hang_wait *wait);

// A wait of the cluster that returned too early (hang_early.c), in a sentence; 0: there is none. `suspect`: the warp
// that came to a barrier too often, or NULL.
bool hang_add_early(struct machine_text *to, struct machine_cluster *cluster, const struct machine_warp *suspect);

// Why an arrival of the strand is one too many, as " Likely: ..."; and which mbarrier next to an address that is none
// was made where.
void hang_explain_arrival(struct machine_text *to, const struct machine_strand *strand, const struct ledger *page,
                          const struct mbarrier_fields *now);
void hang_explain_error(struct machine_text *to, const struct machine_cluster *cluster, const struct ledger *page,
                        const struct mbarrier_fields *now);

// Why the strand comes to an mbarrier that nobody has initialised, in a sentence.
void hang_explain_uninitialised(struct machine_text *to, const struct machine_strand *strand);
void hang_add_neighbour(struct machine_text *to, struct machine_cluster *cluster, uint32_t rank, uint32_t address);

// Its bytes (hang_cause_bytes.c): 1 if they explain it.
int hang_too_few_bytes(const struct machine_hang *hang, struct hang_wait *wait);
bool hang_too_many_bytes(struct hang_wait *wait);

// Does the part expect bytes, bring some, arrive? The first of the parts that does; NULL: none.
enum hang_does { HANG_EXPECTS, HANG_BRINGS, HANG_ARRIVES };
bool hang_does(const struct hang_part *part, enum hang_does what);
const struct hang_part *hang_first_that(const struct hang_part *part, uint32_t parts, enum hang_does what);

// Does the instruction of a part have this opcode, or one that begins so? st.async brings bytes too, not only bulk
// copies.
bool hang_is_of(const struct hang_wait *wait, const struct hang_part *part, const char *opcode);

// Writes " (pipe.cu:12)", or nothing.
void hang_add_line(struct machine_text *text, const struct hang_wait *wait, const struct hang_part *part);

// The places of the sentence `likely`, but for those that `named` has: "pipe.cu:12" in it, and its length.
enum { HANG_MOST_SEEN = 3 };
struct hang_see {
    const char *at;
    int length;
};
uint32_t hang_see(const char *likely, const char *named, struct hang_see see[HANG_MOST_SEEN]);

// "; see pipe.cu:12, pipe.cu:40": the places of the sentence `likely`, but for those that `named` has.
void hang_add_places(struct machine_text *text, const char *likely, const char *named);

// Where to write what is likely, and how sure it is.
struct machine_text hang_likely(struct hang_wait *wait, int score);

// Which waits of a cluster are roots (hang_root.c).
void hang_find_roots(struct machine_hang *hang, uint32_t first, uint32_t end);

// A wait of a warp, if it has one not for its own lanes; of who contributed; of a strand; NULL if there is none. The
// index of a warp in `need`.
const struct hang_wait *hang_wait_of(const struct machine_hang *hang, const struct machine_warp *warp);
const struct hang_wait *hang_wait_of_part(const struct machine_hang *hang, const struct hang_part *part);
const struct hang_wait *hang_wait_of_strand(const struct machine_hang *hang, const struct machine_strand *strand);
uint32_t hang_warp_index(const struct machine_warp *warp);

// Do two lines of the PTX come from one of the source? Loops are unrolled.
bool hang_is_same_line(const struct machine *machine, uint32_t one, uint32_t other);
bool hang_is_same_origin(const struct machine *machine, const struct event_origin *one,
                         const struct event_origin *other);

// Can the strand still come to the line of a contribution, to an instruction of the same form, or of that handler
// (hang_code.c)? Of one in a called function nobody knows: 1.
bool hang_reaches_line(const struct machine_strand *strand, const struct hang_part *part);
bool hang_reaches_form(const struct machine_strand *strand, const struct hang_part *part);
bool hang_reaches_handler(const struct machine_strand *strand, machine_handler *handler);

// Can it still come to any arrival, expect_tx or copy?
bool hang_reaches_arrival(const struct machine_strand *strand);

// Is the strand where the waiters would go on to, with no way back to where they wait?
bool hang_is_past(const struct machine_strand *strand, const struct hang_wait *wait);

// Does the waiter fill a buffer before it waits again: has it an expect_tx, a cp.async, or a store to shared memory
// before the first load of it?
bool hang_fills(const struct hang_wait *wait);

// The first barrier of the CTA or cluster behind the first mbarrier.init of the text; NULL: there is none.
const struct machine_code *hang_barrier_behind_init(const struct machine_function *function);

// Does it load from shared memory first?
bool hang_takes(const struct hang_wait *wait);

// Where a line of the PTX comes from, as the user sees it: "pipe.cu:12", or "PTX line 40".
const char *hang_line(const struct machine *machine, uint32_t line, uint32_t called_at, char *text, size_t bytes);

// The same of an instruction of a wait.
const char *hang_place(const struct hang_wait *wait, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
