#!/usr/bin/env bash
# demo.sh BUILD: draws a picture by path tracing, then denoises a real MRI head, on every device found here, and shows what each device
# did. The picture comes first, because it takes only seconds.
#
# The head is mricron's ch2better (301x370x316 voxels). Noise of known strength is added, so the PSNR before and after is known.
# No setting depends on the machine. On a machine with only cores, no split can be faster than the cores. So there a third part shows
# two splits: one core beside OpenCL on the other core, and a simulated machine.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
yoke=$build/cli/yoke
image=/usr/share/mricron/templates/ch2better.nii.gz
out=out/demo

[ -x "$yoke" ] || { echo "demo: $yoke is not there; run 'make' first" >&2; exit 1; }
[ -r "$image" ] || { echo "demo: $image is not there; run ./bootstrap.sh, or install mricron-data" >&2; exit 1; }
mkdir -p out

echo "Devices found:"
"$yoke" info | sed -n '/^device/,/^$/p'
devices=$("$yoke" info --json | grep -c '"backend":')
alone=--baselines
if [ "$devices" = 1 ]; then
    alone=
    echo "Only one, so nothing is compared at first; '$yoke doctor' tells what is missing."
    echo
fi

# Light in a room, a picture of the bunny if it is there.
scene="--scene blocks"
[ ! -r /usr/share/glmark2/models/bunny.obj ] || scene="--scene room"
# One timed run is enough: the first run, with its preparations, is told apart.
# shellcheck disable=SC2086 # words
"$yoke" run path $scene --size 16 --picture 256x256 --output "$out-path" $alone --repeat 1
echo
# shellcheck disable=SC2086
"$yoke" run denoise --input "$image" --output "$out" --trace "$out-timeline.html" $alone --repeat 1

# Two unlike devices that every machine of two cores has.
one_core_beside_opencl()
{
    echo
    echo "No GPU here, so OpenCL's code for processors, on one core, stands for it beside another core. First its compiler works,"
    echo "some 20 s. The gain is over the better of the two alone: below 1 where both are threads of one core, or others compute here;"
    echo "what does not help is soon left out. Both cores as one device, as above, are faster. Who did what is in $out-pair-who.png."
    echo
    POCL_MAX_PTHREAD_COUNT=1 "$yoke" run path --scene blocks --size 16 --picture 256x256 --devices cpu:1,opencl:0 \
        --output "$out-pair" --baselines --repeat 3
}

if [ "$devices" = 1 ]; then
    if [ "$(nproc)" -gt 1 ] && "$yoke" info --devices opencl:0 >/dev/null 2>&1; then
        one_core_beside_opencl
    fi
    echo
    echo "A machine that is not here, 16 cores and two GPUs of 7.5 cores each: the same decisions on a simulated clock, for a loop of"
    echo "8 s of one core's work whose items take different times. The gain is over its cores alone."
    echo
    "$yoke" sim cores=16,gpu*2:f=7.5 random --work 8s --baselines --trace "$out-simulated.html"
fi
echo
echo "Look at:"
ls "$out"*
