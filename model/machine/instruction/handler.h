// SPDX-License-Identifier: MIT
// For who writes handlers: how one reads lanes and addresses, reaches memory, meets other lanes, waits, faults, and
// tells. A file of handlers has a finder; finders.def names them all, and decoding asks them in turn.
#ifndef TMAREF_MACHINE_HANDLER_H
#define TMAREF_MACHINE_HANDLER_H

#include "state.h"

#pragma GCC visibility push(hidden)

// The handler of a form, NULL if it is not of this file.
typedef machine_handler *machine_finder(const struct ptx_choice *choice);
#define FINDER(name) machine_finder name;
#include "finders.def"

// Loads and stores, which are prepared at decoding.
machine_handler machine_run_transfer;

// What it does for loads, and for stores (stores.c), which others may wait for.
machine_handler machine_transfer, machine_store;

// A weak load by all lanes, from a parameter or from where it is guessed that they are; else 0, and nothing has been
// done.
bool machine_load_guessed(struct machine_strand *strand, const struct machine_code *code);
void machine_transfer_prepare(struct machine_transfer *transfer, const struct machine_code *code);

// Is it an instruction that loads through the async proxy from global memory? Does it write shared memory through it?
int machine_copies_load(const struct ptx_choice *choice);
int machine_copies_write(const struct ptx_choice *choice);

// Of forms that nobody runs yet; of what is behind the last instruction; of calls by name and by address.
machine_handler machine_unsupported, machine_return, machine_call, machine_call_indirect;

// What a launch on a GPU returns, where no rule of the table names it.
enum {
    CUDA_ASSERT = 710,
    CUDA_INVALID_PC = 718,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_ILLEGAL_INSTRUCTION = 715,
    CUDA_MISALIGNED = 716,
    CUDA_LAUNCH_FAILED = 719
};

// --- Lanes -----------------------------------------------------------------------------------------------------------

// NULL for MACHINE_LEFT_OUT.
static inline void *machine_slot(const struct machine_strand *strand, uint32_t slot)
{
    return alu_at(&strand->registers, slot);
}

// The lanes of operand `i` of code->operand, NULL if it is left out.
static inline void *machine_lanes(const struct machine_strand *strand, const struct machine_code *code, uint32_t i)
{
    return machine_slot(strand, code->operand[i].slot);
}

// What model/alu computes of the instruction.
static inline void machine_compute(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const uint32_t *slot = code->operands <= MACHINE_FEW_OPERANDS ? code->few : code->many;
    code->alu(&strand->registers, slot, code->choice, lanes);
}

// Where operand `n` of the row begins in code->operand: parts of vectors before it count one by one.
uint32_t machine_operand_at(const struct machine_code *code, uint32_t n);

// The value of one lane, of whatever width, zero-extended; and back, cut to the width.
uint64_t machine_value(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane);
void machine_set_value(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane,
                       uint64_t value);

// The address of one lane: its register + the constant, 32 bits in spaces of shared memory if the register is so wide;
// and those of all lanes.
uint64_t machine_address(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane);
void machine_addresses(const struct machine_strand *strand, const struct machine_operand *operand,
                       uint64_t address[MACHINE_LANES]);

// --- Memory ----------------------------------------------------------------------------------------------------------

// An address of PTX, resolved: its space, and the number that the model's checks take. PTX_GLOBAL (also of const and
// param of entries): a host address. PTX_SHARED: an address of shared::cta; the own rank is not in it any more.
// PTX_SHARED_CLUSTER: one of shared::cluster, the rank in bits 31..24; so are generic ones. PTX_LOCAL: an offset in the
// thread's local memory.
struct machine_place {
    enum ptx_word space;
    uint64_t address;
};

// `space` as the instruction says it, PTX_WORD_NONE for generic.
struct machine_place machine_place(const struct machine_strand *strand, enum ptx_word space, uint64_t address);

// Where `bytes` bytes are, or NULL with the rule that is broken; they do not cross 16 bytes of local memory.
uint8_t *machine_at(const struct machine_strand *strand, struct machine_place place, uint32_t lane, uint32_t bytes,
                    enum memory_use use, enum rule *rule);

// What an instruction does with memory: `bytes` of each lane, a power of two, in `space`, PTX_WORD_NONE for generic.
struct machine_use {
    enum ptx_word space;
    enum memory_use use;
    uint64_t bytes;
};

// Where lanes are on the host: each at `at` + of.offset[lane].
struct machine_spots {
    uint8_t *at;
    struct alu_spots of;
};

// Where each of `lanes` is, and how they lie; ALU_OUTSIDE if some are not aligned, or not all are in one region of
// global memory, in the CTA's own shared memory, or in local memory: then nothing is known. ALU_AT_ONE: of the offsets
// the first is set alone. `reacher`: alu_span()'s, for the width of the operand.
enum alu_reach machine_reach(const struct machine_strand *strand, const struct machine_operand *operand,
                             alu_reacher *reacher, struct machine_use use, uint32_t lanes, struct machine_spots *spots);

// Strong stores of `bytes` bytes each, which other clusters see at once.
void machine_show(const struct machine_strand *strand, enum ptx_word space, uint32_t lanes,
                  const uint64_t address[MACHINE_LANES], uint32_t bytes);

// Copies bytes of any number from a lane's memory, or to it; 0 and *rule if some are not there.
int machine_read(const struct machine_strand *strand, struct machine_place place, uint32_t lane, void *to,
                 uint64_t bytes, enum rule *rule);
int machine_write(const struct machine_strand *strand, struct machine_place place, uint32_t lane, const void *from,
                  uint64_t bytes, enum rule *rule);

// A fence, or a release, of a scope wider than the CTA: an H200 waits for all stores of the thread there.
bool machine_is_wide(const struct ptx_choice *choice);

// The warp executes one: what it has stored, and what it knows of, is no longer under way.
void machine_release(const struct machine_warp *warp);

// Something has changed that others may wait for.
static inline void machine_progress(const struct machine_strand *strand)
{
    strand->warp->cta->cluster->progress++;
}

// --- Lanes that part and meet ----------------------------------------------------------------------------------------

// Moves `lanes` of the strand to `pc`; the others stay where they are. Return MACHINE_JUMPED after it.
void machine_move(struct machine_strand *strand, uint32_t lanes, uint32_t pc);

// Of `lanes`, at a .sync instruction with the masks in `mask`: those whose whole mask (as far as it lives) is here. The
// handler does its work for them, and returns machine_leave(): they go on, the others wait.
uint32_t machine_met(const struct machine_strand *strand, uint32_t lanes, const uint32_t *mask);
enum machine_next machine_leave(struct machine_strand *strand, uint32_t lanes, uint32_t done);

// --- The end ---------------------------------------------------------------------------------------------------------

// The lane breaks `rule`: the launch ends with its error. `more`: what is known of the address, may be ""; further
// lines follow the rule.
enum machine_next machine_fault(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                enum rule rule, uint64_t address, const char *more);

// The same where the first line of the report is not about an address: `what`, and its further lines.
enum machine_next machine_fault_with(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                     enum rule rule, uint64_t address, const char *what);

// The same of what a check has found, of an operation of `bytes` bytes.
struct finding;
enum machine_next machine_fault_found(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                      const struct finding *finding, uint32_t bytes);

// The same for an access of `bytes` bytes to a place.
enum machine_next machine_fault_at(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                   enum rule rule, struct machine_place place, uint32_t bytes);

// The same where no rule of the table speaks.
enum machine_next machine_stop(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                               enum machine_kind kind, int cuda_error, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// --- Events ----------------------------------------------------------------------------------------------------------

// Who executes `code`, for the model's calls: `room`, filled in.
const struct teller *machine_teller(const struct machine_strand *strand, const struct machine_code *code,
                                    uint32_t lanes, struct teller *room);

// Tells of what each lane reads, writes or reduces, of `bytes` bytes, with the order and scope that the words say.
void machine_tell_access(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                         enum access_kind kind, const uint64_t address[MACHINE_LANES], uint32_t bytes);

// The same of a load or store whose addresses are a ramp, by so many warps from the strand's on, each `rise` behind the
// one before it, by these lanes of each.
struct machine_crowd {
    uint32_t warps, lanes;
    int64_t rise;
};
void machine_tell_ramp(const struct machine_strand *strand, const struct machine_code *code,
                       const struct machine_ramp *ramp, const struct machine_looker *looker,
                       const struct machine_crowd *crowd);

// The order that an instruction asks for; without a word of its own an access is weak, a reduction relaxed.
enum access_order machine_order_of(const struct ptx_choice *choice, enum access_kind kind);

static inline bool machine_is_heard(const struct machine_strand *strand)
{
    return strand->warp->is_heard;
}

#pragma GCC visibility pop

#endif
