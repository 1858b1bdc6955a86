// SPDX-License-Identifier: MIT
// What the call scripts of this folder know of the model: its headers, and some of the C library.
#include "address_check.h"
#include "async_group.h"
#include "bulk.h"
#include "cluster.h"
#include "cluster_access.h"
#include "cluster_barrier.h"
#include "complete.h"
#include "copy.h"
#include "cp_async.h"
#include "descriptor.h"
#include "fence.h"
#include "fragments.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "ledger.h"
#include "matrix.h"
#include "mbarrier_operate.h"
#include "multicast.h"
#include "operand.h"
#include "prefetch.h"
#include "register_pool.h"
#include "replace.h"
#include "slice.h"
#include "store.h"
#include "tell_map.h"
#include "tensormap.h"
#include "version.h"
#include "wgmma.h"
#include "wgmma_group.h"
#if __has_include("mbarrier_step.h")
#include "cluster_step.h"
#include "mbarrier_step.h"
#endif

enum { VERSION = TMAREF_VERSION };

void *memset(void *to, int byte, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *aligned_alloc(size_t align, size_t bytes);
void *memchr(const void *in, int byte, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t bytes);
char *strstr(const char *in, const char *text);
size_t strlen(const char *text);
int snprintf(char *to, size_t bytes, const char *format, ...);
