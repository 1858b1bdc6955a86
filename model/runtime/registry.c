// SPDX-License-Identifier: MIT
// What nvcc's objects tell at start-up: fat binaries, kernels and variables, by the addresses that the host has for
// them. A fat binary is loaded when one of its kernels or variables is first asked for.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "refusal.h"
#include "runtime.h"

struct binary {
    const void *image;
    struct CUlib_st *library;
    enum cudaError error; // what is wrong with the image, if anything
    bool is_managed;      // it has managed variables
    struct entry *entries;
    struct binary *next;
};

// A kernel, or a variable.
struct entry {
    const void *host;
    const char *name;
    struct binary *binary;
    bool is_variable, is_managed;
    size_t bytes;
    struct entry *next;  // of the same bucket
    struct entry *other; // of the same binary
};

enum { BUCKETS = 4096 };
static struct entry *buckets[BUCKETS];
static struct binary *binaries;

// Held while any of this is read or changed, and while a binary is loaded: threads that launch at the same time share
// one module. The driver has its own lock and calls nothing of this file.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void unlock(int *unused)
{
    (void)unused;
    pthread_mutex_unlock(&lock);
}

// Holds the lock until the block ends.
#define LOCKED int locked __attribute__((cleanup(unlock), unused)) = pthread_mutex_lock(&lock)

static struct entry **bucket_of(const void *host)
{
    const uint64_t key = (uint64_t)(uintptr_t)host * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[key >> 52];
}

static struct entry *entry_find(const void *host, bool is_variable)
{
    for (struct entry *entry = *bucket_of(host); entry != NULL; entry = entry->next)
        if (entry->host == host && entry->is_variable == is_variable) return entry;
    return NULL;
}

static void entry_add(void **handle, const struct entry *from)
{
    struct entry *entry = handle == NULL ? NULL : malloc(sizeof *entry);
    if (entry == NULL) return;
    *entry = *from;
    entry->binary = (struct binary *)handle;
    LOCKED;
    entry->other = entry->binary->entries;
    entry->binary->entries = entry;
    entry->next = *bucket_of(entry->host);
    *bucket_of(entry->host) = entry;
}

// --- What the objects call -------------------------------------------------------------------------------------------

RUNTIME_VISIBLE void **__cudaRegisterFatBinary(void *image)
{
    struct binary *binary = calloc(1, sizeof *binary);
    if (binary == NULL) return NULL;
    binary->image = image;
    LOCKED;
    binary->next = binaries;
    binaries = binary;
    return (void **)binary;
}

RUNTIME_VISIBLE void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

// PyTorch has some 30,000 entries in 1,000 binaries, and each of these is taken away when the process ends.
static void unlink_entries(const struct binary *binary)
{
    for (struct entry *entry = binary->entries, *other; entry != NULL; entry = other) {
        other = entry->other;
        struct entry **at = bucket_of(entry->host);
        while (*at != entry) at = &(*at)->next;
        *at = entry->next;
        free(entry);
    }
}

// 0: it is none of ours.
static bool unlink_binary(const struct binary *binary)
{
    LOCKED;
    struct binary **at = &binaries;
    while (*at != NULL && *at != binary) at = &(*at)->next;
    if (*at == NULL) return false;
    *at = binary->next;
    unlink_entries(binary);
    return true;
}

// At the end of the process, and when dlclose() takes a library away: with it go the image and the host's addresses.
RUNTIME_VISIBLE void __cudaUnregisterFatBinary(void **handle)
{
    struct binary *binary = (struct binary *)handle;
    if (!unlink_binary(binary)) return;
    if (binary->library != NULL && runtime_ready_of(NULL) == cudaSuccess) cuLibraryUnload(binary->library);
    free(binary);
}

RUNTIME_VISIBLE void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                                            int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    entry_add(handle, &(struct entry){.host = host, .name = name});
}

RUNTIME_VISIBLE void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                                       size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    entry_add(handle, &(struct entry){.host = host, .name = name, .is_variable = true, .bytes = bytes});
}

RUNTIME_VISIBLE void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern,
                                              size_t bytes, int is_constant, int is_global)
{
    (void)device, (void)is_extern, (void)is_constant, (void)is_global;
    if (handle != NULL) ((struct binary *)handle)->is_managed = true;
    entry_add(handle,
              &(struct entry){.host = host, .name = name, .is_variable = true, .is_managed = true, .bytes = bytes});
}

RUNTIME_VISIBLE char __cudaInitModule(void **handle)
{
    (void)handle;
    return (char)(runtime_ready_of(NULL) == cudaSuccess);
}

// --- Loading ---------------------------------------------------------------------------------------------------------

static void place_variables(const struct binary *binary)
{
    for (const struct entry *entry = binary->entries; entry != NULL; entry = entry->other) {
        unsigned long long address;
        if (!entry->is_managed) continue;
        if (cuLibraryGetManaged(&address, NULL, binary->library, entry->name) == CUDA_SUCCESS)
            *(void **)(uintptr_t)entry->host = (void *)(uintptr_t)address;
    }
}

static bool is_of_image(enum cuda_result error)
{
    return error == CUDA_ERROR_INVALID_IMAGE || error == CUDA_ERROR_NO_BINARY_FOR_GPU ||
           error == CUDA_ERROR_INVALID_PTX;
}

// Loads it, if it was not. Only what is wrong with the image is kept: other errors are the context's, and a reset ends
// them.
static enum cudaError binary_load(struct binary *binary)
{
    if (binary->error != cudaSuccess) return binary->error;
    if (binary->library != NULL) return cudaSuccess;
    const enum cuda_result error = cuLibraryLoadData(&binary->library, binary->image, NULL, NULL, 0, NULL, NULL, 0);
    if (is_of_image(error)) binary->error = (enum cudaError)error;
    if (error == CUDA_SUCCESS && binary->is_managed) place_variables(binary);
    return (enum cudaError)error;
}

void runtime_place_managed(void)
{
    LOCKED;
    for (struct binary *binary = binaries; binary != NULL; binary = binary->next)
        if (binary->is_managed && binary_load(binary) == cudaSuccess) place_variables(binary);
}

// What of this is no kernel of the program may be the handle of one.
static enum cudaError kernel_of_handle(const char *call, const void *handle, struct CUkern_st **kernel)
{
    struct CUfunc_st *function;
    *kernel = (struct CUkern_st *)(uintptr_t)handle;
    const enum cuda_result error = cuKernelGetFunction(&function, *kernel);
    if (error != CUDA_ERROR_INVALID_HANDLE) return (enum cudaError)error;
    refusal_say(
        call,
        "the function is %p, which is neither a kernel of this program nor the handle of one; pass the name of a "
        "__global__ function, as in <<<>>>",
        handle);
    return cudaErrorInvalidDeviceFunction;
}

enum cudaError runtime_kernel_of(const char *call, const void *function, struct CUkern_st **kernel)
{
    LOCKED;
    const struct entry *entry = entry_find(function, false);
    if (kernel == NULL) return cudaErrorInvalidValue;
    *kernel = NULL;
    if (function == NULL) return cudaErrorInvalidDeviceFunction;
    if (entry == NULL) return kernel_of_handle(call, function, kernel);
    const enum cudaError error = binary_load(entry->binary);
    if (error != cudaSuccess) return error;
    const enum cuda_result found = cuLibraryGetKernel(kernel, entry->binary->library, entry->name);
    return found == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : (enum cudaError)found;
}

static bool is_kernel(const struct entry *entry, struct CUlib_st *library, const char *name)
{
    return !entry->is_variable && entry->binary->library == library && strcmp(entry->name, name) == 0;
}

const void *runtime_host_of(struct CUkern_st *kernel)
{
    struct CUlib_st *library;
    const char *name;
    if (cuKernelGetLibrary(&library, kernel) != CUDA_SUCCESS || cuKernelGetName(&name, kernel) != CUDA_SUCCESS)
        return kernel;
    LOCKED;
    for (int i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = buckets[i]; entry != NULL; entry = entry->next)
            if (is_kernel(entry, library, name)) return entry->host;
    return kernel;
}

enum cudaError runtime_symbol(const void *symbol, unsigned long long *address, size_t *bytes)
{
    LOCKED;
    const struct entry *entry = entry_find(symbol, true);
    if (entry == NULL) return cudaErrorInvalidSymbol;
    const enum cudaError error = binary_load(entry->binary);
    if (error != cudaSuccess) return error;
    const enum cuda_result found = cuLibraryGetGlobal(address, bytes, entry->binary->library, entry->name);
    return found == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : (enum cudaError)found;
}
