#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Python package: run.sh CHECK SOURCE BUILD.
#   package  its tests and mypy, on the library and the command of BUILD
#   wheel    one wheel of SOURCE, and in a new virtual environment of each Python from 3.10 on that is here the tests on what
#            that wheel puts there
#   triton   the example of Triton's descriptors, on the library of BUILD
# What they need comes from PyPI. Ends with 77, and says why, where there is no venv or no PyPI.
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

new_venv() { # new_venv INTERPRETER PACKAGE...: $python is that of a new virtual environment
    local interpreter=$1
    shift
    rm -rf "$work/venv"
    "$interpreter" -m venv "$work/venv" >"$work/log" 2>&1 || skip "$interpreter makes no virtual environment here (Debian: python3-venv)"
    python=$work/venv/bin/python
    [ $# = 0 ] || "$python" -m pip install -q "$@" >"$work/log" 2>&1 || skip "PyPI is not in reach: $(tail -n 1 "$work/log")"
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

check_package() {
    new_venv python3 cffi numpy ml_dtypes pytest mypy
    export TMAREF_PYTHON_LIBRARY=$build/native TMAREF_COMMAND=$build/harness/tmaref PYTHONPATH=$source/python
    "$python" -m pytest -q -rs -p no:cacheprovider --doctest-modules tests "$source/python/tmaref"
    "$python" -m mypy --strict --cache-dir "$work/mypy" "$source/python/tmaref"
}

try_wheel() { # try_wheel INTERPRETER
    echo "-- $("$1" --version)"
    new_venv "$1" ml_dtypes pytest
    "$python" -m pip install -q "$work"/wheel/tmaref-*-py3-none-*.whl
    "$python" -m pytest -q -rs -p no:cacheprovider -p no:tmaref --doctest-modules tests --pyargs tmaref
    [ "$("$work/venv/bin/tmaref" --version)" = "$("$build/harness/tmaref" --version)" ]
    "$python" -m tmaref explain MAP_STRIDE_ALIGN >/dev/null
}

check_triton() {
    new_venv python3 cffi numpy pytest triton==3.9.0
    export TMAREF_PYTHON_LIBRARY=$build/native TMAREF_COMMAND=$build/harness/tmaref PYTHONPATH=$source/python
    TRITON_CACHE_DIR=$work/cache "$python" -m pytest -q -rs -p no:cacheprovider -k triton tests/test_examples.py
}

check_wheel() {
    local interpreter
    new_venv python3
    "$python" -m pip wheel -q --no-deps -w "$work/wheel" "$source"
    for interpreter in $(pythons); do
        try_wheel "$interpreter"
    done
}

cd "$work"
"check_$check"
