// SPDX-License-Identifier: MIT
// What the files that decode share: one function under way. decode.c walks over it, operands.c makes slots of operands.
#ifndef TMAREF_MACHINE_DECODER_H
#define TMAREF_MACHINE_DECODER_H

#include <setjmp.h>

#include "decode.h"

#pragma GCC visibility push(hidden)

struct machine_array {
    void *item;
    uint32_t count, room;
};

// Appends `count` zeroed things and returns the first; jumps to decoder->no_memory.
void *machine_array_add(struct machine_array *array, uint32_t count, size_t each_bytes, jmp_buf *no_memory);

// A code that must run before or behind the instruction under way.
struct machine_aside {
    machine_handler *handler;
    struct machine_operand to, from;
};

//   special         the kernel's special registers so far
//   shared          variables in shared memory, by name
//   registers       those that the function names so far, struct machine_register_place
//   variable        of the function: its offset in shared or local memory, or in the kernel's parameters
//   code, operand, constant  so far; operands are numbers of `operand` until the end
//   before, behind  asides of the instruction under way
struct decoder {
    struct machine_module *module;
    const struct ptx_program *program;
    struct machine_kernel *kernel;
    uint64_t dynamic_offset;
    struct machine_array special, variable, shared;
    struct machine_function *function;
    const struct ptx_function *source;
    struct machine_array code, operand, constant, constants_seen, code_of, before, behind, registers;
    uint32_t *constant_head, *register_head;
    jmp_buf no_memory;
};

// Forgets the constants and registers of the function before.
void machine_decoder_start(struct decoder *decoder);

// How wide the lanes of a type are.
enum ptx_file machine_file_of(enum ptx_type type);

// A new slot of the function's frame; that of a register, which has one as of its first use: declared ones that no
// instruction names take no memory.
uint32_t machine_scratch(struct decoder *decoder, enum ptx_file file);
uint32_t machine_register(struct decoder *decoder, enum ptx_file file, uint32_t index);

// Appends what one operand is to the operands of the instruction; asides go to decoder->before and behind. With
// `fits_type` its lanes are as wide as the type says, whatever the register is.
void machine_operand_add(struct decoder *decoder, const struct ptx_operand *operand,
                         const struct ptx_operand_rule *rule, bool fits_type);

// Of a call: a register, a constant, or a variable of the caller, whose `file` is PTX_FILES: it lies in local memory.
void machine_argument_add(struct decoder *decoder, const struct ptx_operand *operand);

// A copy at a multiple of MACHINE_SLOT_ALIGN.
void *machine_aligned_copy(struct decoder *decoder, const void *from, size_t bytes);

// Gives the function its codes, operands and constants.
void machine_function_keep(struct decoder *decoder);

// Handlers of asides: a predicate complemented; lanes narrowed or widened; floats and integers as a store of another
// size converts them; slot + number; a clock read.
machine_handler machine_complement, machine_convert, machine_convert_stored, machine_add_up, machine_read_clock;

#pragma GCC visibility pop

#endif
