// SPDX-License-Identifier: MIT
// Calls that answer more than one error: each error by the argument that brings it, and what works beside it.
#define _GNU_SOURCE 1
#include "api.h"

#include <sys/mman.h>
#include <unistd.h>

#define PART ((size_t)2 << 20)
enum { DEVICE = 1, HOST = 2, NONE = 0, READ = 1, READWRITE = 3, BLOCKING = 0, RELAXED = 2 };

static const struct cuda_mem_location of_device = {DEVICE, 0}, of_host = {HOST, 0};

// --- Who may touch the memory of a pool ------------------------------------------------------------------------------

static uint32_t access_of(struct CUmemPoolHandle_st *pool, struct cuda_mem_location location)
{
    uint32_t flags = 77;
    WORKS(cuMemPoolGetAccess(&flags, pool, &location));
    return flags;
}

static struct CUmemPoolHandle_st *pool_at(struct cuda_mem_location location)
{
    const struct CUmemPoolProps_st props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = location};
    struct CUmemPoolHandle_st *pool;
    WORKS(cuMemPoolCreate(&pool, &props));
    return pool;
}

static void refuse_access(struct CUmemPoolHandle_st *pool)
{
    static const struct {
        struct cuda_mem_access_desc desc;
        enum cuda_result error;
    } wrong[] = {{{{DEVICE, 0}, READ}, CUDA_ERROR_NOT_SUPPORTED},
                 {{{DEVICE, 0}, 2}, CUDA_ERROR_INVALID_VALUE},
                 {{{DEVICE, 0}, 4}, CUDA_ERROR_INVALID_VALUE},
                 {{{HOST, 0}, READWRITE}, CUDA_ERROR_NOT_SUPPORTED},
                 {{{DEVICE, 1}, READWRITE}, CUDA_ERROR_INVALID_DEVICE}};
    struct cuda_mem_location location = {DEVICE, 1};
    uint32_t flags;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        api_expect(__FILE__, __LINE__, "cuMemPoolSetAccess", (int)cuMemPoolSetAccess(pool, &wrong[i].desc, 1),
                   (int)wrong[i].error);
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, pool, &location));
    location.type = 9;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, pool, &location));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAccess(NULL, pool, &location));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, pool, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, NULL, &location));
}

static void refuse_frees(struct CUmemPoolHandle_st *pool)
{
    unsigned long long at;
    void *host;
    WORKS(cuMemAllocFromPoolAsync(&at, 64, pool, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(at + 4, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(16, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuMemFreeAsync(at, (struct CUstream_st *)pool));
    WORKS(cuMemFreeAsync(at, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync(at, NULL));
    WORKS(cuMemFreeAsync(0, NULL));
    WORKS(cuMemHostAlloc(&host, 64, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemFreeAsync((uintptr_t)host, NULL));
    WORKS(cuMemFreeHost(host));
}

SECTION(pool_access)
{
    api_ready();
    struct CUmemPoolHandle_st *device = pool_at(of_device), *host = pool_at(of_host);
    struct cuda_mem_access_desc desc = {of_device, READWRITE};
    REQUIRE(access_of(device, of_device) == READWRITE && access_of(device, of_host) == NONE);
    REQUIRE(access_of(host, of_device) == NONE && access_of(host, of_host) == READWRITE);
    WORKS(cuMemPoolSetAccess(host, &desc, 1));
    REQUIRE(access_of(host, of_device) == READWRITE);
    desc.flags = NONE;
    WORKS(cuMemPoolSetAccess(host, &desc, 1));
    REQUIRE(access_of(host, of_device) == NONE);
    REFUSES(ERROR_INVALID_DEVICE, cuMemPoolSetAccess(device, &desc, 1)); // the device keeps its own
    REQUIRE(access_of(device, of_device) == READWRITE);
    refuse_access(device);
    refuse_frees(device);
    WORKS(cuMemPoolDestroy(device));
    WORKS(cuMemPoolDestroy(host));
}

// --- Attributes of streams -------------------------------------------------------------------------------------------

SECTION(stream_attributes)
{
    enum { POLICY = 3, PRIORITY = 8, MAP = 9, DOMAIN = 10, NO_ATTRIBUTE = 5 };
    struct CUstream_st *stream, *other;
    api_ready();
    WORKS(cuStreamCreate(&stream, 0));
    WORKS(cuStreamCreate(&other, 0));
    struct CUstream_st *wrong = (struct CUstream_st *)pool_at(of_device);
    uint32_t value[2] = {0, 0}, got[2] = {77, 77};
    unsigned char map[8] = {77, 77};
    REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, POLICY, value)); // 1 to 4
    REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, POLICY, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, NO_ATTRIBUTE, value));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamSetAttribute(wrong, POLICY, value));
    WORKS(cuStreamGetAttribute(stream, MAP, map));
    REQUIRE(map[0] == 0 && map[1] == 1);
    for (int i = 0; i < 2; i++) { // a map has domains 0 to 3
        map[i] = 4, map[1 - i] = 3;
        REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, MAP, map));
    }
    value[0] = 2;
    REFUSES(ERROR_INVALID_VALUE, cuStreamSetAttribute(stream, DOMAIN, value));
    map[0] = 2, map[1] = 3;
    WORKS(cuStreamSetAttribute(stream, MAP, map));
    WORKS(cuStreamSetAttribute(stream, POLICY, value));
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetAttribute(stream, POLICY, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuStreamGetAttribute(stream, NO_ATTRIBUTE, got));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamGetAttribute(wrong, POLICY, got));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamCopyAttributes(wrong, stream));
    REFUSES(ERROR_INVALID_HANDLE, cuStreamCopyAttributes(other, wrong));
    WORKS(cuStreamCopyAttributes(other, stream));
    map[0] = map[1] = 77;
    WORKS(cuStreamGetAttribute(other, MAP, map));
    REQUIRE(map[0] == 2 && map[1] == 3);
    WORKS(cuStreamGetAttribute(other, POLICY, got));
    REQUIRE(got[0] == 2);
    WORKS(cuStreamGetAttribute(other, PRIORITY, got));
    REQUIRE(got[0] == 0);
    WORKS(cuStreamDestroy_v2(stream));
    WORKS(cuStreamDestroy_v2(other));
}

// --- Memory that goes to other processes -----------------------------------------------------------------------------

static void refuse_import(int file)
{
    unsigned long long handle;
    REFUSES(ERROR_UNKNOWN, cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)file, 1));
    SAYS("is not a file of cuMemExportToShareableHandle");
}

static void refuse_files(void)
{
    const int ours = memfd_create("tmaref", 0), other = memfd_create("another", 0);
    REQUIRE(ours >= 0 && other >= 0 && ftruncate(other, PART) == 0);
    refuse_import(-1);
    refuse_import(other);
    refuse_import(ours); // with nothing in it
    REQUIRE(ftruncate(ours, PART / 2) == 0);
    refuse_import(ours);
    close(ours);
    close(other);
}

SECTION(shareable_memory)
{
    enum { A_FILE = 1, OF_WINDOWS = 2, FABRIC = 8 };
    struct cuda_mem_allocation_prop prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = of_device}, got;
    unsigned long long plain, handle, same;
    int file;
    api_ready();
    WORKS(cuMemCreate(&plain, PART, &prop, 0));
    prop.handle_types = OF_WINDOWS;
    REFUSES(ERROR_INVALID_VALUE, cuMemCreate(&handle, PART, &prop, 0));
    prop.handle_types = FABRIC;
    REFUSES(ERROR_NOT_PERMITTED, cuMemCreate(&handle, PART, &prop, 0));
    prop.handle_types = A_FILE;
    WORKS(cuMemCreate(&handle, PART, &prop, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&file, plain, A_FILE, 0));
    SAYS("without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    REFUSES(ERROR_INVALID_VALUE, cuMemExportToShareableHandle(NULL, handle, A_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&file, handle, A_FILE, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&file, handle, OF_WINDOWS, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&file, handle + 99, A_FILE, 0));
    WORKS(cuMemExportToShareableHandle(&file, handle, A_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemImportFromShareableHandle(NULL, (void *)(intptr_t)file, A_FILE));
    REFUSES(ERROR_NOT_SUPPORTED, cuMemImportFromShareableHandle(&same, (void *)(intptr_t)file, FABRIC));
    WORKS(cuMemImportFromShareableHandle(&same, (void *)(intptr_t)file, A_FILE));
    REQUIRE(same != handle && close(file) == 0);
    refuse_files();
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAllocationPropertiesFromHandle(NULL, handle));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAllocationPropertiesFromHandle(&got, handle + 99));
    WORKS(cuMemGetAllocationPropertiesFromHandle(&got, handle));
    REQUIRE(got.handle_types == A_FILE && got.location.type == DEVICE);
    const unsigned long long usual = api_memory(64, 0);
    REFUSES(ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)usual));
    REFUSES(ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(&same, NULL));
}

// What is mapped is looked at by place: at its beginning, and in its whole length.
SECTION(mapped_refusals)
{
    const struct cuda_mem_allocation_prop prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = of_device};
    struct cuda_mem_access_desc desc = {of_device, READ};
    struct cuda_mem_location location = {DEVICE, 1};
    unsigned long long at, handle, kept, flags = 77;
    api_ready();
    WORKS(cuMemAddressReserve(&at, 2 * PART, 8 * PART, 0, 0));
    REQUIRE(at % (8 * PART) == 0);
    WORKS(cuMemCreate(&handle, PART, &prop, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, 0, 0, handle, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at + 8, PART, 0, handle, 0));
    SAYS("is not a multiple of");
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, PART, 8, handle, 0));
    SAYS("is not a multiple of");
    REFUSES(ERROR_INVALID_VALUE, cuMemMap(at, PART, PART, handle, 0));
    SAYS("the handle has only");
    WORKS(cuMemMap(at, PART, 0, handle, 0));
    WORKS(cuMemRetainAllocationHandle(&kept, (void *)(uintptr_t)at));
    REQUIRE(kept == handle);
    REFUSES(ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(NULL, (void *)(uintptr_t)at));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAccess(NULL, &of_device, at));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAccess(&flags, NULL, at));
    REFUSES(ERROR_INVALID_VALUE, cuMemGetAccess(&flags, &of_device, at + PART));
    REFUSES(ERROR_INVALID_DEVICE, cuMemGetAccess(&flags, &location, at));
    WORKS(cuMemSetAccess(at, PART, &desc, 1));
    WORKS(cuMemGetAccess(&flags, &of_device, at));
    REQUIRE(flags == READ);
    desc.flags = READWRITE;
    WORKS(cuMemSetAccess(at, PART, &desc, 1));
    WORKS(cuMemGetAccess(&flags, &of_device, at));
    REQUIRE(flags == READWRITE);
    WORKS(cuMemGetAccess(&flags, &of_device, api_memory(64, 0)));
    REQUIRE(flags == NONE); // what cuMemMap did not map
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(at + PART, PART));
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(at + 8, PART));
    REFUSES(ERROR_INVALID_VALUE, cuMemUnmap(api_memory(64, 0), PART));
    REFUSES(ERROR_INVALID_VALUE, cuMemAddressFree(at + PART, PART));
    WORKS(cuMemUnmap(at, PART));
    WORKS(cuMemAddressFree(at, 2 * PART));
}

// --- Edges and flags of graphs ---------------------------------------------------------------------------------------

static void refuse_edges(struct CUgraph_st *graph, struct CUgraphNode_st *first, struct CUgraphNode_st *second,
                         struct CUgraphNode_st *foreign)
{
    static const struct CUgraphEdgeData_st early[] = {{.from_port = 1}, {.to_port = 1}, {.type = 1}}, plain = {0};
    struct CUgraphNode_st *twice_from[] = {first, first}, *twice_to[] = {second, second}, *none = NULL;
    for (size_t i = 0; i < 3; i++)
        REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &first, &second, &early[i], 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &first, &first, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &foreign, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &first, &foreign, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &none, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &first, &none, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, NULL, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &first, NULL, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(NULL, &first, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &first, &second, NULL, 1)); // is no edge yet
    WORKS(cuGraphAddDependencies_v2(graph, &first, &second, &plain, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, &first, &second, &plain, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(NULL, &first, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, NULL, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &first, NULL, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &foreign, &second, NULL, 1));
    WORKS(cuGraphRemoveDependencies_v2(graph, &first, &second, NULL, 1));
    REFUSES(ERROR_INVALID_VALUE, cuGraphAddDependencies_v2(graph, twice_from, twice_to, NULL, 2));
    WORKS(cuGraphAddDependencies_v2(graph, NULL, NULL, NULL, 0));
    WORKS(cuGraphRemoveDependencies_v2(graph, NULL, NULL, NULL, 0));
}

static void refuse_flags(struct CUgraph_st *graph, struct CUgraph_st *empty)
{
    enum { AUTO_FREE = 1, DEVICE_LAUNCH = 4, FAILED = 1 };
    struct CUDA_GRAPH_INSTANTIATE_PARAMS_st parameters = {.flags = DEVICE_LAUNCH | AUTO_FREE};
    struct CUgraphExec_st *exec;
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, graph, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, graph, &parameters));
    REQUIRE((int)parameters.result_out == FAILED);
    parameters.flags = DEVICE_LAUNCH;
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, empty, &parameters));
    REFUSES(ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, NULL, &parameters));
    REQUIRE((int)parameters.result_out == FAILED);
    parameters.flags = 0;
    WORKS(cuGraphInstantiateWithParams(&exec, graph, &parameters));
    REQUIRE((int)parameters.result_out == 0);
    WORKS(cuGraphExecDestroy(exec));
}

SECTION(graph_edges)
{
    struct CUgraph_st *graph, *other, *empty, *inner;
    struct CUgraphNode_st *first, *second, *foreign, *child;
    api_ready();
    WORKS(cuGraphCreate(&graph, 0));
    WORKS(cuGraphCreate(&other, 0));
    WORKS(cuGraphCreate(&empty, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphCreate(NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuGraphCreate(&inner, 1));
    WORKS(cuGraphAddEmptyNode(&first, graph, NULL, 0));
    WORKS(cuGraphAddEmptyNode(&second, graph, NULL, 0));
    WORKS(cuGraphAddEmptyNode(&foreign, other, NULL, 0));
    refuse_edges(graph, first, second, foreign);
    refuse_flags(graph, empty);
    WORKS(cuGraphAddChildGraphNode(&child, graph, NULL, 0, other));
    WORKS(cuGraphChildGraphNodeGetGraph(child, &inner));
    REFUSES(ERROR_INVALID_VALUE, cuGraphDestroy(inner));
    REFUSES(ERROR_INVALID_VALUE, cuGraphDestroy(NULL));
    REFUSES(ERROR_INVALID_VALUE, cuGraphDestroyNode(NULL));
    WORKS(cuGraphDestroy(graph));
    WORKS(cuGraphDestroy(other));
    WORKS(cuGraphDestroy(empty));
}

SECTION(graph_memory_amounts)
{
    enum { USED_NOW, USED_MOST, RESERVED_NOW, RESERVED_MOST, PAST_LAST };
    uint64_t bytes = 0;
    REFUSES(ERROR_NOT_INITIALIZED, cuDeviceGetGraphMemAttribute(0, USED_NOW, &bytes));
    REFUSES(ERROR_NOT_INITIALIZED, cuDeviceSetGraphMemAttribute(0, USED_MOST, &bytes));
    api_ready();
    for (uint32_t i = USED_NOW; i < PAST_LAST; i++) {
        bytes = 77;
        WORKS(cuDeviceGetGraphMemAttribute(0, i, &bytes));
        REQUIRE(bytes == 0);
    }
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetGraphMemAttribute(0, PAST_LAST, &bytes));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetGraphMemAttribute(0, USED_NOW, NULL));
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceGetGraphMemAttribute(1, USED_NOW, &bytes));
    REFUSES(ERROR_INVALID_DEVICE, cuDeviceSetGraphMemAttribute(1, USED_MOST, &bytes));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetGraphMemAttribute(0, USED_MOST, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetGraphMemAttribute(0, RESERVED_NOW, &bytes));
    WORKS(cuDeviceSetGraphMemAttribute(0, RESERVED_MOST, &bytes));
    bytes = 1;
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetGraphMemAttribute(0, USED_MOST, &bytes));
}
