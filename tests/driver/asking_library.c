// SPDX-License-Identifier: MIT
// A library that asks the driver for its private interface, as those do that carry the static runtime.
#include "cuda_api.h"

int ask(void);
int ask(void)
{
    const void *table = NULL;
    const int error = (int)cuGetExportTable(&table, NULL);
    return table == NULL ? error : 0; // not a tail call: the driver looks at where it returns to
}
