// SPDX-License-Identifier: MIT
#include "gpu_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "json.h"

void sim_told_ask(void)
{
    setenv("TMAREF_JSON", "1", 1);
}

bool sim_told_listen(void)
{
    int file = memfd_create("told", 0);
    if (file < 0) return false;
    bool ok = dup2(file, STDERR_FILENO) >= 0;
    close(file);
    return ok;
}

void sim_told_clear(void)
{
    if (ftruncate(STDERR_FILENO, 0) == 0) lseek(STDERR_FILENO, 0, SEEK_SET);
}

// What was kept, for the caller to free; NULL if that cannot be.
static char *kept(void)
{
    const off_t bytes = lseek(STDERR_FILENO, 0, SEEK_END);
    char *text = bytes < 0 ? NULL : calloc(1, (size_t)bytes + 1);
    if (text == NULL || pread(STDERR_FILENO, text, (size_t)bytes, 0) == bytes) return text;
    free(text);
    return NULL;
}

// A line that tells of a launch gives the result its rule, another nothing.
static void take(const char *line, struct result *result)
{
    json_error_t error;
    json_t *json = json_parse(line, strlen(line), &error);
    const char *rule = json_string_value(json_object_get(json, "rule"));
    const char *message = json_string_value(json_object_get(json, "message"));
    if (rule != NULL && message != NULL) {
        result->rule = rule_find(rule);
        snprintf(result->told, sizeof result->told, "%s", message);
    }
    json_decref(json);
}

void sim_told(struct result *result)
{
    char *text = kept(), *rest = text;
    for (char *line; text != NULL && (line = strsep(&rest, "\n")) != NULL;) take(line, result);
    free(text);
}
