# SPDX-License-Identifier: MIT
# needs: tilelang cuda-toolkit[nvcc,cccl]
# A product of two matrices of f16 by tiles. (TileLang compiles by nvcc. That of tilelang[nvcc] is newer than the headers that
# PyTorch brings, and CCCL refuses the two together; cuda-toolkit brings the one that fits.)
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def product(M, N, K, m, n, k):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, n), T.ceildiv(M, m), threads=128) as (column, row):
            left, right = T.alloc_shared((m, k), "float16"), T.alloc_shared((k, n), "float16")
            total = T.alloc_fragment((m, n), "float")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(K, k), num_stages=3):
                T.copy(A[row * m, step * k], left)
                T.copy(B[step * k, column * n], right)
                T.gemm(left, right, total)
            T.copy(total, C[row * m, column * n])

    return kernel


a = torch.randn(256, 128, device="cuda", dtype=torch.float16)
b = torch.randn(128, 256, device="cuda", dtype=torch.float16)
torch.testing.assert_close(product(256, 256, 128, 128, 128, 32)(a, b), a @ b, rtol=1e-2, atol=1e-2)
