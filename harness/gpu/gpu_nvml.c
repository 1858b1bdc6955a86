// SPDX-License-Identifier: MIT
#include "gpu_nvml.h"

#include <stdio.h>

#include "cuda.h"

enum { NVML_CLOCK_SM = 1 }; // nvmlClockType_t of nvml.h

void nvml_open(struct nvml *nvml, char *version, unsigned version_bytes)
{
    int (*init)(void), (*query)(char *, unsigned), (*device)(unsigned, void **);
    *nvml = (struct nvml){0};
    snprintf(version, version_bytes, "unknown");
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !symbol_find(library, "nvmlInit_v2", &init) || init() != 0) return;
    if (symbol_find(library, "nvmlSystemGetDriverVersion", &query)) query(version, version_bytes);
    if (symbol_find(library, "nvmlDeviceGetHandleByIndex_v2", &device) &&
        symbol_find(library, "nvmlDeviceGetClockInfo", &nvml->clock_info))
        device(0, &nvml->device);
    symbol_find(library, "nvmlDeviceGetPowerUsage", &nvml->power);
    symbol_find(library, "nvmlDeviceGetTotalEnergyConsumption", &nvml->energy);
}

double nvml_sm_mhz(const struct nvml *nvml)
{
    unsigned mhz = 0;
    if (nvml->device != NULL) nvml->clock_info(nvml->device, NVML_CLOCK_SM, &mhz);
    return mhz;
}

double nvml_watts(const struct nvml *nvml)
{
    unsigned milliwatts = 0;
    if (nvml->device != NULL && nvml->power != NULL && nvml->power(nvml->device, &milliwatts) != 0) return 0;
    return milliwatts / 1e3;
}

double nvml_joules(const struct nvml *nvml)
{
    unsigned long long millijoules = 0;
    if (nvml->device != NULL && nvml->energy != NULL && nvml->energy(nvml->device, &millijoules) != 0) return 0;
    return (double)millijoules / 1e3;
}
