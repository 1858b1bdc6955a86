// SPDX-License-Identifier: MIT
// What scripts have of the host: text that is printed, what was printed on standard error, and functions that the API
// calls. Scripts declare those (common.calls) as they declare functions of the C library.
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "tied_fork.h"

void nothing(void *user);
void count_call(void *user);
size_t quarter_kibibyte_a_thread(int threads);
void count_callback(void *stream, int error, void *user);
int called(void);
void add_one(void *user);
void forget_calls(void);
void api_fail(void);
int tied_child(void);

void nothing(void *user)
{
    (void)user;
}

void add_one(void *user)
{
    ++*(int *)user;
}

int tied_child(void)
{
    return tied_fork();
}

static int calls;

size_t quarter_kibibyte_a_thread(int threads)
{
    return 256 * (size_t)threads;
}

void count_call(void *user)
{
    calls += *(int *)user;
}

void count_callback(void *stream, int error, void *user)
{
    (void)stream;
    calls += error == 0 ? *(int *)user : 1000;
}

int called(void)
{
    return calls;
}

void forget_calls(void)
{
    calls = 0;
}

// For api/fatbin.c.
void api_fail(void)
{
    exit(EXIT_FAILURE);
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

bool host_call(const char *name, struct value *argument, int count, struct value *result)
{
    if (strcmp(name, "print") != 0) return false;
    print(argument, count);
    *result = value_number(0, &type_long);
    return true;
}
