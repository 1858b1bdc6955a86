// SPDX-License-Identifier: MIT
// What the CUDA driver API does not tell of a device: NVML's driver version, clocks and power. All calls work without
// NVML.
#ifndef TMAREF_GPU_NVML_H
#define TMAREF_GPU_NVML_H

struct nvml {
    void *device; // NULL: no NVML here
    int (*clock_info)(void *device, int clock, unsigned *mhz);
    int (*power)(void *device, unsigned *milliwatts);             // NULL: not in this NVML
    int (*energy)(void *device, unsigned long long *millijoules); // NULL: not in this NVML
};

// Opens libnvidia-ml.so.1 and its device 0; `version` gets the driver's version ("580.159.04"), or "unknown".
void nvml_open(struct nvml *nvml, char *version, unsigned version_bytes);

// The clock of the SMs now, in MHz; 0 if it is not known.
double nvml_sm_mhz(const struct nvml *nvml);

// What the board takes, in watts, as NVML averages it; 0 if it is not known.
double nvml_watts(const struct nvml *nvml);

// What the board has taken since the driver was loaded, in joules; 0 if it is not known.
double nvml_joules(const struct nvml *nvml);

#endif
