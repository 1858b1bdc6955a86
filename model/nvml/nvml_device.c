// SPDX-License-Identifier: MIT
// nvmlDevice*: the one device, number 0, at the place on the bus that the driver names.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "nvml.h"

const struct nvmlDevice_st nvml_device;

enum nvml_result nvml_check_device(const struct nvmlDevice_st *device, const void *result)
{
    const enum nvml_result error = nvml_check(result);
    return error == NVML_SUCCESS && device != &nvml_device ? NVML_ERROR_INVALID_ARGUMENT : error;
}

#define DEVICE_OR_RETURN(device, result)                                                                               \
    if (nvml_check_device(device, result) != NVML_SUCCESS) return nvml_check_device(device, result)

static int attribute(int number)
{
    int value = 0;
    device_attribute(nvml_facts(), number, &value);
    return value;
}
#define ATTRIBUTE(number) attribute(number)

#define VALUE(call, since, streams, type, value)                                                                       \
    NVML_VISIBLE enum nvml_result call(const struct nvmlDevice_st *device, type *result)                               \
    {                                                                                                                  \
        DEVICE_OR_RETURN(device, result);                                                                              \
        *result = (type)(value);                                                                                       \
        return NVML_SUCCESS;                                                                                           \
    }
#include "nvml_calls.def"

NVML_VISIBLE enum nvml_result nvmlUnitGetCount(unsigned *count)
{
    if (nvml_check(count) == NVML_SUCCESS) *count = 0;
    return nvml_check(count);
}

// --- Which device ----------------------------------------------------------------------------------------------------

NVML_VISIBLE enum nvml_result nvmlDeviceGetCount_v2(unsigned *count)
{
    if (nvml_check(count) == NVML_SUCCESS) *count = 1;
    return nvml_check(count);
}

static enum nvml_result give(const struct nvmlDevice_st **device, bool is_it, enum nvml_result otherwise)
{
    if (nvml_check(device) != NVML_SUCCESS) return nvml_check(device);
    if (!is_it) return otherwise;
    *device = &nvml_device;
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetHandleByIndex_v2(unsigned index, const struct nvmlDevice_st **device)
{
    return give(device, index == 0, NVML_ERROR_INVALID_ARGUMENT);
}

// As CUDA_VISIBLE_DEVICES has it.
static void write_uuid(char text[64])
{
    uint8_t id[16];
    device_uuid(id);
    snprintf(text, 64, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0], id[1], id[2],
             id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13], id[14], id[15]);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetHandleByUUID(const char *uuid, const struct nvmlDevice_st **device)
{
    char own[64];
    write_uuid(own);
    if (uuid == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, strcmp(uuid, own) == 0, NVML_ERROR_NOT_FOUND);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetHandleByPciBusId_v2(const char *place, const struct nvmlDevice_st **device)
{
    if (place == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, device_is_at(place), NVML_ERROR_NOT_FOUND);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetHandleBySerial(const char *serial, const struct nvmlDevice_st **device)
{
    if (serial == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    return give(device, false, NVML_ERROR_NOT_FOUND);
}

// --- What it is ------------------------------------------------------------------------------------------------------

NVML_VISIBLE enum nvml_result nvmlDeviceGetName(const struct nvmlDevice_st *device, char *name, unsigned bytes)
{
    DEVICE_OR_RETURN(device, name);
    return nvml_text(name, bytes, "%s", nvml_facts()->name);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetUUID(const struct nvmlDevice_st *device, char *uuid, unsigned bytes)
{
    char own[64];
    DEVICE_OR_RETURN(device, uuid);
    write_uuid(own);
    return nvml_text(uuid, bytes, "%s", own);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetCudaComputeCapability(const struct nvmlDevice_st *device, int *major,
                                                                 int *minor)
{
    DEVICE_OR_RETURN(device, major);
    if (minor == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    *major = attribute(75); // COMPUTE_CAPABILITY_MAJOR, _MINOR
    *minor = attribute(76);
    return NVML_SUCCESS;
}

enum { PCI_NVIDIA = 0x10de, PCI_CLASS_DISPLAY = 3, PCI_SUBCLASS_3D = 2 };

NVML_VISIBLE enum nvml_result nvmlDeviceGetPciInfo_v3(const struct nvmlDevice_st *device, struct nvml_pci *pci)
{
    DEVICE_OR_RETURN(device, pci);
    *pci = (struct nvml_pci){"0000:00:00.0", .pci_device_id = nvml_facts()->pci_device << 16 | PCI_NVIDIA,
                             .bus_id = "00000000:00:00.0"};
    return NVML_SUCCESS;
}

#define VERSION_OF(type, number) ((unsigned)sizeof(type) | (number) << 24)

NVML_VISIBLE enum nvml_result nvmlDeviceGetPciInfoExt(const struct nvmlDevice_st *device, struct nvml_pci_ext *pci)
{
    DEVICE_OR_RETURN(device, pci);
    if (pci->version != VERSION_OF(struct nvml_pci_ext, 1U)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    *pci = (struct nvml_pci_ext){.version = pci->version,
                                 .pci_device_id = nvml_facts()->pci_device << 16 | PCI_NVIDIA,
                                 .base_class = PCI_CLASS_DISPLAY,
                                 .sub_class = PCI_SUBCLASS_3D,
                                 .bus_id = "00000000:00:00.0"};
    return NVML_SUCCESS;
}

// --- What it has and does: nothing ran on it -------------------------------------------------------------------------

// What an H200 of driver 580.159.04 keeps for itself: NVML's total has it, the driver's has not.
static const unsigned long long reserved_bytes = 644939776, bar1_bytes = 1ULL << 38;

NVML_VISIBLE enum nvml_result nvmlDeviceGetMemoryInfo(const struct nvmlDevice_st *device, struct nvml_memory *memory)
{
    DEVICE_OR_RETURN(device, memory);
    *memory =
        (struct nvml_memory){nvml_facts()->memory_bytes + reserved_bytes, nvml_facts()->memory_bytes, reserved_bytes};
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetMemoryInfo_v2(const struct nvmlDevice_st *device,
                                                         struct nvml_memory_v2 *memory)
{
    DEVICE_OR_RETURN(device, memory);
    if (memory->version != VERSION_OF(struct nvml_memory_v2, 2U)) return NVML_ERROR_FUNCTION_NOT_FOUND;
    memory->free = nvml_facts()->memory_bytes;
    memory->reserved = reserved_bytes;
    memory->total = memory->free + memory->reserved;
    memory->used = 0;
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetBAR1MemoryInfo(const struct nvmlDevice_st *device,
                                                          struct nvml_memory *memory)
{
    DEVICE_OR_RETURN(device, memory);
    *memory = (struct nvml_memory){bar1_bytes, bar1_bytes, 0};
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetUtilizationRates(const struct nvmlDevice_st *device,
                                                            struct nvml_utilization *utilization)
{
    DEVICE_OR_RETURN(device, utilization);
    *utilization = (struct nvml_utilization){0};
    return NVML_SUCCESS;
}

// Of all kinds: the simulated device has no process of its own.
NVML_VISIBLE enum nvml_result nvmlDeviceGetComputeRunningProcesses(const struct nvmlDevice_st *device, unsigned *count,
                                                                   void *processes)
{
    (void)processes;
    DEVICE_OR_RETURN(device, count);
    *count = 0;
    return NVML_SUCCESS;
}

// The clocks of an H200 or H100 do not change here.
NVML_VISIBLE enum nvml_result nvmlDeviceGetMaxClockInfo(const struct nvmlDevice_st *device, unsigned kind,
                                                        unsigned *mhz)
{
    enum { GRAPHICS, SM, MEMORY, VIDEO, VIDEO_MHZ = 1545 };
    DEVICE_OR_RETURN(device, mhz);
    if (kind > VIDEO) return NVML_ERROR_INVALID_ARGUMENT;
    *mhz = (unsigned)attribute(kind == MEMORY ? 36 : 13) / 1000; // MEMORY_CLOCK_RATE, CLOCK_RATE: in kHz
    if (kind == VIDEO) *mhz = VIDEO_MHZ;
    return NVML_SUCCESS;
}

// An H200 says of an unknown clock that it is not supported, of its greatest rate that the argument is invalid.
NVML_VISIBLE enum nvml_result nvmlDeviceGetClockInfo(const struct nvmlDevice_st *device, unsigned kind, unsigned *mhz)
{
    const enum nvml_result error = nvmlDeviceGetMaxClockInfo(device, kind, mhz);
    return error == NVML_ERROR_INVALID_ARGUMENT && nvml_check_device(device, mhz) == NVML_SUCCESS
               ? NVML_ERROR_NOT_SUPPORTED
               : error;
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetClock(const struct nvmlDevice_st *device, unsigned kind, unsigned which,
                                                 unsigned *mhz)
{
    (void)which;
    return nvmlDeviceGetMaxClockInfo(device, kind, mhz);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetTemperature(const struct nvmlDevice_st *device, unsigned sensor,
                                                       unsigned *degrees)
{
    DEVICE_OR_RETURN(device, degrees);
    if (sensor != 0) return NVML_ERROR_INVALID_ARGUMENT;
    *degrees = 0;
    return NVML_SUCCESS;
}

// Of an H200: shutdown, slowdown, memory, GPU (nvmlTemperatureThresholds_t).
NVML_VISIBLE enum nvml_result nvmlDeviceGetTemperatureThreshold(const struct nvmlDevice_st *device, unsigned kind,
                                                                unsigned *degrees)
{
    static const unsigned thresholds[] = {95, 89, 95, 87};
    DEVICE_OR_RETURN(device, degrees);
    if (kind >= sizeof thresholds / sizeof thresholds[0]) return NVML_ERROR_NOT_SUPPORTED;
    *degrees = thresholds[kind];
    return NVML_SUCCESS;
}

static enum nvml_result give_two(const struct nvmlDevice_st *device, unsigned *first, unsigned *second,
                                 const unsigned values[2])
{
    DEVICE_OR_RETURN(device, first);
    if (second == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    *first = values[0];
    *second = values[1];
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetPowerManagementLimitConstraints(const struct nvmlDevice_st *device,
                                                                           unsigned *least_mw, unsigned *most_mw)
{
    return give_two(device, least_mw, most_mw, (const unsigned[]){200000, 700000});
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetMigMode(const struct nvmlDevice_st *device, unsigned *now, unsigned *next)
{
    return give_two(device, now, next, (const unsigned[]){0, 0}); // NVML_DEVICE_MIG_DISABLE
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetEncoderCapacity(const struct nvmlDevice_st *device, unsigned kind,
                                                           unsigned *percent)
{
    (void)kind;
    DEVICE_OR_RETURN(device, percent);
    *percent = 100;
    return NVML_SUCCESS;
}

// Percent, and over how many us.
NVML_VISIBLE enum nvml_result nvmlDeviceGetEncoderUtilization(const struct nvmlDevice_st *device, unsigned *percent,
                                                              unsigned *period)
{
    return give_two(device, percent, period, (const unsigned[]){0, 1000});
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetEccMode(const struct nvmlDevice_st *device, unsigned *now, unsigned *next)
{
    DEVICE_OR_RETURN(device, now);
    if (next == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    *now = *next = (unsigned)attribute(32); // ECC_ENABLED
    return NVML_SUCCESS;
}

// --- Its neighbours: there are none ----------------------------------------------------------------------------------

NVML_VISIBLE enum nvml_result nvmlDeviceGetNvLinkState(const struct nvmlDevice_st *device, unsigned link,
                                                       unsigned *is_active)
{
    (void)link;
    DEVICE_OR_RETURN(device, is_active);
    return NVML_ERROR_NOT_SUPPORTED; // as of an H200 that is alone in its machine
}

static enum nvml_result answer_pair(const struct nvmlDevice_st *first, const struct nvmlDevice_st *second,
                                    unsigned *result, unsigned value)
{
    DEVICE_OR_RETURN(first, result);
    DEVICE_OR_RETURN(second, result);
    *result = value;
    return NVML_SUCCESS;
}

// As cuDeviceCanAccessPeer() says of the device and itself.
NVML_VISIBLE enum nvml_result nvmlDeviceGetP2PStatus(const struct nvmlDevice_st *first,
                                                     const struct nvmlDevice_st *second, unsigned what,
                                                     unsigned *status)
{
    enum { P2P_NOT_SUPPORTED = 5 };
    (void)what;
    return answer_pair(first, second, status, P2P_NOT_SUPPORTED);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetTopologyCommonAncestor(const struct nvmlDevice_st *first,
                                                                  const struct nvmlDevice_st *second, unsigned *level)
{
    const enum nvml_result error = answer_pair(first, second, level, 0);
    return error == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : error; // of the device and itself
}

NVML_VISIBLE enum nvml_result nvmlDeviceOnSameBoard(const struct nvmlDevice_st *first,
                                                    const struct nvmlDevice_st *second, int *is_same)
{
    return answer_pair(first, second, (unsigned *)is_same, 1);
}

NVML_VISIBLE enum nvml_result nvmlDeviceGetTopologyNearestGpus(const struct nvmlDevice_st *device, unsigned level,
                                                               unsigned *count, const struct nvmlDevice_st **devices)
{
    (void)level, (void)devices;
    DEVICE_OR_RETURN(device, count);
    *count = 0;
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlSystemGetTopologyGpuSet(unsigned cpu, unsigned *count,
                                                          const struct nvmlDevice_st **devices)
{
    (void)cpu;
    if (nvml_check(count) != NVML_SUCCESS) return nvml_check(count);
    if (*count >= 1 && devices != NULL) devices[0] = &nvml_device;
    *count = 1;
    return NVML_SUCCESS;
}
