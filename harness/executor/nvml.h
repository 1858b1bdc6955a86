// SPDX-License-Identifier: MIT
// What the CUDA driver API does not tell of a device: NVML's driver version and clocks. All calls work without NVML.
#ifndef TMAREF_NVML_H
#define TMAREF_NVML_H

struct nvml {
    void *device; // NULL: no NVML here
    int (*clock_info)(void *device, int clock, unsigned *mhz);
};

// Opens libnvidia-ml.so.1 and its device 0; `version` gets the driver's version ("580.159.04"), or "unknown".
void nvml_open(struct nvml *nvml, char *version, unsigned version_bytes);

// The clock of the SMs now, in MHz; 0 if it is not known.
double nvml_sm_mhz(const struct nvml *nvml);

#endif
