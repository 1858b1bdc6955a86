#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs a build into a folder of its own, moves that folder, and builds docs/example.c against it in three ways.
# Usage: install.sh BUILD_DIR, from the top of the source tree.
set -eu -o pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
prefix=$scratch/moved
mv "$scratch/first" "$prefix"

echo "== CMake, the static library"
mkdir "$scratch/project"
cp docs/example.c "$scratch/project"
cat >"$scratch/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(tmaref 0.1 REQUIRED)
add_executable(example example.c)
target_compile_options(example PRIVATE -std=c11 -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(example PRIVATE tmaref::tmaref)
END
cmake -S "$scratch/project" -B "$scratch/project/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/project/build" >/dev/null
"$scratch/project/build/example"

echo "== pkg-config, the shared library"
pc=$(find "$prefix" -name tmaref.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}
# shellcheck disable=SC2046
"$CC" -std=c11 -o "$scratch/example" docs/example.c $(pkg-config --cflags --libs tmaref)
LD_LIBRARY_PATH=$lib "$scratch/example"
libraries=$(LD_LIBRARY_PATH=$lib ldd "$scratch/example") # not in a pipe: grep -q would end ldd by a signal
grep -q "$lib/libtmaref.so.0" <<<"$libraries" || { echo "libtmaref.so.0 is not used"; exit 1; }

echo "== C++, if there is a compiler"
if command -v c++ >/dev/null; then
    printf '#include <tmaref.h>\nint main() { return rule_find("MAP_RANK") == RULE_MAP_RANK ? 0 : 1; }\n' >"$scratch/user.cc"
    # shellcheck disable=SC2046
    c++ -std=c++11 -Wall -Wextra -Werror -o "$scratch/user" "$scratch/user.cc" $(pkg-config --cflags --libs tmaref)
    LD_LIBRARY_PATH=$lib "$scratch/user"
else
    echo "skipped: there is no c++ here"
fi

echo "== every exported function is in an installed header"
status=0
for symbol in $(nm -D --defined-only "$lib/libtmaref.so" | awk '$2 == "T" { print $3 }'); do
    grep -qrw -- "$symbol" "$prefix/include/tmaref" || { echo "exported, but in no public header: $symbol"; status=1; }
done
exit $status
