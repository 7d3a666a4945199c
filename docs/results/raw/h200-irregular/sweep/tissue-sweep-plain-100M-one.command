/tmp/b/cli/yoke run photons --input /tmp/src/bench/irregular/../../apps/photons/tissue.mci --size 100M --devices cuda:0 --kernel plain --verify --json - --repeat 5
