/tmp/b/cli/yoke run photons --input /tmp/src/bench/irregular/../../apps/photons/tissue.mci --size 1M --devices cuda:0 --kernel auto --verify --json - --repeat 5
