/tmp/b/cli/yoke run photons --size 1M --devices cuda:0 --kernel auto --verify --json - --repeat 5
