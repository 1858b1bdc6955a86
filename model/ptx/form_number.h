// SPDX-License-Identifier: MIT
// The rows of forms.def by their names. Apart from form.h: who names no row need not be compiled again for a new one.
#ifndef TMAREF_PTX_FORM_NUMBER_H
#define TMAREF_PTX_FORM_NUMBER_H

enum ptx_form_number {
#define FORM(name) PTX_FORM_##name,
#include "form_ids.def"
#undef FORM
    PTX_FORMS
};

#endif
