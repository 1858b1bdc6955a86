// SPDX-License-Identifier: MIT
// What the suites of the PTX front end share: a text, opened.
#ifndef TMAREF_TESTS_PTX_TEST_H
#define TMAREF_TESTS_PTX_TEST_H

#include <check.h>
#include <string.h>

#include "ptx.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"

struct opened {
    struct ptx_module *module;
    const struct ptx_program *program;
    struct ptx_errors errors;
};

static inline struct opened open_text(const char *text)
{
    struct opened opened = {0};
    opened.module = ptx_open(text, strlen(text), (struct ptx_limits){0}, &opened.errors);
    ck_assert_ptr_nonnull(opened.module);
    opened.program = ptx_program(opened.module);
    return opened;
}

#endif
