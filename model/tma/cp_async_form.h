// SPDX-License-Identifier: MIT
// The forms of cp.async: a list that the model and the kernels share, so this header includes nothing. What they do is
// in operation.h.
#ifndef TMAREF_CP_ASYNC_FORM_H
#define TMAREF_CP_ASYNC_FORM_H

enum cp_async_form {
    CP_ASYNC_WHOLE,      // [dst], [src], cp-size
    CP_ASYNC_SRC_SIZE,   // ..., src-size
    CP_ASYNC_IGNORE_SRC, // ..., ignore-src
    CP_ASYNC_FORMS
};

#endif
