// SPDX-License-Identifier: MIT
#include "device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_BYTES = 1 << 19, LOG_BYTES = 1 << 22, MEMORY_BYTES = 1 << 18, STACK_LIMIT = 0, STACK_BYTES = 16384 };
enum { JIT_LOG = 5, JIT_LOG_BYTES = 6, JIT_LEVEL = 7 };

struct device {
    void *library;
    int (*load)(void **, const void *, unsigned, int *, void **), (*unload)(void *);
    int (*find)(void **, void *, const char *), (*synchronise)(void);
    int (*clear)(uint64_t, unsigned char, size_t);
    int (*to_device)(uint64_t, const void *, size_t), (*to_host)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    uint64_t input, log, memory;
};

static int find_calls(struct device *device)
{
    const struct {
        const char *name;
        void *to;
    } calls[] = {{"cuModuleLoadDataEx", &device->load},  {"cuModuleUnload", &device->unload},
                 {"cuModuleGetFunction", &device->find}, {"cuCtxSynchronize", &device->synchronise},
                 {"cuMemsetD8_v2", &device->clear},      {"cuMemcpyHtoD_v2", &device->to_device},
                 {"cuMemcpyDtoH_v2", &device->to_host},  {"cuLaunchKernel", &device->launch}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if ((*(void **)calls[i].to = dlsym(device->library, calls[i].name)) == NULL) return 0;
    return 1;
}

static int start(struct device *device)
{
    int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), (*current)(void *), (*limit)(int, size_t);
    int (*alloc)(uint64_t *, size_t), number;
    void *context;
    *(void **)&init = dlsym(device->library, "cuInit");
    *(void **)&get = dlsym(device->library, "cuDeviceGet");
    *(void **)&retain = dlsym(device->library, "cuDevicePrimaryCtxRetain");
    *(void **)&current = dlsym(device->library, "cuCtxSetCurrent");
    *(void **)&limit = dlsym(device->library, "cuCtxSetLimit");
    *(void **)&alloc = dlsym(device->library, "cuMemAlloc_v2");
    if (init == NULL || get == NULL || retain == NULL || current == NULL || limit == NULL || alloc == NULL) return 0;
    return init(0) == 0 && get(&number, 0) == 0 && retain(&context, number) == 0 && current(context) == 0 &&
           limit(STACK_LIMIT, STACK_BYTES) == 0 && alloc(&device->input, INPUT_BYTES) == 0 &&
           alloc(&device->log, LOG_BYTES) == 0 && alloc(&device->memory, MEMORY_BYTES) == 0;
}

struct device *device_open(const char *path, const char **why)
{
    struct device *device = calloc(1, sizeof *device);
    if (device == NULL) return NULL;
    device->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *why = device->library == NULL ? dlerror() : "it has no GPU, or lacks calls of the driver";
    if (device->library != NULL && find_calls(device) && start(device)) return device;
    free(device);
    return NULL;
}

static int launch(struct device *device, const struct device_work *work, void *module)
{
    void *function, *parameter[4] = {&device->input, &device->log, &device->memory};
    unsigned char blob[64];
    for (size_t i = 0; i < sizeof blob; i++) blob[i] = (unsigned char)(i * 37 + 11);
    parameter[3] = blob;
    int error = device->find(&function, module, "kernel");
    if (error == 0) error = device->to_device(device->input, work->input, 8 * work->input_words);
    if (error == 0) error = device->to_device(device->memory, work->memory, 8 * work->memory_words);
    if (error == 0) error = device->clear(device->log, 0, 8 * work->log_words);
    if (error == 0)
        error =
            device->launch(function, (unsigned)work->ctas, 1, 1, (unsigned)work->block, 1, 1, 0, NULL, parameter, NULL);
    if (error == 0) error = device->synchronise();
    if (error == 0) error = device->to_host(work->log, device->log, 8 * work->log_words);
    return error != 0 ? error : device->to_host(work->memory, device->memory, 8 * work->memory_words);
}

int device_run(struct device *device, const struct device_work *work, char *said, size_t said_bytes)
{
    int option[] = {JIT_LOG, JIT_LOG_BYTES, JIT_LEVEL};
    void *value[] = {said, (void *)(uintptr_t)said_bytes, (void *)(uintptr_t)work->level}, *module = NULL;
    said[0] = '\0';
    int error = device->load(&module, work->ptx, 3, option, value);
    if (error != 0) return error;
    error = launch(device, work, module);
    device->unload(module);
    return error;
}
