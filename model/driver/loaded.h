// SPDX-License-Identifier: MIT
// Device code that was loaded: modules and libraries are the same here, and so are functions and kernels.
#ifndef TMAREF_LOADED_H
#define TMAREF_LOADED_H

#include "driver.h"

// Where a call wants to read what is wrong with the PTX, as the options of cuModuleLoadDataEx say; may be NULL.
struct loaded_log {
    char *text;
    size_t text_bytes;
};

// Loads PTX text, a fat binary, or the wrapper of one that nvcc makes. No more than `size_bytes` of the image are read:
// SIZE_MAX if only the image itself says how long it is. Text ends in 0 in any case.
enum cuda_result loaded_open(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                             struct loaded_log *log, struct CUmod_st **module);
void loaded_close(struct driver *driver, struct CUmod_st *module);

// The kernel of that name, decoded. `call` is for reports.
enum cuda_result loaded_function(struct driver *driver, const char *call, struct CUmod_st *module, const char *name,
                                 struct CUfunc_st **function);

#endif
