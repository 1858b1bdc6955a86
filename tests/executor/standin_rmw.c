// SPDX-License-Identifier: MIT
// The kernels of rmw.cu of the stand-in GPU: the model from the bytes of struct rmw_job, and the kernel's name.
#include <stdio.h>
#include <string.h>

#include "rmw_model.h"
#include "standin.h"

static const char *const forms[] = {
#define FORM(id, name, is_bulk) #name,
    RMW_FORMS_LIST(FORM)
#undef FORM
};
static const char *const types[] = {
#define TYPE(id, name, ctype, bytes) #name,
    RMW_TYPES_LIST(TYPE)
#undef TYPE
};

// Is the kernel that runs the one of this form and type, with either issuer?
static int is_kernel(int form, int type)
{
    char start[80];
    int length = snprintf(start, sizeof start, "rmw_%s_%s_", forms[form], types[type]);
    const char *name = standin_kernel();
    if (strncmp(name, start, (size_t)length) != 0) return 0;
    return strcmp(name + length, "elected") == 0 || strcmp(name + length, "thread0") == 0;
}

enum rule rmw_kernels(void **parameters)
{
    struct rmw_job job;
    memcpy(&job, parameters[0], sizeof job);
    meet_trouble(job.count);
    for (int form = 0; form < RMW_FORMS; form++)
        for (int type = 0; type < RMW_TYPES; type++) {
            if (!is_kernel(form, type)) continue;
            uint64_t bytes = job.count * rmw_element_bytes((enum rmw_type)type);
            const struct memory global = {(uint8_t *)(uintptr_t)job.data, job.data, bytes};
            return rmw_model((enum rmw_form)form, (enum rmw_type)type, standin_config()->block_x, &job, &global);
        }
    return RULE_COUNT;
}
