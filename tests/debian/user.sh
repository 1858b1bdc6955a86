#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a new user types where the packages of tmaref are installed, with what has to be seen. Ends with 1 if it is not.
set -u
failed=0
types() { # types STATUS "TEXT" COMMAND...: the command ends with that status, and prints a line that holds TEXT, if any is given
    local want=$1 text=$2 status
    shift 2
    printf '$ %s\n' "$*"
    "$@" >out 2>&1
    status=$?
    { [ -z "$text" ] || grep -m 1 -F -- "$text" out; } && [ $status = "$want" ] && return
    tail -n 20 out
    echo "FAILED: status $status, not $want, or nothing of: $text"
    failed=1
}

types 0 "tmaref 0." tmaref --version
types 0 "against model" tmaref replay --sample=100
types 1 "nearest legal value 8208" tmaref encode --dtype f16 --dim 4096,4096 --strides 8200 --box 64,64 --swizzle 128B
types 0 "tmaref-encode - make the 128 bytes" man tmaref-encode
types 0 "tmaref-replay" man tmaref
types 0 "--swizzle=128B" bash -c 'tmaref --complete encode --swizzle='
types 0 "complete -F _tmaref tmaref" bash -c '. /usr/share/bash-completion/completions/tmaref; complete -p tmaref'
types 0 "" test -e /usr/share/zsh/vendor-completions/_tmaref -a -e /usr/share/fish/vendor_completions.d/tmaref.fish
types 0 "# From Python" cat /usr/share/doc/tmaref/docs/python.md

# A program of the driver's API, without a driver.
cat >device.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    char name[64] = "";
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : 0;
    int (*get_name)(char *, int, int) = driver ? (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName") : 0;
    if (!init || init(0) || get_name(name, 64, 0)) return 1;
    return puts(name) < 0;
}
END
types 0 "" gcc -o device device.c
types 1 "" ./device
types 0 "H200" tmaref exec -- ./device

# The library.
types 0 "" sh -c 'gcc -o encode /usr/share/doc/libtmaref-dev/examples/encode.c $(pkg-config --cflags --libs tmaref)'
types 0 "MAP_" ./encode
types 0 "libtmaref.so.0 => /" ldd ./encode
types 0 "" cp -r /usr/share/doc/libtmaref-dev/examples/ci ci
types 0 "" sh -c 'cmake -S ci -B build && cmake --build build --target descriptors'
types 0 "" ./build/descriptors

# Python.
cat >map.py <<'END'
import importlib.metadata
import numpy as np
import tmaref

a = tmaref.Tensor("f16", (4096, 4096), address=0x7F0000000000)
print(tmaref.TensorMap.tiled(a, box=(128, 64), swizzle="128B").transaction_bytes, "bytes")
x = np.eye(16, dtype=np.float16)
assert (tmaref.matmul(x, x) == x).all()
assert importlib.metadata.version("tmaref") == tmaref.__version__
assert any(point.value == "tmaref.testing" for point in importlib.metadata.entry_points(group="pytest11"))
print(tmaref.explain("MAP_STRIDE_ALIGN"))
END
cat >test_tile.py <<'END'
def test_fixture(assert_tile):
    assert callable(assert_tile)
END
types 0 "16384 bytes" python3 map.py
types 0 "multiple of 16 bytes" python3 map.py
types 0 "1 passed" python3 -m pytest -q test_tile.py

# The debugger.
cat >map.c <<'END'
struct { _Alignas(128) unsigned long long word[16]; } map;
int main(void) { return 0; }
END
types 0 "" gcc -g -o map map.c
types 0 "tensorRank           1" gdb -nx -batch -ex "source /usr/share/tmaref/gdb/tmaref.py" -ex "tmaref map &map" map
exit $failed
