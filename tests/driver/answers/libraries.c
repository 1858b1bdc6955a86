// SPDX-License-Identifier: MIT
#include "answers.h"

SECTION(bare_library)
{
    CUlibrary l = NULL;
    CUkernel k = NULL;
    CUfunction f = NULL;
    CUmodule m = NULL;
    int n = 7;
    unsigned c = 7;
    const char *name = NULL;
    size_t b = 0, o = 0;
    CUdeviceptr a = 0;
    SHOW(cuLibraryLoadData(&l, HEAD PUT FAULT, 0, 0, 0, 0, 0, 0));
    SHOW(cuInit(0));
    SHOW(cuLibraryLoadData(&l, HEAD PUT FAULT, 0, 0, 0, 0, 0, 0));
    SHOW(cuLibraryGetKernel(&k, l, "put"));
    SHOW(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    VALUE("n", n);
    SHOW(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 1));
    SHOW(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, k, 0));
    SHOW(cuKernelGetName(&name, k));
    SHOW(cuKernelGetParamInfo(k, 1, &o, &b));
    SHOW(cuLibraryGetKernelCount(&c, l));
    VALUE("count", c);
    CUkernel ks[4] = {0};
    SHOW(cuLibraryEnumerateKernels(ks, 4, l));
    for (int i = 0; i < 2; i++) {
        cuKernelGetName(&name, ks[i]);
        printf("    %s\n", name);
    }
    SHOW(cuKernelGetFunction(&f, k));
    SHOW(cuLibraryGetModule(&m, l));
    SHOW(cuLibraryGetGlobal(&a, &b, l, "counter"));
    SHOW(cuKernelSetCacheConfig(k, 1, 0));
    CUlibrary l2;
    SHOW(cuKernelGetLibrary(&l2, k));
    SHOW(cuLibraryGetKernel(&k, l, "none"));
    SHOW(cuLibraryUnload(l));
    SHOW(cuLibraryLoadFromFile(&l, "/nowhere", 0, 0, 0, 0, 0, 0));
    SHOW(cuModuleLoadData(&m, HEAD PUT));
}

SECTION(library_order)
{
    ready();
    CUlibrary l;
    CUkernel ks[5] = {0};
    const char *n;
    SHOW(cuLibraryLoadData(&l,
                           HEAD ".visible .entry c()\n{\nret;\n}\n.visible .entry a()\n{\nret;\n}\n.visible .entry "
                                "b()\n{\nret;\n}\n.entry d()\n{\nret;\n}\n",
                           0, 0, 0, 0, 0, 0));
    SHOW(cuLibraryEnumerateKernels(ks, 5, l));
    for (int i = 0; i < 5 && ks[i]; i++) {
        cuKernelGetName(&n, ks[i]);
        printf("    %s\n", n);
    }
    CUmodule m =
        mod(".visible .entry c()\n{\nret;\n}\n.visible .entry a()\n{\nret;\n}\n.visible .entry b()\n{\nret;\n}\n");
    CUfunction f[5] = {0};
    SHOW(cuModuleEnumerateFunctions(f, 5, m));
    for (int i = 0; i < 5 && f[i]; i++) {
        cuFuncGetName(&n, f[i]);
        printf("    %s\n", n);
    }
    SHOW(cuModuleEnumerateFunctions(f, 2, m));
    for (int i = 0; i < 2; i++) {
        cuFuncGetName(&n, f[i]);
        printf("    %s\n", n);
    }
}

// Where the errors of a library's PTX are told.
SECTION(bad_library)
{
    static const char *const text[] = {
        ".target sm_90a\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n",
        "",
        "this is no PTX",
        ".version 99.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n",
        ".version 8.0\n.target sm_100\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n",
        HEAD ".extern .func gone();\n.visible .entry k()\n{\ncall gone;\nret;\n}\n",
        HEAD ".visible .entry k()\n{\nret;\n}\n.visible .entry k()\n{\nret;\n}\n",
    };
    ready();
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        CUlibrary l = NULL;
        CUkernel k = NULL;
        CUmodule m = NULL;
        CUfunction f = NULL;
        unsigned count = 77;
        printf("  text %zu\n", i);
        SHOW(cuModuleLoadData(&m, text[i]));
        if (m != NULL) SHOW(cuModuleGetFunction(&f, m, "k"));
        SHOW(cuLibraryLoadData(&l, text[i], 0, 0, 0, 0, 0, 0));
        if (l == NULL) continue;
        SHOW(cuLibraryGetKernelCount(&count, l));
        VALUE("count", count);
        SHOW(cuLibraryGetKernel(&k, l, "k"));
        SHOW(cuLibraryGetModule(&m, l));
        CUdeviceptr a;
        SHOW(cuLibraryGetGlobal(&a, NULL, l, "x"));
        SHOW(cuLibraryUnload(l));
    }
    CUlibrary of_runtime = NULL;
    SHOW(cudaLibraryLoadData(&of_runtime, text[0], 0, 0, 0, 0, 0, 0));
}
