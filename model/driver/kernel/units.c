// SPDX-License-Identifier: MIT
#include "units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 200 };
static const char directive[] = ".tmaref_unit";

// A name as a string of PTX may be: in one line, without the marks that end it.
static void put_head(char *head, size_t bytes, const char *name)
{
    char plain[MOST_NAME + 1] = {0};
    strncpy(plain, name, MOST_NAME);
    for (char *at = plain; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\') *at = '_';
    snprintf(head, bytes, "%s \"%s\";\n", directive, plain);
}

bool units_is(const char *text)
{
    return strncmp(text, directive, sizeof directive - 1) == 0;
}

bool units_has(const struct units *units, const char *name)
{
    char head[MOST_NAME + 32];
    put_head(head, sizeof head, name);
    return units->text != NULL && strstr(units->text, head) != NULL;
}

bool units_add(struct units *units, const char *name, const char *ptx, size_t bytes)
{
    char head[MOST_NAME + 32] = "";
    if (!units_is(ptx)) put_head(head, sizeof head, name);
    const size_t head_bytes = strlen(head), more = head_bytes + bytes + 1;
    char *text = realloc(units->text, units->bytes + more + 1);
    if (text == NULL) return false;
    memcpy(text + units->bytes, head, head_bytes);
    memcpy(text + units->bytes + head_bytes, ptx, bytes);
    memcpy(text + units->bytes + more - 1, "\n", 2);
    *units = (struct units){text, units->bytes + more};
    return true;
}
