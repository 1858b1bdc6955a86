// SPDX-License-Identifier: MIT
// Memory that other processes of this user share: it moves into a file in memory, at the same address, when it is first
// told of. Another process opens that file by the number of this process.
#ifndef TMAREF_IPC_H
#define TMAREF_IPC_H

#include "driver.h"

// What is told of it, in 64 bytes. The numbers of inodes tell a file from one that came later.
//   mark  who told it: a handle of cuIpc* is none of a pool's memory
//   pool  the inode of the pool's file (pool_share.c); 0: of no pool
struct ipc_memory {
    char mark[8];
    int64_t process, file;
    uint64_t inode, size_bytes, pool;
};

// Moves it, if nobody has yet, and tells all but the mark. CUDA_ERROR_OUT_OF_MEMORY if that cannot be.
enum cuda_result ipc_share(struct allocation *allocation, struct ipc_memory *told);

// Maps it here, as memory of this kind. NULL, and says why, if it is gone or of another user.
struct allocation *ipc_open(struct driver *driver, const char *call, const struct ipc_memory *told,
                            enum allocation_kind kind);

#endif
