// SPDX-License-Identifier: MIT
#include "near_lists.h"

#include <stddef.h>

#include "executor.h"
#include "family.h"
#include "rule.h"
#include "runnable.h"

const char *near_family(int i)
{
    return families[i] == NULL ? NULL : families[i]->name;
}

const char *near_executor(int i)
{
    return executors[i] == NULL ? NULL : executors[i]->name;
}

const char *near_kernel(int i)
{
    return runnables[i].name;
}

const char *near_rule(int i)
{
    return RULE_OK + 1 + i < rule_count() ? rule_row((enum rule)(RULE_OK + 1 + i))->id : NULL;
}
