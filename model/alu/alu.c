// SPDX-License-Identifier: MIT
#include <string.h>

#include "environment.h"
#include "span.h"
#include "table.h"

#define ALU_TABLE(file) &file,
static const struct alu_rows *const portable[] = {ALU_FILES(ALU_TABLE) NULL};

#ifdef ALU_HAS_AVX2
#define ALU_TABLE_AVX2(file) &file##_avx2,
static const struct alu_rows *const avx2[] = {ALU_FILES(ALU_TABLE_AVX2) NULL};
#endif

static bool row_fits(const struct alu_row *row, const char *form, const struct ptx_choice *choice)
{
    return strcmp(row->form, form) == 0 && (row->type == PTX_TYPE_NONE || row->type == choice->type[0]) &&
           (row->second == PTX_TYPE_NONE || row->second == choice->type[1]);
}

static alu_function *find(const struct alu_rows *const *tables, const struct ptx_choice *choice)
{
    const char *form = ptx_form_row(choice->form)->name;
    for (; *tables != NULL; tables++)
        for (size_t i = 0; i < (*tables)->count; i++)
            if (row_fits(&(*tables)->row[i], form, choice)) return (*tables)->row[i].function;
    return NULL;
}

alu_function *alu_find_portable(const struct ptx_choice *choice)
{
    return find(portable, choice);
}

#ifdef ALU_HAS_AVX2
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

alu_function *alu_find(const struct ptx_choice *choice)
{
#ifdef ALU_HAS_AVX2
    if (has_avx2()) return find(avx2, choice);
#endif
    return find(portable, choice);
}

const struct alu_span *alu_span(void)
{
#ifdef ALU_HAS_AVX2
    if (has_avx2()) return &alu_span_of_avx2;
#endif
    return &alu_span_of;
}

void alu_environment_enter(struct alu_environment *environment)
{
#if defined __x86_64__
    environment->control = _mm_getcsr();
    _mm_setcsr(MXCSR_PLAIN);
#else
    fegetenv(&environment->before);
    fesetenv(FE_DFL_ENV);
#endif
}

void alu_environment_leave(const struct alu_environment *environment)
{
#if defined __x86_64__
    _mm_setcsr(environment->control);
#else
    fesetenv(&environment->before);
#endif
}
