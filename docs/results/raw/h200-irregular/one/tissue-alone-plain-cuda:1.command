/tmp/b/cli/yoke run photons --input /tmp/src/bench/irregular/../../apps/photons/tissue.mci --size 8M --devices cuda:1 --kernel plain --verify --json - --repeat 7
