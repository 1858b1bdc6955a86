// SPDX-License-Identifier: MIT
#include "sanitize_needs.h"

#include "barrier.h"
#include "form_number.h"
#include "sanitize_known.h"
#include "sanitize_lanes.h"

static bool is_followed(const struct sanitize_ran *ran, uint16_t form)
{
    const struct sanitize_known *row = sanitize_known_row(ran->row[form]);
    return row == NULL || row->level != SANITIZE_NOT;
}

static bool is_in(uint16_t form, uint16_t first, uint16_t last)
{
    return form >= first && form <= last;
}

static bool releases(const struct ptx_choice *choice)
{
    const uint16_t form = choice->form;
    return is_in(form, PTX_FORM_MEMBAR, PTX_FORM_FENCE_PROXY_TENSORMAP_ACQUIRE) ||
           is_in(form, PTX_FORM_MBARRIER_INIT, PTX_FORM_CP_ASYNC_MBARRIER_ARRIVE) ||
           is_in(form, PTX_FORM_CP_ASYNC_BULK_COMMIT_GROUP, PTX_FORM_TENSOR_REDUCE_IM2COL) ||
           is_in(choice->word[PTX_CLASS_ORDER], PTX_ACQUIRE, PTX_SC);
}

// A relaxed one, whose scope reaches all threads of who shares the memory.
static bool is_plain_atomic(const struct ptx_choice *choice)
{
    const int order = choice->word[PTX_CLASS_ORDER], scope = choice->word[PTX_CLASS_SCOPE];
    const bool is_near = choice->spaces > 0 && (choice->space[0] == PTX_SHARED || choice->space[0] == PTX_SHARED_CTA);
    return is_in(choice->form, PTX_FORM_ATOM_ADD, PTX_FORM_ATOM_CAS) &&
           (order == PTX_WORD_NONE || order == PTX_RELAXED) &&
           (is_near || scope == PTX_WORD_NONE || scope == PTX_GPU || scope == PTX_SYS);
}

static bool needs_cells(const struct machine_code *code)
{
    const uint16_t form = code->choice->form;
    return is_in(form, PTX_FORM_MAPA, PTX_FORM_GETCTARANK) || is_in(form, PTX_FORM_LD_VOLATILE, PTX_FORM_LD_MMIO) ||
           is_in(form, PTX_FORM_ST_VOLATILE, PTX_FORM_ST_ASYNC) ||
           (is_in(form, PTX_FORM_ATOM_ADD, PTX_FORM_RED_ASYNC_BITS) && !is_plain_atomic(code->choice)) ||
           (is_in(form, PTX_FORM_BAR_SYNC, PTX_FORM_BARRIER_CTA_RED) && !machine_barrier_is_of_all(code)) ||
           is_in(form, PTX_FORM_BARRIER_CLUSTER_ARRIVE, PTX_FORM_BARRIER_CLUSTER_WAIT) ||
           is_in(form, PTX_FORM_MBARRIER_INIT, PTX_FORM_TENSORMAP_CP_FENCEPROXY) ||
           is_in(form, PTX_FORM_WGMMA_FENCE, PTX_FORM_WGMMA_B1_R);
}

static void add(struct sanitize_needs *needs, const struct sanitize_ran *ran, const struct machine_code *code)
{
    if (code->choice == NULL) return; // what the decoder adds to an instruction
    const uint16_t form = code->choice->form;
    needs->products |= form >= PTX_FORM_WGMMA_FENCE && form <= PTX_FORM_WGMMA_B1_R;
    needs->tensors |= form >= PTX_FORM_TENSOR_LOAD && form <= PTX_FORM_TENSOR_PREFETCH_IM2COL;
    needs->releases |= releases(code->choice);
    needs->together |= !is_followed(ran, form) ||
                       (form >= PTX_FORM_TENSORMAP_REPLACE_ADDRESS && form <= PTX_FORM_TENSORMAP_CP_FENCEPROXY);
    needs->cells |= releases(code->choice) || needs_cells(code);
    needs->plain |= code->kind == MACHINE_PLAIN && (sanitize_lanes_meet(form) || !is_followed(ran, form));
}

struct sanitize_needs sanitize_needs_of(const struct machine_kernel *kernel)
{
    struct sanitize_needs needs = {kernel == NULL, kernel == NULL, kernel == NULL,
                                   kernel == NULL, kernel == NULL, kernel == NULL};
    struct sanitize_ran ran;
    sanitize_ran_open(&ran);
    for (uint32_t i = 0; kernel != NULL && i < kernel->functions; i++) {
        const struct machine_function *function = kernel->function[i];
        for (uint32_t k = 0; function != NULL && k < function->codes; k++) add(&needs, &ran, &function->code[k]);
    }
    needs.plain |= needs.products;
    return needs;
}
