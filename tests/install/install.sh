#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks of an installed tmaref. Usage: install.sh CHECK BUILD_DIR TREE, from the top of the source tree; the check
# `tree` makes TREE, all others look at it. CC is the compiler of the build.
set -eu -o pipefail
check=$1 build=$2 tree=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

. tests/meta/offences.sh

have() {
    command -v "$1" >/dev/null || { echo "skipped: there is no $1 here"; return 1; }
}

library() { # the path of an installed file
    find "$tree" -name "$1" | head -n 1
}

# Installs the build somewhere and moves it: nothing in it may know where it was.
check_tree() {
    cmake --install "$build" --prefix "$scratch/first" >"$scratch/log" || { cat "$scratch/log"; return 1; }
    rm -rf "$tree"
    mv "$scratch/first" "$tree"
    ls "$tree"
}

# Everything that a program can see of the library has its prefix: global symbols, and names and macros of the headers.
# Every exported function is declared, the library keeps to itself, and nothing in the include folder stands in the way
# of <memory.h>.
check_symbols() {
    local status=0
    for file in libtmaref.a libtmaref.so; do
        local options=(-g --defined-only)
        [ $file = libtmaref.so ] && options+=(-D)
        nm "${options[@]}" "$(library $file)" | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/$file"
        [ -s "$scratch/$file" ] || { echo "$file: no symbols"; status=1; }
        awk -v file=$file '!/^tmaref_/ { print $0 ": a global symbol of " file }' "$scratch/$file" | offences || status=1
    done
    diff "$scratch/libtmaref.a" "$scratch/libtmaref.so" || status=1
    nm -u "$(library libtmaref.a)" | awk '$2 ~ /^(pthread_|thrd_|f?open|f?printf|f?puts|fwrite|v?fprintf|exit|abort|getenv)/ {
        print $2 ": the library uses files, threads or the process, and docs/abi.md says that it does not" }' | offences || status=1

    find "$tree/include" -type f ! -name tmaref_dump.h -exec sed -n 's/^#include <\([a-z]*\.h\)>.*/\1/p' {} + | sort -u |
        while read -r name; do : >"$scratch/$name"; done
    rm -f "$scratch/tmaref.h"
    local cpp=("$CC" -xc -nostdinc -I "$scratch" -I "$tree/include")
    echo '#include <tmaref.h>' | "${cpp[@]}" -E -P - | awk -f "$PUBLISH/declared.awk" >"$scratch/names" || status=1
    awk '$2 !~ /^(tmaref|TMAREF)_/ { print $2 ": a name of the headers" }' "$scratch/names" | offences || status=1
    awk '$1 == "function" { print $2 }' "$scratch/names" | sort | diff - "$scratch/libtmaref.a" || status=1
    echo '#include <tmaref.h>' | "${cpp[@]}" -E -dM - >"$scratch/macros"
    echo | "${cpp[@]}" -E -dM - | grep -vxFf - "$scratch/macros" | awk '$2 !~ /^TMAREF_/' | offences || status=1

    local said headers=("$tree/include/tmaref.h" "$tree"/include/tmaref/*/*.h)
    said="$(wc -l <"$scratch/libtmaref.a") exported functions and $(cat "${headers[@]}" | grep -c '^static inline') inline ones, in ${#headers[@]} headers"
    grep -qF "$said" docs/abi.md || { echo "docs/abi.md does not say: $said"; status=1; }

    find "$tree/include" -mindepth 1 -maxdepth 1 ! -name 'tmaref*' | offences || status=1
    printf '#include <memory.h>\n#include <tmaref.h>\nint main(void) { return memcmp("a", "a", 1); }\n' >"$scratch/memory.c"
    "$CC" -std=c11 -I "$tree/include" -fsyntax-only "$scratch/memory.c" || status=1
    return $status
}

# The programs of docs/examples, from C by CMake with both libraries, and one from C++; each checks itself.
check_examples() {
    cp docs/examples/*.c "$scratch"
    printf '#include <tmaref.h>\nint main() { return tmaref_rule_find("MAP_RANK") == TMAREF_RULE_MAP_RANK ? 0 : 1; }\n' \
        >"$scratch/user.cc"
    cat >"$scratch/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(tmaref $(sed -n 's/^project(tmaref VERSION \([0-9]*\.[0-9]*\).*/\1/p' CMakeLists.txt) REQUIRED)
END
    cat >>"$scratch/CMakeLists.txt" <<'END'
file(GLOB sources *.c)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  foreach(library tmaref tmaref_shared)
    add_executable(${library}-${name} ${source})
    target_compile_options(${library}-${name} PRIVATE -std=c11 -Wall -Wextra -Wpedantic -Werror)
    target_link_libraries(${library}-${name} PRIVATE tmaref::${library})
  endforeach()
endforeach()
END
    cmake -S "$scratch" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$tree" >/dev/null
    cmake --build "$scratch/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
    local status=0
    for source in docs/examples/*.c; do
        name=$(basename "$source" .c)
        echo "== $name"
        "$scratch/build/tmaref-$name" || { echo "$name, with the static library: status $?"; status=1; }
        "$scratch/build/tmaref_shared-$name" >/dev/null || { echo "$name, with the shared library: status $?"; status=1; }
    done

    echo "== pkg-config, and C++"
    local folder flags
    folder=$(dirname "$(library libtmaref.so)")
    export PKG_CONFIG_PATH=$folder/pkgconfig LD_LIBRARY_PATH=$folder
    read -r -a flags <<<"$(pkg-config --cflags --libs tmaref)"
    "$CC" -std=c11 -o "$scratch/by-name" docs/examples/encode.c "${flags[@]}"
    "$scratch/by-name" >/dev/null || status=1
    ldd "$scratch/by-name" >"$scratch/libraries"
    grep -q "$folder/libtmaref.so.0" "$scratch/libraries" || { echo "libtmaref.so.0 is not used"; status=1; }
    read -r -a flags <<<"$(pkg-config --static --cflags --libs tmaref | sed 's/-ltmaref/-l:libtmaref.a/')"
    "$CC" -std=c11 -o "$scratch/alone" docs/examples/encode.c "${flags[@]}"
    LD_LIBRARY_PATH='' "$scratch/alone" >/dev/null || status=1
    if have c++; then
        c++ -std=c++11 -Wall -Wextra -Werror -I "$tree/include" -o "$scratch/user" "$scratch/user.cc" "${flags[@]}"
        "$scratch/user" || status=1
    fi
    return $status
}

# Each installed header compiles by itself, in every language that it is for, with every compiler that is here.
check_headers() {
    local languages=("c c11" "c c2x" "c++ c++11" "c++ c++14" "c++ c++17" "c++ c++20") status=0
    for compiler in gcc clang; do
        have $compiler || continue
        for language in "${languages[@]}"; do
            read -r kind standard <<<"$language"
            (cd "$tree/include" && find tmaref.h tmaref -name '*.h') | while read -r header; do
                echo "#include <$header>" | $compiler -x "$kind" -std="$standard" -Wall -Wextra -Wpedantic -Werror \
                    -fsyntax-only -I "$tree/include" - || echo "$header: $compiler -std=$standard"
            done 2>&1 | offences || status=1
        done
    done
    return $status
}

# docs/instructions.md: its functions can be called, its other names are in the headers, and each instruction of sm_90a
# that is about asynchronous copies, barriers, clusters or tensor cores is in a first column or in the text.
check_page() {
    local page=docs/instructions.md status=0
    {
        nm -D --defined-only "$(library libtmaref.so)" | awk '{ print $3 }'
        grep -rhoE '^static inline .*\btmaref_[a-z0-9_]+\(' "$tree/include" | grep -oE 'tmaref_[a-z0-9_]+\(' | tr -d '('
    } | sort -u >"$scratch/callable"
    grep -rhoE '\b(tmaref|TMAREF)_[A-Za-z0-9_]+' "$tree/include" | sort -u >"$scratch/declared"
    grep -oE '\btmaref_[a-z0-9_]+\(' $page | tr -d '(' | sort -u >"$scratch/functions"
    [ "$(wc -l <"$scratch/functions")" -ge 50 ] || { echo "$page names too few functions"; status=1; }
    comm -23 "$scratch/functions" "$scratch/callable" | sed "s|\$|: $page names it, and there is no such function|" |
        offences || status=1
    grep -oE '\b(tmaref|TMAREF)_[A-Za-z0-9_]+' $page | sort -u | comm -23 - "$scratch/declared" |
        sed "s|\$|: $page names it, and no header has it|" | offences || status=1
    sed -nE 's/^FORM\([A-Za-z0-9_]+, *"([^"]+)".*/\1/p' model/ptx/forms.def | sort -u |
        grep -E '^(cp\.|mbarrier|tensormap|fence|membar$|barrier\.cluster|mapa|getcta|isspacep|wgmma|mma|..matrix|(st|red)\.async|setmaxn|griddep)' |
        while read -r opcode; do grep -qF "\`$opcode\`" $page || echo "$opcode: not in $page"; done | offences || status=1
    return $status
}

# A project that has tmaref in a folder of its own: the same target, the same headers, the same names, also where it builds
# everything with a sanitizer and with optimisation at link time.
check_subdirectory() {
    cp docs/examples/encode.c "$scratch"
    cat >"$scratch/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
set(TMAREF_HARNESS OFF CACHE BOOL "")
add_subdirectory("$PWD" tmaref)
add_executable(encode encode.c)
target_link_libraries(encode PRIVATE tmaref::tmaref)
END
    cmake -S "$scratch" -B "$scratch/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS="-fsanitize=undefined" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON >/dev/null
    cmake --build "$scratch/build" --parallel "$(nproc)" --target encode >"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
    "$scratch/build/encode"
}

# The project of docs/ci.md: its tests pass, a report is there, and a map that the driver would refuse fails.
check_ci() {
    cp -r docs/examples/ci "$scratch/project"
    PATH=$tree/bin:$PATH cmake -S "$scratch/project" -B "$scratch/build" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_PREFIX_PATH="$(realpath "$tree")" >"$scratch/log" || { cat "$scratch/log"; return 1; }
    cmake --build "$scratch/build" >>"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
    ctest --test-dir "$scratch/build" --output-on-failure --no-tests=error --output-junit "$scratch/results.xml"
    grep -q '<testcase name="descriptors"' "$scratch/results.xml"
    sed -i 's/{64, 128, TMAREF_SWIZZLE_128B}/{128, 128, TMAREF_SWIZZLE_128B}/' "$scratch/project/descriptors.c"
    cmake --build "$scratch/build" >>"$scratch/log" 2>&1
    ! ctest --test-dir "$scratch/build" --tests-regex descriptors --verbose >"$scratch/log"
    grep -q 'tile 128 x 128: MAP_SWIZZLE_SPAN, boxDim\[0\] is 128, nearest legal value 64' "$scratch/log"
}

# The command without the tree that it was made from: some cases of every installed trace, the pages, man and completion.
check_command() {
    local traces command=$tree/bin/tmaref
    traces=$(find traces -name '*.jsonl*' | wc -l)
    (cd "$scratch" && "$command" replay --sample=2) >"$scratch/table"
    awk -v want="$traces" 'NR > 1 && /NVIDIA/ { n++ } END { if (n != want) { print n " traces, not " want; exit 1 } }' "$scratch/table"
    "$command" --complete help '' | cut -f 1 | while read -r name; do
        find "$tree" -path "*/man1/tmaref-$name.1" | grep -q . || echo "tmaref-$name.1: not installed"
    done | offences
    for file in bash-completion/completions/tmaref zsh/site-functions/_tmaref fish/vendor_completions.d/tmaref.fish \
        doc/tmaref/LICENSE doc/tmaref/README.md doc/tmaref/docs/abi.md; do
        [ -s "$tree/share/$file" ] || echo "share/$file: not installed"
    done | offences
}

# debian/*.install: each installed file goes into one package or is left out on purpose, and no line there is for nothing. The
# Python package is installed by another option; debian/rules takes LICENSE out.
check_debian() {
    local minor next
    minor=$(sed -n 's/^tmaref (\([0-9]*\.[0-9]*\).*/\1/p' debian/changelog | head -n 1) next=${minor%.*}.$((${minor#*.} + 1))
    grep -qF "libtmaref.so.0 libtmaref0 #MINVER#, libtmaref0 (<< $next~)" debian/libtmaref0.symbols ||
        { echo "debian/libtmaref0.symbols: its first line does not end programs' trust at $next (docs/abi.md)"; exit 1; }
    nm -D --defined-only "$(library libtmaref.so)" | awk '{ print $3 }' | sort >"$scratch/exported"
    sed -n 's/^ \(tmaref_[a-z0-9_]*\)@Base .*/\1/p' debian/libtmaref0.symbols | sort | comm -3 "$scratch/exported" - |
        awk -F '\t' '$1 != "" { print $1 ": add a line to debian/libtmaref0.symbols: \" " $1 "@Base VERSION\"" }
                     $2 != "" { print $2 ": debian/libtmaref0.symbols has it, the library has it no more" }' | offences || exit 1
    local folder pattern file
    folder=$(dirname "$(library libtmaref.so)")
    (cd "$tree" && find . -type f -o -type l) | sed "s|^\./${folder#"$tree/"}/|usr/lib/ARCH/|; s|^\./|usr/|" | sort >"$scratch/files"
    grep -h '^usr' debian/*.install debian/not-installed | grep -v python3 >"$scratch/patterns"
    {
        while read -r file; do
            local packages=0
            while read -r pattern; do
                # shellcheck disable=SC2254 # the pattern is one
                case $file in $pattern | $pattern/*) packages=$((packages + 1)) ;; esac
            done <"$scratch/patterns"
            [ $packages = 1 ] || [ "$file" = usr/share/doc/tmaref/LICENSE ] || echo "$file: in $packages lines of debian/*.install"
        done <"$scratch/files"
        grep -h '^usr' debian/*.install | grep -v python3 | while read -r pattern; do
            grep -q "^${pattern//\*/.*}" "$scratch/files" || echo "debian/*.install: $pattern is not installed"
        done
    } | offences
}

# tmaref.h and tmaref.c of the build: compiled alone, without a warning, and enough for the examples. All global symbols have
# the prefix, and the public ones are those of the library.
check_amalgamation() {
    local status=0 compiler
    nm -g --defined-only "$(library libtmaref.a)" | awk 'NF == 3 { print $3 }' | sort >"$scratch/public"
    for compiler in gcc clang; do
        have $compiler || continue
        grep -oE 'tmaref/[a-z]+/[a-z_]+\.h' "$build/amalgamation/tmaref.h" | sort -u | while read -r named; do
            grep -q "^// --- $named -*\$" "$build/amalgamation/tmaref.h" || echo "tmaref.h: a comment names $named, which is no part of it"
        done >"$scratch/named"
        [ ! -s "$scratch/named" ] || { cat "$scratch/named"; status=1; }
        echo '#include "tmaref.h"' >"$scratch/alone.c"
        $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$build/amalgamation" -fsyntax-only "$scratch/alone.c" || status=1
        $compiler -std=c11 -Wall -Wextra -Werror -c "$build/amalgamation/tmaref.c" -o "$scratch/tmaref.o" || { status=1; continue; }
        nm -g --defined-only "$scratch/tmaref.o" | awk '{ print $3 }' | sort | grep -v '^tmaref_private_' |
            diff "$scratch/public" - || { echo "tmaref.c by $compiler: not the library's symbols"; status=1; }
        for example in docs/examples/*.c; do
            $compiler -std=c11 -Wall -Wextra -Werror -I "$build/amalgamation" "$example" "$scratch/tmaref.o" -lm -o "$scratch/example" &&
                "$scratch/example" >/dev/null || { echo "$example with tmaref.c by $compiler: status $?"; status=1; }
        done
    done
    return $status
}

case $check in
tree | amalgamation | symbols | examples | page | headers | subdirectory | command | debian | ci) "check_$check" ;;
*)
    echo "install.sh: there is no check '$check'" >&2
    exit 2
    ;;
esac
