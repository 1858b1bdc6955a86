// SPDX-License-Identifier: MIT
#include "alu_device.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

enum { JIT_LOG = 5, JIT_LOG_BYTES = 6, JIT_LEVEL = 7, STACK_LIMIT = 0, STACK_BYTES = 16384 };

struct device {
    void *library;
    int (*load)(void **, const void *, unsigned, int *, void **), (*unload)(void *);
    int (*find)(void **, void *, const char *), (*synchronise)(void);
    int (*clear)(uint64_t, unsigned char, size_t);
    int (*to_device)(uint64_t, const void *, size_t), (*to_host)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int buffers;
    uint64_t buffer[DEVICE_BUFFERS];
};

struct start {
    int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), (*current)(void *), (*limit)(int, size_t);
    int (*alloc)(uint64_t *, size_t);
};

// 0 if the library lacks one.
static bool find_calls(struct device *device, struct start *start)
{
    const struct {
        const char *name;
        void *to;
    } calls[] = {{"cuInit", &start->init},
                 {"cuDeviceGet", &start->get},
                 {"cuDevicePrimaryCtxRetain", &start->retain},
                 {"cuCtxSetCurrent", &start->current},
                 {"cuCtxSetLimit", &start->limit},
                 {"cuMemAlloc_v2", &start->alloc},
                 {"cuModuleLoadDataEx", &device->load},
                 {"cuModuleUnload", &device->unload},
                 {"cuModuleGetFunction", &device->find},
                 {"cuCtxSynchronize", &device->synchronise},
                 {"cuMemsetD8_v2", &device->clear},
                 {"cuMemcpyHtoD_v2", &device->to_device},
                 {"cuMemcpyDtoH_v2", &device->to_host},
                 {"cuLaunchKernel", &device->launch}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if ((*(void **)calls[i].to = dlsym(device->library, calls[i].name)) == NULL) return false;
    return true;
}

static bool begin(struct device *device, const struct start *start, const size_t bytes[DEVICE_BUFFERS])
{
    void *context;
    int number;
    if (start->init(0) != 0 || start->get(&number, 0) != 0 || start->retain(&context, number) != 0 ||
        start->current(context) != 0 || start->limit(STACK_LIMIT, STACK_BYTES) != 0)
        return false;
    for (int i = 0; i < DEVICE_BUFFERS && bytes[i] > 0; i++, device->buffers++)
        if (start->alloc(&device->buffer[i], bytes[i]) != 0) return false;
    return true;
}

struct device *device_open(const char *path, const size_t bytes[DEVICE_BUFFERS], const char **why)
{
    struct device *device = calloc(1, sizeof *device);
    struct start start;
    if (device == NULL) return NULL;
    device->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *why = device->library == NULL ? dlerror() : "it has no GPU, or lacks calls of the driver";
    if (device->library != NULL && find_calls(device, &start) && begin(device, &start, bytes)) return device;
    free(device);
    return NULL;
}

int device_module(struct device *device, const char *ptx, int level, void **module, char *said, size_t said_bytes)
{
    int option[] = {JIT_LOG, JIT_LOG_BYTES, JIT_LEVEL};
    void *value[] = {said, (void *)(uintptr_t)said_bytes, (void *)(uintptr_t)level};
    said[0] = '\0';
    return device->load(module, ptx, 3, option, value);
}

void device_module_close(struct device *device, void *module)
{
    device->unload(module);
}

int device_run(struct device *device, void *module, const struct device_work *work)
{
    void *function, *parameter[DEVICE_BUFFERS + 1];
    int error = device->find(&function, module, work->kernel);
    for (int i = 0; i < device->buffers && error == 0; i++) {
        const uint64_t *in = work->buffer[i].in;
        size_t bytes = 8 * work->buffer[i].words;
        parameter[i] = &device->buffer[i];
        error =
            in == NULL ? device->clear(device->buffer[i], 0, bytes) : device->to_device(device->buffer[i], in, bytes);
    }
    parameter[device->buffers] = work->last;
    if (error == 0)
        error =
            device->launch(function, (unsigned)work->ctas, 1, 1, (unsigned)work->block, 1, 1, 0, NULL, parameter, NULL);
    if (error == 0) error = device->synchronise();
    for (int i = 0; i < device->buffers && error == 0; i++)
        if (work->buffer[i].out != NULL)
            error = device->to_host(work->buffer[i].out, device->buffer[i], 8 * work->buffer[i].words);
    return error;
}
