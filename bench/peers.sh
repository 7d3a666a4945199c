#!/usr/bin/env bash
# yoke beside OpenMP, oneTBB and StarPU on the CPU, all in one run and in turns.
#
#     bench/peers.sh BUILD OUT [--rounds N] [--only PART,...] [--without PEER,...] [--small]
#
# Builds yoke and a program for each peer that is installed (BUILD is created if it does not exist; absent peers are named with the package
# to install), lets them take turns, and writes OUT/peers.json (every measurement) and OUT/peers.md (the table: medians, minima,
# maxima, and ratios within each round). Parts: saxpy, uneven, empty, startup, idle, bystander, share (all of them). --without: leaves
# out openmp, tbb or starpu. --small: tiny sizes, to test the script itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
build=$1 out=$2
shift 2
mkdir -p "$out"
cmake -S "$here/.." -B "$build" -DYOKE_BENCH=ON >"$out/configure.log" || { cat "$out/configure.log"; exit 1; }
sed -n 's/^-- peers: //p' "$out/configure.log"
cmake --build "$build" --target yoke-peers -j "$(nproc)" >"$out/build.log" 2>&1 || { tail -n 40 "$out/build.log"; exit 1; }
python3 "$here/peers/drive.py" "$build/bench/peers" "$out/peers.json" "$@"
python3 "$here/peers/table.py" "$out/peers.json" >"$out/peers.md"
sed -n '/^| target/,/^$/p' "$out/peers.md"
echo "$out/peers.md"
