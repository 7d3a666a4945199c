#!/bin/sh
# narrow_bodies.sh EMBED PRINT GOLDEN FILE.c... - the bodies with 32-bit indexes of all kernels of the files equal
# those in GOLDEN, and device compilers accept them beside the first entries without a warning. PRINT is
# narrow_print.c. After an intended change, KEEP=1 rewrites GOLDEN: read its difference. A compiler that
# is not installed is omitted.
set -eu
embed=$1 print=$2 golden=$3
shift 3
include=$(dirname "$embed")/../include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH="$PATH:/usr/local/cuda/bin"

for file in "$@"; do
    grep -q '^YOKE_KERNEL' "$file" || continue
    name=$(basename "$file")
    for language in CUDA OPENCL; do
        lower=$(echo $language | tr '[:upper:]' '[:lower:]')
        "$embed" --print $language "$file" > "$work/text" 2> "$work/words" || { cat "$work/words"; exit 1; }
        { cat "$include/yoke/prelude_$lower"*.h "$work/text"; "$print" < "$work/text"; } > "$work/$name.$lower"
        { echo "== $name"; "$print" --bodies < "$work/text" | grep -v '^$' || :; } > "$work/bodies.$language"
    done
    # One language is enough: the others differ only in the file's own conditions.
    cat "$work/bodies.CUDA" >> "$work/golden"
    grep -q entry32 "$work/$name.cuda" || continue
    if command -v nvcc > /dev/null; then
        nvcc -Werror all-warnings -arch=sm_80 -std=c++17 -ptx -x cu -o "$work/out" "$work/$name.cuda"
    fi
    if command -v clang > /dev/null; then
        clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64-unknown-unknown -Wall -Wextra \
            -Werror -Wno-unused-function -Wno-unused-parameter -O1 -S -emit-llvm -o "$work/out" "$work/$name.opencl"
    fi
done
if [ -n "${KEEP:-}" ]; then
    cp "$work/golden" "$golden"
fi
diff -u "$golden" "$work/golden"
