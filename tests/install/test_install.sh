#!/bin/sh
# test_install.sh BUILD - installs the build into an empty folder and uses it like a new user, without LD_LIBRARY_PATH: the command,
# a program by the documented recipe, by CMake, in C++, with options; then checks what the library exports and needs, its hardening, and the
# links in the documents.
set -eu
build=$1
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH
cmake --install "$build" --prefix "$work/usr" >/dev/null
lib=$(dirname "$(find "$work/usr" -name yoke.pc)")/..
docs=$(dirname "$(find "$work/usr" -name CONTRIBUTING.md)")

echo "the installed command"
"$work/usr/bin/yoke" --version
mv "$work/usr" "$work/moved"
"$work/moved/bin/yoke" --version >/dev/null
mv "$work/moved" "$work/usr"

echo "what shells complete words by"
for file in bash-completion/completions/yoke zsh/site-functions/_yoke fish/vendor_completions.d/yoke.fish; do
    grep -q flops "$work/usr/share/$file"
done

echo "the recipe of docs/kernels.md, word by word"
PKG_CONFIG_PATH=$lib/pkgconfig PATH=$work/usr/bin:$PATH
export PKG_CONFIG_PATH PATH
mkdir "$work/recipe"
cp "$source/program/program.c" "$work/recipe/kernels.c"
{
    printf 'CFLAGS = -std=c11 -O2\nCPPFLAGS = %s\nprogram: kernels.o\n\t$(CC) -o $@ $^ %s -Wl,-rpath,%s\n' \
        "$(pkg-config --cflags yoke)" "$(pkg-config --libs yoke)" "$lib"
    sed -n '/^```make/,/^```$/p' "$docs/docs/kernels.md" | grep -v '^```'
} >"$work/recipe/Makefile"
make -s -C "$work/recipe" program
"$work/recipe/program"

echo "the program of README.md, word by word"
mkdir "$work/readme"
awk -v to="$work/readme/" '/^```c$/ { out = to (++n) ".c"; next } /^```/ { out = "" } out { print > out }' "$docs/README.md"
ls "$work/readme/1.c" "$work/readme/2.c" >/dev/null
for file in "$work"/readme/*.c; do
    cc -std=c11 -Wall -Wextra -Werror -I"$work/usr/include" -c "$file" -o "$file.o"
done

echo "CMake package, with the parts that this build has"
[ "$(pkg-config --variable=sqlite yoke):$(pkg-config --variable=hwloc yoke)" = ON:ON ]
mkdir "$work/parts"
sed 's/find_package(yoke REQUIRED)/find_package(yoke REQUIRED COMPONENTS sqlite hwloc)/' "$source/program/CMakeLists.txt" \
    >"$work/parts/CMakeLists.txt"
cp "$source/program/program.c" "$work/parts"
cmake -S "$work/parts" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/program"
if [ -e "$lib/libyoke.a" ]; then
    echo "the static library, by CMake and by pkg-config"
    mkdir "$work/static"
    sed 's/yoke::yoke)/yoke::yoke_static)/' "$source/program/CMakeLists.txt" >"$work/static/CMakeLists.txt"
    cp "$source/program/program.c" "$work/static"
    cmake -S "$work/static" -B "$work/static/build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
    cmake --build "$work/static/build" >/dev/null
    "$work/static/build/program"
    if ldd "$work/static/build/program" | grep libyoke; then exit 1; fi
    # shellcheck disable=SC2046 # words
    cc "$work/recipe/kernels.o" -o "$work/static/by-hand" "$lib/libyoke.a" $(pkg-config --static --libs-only-l yoke | sed 's/-lyoke//')
    "$work/static/by-hand"
fi
if command -v c++ >/dev/null; then
    echo "CMake package, a project of C++ only"
    mkdir "$work/cxx"
    sed 's/project(program C)/project(program CXX)/' "$source/program/CMakeLists.txt" >"$work/cxx/CMakeLists.txt"
    cp "$source/program/program.c" "$work/cxx"
    cmake -S "$work/cxx" -B "$work/cxx/build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
    cmake --build "$work/cxx/build" >/dev/null
    "$work/cxx/build/program"
fi

echo "yoke inside another project: its targets, none of its tests"
mkdir "$work/outer"
sed "s|find_package(yoke REQUIRED)|enable_testing()\\nadd_subdirectory(\"$source/../..\" yoke)|" "$source/program/CMakeLists.txt" \
    >"$work/outer/CMakeLists.txt"
cp "$source/program/program.c" "$work/outer"
cmake -S "$work/outer" -B "$work/outer/build" -DYOKE_COMMAND=OFF >/dev/null
(cd "$work/outer/build" && ctest -N) | grep -q '^Total Tests: 0$'
grep -q '^YOKE_TESTS:BOOL=OFF$' "$work/outer/build/CMakeCache.txt"

echo "CMake package, options of kernel files"
for type in Debug Release; do
    cmake -S "$source/options" -B "$work/options" -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_BUILD_TYPE=$type >/dev/null
    cmake --build "$work/options" >/dev/null
    YOKE_DEVICES=cpu "$work/options/options" >"$work/said"
    in_text=$(sed -n 's/^ *y\[i\] = \(.*\);/\1/p' "$work/said")
    expected=101
    [ $type = Release ] || expected=120
    # shellcheck disable=SC2004 # a formula
    [ $(($in_text)) = $expected ] || { echo "$type: devices compute $in_text, not $expected"; exit 1; }
    grep -q "^CPU: $expected$" "$work/said" || { tail -1 "$work/said"; exit 1; }
done

echo "CMake package, kernel files of similar names"
mkdir -p "$work/names/in/a" "$work/names/in/b"
{
    printf 'cmake_minimum_required(VERSION 3.21)\nproject(names C)\nfind_package(yoke REQUIRED)\nadd_executable(names main.c)\n'
    printf 'yoke_add_kernels(names heat.2d.c heat.3d.c a/k.c b/k.c ../k.c)\ntarget_link_libraries(names yoke::yoke)\n'
} >"$work/names/in/CMakeLists.txt"
printf '#include <string.h>\n#include <yoke/yoke.h>\nint main(void)\n{\n' >"$work/names/in/main.c"
number=0
for file in heat.2d.c heat.3d.c a/k.c b/k.c ../k.c; do
    number=$((number + 1))
    printf '#include <yoke/kernel.h>\nYOKE_KERNEL(k%d, i, YOKE_OUT(float, y)) { y[i] = 1; }\n' $number >"$work/names/in/$file"
    printf '    extern const yoke_kernel k%d;\n    if (!strstr(k%d.opencl.source.text, "yoke_entry_k%d"))\n        return %d;\n' \
        $number $number $number $number >>"$work/names/in/main.c"
done
printf '    return 0;\n}\n' >>"$work/names/in/main.c"
cmake -S "$work/names/in" -B "$work/names/a build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/names/a build" >/dev/null
"$work/names/a build/names"

echo "exports"
soname=$(objdump -p "$lib/libyoke.so" | awk '$1 == "SONAME" { print $2 }')
[ "$soname" = libyoke.so.0.1 ] || { echo "the soname is $soname"; exit 1; }
if nm -D --with-symbol-versions --defined-only "$lib/libyoke.so" | awk '$2 != "A" { print $3 }' | grep -v '^yoke_.*@@YOKE_0\.1$'; then
    echo "the library exports more than yoke_*, or without a version"
    exit 1
fi
if ldd "$lib/libyoke.so" | grep -iE 'opencl|cuda|nvidia'; then
    echo "the library needs GPU software"
    exit 1
fi

echo "hardening"
for file in "$lib/libyoke.so" "$work/usr/bin/yoke" "$build/cli/yoke" "$(find "$build" -maxdepth 3 -name libyoke.so)"; do
    objdump -p "$file" | grep -q RELRO || { echo "$file: no relro"; exit 1; }
    readelf -d "$file" | grep -q NOW || { echo "$file: no immediate binding"; exit 1; }
    if readelf -d "$file" | grep -E 'R(UN)?PATH.*(\[|:)(:|\])'; then
        echo "$file: an empty search path means the current folder"
        exit 1
    fi
    nm -D "$file" | grep -q __stack_chk_fail || { echo "$file: no stack protector"; exit 1; }
    nm -D "$file" | grep -q '_chk@' || { echo "$file: not fortified"; exit 1; }
done

echo "links of the installed documents, and no project that builds only here"
[ -e "$docs/examples/01-hello.c" ] && [ -z "$(find "$docs" -name CMakeLists.txt)" ]
"$source/../docs/links.sh" "$docs" "$work/usr/include/yoke"

echo "every header alone, in C11 and C++"
for header in "$work"/usr/include/yoke/*.h; do
    case $header in *prelude_*|*kernel_cpu.h|*kernel_sums.h|*kernel_opencl.h|*kernel_cuda.h|*kernel_gather_cuda.h|*kernel_group.h|*kernel_group_cpu.h|*kernel_reduce_cpu.h|*kernel_reduce_device.h|*kernel_lanes.h|*kernel_spread_cuda.h|*kernel_step_device.h|*kernel_step_queue.h|*kernel_step_vote.h|*kernel_each.h) continue ;; esac
    echo "#include <yoke/$(basename "$header")>" >"$work/alone.c"
    cc -std=c11 -Wall -Wextra -pedantic -Werror -I"$work/usr/include" -c "$work/alone.c" -o /dev/null
    cp "$work/alone.c" "$work/alone.cpp"
    if command -v c++ >/dev/null; then
        c++ -std=c++14 -Wall -Wextra -Werror -I"$work/usr/include" -c "$work/alone.cpp" -o /dev/null
    fi
done
echo "installed tree is fine"
