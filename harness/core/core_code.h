// SPDX-License-Identifier: MIT
// The machine code of a module in a core dump: its functions, the lines that instructions are from, and, where ptxas
// kept the PTX in it (-lineinfo, -G), the names of variables in shared memory and what the PTX says of them.
#ifndef TMAREF_CORE_CODE_H
#define TMAREF_CORE_CODE_H

#include "core_dump.h"
#include "line_table.h"
#include "machine.h"

struct core_function {
    const char *name;
    uint64_t section, start; // where it begins in the section
    struct core_bytes code;  // address 0 is its first instruction
    uint64_t address;        // on the GPU; 0: the image does not say
};

struct core_code {
    struct elf elf;
    struct line_table lines, ptx_lines;
    struct core_function *function;
    uint32_t functions;
    struct machine_module *ptx;    // NULL: it has none, or none that is read
    struct machine_kernel *kernel; // of the last core_code_kernel()
    const struct ptx_function *ptx_function;
};

// 0 with a sentence. core_code_close() is right after either.
int core_code_open(struct core_code *code, const struct core_bytes *image, struct text *why);
void core_code_close(struct core_code *code);

// The function at an address of the GPU, or where the image does not say addresses, the only one; NULL if not known.
const struct core_function *core_code_function(const struct core_code *code, uint64_t address);

// The place in the source of an instruction of the function; 0 if not known.
bool core_code_place(const struct core_code *code, const struct core_function *function, uint64_t offset,
                     struct machine_where *where);

// The line of the PTX that it is from, 0 if not known.
uint32_t core_code_ptx_line(const struct core_code *code, const struct core_function *function, uint64_t offset);

// Chooses the kernel whose variables core_code_shared_name() names.
void core_code_kernel(struct core_code *code, const char *name);

// "full", "ring + 16": the variable of the kernel's shared memory at an address in the CTA's window. The length, 0 if
// no variable is known there.
size_t core_code_shared_name(const struct core_code *code, uint64_t address, char *text, size_t bytes);

// The bytes of the variable that begins there; 0 if there is none, or the launch says how long it is.
uint64_t core_code_shared_bytes(const struct core_code *code, uint64_t start);

// Where the variable begins that is at the address; UINT64_MAX if none is known.
uint64_t core_code_shared_start(const struct core_code *code, uint64_t address);

#endif
