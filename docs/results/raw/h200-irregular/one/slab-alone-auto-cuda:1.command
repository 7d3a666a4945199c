/tmp/b/cli/yoke run photons --size 320M --devices cuda:1 --kernel auto --verify --json - --repeat 7
