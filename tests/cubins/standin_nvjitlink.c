// SPDX-License-Identifier: MIT
// A library with nvJitLink's calls. Its cubins have no code. With -lto -ptx it has the PTX that fill.cu and part.cu
// make together, if each input is LTO-IR, as nvJitLink has.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { UNRECOGNIZED_OPTION = 1, INVALID_INPUT = 3, INTERNAL = 6, FINALIZE = 9 };

struct link {
    bool is_lto, is_ptx;
    int inputs, lto_inputs;
    bool is_complete;
};

int nvJitLinkCreate(struct link **link, unsigned options, const char **option)
{
    struct link made = {false};
    for (unsigned i = 0; i < options; i++) {
        made.is_lto |= strcmp(option[i], "-lto") == 0;
        made.is_ptx |= strcmp(option[i], "-ptx") == 0;
    }
    if (options == 0 || strncmp(option[0], "-arch=", 6) != 0) return UNRECOGNIZED_OPTION;
    *link = malloc(sizeof made);
    if (*link != NULL) **link = made;
    return *link == NULL ? INTERNAL : 0;
}

static int add(struct link *link, const void *data, size_t bytes)
{
    if (data == NULL || bytes == 0) return INVALID_INPUT;
    link->inputs++;
    link->lto_inputs += bytes > 4 && memcmp(data, "\xed\x43\x4e\x7f", 4) == 0;
    return 0;
}

int nvJitLinkAddData(struct link *link, int kind, const void *data, size_t bytes, const char *name)
{
    (void)kind, (void)name;
    return add(link, data, bytes);
}

int nvJitLinkAddFile(struct link *link, int kind, const char *path)
{
    (void)kind;
    return add(link, path, strlen(path));
}

int nvJitLinkComplete(struct link *link)
{
    link->is_complete = !link->is_ptx || (link->is_lto && link->lto_inputs == link->inputs);
    return link->is_complete ? 0 : FINALIZE;
}

int nvJitLinkGetLinkedCubinSize(struct link *link, size_t *bytes)
{
    *bytes = sizeof(struct standin_cubin);
    return link->is_complete && !link->is_ptx ? 0 : INTERNAL;
}

int nvJitLinkGetLinkedCubin(struct link *link, void *cubin)
{
    struct standin_cubin made;
    standin_cubin(&made, 90);
    memcpy(cubin, &made, sizeof made);
    return link->is_complete && !link->is_ptx ? 0 : INTERNAL;
}

int nvJitLinkGetLinkedPtxSize(struct link *link, size_t *bytes)
{
    *bytes = sizeof STANDIN_WHOLE;
    return link->is_complete && link->is_ptx ? 0 : INTERNAL;
}

int nvJitLinkGetLinkedPtx(struct link *link, char *ptx)
{
    memcpy(ptx, STANDIN_WHOLE, sizeof STANDIN_WHOLE);
    return link->is_complete && link->is_ptx ? 0 : INTERNAL;
}

int nvJitLinkDestroy(struct link **link)
{
    free(*link);
    *link = NULL;
    return 0;
}

// The names that nvJitLink.h calls.
int __nvJitLinkCreate_13_0(struct link **, unsigned, const char **) __attribute__((alias("nvJitLinkCreate")));
int __nvJitLinkAddData_13_0(struct link *, int, const void *, size_t, const char *)
    __attribute__((alias("nvJitLinkAddData")));
int __nvJitLinkAddFile_13_0(struct link *, int, const char *) __attribute__((alias("nvJitLinkAddFile")));
int __nvJitLinkComplete_13_0(struct link *) __attribute__((alias("nvJitLinkComplete")));
int __nvJitLinkGetLinkedCubinSize_13_0(struct link *, size_t *) __attribute__((alias("nvJitLinkGetLinkedCubinSize")));
int __nvJitLinkGetLinkedCubin_13_0(struct link *, void *) __attribute__((alias("nvJitLinkGetLinkedCubin")));
int __nvJitLinkDestroy_13_0(struct link **) __attribute__((alias("nvJitLinkDestroy")));
