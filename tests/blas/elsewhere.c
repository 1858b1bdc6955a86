// SPDX-License-Identifier: MIT
// A libcublas that a program finds by its path, and the program: under `tmaref exec` its calls go to tmaref's.
#ifdef IS_LIBRARY
enum { WRONG = 13 };

int cublasCreate_v2(void **handle);
int cublasGetVersion_v2(void *handle, int *version);

int cublasCreate_v2(void **handle)
{
    static int nothing;
    *handle = &nothing;
    return WRONG;
}

int cublasGetVersion_v2(void *handle, int *version)
{
    *version = handle != (void *)version;
    return WRONG;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    int (*create)(void **), (*get_version)(void *, int *), version = 0;
    void *handle = NULL, *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return puts(dlerror()), 1;
    *(void **)&create = dlsym(library, "cublasCreate_v2");
    *(void **)&get_version = dlsym(library, "cublasGetVersion_v2");
    const int created = create(&handle), got = get_version(handle, &version);
    printf("%d %d %d\n", created, got, version);
    return created != 0 || got != 0 || version < 10000;
}
#endif
