// SPDX-License-Identifier: MIT
// The calls of libcudart.so.13 that nvcc's objects make, with PTX in place of fat binaries: what is loaded, when, and
// what a reset of the device does to it. usage: runtime_calls SECTION
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime_api.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                               \
        exit(EXIT_FAILURE);                                                                                            \
    } while (0)

#define MODULE(body)                                                                                                   \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .global .align 4 .u32 word;\n.visible .entry kernel()\n" \
    "{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nmov.u64 %rd1, word;\n" body "ret;\n}\n"

static char counts[] = MODULE("atom.global.add.u32 %r1, [%rd1], 1;\n");
static char puts_7[] = MODULE("mov.u32 %r1, 7;\nst.global.u32 [%rd1], %r1;\n");
static char puts_9[] = MODULE("mov.u32 %r1, 9;\nst.global.u32 [%rd1], %r1;\n");
static char faults[] = MODULE("mov.u64 %rd1, 0;\nst.global.u32 [%rd1], 1;\n");
static char is_wrong[] = MODULE("no.such.instruction;\n");

static const struct dim3 one = {1, 1, 1};

// What nvcc's object of one file holds: a kernel and a variable, known by the addresses of these bytes.
struct object {
    char kernel, variable;
    void **handle;
};

static void load(struct object *object, char *image)
{
    object->handle = __cudaRegisterFatBinary(image);
    __cudaRegisterFunction(object->handle, &object->kernel, NULL, "kernel", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(object->handle, &object->variable, NULL, "word", 0, 4, 0, 0);
}

static enum cudaError launch(struct object *object)
{
    return cudaLaunchKernel(&object->kernel, one, one, NULL, 0, NULL);
}

static uint32_t word_of(struct object *object)
{
    uint32_t word = 0;
    REQUIRE(cudaMemcpyFromSymbol(&word, &object->variable, sizeof word, 0, 2) == cudaSuccess);
    return word;
}

// --- Threads that launch first at the same time ----------------------------------------------------------------------

enum { THREADS = 8, OBJECTS = 16, NOISE_LINES = 20000 };
static struct object shared[OBJECTS];
static pthread_barrier_t together;

static void *launch_all(void *unused)
{
    for (int i = 0; i < OBJECTS; i++) {
        pthread_barrier_wait(&together);
        REQUIRE(launch(&shared[i]) == cudaSuccess);
    }
    return unused;
}

// The module with many variables behind it, so that it takes long enough to load for all threads to meet there.
static char *long_module(void)
{
    static char text[sizeof counts + 64 * NOISE_LINES];
    size_t bytes = (size_t)snprintf(text, sizeof text, "%s", counts);
    for (int i = 0; i < NOISE_LINES; i++)
        bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, ".global .u32 noise%d;\n", i);
    return text;
}

static void show_threads(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < OBJECTS; i++) load(&shared[i], long_module());
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&thread[i], NULL, launch_all, NULL) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < OBJECTS; i++) REQUIRE(word_of(&shared[i]) == THREADS);
}

// --- A reset of the device -------------------------------------------------------------------------------------------

// The error of a kernel stays for the life of the process, and that of an image for that of the image.
static void show_sticky_error(void)
{
    struct object bad, good, wrong;
    load(&bad, faults);
    load(&good, puts_7);
    load(&wrong, is_wrong);
    REQUIRE(launch(&good) == cudaSuccess && word_of(&good) == 7);
    REQUIRE(launch(&wrong) == cudaErrorInvalidPtx);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(launch(&wrong) == cudaErrorInvalidPtx);
    REQUIRE(launch(&good) == cudaSuccess && word_of(&good) == 7);
    REQUIRE(launch(&bad) == cudaSuccess);
    REQUIRE(launch(&good) == cudaErrorIllegalAddress);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(launch(&good) == cudaErrorDevicesUnavailable);
    __cudaUnregisterFatBinary(good.handle); // as the end of the process does
    REQUIRE(launch(&good) == cudaErrorDevicesUnavailable);
}

// What is loaded in another order after the reset is still what each asks for, by the handles from before it too.
static void show_other_order(void)
{
    struct object seven, nine;
    struct CUkern_st *kernel[2];
    load(&seven, puts_7);
    load(&nine, puts_9);
    REQUIRE(__cudaGetKernel(&kernel[0], &seven.kernel) == cudaSuccess);
    REQUIRE(__cudaGetKernel(&kernel[1], &nine.kernel) == cudaSuccess);
    for (int i = 0; i < 4; i++) {
        struct object *first = i % 2 == 0 ? &seven : &nine, *second = i % 2 == 0 ? &nine : &seven;
        REQUIRE(launch(first) == cudaSuccess && launch(second) == cudaSuccess);
        REQUIRE(word_of(&seven) == 7 && word_of(&nine) == 9);
        REQUIRE(cudaDeviceReset() == cudaSuccess);
        REQUIRE(__cudaLaunchKernel(kernel[1 - i % 2], one, one, NULL, 0, NULL) == cudaSuccess);
        REQUIRE(word_of(second) == (i % 2 == 0 ? 9 : 7) && word_of(first) == 0);
        REQUIRE(cudaDeviceReset() == cudaSuccess);
    }
}

// --- A library that dlclose() takes away -----------------------------------------------------------------------------

static void show_unregister(void)
{
    struct object gone, again;
    uint32_t word;
    char *image = strdup(puts_7);
    REQUIRE(image != NULL);
    load(&gone, image);
    load(&again, puts_9);
    REQUIRE(launch(&gone) == cudaSuccess && launch(&again) == cudaSuccess);
    void *address;
    REQUIRE(cudaGetSymbolAddress(&address, &gone.variable) == cudaSuccess);
    __cudaUnregisterFatBinary(gone.handle);
    free(image);
    REQUIRE(cudaMemcpyFromSymbol(&word, &gone.variable, sizeof word, 0, 2) == cudaErrorInvalidSymbol);
    REQUIRE(cudaMemcpy(&word, address, sizeof word, 2) == cudaErrorInvalidValue);
    REQUIRE(word_of(&again) == 9);
    load(&gone, puts_9); // another library, at the same addresses
    REQUIRE(launch(&gone) == cudaSuccess && word_of(&gone) == 9);
    __cudaUnregisterFatBinary(gone.handle);
    __cudaUnregisterFatBinary(again.handle);
}

static void show_shared_bytes(void)
{
    struct object object;
    load(&object, puts_7);
    REQUIRE(cudaLaunchKernel(&object.kernel, one, one, NULL, (size_t)1 << 32, NULL) == cudaErrorInvalidValue);
    REQUIRE(word_of(&object) == 0);
}

int main(int count, char **argument)
{
    static const struct {
        const char *name;
        void (*show)(void);
    } sections[] = {{"threads", show_threads},
                    {"sticky", show_sticky_error},
                    {"order", show_other_order},
                    {"unregister", show_unregister},
                    {"shared_bytes", show_shared_bytes}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (count == 2 && strcmp(argument[1], sections[i].name) == 0) {
            sections[i].show();
            return EXIT_SUCCESS;
        }
    puts("usage: runtime_calls SECTION");
    return EXIT_FAILURE;
}
