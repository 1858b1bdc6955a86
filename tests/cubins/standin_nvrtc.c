// SPDX-License-Identifier: MIT
// A library with NVRTC's calls: it knows three sources by their names, and has for each a cubin without code, the PTX,
// and with -dlto a word in place of LTO-IR. With -no-ptx it refuses to give PTX. Like NVRTC it asks the driver for a
// private interface.
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "standin.h"

enum { INVALID_INPUT = 3, COMPILATION = 6 };

struct program {
    const struct standin_source *source;
    unsigned gpu;
    bool is_real, is_lto, has_no_ptx;
};

int nvrtcCreateProgram(struct program **program, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *header_name)
{
    (void)text, (void)headers, (void)header, (void)header_name;
    *program = calloc(1, sizeof **program);
    if (*program != NULL) (*program)->source = standin_find(name);
    return *program == NULL || (*program)->source == NULL ? INVALID_INPUT : 0;
}

int nvrtcCompileProgram(struct program *program, int options, const char *const *option)
{
    const void *table;
    cuGetExportTable(&table, NULL);
    for (int i = 0; i < options; i++) {
        if (sscanf(option[i], "-arch=sm_%u", &program->gpu) == 1) program->is_real = true;
        if (strcmp(option[i], "-dlto") == 0) program->is_lto = true;
        if (strcmp(option[i], "-no-ptx") == 0) program->has_no_ptx = true;
    }
    return program->is_real || strcmp(option[0], "-arch=compute_90a") == 0 ? 0 : COMPILATION;
}

static int give(const void *content, size_t bytes, size_t *size, char *to)
{
    if (size != NULL) *size = bytes;
    if (to != NULL && content != NULL) memcpy(to, content, bytes);
    return 0;
}

static int cubin(const struct program *program, size_t *size, char *to)
{
    struct standin_cubin made;
    standin_cubin(&made, program->gpu);
    return give(&made, program->is_real && !program->is_lto ? sizeof made : 0, size, to);
}

static int ptx(const struct program *program, size_t *size, char *to)
{
    const char *text = program->is_lto ? "" : program->source->ptx;
    if (program->has_no_ptx) return INVALID_INPUT;
    return give(text, strlen(text) + 1, size, to);
}

static int lto(const struct program *program, size_t *size, char *to)
{
    return give(program->source->lto, program->is_lto ? strlen(program->source->lto) : 0, size, to);
}

int nvrtcGetCUBINSize(struct program *program, size_t *bytes)
{
    return cubin(program, bytes, NULL);
}

int nvrtcGetCUBIN(struct program *program, char *to)
{
    return cubin(program, NULL, to);
}

int nvrtcGetPTXSize(struct program *program, size_t *bytes)
{
    return ptx(program, bytes, NULL);
}

int nvrtcGetPTX(struct program *program, char *to)
{
    return ptx(program, NULL, to);
}

int nvrtcGetLTOIRSize(struct program *program, size_t *bytes)
{
    return lto(program, bytes, NULL);
}

int nvrtcGetLTOIR(struct program *program, char *to)
{
    return lto(program, NULL, to);
}

int nvrtcDestroyProgram(struct program **program)
{
    free(*program);
    *program = NULL;
    return 0;
}
