// SPDX-License-Identifier: MIT
// Runs the Check suites named on the command line, or all of them: the files of tests have registered them
// (unit_test.h). With CK_FORK=no everything runs in one process, as a debugger likes it.
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tied_fork.h"
#include "unit_test.h"

// --- What is registered ----------------------------------------------------------------------------------------------

static struct test *first_test, **last_test = &first_test;
static struct test_file *files;

void test_register(struct test *test)
{
    *last_test = test;
    last_test = &test->next;
}

void test_file_register(struct test_file *file)
{
    file->next = files;
    files = file;
}

static struct test_file file_of(const struct test *test)
{
    for (const struct test_file *file = files; file != NULL; file = file->next)
        if (strcmp(file->file, test->file) == 0) return *file;
    return (struct test_file){.file = test->file};
}

// .../X_test.c is of the suite X, if it does not say another.
static void name_suite(struct test *test)
{
    const struct test_file file = file_of(test);
    const char *slash = strrchr(file.file, '/'), *stem = slash == NULL ? file.file : slash + 1;
    const char *end = strstr(stem, "_test.c");
    if (file.suite != NULL)
        snprintf(test->suite, sizeof test->suite, "%s", file.suite);
    else
        snprintf(test->suite, sizeof test->suite, "%.*s", (int)(end == NULL ? strlen(stem) : (size_t)(end - stem)),
                 stem);
}

static bool is_first_of_suite(const struct test *test)
{
    const struct test *first = first_test;
    while (strcmp(first->suite, test->suite) != 0) first = first->next;
    return first == test;
}

// --- Suites ----------------------------------------------------------------------------------------------------------

static TCase *tests_of(const struct test *test)
{
    const struct test_file file = file_of(test);
    const char *slash = strrchr(file.file, '/');
    TCase *tests = tcase_create(slash == NULL ? file.file : slash + 1);
    if (file.seconds > 0) tcase_set_timeout(tests, file.seconds);
    if (file.once != NULL) tcase_add_unchecked_fixture(tests, file.once, NULL);
    if (file.before != NULL || file.after != NULL) tcase_add_checked_fixture(tests, file.before, file.after);
    return tests;
}

// NULL if no test is of it.
static Suite *suite_make(const char *name)
{
    Suite *suite = NULL;
    TCase *tests = NULL;
    const char *file = "";
    for (const struct test *test = first_test; test != NULL; test = test->next) {
        if (strcmp(test->suite, name) != 0) continue;
        if (suite == NULL) suite = suite_create(name);
        if (strcmp(test->file, file) != 0) suite_add_tcase(suite, tests = tests_of(test));
        file = test->file;
        test->add(tests);
    }
    return suite;
}

static int refuse(const char *wrong)
{
    fprintf(stderr, "unit: there is no suite '%s'; the suites are:", wrong);
    for (const struct test *test = first_test; test != NULL; test = test->next)
        if (is_first_of_suite(test)) fprintf(stderr, " %s", test->suite);
    fprintf(stderr, "\n");
    return 2;
}

// --- The program -----------------------------------------------------------------------------------------------------

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
    for (struct test *test = first_test; test != NULL; test = test->next) name_suite(test);
    SRunner *runner = srunner_create(NULL);
    for (int i = 1; i < argc; i++) {
        Suite *suite = suite_make(argv[i]);
        if (suite == NULL) return refuse(argv[i]);
        srunner_add_suite(runner, suite);
    }
    for (const struct test *test = argc == 1 ? first_test : NULL; test != NULL; test = test->next)
        if (is_first_of_suite(test)) srunner_add_suite(runner, suite_make(test->suite));
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
