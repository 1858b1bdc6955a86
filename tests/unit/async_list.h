// SPDX-License-Identifier: MIT
// Async-groups a second time: a list of operations that is kept one by one, as PTX says it or as one of the named
// mutants misreads it. The suites `async_group` (vectors) and `async_look` (what a GPU was seen to do) tell them apart.
#ifndef TMAREF_ASYNC_LIST_H
#define TMAREF_ASYNC_LIST_H

#include <stdbool.h>

#include "async_group.h"

enum async_mutant {
    ASYNC_NO_MUTANT,
    ASYNC_WAITS_FOR_UNCOMMITTED,
    ASYNC_EMPTY_DOES_NOT_COUNT,
    ASYNC_COUNTS_OPERATIONS,
    ASYNC_ONE_FEWER,           // a wait covers one group fewer
    ASYNC_ONE_MORE,            // and one more
    ASYNC_READ_IS_COMPLETE,    // .read is taken for a wait
    ASYNC_KINDS_TOGETHER,      // a wait covers both kinds
    ASYNC_COMMITS_TOGETHER,    // a commit closes groups of both kinds
    ASYNC_WEAKER_WAIT_FORGETS, // a wait that covers less takes back what an earlier one said
    ASYNC_ALL_IS_WAIT_0,       // wait_all commits nothing
    ASYNC_ALL_IS_BOTH_KINDS,   // and waits for bulk operations too
    ASYNC_ISSUED_IS_COMPLETE,  // everything that was issued is complete
    ASYNC_BULK_WAIT_IS_READ,   // every bulk wait is one with .read
    ASYNC_THREADS_TOGETHER,    // groups of two threads are counted as one thread's: no vector has two threads
    ASYNC_MUTANTS
};

extern const char *const async_mutant_names[ASYNC_MUTANTS];

enum { ASYNC_LIST_MOST = 16, ASYNC_LIST_THREADS = 2 };

// All 0 is a list of nothing. `group` -1: not committed. `state`: may (.), read (r), complete (*).
struct async_list {
    enum async_mutant mutant;
    int count, groups[ASYNC_LIST_THREADS][ASYNC_KINDS];
    struct {
        int thread, group;
        enum async_kind kind;
        char state;
    } operation[ASYNC_LIST_MOST];
};

void async_list_issue(struct async_list *list, int thread, enum async_kind kind);
void async_list_commit(struct async_list *list, int thread, enum async_kind kind);
void async_list_wait(struct async_list *list, int thread, enum async_kind kind, int newest, bool is_read);
void async_list_wait_all(struct async_list *list, int thread);

#endif
