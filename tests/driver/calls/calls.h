// SPDX-License-Identifier: MIT
// The runner of call scripts (README.md has the language). It knows no call: types, constants and prototypes are read
// from what the C preprocessor makes of the API's headers (type.c), and libffi makes the calls (invoke.c).
#ifndef TMAREF_TESTS_CALLS_H
#define TMAREF_TESTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- Words (lex.c): the one at which the reader is ------------------------------------------------------------------

enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_REAL, WORD_TEXT, WORD_SIGN };
struct word {
    enum word_kind kind;
    const char *from; // in the text that is read
    size_t length;
    int64_t number;
    bool is_long, is_unsigned; // its ending: l, u
    double real;
    char *text; // a string literal's, without its escapes
};
extern struct word word;

void lex_from(const char *text);
void lex_next(void);
bool lex_is(const char *text);   // the word is this one
bool lex_take(const char *text); // the same, and then it is passed
void lex_need(const char *text);
char *lex_name(void); // a name, which is passed
bool lex_is_name(void);

// Ends the program: what is wrong with the line that is read.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern const char *where_file, *where_text;
extern int where_line;

// Memory that the program keeps to its end, all zero.
void *keep(size_t bytes);
char *keep_text(const char *from, size_t length);

// --- Types (type.c) -------------------------------------------------------------------------------------------------

enum kind { KIND_VOID, KIND_INTEGER, KIND_REAL, KIND_POINTER, KIND_ARRAY, KIND_STRUCT, KIND_FUNCTION };
struct member {
    const char *name; // NULL: a struct without a name
    struct type *type;
    size_t offset;
};
struct type {
    enum kind kind;
    size_t bytes, align;
    bool is_signed;
    const char *results;    // what the names of its values begin with, if it says whether a call succeeded
    bool is_unset;          // of a variable without a declaration, until a call takes its address
    bool takes_more;        // of a function: it ends with ...
    struct type *of;        // what is pointed to, an element, a function's result
    struct member *members; // of a struct; the parameters of a function
    size_t count;           // of these; the elements of an array
};
extern struct type type_void, type_int, type_unsigned, type_long, type_unsigned_long, type_real, type_text, type_unset;

struct type *type_pointer(struct type *to);
struct type *type_array(struct type *of, size_t count);
bool type_is_text(const struct type *type);
bool type_starts(void);       // the word begins a type
struct type *type_base(void); // without *, [] and ()
struct type *type_name(void); // of a cast or sizeof
struct member type_declarator(struct type *base);
void type_read_headers(const char *text);

// --- Values and variables (value.c) ---------------------------------------------------------------------------------

struct value {
    struct type *type;
    void *place; // where it lies: of an lvalue, and of arrays and structs
    int64_t number;
    double real;
    struct variable *of; // & of a variable without a declaration
};
struct variable {
    const char *name;
    struct type *type;
    void *place;
    struct definition *function;
    struct variable *next;
};
struct frame {
    struct variable *variables;
    struct loop *loops;         // that are run, the inner first
    const struct frame *caller; // with the line at which it is
    const char *file, *text;
    int line;
};
extern struct frame globals, *frame;

// In the frame, then in the globals; or NULL. What is called is a function, whatever else has the name.
struct variable *variable_find(const char *name, bool is_called);
struct variable *variable_make(const char *name, struct type *type);
struct value value_at(void *place, struct type *type);
struct value value_number(int64_t number, struct type *type);
struct value value_convert(struct value value, struct type *type);
void value_store(void *place, struct type *type, struct value value);
bool value_is_true(struct value value);

// --- Expressions (expression.c, invoke.c, host.c) -------------------------------------------------------------------

struct value expression(void);            // with commas only inside calls
struct value expression_assignment(void); // the same, with = and its like
struct value expression_sum(void);        // nothing weaker than <<
void initialise(struct type *type, void *place);
size_t elements(void);           // of the list in brackets, or the text, at the word (run.c)
extern struct value compared[2]; // what the last comparison compared
extern int skipping;             // what is read is not done: nothing is called or stored

enum { MOST_ARGUMENTS = 24 };
struct value invoke(const char *name, struct type *type, void *function, struct value *argument, int count);
struct value definition_call(struct definition *definition, struct value *argument, int count); // run.c
void invoke_begin(void); // before the script is read
// The function as one of this type that the API can call, from any thread.
void *callback_of(struct definition *definition, const struct type *type);
bool host_call(const char *name, struct value *argument, int count, struct value *result);

// --- The script (run.c) ---------------------------------------------------------------------------------------------

extern bool is_real, is_telling; // --real, --tell
void script_read(const char *path);
bool script_listens(void);                 // a line asks what was printed on standard error
bool script_run(const char *section);      // false if there is none of that name
const char *script_section(size_t number); // NULL if there are not so many
void print_callers(void);                  // the lines that have called the function that is run
bool said(const char *text);               // host.c: what was printed on standard error since the last time
void host_begin(void);
char *file_text(const char *path); // host.c

// For scripts (fourier.c): the largest distance of a transform from the definition. `n` are three sizes, and the last
// has `count_z` results.
double fourier_error(const int *n, const double *from, const double *to, int sign, int count_z);

#endif
