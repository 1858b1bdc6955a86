// SPDX-License-Identifier: MIT
// Memory that is reserved, created and mapped.
#include "api.h"

#define PART ((size_t)2 << 20)

static size_t left_bytes(void)
{
    size_t left, total;
    WORKS(cuMemGetInfo_v2(&left, &total));
    return left;
}

static const struct cuda_mem_allocation_prop of_device = {.type = 1, .location = {1, 0}};

// Memory counts from cuMemCreate until the handle is released and the last mapping is gone.
static void show_counting(struct CUctx_st *primary)
{
    struct CUctx_st *context;
    unsigned long long at, handle;
    const size_t all = left_bytes();
    WORKS(cuMemAddressReserve(&at, 4 * PART, 0, 0, 0));
    REQUIRE(left_bytes() == all);
    WORKS(cuMemCreate(&handle, PART, &of_device, 0));
    REQUIRE(all - left_bytes() == PART);
    WORKS(cuMemMap(at, PART, 0, handle, 0));
    WORKS(cuMemMap(at + 2 * PART, PART, 0, handle, 0)); // the same memory at two addresses
    WORKS(cuMemRelease(handle));
    WORKS(cuMemMap(at + PART, PART, 0, handle, 0)); // its handle is good as long as it is mapped
    REFUSES(ERROR_INVALID_VALUE, cuMemRelease(handle));
    REQUIRE(all - left_bytes() == PART);
    WORKS(cuMemUnmap(at, PART));
    WORKS(cuMemUnmap(at + PART, PART));
    REQUIRE(all - left_bytes() == PART);
    WORKS(cuMemUnmap(at + 2 * PART, PART));
    REQUIRE(left_bytes() == all);
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, PART, 0, handle, 0));
    SAYS("the handle is not from cuMemCreate");

    // What a context mapped goes with it.
    WORKS(cuCtxCreate_v2(&context, 0, 0));
    WORKS(cuMemCreate(&handle, PART, &of_device, 0));
    WORKS(cuMemMap(at, PART, 0, handle, 0));
    WORKS(cuMemRelease(handle));
    WORKS(cuCtxDestroy_v2(context));
    WORKS(cuCtxSetCurrent(primary));
    REQUIRE(left_bytes() == all);
    WORKS(cuMemAddressFree(at, 4 * PART));
}

// Memory of the host is mapped like the device's, and is not taken from what the device has.
static void show_host(void)
{
    enum { POINTER_TYPE = 2, POINTER_HOST_ADDRESS = 4 };
    const struct cuda_mem_access_desc desc = {{1, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    struct CUfunc_st *put = api_kernel(ptx_put, "put");
    for (uint32_t type = 2; type <= 3; type++) { // the host, and its node 0
        const struct cuda_mem_allocation_prop prop = {.type = 1, .location = {type, 0}};
        unsigned long long at, handle, on_host;
        uint32_t value = 40 + type, kind;
        void *parameters[] = {&at, &value};
        const size_t all = left_bytes();
        WORKS(cuMemAddressReserve(&at, PART, 0, 0, 0));
        WORKS(cuMemCreate(&handle, PART, &prop, 0));
        WORKS(cuMemMap(at, PART, 0, handle, 0));
        WORKS(cuMemSetAccess(at, PART, &desc, 1));
        REQUIRE(left_bytes() == all);
        WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
        REQUIRE(*(volatile uint32_t *)(uintptr_t)at == value);
        WORKS(cuPointerGetAttribute(&kind, POINTER_TYPE, at));
        WORKS(cuPointerGetAttribute(&on_host, POINTER_HOST_ADDRESS, at));
        REQUIRE(kind == MEMORY_OF_HOST && on_host == at);
        WORKS(cuMemRelease(handle));
        WORKS(cuMemUnmap(at, PART));
        REQUIRE(left_bytes() == all);
        WORKS(cuMemAddressFree(at, PART));
    }
}

static void show_refusals(void)
{
    struct cuda_mem_allocation_prop prop = of_device;
    unsigned long long at, handle;
    size_t bytes, total, left;
    WORKS(cuMemGetInfo_v2(&left, &total));
    REFUSES(ERROR_OUT_OF_MEMORY, cuMemCreate(&handle, total / PART * PART + PART, &prop, 0));
    SAYS("left of the NVIDIA H200");
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART / 2, &prop, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, 0, &prop, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, &prop, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(NULL, PART, &prop, 0));
    prop.location.id = 1;
    REFUSES(ERROR_INVALID_DEVICE, cuMemCreate(&handle, PART, &prop, 0));
    prop.location.type = 4; // the node of this thread
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, &prop, 0));
    prop.location.type = 0;
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, &prop, 0));
    prop.location.type = 2;
    prop.handle_types = 1;
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, &prop, 0));
    prop = (struct cuda_mem_allocation_prop){0};
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, &prop, 0));
    WORKS(cuMemGetAllocationGranularity(&bytes, &of_device, 0));
    REQUIRE(bytes == PART);
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(NULL, &of_device, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(&bytes, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(&bytes, &of_device, 2));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressReserve(NULL, PART, 0, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressReserve(&at, PART + 1, 0, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressReserve(&at, PART, 0, 0, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressReserve(&at, PART, 3, 0, 0));
    REFUSES(ERROR_OUT_OF_MEMORY, cuMemAddressReserve(&at, (size_t)1 << 62, 0, 0, 0));
    REFUSES(ERROR_OUT_OF_MEMORY, cuMemAddressReserve(&at, (size_t)1 << 63, (size_t)1 << 63, 0, 0));
    WORKS(cuMemAddressReserve(&at, 2 * PART, 0, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressFree(at, PART));
    SAYS("are not a reservation");
    WORKS(cuMemAddressFree(at, 2 * PART));
    const unsigned long long hint = at;
    WORKS(cuMemAddressReserve(&at, PART, 0, hint, 0)); // what was asked for, where it is free
    REQUIRE(at == hint);
    unsigned long long other;
    WORKS(cuMemAddressReserve(&other, PART, 0, hint, 0));
    REQUIRE(other != hint && other % PART == 0);
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(at, PART));
    WORKS(cuMemAddressFree(at, PART));
    WORKS(cuMemAddressFree(other, PART));
}

// What is mapped may be touched only as cuMemSetAccess says.
static void show_access(void)
{
    unsigned long long at, handle, at_handle = 0;
    struct cuda_mem_access_desc desc = {{1, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    uint32_t value = 7;
    void *parameters[] = {&at, &value};
    struct CUfunc_st *put = api_kernel(ptx_put, "put");
    WORKS(cuMemAddressReserve(&at, 2 * PART, 0, 0, 0));
    WORKS(cuMemCreate(&handle, 2 * PART, &of_device, 0));
    WORKS(cuMemMap(at, PART, 0, handle, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(at, &value, 4));
    REFUSES(ERROR_INVALID_VALUE, cuMemSetAccess(at, 2 * PART, &desc, 1)); // the second half is not mapped
    unsigned long long access;
    WORKS(cuMemGetAccess(&access, &desc.location, at));
    REQUIRE(access == CU_MEM_ACCESS_FLAGS_PROT_NONE); // nor is the first half accessible now
    REFUSES(ERROR_INVALID_VALUE, cuMemSetAccess(at, PART, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemSetAccess(at, PART, &desc, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemSetAccess(at, PART + 1, &desc, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemSetAccess((unsigned long long)(uintptr_t)&at_handle, PART, &desc, 1));
    WORKS(cuMemMap(at + PART, PART, PART, handle, 0));
    WORKS(cuMemSetAccess(at, 2 * PART, &desc, 1));
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REQUIRE(api_word(at) == 7);
    WORKS(cuMemsetD8_v2(at + PART - 8, 9, 16)); // across two mappings side by side
    REQUIRE(api_byte(at + PART) == 9);
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, PART, 0, handle, 0));
    SAYS("mapped there already");
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(at, 2 * PART));
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, PART, 0, handle, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressFree(at, 2 * PART));
    SAYS("call cuMemUnmap first");
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    WORKS(cuMemSetAccess(at, PART, &desc, 1));
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

SECTION(mapped_memory)
{
    unsigned long long at;
    size_t bytes;
    REFUSES(ERROR_NOT_INITIALIZED, cuMemGetAllocationGranularity(&bytes, &of_device, 0));
    REFUSES(ERROR_NOT_INITIALIZED, cuMemAddressReserve(&at, PART, 0, 0, 0));
    REFUSES(ERROR_NOT_INITIALIZED, cuMemAddressFree(PART, PART));
    REFUSES(ERROR_NOT_INITIALIZED, cuMemCreate(&at, PART, &of_device, 0));
    REFUSES(ERROR_NOT_INITIALIZED, cuMemRelease(1));
    REFUSES(ERROR_NOT_INITIALIZED, cuMemMap(PART, PART, 0, 1, 0));
    struct CUctx_st *primary = api_ready();
    show_counting(primary);
    show_host();
    show_refusals();
    show_access();
}
