/tmp/b/cli/yoke run photons --input /tmp/src/bench/irregular/../../apps/photons/tissue.mci --size 10M --devices cpu,cuda:0,cuda:1 --kernel plain --verify --json - --repeat 5
