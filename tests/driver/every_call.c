// SPDX-License-Identifier: MIT
// Every name of the two libraries, called with nothing but zeros, and with addresses of a page of zeros, before and
// behind cuInit: no call may crash or hang, and one that is missing says so: it returns CUDA_ERROR_NOT_SUPPORTED. Drawn
// arguments are addresses of nothing too: a call of these may end the process as on a GPU, with its name on standard
// error.
//   every_call LIBRARY NAME... -- MISSING...   0: all came back; each in a process of its own
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tied_fork.h"

enum { PAGE_BYTES = 65536, SECONDS = 20, ARGUMENTS = 12, MOST_KIBIBYTES = 1 << 20, NOT_SUPPORTED = 801 };

typedef int any_call(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g,
                     uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k, uintptr_t l);

// What a caller may do wrong: is there a context, and what are the arguments?
struct way {
    const char *name;
    bool is_ready, is_page;
    uint64_t mix; // of values drawn with it, 0: all arguments are the same
};
static const struct way ways[] = {{"zeros before cuInit", false, false, 0},
                                  {"zeros", true, false, 0},
                                  {"a page of zeros before cuInit", false, true, 0},
                                  {"a page of zeros", true, true, 0},
                                  {"values of mix 1", true, true, 1},
                                  {"values of mix 2", true, true, 2},
                                  {"values of mix 3", true, true, 3}};
enum { WAYS = sizeof ways / sizeof ways[0], DRAWN_WAYS = 3 }; // drawn: the last ones

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

// Arguments that fit nobody's: small and large numbers, addresses of zeros, of text and of nothing. A name and a mix
// are always the same.
static void draw(uintptr_t argument[ARGUMENTS], const char *name, uint64_t mix, uint8_t *page)
{
    static uint8_t text[PAGE_BYTES];
    const uintptr_t zeros = (uintptr_t)page, letters = (uintptr_t)text;
    const uintptr_t values[] = {0,
                                1,
                                2,
                                7,
                                64,
                                PAGE_BYTES,
                                0x1234,
                                zeros,
                                zeros + PAGE_BYTES / 2,
                                letters,
                                letters + 8,
                                INT32_MAX,
                                UINT32_MAX,
                                (uintptr_t)1 << 40,
                                UINTPTR_MAX - 7,
                                UINTPTR_MAX};
    memset(text, 'A', sizeof text - 1);
    uint64_t state = mix * UINT64_C(0x9e3779b97f4a7c15);
    for (; *name != '\0'; name++) state = (state ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    for (int i = 0; i < ARGUMENTS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        argument[i] = values[(state >> 40) % (sizeof values / sizeof values[0])];
    }
}

static int call(void *library, const char *name, const struct way *way)
{
    static uint8_t page[PAGE_BYTES];
    any_call *function;
    uintptr_t a[ARGUMENTS];
    for (int i = 0; i < ARGUMENTS; i++) a[i] = way->is_page ? (uintptr_t)page : 0;
    if (way->mix != 0) draw(a, name, way->mix, page);
    *(void **)&function = find(library, name);
    if (way->is_ready) make_ready(library);
    alarm(SECONDS);
    return function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}

enum { ANSWERED = 10, MISSING = 11 }; // how the process of a call ends

// A wrong address of the host ends the program, as on a GPU, if the library has said which call it was.
static bool is_named(FILE *errors)
{
    char line[1024];
    rewind(errors);
    while (fgets(line, sizeof line, errors) != NULL)
        if (strstr(line, ": SIGSEGV at address ") != NULL) return true;
    return false;
}

static int told(FILE *errors, void *library, const char *name, const struct way *way)
{
    if (way->mix != 0) dup2(fileno(errors), STDERR_FILENO);
    return call(library, name, way) == NOT_SUPPORTED ? MISSING : ANSWERED;
}

// In a process of its own; 1 if it came back, and said that it is missing where it is.
static bool comes_back(void *library, const char *name, const struct way *way, bool is_missing)
{
    int status = 0;
    struct rusage usage;
    FILE *errors = tmpfile();
    fflush(stdout);
    pid_t child = tied_fork();
    if (child == 0) _exit(told(errors, library, name, way));
    if (errors == NULL || child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("every_call: no process for a call");
        exit(2);
    }
    int end = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const bool is_as_on_gpu = way->mix != 0 && is_named(errors);
    fclose(errors);
    if (usage.ru_maxrss > MOST_KIBIBYTES) {
        printf("%s, called with %s, took %ld KiB of memory\n", name, way->name, usage.ru_maxrss);
        return false;
    }
    if (is_as_on_gpu) return true;
    if (end == MISSING || (end == ANSWERED && !is_missing)) return true;
    if (end == ANSWERED)
        printf("%s is missing and, called with %s, does not return %d\n", name, way->name, NOT_SUPPORTED);
    else if (WIFSIGNALED(status))
        printf("%s, called with %s, ended the process (signal %d)\n", name, way->name, WTERMSIG(status));
    else
        printf("%s, called with %s, ended the process (status %d)\n", name, way->name, end);
    return false;
}

int main(int argc, char **argv)
{
    int failed = 0, names = 0, missing = 0;
    bool is_missing = 0;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "every_call: %s\n", argc > 1 ? dlerror() : "no library given");
        return 2;
    }
    // The address sanitizer ends a process at a wild address in its own way.
#ifdef __SANITIZE_ADDRESS__
    const int used_ways = WAYS - DRAWN_WAYS;
    printf("skipped: the values that are drawn, because of the address sanitizer\n");
#else
    const int used_ways = WAYS;
#endif
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            is_missing = true;
            continue;
        }
        names++, missing += is_missing;
        for (int way = 0; way < used_ways; way++)
            if (ways[way].mix == 0 ||
                strstr(argv[i], "HostFunc") == NULL) // a wrong function is the program's own fault
                failed += !comes_back(library, argv[i], &ways[way], is_missing);
    }
    printf("%d names, %d of them missing, each called in %d ways: %d calls failed\n", names, missing, used_ways,
           failed);
    return failed > 0 || names == 0;
}
