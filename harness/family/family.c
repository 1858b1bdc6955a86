// SPDX-License-Identifier: MIT
#include "family.h"

#include <stdlib.h>
#include <string.h>

#include "field.h"

#define FAMILY(name, live, fault) extern const struct family family_##name;
#include "families.def"
#undef FAMILY

const struct family *const families[] = {
#define FAMILY(name, live, fault) &family_##name,
#include "families.def"
#undef FAMILY
    NULL,
};

const struct family *family_find(const char *name)
{
    for (int i = 0; families[i] != NULL; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

json_t *family_write(const struct family *family, const void *test_case)
{
    return fields_write(family->fields, test_case);
}

int family_read_recorded(const struct family *family, const json_t *json, void *test_case, struct text *why)
{
    return fields_read(family->fields, json, test_case, why);
}

int family_read(const struct family *family, const json_t *json, void *test_case, struct text *why)
{
    if (!family_read_recorded(family, json, test_case, why)) return 0;
    const char *undecided = family->undecided != NULL ? family->undecided(test_case) : NULL;
    if (undecided != NULL) text_set(why, "%s case: %s", family->name, undecided);
    return undecided == NULL;
}

enum rule family_rule(const struct family *family, const void *test_case)
{
    uint8_t *scratch = malloc(family->result_bytes(test_case) + 16);
    struct result result = {.free_bytes = scratch};
    if (scratch == NULL) return RULE_OK;
    family->run_model(test_case, &result);
    free(scratch);
    return result.rule;
}

int family_is_fatal(enum rule rule)
{
    enum outcome outcome = rule_row(rule)->sm_90a;
    return outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}
