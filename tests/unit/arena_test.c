// SPDX-License-Identifier: MIT
// The suite `arena`: when the arena is filled, and for whom. What it holds is the suite harness's.
#include "arena.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t first_word(const struct memory *memory)
{
    uint64_t word;
    memcpy(&word, memory->bytes, sizeof word);
    return word;
}

// Who only forks does not fill it, and a process that was forked fills it for all: a copy of its own would stay empty
// here.
TEST(arena_is_filled_once_by_the_process_that_reads_it_first)
{
    const struct memory *memory = arena_share();
    ck_assert_uint_eq(first_word(memory), 0);
    const pid_t pid = fork();
    if (pid == 0) _exit(first_word(arena()) != arena_mix(ARENA_SALT));
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(first_word(memory), arena_mix(ARENA_SALT));
    memory->bytes[0] ^= 1; // filled again, this would go
    ck_assert_uint_eq(first_word(arena()), arena_mix(ARENA_SALT) ^ 1);
}
