/tmp/b/cli/yoke run photons --size 320M --devices cuda:0 --kernel plain --verify --json - --repeat 7
