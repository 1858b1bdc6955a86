// SPDX-License-Identifier: MIT
// usage: api [--real] SECTION. --real is for libcuda and libcudart of NVIDIA: it goes on after what differs, and takes
// no notice of what is printed, so that one run on a GPU says where the tests pin another answer than the driver's.
#define _GNU_SOURCE 1
#include "api.h"

#include <stdbool.h>
#include <unistd.h>

static FILE *told;
static long told_until;
static bool is_real;

void api_fail(void)
{
    fflush(NULL);
    if (!is_real) _exit(EXIT_FAILURE);
}

void api_expect(const char *file, int line, const char *call, int got, int expected)
{
    const char *is = NULL, *should = NULL;
    if (got == expected) return;
    cuGetErrorName((enum cuda_result)got, &is);
    cuGetErrorName((enum cuda_result)expected, &should);
    printf("%s:%d: %s returned %s (%d), not %s (%d)\n", file, line, call, is, got, should, expected);
    api_fail();
}

void api_said(const char *file, int line, const char *text)
{
    char said[65536];
    if (is_real) return;
    fseek(told, told_until, SEEK_SET);
    said[fread(said, 1, sizeof said - 1, told)] = '\0';
    told_until = ftell(told);
    if (text == NULL ? said[0] == '\0' : strstr(said, text) != NULL) return;
    printf("%s:%d: on standard error there should be %s%s, and there is:\n%s\n", file, line,
           text == NULL ? "nothing" : "this: ", text == NULL ? "" : text, said);
    api_fail();
}

struct CUctx_st *api_ready(void)
{
    struct CUctx_st *context;
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    return context;
}

struct CUmod_st *api_module(const char *body)
{
    struct CUmod_st *module;
    char *text;
    REQUIRE(asprintf(&text, "%s%s", PTX_HEAD, body) > 0);
    WORKS(cuModuleLoadData(&module, text));
    free(text);
    return module;
}

struct CUfunc_st *api_kernel(const char *body, const char *name)
{
    struct CUfunc_st *function;
    WORKS(cuModuleGetFunction(&function, api_module(body), name));
    return function;
}

unsigned long long api_memory(size_t bytes, unsigned char value)
{
    unsigned long long address;
    WORKS(cuMemAlloc_v2(&address, bytes));
    WORKS(cuMemsetD8_v2(address, value, bytes));
    return address;
}

unsigned char api_byte(unsigned long long address)
{
    unsigned char byte;
    WORKS(cuMemcpyDtoH_v2(&byte, address, 1));
    return byte;
}

uint32_t api_word(unsigned long long address)
{
    uint32_t word;
    WORKS(cuMemcpyDtoH_v2(&word, address, sizeof word));
    return word;
}

int main(int count, char **argument)
{
    is_real = count == 3 && strcmp(argument[1], "--real") == 0;
    if (is_real) argument[1] = argument[2], count--;
    setvbuf(stdout, NULL, _IONBF, 0);
    told = tmpfile();
    if (told == NULL || dup2(fileno(told), STDERR_FILENO) < 0) return EXIT_FAILURE;
    const struct section *section = count == 2 ? section_find(argument[1]) : NULL;
    if (section == NULL) return puts("usage: api [--real] SECTION"), EXIT_FAILURE;
    section->show();
    return EXIT_SUCCESS;
}
