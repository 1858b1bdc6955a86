// SPDX-License-Identifier: MIT
// Inside the watched program: one tensor map call on its way through. symbols.c gets between program and driver,
// calls.c takes a call's arguments and asks the model, report.c prints it, state.c counts it.
#ifndef TMAREF_WATCH_H
#define TMAREF_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_calls.h"
#include "line.h"
#include "shared.h"
#include "tensormap.h"

enum { WATCH_MAX_ARGUMENTS = 18 };

enum watch_kind { WATCH_UNSIGNED, WATCH_SIGNED, WATCH_POINTER, WATCH_ENUM, WATCH_U64S, WATCH_U32S, WATCH_I32S };

// An argument as passed. `name` is the driver API's; `value` the number or pointer; `value_name` names an enum's value
// or is NULL. Of an array, `count` entries were copied (-1: not readable memory).
struct watch_argument {
    const char *name;
    enum watch_kind kind;
    uint64_t value;
    const char *value_name;
    int count;
    union {
        uint64_t u64[TENSORMAP_MAX_RANK];
        uint32_t u32[TENSORMAP_MAX_RANK];
        int i32[TENSORMAP_MAX_RANK];
    } entry;
};

// One call. `rule` is the model's verdict and `expected` its map, both only if `is_modelled`; `result` is the driver's
// answer, and bit i of `wrong_words` says that word i of the driver's map is not the model's.
struct watch_call {
    const char *function;
    uint64_t number;
    struct watch_argument argument[WATCH_MAX_ARGUMENTS];
    int argument_count;
    bool is_modelled, is_printed;
    enum rule rule;
    struct findings findings;
    struct watch_seen *repeated; // the reported call that this one repeats, or this one's own place; or NULL
    // Where the model writes: in `room`, as far from a 64-byte boundary as the program's map; NULL as that is.
    struct tensormap_image *written;
    _Alignas(64) unsigned char room[TENSORMAP_BYTES + 64];
    struct tensormap_image expected, actual;
    enum cuda_result result;
    uint32_t wrong_words;
};

// The functions a program may ask for by name, and their wrappers in calls.c and symbols.c.
enum watch_symbol {
#define MAP(name, ...) WATCH_##name,
#include "made_calls.def"
    WATCH_cuGetProcAddress,
    WATCH_cuGetProcAddress_v2,
    WATCH_SYMBOLS
};

// What the library exports, besides dlsym.
#define WATCH_EXPORTED(name, parameters)      __attribute__((visibility("default"))) enum cuda_result name parameters;
#define MAP(name, since, streams, parameters) WATCH_EXPORTED(name, parameters)
#include "made_calls.def"
WATCH_EXPORTED(cuGetProcAddress, (const char *symbol, void **function, int cuda_version, uint64_t flags))
WATCH_EXPORTED(cuGetProcAddress_v2,
               (const char *symbol, void **function, int cuda_version, uint64_t flags, uint32_t *status))
#undef WATCH_EXPORTED

// The driver's own function, never our wrapper; NULL if no driver in this process has it.
void *watch_real(enum watch_symbol symbol);

// The options and counts: shared with the command if it started us, else this process's own. Never NULL.
struct watch_shared *watch_state(void);

// Writes a report to the chosen output. The program's own streams are not used.
void watch_write(const struct line *line);

// Looks the call up among those that were reported: same process, function and arguments, addresses counting by their
// alignment alone. Returns its place, new if it has no number yet; NULL when all places are taken.
struct watch_seen *watch_find_seen(const struct watch_call *call, struct watch_shared *shared);

// Did the driver judge the arguments (0 or 1), or say that it could not (no context, not initialised)?
bool watch_is_judged(const struct watch_call *call);

// Is the model's verdict or map another than the driver's?
int watch_differs(const struct watch_call *call);

// The call with its arguments and what the model says of them; then what the driver answered.
void watch_report_call(const struct watch_call *call, const struct watch_shared *options, struct line *line);
void watch_report_return(const struct watch_call *call, const struct watch_shared *options, struct line *line);

#endif
