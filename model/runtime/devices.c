// SPDX-License-Identifier: MIT
// Devices, limits, versions and libraries of the runtime.
#include <string.h>

#include "runtime.h"
#include "runtime_newer.h"

RUNTIME_VISIBLE enum cudaError cudaDriverGetVersion(int *version)
{
    return runtime_keep((int)cuDriverGetVersion(version));
}

RUNTIME_VISIBLE enum cudaError cudaGetDeviceCount(int *count)
{
    return runtime_keep((int)runtime_count(count));
}

RUNTIME_VISIBLE enum cudaError cudaRuntimeGetVersion(int *version)
{
    if (version == NULL) return runtime_keep(cudaErrorInvalidValue);
    *version = RUNTIME_VERSION;
    return cudaSuccess;
}

static enum cudaError check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

RUNTIME_CALL(cudaSetDevice, (int device), check_device(device))
RUNTIME_CALL(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
             ((void)device_flags, (void)flags, check_device(device)))
// Memory of the host can always be mapped: the driver has no such flag of its primary context.
enum { CTX_MAP_HOST = 8 };
RUNTIME_CALL(cudaSetDeviceFlags, (unsigned flags), cuDevicePrimaryCtxSetFlags_v2(0, flags & ~(unsigned)CTX_MAP_HOST))

static enum cudaError check_devices(const int *device, int count)
{
    if (device == NULL || count > 1) return count == 0 ? cudaSuccess : cudaErrorInvalidValue;
    return count == 1 ? check_device(*device) : cudaSuccess;
}

RUNTIME_BARE_CALL(cudaSetValidDevices, (int *device, int count), check_devices(device, count))

RUNTIME_VISIBLE enum cudaError cudaGetDevice(int *device)
{
    if (device == NULL) return runtime_keep(cudaErrorInvalidValue);
    *device = 0;
    return runtime_keep((int)cuInit(0));
}

RUNTIME_VISIBLE enum cudaError cudaGetDeviceFlags(unsigned *flags)
{
    const enum cudaError ready = runtime_ready();
    return runtime_keep(ready != cudaSuccess ? (int)ready : (int)cuCtxGetFlags(flags));
}

RUNTIME_VISIBLE enum cudaError cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    (void)wanted;
    return cudaGetDevice(device);
}

// --- Properties ------------------------------------------------------------------------------------------------------

// The members that are an attribute of the driver each.
static void fill_properties(struct cudaDeviceProp *to)
{
    const struct {
        int *to, attribute;
    } rows[] = {
        {&to->regsPerBlock, 12},
        {&to->warpSize, 10},
        {&to->maxThreadsPerBlock, 1},
        {&to->maxThreadsDim[0], 2},
        {&to->maxThreadsDim[1], 3},
        {&to->maxThreadsDim[2], 4},
        {&to->maxGridSize[0], 5},
        {&to->maxGridSize[1], 6},
        {&to->maxGridSize[2], 7},
        {&to->major, 75},
        {&to->minor, 76},
        {&to->multiProcessorCount, 16},
        {&to->canMapHostMemory, 19},
        {&to->concurrentKernels, 31},
        {&to->ECCEnabled, 32},
        {&to->pciBusID, 33},
        {&to->pciDeviceID, 34},
        {&to->pciDomainID, 50},
        {&to->asyncEngineCount, 40},
        {&to->unifiedAddressing, 41},
        {&to->memoryBusWidth, 37},
        {&to->l2CacheSize, 38},
        {&to->persistingL2CacheMaxSize, 108},
        {&to->maxThreadsPerMultiProcessor, 39},
        {&to->streamPrioritiesSupported, 78},
        {&to->globalL1CacheSupported, 79},
        {&to->localL1CacheSupported, 80},
        {&to->regsPerMultiprocessor, 82},
        {&to->managedMemory, 83},
        {&to->hostNativeAtomicSupported, 86},
        {&to->pageableMemoryAccess, 88},
        {&to->concurrentManagedAccess, 89},
        {&to->computePreemptionSupported, 90},
        {&to->canUseHostPointerForRegisteredMem, 91},
        {&to->cooperativeLaunch, 95},
        {&to->directManagedMemAccessFromHost, 101},
        {&to->maxBlocksPerMultiProcessor, 106},
        {&to->accessPolicyMaxWindowSize, 109},
        {&to->hostRegisterSupported, 99},
        {&to->sparseCudaArraySupported, 112},
        {&to->memoryPoolsSupported, 115},
        {&to->clusterLaunch, 120},
        {&to->unifiedFunctionPointers, 129},
#if RUNTIME_RELEASE < 13
        {&to->clockRate, 13},
        {&to->deviceOverlap, 15},
        {&to->kernelExecTimeoutEnabled, 17},
        {&to->computeMode, 20},
        {&to->memoryClockRate, 36},
        {&to->singleToDoublePrecisionPerfRatio, 87},
        {&to->cooperativeMultiDeviceLaunch, 96},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cuDeviceGetAttribute(rows[i].to, (enum cuda_device_attribute)rows[i].attribute, 0);
}

static size_t attribute(int number)
{
    int value = 0;
    cuDeviceGetAttribute(&value, (enum cuda_device_attribute)number, 0);
    return (size_t)value;
}

RUNTIME_VISIBLE enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *to, int device)
{
    enum cudaError error = (enum cudaError)cuInit(0);
    if (error == cudaSuccess) error = check_device(device);
    if (error == cudaSuccess && to == NULL) error = cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_keep(error);
    memset(to, 0, sizeof *to);
    cuDeviceGetName(to->name, sizeof to->name, 0);
    cuDeviceGetUuid_v2(&to->uuid, 0);
    cuDeviceTotalMem_v2(&to->totalGlobalMem, 0);
    fill_properties(to);
    to->sharedMemPerBlock = attribute(8);
    to->memPitch = attribute(11);
    to->totalConstMem = attribute(9);
    to->textureAlignment = attribute(14);
    to->texturePitchAlignment = attribute(51);
    to->surfaceAlignment = attribute(30);
    to->sharedMemPerMultiprocessor = attribute(81);
    to->sharedMemPerBlockOptin = attribute(97);
    to->reservedSharedMemPerBlock = attribute(111);
    return cudaSuccess;
}

// --- Calls of the driver, by name ------------------------------------------------------------------------------------

static enum cudaError entry_point(const char *symbol, void **function, int version, unsigned long long flags,
                                  uint32_t *status)
{
    const enum cuda_result error = cuGetProcAddress_v2(symbol, function, version, flags, status);
    return error == CUDA_ERROR_NOT_FOUND ? cudaSuccess : (enum cudaError)error; // *status and NULL say it
}

RUNTIME_CALL(cudaGetDriverEntryPointByVersion,
             (const char *symbol, void **function, unsigned version, unsigned long long flags, uint32_t *status),
             entry_point(symbol, function, (int)version, flags, status))
RUNTIME_CALL(cudaGetDriverEntryPoint, (const char *symbol, void **function, unsigned long long flags, uint32_t *status),
             entry_point(symbol, function, RUNTIME_VERSION, flags, status))
