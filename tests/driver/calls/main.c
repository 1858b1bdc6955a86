// SPDX-License-Identifier: MIT
// usage: calls [--real | --tell] SECTION SCRIPT... Runs a section of the last script; what the scripts before it
// declare it has too. --all in place of a section runs all of them, and names those that fail. --real is for NVIDIA's
// libraries: it goes on after what differs, takes no notice of what is printed on standard error, and ends without
// them, for after a fault they may not come to an end. --tell prints each call that is checked, and what it returned.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "tied_fork.h"

enum { SECONDS = 60 };

static char *headers(void)
{
    FILE *file = fopen(API_TEXT, "r");
    char *text = NULL;
    size_t room = 0;
    if (file == NULL || getdelim(&text, &room, '\0', file) < 0) {
        printf("calls: cannot read %s\n", API_TEXT);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return text;
}

// Each in a process of its own. Returns how many failed.
static int run_all(void)
{
    int failed = 0, status;
    const char *name;
    for (size_t i = 0; (name = script_section(i)) != NULL; i++) {
        const int child = tied_fork();
        if (child == 0) {
            alarm(SECONDS);
            exit(script_run(name) ? EXIT_SUCCESS : EXIT_FAILURE);
        }
        if (child > 0 && waitpid(child, &status, 0) == child && status == 0) continue;
        printf("section %s failed%s\n", name, WIFSIGNALED(status) ? ", by a signal" : "");
        failed++;
    }
    return failed;
}

int main(int count, char **argument)
{
    is_real = count > 1 && strcmp(argument[1], "--real") == 0;
    is_telling = count > 1 && strcmp(argument[1], "--tell") == 0;
    argument += is_real || is_telling, count -= is_real || is_telling;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (count < 3) return puts("usage: calls [--real | --tell] SECTION SCRIPT..."), EXIT_FAILURE;
    const bool is_all = strcmp(argument[1], "--all") == 0;
    if (!is_all) alarm(SECONDS);
    invoke_begin();
    char *text = headers();
    type_read_headers(text);
    free(text);
    for (int i = 2; i < count; i++) script_read(argument[i]);
    if (is_all) return run_all() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    if (script_listens()) host_begin();
    if (!script_run(argument[1])) return printf("calls: there is no section %s\n", argument[1]), EXIT_FAILURE;
    if (is_real) _exit(EXIT_SUCCESS);
    return EXIT_SUCCESS;
}
