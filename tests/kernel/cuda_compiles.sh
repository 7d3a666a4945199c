#!/bin/sh
# cuda_compiles.sh EMBED NVRTC_COMPILE FILE.c... - compiles the CUDA form of kernel files with NVRTC and with
# nvcc, without a warning, with both entries of kernels that reduce. No GPU is needed. A compiler that is not
# installed is omitted; with neither the test is skipped (77). NVRTC_COMPILE is nvrtc_compile.c.
set -eu
embed=$1 nvrtc_compile=$2
shift 2
include=$(dirname "$embed")/../include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH="$PATH:/usr/local/cuda/bin"
tried=0

entries() { # COMPILER FILE PTX
    count=$(grep -c 'entry yoke_entry_' "$3")
    echo "$2: $1, $count entries"
    tried=1
}

for file in "$@"; do
    name=$(basename "$file")
    { echo "#define YK_SPREADS"; cat "$include/yoke/prelude_cuda.h"; "$embed" --print CUDA "$file"; } > "$work/$name.cu"
    if command -v nvcc > /dev/null; then
        nvcc -Werror all-warnings -arch=sm_80 -std=c++17 -ptx -o "$work/$name.nvcc.ptx" "$work/$name.cu"
        entries nvcc "$name" "$work/$name.nvcc.ptx"
    fi
    status=0
    "$nvrtc_compile" "$work/$name.cu" "$work/$name.ptx" > "$work/words" 2>&1 || status=$?
    if [ $status -ne 77 ]; then
        cat "$work/words"
        [ $status -eq 0 ] && [ ! -s "$work/words" ] || exit 1
        entries NVRTC "$name" "$work/$name.ptx"
    fi
done
[ $tried -eq 1 ] || { echo "neither nvcc nor NVRTC is installed: skipped"; exit 77; }
