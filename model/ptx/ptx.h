// SPDX-License-Identifier: MIT
// The front end of PTX: text in, a decoded program out. No I/O, and no memory image: what the program holds is
// program.h. Memory is taken with malloc, up to a limit, and given back by ptx_close().
#ifndef TMAREF_PTX_H
#define TMAREF_PTX_H

#include "lexer.h"
#include "program.h"

struct ptx_module;

struct ptx_limits {
    size_t memory_bytes; // 0: a gigabyte
};

// What stands before .version if the text may be for a later GPU (.target sm_120): a program carries it beside machine
// code for ours. Instructions that ours does not have are refused all the same.
#define PTX_FOR_LATER ".tmaref_later "

// Reads a module: its directives, variables, and the heads of its functions. Bodies are skipped. `text` stays the
// caller's, and must stay as long as the module does. NULL only if there is no memory; what is wrong is in `errors`,
// all of it that was found, with the first PTX_MOST_ERRORS told.
struct ptx_module *ptx_open(const char *text, size_t size_bytes, struct ptx_limits limits, struct ptx_errors *errors);

// Puts the units of a module together: each name that is .extern stands for what another unit defines, and of several
// definitions one is left, the others become declarations. 0 with errors: what no unit defines, what two define, what
// is something else in another unit. PTX without units is a whole program: of it .extern variables are its own.
// `is_given` says which functions who runs the module has, although no unit has their bodies; NULL: more units are to
// come, so it is not asked what none defines.
int ptx_link(struct ptx_module *module, int (*is_given)(struct ptx_name name), struct ptx_errors *errors);

// Tells each variable and function that a unit has, or of a module that was linked those that stand for one another:
// once each, and where in the text the one that counts stands.
void ptx_each_name(const struct ptx_module *module, void (*tell)(void *context, struct ptx_name name), void *context);
void ptx_each_symbol(const struct ptx_module *module, void (*tell)(void *context, struct ptx_name name), void *context);

// What was read. Pointers into it may move when a function is decoded.
const struct ptx_program *ptx_program(const struct ptx_module *module);

// Decodes the body of a function, once; 1 if it has no errors. Not for two threads at once.
int ptx_decode(struct ptx_module *module, uint32_t function, struct ptx_errors *errors);

// Complains if the shared memory of that entry is more than a CTA has.
void ptx_complain_of_shared(const struct ptx_module *module, uint32_t function, uint64_t bytes,
                            struct ptx_errors *errors);

// The function of that name, or -1.
int ptx_function_find(const struct ptx_module *module, const char *name);

// The name of file `number` of .file, or an empty name.
struct ptx_name ptx_file_name(const struct ptx_module *module, uint32_t number);

// The name of the function that a location was inlined from, out of .debug_str, or an empty name.
struct ptx_name ptx_location_function(const struct ptx_module *module, const struct ptx_location *location, char *to,
                                      size_t size_bytes);

// How many bytes the module has allocated; its limit is the one that it was opened with.
size_t ptx_memory_bytes(const struct ptx_module *module);

void ptx_close(struct ptx_module *module);

#endif
