// SPDX-License-Identifier: MIT
// A tensor-map call given on the command line: options named after the driver's parameters, or a JSON object from a
// file. `tmaref encode` and `tmaref explain` share them through argp's children. What is left out gets a value here.
#ifndef TMAREF_MAP_OPTIONS_H
#define TMAREF_MAP_OPTIONS_H

#include "command_option.h"
#include "map_args.h"
#include "tensormap.h"

// The texts as given; NULL where they were not. `given` counts them.
struct map_options {
    const char *data_type, *rank, *address, *dim, *strides, *box, *estride;
    const char *lower, *upper, *channels, *pixels, *wide, *replace;
    const char *interleave, *swizzle, *l2_promotion, *oob_fill;
    int given;
};

// These options; a part of the lines of commands.
extern const struct command_line map_line;

// What the options mean. Left out: strides are packed and rounded up to 16 bytes (32 with interleave 32B), element
// strides are 1, the address is 0, all else is 0 (none). Returns 1, or 0 with a sentence in `why` that names the
// option. Whether the driver would take the arguments is not asked here.
int map_options_read(const struct map_options *options, struct map_args *args, struct text *why);

// The call that a JSON object in `text` describes, with the driver's parameter names as keys. `where` names it.
int map_json_read(const char *text, const char *where, struct map_args *args, struct text *why);

// The map that `map_text` (bytes, or a call as JSON, or a file with either; may be NULL) or else `options` say.
//   returns  EXIT_AGREE; EXIT_MISMATCH when the call is refused, EXIT_USAGE on wrong arguments: the reason is printed
int map_question_read(const char *command, const char *map_text, const struct map_options *options,
                      struct tensormap *map);

// `count` numbers from min to max; `what` says what their number is ("the rank").
struct indices {
    int count;
    const char *what;
    int64_t min, max;
};

// The numbers of option --`option`. Returns as above.
int index_read(const char *command, const char *option, const char *text, const struct indices *wanted, int64_t *index);

// A 32-bit shared address. Returns as above.
int address_read(const char *command, const char *option, const char *text, uint32_t *address);

#endif
