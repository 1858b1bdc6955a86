// SPDX-License-Identifier: MIT
// Device code in several parts, one after the other and all at once: lists of random parts, too many for a script.
// What else is linked is in images.calls.
#include "api.h"

enum { UNIT_BYTES = 2048, MOST_UNITS = 7, LISTS = 400 };
static uint32_t randoms = 1;

static uint32_t choose(uint32_t below)
{
    randoms = randoms * 1664525u + 1013904223u;
    return (randoms >> 8) % below;
}

// What a unit may have of a name; %s is the name.
static const char *const declarations[] = {
    "",
    ".visible .global .align 4 .u32 %s = 5;\n",
    ".extern .global .align 4 .u32 %s;\n",
    ".weak .global .align 4 .u32 %s;\n",
    ".visible .global .align 4 .b8 %s[8];\n",
    ".extern .global .align 4 .b8 %s[];\n",
    ".global .align 4 .u32 %s;\n",
    ".common .global .align 4 .u32 %s;\n",
    ".visible .func %s()\n{\nret;\n}\n",
    ".weak .func %s()\n{\nret;\n}\n",
    ".extern .func %s();\n",
    ".extern .func %s(.param .b32 a);\n",
    ".extern .func %s();\n.func of_%1$s()\n{\ncall %1$s;\nret;\n}\n",
};

static void make_unit(char unit[UNIT_BYTES])
{
    static const char *const names[] = {"first", "second", "third"};
    size_t used = (size_t)snprintf(unit, UNIT_BYTES, "%s", PTX_HEAD);
    for (int i = 0; i < 3; i++) {
        const char *form = declarations[choose(sizeof declarations / sizeof declarations[0])];
        for (const char *at = form; *at != '\0'; at++) {
            if (*at != '%') {
                unit[used++] = *at;
                continue;
            }
            used += (size_t)snprintf(unit + used, UNIT_BYTES - used, "%s", names[i]);
            at = strchr(at, 's');
        }
    }
    unit[used] = '\0';
}

static int add(struct CUlinkState_st *link, char *text)
{
    return (int)cuLinkAddData_v2(link, 1, text, strlen(text) + 1, "unit", 0, NULL, NULL);
}

// The first units of a list as one input.
static int add_together(char unit[][UNIT_BYTES], int count)
{
    static char text[MOST_UNITS * (UNIT_BYTES + 64)];
    struct CUlinkState_st *link;
    size_t used = 0;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ".tmaref_unit \"unit\";\n%s\n", unit[i]);
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    const int error = add(link, text);
    WORKS(cuLinkDestroy(link));
    return error;
}

// What is wrong between inputs is found as early as if all so far were looked at together.
SECTION(linked_one_by_one)
{
    static char unit[MOST_UNITS][UNIT_BYTES];
    int wrong = 0, right = 0;
    setenv("TMAREF_QUIET", "1", 1);
    api_ready();
    for (int list = 0; list < LISTS; list++) {
        struct CUlinkState_st *link;
        int error = 0;
        WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
        for (int i = 0; i < MOST_UNITS && error == 0; i++) {
            make_unit(unit[i]);
            error = add(link, unit[i]);
            REQUIRE(error == add_together(unit, i + 1));
            wrong += error != 0, right += error == 0;
        }
        WORKS(cuLinkDestroy(link));
    }
    REQUIRE(wrong > LISTS / 4 && right > LISTS);
}
