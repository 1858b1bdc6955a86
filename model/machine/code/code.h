// SPDX-License-Identifier: MIT
// A kernel in the form in which it runs. Decoding (decode.c) makes it of the PTX program, once; running only reads it.
//
// A register is a slot: 32 lanes side by side, at a multiple of 64 bytes. pred: uint32_t, one bit a lane; 16 bits (and
// types of 8): uint16_t[32]; 32: uint32_t[32]; 64: uint64_t[32]; 128: struct machine_wide[32].
#ifndef TMAREF_MACHINE_CODE_H
#define TMAREF_MACHINE_CODE_H

#include <stdbool.h>

#include "alu.h"
#include "machine.h"
#include "span.h"

#pragma GCC visibility push(hidden)

enum { MACHINE_LANES = 32, MACHINE_SLOT_ALIGN = 64, MACHINE_FEW_OPERANDS = 4 };

struct machine_wide {
    uint64_t low, high;
};

// Where slots lie: in the frame of the function's call, among its constants, or in the warp. An operand says it in its
// low bits, as alu.h has it.
enum machine_base { MACHINE_IN_FRAME, MACHINE_IN_CONSTANTS, MACHINE_IN_WARP, MACHINE_BASES = ALU_BASES };

#define MACHINE_LEFT_OUT ((uint32_t)ALU_LEFT_OUT)

// `slot`: offset + enum machine_base, MACHINE_LEFT_OUT. An address is the lane's value + `add`.
//   file        how wide the lanes of the slot are: enum ptx_file
//   type        as declared: enum ptx_type
//   parts       in the first operand of a vector: how many come with it; 1 of a scalar, 1 of one that is left out
//   is_uniform  all lanes of the slot are equal, as far as decoding knows
struct machine_operand {
    uint32_t slot;
    uint8_t file, type, parts, is_uniform;
    int64_t add;
};

struct machine_code;
struct machine_strand;

// What comes behind an instruction.
//   NEXT    the one below
//   JUMPED  strands were moved, split or ended: whoever runs them looks anew
//   WAIT    it could not be done: the same again, when something has changed
//   YIELD   it is done, and found nothing; let others run before the one below
//   REST    it is done; let others run before the one below
//   FAULT   machine_fault() or its like has been told
enum machine_next { MACHINE_NEXT, MACHINE_JUMPED, MACHINE_WAIT, MACHINE_YIELD, MACHINE_REST, MACHINE_FAULT };

// Executes `code` for `lanes`: those of the strand whose guard holds, at least one. It never sees others.
typedef enum machine_next machine_handler(struct machine_strand *strand, const struct machine_code *code,
                                          uint32_t lanes);

// Which lanes of a strand run: all, those whose predicate holds, those whose does not.
enum machine_guarded { MACHINE_ALL, MACHINE_IF, MACHINE_UNLESS };

// PLAIN: nothing but `alu` of few operands, for all lanes of a strand. BRANCH: a bra. OTHER: all else.
enum machine_code_kind { MACHINE_OTHER, MACHINE_PLAIN, MACHINE_BRANCH };

//   handler      NULL: `alu` is run, which never fails
//   alu          what it computes, also for handlers that first see who is there; NULL if model/alu has nothing
//   guard        slot of a predicate; `guarded`: enum machine_guarded
//   operand      `operands` of them, in the order of the row, parts of vectors one after the other
//   kind         enum machine_code_kind
//   transfer     of a load or store
//   few, many    for model/alu, where they are: of up to four, and of more
//   target       of a branch: index into the function's code. Of others: for the handler
//   instruction  of the PTX function, for line and text; several codes may be of one
struct machine_code {
    alu_function *alu;
    machine_handler *handler;
    const struct ptx_choice *choice;
    const struct machine_operand *operand;
    union {
        const struct machine_transfer *transfer;
        uint32_t few[MACHINE_FEW_OPERANDS];
        const uint32_t *many;
    };
    uint32_t guard, target, instruction;
    uint16_t operands;
    uint8_t kind, guarded;
};

// Where lanes may be: nobody knows; in the CTA's own shared memory; in a region of global memory.
enum machine_guess { MACHINE_GUESS_NOTHING, MACHINE_GUESS_SHARED, MACHINE_GUESS_REGION };

// A load or store, as its operands and words say it.
//   bytes        of a part; whole_bytes: of all parts of a lane
//   is_plain     the registers are as wide as what is moved, and none is loaded twice
//   is_strong    other clusters may read or write the same words: each is the host's atomic, if one has its size
//   is_parameter it reads a parameter of the entry by name
//   may_be_late  a weak load of shared memory, or of a generic address
//   reach        alu/span.h's, by the width of the address
//   guess        where its lanes are most often
//   move_rows    what moves a part of lanes that lie as a ramp has it; NULL: lanes here and there
//   move_span, move, move_many  what moves all parts of lanes side by side, a part of one lane, and a part of lanes here
//                and there (alu/span.h, movers.h); NULL: each lane for itself
struct machine_transfer {
    const struct machine_operand *data, *at;
    alu_reacher *reach;
    alu_span_mover *move_span;
    alu_gatherer *move, *move_many;
    alu_rower *move_rows;
    uint32_t slot[ALU_SPAN_PARTS];
    uint32_t parts, bytes, whole_bytes;
    enum ptx_word space;
    enum memory_use use;
    enum machine_guess guess;
    bool is_signed, is_plain, is_strong, is_parameter, may_be_late;
};

// A variable of a function or a parameter, as it is passed: where it is in local memory, or in which register.
struct machine_formal {
    uint32_t slot, bytes; // slot: MACHINE_LEFT_OUT if it lies in local memory, at `offset` of the call's
    uint32_t offset;
    uint8_t file;
};

// Where the frame has register `index` of its width. `next`: decoding's.
struct machine_register_place {
    uint32_t index, slot, next;
    uint8_t file;
};

// A list of branch targets as indices of codes; of functions as the program has it.
struct machine_list {
    uint32_t count;
    uint32_t *target;
};

//   frame_bytes   of the slots of one call
//   local_bytes   of a thread's variables of one call
//   local_slot    of the frame: where the call's local memory begins, lane by lane (64 bits)
//   formal        what comes back, then what is passed
//   place         of the registers that it names, by width and number
//   choice        of each spelling of the program: its own, since the program's move when it reads another body
struct machine_function {
    const struct machine_code *code;
    const struct machine_operand *operand;
    uint32_t *many;
    struct machine_transfer *transfer;
    const uint8_t *constants;
    uint32_t codes, frame_bytes, local_bytes, local_slot, returns, parameters, number, lists;
    struct machine_formal *formal;
    struct machine_list *list;
    struct ptx_choice *choice;
    struct machine_register_place *place;
    uint32_t places, kept_bytes; // kept_bytes: of operands, constants and spellings
    const struct ptx_function *source;
};

// One special register that the kernel reads: a slot of the warp.
struct machine_special {
    uint32_t slot;
    uint8_t special, part, file;
};

// A variable in shared memory that the kernel, or a function that it may call, names. `bytes` is 0 of what the launch
// adds.
struct machine_variable {
    struct ptx_name name;
    uint64_t at, bytes;
};

// Slots that every warp has.
enum machine_warp_slot {
    MACHINE_SLOT_ZERO = 64,        // 64 bits
    MACHINE_SLOT_SHARED = 320,     // 64 bits: the rank << 24, where the CTA's shared::cta addresses begin
    MACHINE_SLOT_PARAMETERS = 576, // 64 bits: the address of the kernel's parameters
    MACHINE_SLOT_SPECIALS = 832,
};

// Of a warp that begins where one of the same index has ended, in another CTA (again.h): what its first instructions
// still compute, and which registers are 0 again. It may be empty: then all is done as the first time.
//   code        those that make something else in each CTA; number: of each, the one of the entry's code
//   stands_for  of so many instructions. 0: none is left out
//   cleared     where registers lie in the frame that may be read before they are written; NULL: all are cleared
struct machine_again {
    struct machine_code *code;
    uint32_t *number;
    struct machine_cleared {
        uint32_t first, bytes;
    } * cleared;
    uint32_t codes, stands_for, clears;
};

// A register whose lanes rise evenly, in rows of the block's width, 32 at most: of lane l,
// first + l % width * step + l / width * rise, cut to the register's bits. Most addresses are such.
struct machine_ramp {
    uint64_t first;
    int64_t step, rise;
};

// What came of computing with ramps: it is done; compute it lane by lane; do it in another way; what decoding took for
// a ramp is none.
enum machine_even { MACHINE_EVEN, MACHINE_BY_LANES, MACHINE_IN_ANOTHER_WAY, MACHINE_UNEVEN };

// An instruction that all lanes execute, with ramps. Those of the warp begin at `ramps`.
struct machine_ramp_code;
typedef enum machine_even machine_ramp_function(uint8_t *ramps, const struct machine_ramp_code *as,
                                                const struct machine_strand *strand);

enum { MACHINE_MOST_RAMPS = 160 }; // registers

// A comparison: enum ptx_word, and what is added so that no number has a sign; where its predicate goes.
struct machine_compare {
    uint64_t bias;
    uint32_t slot;
    uint16_t how, is_wide;
};

// An instruction where registers are ramps. A ramp is named by where it lies, in bytes.
//   run       NULL: as always
//   plain     so many plain instructions from here on have no `run`
//   lanes     the registers that it reads lane by lane, or those read, a bit each
//   writes    the register that it makes, or 0; written_at_once: its lanes are too, since it has no bit
//   add       to the first operand
//   transfer  of a load or store
//   at        its address; at_lanes: the bit of that register; hit, group, span: of the warp's, which it uses
//   moves     it is a load or store; follows: one of its group is above it
//   least, most  of what is added to the address, here and below in the group
//   to, from  what it makes, and of what
struct machine_ramp_code {
    machine_ramp_function *run;
    uint64_t lanes, writes;
    union {
        int64_t add;
        const struct machine_transfer *transfer;
        struct machine_compare compare;
    };
    uint64_t at_lanes;
    int64_t least, most;
    uint16_t to, from[3], at, hit, group, span;
    uint32_t plain;
    uint16_t written_at_once, moves, follows;
};

// A register, constant or special register that is always a ramp.
struct machine_ramp_place {
    uint32_t slot;
    uint8_t file;
    const struct machine_special *renewed; // a special register that differs from CTA to CTA; NULL: it is none
};

// Of the entry (ramps.h); `count` 0: it has none.
//   code      by the number of the entry's code
//   place     of each ramp, those of the frame first: `registers` of them
//   renews    the first so many behind those may be renewed; reads_renewed: an instruction reads lanes of such
//   known_behind  who has come as far as this code has made all that `again` leaves out
//   fill      alu/span.h's, by the width of the register
//   width     of rows, where those of the block are no narrower
//   cleared   registers that are 0 again when a warp begins again: `clears` of them
struct machine_ramps {
    struct machine_ramp_code *code;
    struct machine_ramp_place *place;
    uint32_t count, registers, renews, known_behind, width;
    int reads_renewed;
    uint8_t cleared[MACHINE_MOST_RAMPS];
    uint32_t clears;
    alu_ramper *fill[2];
};

// What an instruction is to a course (run/course.h), where it makes no ramp and moves nothing by one.
//   NEVER   no warp on a course executes it
//   JUMP    a branch; ENDS: ret or exit
//   LOGIC   it computes predicates of predicates; LANES: it computes, lane by lane
//   LOADS   a weak load, lane by lane; STORES: a weak store
//   MEETS   all threads of the CTA meet: bar.sync as __syncthreads() has it
enum machine_course_kind {
    MACHINE_COURSE_NEVER,
    MACHINE_COURSE_JUMP,
    MACHINE_COURSE_ENDS,
    MACHINE_COURSE_LOGIC,
    MACHINE_COURSE_LANES,
    MACHINE_COURSE_LOADS,
    MACHINE_COURSE_STORES,
    MACHINE_COURSE_MEETS
};

// `guard`, `reads`, `writes`: predicates, a bit each. is_same: what it writes, nobody else does, and it is the same in
// every CTA of a launch. mask: where lanes wait for each other, for all if that ramp, of which this is the number plus
// 1, is all ones; MACHINE_MASK_FULL: for all; 0: nobody waits.
enum { MACHINE_COURSE_PREDICATES = 64, MACHINE_MASK_FULL = INT32_MAX };
struct machine_course_code {
    uint64_t guard, reads, writes;
    uint32_t mask;
    enum machine_course_kind kind;
    int is_same;
};

// A kernel with all it may call: `function` has these in the order of the program.
//   course              by the number of the entry's code; NULL: none of its CTAs takes a course. predicate: where its
//                       predicates lie, by their bit
//   warp_bytes          of the slots of a warp
//   module_local_bytes  of local variables of the module, at the start of every thread's local memory
struct machine_kernel {
    struct machine_function **function;
    const struct machine_function *entry;
    struct machine_special *special;
    uint32_t functions, specials, warp_bytes, module_local_bytes;
    uint32_t live_registers; // machine_module_registers(); 0: nobody has asked
    bool commutes;           // commute.h
    bool adds;               // it commutes but for relaxed atomics
    uint64_t dynamic_shared_at;
    struct machine_parameter *parameter;
    struct machine_variable *shared;
    uint32_t shareds;
    struct machine_again again; // of the entry
    struct machine_ramps ramps; // of the entry
    struct machine_course_code *course;
    uint32_t *predicate;
    struct machine_kernel_facts facts;
};

// Function `number` of the program; NULL if the kernel cannot call it.
const struct machine_function *machine_kernel_function(const struct machine_kernel *kernel, uint32_t number);

// The place of a register; NULL if no instruction names it.
const struct machine_register_place *machine_register_find(const struct machine_function *function, enum ptx_file file,
                                                           uint32_t index);

#pragma GCC visibility pop

#endif
