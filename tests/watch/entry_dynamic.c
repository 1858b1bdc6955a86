// SPDX-License-Identifier: MIT
// Finds the driver at run time: "dlsym"; "address" and "address2" through the two versions of cuGetProcAddress, found
// by dlsym; "again" asks cuGetProcAddress for cuGetProcAddress first; "runtime" does what a CUDA runtime library does
// for cudaGetDriverEntryPointByVersion; "absent" asks the whole program, which has no driver.
#define _GNU_SOURCE 1
#include "entry.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cuda_calls.h"

enum { CUDA_11 = 11030, CUDA_12 = 12000 };

static void *find_v1(void *driver, const char *name)
{
    void *function = NULL;
    cuGetProcAddress_fn get = (cuGetProcAddress_fn)dlsym(driver, "cuGetProcAddress");
    return get(name, &function, CUDA_12, 0) == CUDA_SUCCESS ? function : NULL;
}

static void *find_v2(void *driver, const char *name, int rounds)
{
    void *function = dlsym(driver, "cuGetProcAddress_v2");
    uint32_t status;
    for (int i = 0; i < rounds; i++) {
        cuGetProcAddress_v2_fn get = (cuGetProcAddress_v2_fn)function;
        if (get("cuGetProcAddress", &function, CUDA_12, 0, &status) != CUDA_SUCCESS) return NULL;
    }
    cuGetProcAddress_v2_fn get = (cuGetProcAddress_v2_fn)function;
    return get(name, &function, CUDA_12, 0, &status) == CUDA_SUCCESS ? function : NULL;
}

// The first version of cuGetProcAddress, as an old runtime gets it from a new driver.
static void *find_old(void *driver, const char *name)
{
    void *function = NULL;
    uint32_t status;
    cuGetProcAddress_v2_fn get = (cuGetProcAddress_v2_fn)dlsym(driver, "cuGetProcAddress_v2");
    if (get("cuGetProcAddress", &function, CUDA_11, 0, &status) != CUDA_SUCCESS) return NULL;
    return ((cuGetProcAddress_fn)function)(name, &function, CUDA_12, 0) == CUDA_SUCCESS ? function : NULL;
}

void *entry_find(const char *way, const char *name)
{
    if (strcmp(way, "absent") == 0) return dlsym(RTLD_DEFAULT, name);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    if (strcmp(way, "dlsym") == 0) return dlsym(driver, name);
    if (strcmp(way, "address") == 0) return find_v1(driver, name);
    if (strcmp(way, "address2") == 0) return find_v2(driver, name, 0);
    if (strcmp(way, "again") == 0) return find_v2(driver, name, 2);
    if (strcmp(way, "old") == 0) return find_old(driver, name);
    return NULL;
}
