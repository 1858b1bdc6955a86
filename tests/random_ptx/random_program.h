// SPDX-License-Identifier: MIT
// A random PTX program, made from a seed by the table of forms: what a GPU and the PTX machine are compared on. It runs
// under every legal schedule with one result: threads write memory of their own, meet before they read that of others,
// and where they share a word only operations whose order cannot be seen change it.
//
// Each instruction under test puts what it wrote into words of the log, one for each thread: a word for each value, or,
// in loops and functions, one to which all values are folded. A step is a word of the log; the first step whose words
// differ is the one to look at.
#ifndef TMAREF_TESTS_RANDOM_PTX_PROGRAM_H
#define TMAREF_TESTS_RANDOM_PTX_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "form.h"
#include "random.h"

enum {
    PROGRAM_MOST_STEPS = 512,
    PROGRAM_MOST_THREADS = 512,
    PROGRAM_INPUTS = 64,       // words that a thread finds in the input
    PROGRAM_OWN_BYTES = 128,   // of global memory, for each thread; as many of local memory
    PROGRAM_SHARED_BYTES = 64, // the same of shared memory
    PROGRAM_CTA_BYTES =
        4096, // of global memory, for each CTA: words that its threads share, then a copy of shared ones
};

// The registers of a thread that instructions under test use, by file: %p, %h (16 bits), %r, %d, %q.
enum { PROGRAM_FILES = 5 };

struct program {
    struct random random;
    FILE *to;
    int block, ctas;      // threads of a CTA, CTAs of the grid
    int cluster;          // CTAs of a cluster, all; 0: no cluster
    int level;            // of optimisation: 0 or 4
    int steps;            // words of the log
    int instances, limit; // instructions under test: so far, and at most
    uint64_t words;       // of the input that this step has loaded
    int depth;            // of branches: at 0 all threads of the kernel's CTA are together
    int kernel_step;      // the first step of the kernel
    int function;         // whose body this is; -1: the kernel's
    int loops;            // around this place
    int labels;
    struct program_written {
        char file;
        int number;
    } written[16];
    int writes;
};

// Writes the program of `seed`, or the part of it that has `limit` instructions under test. `to` is open for writing.
void program_print(struct program *program, uint64_t seed, int limit, FILE *to);

// Word `word` of the input of a thread, PROGRAM_INPUTS for each.
uint64_t program_input(uint64_t seed, int word, int thread);

// --- For the files that make steps -----------------------------------------------------------------------------------

int program_below(struct program *program, int bound);
int program_chance(struct program *program, int percent);
void program_say(struct program *program, const char *format, ...) __attribute__((format(printf, 2, 3)));

void program_begin_step(struct program *program, const char *what);
void program_end_step(struct program *program);
void program_wrote(struct program *program, char file, int number);

// A register of `bits`; another than `but`.
int program_register(struct program *program, char file, int but);
char program_file(int bits);

// Loads the register from the input, with a value that is hard on `type`.
void program_refresh(struct program *program, enum ptx_type type, char file, int number);

// Are all 32 lanes of each warp here, in the kernel?
bool program_has_whole_warps(const struct program *program);

// One step of a row of the ALU, or one where lanes meet.
void step_value(struct program *program);
void step_meeting(struct program *program);
// Loads, stores, atomics.
void step_memory(struct program *program);
void step_contended(struct program *program);
void step_address(struct program *program);
void step_quiet(struct program *program);
// What goes on behind its instruction, of one thread.
void step_async(struct program *program);
// All lanes of a warp, where program_has_whole_warps().
void step_matrix(struct program *program);
void step_wmma(struct program *program);
void step_bulk(struct program *program);
// All threads of the CTA, at depth 0.
void step_barrier(struct program *program);

// A spelling of row `form`, with its choice; 0 if what came out is none.
bool spell(struct program *program, int form, char *spelling, size_t bytes, struct ptx_choice *choice);
// A row of opcode `opcode`, or of any when NULL, that `runs` runs.
int draw_row(struct program *program, enum ptx_runs runs, const char *const *opcodes);
// The row of that name; ends the program if forms.def has none.
int row_of(const char *name);

#endif
