// SPDX-License-Identifier: MIT
// Weak writes to the same bytes that nothing orders: did they write the same value in this run? Then it is advice,
// because many kernels set a flag so, and no finding.
#ifndef TMAREF_LOOK_SANITIZE_VALUE_H
#define TMAREF_LOOK_SANITIZE_VALUE_H

#include "access.h"
#include "memory.h"
#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// Two writes, by their actors. is_taken: `byte` is what the first of them that came to memory has left there.
// is_thread: the other is a thread's, so what it wrote lies there at the next instruction, when the two are judged.
enum { SANITIZE_WATCHES = 256, SANITIZE_WATCHES_OF_LINES = 16 };
struct sanitize_watch {
    struct sanitize_finding finding;
    uint32_t older, newer;
    const struct memory *shared; // of which CTA the bytes are, NULL: of global memory
    uint8_t byte[SHADOW_CELL_BYTES];
    bool is_taken, is_thread;
};
struct sanitize_values {
    uint32_t count, waiting; // those before `waiting` are judged at the end
    struct sanitize_watch item[SANITIZE_WATCHES];
};

// Are enough of these lines watched or told?
bool sanitize_values_know(const struct sanitize_values *values, struct sanitize_found *found,
                          const struct sanitize_finding *finding);

// Two writes of the actors `older` and `newer`. 0 if there is no room for it.
bool sanitize_values_watch(struct sanitize_values *values, const struct sanitize_watch *watch);

// The bytes that lie there now. 0 if they are not mapped.
bool sanitize_watch_take(struct sanitize_watch *watch, const struct global_memory *global);

// What lay where an instruction of a warp writes, in pieces, because its lanes are told one by one before they write.
// One that goes on where the last one ends is no piece of its own. bytes, pieces: 0 before the instruction.
enum { SANITIZE_BYTES = 1024, SANITIZE_PIECES = 64 };
struct sanitize_bytes {
    uint32_t bytes, pieces;
    struct sanitize_piece {
        uint64_t address;
        uint32_t bytes, at; // at: of its bytes
        const struct memory *shared;
    } piece[SANITIZE_PIECES];
    uint8_t byte[SANITIZE_BYTES];
};
void sanitize_bytes_note(struct sanitize_bytes *before, const struct global_memory *global, const struct memory *shared,
                         const struct access *access);
bool sanitize_bytes_take(const struct sanitize_bytes *before, struct sanitize_watch *watch); // 0: it is not there

// The instruction has been executed: adds the writes of threads to what was found, as advice if both wrote the same.
void sanitize_values_settle(struct sanitize_values *values, const struct global_memory *global,
                            struct sanitize_found *found);

// An operation has come to memory.
void sanitize_values_done(struct sanitize_values *values, const struct global_memory *global, uint32_t actor);

// The launch has ended: adds the others in the same way.
void sanitize_values_end(struct sanitize_values *values, const struct global_memory *global,
                         struct sanitize_found *found);

#pragma GCC visibility pop

#endif
