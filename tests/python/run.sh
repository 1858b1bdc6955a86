#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Python package: run.sh CHECK SOURCE BUILD.
#   package  its tests and mypy, on the library and the command of BUILD
#   wheel    `pip install` of SOURCE into a new virtual environment, and the tests on what is there
# What both need comes from PyPI. Ends with 77, and says why, where there is no venv or no PyPI.
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

python3 -m venv "$work/venv" >"$work/log" 2>&1 || skip "python3 makes no virtual environment here (Debian: python3-venv)"
python=$work/venv/bin/python
"$python" -m pip install -q cffi numpy ml_dtypes pytest mypy >"$work/log" 2>&1 ||
    skip "PyPI is not in reach: $(tail -n 1 "$work/log")"

# The tests lie apart from the modules, so that what is imported is what the check is about.
cp -r "$source/python/tests" "$source/python/examples" "$source/python/conftest.py" "$work"
cp "$source/docs/examples/ci/test_generated.py" "$work/tests"
case $check in
package)
    export TMAREF_PYTHON_LIBRARY=$build/native TMAREF_COMMAND=$build/harness/tmaref PYTHONPATH=$source/python
    cd "$work"
    "$python" -m pytest -q -rs -p no:cacheprovider --doctest-modules tests "$source/python/tmaref"
    "$python" -m mypy --strict --cache-dir "$work/mypy" "$source/python/tmaref"
    ;;
wheel)
    "$python" -m pip install -q "$source"
    cd "$work"
    "$python" -m pytest -q -rs -p no:cacheprovider -p no:tmaref tests
    [ "$("$work/venv/bin/tmaref" --version)" = "$("$build/harness/tmaref" --version)" ]
    "$python" -m tmaref explain MAP_STRIDE_ALIGN >/dev/null
    ;;
esac
