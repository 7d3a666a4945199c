#!/bin/sh
# check.sh PROGRAM DEVICES EXPECTED: the program prints the expected output on these devices. Skipped (77) without
# an OpenCL driver.
export YOKE_DEVICES=$2
printed=$("$1" 2>/tmp/yoke-example.$$)
status=$?
errors=$(cat /tmp/yoke-example.$$)
rm -f /tmp/yoke-example.$$
case "$2:$errors" in
*opencl*install* | *opencl*"no device"*) echo "skipped: $errors"; exit 77 ;;
esac
if [ $status != 0 ] || [ "$printed" != "$(cat "$3")" ]; then
    printf 'exit %s on %s\n--- printed\n%s\n--- expected\n%s\n--- errors\n%s\n' $status "$2" "$printed" "$(cat "$3")" "$errors"
    exit 1
fi
