// SPDX-License-Identifier: MIT
#include "exec_expect.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "score.h"

static const char *const words[] = {"fails", "skip", NULL};

bool exec_expect(struct exec_expectation *expectation, const char *program, struct text *why)
{
    const char *base = strrchr(program, '/'), *reason;
    if (expectation->test == NULL) expectation->test = base != NULL ? base + 1 : program;
    if (expectation->file == NULL) return true;
    struct expectations *file = expectations_read(expectation->file, words, why);
    if (file == NULL) return false;
    const char *verdict = expectations_of(file, expectation->test, &reason);
    if (verdict != NULL) expectation->verdict = strcmp(verdict, "skip") == 0 ? EXEC_SKIPPED : EXEC_FAILS;
    text_set(&expectation->reason, "%s", reason);
    expectations_free(file);
    return true;
}

int exec_expected_status(const struct exec_expectation *expectation, int status)
{
    if (expectation->verdict != EXEC_FAILS) return status;
    if (status == 0) {
        fprintf(stderr, "tmaref exec: %s passes, though %s says that it fails: take its line out\n", expectation->test,
                expectation->file);
        return EXIT_MISMATCH;
    }
    fprintf(stderr, "tmaref exec: %s fails with status %d, as expected: %s\n", expectation->test, status,
            expectation->reason.at);
    return EXIT_AGREE;
}
