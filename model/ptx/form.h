// SPDX-License-Identifier: MIT
// Which forms of instructions there are, as data (the page ptx-forms.md lists them), and which of them a spelling such
// as `ld.global.v2.f32` is. What the operands must be is in operand_rule.h.
#ifndef TMAREF_PTX_FORM_H
#define TMAREF_PTX_FORM_H

#include <stddef.h>
#include <stdint.h>

enum ptx_type {
    PTX_TYPE_NONE,
#define TYPE(name, kind, bits) PTX_TYPE_##name,
#include "types.def"
    PTX_TYPES
};

enum ptx_type_kind {
    PTX_KIND_BITS,
    PTX_KIND_UNSIGNED,
    PTX_KIND_SIGNED,
    PTX_KIND_FLOAT,
    PTX_KIND_PACKED,
    PTX_KIND_PREDICATE
};

struct ptx_type_row {
    const char *name;
    enum ptx_type_kind kind;
    uint32_t bits;
};

const struct ptx_type_row *ptx_type_row(enum ptx_type type);

// The type of that name (without its dot), or PTX_TYPE_NONE.
enum ptx_type ptx_type_find(const char *name, size_t length);

enum ptx_class {
#define CLASS(name) PTX_CLASS_##name,
#include "words.def"
    PTX_CLASSES
};

enum ptx_word {
    PTX_WORD_NONE,
#define WORD(class, name, spelling) PTX_##name,
#include "words.def"
    PTX_WORDS
};

const char *ptx_word_spelling(enum ptx_word word);

// What a row is for a user of sm_90a.
enum ptx_support {
    PTX_ACCEPTED, // ptxas takes it
    PTX_REFUSED,  // PTX has it, ptxas refuses it for sm_90a
    PTX_OUTSIDE,  // ptxas takes it, and tmaref does not read it
};

// What runs a row's instructions.
enum ptx_runs {
    PTX_RUNS_NOT,     // nothing yet
    PTX_RUNS_ALU,     // a function of the lanes' registers, model/alu
    PTX_RUNS_CONTROL, // where a warp goes on
    PTX_RUNS_MEMORY,  // loads, stores, atomics
    PTX_RUNS_MEETING, // lanes that wait for others: votes, shuffles, barriers
    PTX_RUNS_ASYNC,   // operations that go on behind the instruction
    PTX_RUNS_MATRIX,  // products of matrices
};

struct ptx_form {
    const char *name, *opcode, *modifiers, *operands;
    uint16_t since; // PTX version times 10
    enum ptx_support support;
    enum ptx_runs runs;
    const char *note;
};

// The row of a number of form_number.h, which names them.
const struct ptx_form *ptx_form_row(int number);

// How many rows there are: their numbers are below it.
int ptx_form_count(void);

enum { PTX_MOST_WORDS = 16, PTX_MOST_TYPES = 4, PTX_MOST_SPACES = 2 };

// An instruction without its operands: the choices that its words make. What is not said is 0.
struct ptx_choice {
    uint16_t form; // enum ptx_form_number
    uint8_t types, spaces;
    uint8_t type[PTX_MOST_TYPES];   // enum ptx_type, as they come
    uint8_t space[PTX_MOST_SPACES]; // enum ptx_word
    uint8_t word[PTX_CLASSES];      // enum ptx_word by class; SHAPE: 1 if `shape` is given
    uint8_t second;                 // the second word of a class: of LAYOUT, of L2
    uint16_t shape[3];              // m, n, k
};

// A spelling, cut into words.
struct ptx_spelling {
    const char *opcode; // as the rows have it; NULL if no row's opcode begins so
    int words;
    struct ptx_spelled {
        const char *at;
        uint32_t length;
        enum ptx_class kind; // PTX_CLASSES if it is no word of PTX
        enum ptx_type type;
        enum ptx_word word;
        uint16_t shape[3];
    } word[PTX_MOST_WORDS];
};

// Cuts `text`; 0 if no opcode begins so, or there are too many words.
int ptx_spelling_cut(const char *text, size_t length, struct ptx_spelling *spelling);

// The first row from `form` on that has the opcode, or -1.
int ptx_form_next(const struct ptx_spelling *spelling, int form);

// Does row `form` take the spelling? Else *taken is how many of its words it takes.
int ptx_form_match(int form, const struct ptx_spelling *spelling, struct ptx_choice *choice, int *taken);

// Word `n` of slot `slot` of a row, its length in *length; NULL behind the last word, or the last slot. For who makes
// spellings.
const char *ptx_form_slot_word(int form, int slot, int n, size_t *length);
int ptx_form_slot_is_optional(int form, int slot);
int ptx_form_slots(int form);

// A sentence on why no row takes the spelling, and one of advice. Returns the word to blame, or -1 if one is missing.
int ptx_form_blame(const struct ptx_spelling *spelling, char *message, char *advice, size_t size_bytes);

// The name that is nearest to a mistyped one, or NULL; name_at(0), name_at(1), ... are all, up to NULL.
const char *ptx_near(const char *name, size_t length, const char *(*name_at)(int i));
const char *ptx_near_opcode(int i);
const char *ptx_near_word(int i);

#endif
