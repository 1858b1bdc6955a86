// SPDX-License-Identifier: MIT
// cuDevice*: one device, number 0.
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "driver.h"

static const struct device_facts devices[] = {
    {"NVIDIA H200 (tmaref)", UINT64_C(150109880320), 0},
    {"NVIDIA H100 80GB HBM3 (tmaref)", (uint64_t)81079 << 20, 1},
};

const struct device_facts *device_of_option(int number)
{
    return &devices[number];
}

int device_attribute(const struct device_facts *device, int attribute, int *value)
{
    static const struct {
        int number, value[2];
    } rows[] = {
#define DEVICE_ATTRIBUTE(number, h200, h100) {number, {h200, h100}},
#include "attributes.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].number != attribute) continue;
        *value = rows[i].value[device->column];
        return 1;
    }
    return 0;
}

// What all calls of a device ask first.
static enum cuda_result check(const struct driver *driver, const void *result, int device)
{
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (result == NULL) return CUDA_ERROR_INVALID_VALUE;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

#define DEVICE_USE(driver, result, device)                                                                             \
    DRIVER_ENTER(driver);                                                                                              \
    if (check(driver, result, device) != CUDA_SUCCESS) return check(driver, result, device)

DRIVER_VISIBLE enum cuda_result cuDeviceGetCount(int *count)
{
    DEVICE_USE(driver, count, 0);
    *count = 1;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGet(int *device, int ordinal)
{
    DEVICE_USE(driver, device, ordinal);
    *device = 0;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetName(char *name, int name_bytes, int device)
{
    DEVICE_USE(driver, name, device);
    if (name_bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)name_bytes, "%s", driver->device->name);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    DEVICE_USE(driver, bytes, device);
    *bytes = driver->device->memory_bytes;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetAttribute(int *value, enum cuda_device_attribute attribute, int device)
{
    DEVICE_USE(driver, value, device);
    return device_attribute(driver->device, (int)attribute, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int device)
{
    DEVICE_USE(driver, uuid, device);
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, "tmaref", strlen("tmaref"));
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetUuid(struct CUuuid_st *uuid, int device)
{
    return cuDeviceGetUuid_v2(uuid, device);
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetPCIBusId(char *text, int text_bytes, int device)
{
    DEVICE_USE(driver, text, device);
    if (text_bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(text, (size_t)text_bytes, "0000:00:00.0");
    return CUDA_SUCCESS;
}

// domain:bus:device.function, without the domain, or without the function.
static int is_its_place(const char *text)
{
    unsigned first, second, third;
    if (sscanf(text, "%x:%x:%x", &first, &second, &third) != 3 &&
        sscanf(text, "%x:%x.%x", &first, &second, &third) != 3)
        return 0;
    return first == 0 && second == 0 && third == 0;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetByPCIBusId(int *device, const char *text)
{
    DEVICE_USE(driver, device, 0);
    if (text == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!is_its_place(text)) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    DEVICE_USE(driver, can, device);
    if (peer != 0) return CUDA_ERROR_INVALID_DEVICE;
    *can = 0;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceComputeCapability(int *major, int *minor, int device)
{
    DEVICE_USE(driver, major, device);
    if (minor == NULL) return CUDA_ERROR_INVALID_VALUE;
    *major = 9;
    *minor = 0;
    return CUDA_SUCCESS;
}
