// SPDX-License-Identifier: MIT
// cuDevice*: one device, number 0.
#include "device.h"

#include <stdio.h>

#include "cuda_array.h"
#include "driver.h"

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

// 4 GiB of texels, and at most 2^30 of them.
DRIVER_VISIBLE enum cuda_result cuDeviceGetTexture1DLinearMaxWidth(size_t *width, uint32_t format, unsigned channels,
                                                                   int device)
{
    struct texture_image image;
    DEVICE_USE(driver, width, device);
    if (!array_format(format, channels, &image)) return CUDA_ERROR_INVALID_VALUE;
    const size_t bytes = (size_t)image.channel_bytes * channels;
    *width = ((size_t)1 << 32) / (bytes < 4 ? 4 : bytes);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int device)
{
    DEVICE_USE(driver, uuid, device);
    device_uuid((uint8_t *)uuid->bytes);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetPCIBusId(char *text, int text_bytes, int device)
{
    DEVICE_USE(driver, text, device);
    if (text_bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(text, (size_t)text_bytes, "0000:00:00.0");
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetByPCIBusId(int *device, const char *text)
{
    DEVICE_USE(driver, device, 0);
    if (text == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!device_is_at(text)) return CUDA_ERROR_INVALID_DEVICE;
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
