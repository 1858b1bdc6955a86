// SPDX-License-Identifier: MIT
#include "async_list.h"

const char *const async_mutant_names[ASYNC_MUTANTS] = {
    "none",
    "a wait covers what is not committed",
    "an empty group does not count",
    "operations are counted, not groups",
    "a wait covers one group fewer",
    "a wait covers one group more",
    ".read is a full wait",
    "a wait covers both kinds",
    "a commit closes groups of both kinds",
    "a weaker wait takes back an earlier one",
    "wait_all commits nothing",
    "wait_all covers bulk operations",
    "everything issued is complete",
    "every bulk wait is a .read",
    "warps are counted together",
};

static int thread_of(const struct async_list *list, int thread)
{
    return list->mutant == ASYNC_THREADS_TOGETHER ? 0 : thread;
}

void async_list_issue(struct async_list *list, int thread, enum async_kind kind)
{
    int i = list->count++;
    list->operation[i].thread = thread_of(list, thread);
    list->operation[i].kind = kind;
    list->operation[i].group = -1;
    list->operation[i].state = list->mutant == ASYNC_ISSUED_IS_COMPLETE ? '*' : '.';
}

void async_list_commit(struct async_list *list, int thread, enum async_kind kind)
{
    int added = 0, *groups = list->groups[thread = thread_of(list, thread)];
    for (int i = 0; i < list->count; i++) {
        if (list->operation[i].group >= 0 || list->operation[i].thread != thread) continue;
        if (list->mutant != ASYNC_COMMITS_TOGETHER && list->operation[i].kind != kind) continue;
        list->operation[i].group = groups[list->operation[i].kind];
        added++;
    }
    if (list->mutant != ASYNC_EMPTY_DOES_NOT_COUNT || added > 0) groups[kind]++;
    if (list->mutant == ASYNC_COMMITS_TOGETHER) groups[!kind]++;
}

// How many groups, of its own thread and kind, are newer than that of operation `i`.
static int newer(const struct async_list *list, int i)
{
    int thread = list->operation[i].thread, operations = 0;
    enum async_kind kind = list->operation[i].kind;
    for (int j = i + 1; j < list->count; j++)
        operations += list->operation[j].kind == kind && list->operation[j].thread == thread;
    if (list->mutant == ASYNC_COUNTS_OPERATIONS) return operations;
    return list->groups[thread][kind] - 1 - list->operation[i].group;
}

static bool covers(const struct async_list *list, int i, int newest)
{
    if (list->operation[i].group < 0) return list->mutant == ASYNC_WAITS_FOR_UNCOMMITTED;
    return newer(list, i) >= newest;
}

void async_list_wait(struct async_list *list, int thread, enum async_kind kind, int newest, bool is_read)
{
    thread = thread_of(list, thread);
    if (list->mutant == ASYNC_ONE_FEWER) newest++;
    if (list->mutant == ASYNC_ONE_MORE) newest--;
    if (list->mutant == ASYNC_BULK_WAIT_IS_READ && kind == ASYNC_BULK) is_read = true;
    if (list->mutant == ASYNC_READ_IS_COMPLETE) is_read = false;
    for (int i = 0; i < list->count; i++) {
        if (list->operation[i].thread != thread) continue;
        if (list->operation[i].kind != kind && list->mutant != ASYNC_KINDS_TOGETHER) continue;
        if (covers(list, i, newest)) {
            if (!is_read || list->operation[i].state == '.') list->operation[i].state = is_read ? 'r' : '*';
        } else if (list->mutant == ASYNC_WEAKER_WAIT_FORGETS)
            list->operation[i].state = '.';
    }
}

void async_list_wait_all(struct async_list *list, int thread)
{
    if (list->mutant != ASYNC_ALL_IS_WAIT_0) async_list_commit(list, thread, ASYNC_COPY);
    async_list_wait(list, thread, ASYNC_COPY, 0, false);
    if (list->mutant == ASYNC_ALL_IS_BOTH_KINDS) async_list_wait(list, thread, ASYNC_BULK, 0, false);
}
