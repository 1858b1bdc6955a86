// SPDX-License-Identifier: MIT
// Launches of the time before cuLaunchKernel, and contexts that are attached.
#include "answers.h"

SECTION(old_launches)
{
    ready();
    CUdeviceptr a = mem(64);
    CUfunction f = fun(PUT, "put");
    CUstream s;
    cuStreamCreate(&s, 1);
    SHOW(cuFuncSetBlockShape(f, 1, 1, 1));
    SHOW(cuFuncSetBlockShape(f, 0, 1, 1));
    SHOW(cuFuncSetBlockShape(f, -1, 1, 1));
    SHOW(cuFuncSetBlockShape(f, 1025, 1, 1));
    SHOW(cuFuncSetBlockShape(f, 64, 64, 1));
    SHOW(cuFuncSetBlockShape(NULL, 1, 1, 1));
    SHOW(cuFuncSetSharedSize(f, 1024));
    SHOW(cuFuncSetSharedSize(f, 1 << 20));
    SHOW(cuFuncSetSharedSize(f, 0));
    SHOW(cuParamSetSize(f, 12));
    SHOW(cuParamSetv(f, 0, &a, sizeof a));
    SHOW(cuParamSeti(f, 8, 7));
    SHOW(cuLaunch(f));
    SHOW(cuCtxSynchronize());
    VALUE("word", word(a));
    SHOW(cuParamSeti(f, 8, 8));
    SHOW(cuLaunchGrid(f, 1, 1));
    SHOW(cuCtxSynchronize());
    VALUE("word", word(a));
    SHOW(cuParamSetf(f, 8, 1.0F));
    SHOW(cuLaunchGridAsync(f, 1, 1, s));
    SHOW(cuStreamSynchronize(s));
    VALUE("word", word(a));
    SHOW(cuLaunchGrid(f, 0, 1));
    SHOW(cuLaunchGrid(f, 1, -1));
    SHOW(cuLaunchGrid(NULL, 1, 1));
    SHOW(cuParamSetSize(f, 8));
    SHOW(cuLaunchGrid(f, 1, 1));
    SHOW(cuCtxSynchronize());
    VALUE("word", word(a));
    SHOW(cuParamSetSize(f, 16));
    SHOW(cuParamSetSize(f, 100000));
    SHOW(cuParamSetSize(NULL, 8));
    SHOW(cuParamSeti(f, 100, 8));
}

SECTION(cooperative_devices)
{
    ready();
    CUdeviceptr a = mem(64);
    CUfunction f = fun(PUT, "put");
    unsigned v = 7;
    CUstream s;
    cuStreamCreate(&s, 1);
    void *p[] = {&a, &v};
    CUDA_LAUNCH_PARAMS one[2] = {{f, 1, 1, 1, 1, 1, 1, 0, s, p}, {f, 1, 1, 1, 1, 1, 1, 0, s, p}};
    SHOW(cuLaunchCooperativeKernelMultiDevice(one, 1, 0));
    SHOW(cuCtxSynchronize());
    VALUE("word", word(a));
    SHOW(cuLaunchCooperativeKernelMultiDevice(one, 2, 0));
    SHOW(cuLaunchCooperativeKernelMultiDevice(one, 0, 0));
    SHOW(cuLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
    SHOW(cuLaunchCooperativeKernelMultiDevice(one, 1, 3));
    SHOW(cuLaunchCooperativeKernelMultiDevice(one, 1, 4));
    one[0].hStream = NULL;
    SHOW(cuLaunchCooperativeKernelMultiDevice(one, 1, 0));
    SHOW(cuCtxSynchronize());
}

SECTION(attached)
{
    cuInit(0);
    CUcontext c = NULL, d = NULL;
    SHOW(cuCtxAttach(&c, 0));
    SHOW(cuCtxCreate_v2(&c, 0, 0));
    SHOW(cuCtxAttach(&d, 0));
    VALUE("same", c == d);
    SHOW(cuCtxAttach(&d, 1));
    SHOW(cuCtxAttach(NULL, 0));
    SHOW(cuCtxDetach(c));
    CUdeviceptr a = 0;
    SHOW(cuMemAlloc(&a, 64));
    SHOW(cuCtxDetach(c));
    SHOW(cuMemAlloc(&a, 64));
    SHOW(cuCtxGetCurrent(&d));
    VALUE("none", d == NULL);
    SHOW(cuCtxDetach(NULL));
    ready();
    SHOW(cuCtxAttach(&d, 0));
    VALUE("same", d == ctx);
    SHOW(cuCtxDetach(ctx));
    CUexecAffinityParam ap;
    memset(&ap, 0x77, sizeof ap);
    SHOW(cuCtxGetExecAffinity(&ap, 0));
    printf("    %x %u\n", ap.type, ap.count);
    SHOW(cuCtxGetExecAffinity(&ap, 1));
    SHOW(cuCtxGetExecAffinity(NULL, 0));
    unsigned caps[4] = {77, 77, 77, 77};
    uint32_t ops[4] = {0, 1, 2, 13};
    SHOW(cuDeviceGetP2PAtomicCapabilities(caps, ops, 3, 0, 0));
    VALUE("caps", caps[0]);
    SHOW(cuDeviceGetP2PAtomicCapabilities(caps, ops, 3, 0, 9));
    SHOW(cuDeviceGetP2PAtomicCapabilities(caps, ops, 4, 0, 0));
    SHOW(cuDeviceGetP2PAtomicCapabilities(NULL, ops, 3, 0, 0));
    SHOW(cuDeviceGetHostAtomicCapabilities(caps, ops, 4, 0));
}
