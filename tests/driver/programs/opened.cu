// SPDX-License-Identifier: MIT
// Copies of the CUDA runtime that come while the program runs: PLUGIN is a library that the runtime is linked into,
// RUNTIME NVIDIA's own libcudart by its whole path. Both are those of `tmaref exec`.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>

// Without check.h: this program calls no function of the runtime by its name.
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                           \
        std::exit(1);                                                                                                  \
    } while (0)

typedef int (*plugin_fn)(int);
typedef cudaError_t (*properties_fn)(cudaDeviceProp *, int);

static void *open(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    REQUIRE(library != nullptr);
    return library;
}

int main()
{
    for (int round = 0; round < 3; round++) { // the second comes to the place of the first, or to another
        void *plugin = open(PLUGIN);
        plugin_fn sum = reinterpret_cast<plugin_fn>(dlsym(plugin, "plugin_sum"));
        REQUIRE(sum != nullptr && sum(100) == 4950);
        dlclose(plugin);
    }
    properties_fn properties = reinterpret_cast<properties_fn>(dlsym(open(RUNTIME), "cudaGetDeviceProperties"));
    static cudaDeviceProp found;
    REQUIRE(properties != nullptr && properties(&found, 0) == cudaSuccess);
    REQUIRE(std::strstr(found.name, "(tmaref)") != nullptr);
}
