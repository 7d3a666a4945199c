#!/bin/sh
# test_first_use.sh BUILD - the loops of bench/kernels as a new user's project: outside the tree, against an installed yoke,
# built by CMake and by make, run on the cores, on simulated devices and on PoCL. No result may be wrong.
set -eu
build=$1
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH YOKE_DEVICES YOKE_PARTITIONER
cmake --install "$build" --prefix "$work/usr" >/dev/null
lib=$(dirname "$(find "$work/usr" -name yoke.pc)")/..

mkdir "$work/project"
cp "$source"/project/* "$source"/../../bench/kernels/kernels.[ch] "$source"/../../bench/kernels/reductions.c "$source"/../../bench/kernels/problem*.[ch] "$work/project"
cp -r "$work/project" "$work/by-make"

echo "by CMake"
cmake -S "$work/project" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/by-cmake" >/dev/null
echo "by make and pkg-config"
PKG_CONFIG_PATH=$lib/pkgconfig PATH=$work/usr/bin:$PATH
export PKG_CONFIG_PATH PATH
make -s -C "$work/by-make" program

# One element; fewer than a vector or a group; a prime number.
for devices in cpu sim:gpu sim:cpu:cores=4,sim:gpu*2 opencl:0 cpu:1,opencl:0; do
    case $devices in *opencl*)
        yoke info --devices opencl:0 >/dev/null 2>&1 || { echo "$devices: there is no OpenCL device"; continue; } ;;
    esac
    echo "on $devices"
    YOKE_DEVICES=$devices "$work/by-cmake/program" 1 100 30011 >"$work/said" || { cat "$work/said"; exit 1; }
done
echo "in checking mode"
YOKE_CHECK=1 "$work/by-cmake/program" 1 100 3001 >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
echo "the program by make"
"$work/by-make/program" 30011
