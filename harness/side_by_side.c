// SPDX-License-Identifier: MIT
#include "side_by_side.h"

#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>

struct round {
    atomic_int next;
    int end;
    void (*run)(int i, void *context);
    void *context;
};

int side_by_side(int asked)
{
    long processors = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1) return 1;
    return processors < MOST_SIDE_BY_SIDE ? (int)processors : MOST_SIDE_BY_SIDE;
}

static int work(void *round_of_all)
{
    struct round *round = round_of_all;
    for (int i; (i = atomic_fetch_add(&round->next, 1)) < round->end;) round->run(i, round->context);
    return 0;
}

void threads_run(int threads, int first, int end, void (*run)(int i, void *context), void *context)
{
    struct round round = {.end = end, .run = run, .context = context};
    thrd_t thread[MOST_SIDE_BY_SIDE];
    int others = 0;
    atomic_init(&round.next, first);
    if (threads > end - first) threads = end - first;
    while (others + 1 < threads && thrd_create(&thread[others], work, &round) == thrd_success) others++;
    work(&round);
    for (int i = 0; i < others; i++) thrd_join(thread[i], NULL);
}
