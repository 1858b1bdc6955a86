// SPDX-License-Identifier: MIT
#include "nvml.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "options.h"

static atomic_int users; // nvmlInit less nvmlShutdown

enum nvml_result nvml_check(const void *result)
{
    if (users == 0) return NVML_ERROR_UNINITIALIZED;
    return result == NULL ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

const struct device_facts *nvml_facts(void)
{
    struct driver_options options;
    char why[256];
    driver_options_read(&options, why, sizeof why); // cuInit tells what is wrong with them
    return device_of_option(options.device);
}

enum nvml_result nvml_text(char *to, unsigned bytes, const char *format, ...)
{
    va_list arguments;
    if (nvml_check(to) != NVML_SUCCESS) return nvml_check(to);
    va_start(arguments, format);
    const int length = vsnprintf(to, bytes, format, arguments);
    va_end(arguments);
    return (unsigned)length < bytes ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

NVML_VISIBLE enum nvml_result nvmlInitWithFlags(unsigned flags)
{
    (void)flags; // without a GPU, without drivers: there is one
    users++;
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

NVML_VISIBLE enum nvml_result nvmlShutdown(void)
{
    int before = users;
    do {
        if (before == 0) return NVML_ERROR_UNINITIALIZED;
    } while (!atomic_compare_exchange_weak(&users, &before, before - 1));
    return NVML_SUCCESS;
}

NVML_VISIBLE enum nvml_result nvmlSystemGetDriverVersion(char *version, unsigned bytes)
{
    return nvml_text(version, bytes, DEVICE_DRIVER);
}

// Its own first number, which is that of CUDA.
NVML_VISIBLE enum nvml_result nvmlSystemGetNVMLVersion(char *version, unsigned bytes)
{
    return nvml_text(version, bytes, "%d." DEVICE_DRIVER, driver_options_cuda() / 1000);
}

NVML_VISIBLE enum nvml_result nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    if (version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    *version = driver_options_cuda();
    return NVML_SUCCESS;
}

NVML_VISIBLE const char *nvmlErrorString(int error)
{
    static const char *const texts[] = {
        "Success",
        "Uninitialized",
        "Invalid Argument",
        "Not Supported",
        "Insufficient Permissions",
        "Already Initialized",
        "Not Found",
        "Insufficient Size",
        "Insufficient External Power",
        "Driver Not Loaded",
        "Timeout",
        "Interrupt Request Issue",
        "NVML Shared Library Not Found",
        "Function Not Found",
        "Corrupted infoROM",
        "GPU is lost",
        "GPU requires reset",
        "GPU access blocked by the operating system",
        "Driver/library version mismatch",
        "In use by another client",
        "Insufficient Memory",
        "No data",
        "vGPU ECC not supported",
        "Insufficient Resources",
        "Invalid Frequency",
        "Argument version mismatch",
        "Requested functionality has been deprecated",
        "System is not in ready state",
        "No supported GPUs were found",
        "Resource not in correct state to perform requested operation",
        "Reset type is not supported for given device",
    };
    return error >= 0 && error < (int)(sizeof texts / sizeof texts[0]) ? texts[error] : "Unknown Error";
}
