// SPDX-License-Identifier: MIT
#include "nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NVML_CLOCK_SM = 1 }; // nvmlClockType_t of nvml.h

static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); // ISO C has no cast from void * to a function
    return symbol != NULL;
}

void nvml_open(struct nvml *nvml, char *version, unsigned version_bytes)
{
    int (*init)(void), (*query)(char *, unsigned), (*device)(unsigned, void **);
    *nvml = (struct nvml){0};
    snprintf(version, version_bytes, "unknown");
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !find(library, "nvmlInit_v2", &init) || init() != 0) return;
    if (find(library, "nvmlSystemGetDriverVersion", &query)) query(version, version_bytes);
    if (find(library, "nvmlDeviceGetHandleByIndex_v2", &device) &&
        find(library, "nvmlDeviceGetClockInfo", &nvml->clock_info))
        device(0, &nvml->device);
}

double nvml_sm_mhz(const struct nvml *nvml)
{
    unsigned mhz = 0;
    if (nvml->device != NULL) nvml->clock_info(nvml->device, NVML_CLOCK_SM, &mhz);
    return mhz;
}
