// SPDX-License-Identifier: MIT
// A PTX module, decoded: what ptx.h makes of text, for who runs it or reports of it. Numbers instead of names
// everywhere; a name is a piece of the text. Registers are numbered within their file, by width.
#ifndef TMAREF_PTX_PROGRAM_H
#define TMAREF_PTX_PROGRAM_H

#include "form.h"
#include "operand_rule.h"

struct ptx_name {
    const char *at;
    uint32_t length;
};

enum ptx_file { PTX_FILE_PRED, PTX_FILE_16, PTX_FILE_32, PTX_FILE_64, PTX_FILE_128, PTX_FILES };

enum ptx_special {
#define SPECIAL(name, spelling, type, parts) PTX_SPECIAL_##name,
#include "special.def"
    PTX_SPECIALS
};

struct ptx_special_row {
    const char *spelling;
    enum ptx_type type;
    uint8_t parts;
};
const struct ptx_special_row *ptx_special_row(enum ptx_special special);

// Finds %name, with `part` ('x' .. 'w') of it or 0; *number is the part, or the number in the name. 0 if there is none.
int ptx_special_find(const char *at, size_t length, char part, enum ptx_special *special, uint8_t *number);

// --- Variables -------------------------------------------------------------------------------------------------------

enum ptx_linkage { PTX_LINK_LOCAL, PTX_LINK_VISIBLE, PTX_LINK_EXTERN, PTX_LINK_WEAK, PTX_LINK_COMMON };

// One address in an initialiser: the bits mask of (the address of the symbol + add) go to `offset`.
struct ptx_relocation {
    uint64_t offset, mask;
    int64_t add;
    uint32_t index; // of the variable, or function
    uint8_t bytes, is_function, is_generic, shift;
};

struct ptx_variable {
    struct ptx_name name;
    enum ptx_word space; // PTX_GLOBAL, SHARED, CONST, LOCAL, PARAM; PTX_WORD_NONE for a register (a .reg parameter)
    uint8_t type, vector, linkage, is_managed, is_array, is_unsized, is_pointer;
    uint32_t line, align, reg; // reg: the register that holds it, with PTX_WORD_NONE
    uint64_t bytes, elements;
    uint64_t init_bytes; // how many bytes of `init` there are: the rest is zero
    const uint8_t *init;
    struct ptx_relocation *relocation;
    uint32_t relocations;
};

// --- Code ------------------------------------------------------------------------------------------------------------

enum ptx_operand_kind {
    PTX_OPERAND_NONE,        // one that may be left out, and is
    PTX_OPERAND_REGISTER,    // index in `file`
    PTX_OPERAND_CONSTANT,    // bits, of `type`
    PTX_OPERAND_SPECIAL,     // index: enum ptx_special; bits: its part
    PTX_OPERAND_SINK,        // _
    PTX_OPERAND_VECTOR,      // bits parts, the first of them at operand[index]
    PTX_OPERAND_AT_REGISTER, // an address: register `index` of `file` + bits
    PTX_OPERAND_AT_VARIABLE, // an address: variable `index` + bits
    PTX_OPERAND_AT_CONSTANT, // an address: bits
    PTX_OPERAND_VARIABLE,    // the address of variable `index` + bits, as a value
    PTX_OPERAND_FUNCTION,    // function `index`, as a value or to call
    PTX_OPERAND_LABEL,       // instruction `index`
    PTX_OPERAND_TARGETS,     // list `index` of labels or functions, or a prototype
};

// Variables of the function have this bit in their index, those of the module do not.
#define PTX_OF_FUNCTION 0x80000000u

struct ptx_operand {
    uint8_t kind, type, file, is_negated; // type: as declared
    uint32_t index;
    uint64_t bits;
};

// Its operands are operand[first] on, one for each rule of its row. Of a call: what is called (a function or a
// register), a vector of what comes back, a vector of what is passed, the prototype or list of targets of an indirect
// call.
struct ptx_instruction {
    uint32_t op;    // of the program's
    uint32_t first; // operand
    uint8_t operands;
    uint8_t is_guarded, guard_is_negated;
    uint32_t guard;    // predicate register
    uint32_t line;     // of the PTX
    uint32_t location; // of the function's, 0 for none
};

// A spelling with the row that it is here. Many instructions share one.
struct ptx_op {
    struct ptx_name spelling;
    struct ptx_choice choice;
    uint32_t uses;
};

// A place in the source, from .loc. `inlined_at` is the location that called it, 0 for none.
struct ptx_location {
    uint32_t file, line, column, inlined_at;
    struct ptx_name function; // label in .debug_str + offset; see ptx_location_function()
    uint32_t function_offset;
};

struct ptx_targets {
    uint32_t line, count, first;
    const uint32_t *index; // of instructions, or functions
    int is_function, is_prototype;
    uint32_t returns, parameters; // of a prototype: in `variable`, returns first
    const struct ptx_variable *variable;
};

// What .maxntid and the like say; 0 where nothing is said.
struct ptx_tuning {
    uint32_t maxntid[3], reqntid[3], reqnctapercluster[3];
    uint32_t minnctapersm, maxnctapersm, maxnreg, maxclusterrank, language, ignored;
    uint8_t is_explicit_cluster, blocks_are_clusters, is_noreturn;
};

// Registers of one declaration: `count` of them named name0, name1, ... (0: one, of that name), of `vector` parts each,
// from `first` on in the file of their type.
struct ptx_registers {
    struct ptx_name name;
    uint32_t first, count;
    uint8_t type, vector;
};

struct ptx_function {
    struct ptx_name name;
    uint8_t is_entry, linkage, has_body, is_decoded, is_bad;
    uint32_t line, returns, parameters; // variable[0 .. returns - 1], then the parameters
    struct ptx_tuning tuning;
    const char *body, *body_end; // behind its {, at its }
    uint32_t body_line;

    // From here on once it is decoded.
    uint32_t variables, instructions, operands, locations, target_lists, declarations;
    uint32_t registers[PTX_FILES];
    const struct ptx_variable *variable;
    const struct ptx_instruction *instruction;
    const struct ptx_operand *operand;
    const struct ptx_location *location; // from 1
    const struct ptx_targets *targets;
    const struct ptx_registers *declared;
};

struct ptx_source_file {
    uint32_t number;
    struct ptx_name name;
};

struct ptx_program {
    uint32_t isa_version; // of PTX, times 10
    struct ptx_name target;
    int address_bits;
    uint32_t functions, variables, ops, files;
    struct ptx_function *function;
    struct ptx_variable *variable;
    struct ptx_op *op;
    struct ptx_source_file *file;
};

#endif
