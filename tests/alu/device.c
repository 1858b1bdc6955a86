// SPDX-License-Identifier: MIT
#include "device.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { ROOM_BYTES = 16 << 20, BLOCK = 256, JIT_LOG = 5, JIT_LOG_BYTES = 6 };

struct device {
    void *library;
    int (*load)(void **, const void *, unsigned, int *, void **), (*unload)(void *);
    int (*find)(void **, void *, const char *), (*synchronise)(void);
    int (*clear)(uint64_t, unsigned char, size_t);
    int (*to_device)(uint64_t, const void *, size_t), (*to_host)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    uint64_t in, out;
};

static void *symbol(struct device *device, const char *name)
{
    return dlsym(device->library, name);
}

static int start(struct device *device)
{
    int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), (*current)(void *);
    int (*alloc)(uint64_t *, size_t), number;
    void *context;
    *(void **)&init = symbol(device, "cuInit");
    *(void **)&get = symbol(device, "cuDeviceGet");
    *(void **)&retain = symbol(device, "cuDevicePrimaryCtxRetain");
    *(void **)&current = symbol(device, "cuCtxSetCurrent");
    *(void **)&alloc = symbol(device, "cuMemAlloc_v2");
    *(void **)&device->load = symbol(device, "cuModuleLoadDataEx");
    *(void **)&device->unload = symbol(device, "cuModuleUnload");
    *(void **)&device->find = symbol(device, "cuModuleGetFunction");
    *(void **)&device->synchronise = symbol(device, "cuCtxSynchronize");
    *(void **)&device->clear = symbol(device, "cuMemsetD8_v2");
    *(void **)&device->to_device = symbol(device, "cuMemcpyHtoD_v2");
    *(void **)&device->to_host = symbol(device, "cuMemcpyDtoH_v2");
    *(void **)&device->launch = symbol(device, "cuLaunchKernel");
    return init(0) == 0 && get(&number, 0) == 0 && retain(&context, number) == 0 && current(context) == 0 &&
           alloc(&device->in, ROOM_BYTES) == 0 && alloc(&device->out, ROOM_BYTES) == 0;
}

struct device *device_open(void)
{
    struct device *device = calloc(1, sizeof *device);
    if (device == NULL) return NULL;
    device->library = dlopen("libcuda.so.1", RTLD_NOW);
    if (device->library != NULL && start(device)) return device;
    free(device);
    return NULL;
}

void *device_module(struct device *device, const char *ptx, char *log, size_t log_bytes)
{
    int option[] = {JIT_LOG, JIT_LOG_BYTES};
    void *value[] = {log, (void *)(uintptr_t)log_bytes}, *module = NULL;
    log[0] = '\0';
    return device->load(&module, ptx, 2, option, value) == 0 ? module : NULL;
}

void device_module_close(struct device *device, void *module)
{
    device->unload(module);
}

int device_run(struct device *device, void *module, const char *name, int threads, const uint64_t *in, size_t in_words,
               uint64_t *out, size_t out_words)
{
    uint64_t count = (uint64_t)threads;
    void *function, *parameter[] = {&device->in, &device->out, &count};
    int error = device->find(&function, module, name);
    if (error == 0) error = device->to_device(device->in, in, 8 * in_words);
    if (error == 0) error = device->clear(device->out, 0, 8 * out_words);
    if (error == 0)
        error = device->launch(function, (unsigned)threads / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, parameter, NULL);
    if (error == 0) error = device->synchronise();
    return error != 0 ? error : device->to_host(out, device->out, 8 * out_words);
}
