// SPDX-License-Identifier: MIT
// A library that has functions of cuDNN, none of which may run under `tmaref exec` but those that say what it is; and a
// program that opens it by its path. usage: closed LIBRARY
#include <stdio.h>
#include <stdlib.h>

#ifdef IS_LIBRARY

#define CALL __attribute__((visibility("default"), aligned(64)))
int cudnnCreate(void **), cudnnDestroy(void *), cudnnSetStream(void *, void *), cudnnGetStream(void *, void **),
    cudnnConvolutionForward(void *), cudnnGraphVersionCheck(void);
size_t cudnnGetVersion(void);
void cudnnGetLastErrorString(char *, size_t);

static int run(const char *name)
{
    printf("the library's own %s ran\n", name);
    exit(3);
}

CALL int cudnnCreate(void **handle)
{
    return run(__func__) + (handle != NULL);
}

CALL int cudnnDestroy(void *handle)
{
    return run(__func__) + (handle != NULL);
}

CALL int cudnnSetStream(void *handle, void *stream)
{
    return run(__func__) + (handle != stream);
}

CALL int cudnnGetStream(void *handle, void **stream)
{
    return run(__func__) + (handle != stream);
}

CALL int cudnnConvolutionForward(void *handle)
{
    return run(__func__) + (handle != NULL);
}

CALL size_t cudnnGetVersion(void)
{
    return 92800;
}

CALL int cudnnGraphVersionCheck(void)
{
    return 7;
}

CALL void cudnnGetLastErrorString(char *text, size_t bytes)
{
    snprintf(text, bytes, "none");
}

#else

#include <dlfcn.h>

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) printf("line %d: not so: %s\n", __LINE__, #what), exit(1);                                        \
    } while (0)

static void *library;

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    CHECK(function != NULL);
    return function;
}

int main(int argc, char **argv)
{
    int (*create)(void **), (*destroy)(void *), (*set)(void *, void *), (*get)(void *, void **), (*convolve)(void *);
    size_t (*version)(void);
    int (*check)(void);
    void *handle = NULL, *stream = NULL;
    library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    *(void **)&create = find("cudnnCreate");
    *(void **)&destroy = find("cudnnDestroy");
    *(void **)&set = find("cudnnSetStream");
    *(void **)&get = find("cudnnGetStream");
    *(void **)&convolve = find("cudnnConvolutionForward");
    *(void **)&version = find("cudnnGetVersion");
    *(void **)&check = find("cudnnGraphVersionCheck");
    CHECK(version() == 92800 && check() == 7);
    CHECK(create(NULL) == 2000 && create(&handle) == 0 && handle != NULL);
    CHECK(set(handle, &stream) == 0 && get(handle, &stream) == 0 && stream == &stream);
    CHECK(get(NULL, &stream) == 2000 && set(NULL, NULL) == 2000);
    CHECK(convolve(handle) == 3000 && convolve(handle) == 3000);
    CHECK(destroy(handle) == 0);
    return 0;
}

#endif
