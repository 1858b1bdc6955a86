// SPDX-License-Identifier: MIT
// Every name of the two libraries, called with nothing but zeros, and with addresses of a page of zeros, before and
// behind cuInit: no call may crash or hang, and one that is missing says so: it returns CUDA_ERROR_NOT_SUPPORTED.
//   every_call LIBRARY NAME... -- MISSING...   0: all came back; each in a process of its own
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 65536, SECONDS = 20, NOT_SUPPORTED = 801 };

typedef int any_call(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g,
                     uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l);

// What a caller may do wrong: is there a context, and what are the arguments?
struct way {
    const char *name;
    int is_ready, is_page;
};
static const struct way ways[] = {
    {"zeros before cuInit", 0, 0}, {"zeros", 1, 0}, {"a page of zeros before cuInit", 0, 1}, {"a page of zeros", 1, 1}};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) printf("%s is not there\n", name), exit(2);
    return found;
}

// cudaFree(0) makes the context of a program that speaks to the runtime, cuInit and a context that of the driver's.
static void make_ready(void *library)
{
    int (*init)(unsigned), (*retain)(void **, int), (*current)(void *), (*nothing)(void *);
    void *context = NULL;
    *(void **)&nothing = dlsym(library, "cudaFree");
    if (nothing != NULL) {
        nothing(NULL);
        return;
    }
    *(void **)&init = find(library, "cuInit");
    *(void **)&retain = find(library, "cuDevicePrimaryCtxRetain");
    *(void **)&current = find(library, "cuCtxSetCurrent");
    if (init(0) != 0 || retain(&context, 0) != 0 || current(context) != 0) exit(2);
}

static int call(void *library, const char *name, const struct way *way)
{
    static uint8_t page[PAGE_BYTES];
    any_call *function;
    uintptr_t a = way->is_page ? (uintptr_t)page : 0;
    *(void **)&function = find(library, name);
    if (way->is_ready) make_ready(library);
    alarm(SECONDS);
    return function(a, a, a, a, a, a, a, a, a, a, a, a);
}

enum { ANSWERED = 10, MISSING = 11 }; // how the process of a call ends

// In a process of its own; 1 if it came back, and said that it is missing where it is.
static int comes_back(void *library, const char *name, const struct way *way, int is_missing)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(call(library, name, way) == NOT_SUPPORTED ? MISSING : ANSWERED);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("every_call: no process for a call");
        exit(2);
    }
    int end = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (end == MISSING || (end == ANSWERED && !is_missing)) return 1;
    if (end == ANSWERED)
        printf("%s is missing and, called with %s, does not return %d\n", name, way->name, NOT_SUPPORTED);
    else if (WIFSIGNALED(status))
        printf("%s, called with %s, ended the process (signal %d)\n", name, way->name, WTERMSIG(status));
    else
        printf("%s, called with %s, ended the process (status %d)\n", name, way->name, end);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0, names = 0, missing = 0, is_missing = 0;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "every_call: %s\n", argc > 1 ? dlerror() : "no library given");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            is_missing = 1;
            continue;
        }
        names++, missing += is_missing;
        for (int way = 0; way < WAYS; way++) failed += !comes_back(library, argv[i], &ways[way], is_missing);
    }
    printf("%d names, %d of them missing, each called in %d ways: %d calls failed\n", names, missing, WAYS, failed);
    return failed > 0 || names == 0;
}
