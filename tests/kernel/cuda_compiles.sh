#!/bin/sh
# cuda_compiles.sh NVRTC_COMPILE INCLUDE TEXT... - compile the CUDA form of kernel files with NVRTC and with nvcc.
#
# TEXT is a file that yoke-embed wrote. No GPU is needed. Each compiler that is not installed is left out;
# with neither the test is skipped (77). NVRTC_COMPILE is nvrtc_compile.c.
set -eu
nvrtc_program=$1 include=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$PATH:/usr/local/cuda/bin"
tried=0

source_of() { # TEXT: prelude and flattened text
    cat "$include/yoke/prelude_cuda.h"
    sed -n '/yk_text_cuda/,/^0 }/p' "$1" | tr ',' '\n' | grep -E '^ *-?[0-9]+$' |
        awk '{ printf "%c", $1 < 0 ? $1 + 256 : $1 }'
}

for text in "$@"; do
    name=$(basename "$text")
    LC_ALL=C source_of "$text" > "$work/$name.cu"
    grep -q yoke_entry_ "$work/$name.cu" || { echo "$name: no entry in its text"; exit 1; }
    if command -v nvcc > /dev/null; then
        nvcc -Werror all-warnings -arch=sm_80 -std=c++17 -ptx -o "$work/$name.nvcc.ptx" "$work/$name.cu"
        grep -q 'entry yoke_entry_' "$work/$name.nvcc.ptx"
        echo "$name: nvcc, $(grep -c 'entry yoke_entry_' "$work/$name.nvcc.ptx") entries"
        tried=1
    fi
    status=0
    "$nvrtc_program" "$work/$name.cu" "$work/$name.ptx" || status=$?
    if [ $status -eq 0 ]; then
        grep -q 'entry yoke_entry_' "$work/$name.ptx"
        echo "$name: NVRTC, $(grep -c 'entry yoke_entry_' "$work/$name.ptx") entries"
        tried=1
    elif [ $status -ne 77 ]; then
        exit 1
    fi
done
[ $tried -eq 1 ] || { echo "neither nvcc nor NVRTC is installed: skipped"; exit 77; }
