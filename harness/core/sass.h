// SPDX-License-Identifier: MIT
// The few instructions of sm_90 machine code that say what a warp waits for, and what one needs to find them. An
// instruction is 16 bytes, two words of 64 bits. Read off cubins of ptxas 13.0 against what nvdisasm 13 says of them;
// an instruction of another form is SASS_OTHER, never guessed at.
//
//   bits of the low word   0..11 operation, 12..14 guard predicate (7: none), 15 it is negated, 24..31 a register,
//                          32..39 a second one, 40..63 an offset, signed
//   of the high word       0..5 a uniform register (63: none) that is added to the address
#ifndef TMAREF_SASS_H
#define TMAREF_SASS_H

#include "core_dump.h"

enum sass_kind {
    SASS_OTHER,
    SASS_WAIT,             // SYNCS.PHASECHK: test_wait, try_wait
    SASS_ARRIVE,           // SYNCS.ARRIVE: arrive, expect_tx, complete_tx; ARRIVES: cp.async.mbarrier.arrive
    SASS_EXCHANGE,         // SYNCS.EXCH: init
    SASS_BARRIER,          // BAR.SYNC, BAR.RED with numbers
    SASS_BARRIER_ARRIVE,   // BAR.ARV
    SASS_BARRIER_REGISTER, // BAR.SYNC whose number is in register `value`
    SASS_BARRIER_UNKNOWN,  // BAR.SYNC whose count is in a register
    SASS_CLUSTER_ARRIVE,   // UCGABAR_ARV
    SASS_CLUSTER_WAIT,     // UCGABAR_WAIT
    SASS_BRANCH,           // BRA to a place
    SASS_CALL,             // CALL.REL to a place
    SASS_RETURN,           // RET
    SASS_JUMP,             // BRX, JMP, CALL.ABS: to a place that the code does not say
    SASS_REGISTERS,        // USETMAXREG: setmaxnreg
    SASS_GRID,             // ACQBULK: griddepcontrol.wait
    SASS_LOAD,             // LD, LDG, ATOMG: memory that another thread may write
    SASS_LOCAL,            // LDL, STL
    SASS_TENSOR_LOAD,      // UTMALDG, also .MULTICAST
    SASS_TENSOR_STORE,     // UTMASTG, UTMAREDG
    SASS_BULK_LOAD,        // UBLKCP.S.G
    SASS_SHARED_COPY,      // UBLKCP.S.S, UBLKRED.S.S, STAS, REDAS: bytes to another CTA
    SASS_BULK_STORE,       // UBLKCP.G.S, UBLKRED.G.S
    SASS_TRAP,             // BPT.TRAP
    SASS_SLEEP,            // NANOSLEEP
    SASS_WARPSYNC,
    SASS_EXIT,
};

enum { SASS_BYTES = 16 };
#define SASS_ANY_NUMBER UINT32_MAX // of a named barrier: in a register

//   at, uniform  registers of the address, and `offset`; RZ (255) and URZ (63) where there is none
//   value        register of a wait's parity, in its highest bit
//   number, count  of a named barrier; count 0: all threads of the CTA
//   is_remote    of an arrive: the form for any CTA of the cluster
//   target       of a branch, from the start of the code
struct sass {
    enum sass_kind kind;
    uint8_t at, value, uniform, data;
    int32_t offset;
    uint32_t number, count;
    uint64_t target;
    bool is_guarded, is_remote;
};

// The instruction at `offset` of `code`. SASS_OTHER outside.
struct sass sass_at(const struct core_bytes *code, uint64_t offset);

#endif
