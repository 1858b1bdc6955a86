// SPDX-License-Identifier: MIT
// What a program sees of NVML, beside what the driver says of the same device; and every call of NVML with nothing but
// zeros, before and behind nvmlInit. Its handles are opaque here, as to all users.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "nvml.h"

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) printf("line %d: not so: %s\n", __LINE__, #what), exit(1);                                        \
    } while (0)

typedef const struct nvmlDevice_st *handle;

static int driver_says(enum cuda_device_attribute attribute)
{
    int value = -1;
    CHECK(cuDeviceGetAttribute(&value, attribute, 0) == CUDA_SUCCESS);
    return value;
}

static void check_device(handle device)
{
    char name[96], driver_name[96], text[96], place[32];
    unsigned number;
    int major, minor, attribute;
    size_t bytes;
    struct nvml_memory memory;
    struct nvml_memory_v2 memory_v2 = {.version = (unsigned)sizeof memory_v2 | 2U << 24};
    CHECK(nvmlDeviceGetName(device, name, sizeof name) == NVML_SUCCESS && cuDeviceGetName(driver_name, 96, 0) == 0);
    CHECK(strcmp(name, driver_name) == 0);
    CHECK(nvmlDeviceGetName(device, name, 4) == NVML_ERROR_INSUFFICIENT_SIZE && strlen(name) == 3);
    CHECK(cuDeviceTotalMem_v2(&bytes, 0) == 0 && nvmlDeviceGetMemoryInfo(device, &memory) == NVML_SUCCESS);
    CHECK(memory.free == bytes && memory.free + memory.used == memory.total && memory.used == 644939776);
    CHECK(nvmlDeviceGetMemoryInfo_v2(device, &memory_v2) == NVML_SUCCESS && memory_v2.free == bytes);
    CHECK(memory_v2.total == memory.total && memory_v2.reserved == memory.used && memory_v2.used == 0);
    memory_v2.version = 3;
    CHECK(nvmlDeviceGetMemoryInfo_v2(device, &memory_v2) == NVML_ERROR_FUNCTION_NOT_FOUND);
    CHECK(nvmlDeviceGetCudaComputeCapability(device, &major, &minor) == NVML_SUCCESS);
    CHECK(major == 9 && minor == 0);
    attribute = driver_says((enum cuda_device_attribute)13); // CLOCK_RATE
    CHECK(nvmlDeviceGetClockInfo(device, 1, &number) == NVML_SUCCESS && (int)number == attribute / 1000);
    CHECK(nvmlDeviceGetClockInfo(device, 3, &number) == NVML_SUCCESS && number == 1545);
    CHECK(nvmlDeviceGetClockInfo(device, 4, &number) == NVML_ERROR_NOT_SUPPORTED);
    attribute = driver_says((enum cuda_device_attribute)16); // MULTIPROCESSOR_COUNT
    CHECK(nvmlDeviceGetNumGpuCores(device, &number) == NVML_SUCCESS && (int)number == attribute * 128);
    CHECK(nvmlDeviceGetUUID(device, text, sizeof text) == NVML_SUCCESS && strncmp(text, "GPU-746d6172-6566-", 18) == 0);
    CHECK(nvmlDeviceGetHandleByUUID(text, &device) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetHandleByUUID("GPU-0", &device) == NVML_ERROR_NOT_FOUND);
    CHECK(cuDeviceGetPCIBusId(place, sizeof place, 0) == 0);
    CHECK(nvmlDeviceGetHandleByPciBusId_v2(place, &device) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetHandleByPciBusId_v2("0000:01:00.0", &device) == NVML_ERROR_NOT_FOUND);
}

static void check_state(handle device)
{
    struct nvml_pci pci;
    struct nvml_pci_ext ext = {.version = (unsigned)sizeof ext | 1U << 24};
    struct nvml_utilization used = {7, 7};
    unsigned number = 7, other;
    unsigned state = 7;
    handle all[2] = {0};
    CHECK(nvmlDeviceGetPciInfo_v3(device, &pci) == NVML_SUCCESS && strcmp(pci.bus_id, "00000000:00:00.0") == 0);
    CHECK((pci.pci_device_id & 0xffff) == 0x10de);
    CHECK(nvmlDeviceGetPciInfoExt(device, &ext) == NVML_SUCCESS && ext.pci_device_id == pci.pci_device_id);
    CHECK(nvmlDeviceGetHandleByPciBusId_v2(pci.bus_id, &device) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetUtilizationRates(device, &used) == NVML_SUCCESS && used.gpu == 0 && used.memory == 0);
    CHECK(nvmlDeviceGetPowerUsage(device, &number) == NVML_SUCCESS && number == 0);
    CHECK(nvmlDeviceGetComputeRunningProcesses_v3(device, &number, NULL) == NVML_SUCCESS && number == 0);
    CHECK(nvmlDeviceGetNvLinkState(device, 17, &state) == NVML_ERROR_NOT_SUPPORTED && state == 7);
    CHECK(nvmlDeviceGetMigMode(device, &number, &other) == NVML_SUCCESS && number == 0 && other == 0);
    CHECK(nvmlDeviceGetTopologyCommonAncestor(device, device, &state) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceGetTemperatureThreshold(device, 1, &number) == NVML_SUCCESS && number == 89);
    number = 2;
    CHECK(nvmlSystemGetTopologyGpuSet(0, &number, all) == NVML_SUCCESS && number == 1 && all[0] == device);
}

static void call_all(void)
{
    static const char *const names[] = {
#define CALL(name, ...)    #name,
#define GIVES(name, ...)   #name,
#define VALUE(name, ...)   #name,
#define ALIAS(name, ...)   #name,
#define REFUSED(name, ...) #name,
#include "nvml_calls.def"
    };
    typedef int any_call(void *, void *, void *, void *, void *, void *, void *, void *);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        any_call *call;
        *(void **)&call = dlsym(RTLD_DEFAULT, names[i]);
        CHECK(call != NULL);
        if (strstr(names[i], "nvmlInit") == NULL && strcmp(names[i], "nvmlShutdown") != 0)
            call(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    }
}

int main(void)
{
    handle device = NULL;
    unsigned count = 0;
    int version = 0, driver_version = 1;
    char text[80];
    call_all();
    CHECK(nvmlDeviceGetCount_v2(&count) == NVML_ERROR_UNINITIALIZED && nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlInit_v2() == NVML_SUCCESS && nvmlInit() == NVML_SUCCESS && nvmlShutdown() == NVML_SUCCESS);
    call_all();
    CHECK(nvmlDeviceGetCount_v2(&count) == NVML_SUCCESS && count == 1);
    CHECK(nvmlDeviceGetHandleByIndex_v2(1, &device) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetHandleByIndex_v2(0, &device) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetName(NULL, text, sizeof text) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(cuDriverGetVersion(&driver_version) == 0 && nvmlSystemGetCudaDriverVersion(&version) == NVML_SUCCESS);
    CHECK(version == driver_version && version == (getenv("TMAREF_CUDA") != NULL ? 13050 : 13000));
    CHECK(nvmlSystemGetDriverVersion(text, sizeof text) == NVML_SUCCESS && strcmp(text, "580.159.04") == 0);
    CHECK(strcmp(nvmlErrorString(3), "Not Supported") == 0 && strcmp(nvmlErrorString(998), "Unknown Error") == 0);
    CHECK(cuDeviceGetName(text, sizeof text, 0) == CUDA_ERROR_NOT_INITIALIZED); // NVML has not called the driver
    CHECK(cuInit(0) == CUDA_SUCCESS);
    check_device(device);
    check_state(device);
    CHECK(nvmlShutdown() == NVML_SUCCESS && nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    return 0;
}
