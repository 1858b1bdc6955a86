// SPDX-License-Identifier: MIT
// What the parts of the parser share. A function that parses returns 1, or 0 after a complaint; who can go on skips to
// the end of the statement.
#ifndef TMAREF_PTX_PARSER_H
#define TMAREF_PTX_PARSER_H

#include "names.h"
#include "ptx.h"

// Operands, and with the parts of vectors; a call may pass hundreds.
enum { MOST_TOP = 16, MOST_WRITTEN = 600, MOST_DEPTH = 64, LOCATION_SLOTS = 4096, SPELLING_HEADS = 1024 };

// An operand as it is written. Parts of vectors lie behind all operands; `first` and `count` say which.
struct written {
    uint8_t kind;       // enum ptx_operand_kind
    uint8_t is_negated; // !a
    uint8_t is_joined, is_bracketed;
    uint8_t type, file;   // of a register, as declared
    uint8_t space;        // of a variable, enum ptx_word
    uint8_t is_parameter; // what the function was passed
    uint8_t is_element;   // g[2]: a variable with an index
    uint8_t is_minus;     // -a
    uint8_t is_member;    // v.x
    uint8_t selector_length;
    const char *selector; // r.b0: behind the dot, selector_length of it
    uint32_t index, first, count;
    struct ptx_number number;
    struct ptx_token token;
    int64_t offset;
};

struct operands {
    uint32_t count, used; // operands from 0 on, parts from MOST_TOP on
    struct written at[MOST_WRITTEN];
};

// A label that was used and not seen yet.
struct pending {
    struct ptx_token token;
    uint32_t operand; // its place; with is_target that in the list of targets
    uint8_t is_target, wants_targets;
};

// One text of a module: what `nvcc -ptx` writes. A linked module has several, one behind the other in the module's
// text.
struct unit {
    struct unit *next;
    const char *at;                     // where it begins
    struct ptx_name name;               // of .tmaref_unit
    struct names names;                 // of its variables and functions
    const char *debug_text, *debug_end; // inside .section .debug_str
    uint32_t first_file;                // file 0 of this unit in the module
    uint8_t has_version, has_target, has_address_size;
};

struct parser {
    struct ptx_module *module;
    struct unit *unit;
    struct ptx_arena *arena;
    struct ptx_lexer lexer;
    struct ptx_token token;
    struct ptx_errors *errors;
    const char *text;
    struct ptx_token statement; // where the statement begins
    bool failed;
    int depth;
};

// A spelling that was seen, with the rows that take it; they lie in the order of forms.def.
struct known_spelling {
    struct ptx_name name;
    uint32_t hash, next, first_row, rows;
};

struct known_row {
    struct ptx_choice choice;
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    int rules;
    uint32_t op; // of the program, or UINT32_MAX as long as no instruction is it
};

// The function that is being decoded. The lists are used again for the next.
struct body {
    struct ptx_function *function;
    struct names names;
    struct ptx_arena_list variables, instructions, operands, locations, targets, declared, pending, target_items;
    uint32_t registers[PTX_FILES], location;
    uint32_t last_location[LOCATION_SLOTS];
    struct operands written;
};

// The extents of an array, the outermost first; 0 for one that is not known. A vector is none of them.
enum { MOST_DIMS = 8 };
struct dims {
    int count;
    uint64_t of[MOST_DIMS];
};

// The value that a variable begins with, as it is read.
struct initial {
    struct ptx_variable *variable;
    struct dims dims;
    struct ptx_arena_list bytes, relocations;
    uint32_t each_bytes;
    enum ptx_type type;
};

struct ptx_module {
    struct ptx_program program;
    struct ptx_arena arena;
    jmp_buf when_full;
    const char *text;
    size_t text_bytes;
    struct unit first, *last;
    bool may_be_later;    // PTX_FOR_LATER stood before it
    bool is_linked;       // of units: what they leave open is looked for among them
    struct names symbols; // of all units, while they are linked
    uint8_t *is_named;    // amount.c's, of each variable: 0 between two bodies
    struct ptx_arena_list functions, variables, ops, files, spellings, rows, heads;
    uint32_t spelling_head[SPELLING_HEADS];
    struct body body;
    struct initial initial;
};

// The unit that a place in the text belongs to.
struct unit *ptx_unit_of(const struct ptx_module *module, const char *at);

void ptx_complain_of_memory(struct ptx_module *module, struct ptx_errors *errors);

void ptx_parser_advance(struct parser *parser);
int ptx_parser_is(const struct parser *parser, const char *text);
int ptx_parser_take(struct parser *parser, const char *text);   // and goes on, if it is
int ptx_parser_expect(struct parser *parser, const char *text); // or complains
// Complains that something else stands here than `wanted`.
int ptx_parser_fail_here(struct parser *parser, const char *wanted);
int ptx_parser_name(struct parser *parser, const char *what, struct ptx_name *name);
int ptx_parser_u32(struct parser *parser, const char *what, uint32_t *value);
int ptx_parser_fail(struct parser *parser, const struct ptx_token *token, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Behind the next ; or before the } that ends the block.
void ptx_parser_recover(struct parser *parser);

struct ptx_name ptx_token_name(const struct ptx_token *token);

// constant.c: an expression of constants.
int ptx_parse_constant(struct parser *parser, struct ptx_number *value);

// declare.c: variables and parameters. `body` is NULL outside of functions.
int ptx_parse_variables(struct parser *parser, struct body *body, enum ptx_linkage linkage);
int ptx_parse_parameters(struct parser *parser, struct ptx_arena_list *variables, uint32_t *count);
int ptx_parse_registers(struct parser *parser, struct body *body);
enum ptx_file ptx_file_of(enum ptx_type type);
enum ptx_word ptx_space_word(const struct ptx_token *token);
uint32_t ptx_registers_take(struct body *body, enum ptx_type type, uint32_t count);

// initial.c: what stands behind = .
int ptx_parse_initial(struct parser *parser, struct ptx_variable *variable, const struct dims *dims);

// amount.c: is it more than the machine has? Constants: of a whole program. Shared memory: what the body of an entry
// has and names; what the functions have that it calls comes on top of that.
void ptx_check_constants(const struct ptx_module *module, struct ptx_errors *errors);
void ptx_check_shared(struct ptx_module *module, uint32_t function, struct ptx_errors *errors);

// function.c: the head of a function, and its tuning.
int ptx_parse_function(struct parser *parser, bool is_entry, enum ptx_linkage linkage);
bool ptx_same_types(const struct ptx_function *a, const struct ptx_function *b); // what they take and return
int ptx_parse_prototype(struct parser *parser, struct ptx_targets *targets);
int ptx_parse_pragma(struct parser *parser);

// body.c
void ptx_parse_body(struct parser *parser, struct body *body);
int ptx_parse_location(struct parser *parser, struct body *body);

// written.c: the operands of an instruction, as written.
int ptx_parse_operands(struct parser *parser, struct body *body, struct operands *operands);
int ptx_parse_call_operands(struct parser *parser, struct body *body, struct operands *operands);

// spelling.c: the rows of a spelling.
const struct known_spelling *ptx_spelling_find(struct parser *parser, const struct ptx_token *token);

// emit.c: puts the instruction of these operands in the body.
bool ptx_instruction_add(struct parser *parser, struct body *body, const struct ptx_token *opcode,
                         const struct known_spelling *spelling, struct ptx_instruction *instruction);

#endif
