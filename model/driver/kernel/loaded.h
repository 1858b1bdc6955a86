// SPDX-License-Identifier: MIT
// Device code that was loaded: modules and libraries are the same here, and so are functions and kernels.
#ifndef TMAREF_LOADED_H
#define TMAREF_LOADED_H

#include "driver.h"

// Where a call wants to read what is wrong with the PTX, as the options of cuModuleLoadDataEx and of linking say; may
// be NULL. The other log, of what is no error, is always empty.
struct loaded_log {
    char *text;
    size_t text_bytes;
    void **length, **info_length; // the options that had the room
};

bool loaded_are_options(unsigned count, const uint32_t *option, void *const *value);

// Empties both logs; 0 if the options are none.
bool loaded_log_open(struct loaded_log *log, unsigned count, const uint32_t *option, void **value);

// The options that had the logs' room get their lengths, as CUDA's documents say.
void loaded_log_length(const struct loaded_log *log);

// Reads PTX, all bodies too, and tells what is wrong with it. Of units it is not asked whether they go together.
enum cuda_result loaded_check(struct driver *driver, const char *call, const char *text, size_t bytes,
                              struct loaded_log *log);

// Loads the PTX of an image, as image_text() finds it.
enum cuda_result loaded_open(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                             struct loaded_log *log, struct CUmod_st **module);

// The same for a library: it needs no context, and goes with none.
enum cuda_result loaded_open_library(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                     struct loaded_log *log, struct CUmod_st **module);

// Gives the variables of libraries their first values, elsewhere, as a new context has them.
void loaded_refresh_libraries(struct driver *driver);
void loaded_close(struct driver *driver, struct CUmod_st *module);

// A kernel by its number in the machine's module, or by its name, decoded. `call` is for reports.
enum cuda_result loaded_kernel(struct driver *driver, const char *call, struct CUmod_st *module, int kernel,
                               struct CUfunc_st **function);
enum cuda_result loaded_function(struct driver *driver, const char *call, struct CUmod_st *module, const char *name,
                                 struct CUfunc_st **function);

#endif
