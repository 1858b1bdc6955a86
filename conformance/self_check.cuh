// SPDX-License-Identifier: MIT
// What the self-checking programs of `tmaref export` share: memory at the addresses that their jobs name, launches, and
// the comparison. A program prints PASSED, or where a byte differs, the expected one and the one found.
#ifndef TMAREF_SELF_CHECK_CUH
#define TMAREF_SELF_CHECK_CUH

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "arena_bytes.h"

enum { SELF_SKIPPED = 77, SELF_MOST_TOLD = 8 };
static int self_cases, self_wrong;

static void self_must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    printf("FAILED: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// A call of the driver, so that nothing has to be linked but the runtime.
template <class Call>
static Call self_driver(const char *name)
{
    void *call = nullptr;
    cudaDriverEntryPointQueryResult found;
    self_must(cudaGetDriverEntryPointByVersion(name, &call, 12000, cudaEnableDefault, &found), name);
    return reinterpret_cast<Call>(call);
}

// A driver takes the address of a large reservation as it is wished for, and puts a small one elsewhere (driver 580.159.04
// on an H200: 2 MiB elsewhere, 64 MiB as wished).
#define SELF_AROUND ((size_t)32 << 30)

// Maps `bytes` at `address`, with `around` bytes before and behind that are reserved and not mapped.
static void self_map(uint64_t address, size_t bytes, size_t around)
{
    const auto reserve = self_driver<decltype(&cuMemAddressReserve)>("cuMemAddressReserve");
    const auto create = self_driver<decltype(&cuMemCreate)>("cuMemCreate");
    const auto map = self_driver<decltype(&cuMemMap)>("cuMemMap");
    const auto allow = self_driver<decltype(&cuMemSetAccess)>("cuMemSetAccess");
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc access = {};
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const size_t unit = (size_t)2 << 20;
    bytes = (bytes + unit - 1) / unit * unit;
    CUdeviceptr reserved = 0;
    CUmemGenericAllocationHandle handle;
    self_must(cudaFree(nullptr), "cudaFree");
    if (reserve(&reserved, bytes + 2 * around, 0, address - around, 0) != CUDA_SUCCESS || reserved != address - around) {
        printf("SKIPPED: the driver does not map memory at 0x%llx\n", (unsigned long long)address);
        exit(SELF_SKIPPED);
    }
    if (create(&handle, bytes, &prop, 0) != CUDA_SUCCESS || map(address, bytes, 0, handle, 0) != CUDA_SUCCESS ||
        allow(address, bytes, &access, 1) != CUDA_SUCCESS) {
        printf("FAILED: no memory at 0x%llx\n", (unsigned long long)address);
        exit(1);
    }
}

// The arena, which cases read.
static void self_arena()
{
    unsigned char *bytes = static_cast<unsigned char *>(malloc(ARENA_BYTES));
    arena_fill(bytes);
    self_map(ARENA_BASE, ARENA_BYTES, SELF_AROUND);
    self_must(cudaMemcpy(reinterpret_cast<void *>(ARENA_BASE), bytes, ARENA_BYTES, cudaMemcpyHostToDevice), "cudaMemcpy");
    free(bytes);
}

static unsigned char self_digit(char c)
{
    return static_cast<unsigned char>(c <= '9' ? c - '0' : c - 'a' + 10);
}

// The bytes that hex digits say.
static unsigned char *self_bytes(const char *hex, size_t *count)
{
    *count = strlen(hex) / 2;
    unsigned char *bytes = static_cast<unsigned char *>(malloc(*count + 1));
    for (size_t i = 0; i < *count; i++)
        bytes[i] = static_cast<unsigned char>(self_digit(hex[2 * i]) << 4 | self_digit(hex[2 * i + 1]));
    return bytes;
}

static void self_write(uint64_t address, const char *hex)
{
    size_t count;
    unsigned char *bytes = self_bytes(hex, &count);
    self_must(cudaMemcpy(reinterpret_cast<void *>(address), bytes, count, cudaMemcpyHostToDevice), "cudaMemcpy");
    free(bytes);
}

static void self_launch(const void *kernel, dim3 grid, unsigned block, unsigned shared_bytes, dim3 cluster,
                        uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    void *arguments[] = {&a, &b, &c, &d, &e}; // as many count as the kernel has
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x, attribute.val.clusterDim.y = cluster.y, attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid, config.blockDim = dim3(block), config.dynamicSmemBytes = shared_bytes;
    config.attrs = &attribute, config.numAttrs = cluster.x > 0;
    self_must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes),
              "cudaFuncSetAttribute");
    if (cluster.x * cluster.y * cluster.z > 8)
        self_must(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
    self_must(cudaLaunchKernelExC(&config, kernel, arguments), "cudaLaunchKernelExC");
    self_must(cudaDeviceSynchronize(), "the kernel");
}

// The window `window` of case `name`, whose first byte is that at `base` of its memory, lies at `address` now.
static void self_check(const char *name, const char *window, uint64_t base, uint64_t address, const char *hex)
{
    size_t count, wrong = 0;
    unsigned char *expected = self_bytes(hex, &count), *found = static_cast<unsigned char *>(malloc(count + 1));
    self_must(cudaMemcpy(found, reinterpret_cast<void *>(address), count, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (size_t i = 0; i < count; i++) {
        if (expected[i] == found[i]) continue;
        if (wrong++ == 0 && self_wrong++ < SELF_MOST_TOLD)
            printf("%s: %s 0x%llx (byte 0x%llx of the window): expected %02x, found %02x\n", name, window,
                   (unsigned long long)(base + i), (unsigned long long)i, expected[i], found[i]);
    }
    self_cases++;
    free(expected), free(found);
}

static int self_end(const char *program)
{
    if (self_wrong == 0)
        printf("PASSED: %s, %d windows of memory\n", program, self_cases);
    else
        printf("FAILED: %s, %d of %d windows of memory\n", program, self_wrong, self_cases);
    return self_wrong != 0;
}

#endif
