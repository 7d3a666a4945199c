#!/bin/sh
# embed_check.sh EMBED LIBYOKE - kernels compiled at build time for the devices of this machine: a kernel that no
# device's compiler accepts is reported and fails the build; a lack of devices is reported and does not.
set -eu
embed=$1
export YOKE_LIB="$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/fine.c" << 'END'
#include <yoke/kernel.h>
YOKE_KERNEL(fine, i, YOKE_IN(float, x), YOKE_OUT(float, y)) { y[i] = sqrtf(x[i]) * TIMES; }
END
{
    cat "$work/fine.c"
    cat << 'END'
YOKE_KERNEL(broken, i, YOKE_IN(float, x), YOKE_OUT(float, y))
{
#ifdef YOKE_FLATTEN
    y[i] = no_such_function(x[i]);
#endif
}
END
} > "$work/broken.c"
OCL_ICD_VENDORS=$work LD_LIBRARY_PATH='' "$embed" --check "$work/broken.c" -DTIMES=2 > "$work/words" 2>&1 ||
    [ -e /dev/nvidiactl ]
[ -e /dev/nvidiactl ] || grep -q 'not checked' "$work/words"
"$embed" --check "$work/fine.c" -DTIMES=2 > "$work/words"
if grep -q 'not checked' "$work/words"; then
    echo "no device with a compiler is here"
    exit 77
fi
grep -q 'all kernels compile' "$work/words"
if "$embed" --check "$work/broken.c" -DTIMES=2 2> "$work/words"; then
    echo "a kernel that does not compile was accepted"
    exit 1
fi
grep -q 'broken does not compile' "$work/words" && grep -q 'no_such_function' "$work/words"
# once for each device
[ -z "$(grep 'does not compile' "$work/words" | sort | uniq -d)" ] || { echo "told more than once"; exit 1; }
echo ok
