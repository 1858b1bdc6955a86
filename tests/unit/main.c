// SPDX-License-Identifier: MIT
// Runs the Check suites named on the command line, or all of them. The list of suites is in tests/CMakeLists.txt;
// suite X is the function X_suite(). With CK_FORK=no everything runs in one process, as a debugger likes it.
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tied_fork.h"

#define X(name) Suite *name##_suite(void);
UNIT_SUITES
#undef X

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
#define X(name) {#name, name##_suite},
    UNIT_SUITES
#undef X
};
enum { SUITES = sizeof suites / sizeof suites[0] };

static int suite_find(const char *name)
{
    for (int i = 0; i < SUITES; i++)
        if (strcmp(suites[i].name, name) == 0) return i;
    return -1;
}

static int refuse(const char *name)
{
    fprintf(stderr, "unit: there is no suite '%s'; the suites are:", name);
    for (int i = 0; i < SUITES; i++) fprintf(stderr, " %s", suites[i].name);
    fprintf(stderr, "\n");
    return 2;
}

// A busy machine makes a test slow, not wrong: where a time limit is left, it is for tests that hang.
static void set_time_limits(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    setenv("CK_TIMEOUT_MULTIPLIER", "8", 0);
}

int main(int argc, char **argv)
{
    set_time_limits();
    pthread_atfork(NULL, NULL, tie_to_parent); // the processes of Check, and their own
    SRunner *runner = srunner_create(NULL);
    for (int i = 1; i < argc; i++) {
        int suite = suite_find(argv[i]);
        if (suite < 0) return refuse(argv[i]);
        srunner_add_suite(runner, suites[suite].make());
    }
    for (int i = 0; argc == 1 && i < SUITES; i++) srunner_add_suite(runner, suites[i].make());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
