// SPDX-License-Identifier: MIT
// Calls libcudart.so.12 and .11.0 as programs of those releases do: by older parameters, and with structs of their
// layouts. The numbers of bytes are those of the headers of CUDA 12.9 and 11.8.
// usage: old_runtimes LIBRARY RELEASE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 2048, MARK = 0xa5, PROPERTIES_11 = 728, PROPERTIES_12 = 1032, POINTER = 24, ADVISE_READ_MOSTLY = 1 };

static void *library;
static int failures;

// What a call is, whatever its parameters are.
typedef int any_call(void *, ...);

#define REQUIRE(claim)                                                                                                 \
    do {                                                                                                               \
        if (!(claim)) printf("line %d: %s\n", __LINE__, #claim), failures++;                                           \
    } while (0)

static any_call *find(const char *name)
{
    any_call *call;
    *(void **)&call = dlsym(library, name);
    if (call == NULL) printf("%s is not there\n", name), exit(1);
    return call;
}
#define CALL(name, ...) (find(#name)(__VA_ARGS__))

static int attribute(int number)
{
    int value = -1;
    REQUIRE(CALL(cudaDeviceGetAttribute, &value, number, 0) == 0);
    return value;
}

static int int_at(const unsigned char *from, size_t offset)
{
    int value;
    memcpy(&value, from + offset, sizeof value);
    return value;
}

// The call writes `bytes` and not one more, with these fields at these places.
static void check_properties(const char *name, size_t bytes)
{
    static const struct {
        size_t offset;
        int attribute;
    } fields[] = {{304, 12}, {348, 13}, {360, 75}, {364, 76}, {384, 15}, {388, 16}, {392, 17}, {404, 20},
                  {576, 31}, {604, 41}, {608, 36}, {668, 87}, {692, 96}, {696, 97}, {720, 111}};
    unsigned char to[ROOM];
    memset(to, MARK, sizeof to);
    REQUIRE(find(name)(to, 0) == 0);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (int_at(to, fields[i].offset) != attribute(fields[i].attribute))
            printf("%s: attribute %d is not at %zu\n", name, fields[i].attribute, fields[i].offset), failures++;
    REQUIRE(to[bytes] == MARK && to[bytes - 1] != MARK);
    if (bytes == PROPERTIES_12) REQUIRE(int_at(to, 772) == 1 && int_at(to, 776) == attribute(129));
}

static void check_memory(void)
{
    unsigned char to[ROOM];
    void *memory = NULL;
    memset(to, MARK, sizeof to);
    REQUIRE(CALL(cudaMallocManaged, &memory, (size_t)4096, 1) == 0);
    REQUIRE(CALL(cudaMemAdvise, memory, (size_t)4096, ADVISE_READ_MOSTLY, 0) == 0);
    REQUIRE(CALL(cudaMemAdvise, memory, (size_t)4096, ADVISE_READ_MOSTLY, 7) == 0); // of no account for this advice
    REQUIRE(CALL(cudaMemPrefetchAsync, memory, (size_t)4096, 0, NULL) == 0);
    REQUIRE(CALL(cudaMemPrefetchAsync, memory, (size_t)4096, -1, NULL) == 0); // to the host
    REQUIRE(CALL(cudaMemPrefetchAsync, memory, (size_t)4096, 7, NULL) == 101);
    REQUIRE(CALL(cudaPointerGetAttributes, to, memory) == 0);
    REQUIRE(int_at(to, 0) == 3 && to[POINTER] == MARK && to[POINTER - 1] != MARK);
    REQUIRE(CALL(cudaThreadSynchronize, NULL) == 0);
    REQUIRE(CALL(cudaFree, memory) == 0);
}

static void check_graphs(int release)
{
    void *graph, *exec, *stream, *from[2], *to[2], *first, *second;
    unsigned long long id = 0;
    size_t count = 2;
    int status = -1;
    REQUIRE(CALL(cudaGraphCreate, &graph, 0) == 0);
    REQUIRE(CALL(cudaGraphAddEmptyNode, &first, graph, NULL, (size_t)0) == 0);
    REQUIRE(CALL(cudaGraphAddEmptyNode, &second, graph, NULL, (size_t)0) == 0);
    REQUIRE(CALL(cudaGraphAddDependencies, graph, &first, &second, (size_t)1) == 0);
    REQUIRE(CALL(cudaGraphGetEdges, graph, from, to, &count) == 0);
    REQUIRE(count == 1 && from[0] == first && to[0] == second);
    count = 2;
    REQUIRE(CALL(cudaGraphNodeGetDependencies, second, from, &count) == 0 && count == 1 && from[0] == first);
    count = 2;
    REQUIRE(CALL(cudaGraphNodeGetDependentNodes, first, to, &count) == 0 && count == 1 && to[0] == second);
    REQUIRE((release == 11 ? CALL(cudaGraphInstantiate, &exec, graph, NULL, NULL, (size_t)0)
                           : CALL(cudaGraphInstantiate, &exec, graph, 0ULL)) == 0);
    REQUIRE(CALL(cudaGraphRemoveDependencies, graph, &first, &second, (size_t)1) == 0);
    REQUIRE(CALL(cudaStreamCreate, &stream) == 0);
    REQUIRE(CALL(cudaStreamGetCaptureInfo, stream, &status, &id) == 0 && status == 0);
    REQUIRE(CALL(cudaStreamBeginCapture, stream, 0) == 0);
    REQUIRE(CALL(cudaStreamGetCaptureInfo, stream, &status, &id) == 0 && status == 1);
    count = 2;
    REQUIRE(CALL(cudaStreamGetCaptureInfo_v2, stream, &status, &id, NULL, NULL, &count) == 0 && count == 0);
    REQUIRE(CALL(cudaStreamUpdateCaptureDependencies, stream, NULL, (size_t)0, 1) == 0);
    REQUIRE(CALL(cudaStreamEndCapture, stream, &graph) == 0);
}

static void check_names(int release)
{
    int version = 0;
    void *function = NULL;
    REQUIRE(CALL(cudaRuntimeGetVersion, &version) == 0 && version == (release == 11 ? 11080 : 12090));
    REQUIRE((dlsym(library, "cudaGetDeviceProperties_v2") != NULL) == (release == 12));
    REQUIRE((dlsym(library, "cudaUnbindTexture") != NULL) == (release == 11));
    REQUIRE(dlsym(library, "cudaMemGetDefaultMemPool") == NULL);
    REQUIRE(CALL(cudaGetDriverEntryPoint, "cuInit", &function, 0ULL, NULL) == 0 && function != NULL);
    if (release == 11) REQUIRE(CALL(cudaGetDriverEntryPoint, "cuNothing", &function, 0ULL) == 500);
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const int release = atoi(argv[2]);
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return printf("%s\n", dlerror()), 1;
    check_names(release);
    check_properties("cudaGetDeviceProperties", PROPERTIES_11);
    if (release == 12) check_properties("cudaGetDeviceProperties_v2", PROPERTIES_12);
    check_memory();
    check_graphs(release);
    return failures > 0;
}
