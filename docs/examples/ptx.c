// SPDX-License-Identifier: MIT
// The front end of PTX: what is wrong with this text, and what does it consist of once it is right?
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

static const char head[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry kernel(.param .u64 from)\n{\n"
                           "    .reg .b64 %rd<3>;\n    .reg .b32 %r<3>;\n"
                           "    ld.param.u64 %rd1, [from];\n";

// Reads a kernel whose last instruction is `last`; returns how many instructions it has, 0 if there are errors.
static unsigned read_kernel(const char *last)
{
    char text[1024];
    const struct tmaref_ptx_limits limits = {1 << 20};
    struct tmaref_ptx_errors errors = {0};
    unsigned instructions = 0;
    snprintf(text, sizeof text, "%s    %s\n    ret;\n}\n", head, last);
    struct tmaref_ptx_module *module = tmaref_ptx_open(text, strlen(text), limits, &errors);
    if (module == NULL) return 0;
    int kernel = tmaref_ptx_function_find(module, "kernel");
    if (errors.count == 0 && kernel >= 0) tmaref_ptx_decode(module, (uint32_t)kernel, &errors);
    for (uint32_t i = 0; i < errors.count && i < TMAREF_PTX_MOST_ERRORS; i++)
        printf("line %u, column %u: %s %s\n", errors.item[i].line, errors.item[i].column, errors.item[i].message,
               errors.item[i].advice);

    const struct tmaref_ptx_program *program = tmaref_ptx_program(module);
    for (uint32_t i = 0; errors.count == 0 && i < program->ops; i++, instructions++)
        printf("    %.*s\n", (int)program->op[i].spelling.length, program->op[i].spelling.at);
    tmaref_ptx_close(module);
    return instructions;
}

int main(void)
{
    unsigned wrong = read_kernel("cp.async.bulk.prefetch.L3.global [%rd1], 16;");
    unsigned right = read_kernel("cp.async.bulk.prefetch.L2.global [%rd1], 16;");
    return wrong == 0 && right == 3 ? 0 : 1;
}
