// SPDX-License-Identifier: MIT
// usage: answers [--real] SECTION. --real is for libcuda and libcudart of NVIDIA, which after a fault may not come to
// an end: the process ends without them.
#include "answers.h"

enum { SECONDS = 20 };

CUcontext ctx;

void show(const char *call, int answer)
{
    printf("  %s = %d\n", call, answer);
}

void ready(void)
{
    cuInit(0);
    cuDevicePrimaryCtxRetain(&ctx, 0);
    cuCtxSetCurrent(ctx);
}

CUmodule mod(const char *body)
{
    char text[4096];
    CUmodule module = NULL;
    snprintf(text, sizeof text, "%s%s", HEAD, body);
    const int error = (int)cuModuleLoadData(&module, text);
    if (error != 0) printf("  load %d\n", error);
    return module;
}

CUfunction fun(const char *body, const char *name)
{
    CUfunction function = NULL;
    cuModuleGetFunction(&function, mod(body), name);
    return function;
}

// A fill of device memory is not waited for, and streams of the sections' own do not wait for it.
CUdeviceptr mem(size_t bytes)
{
    CUdeviceptr address = 0;
    cuMemAlloc(&address, bytes);
    cuMemsetD8(address, 0, bytes);
    cuCtxSynchronize();
    return address;
}

unsigned word(CUdeviceptr address)
{
    unsigned got = 0xdead;
    cuMemcpyDtoH(&got, address, sizeof got);
    return got;
}

int launch(CUfunction function, CUdeviceptr to, unsigned value, CUstream stream)
{
    void *parameters[] = {&to, &value};
    return (int)cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

CUDA_KERNEL_NODE_PARAMS node_of(CUfunction function, void **parameters)
{
    return (CUDA_KERNEL_NODE_PARAMS){function, 1, 1, 1, 1, 1, 1, 0, parameters, NULL, NULL, NULL};
}

void nothing(void *user)
{
    (void)user;
}

int main(int count, char **argument)
{
    const int is_real = count == 3 && strcmp(argument[1], "--real") == 0;
    if (is_real) argument[1] = argument[2], count--;
    setvbuf(stdout, NULL, _IONBF, 0);
    alarm(SECONDS);
    const struct section *section = count == 2 ? section_find(argument[1]) : NULL;
    if (section == NULL) return puts("usage: answers [--real] SECTION"), EXIT_FAILURE;
    printf("--- %s\n", section->name);
    section->show();
    if (is_real) _exit(EXIT_SUCCESS);
    return EXIT_SUCCESS;
}
