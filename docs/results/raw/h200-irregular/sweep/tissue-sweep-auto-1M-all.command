/tmp/b/cli/yoke run photons --input /tmp/src/bench/irregular/../../apps/photons/tissue.mci --size 1M --devices cpu,cuda:0,cuda:1 --kernel auto --verify --json - --repeat 5
