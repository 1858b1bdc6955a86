// SPDX-License-Identifier: MIT
// How the tables *_names.def of cuBLAS, cuSOLVER and cuSPARSE name calls. Who reads a table defines NAME(name) before.
//   CALL(ENDS, name)                       the calls of a name: it and its other ends
//   ROUTINE(TYPES, ENDS, before, after)    the calls of a routine: a letter for each type of its numbers stands in the name
// A type's letter: S and D are float and double, C and Z the complex ones, H is half.
#ifndef TMAREF_BLAS_ROUTINES_H
#define TMAREF_BLAS_ROUTINES_H

#define CALL(ENDS, name)                    ENDS(name)
#define ROUTINE(TYPES, ENDS, before, after) TYPES(ENDS, before, after)

#define SD(ENDS, before, after)   ENDS(before##S##after) ENDS(before##D##after)
#define SC(ENDS, before, after)   ENDS(before##S##after) ENDS(before##C##after)
#define CZ(ENDS, before, after)   ENDS(before##C##after) ENDS(before##Z##after)
#define SDH(ENDS, before, after)  SD(ENDS, before, after) ENDS(before##H##after)
#define SDCZ(ENDS, before, after) SD(ENDS, before, after) CZ(ENDS, before, after)

#define ALONE(name)        NAME(name)
#define WIDE(name)         NAME(name) NAME(name##_64)
#define V2(name)           NAME(name) NAME(name##_v2)
#define V2_WIDE(name)      NAME(name) ONLY_V2_WIDE(name)
#define ONLY_V2(name)      NAME(name##_v2)
#define ONLY_V2_WIDE(name) NAME(name##_v2) NAME(name##_v2_64)
#define SIZED(name)        NAME(name) NAME(name##_bufferSize)
#define SIZED_EXT(name)    NAME(name) NAME(name##_bufferSizeExt)
#define PREPARED(name)     SIZED(name) NAME(name##_preprocess)
#define ANALYSED(name)     SIZED(name) NAME(name##_analysis)
#define BOOSTED(name)      ANALYSED(name) NAME(name##_numericBoost)
#define SOLVED(name)       NAME(name##_bufferSize) NAME(name##_analysis) NAME(name##_solve)
#define HOST(name)         NAME(name) NAME(name##Host)
#define REFINED(name)      SIZED(name##gels) SIZED(name##gesv)

// A weak function for a call: it stands where no other file defines the call.
//   missing    int (const char *call, int *was_told) of the library says once that the call is missing, and gives its error
#define MISSING_CALL(missing, name)                                                                                    \
    __attribute__((visibility("default"), weak)) int name(void);                                                       \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return missing(#name, &was_told);                                                                              \
    }

#endif
