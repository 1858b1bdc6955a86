// SPDX-License-Identifier: MIT
// What scripts have of the host: text that is printed, what was printed on standard error, files, and words that other
// threads read and write.
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "tied_fork.h"

void nothing(void *user);
void add_one(void *user);
void set_word(void *at, uint32_t value);
void set_long(void *at, uint64_t value);
uint32_t get_word(const void *at);
uint64_t get_long(const void *at);
void set_soon(int milliseconds, void *at);
void api_fail(void);
int tied_child(void);

void nothing(void *user)
{
    (void)user;
}

void add_one(void *user)
{
    __atomic_fetch_add((int *)user, 1, __ATOMIC_SEQ_CST);
}

// What the kernels of another thread read and write too.
void set_word(void *at, uint32_t value)
{
    __atomic_store_n((uint32_t *)at, value, __ATOMIC_RELEASE);
}

void set_long(void *at, uint64_t value)
{
    __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);
}

uint32_t get_word(const void *at)
{
    return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

uint64_t get_long(const void *at)
{
    return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

struct soon {
    int milliseconds;
    void *at;
};

static void *set_then(void *of)
{
    const struct soon *soon = of;
    usleep((useconds_t)soon->milliseconds * 1000);
    set_word(soon->at, 1);
    return NULL;
}

// A thread that sets a word to 1 in a moment.
void set_soon(int milliseconds, void *at)
{
    pthread_t thread;
    struct soon *soon = keep(sizeof *soon);
    *soon = (struct soon){milliseconds, at};
    if (pthread_create(&thread, NULL, set_then, soon) != 0 || pthread_detach(thread) != 0) fail("no thread");
}

int tied_child(void)
{
    return tied_fork();
}

// For api/fatbin.c.
void api_fail(void)
{
    exit(EXIT_FAILURE);
}

char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *all = NULL;
    size_t room = 0;
    if (file == NULL) fail("%s cannot be read", path);
    const ssize_t bytes = getdelim(&all, &room, '\0', file);
    char *text = keep_text(all, bytes > 0 ? (size_t)bytes : 0);
    free(all);
    fclose(file);
    return text;
}

static FILE *told;
static long told_until;

void host_begin(void)
{
    told = tmpfile();
    if (told == NULL || dup2(fileno(told), STDERR_FILENO) < 0) fail("standard error cannot be kept");
}

bool said(const char *text)
{
    static char all[65536];
    fseek(told, told_until, SEEK_SET);
    all[fread(all, 1, sizeof all - 1, told)] = '\0';
    told_until = ftell(told);
    if (text == NULL ? all[0] == '\0' : strstr(all, text) != NULL) return true;
    printf("on standard error there is:\n%s\n", all);
    return false;
}

// One conversion, as printf has it: %d, %5u, %zu, %llx, %.12s.
static const char *print_one(const char *format, struct value value)
{
    char own[32];
    size_t length = strspn(format, "%-+ #0123456789.");
    const char *end = format + length + strspn(format + length, "hlzj");
    snprintf(own, sizeof own, "%.*s%s%c", (int)length, format, strchr("sfgec", *end) != NULL ? "" : "ll", *end);
    if (*end == 's')
        printf(own, (const char *)(uintptr_t)value.number);
    else if (strchr("fge", *end) != NULL)
        printf(own, value.real);
    else if (*end == 'c')
        printf(own, (int)value.number);
    else
        printf(own, (long long)value.number);
    return end + 1;
}

static void print(struct value *argument, int count)
{
    const char *at = count > 0 ? (const char *)(uintptr_t)argument[0].number : "";
    for (int next = 1; *at != '\0';) {
        if (*at != '%' || at[1] == '%') {
            putchar(*at);
            at += *at == '%' ? 2 : 1;
            continue;
        }
        if (next == count) fail("print has more %% than values");
        at = print_one(at, argument[next++]);
    }
}

// Are two texts the same? What is compared is printed if not.
static bool same(const char *got, const char *wanted)
{
    const bool is = strcmp(got, wanted) == 0;
    if (!is) printf("    it is \"%s\", not \"%s\"\n", got, wanted);
    return is;
}

// Of an expression that is a text.
static struct value value_of(const char *expression_text)
{
    const struct word word_was = word;
    const char *const text_was = where_text;
    where_text = expression_text;
    lex_from(expression_text);
    const struct value value = expression();
    if (word.kind != WORD_END) fail("nothing more should be here");
    where_text = text_was;
    word = word_was;
    return value;
}

bool host_call(const char *name, struct value *argument, int count, struct value *result)
{
    *result = value_number(0, &type_int);
    if (strcmp(name, "print") == 0)
        print(argument, count);
    else if (strcmp(name, "same") == 0 && count == 2)
        result->number = same((const char *)(uintptr_t)argument[0].number, (const char *)(uintptr_t)argument[1].number);
    else if (strcmp(name, "value_of") == 0 && count == 1)
        *result = value_of((const char *)(uintptr_t)argument[0].number);
    else
        return false;
    return true;
}
