#!/bin/sh
# opencl_compiles.sh EMBED FILE.c... - compiles the OpenCL form of kernel files with clang for the targets
# of drivers (SPIR, NVIDIA, AMD), with all warnings as errors: GPUs' compilers exist only with GPUs, clang
# exists everywhere. Skipped (77) without clang.
set -eu
embed=$1
shift
command -v clang > /dev/null || { echo "clang is not installed: skipped"; exit 77; }
include=$(dirname "$embed")/../include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() { # SOURCE TARGET [OPTIONS]
    source=$1 target=$2
    shift 2
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target "$target" "$@" -Wall -Wextra \
        -Werror -Wno-unused-function -Wno-unused-parameter -O2 -S -emit-llvm -o "$work/out.ll" "$source"
    echo "$(basename "$source"), $target: $(grep -c 'define.*yoke_entry_' "$work/out.ll") entries"
}

for file in "$@"; do
    text=$work/$(basename "$file").cl
    { cat "$include"/yoke/prelude_opencl*.h; "$embed" --print OPENCL "$file"; } > "$text"
    compile "$text" spir64-unknown-unknown
    compile "$text" nvptx64-nvidia-nvcl -Xclang -target-feature -Xclang +ptx60 \
        -Xclang -cl-ext=+cl_khr_fp64,+cl_khr_int64_base_atomics
    compile "$text" amdgcn-amd-amdhsa -nogpulib
done
