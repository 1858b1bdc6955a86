// SPDX-License-Identifier: MIT
// The memory consistency model of PTX as an executable: everything that a litmus test can do. It tries all paths of all
// threads, all phases of barriers, all writes that a read may read, all Fence-SC and coherence orders, and keeps what
// no axiom forbids (axiom.h). Nothing is sampled. Loops run at most `unroll` times more than once; the answer says if a
// path was cut there.
//
// The caller owns all memory. What is asked of one execution alone, as a sanitizer does, is in execution.h and
// derive.h.
#ifndef TMAREF_MEMORY_MODEL_H
#define TMAREF_MEMORY_MODEL_H

#include "axiom.h"
#include "execution.h"
#include "path.h"

enum { MODEL_PATHS = 4096, MODEL_OUTCOMES = 512 };

// A way in which the test may end, over the registers and places that it asks about.
struct model_outcome {
    struct litmus_end end;
    int meets_condition;
    uint64_t executions; // that end so
};

// What is asked.
enum model_question {
    MODEL_CLAIM,    // whether the test's own claim holds
    MODEL_PROGRESS, // whether all threads always end
    MODEL_RACES     // whether no execution has a data-race
};

struct model_options {
    enum model_question question;
    int unroll;       // 0: 2
    int all_outcomes; // also those that cannot change the verdict
    uint64_t most;    // executions to try; 0: no limit
};

struct model_answer {
    int holds;                                            // what is asked: the claim, the progress, no data-race
    bool is_cut;                                          // a loop was cut
    bool is_full;                                         // a path, a value or an event did not fit
    bool is_unfinished;                                   // `most` was reached
    bool can_end;                                         // some execution in which all threads end is allowed
    uint64_t tried, allowed;                              // executions
    uint64_t used_registers[LITMUS_THREADS], used_places; // that the question names
    int outcomes, outcomes_lost;
    struct model_outcome outcome[MODEL_OUTCOMES];
    // An allowed execution that ends as the condition says (of forall: as it does not), in which a thread never ends,
    // or with a data-race; if there is none, one that an axiom forbids.
    bool has_witness;
    enum axiom broken; // AXIOM_NONE: it is allowed
    struct execution witness;
    int race[2]; // of MODEL_RACES: the two events
};

// The memory of a search.
struct model_work {
    struct execution x;
    struct path_domain domain[LITMUS_PLACES];
    int paths[LITMUS_THREADS];
    struct path path[LITMUS_THREADS][MODEL_PATHS];
    uint8_t path_end[LITMUS_THREADS][MODEL_PATHS]; // enum path_end
};

void memory_model_ask(const struct litmus *test, const struct model_options *options, struct model_work *work,
                      struct model_answer *answer);

#endif
