/tmp/b/cli/yoke run photons --size 1M --devices cpu,cuda:0,cuda:1 --kernel plain --verify --json - --repeat 5
