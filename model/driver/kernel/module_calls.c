// SPDX-License-Identifier: MIT
// cuModule*, cuLibrary* and cuKernel*.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "loaded.h"
#include "turns.h"

DRIVER_VISIBLE enum cuda_result cuModuleLoadDataEx(struct CUmod_st **module, const void *image, unsigned count,
                                                   uint32_t *option, void **value)
{
    DRIVER_USE_OR_RETURN(driver);
    struct loaded_log log;
    if (!loaded_log_open(&log, count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = loaded_open(driver, "cuModuleLoadData", image, SIZE_MAX, &log, module);
    loaded_log_length(&log);
    return error;
}

DRIVER_CALL(cuModuleLoadData, (struct CUmod_st * *module, const void *image),
            cuModuleLoadDataEx(module, image, 0, NULL, NULL))
DRIVER_CALL(cuModuleLoadFatBinary, (struct CUmod_st * *module, const void *image),
            cuModuleLoadDataEx(module, image, 0, NULL, NULL))

typedef enum cuda_result loaded_how(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                    struct loaded_log *log, struct CUmod_st **module);

static enum cuda_result load_file(struct driver *driver, loaded_how *how, const char *call, struct CUmod_st **module,
                                  const char *path, struct loaded_log *log)
{
    size_t size_bytes;
    void *image = image_file(path, &size_bytes);
    const enum cuda_result error =
        image == NULL ? driver_refuse(driver, CUDA_ERROR_FILE_NOT_FOUND, call, "%s: %s", path, strerror(errno))
                      : how(driver, call, image, size_bytes, log, module);
    loaded_log_length(log);
    free(image);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuModuleLoad(struct CUmod_st **module, const char *path)
{
    DRIVER_USE_OR_RETURN(driver);
    struct loaded_log log;
    if (path == NULL || !loaded_log_open(&log, 0, NULL, NULL)) return CUDA_ERROR_INVALID_VALUE;
    return load_file(driver, loaded_open, "cuModuleLoad", module, path, &log);
}

DRIVER_VISIBLE enum cuda_result cuModuleUnload(struct CUmod_st *module)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(module, OBJECT_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
    if (module->context == NULL)
        return driver_refuse(driver, CUDA_ERROR_NOT_PERMITTED, "cuModuleUnload",
                             "the module is that of a library: call cuLibraryUnload");
    turns_wait(driver, NULL);
    loaded_close(driver, module);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuModuleGetLoadingMode(uint32_t *mode)
{
    enum { LAZY = 2 };
    if (mode == NULL) return CUDA_ERROR_INVALID_VALUE;
    *mode = LAZY;
    return CUDA_SUCCESS;
}

// Is it a module, and one whose PTX is not wrong?
static enum cuda_result check(const struct CUmod_st *module)
{
    return object_is(module, OBJECT_MODULE) ? module->error : CUDA_ERROR_INVALID_HANDLE;
}

static enum cuda_result get_function(struct driver *driver, const char *call, struct CUfunc_st **function,
                                     struct CUmod_st *module, const char *name)
{
    if (function == NULL || name == NULL) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = check(module);
    return error != CUDA_SUCCESS ? error : loaded_function(driver, call, module, name, function);
}

static enum cuda_result get_variable(unsigned long long *address, size_t *bytes, struct CUmod_st *module,
                                     const char *name)
{
    DRIVER_USE_OR_RETURN(driver);
    uint64_t at, size_bytes;
    if (name == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (check(module) != CUDA_SUCCESS) return check(module);
    if (!machine_module_variable(module->machine, name, &at, &size_bytes)) return CUDA_ERROR_NOT_FOUND;
    if (address != NULL) *address = at;
    if (bytes != NULL) *bytes = size_bytes;
    return CUDA_SUCCESS;
}

DRIVER_USE_BARE_CALL(cuModuleGetFunction, (struct CUfunc_st * *function, struct CUmod_st *module, const char *name),
                     get_function(driver, "cuModuleGetFunction", function, module, name))
DRIVER_CALL(cuModuleGetGlobal_v2,
            (unsigned long long *address, size_t *bytes, struct CUmod_st *module, const char *name),
            get_variable(address, bytes, module, name))

static uint32_t is_entry(const struct ptx_function *function)
{
    return function->is_entry && function->has_body;
}

static enum cuda_result count_functions(unsigned *count, const struct CUmod_st *module)
{
    if (count == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(module, OBJECT_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
    *count = 0;
    if (module->error != CUDA_SUCCESS) return CUDA_SUCCESS;
    const struct ptx_program *program = machine_module_program(module->machine);
    for (uint32_t i = 0; i < program->functions; i++) *count += is_entry(&program->function[i]);
    return CUDA_SUCCESS;
}

// An H200's driver lists the kernels of libraries from the last to the first.
static enum cuda_result list_functions(struct driver *driver, struct CUfunc_st **function, unsigned room,
                                       struct CUmod_st *module)
{
    if (function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (check(module) != CUDA_SUCCESS) return check(module);
    const struct ptx_program *program = machine_module_program(module->machine);
    unsigned count = 0;
    for (uint32_t i = 0; i < program->functions && count < room; i++) {
        const uint32_t number = module->context == NULL ? program->functions - 1 - i : i;
        if (!is_entry(&program->function[number])) continue;
        const enum cuda_result error =
            loaded_kernel(driver, "cuModuleEnumerateFunctions", module, (int)number, &function[count++]);
        if (error != CUDA_SUCCESS) return error;
    }
    return CUDA_SUCCESS;
}

DRIVER_USE_CALL(cuModuleGetFunctionCount, (unsigned *count, struct CUmod_st *module), count_functions(count, module))
DRIVER_USE_CALL(cuModuleEnumerateFunctions, (struct CUfunc_st * *function, unsigned room, struct CUmod_st *module),
                list_functions(driver, function, room, module))

// --- Libraries: a struct CUlib_st is a struct CUmod_st, a struct CUkern_st a struct CUfunc_st ------------------------

static struct CUmod_st *module_of(struct CUlib_st *library)
{
    return (struct CUmod_st *)library;
}

static bool is_library(const struct CUlib_st *library)
{
    return object_is(library, OBJECT_MODULE) && ((const struct CUmod_st *)library)->context == NULL;
}

DRIVER_VISIBLE enum cuda_result cuLibraryLoadData(struct CUlib_st **library, const void *image, uint32_t *option,
                                                  void **value, unsigned count, uint32_t *library_option,
                                                  void **library_value, unsigned library_count)
{
    (void)library_option, (void)library_value, (void)library_count;
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    struct loaded_log log;
    if (!loaded_log_open(&log, count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error =
        loaded_open_library(driver, "cuLibraryLoadData", image, SIZE_MAX, &log, (struct CUmod_st **)library);
    loaded_log_length(&log);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuLibraryLoadFromFile(struct CUlib_st **library, const char *path, uint32_t *option,
                                                      void **value, unsigned count, uint32_t *library_option,
                                                      void **library_value, unsigned library_count)
{
    (void)library_option, (void)library_value, (void)library_count;
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    struct loaded_log log;
    if (path == NULL || !loaded_log_open(&log, count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    return load_file(driver, loaded_open_library, "cuLibraryLoadFromFile", (struct CUmod_st **)library, path, &log);
}

DRIVER_VISIBLE enum cuda_result cuLibraryUnload(struct CUlib_st *library)
{
    DRIVER_ENTER(driver); // also after a kernel has failed
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!is_library(library)) return CUDA_ERROR_INVALID_HANDLE;
    turns_wait(driver, NULL);
    loaded_close(driver, module_of(library));
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLibraryGetKernel(struct CUkern_st **kernel, struct CUlib_st *library,
                                                   const char *name)
{
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    return get_function(driver, "cuLibraryGetKernel", (struct CUfunc_st **)kernel, module_of(library), name);
}

DRIVER_CALL(cuLibraryGetGlobal,
            (unsigned long long *address, size_t *bytes, struct CUlib_st *library, const char *name),
            get_variable(address, bytes, module_of(library), name))
DRIVER_CALL(cuLibraryGetManaged,
            (unsigned long long *address, size_t *bytes, struct CUlib_st *library, const char *name),
            get_variable(address, bytes, module_of(library), name))

DRIVER_VISIBLE enum cuda_result cuLibraryGetModule(struct CUmod_st **module, struct CUlib_st *library)
{
    DRIVER_USE_OR_RETURN(driver);
    if (module == NULL) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = check(module_of(library));
    if (error == CUDA_SUCCESS) *module = module_of(library);
    return error;
}

DRIVER_USE_BARE_CALL(cuLibraryGetKernelCount, (unsigned *count, struct CUlib_st *library),
                     count_functions(count, module_of(library)))
DRIVER_USE_BARE_CALL(cuLibraryEnumerateKernels, (struct CUkern_st * *kernel, unsigned room, struct CUlib_st *library),
                     list_functions(driver, (struct CUfunc_st **)kernel, room, module_of(library)))

DRIVER_VISIBLE enum cuda_result cuKernelGetFunction(struct CUfunc_st **function, struct CUkern_st *kernel)
{
    DRIVER_USE_OR_RETURN(driver);
    if (function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(kernel, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *function = (struct CUfunc_st *)kernel;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuKernelGetLibrary(struct CUlib_st **library, struct CUkern_st *kernel)
{
    if (library == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(kernel, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *library = (struct CUlib_st *)((struct CUfunc_st *)kernel)->module;
    return CUDA_SUCCESS;
}
