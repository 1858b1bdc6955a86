// SPDX-License-Identifier: MIT
// Included before every file of the suites. A test is TEST(name) { ... }, and is in the suite of its file: X of
// X_test.c. Of LOOP_TEST(name, from, past) { ... } there is one for each _i of from to past - 1.
//
// Check writes down at each assertion how far the test has come, to say it should the test crash: of a million
// assertions in a loop that is nearly all the time. Here a line is written down when a test first reaches it, each test
// being a process of its own.
#ifndef TMAREF_UNIT_TEST_H
#define TMAREF_UNIT_TEST_H

#include <check.h>

enum { TEST_MOST_NAME = 64 };

struct test {
    const char *file;
    void (*add)(TCase *tests);
    struct test *next;
    char suite[TEST_MOST_NAME]; // main.c finds it
};

// What a file wants, if it is not what files have: TEST_FILE(.seconds = 120), behind the functions that it names.
//   suite          that its tests belong to
//   seconds        that each of them may take: 60
//   once           called in the process that all tests of the file are copies of
//   before, after  called by each test
struct test_file {
    const char *file, *suite;
    int seconds;
    void (*once)(void), (*before)(void), (*after)(void);
    struct test_file *next;
};

// For the macros: the tests of a file, in its order.
void test_register(struct test *test);
void test_file_register(struct test_file *file);

// How many rows an array has.
#define ROWS_OF(table) (int)(sizeof(table) / sizeof((table)[0]))

#define TEST(name)                  TEST_ADDED(name, tcase_add_test(tests, name))
#define LOOP_TEST(name, from, past) TEST_ADDED(name, tcase_add_loop_test(tests, name, from, past))
// A row of tests: the call is all that it does.
#define TEST_CALL(name, ...)                                                                                           \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define TEST_ADDED(name, call)                                                                                         \
    static const TTest *name;                                                                                          \
    static void add_##name(TCase *tests)                                                                               \
    {                                                                                                                  \
        call;                                                                                                          \
    }                                                                                                                  \
    __attribute__((constructor)) static void register_##name(void)                                                     \
    {                                                                                                                  \
        static struct test registered = {.file = __FILE__, .add = add_##name};                                         \
        test_register(&registered);                                                                                    \
    }                                                                                                                  \
    START_TEST(name)

#define TEST_FILE(...)                                                                                                 \
    __attribute__((constructor)) static void register_file(void)                                                       \
    {                                                                                                                  \
        static struct test_file registered = {.file = __FILE__, __VA_ARGS__};                                          \
        test_file_register(&registered);                                                                               \
    }                                                                                                                  \
    struct test_file

enum { CHECK_ONCE_LINES = 512 }; // files have at most 500

static inline void check_once(const char *file, int line)
{
    static unsigned char reached[CHECK_ONCE_LINES];
    if (reached[line % CHECK_ONCE_LINES]) return;
    reached[line % CHECK_ONCE_LINES] = 1;
    _mark_point(file, line);
}

#define _mark_point(file, line) check_once(file, line)

#endif
