// SPDX-License-Identifier: MIT
// The simulated libnvidia-ml.so.1: what the files of this folder share. It knows the device of the driver
// (model/driver/device/device.h) and never calls it, because programs ask NVML before they fork(), which ends a driver.
//   nvml.c          the library itself: its beginning and end, versions, errors
//   nvml_device.c   the device
//   nvml_missing.c  the calls that are not there
#ifndef TMAREF_NVML_H
#define TMAREF_NVML_H

#include <stdint.h>

#define NVML_VISIBLE __attribute__((visibility("default")))

// nvmlReturn_t of nvml.h
enum nvml_result {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_FUNCTION_NOT_FOUND = 13,
    NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
};

struct nvmlDevice_st { // the handle of the one device points to one
    int index;
};
extern const struct nvmlDevice_st nvml_device;

// nvmlMemory_t, nvmlMemory_v2_t
struct nvml_memory { // also nvmlBAR1Memory_t
    unsigned long long total, free, used;
};
struct nvml_memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

// nvmlPciInfo_t, nvmlPciInfoExt_v1_t
struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
};
struct nvml_pci_ext {
    unsigned version, domain, bus, device, pci_device_id, pci_subsystem_id, base_class, sub_class;
    char bus_id[32];
};

// nvmlUtilization_t, in percent
struct nvml_utilization {
    unsigned gpu, memory;
};

#define CALL(name, since, streams, parameters)        enum nvml_result name parameters;
#define GIVES(name, since, streams, type, parameters) type name parameters;
#define VALUE(name, since, streams, type, value)                                                                       \
    enum nvml_result name(const struct nvmlDevice_st *device, type *result);
#include "nvml_calls.def"
#define ALIAS(name, since, streams, same) extern __typeof__(same) name;
#include "nvml_calls.def"

// What all calls of the library ask first; `result` is where the answer goes.
enum nvml_result nvml_check(const void *result);

// The same of a call that is given a device.
enum nvml_result nvml_check_device(const struct nvmlDevice_st *device, const void *result);

// The facts of the device that --device names (driver/device).
const struct device_facts *nvml_facts(void);

// Puts a text into the `bytes` bytes of a caller.
enum nvml_result nvml_text(char *to, unsigned bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
