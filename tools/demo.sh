#!/usr/bin/env bash
# demo.sh BUILD: denoises a real MRI head on every device found here, then draws a picture by path tracing, and shows what each one
# did.
#
# The head is mricron's ch2better (301x370x316 voxels). Noise of known strength is added, so the PSNR before and after can be told.
# Nothing is chosen for the machine at hand: without a GPU, the demo says so and runs on the CPU's cores alone.
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
[ "$devices" -gt 1 ] || echo "Only one, so it is also the best alone and the gain is 1; '$yoke doctor' tells what is missing."
echo
# One timed run is enough: the first run, with its preparations, is told apart.
"$yoke" run denoise --input "$image" --output "$out" --trace "$out-timeline.html" --baselines --repeat 1

# The second act: light in a room, a picture of the bunny if it is there.
scene="--scene blocks"
[ ! -r /usr/share/glmark2/models/bunny.obj ] || scene="--scene room"
echo
# shellcheck disable=SC2086 # two words
"$yoke" run path $scene --size 16 --picture 256x256 --output "$out-path" --baselines --repeat 1
echo
echo "Look at:"
ls "$out"*
