# SPDX-License-Identifier: MIT
# needs: nvidia-cutlass-dsl
# A kernel of CuTe DSL that prints, launched from a compiled host function.
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack
import numpy as np


@cute.kernel
def hello():
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        cute.printf("hello of the kernel")


@cute.jit
def launch():
    cute.printf("hello of the host")
    hello().launch(grid=(1, 1, 1), block=(32, 1, 1))


cutlass.cuda.initialize_cuda_context()
launch()
cute.compile(launch)()
