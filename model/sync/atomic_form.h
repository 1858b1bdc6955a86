// SPDX-License-Identifier: MIT
// What red and atom do to integers in shared memory, one row each, for C and CUDA. What they leave: atomic.h.
#ifndef TMAREF_ATOMIC_FORM_H
#define TMAREF_ATOMIC_FORM_H

// X(id, PTX, bytes, does red have it too). `cas` compares with a second operand.
#define ATOMIC_FUNCTIONS(X)                                                                                            \
    X(ADD_U32, "add.u32", 4, 1)                                                                                        \
    X(MIN_U32, "min.u32", 4, 1)                                                                                        \
    X(MAX_U32, "max.u32", 4, 1)                                                                                        \
    X(MIN_S32, "min.s32", 4, 1)                                                                                        \
    X(MAX_S32, "max.s32", 4, 1)                                                                                        \
    X(INC_U32, "inc.u32", 4, 1)                                                                                        \
    X(DEC_U32, "dec.u32", 4, 1)                                                                                        \
    X(AND_B32, "and.b32", 4, 1)                                                                                        \
    X(OR_B32, "or.b32", 4, 1)                                                                                          \
    X(XOR_B32, "xor.b32", 4, 1)                                                                                        \
    X(ADD_U64, "add.u64", 8, 1)                                                                                        \
    X(EXCH_B32, "exch.b32", 4, 0)                                                                                      \
    X(EXCH_B64, "exch.b64", 8, 0)                                                                                      \
    X(CAS_B32, "cas.b32", 4, 0)                                                                                        \
    X(CAS_B64, "cas.b64", 8, 0)

#define ATOMIC_ENUMERATOR(id, ptx, bytes, is_red) ATOMIC_##id,
enum atomic_function { ATOMIC_FUNCTIONS(ATOMIC_ENUMERATOR) ATOMIC_FUNCTION_COUNT };
#undef ATOMIC_ENUMERATOR

#endif
