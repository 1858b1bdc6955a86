// SPDX-License-Identifier: MIT
// What bulk operations there are: lists that the model and the kernels share, so this header includes nothing. What the
// operations do is in bulk.h.
#ifndef TMAREF_BULK_OP_H
#define TMAREF_BULK_OP_H

// Every operation and type that cp.reduce.async.bulk takes: the model's names, each followed by PTX's. The lists
// ANYWHERE hold for every destination, and for red.async; the other for global memory alone.
#define BULK_REDUCTIONS_ANYWHERE_32(ROW)                                                                               \
    ROW(ADD, "add", UINT32, "u32")                                                                                     \
    ROW(ADD, "add", INT32, "s32")                                                                                      \
    ROW(MIN, "min", UINT32, "u32")                                                                                     \
    ROW(MIN, "min", INT32, "s32")                                                                                      \
    ROW(MAX, "max", UINT32, "u32")                                                                                     \
    ROW(MAX, "max", INT32, "s32")                                                                                      \
    ROW(INC, "inc", UINT32, "u32")                                                                                     \
    ROW(DEC, "dec", UINT32, "u32")                                                                                     \
    ROW(AND, "and", UINT32, "b32")                                                                                     \
    ROW(OR, "or", UINT32, "b32")                                                                                       \
    ROW(XOR, "xor", UINT32, "b32")

#define BULK_REDUCTIONS_ANYWHERE(ROW) BULK_REDUCTIONS_ANYWHERE_32(ROW) ROW(ADD, "add", UINT64, "u64")

#define BULK_REDUCTIONS_GLOBAL(ROW)                                                                                    \
    ROW(ADD, "add", FLOAT32, "f32")                                                                                    \
    ROW(ADD, "add", FLOAT64, "f64")                                                                                    \
    ROW(ADD, "add.noftz", FLOAT16, "f16")                                                                              \
    ROW(ADD, "add.noftz", BFLOAT16, "bf16")                                                                            \
    ROW(MIN, "min", UINT64, "u64")                                                                                     \
    ROW(MIN, "min", INT64, "s64")                                                                                      \
    ROW(MIN, "min", FLOAT16, "f16")                                                                                    \
    ROW(MIN, "min", BFLOAT16, "bf16")                                                                                  \
    ROW(MAX, "max", UINT64, "u64")                                                                                     \
    ROW(MAX, "max", INT64, "s64")                                                                                      \
    ROW(MAX, "max", FLOAT16, "f16")                                                                                    \
    ROW(MAX, "max", BFLOAT16, "bf16")                                                                                  \
    ROW(AND, "and", UINT64, "b64")                                                                                     \
    ROW(OR, "or", UINT64, "b64")                                                                                       \
    ROW(XOR, "xor", UINT64, "b64")

// A number for each of them, BULK_ADD_UINT32 and so on.
enum bulk_reduction_id {
#define BULK_ID(op, op_ptx, dtype, type_ptx) BULK_##op##_##dtype,
    BULK_REDUCTIONS_ANYWHERE(BULK_ID) BULK_REDUCTIONS_GLOBAL(BULK_ID)
#undef BULK_ID
        BULK_REDUCTIONS
};

// From where to where, seen from the CTA that issues. OTHER is another CTA of the cluster.
enum bulk_form {
    BULK_GLOBAL_TO_SHARED,
    BULK_GLOBAL_TO_OTHER,
    BULK_SHARED_TO_GLOBAL,
    BULK_SHARED_TO_OWN, // its own shared memory, by a shared::cluster address
    BULK_SHARED_TO_OTHER,
    BULK_REGISTERS_TO_OTHER, // st.async and red.async
    BULK_FORMS
};

#endif
