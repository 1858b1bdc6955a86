// SPDX-License-Identifier: MIT
#include "section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct section *sections;

const struct section *section_find(const char *name)
{
    const struct section *section = sections;
    while (section != NULL && strcmp(section->name, name) != 0) section = section->next;
    return section;
}

void section_register(struct section *section)
{
    if (section_find(section->name) != NULL) {
        printf("two sections have the name %s\n", section->name);
        abort();
    }
    section->next = sections;
    sections = section;
}
