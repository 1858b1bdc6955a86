// SPDX-License-Identifier: MIT
// How programs find calls by name, and the private interface that the static runtime asks for.
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "driver.h"
#include "speaking.h"

DRIVER_VISIBLE enum cuda_result cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version,
                                                    uint64_t flags, uint32_t *status)
{
    int exists = 0;
    if (symbol == NULL || function == NULL || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    driver_call *call = driver_find(symbol, cuda_version, &exists);
    memcpy(function, &call, sizeof *function); // ISO C has no cast from a function to void *
    uint32_t told = exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (call != NULL) told = CU_GET_PROC_ADDRESS_SUCCESS;
    if (status != NULL) *status = told;
    return call != NULL || status != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static const struct link_map *file_of(void *address)
{
    Dl_info place;
    struct link_map *map = NULL;
    return dladdr1(address, &place, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

// Does our runtime run in place of the file's own? Then what asks is no runtime: a compiler that is linked into the
// same file, as in Warp's library.
static bool has_our_runtime(const struct link_map *file)
{
    int (*asked)(const struct link_map *);
    void *symbol = dlsym(RTLD_DEFAULT, "tmaref_has_our_runtime"); // of the preloaded library (harness/exec/takeover)
    memcpy(&asked, &symbol, sizeof asked);                        // ISO C has no cast from void * to a function
    return symbol != NULL && file != NULL && asked(file);
}

// Compilers ask too, and go on without an answer (NVRTC 13.0, seen).
static bool needs_no_gpu(const char *library)
{
    static const char *const names[] = {"libnvrtc.", "libnvJitLink."};
    const char *name = library == NULL ? NULL : strrchr(library, '/');
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name + 1, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static bool is_speaking(const struct CUuuid_st *id)
{
    return id != NULL && memcmp(id, &SPEAKING_ID, sizeof *id) == 0;
}

static enum cuda_result give_speaking(const void **table)
{
    static const struct speaking speaking = {driver_speak_of};
    *table = &speaking;
    return CUDA_SUCCESS;
}

// The CUDA runtime that is linked statically checks the driver through tables that no document describes.
DRIVER_VISIBLE enum cuda_result cuGetExportTable(const void **table, const struct CUuuid_st *id)
{
    static int was_told;
    const struct link_map *file = file_of(__builtin_return_address(0));
    const char *library = file != NULL && file->l_name[0] != '\0' ? file->l_name : NULL; // NULL: the program asks
    if (table != NULL && is_speaking(id)) return give_speaking(table);
    DRIVER_ENTER(driver);
    if (table != NULL) *table = NULL;
    driver_read_options(driver);
    if (needs_no_gpu(library) || has_our_runtime(file) || was_told++) return CUDA_ERROR_NOT_SUPPORTED;
    if (library == NULL)
        return driver_refuse(
            driver, CUDA_ERROR_NOT_SUPPORTED, "cuGetExportTable",
            "this program asks the driver for a private interface, as the CUDA runtime does where it is linked "
            "statically: its names were stripped, and no libcudart_static.a that it was linked with was found; if the "
            "program fails now, name that file in TMAREF_CUDART_STATIC (a toolkit or the wheel nvidia-cuda-runtime of "
            "the same release has it), or do not strip the program, or link it with: nvcc -cudart shared");
    return driver_refuse(
        driver, CUDA_ERROR_NOT_SUPPORTED, "cuGetExportTable",
        "%s asks the driver for a private interface, as CUDA's own libraries do (cuBLAS, cuFFT, "
        "cuRAND and others) and a runtime that is not tmaref's; such a library does not run without a "
        "GPU: let kernels of your own compute what it does; if it has a stripped runtime, install the wheel "
        "nvidia-cuda-runtime of its release of CUDA beside it, or name its libcudart_static.a in TMAREF_CUDART_STATIC",
        library);
}
