// SPDX-License-Identifier: MIT
// Launches the kernels of a PTX file of the zoo, one after the other, or one of them. usage: run_zoo FILE [KERNEL
// [digest | mapped]]: prints a digest of the memory that it leaves; the memory is of cuMemCreate. The file says which
// there are: lines
//   // zoo KERNEL GRID BLOCK CLUSTER [SECOND]
// BLOCK: how many threads, or WxH. CLUSTER 0: none. SECOND is a kernel that is launched behind the first, of the same
// size, as a programmatic launch. Parameters of 8 bytes get the address of 64 KiB, whose 32-bit word i is i before each
// line; those of 128 bytes a tensor map of it: two dimensions of 64 words, boxes of 16 times 16; the second of these
// with a swizzle of 64 bytes. Behind the 64 KiB lie as many that nobody writes.
#include <stdbool.h>
#include <string.h>

#include "run.h"

enum { BUFFER_BYTES = 65536, MOST_PARAMETERS = 8, NAME_BYTES = 64 };

static void fill(unsigned long long buffer)
{
    static uint32_t word[BUFFER_BYTES / 4];
    for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++) word[i] = i;
    must(cuMemcpyHtoD_v2(buffer, word, sizeof word), "copy");
}

static void launch(struct CUmod_st *module, const char *name, unsigned long long buffer, const unsigned size[4],
                   bool is_second)
{
    static struct tensormap_image map, swizzled;
    const uint32_t box[] = {RUN_TILE, RUN_TILE};
    struct CUfunc_st *function;
    void *parameter[MOST_PARAMETERS] = {NULL};
    must(cuModuleGetFunction(&function, module, name), name);
    encode(&map, buffer, box, 0);
    encode(&swizzled, buffer, box, 2);
    for (size_t i = 0, offset, bytes, maps = 0; i < MOST_PARAMETERS; i++) {
        if (cuFuncGetParamInfo(function, i, &offset, &bytes) != CUDA_SUCCESS) break;
        parameter[i] = bytes != sizeof map ? (void *)&buffer : maps++ == 0 ? (void *)&map : (void *)&swizzled;
    }
    struct cuda_launch_attribute attribute[2] = {{.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION},
                                                 clusters_of(size[2])};
    attribute[0].value.programmatic_stream_serialization_allowed = is_second;
    struct cuda_launch_config config = config_of(size[0], size[1], attribute, size[2] > 0 ? 2 : 1);
    config.block_y = size[3];
    must(cuLaunchKernelEx(&config, function, parameter, NULL), name);
}

// FNV-1a of all of the memory.
static void print_digest(unsigned long long buffer, const char *name)
{
    static uint8_t bytes[2 * BUFFER_BYTES];
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    must(cuMemcpyDtoH_v2(bytes, buffer, sizeof bytes), "copy");
    for (size_t i = 0; i < sizeof bytes; i++) digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    printf("%s: %016llx\n", name, (unsigned long long)digest);
}

static unsigned long long map_memory(void)
{
    const struct cuda_mem_allocation_prop prop = {.type = 1, .location = {.type = 1}};
    const struct cuda_mem_access_desc access = {.location = {.type = 1}, .flags = 3};
    const size_t bytes = (size_t)2 << 20;
    unsigned long long handle, address;
    must(cuMemCreate(&handle, bytes, &prop, 0), "handle");
    must(cuMemAddressReserve(&address, bytes, 0, 0, 0), "addresses");
    must(cuMemMap(address, bytes, 0, handle, 0), "map");
    must(cuMemSetAccess(address, bytes, &access, 1), "access");
    return address;
}

int main(int argc, char **argv)
{
    struct CUmod_st *module;
    unsigned long long buffer;
    if (argc < 2) return 2;
    char *text = read_text(argv[1]);
    begin();
    if (argc > 3 && strcmp(argv[3], "mapped") == 0)
        buffer = map_memory();
    else
        must(cuMemAlloc_v2(&buffer, 2 * BUFFER_BYTES), "memory");
    must(cuModuleLoadData(&module, text), "module");
    for (const char *at = text; (at = strstr(at, "\n// zoo ")) != NULL; at++) {
        char name[NAME_BYTES] = "", second[NAME_BYTES] = "";
        char block[NAME_BYTES] = "";
        unsigned size[4] = {1, 1, 0, 1};
        if (sscanf(at, "\n// zoo %63s %u %63s %u%*[ ]%63[a-z_0-9]", name, &size[0], block, &size[2], second) < 4 ||
            sscanf(block, "%ux%u", &size[1], &size[3]) < 1)
            return 2;
        if (argc > 2 && strcmp(argv[2], name) != 0) continue;
        fill(buffer);
        launch(module, name, buffer, size, false);
        if (second[0] != '\0') launch(module, second, buffer, size, true);
        must(cuCtxSynchronize(), name);
        if (argc > 3 && strcmp(argv[3], "digest") == 0) print_digest(buffer, name);
    }
    free(text);
    return 0;
}
