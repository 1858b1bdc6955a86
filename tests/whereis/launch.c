// SPDX-License-Identifier: MIT
// Launches the kernel `keep` of a PTX file with a number: launch FILE NUMBER. Ends with 0 where the kernel has stored
// it.
#include <stdio.h>
#include <stdlib.h>

#include "cuda_api.h"

static char *read_text(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) return NULL;
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    struct CUctx_st *context;
    struct CUmod_st *module;
    struct CUfunc_st *keep;
    unsigned long long buffer;
    static int kept; // not beside the number, or who gets the one would seem to get the other
    int number = argc > 2 ? atoi(argv[2]) : 0;
    const char *text = argc > 2 ? read_text(argv[1]) : NULL;
    void *parameter[] = {&buffer, &number};
    if (text == NULL || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 2;
    if (cuModuleLoadData(&module, text) || cuModuleGetFunction(&keep, module, "keep") ||
        cuMemAlloc_v2(&buffer, sizeof kept))
        return 2;
    if (cuLaunchKernel(keep, 1, 1, 1, 1, 1, 1, 0, NULL, parameter, NULL) || cuMemcpyDtoH_v2(&kept, buffer, sizeof kept))
        return 2;
    cuMemFree_v2(buffer);
    cuModuleUnload(module);
    return kept == number ? 0 : 1;
}
