#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which tests reach which file of model/? Runs the tests of a coverage build one at a time, and reads what gcov's counters of each
say. Prints the tests that reach each FILE (all files, if there is none), the cheapest first.

usage: reach.py [--build build/coverage] [--tests '^unit\\.'] [FILE...]

Build first:  cmake --preset coverage && cmake --build build/coverage --target unit api_calls calls runtime_calls
"""
import argparse
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

MAGIC, FUNCTION, ARCS = b"adcg", 0x01000000, 0x01A10000  # GCC's gcov-io.h; lengths are bytes since GCC 12, words before
WORDS = 4


def is_reached(path):
    """Has any arc of the object of these counters been taken? GCC 12 writes counters that are all 0 as a negative length."""
    data = path.read_bytes()
    if data[:4] != MAGIC:
        sys.exit(f"reach.py: {path} has no counters of gcov in the byte order of this machine")
    version = data[4:8][::-1].decode()
    unit = 1 if version[:1].isalpha() and version[:2] >= "B2" else WORDS
    at = 16 if unit == 1 else 12
    while at + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, at)
        at += 8
        if tag == 0:
            break
        if length < 0:
            continue
        if tag == ARCS and any(data[at:at + length * unit]):
            return True
        at += length * unit
    return False


def source_of(counters, folder, top):
    """model/sync/fence.c of <prefix>/<build>/model/CMakeFiles/x.dir/sync/fence.c.gcda; None for files beside model/."""
    name = str(counters.relative_to(folder))
    match = re.search(r"/(model/)(?:.*/)?CMakeFiles/[^/]+\.dir/(.*)\.gcda$", name)
    if match is None:
        return None
    path = os.path.normpath("model/" + match.group(2).replace("__/", "../"))
    return path if (top / path).exists() else None


def tests_of(build, pattern):
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True).stdout)
    tests = [test for test in listed["tests"] if re.search(pattern, test["name"]) and test.get("command")]
    return [test for test in tests if pathlib.Path(test["command"][0]).exists() and build in pathlib.Path(test["command"][0]).parents]


def environment_of(test):
    pairs = [p["value"] for p in test.get("properties", []) if p["name"] == "ENVIRONMENT"]
    return dict(pair.split("=", 1) for pair in (pairs[0] if pairs else []))


def run(test, top, build):
    """The files that the test reaches, its seconds, and whether it passed."""
    with tempfile.TemporaryDirectory() as folder:
        place = [p["value"] for p in test.get("properties", []) if p["name"] == "WORKING_DIRECTORY"]
        began = time.monotonic()
        status = subprocess.run(test["command"], cwd=place[0] if place else build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=os.environ | environment_of(test) | {"GCOV_PREFIX": folder}).returncode
        seconds = time.monotonic() - began
        counters = pathlib.Path(folder).rglob("*.gcda")
        reached = {source_of(path, folder, top) for path in counters if is_reached(path)}
    return reached - {None}, seconds, status == 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default="build/coverage")
    options.add_argument("--tests", default=r"^unit\.", help="a regular expression of names of tests")
    options.add_argument("files", nargs="*", metavar="FILE")
    given = options.parse_args()
    top, build = pathlib.Path(__file__).resolve().parents[2], pathlib.Path(given.build).resolve()
    files = {os.path.relpath(pathlib.Path(name).resolve(), top) for name in given.files}
    unknown = [name for name in files if not (top / name).exists()]
    tests = tests_of(build, given.tests)
    if unknown or not tests:
        sys.exit(f"reach.py: there is no {', '.join(unknown)}" if unknown else f"reach.py: {build} has no such tests, or they are not built")
    reached_by, failed = {}, []
    for test in tests:
        reached, seconds, passed = run(test, top, build)
        if not passed:
            failed.append(test["name"])
        for name in reached:
            reached_by.setdefault(name, []).append((seconds, test["name"]))
    every = {str(p.relative_to(top)) for p in (top / "model").rglob("*.c")}
    for name in sorted(files or every):
        print(f"{name}: {len(reached_by.get(name, []))} of {len(tests)} tests")
        for seconds, test in sorted(reached_by.get(name, []))[:None if files else 5]:
            print(f"  {test} ({seconds:.2f} s)")
    if failed:
        sys.exit(f"reach.py: these tests failed, and may reach more: {' '.join(failed)}")


main()
