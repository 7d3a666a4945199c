#!/usr/bin/env bash
# Every application on all devices of a GPU node at once, verified, beside each device alone.
#
#     bench/gpu-node.sh BUILD OUT [DEVICES] [HEAD.nii.gz]
#
# Writes OUT/APP.json (raw) and OUT/table.md. DEVICES as for yoke run (default: what yoke finds).
set -u
yoke=$1/cli/yoke out=$2 devices=${3:-} head=${4:-/usr/share/mricron/templates/ch2better.nii.gz}
mkdir -p "$out"
select=(${devices:+--devices "$devices"})
"$yoke" info "${select[@]}"
"$yoke" doctor

cat >"$out/table.md" <<'T'
| job | devices (share of rows, alone) | first run | median of 9 | gain over the best alone | E_h | verified |
| --- | --- | --- | --- | --- | --- | --- |
T

run()
{
    local name=$1 json=$out/$1.json
    shift
    echo "--- yoke run $*"
    "$yoke" run "$@" "${select[@]}" --repeat 9 --verify --baselines --json "$json" || echo "FAILED: $*"
    python3 - "$json" "$*" >>"$out/table.md" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
ms = lambda s: '-' if s is None else '%.2f ms' % (s * 1e3)
devices = '; '.join('%s %.1f %%, %s' % (d['name'], 100 * d['share'], ms(d['alone_seconds'])) for d in r['devices'])
print('| %s | %s | %s | %s | %s | %s | %s |' % (sys.argv[2].replace('|', ''), devices, ms(r['first_seconds']),
      ms(r['seconds']), '%.3f' % r['gain'] if r['gain'] else '-',
      '%.2f' % r['efficiency'] if r['efficiency'] else '-', 'yes' if r['verified'] else 'NO'))
P
}

run saxpy saxpy --size 134217728
run mxv mxv --size 200000
run nbody-16k nbody --size 16384
run nbody-128k nbody --size 131072
run denoise denoise --input "$head" --output "$out/head"

# auto leaves out whoever does not pay; here both have to work, with shares given.
run both-saxpy saxpy --size 134217728 --partitioner static:shares=0.95/0.05
run both-mxv mxv --size 200000 --partitioner static:shares=0.95/0.05
run both-nbody-16k nbody --size 16384 --partitioner static:shares=0.1/0.9
run both-nbody-128k nbody --size 131072 --partitioner static:shares=0.03/0.97
run both-denoise denoise --input "$head" --partitioner static:shares=0.03/0.97
cat "$out/table.md"
