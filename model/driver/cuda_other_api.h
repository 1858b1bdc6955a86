// SPDX-License-Identifier: MIT
// More calls of the driver: green contexts, logs, core files, other processes, ranges of managed memory, launches of
// the time before cuLaunchKernel, and what few programs make.
#ifndef TMAREF_CUDA_OTHER_API_H
#define TMAREF_CUDA_OTHER_API_H

#include "cuda_types.h"

enum cuda_result cuDeviceGetDevResource(int device, struct CUdevResource_st *to, uint32_t type);
enum cuda_result cuCtxGetDevResource(struct CUctx_st *context, struct CUdevResource_st *to, uint32_t type);
enum cuda_result cuGreenCtxGetDevResource(struct CUgreenCtx_st *green, struct CUdevResource_st *to, uint32_t type);
enum cuda_result cuDevSmResourceSplitByCount(struct CUdevResource_st *to, unsigned *count,
                                             const struct CUdevResource_st *from, struct CUdevResource_st *rest,
                                             unsigned flags, unsigned least);
enum cuda_result cuDevResourceGenerateDesc(struct CUdevResourceDesc_st **desc, struct CUdevResource_st *from,
                                           unsigned count);
enum cuda_result cuGreenCtxCreate(struct CUgreenCtx_st **green, struct CUdevResourceDesc_st *desc, int device,
                                  unsigned flags);
enum cuda_result cuGreenCtxDestroy(struct CUgreenCtx_st *green);
enum cuda_result cuCtxFromGreenCtx(struct CUctx_st **context, struct CUgreenCtx_st *green);
enum cuda_result cuGreenCtxRecordEvent(struct CUgreenCtx_st *green, struct CUevent_st *event);
enum cuda_result cuGreenCtxWaitEvent(struct CUgreenCtx_st *green, struct CUevent_st *event);
enum cuda_result cuGreenCtxStreamCreate(struct CUstream_st **stream, struct CUgreenCtx_st *green, unsigned flags,
                                        int priority);
enum cuda_result cuGreenCtxGetId(struct CUgreenCtx_st *green, unsigned long long *id);
enum cuda_result cuLogsRegisterCallback(void (*call)(void *user, uint32_t level, char *text, size_t bytes), void *user,
                                        struct CUlogsCallbackEntry_st **callback);
enum cuda_result cuLogsUnregisterCallback(struct CUlogsCallbackEntry_st *callback);
enum cuda_result cuLogsCurrent(unsigned *iterator, unsigned flags);
enum cuda_result cuLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags);
enum cuda_result cuLogsDumpToMemory(unsigned *iterator, char *to, size_t *bytes, unsigned flags);
enum cuda_result cuCoredumpGetAttribute(uint32_t attribute, void *value, size_t *bytes);
enum cuda_result cuCoredumpGetAttributeGlobal(uint32_t attribute, void *value, size_t *bytes);
enum cuda_result cuCoredumpSetAttribute(uint32_t attribute, void *value, size_t *bytes);
enum cuda_result cuCoredumpSetAttributeGlobal(uint32_t attribute, void *value, size_t *bytes);
enum cuda_result cuIpcGetEventHandle(struct CUipcEventHandle_st *handle, struct CUevent_st *event);
enum cuda_result cuIpcOpenEventHandle(struct CUevent_st **event, struct CUipcEventHandle_st handle);
enum cuda_result cuIpcGetMemHandle(struct CUipcMemHandle_st *handle, unsigned long long address);
enum cuda_result cuIpcOpenMemHandle_v2(unsigned long long *address, struct CUipcMemHandle_st handle, unsigned flags);
enum cuda_result cuIpcCloseMemHandle(unsigned long long address);
enum cuda_result cuMemRangeGetAttribute(void *to, size_t bytes, uint32_t attribute, unsigned long long address,
                                        size_t count);
enum cuda_result cuMemRangeGetAttributes(void **to, size_t *bytes, uint32_t *attribute, size_t attributes,
                                         unsigned long long address, size_t count);
enum cuda_result cuMemPrefetchBatchAsync(unsigned long long *address, size_t *bytes, size_t count,
                                         struct cuda_mem_location *place, size_t *place_from, size_t places,
                                         unsigned long long flags, struct CUstream_st *stream);
enum cuda_result cuMemDiscardBatchAsync(unsigned long long *address, size_t *bytes, size_t count,
                                        unsigned long long flags, struct CUstream_st *stream);
enum cuda_result cuMemDiscardAndPrefetchBatchAsync(unsigned long long *address, size_t *bytes, size_t count,
                                                   struct cuda_mem_location *place, size_t *place_from, size_t places,
                                                   unsigned long long flags, struct CUstream_st *stream);
enum cuda_result cuFuncSetBlockShape(struct CUfunc_st *function, int x, int y, int z);
enum cuda_result cuFuncSetSharedSize(struct CUfunc_st *function, unsigned bytes);
enum cuda_result cuParamSetSize(struct CUfunc_st *function, unsigned bytes);
enum cuda_result cuParamSeti(struct CUfunc_st *function, int offset, unsigned value);
enum cuda_result cuParamSetf(struct CUfunc_st *function, int offset, float value);
enum cuda_result cuParamSetv(struct CUfunc_st *function, int offset, void *from, unsigned bytes);
enum cuda_result cuLaunch(struct CUfunc_st *function);
enum cuda_result cuLaunchGrid(struct CUfunc_st *function, int width, int height);
enum cuda_result cuLaunchGridAsync(struct CUfunc_st *function, int width, int height, struct CUstream_st *stream);
enum cuda_result cuLaunchCooperativeKernelMultiDevice(struct CUDA_LAUNCH_PARAMS_st *launch, unsigned devices,
                                                      unsigned flags);
enum cuda_result cuCtxAttach(struct CUctx_st **context, unsigned flags);
enum cuda_result cuCtxDetach(struct CUctx_st *context);
enum cuda_result cuCtxGetExecAffinity(struct CUexecAffinityParam_st *to, uint32_t type);
enum cuda_result cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const uint32_t *operation, unsigned count,
                                                  int from, int to);
enum cuda_result cuDeviceRegisterAsyncNotification(int device,
                                                   void (*call)(struct CUasyncNotificationInfo_st *info, void *user,
                                                                struct CUasyncCallbackEntry_st *callback),
                                                   void *user, struct CUasyncCallbackEntry_st **callback);
enum cuda_result cuDeviceUnregisterAsyncNotification(int device, struct CUasyncCallbackEntry_st *callback);
enum cuda_result cuLibraryGetUnifiedFunction(void **function, struct CUlib_st *library, const char *symbol);
enum cuda_result cuMemGetHandleForAddressRange(void *handle, unsigned long long address, size_t bytes, uint32_t type,
                                               unsigned long long flags);
enum cuda_result cuMemPoolExportToShareableHandle(void *handle, struct CUmemPoolHandle_st *pool, uint32_t type,
                                                  unsigned long long flags);
enum cuda_result cuMemPoolImportFromShareableHandle(struct CUmemPoolHandle_st **pool, void *handle, uint32_t type,
                                                    unsigned long long flags);
enum cuda_result cuMemPoolExportPointer(struct CUmemPoolPtrExportData_st *to, unsigned long long address);
enum cuda_result cuMemPoolImportPointer(unsigned long long *address, struct CUmemPoolHandle_st *pool,
                                        struct CUmemPoolPtrExportData_st *from);
enum cuda_result cuGraphConditionalHandleCreate(uint64_t *handle, struct CUgraph_st *graph, struct CUctx_st *context,
                                                unsigned value, unsigned flags);

#endif
