// SPDX-License-Identifier: MIT
// Pieces of work side by side in one run: balanced rounds (forwards, then backwards), CPU time, the ratio of each round
// with its median and spread. As text, or with the argument --json as one JSON array.
#ifndef TMAREF_PAIR_H
#define TMAREF_PAIR_H

// One side: does its whole work once. `context` is whatever it needs.
struct pair_side {
    const char *name;
    void (*work)(void *context);
};

enum { PAIR_OPPONENTS = 2 };

// A contest. `units` of work a round, called `unit`, for which `bytes` come from memory or go there, and a machine runs
// `instructions` of threads (each 0: not told). `theirs` ends at the first without work. `rounds` is odd, at most 99.
struct pair {
    const char *what;
    struct pair_side ours, theirs[PAIR_OPPONENTS];
    void *context;
    const char *unit;
    double units, bytes, instructions;
    int rounds;
};

// Takes --json out of the arguments. Exits with 2 where there is no memory.
void pair_open(int *argc, char **argv);

// Runs one round to warm up and all others. Tells the rates of all sides, the coefficient of variation of their times,
// and how many times as fast `ours` is as each opponent, with the least and greatest ratio. Returns the median ratio to
// the first.
double pair_measure(const struct pair *pair);

// Tells a time in nanoseconds that has no opponent.
void pair_tell_alone(const char *what, const char *unit, double ns);

// Tells how many times as fast so many threads of the host are as one, and how much more CPU time they take.
void pair_tell_scaling(const char *what, unsigned threads, double faster, double cpu);

// Prints the array, if --json was given.
void pair_close(void);

#endif
