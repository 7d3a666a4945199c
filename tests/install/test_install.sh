#!/bin/sh
# Installs the build into an empty folder and builds a program against it, with pkg-config and with CMake; then looks at what
# the library exports, and that it needs no GPU software.
set -eu
build=$1
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" >/dev/null
lib=$(dirname "$(find "$work/usr" -name yoke.pc)")/..

echo "pkg-config and make"
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
embed=$(pkg-config --variable=embed yoke)
"$embed" -o "$work/program.texts.h" "$source/program/program.c" -I"$work/usr/include"
cc -std=c11 -O2 $("$embed" --flags) -DYOKE_SOURCE_FILE="\"$work/program.texts.h\"" \
    $(pkg-config --cflags yoke) "$source/program/program.c" -o "$work/by-hand" \
    $(pkg-config --libs yoke) -lm -Wl,-rpath,"$lib"
"$work/by-hand"

echo "CMake package"
cmake -S "$source/program" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/cmake" >/dev/null
LD_LIBRARY_PATH=$lib "$work/cmake/program"

echo "exports"
if nm -D --defined-only "$lib/libyoke.so" | awk '$2 != "A" { print $3 }' | grep -v '^yoke_'; then
    echo "the library exports more than yoke_*"
    exit 1
fi
if ldd "$lib/libyoke.so" | grep -iE 'opencl|cuda|nvidia'; then
    echo "the library needs GPU software"
    exit 1
fi

echo "the installed command"
LD_LIBRARY_PATH=$lib "$work/usr/bin/yoke" --version

echo "every header alone, in C11 and C++"
for header in "$work"/usr/include/yoke/*.h; do
    case $header in *prelude_*|*kernel_cpu.h|*kernel_opencl.h|*kernel_cuda.h|*kernel_group.h|*kernel_step_device.h|*kernel_step_queue.h|*kernel_step_vote.h|*kernel_each.h) continue ;; esac
    echo "#include <yoke/$(basename "$header")>" >"$work/alone.c"
    cc -std=c11 -Wall -Wextra -pedantic -Werror -I"$work/usr/include" -c "$work/alone.c" -o /dev/null
    cp "$work/alone.c" "$work/alone.cpp"
    if command -v c++ >/dev/null; then
        c++ -std=c++14 -Wall -Wextra -Werror -I"$work/usr/include" -c "$work/alone.cpp" -o /dev/null
    fi
done
echo "installed tree is fine"
